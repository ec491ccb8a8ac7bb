// Every deployment in closed form, and those that might be cheaper than what a simulation found.
#pragma once

#include <cstddef>
#include <vector>

#include "search/serving_sizing.h"

namespace loadfactor::search {

// All deployments, one per layout, by their cost in closed form; `answer` counts what was looked at
// and says what came nearest.
std::vector<SizedDeployment> evaluate_closed_form(const SizingProblem& problem, const Weeks& weeks,
                                                  SizingAnswer& answer);

// For each chip and precision the cheapest pool of prompts with every layout of answers in a pool
// of their own. Pools are sized each by its own rate, so that the choices do not depend on each
// other.
std::vector<SizedDeployment> enumerate_splits(const SizingProblem& problem, const Weeks& weeks,
                                              SizingAnswer& answer);

// One of each layout: the first of its settings.
std::vector<SizedDeployment> without_twins(std::vector<SizedDeployment> all);

// How many things about a deployment need explaining: a pipeline, experts or attention spread over
// ranks, pools apart, settings that are not the engine's own.
int oddities(const SizedDeployment& d);
// On as many paid GPUs, costs of fleets that differ by no more than this share are a tie, which the
// plainest takes: prices of electricity, on which they differ, are not known better.
inline constexpr double kTie = 0.01;
bool is_plainer_tie(const SizedDeployment& d, const SizedDeployment& than);

// Those of these, ascending in cost, that none is cheaper and quicker than.
std::vector<SizedDeployment> frontier(const std::vector<SizedDeployment>& all);

// The deployment if the closed form underrated its rate by as much as it errs.
SizedDeployment at_best(const SizingProblem& problem, const Weeks& weeks, SizedDeployment d);

// All deployments but the few with the lowest closed-form cost. Each counts as cheap as it would be
// if the closed form underrated its rate by as much as it errs.
class Candidates {
 public:
  // `all` outlives this; its first `known` are simulated in any case.
  Candidates(const SizingProblem& problem, const Weeks& weeks,
             const std::vector<SizedDeployment>& all, std::size_t known);

  // Up to `most` that might be cheaper than the answer, the most promising first, with the rate
  // that a simulation of a few replicas gives them. None twice; those that keep nothing are left
  // out.
  std::vector<SizedDeployment> take(const SizedDeployment& answer, std::size_t most,
                                    SizingAnswer& counted);

  // Up to `most` that are plainer than the answer at a cost that counts as equal, the plainest
  // first, with their rates as `take` gives them.
  std::vector<SizedDeployment> take_plainer(const SizedDeployment& answer, std::size_t most,
                                            SizingAnswer& counted);

  // Up to `most` at any cost, the most promising first, with their rates as `take` gives them:
  // some, unless no candidate that is left keeps anything. One that is no quicker than a candidate
  // of its kind that kept nothing is passed over.
  std::vector<SizedDeployment> take_next(std::size_t most, SizingAnswer& counted);

  // Gives them the rates that a simulation finds; those that keep nothing, or are too large by
  // then, are left out.
  std::vector<SizedDeployment> rated(std::vector<SizedDeployment> taken, SizingAnswer& counted);

  // How many might still be cheaper than the answer.
  int count_below(const SizedDeployment& answer) const;

  // All that were not taken, in the order of their closed-form cost.
  std::vector<SizedDeployment> untaken() const;

 private:
  struct Candidate {
    const SizedDeployment* deployment;
    SizedDeployment at_best;  // The same if the closed form underrates it.
  };
  // Times of a candidate that kept nothing, while nothing else was in its way.
  struct Failure {
    bool is_split = false;
    Seconds ttft, tpot;
  };
  bool is_hopeless(const SizedDeployment& d) const;

  const SizingProblem& problem_;
  const Weeks& weeks_;
  std::vector<Candidate> waiting_;  // Ascending in the cost of `at_best`.
  std::vector<Failure> failures_;
};

}  // namespace loadfactor::search
