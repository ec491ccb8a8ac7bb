#include "search/candidates.h"

#include <algorithm>
#include <utility>

#include "search/serving_settle.h"

namespace loadfactor::search {
namespace {

SizedDeployment at_best(const SizingProblem& problem, const Weeks& weeks, SizedDeployment d) {
  constexpr double kMostUnderrated = 1.3;
  d.rate *= kMostUnderrated;
  d.misses = d.misses.stretched(kMostUnderrated);
  if (d.prompts) {
    d.prompts->rate *= kMostUnderrated;
    d.prompts->misses = d.prompts->misses.stretched(kMostUnderrated);
  }
  size_by_rate(problem, weeks, d);
  return d;
}

}  // namespace

Candidates::Candidates(const SizingProblem& problem, const Weeks& weeks,
                       const std::vector<SizedDeployment>& all, std::size_t known)
    : problem_(problem), weeks_(weeks) {
  for (std::size_t i = known; i < all.size(); ++i)
    waiting_.push_back({&all[i], at_best(problem, weeks, all[i])});
  std::stable_sort(waiting_.begin(), waiting_.end(), [](const Candidate& a, const Candidate& b) {
    return is_cheaper(a.at_best, b.at_best);
  });
}

std::vector<SizedDeployment> Candidates::take(const SizedDeployment& answer, std::size_t most,
                                              SizingAnswer& counted) {
  std::vector<SizedDeployment> taken;
  while (taken.size() < most && !waiting_.empty() && is_cheaper(waiting_.front().at_best, answer)) {
    taken.push_back(*waiting_.front().deployment);
    waiting_.erase(waiting_.begin());
  }
  calibrate_rates(problem_, weeks_, taken, counted);
  std::erase_if(taken, [&](const SizedDeployment& d) {
    return d.rate <= 0 || is_too_large(problem_, d, counted);
  });
  return taken;
}

int Candidates::count_below(const SizedDeployment& answer) const {
  return static_cast<int>(std::count_if(
      waiting_.begin(), waiting_.end(),
      [&](const Candidate& candidate) { return is_cheaper(candidate.at_best, answer); }));
}

std::vector<SizedDeployment> Candidates::untaken() const {
  std::vector<SizedDeployment> left;
  for (const Candidate& candidate : waiting_) left.push_back(*candidate.deployment);
  std::stable_sort(left.begin(), left.end(), is_cheaper);
  return left;
}

}  // namespace loadfactor::search
