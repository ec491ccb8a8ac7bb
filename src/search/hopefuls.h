// Candidates that the simulation has not seen and that might be cheaper than what it found.
#pragma once

#include <cstddef>
#include <vector>

#include "search/serving_sizing.h"

namespace loadfactor::search {

// Of all candidates by closed-form cost, those after the first few, each as cheap as it would be
// if the closed form underrated it by as much as it errs.
class Hopefuls {
 public:
  // `all` outlives this; its first `known` are simulated in any case.
  Hopefuls(const SizingProblem& problem, const Weeks& weeks,
           const std::vector<SizedDeployment>& all, std::size_t known);

  // Up to `most` that might be cheaper than the answer, the most hopeful first, with the rate that
  // a simulation of a few replicas gives them. None twice; those that keep nothing are left out.
  std::vector<SizedDeployment> take(const SizedDeployment& answer, std::size_t most,
                                    SizingAnswer& counted);

  // How many might still be cheaper than the answer.
  int count_below(const SizedDeployment& answer) const;

  // All that were not taken, by closed-form cost.
  std::vector<SizedDeployment> untaken() const;

 private:
  struct Hope {
    const SizedDeployment* candidate;
    SizedDeployment at_best;  // Its cost if it is underrated.
  };

  const SizingProblem& problem_;
  const Weeks& weeks_;
  std::vector<Hope> waiting_;  // By cost at best.
};

}  // namespace loadfactor::search
