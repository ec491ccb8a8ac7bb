#include "search/hopefuls.h"

#include <algorithm>
#include <utility>

#include "search/serving_settle.h"

namespace loadfactor::search {
namespace {

SizedDeployment at_best(const SizingProblem& problem, const Weeks& weeks, SizedDeployment d) {
  constexpr double kHope = 1.3;
  d.rate *= kHope;
  d.misses = d.misses.stretched(kHope);
  if (d.prompts) {
    d.prompts->rate *= kHope;
    d.prompts->misses = d.prompts->misses.stretched(kHope);
  }
  size_by_rate(problem, weeks, d);
  return d;
}

}  // namespace

Hopefuls::Hopefuls(const SizingProblem& problem, const Weeks& weeks,
                   const std::vector<SizedDeployment>& all, std::size_t known)
    : problem_(problem), weeks_(weeks) {
  for (std::size_t i = known; i < all.size(); ++i)
    waiting_.push_back({&all[i], at_best(problem, weeks, all[i])});
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Hope& a, const Hope& b) { return is_cheaper(a.at_best, b.at_best); });
}

std::vector<SizedDeployment> Hopefuls::take(const SizedDeployment& answer, std::size_t most,
                                            SizingAnswer& counted) {
  std::vector<SizedDeployment> taken;
  while (taken.size() < most && !waiting_.empty() && is_cheaper(waiting_.front().at_best, answer)) {
    taken.push_back(*waiting_.front().candidate);
    waiting_.erase(waiting_.begin());
  }
  calibrate_rates(problem_, weeks_, taken, counted);
  std::erase_if(taken, [&](const SizedDeployment& d) {
    return d.rate <= 0 || is_too_large(problem_, d, counted);
  });
  return taken;
}

int Hopefuls::count_below(const SizedDeployment& answer) const {
  return static_cast<int>(std::count_if(waiting_.begin(), waiting_.end(), [&](const Hope& hope) {
    return is_cheaper(hope.at_best, answer);
  }));
}

std::vector<SizedDeployment> Hopefuls::untaken() const {
  std::vector<SizedDeployment> left;
  for (const Hope& hope : waiting_) left.push_back(*hope.candidate);
  std::stable_sort(left.begin(), left.end(), is_cheaper);
  return left;
}

}  // namespace loadfactor::search
