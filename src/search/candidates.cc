#include "search/candidates.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "search/serving_settle.h"
#include "serving/generation.h"

namespace loadfactor::search {
namespace {

// Whether `a` is as cheap and as quick as `b` and better in one.
bool dominates(const SizedDeployment& a, const SizedDeployment& b) {
  const bool no_worse = a.per_mtoken <= b.per_mtoken && a.mean_tpot <= b.mean_tpot;
  return no_worse && (a.per_mtoken < b.per_mtoken || a.mean_tpot < b.mean_tpot);
}

}  // namespace

std::vector<SizedDeployment> frontier(const std::vector<SizedDeployment>& all) {
  std::vector<SizedDeployment> best;
  Seconds quickest = Seconds::from_base(1e300);
  for (const auto& candidate : all) {  // Ascending in cost: each must be quicker than all before.
    if (candidate.has_price != all.front().has_price) break;
    if (candidate.mean_tpot >= quickest) continue;
    if (!best.empty() && dominates(best.back(), candidate)) continue;
    quickest = candidate.mean_tpot;
    if (!best.empty() && dominates(candidate, best.back()))
      best.pop_back();  // It costs as much and is slower.
    best.push_back(candidate);
  }
  return best;
}

std::vector<SizedDeployment> without_twins(std::vector<SizedDeployment> all) {
  std::map<std::tuple<const void*, std::string, int, int, int, int, bool>, bool> seen;
  std::vector<SizedDeployment> kept;
  for (auto& candidate : all) {
    const auto& c = candidate.plan.choice;
    if (!seen.emplace(
                 std::tuple{static_cast<const void*>(c.chip), c.precision, c.layout.tp, c.layout.pp,
                            c.layout.ep, c.layout.dp, candidate.prompts.has_value()},
                 true)
             .second)
      continue;
    kept.push_back(std::move(candidate));
  }
  return kept;
}

namespace {

// The engine's own of settings that cost as good as the same in one layout.
void take_own_settings(const std::vector<SizedDeployment>& all,
                       std::vector<SizedDeployment>& kept) {
  for (SizedDeployment& d : kept) {
    const auto& c = d.plan.choice;
    const auto plainer = std::find_if(all.begin(), all.end(), [&](const SizedDeployment& other) {
      const auto& o = other.plan.choice;
      return o.chip == c.chip && o.precision == c.precision && o.layout == c.layout &&
             other.prompts.has_value() == d.prompts.has_value() && is_plainer_tie(other, d);
    });
    if (plainer != all.end()) d = *plainer;
  }
}

}  // namespace

std::vector<SizedDeployment> evaluate_closed_form(const SizingProblem& problem, const Weeks& weeks,
                                                  SizingAnswer& answer) {
  std::vector<SizedDeployment> all;
  double closest = 1e300;
  const auto choices = enumerate_replicas(problem.space);
  for (const auto& choice : choices) {
    problem.report(kShareInClosedForm * static_cast<double>(answer.enumerated) /
                   static_cast<double>(choices.size()));
    if (problem.is_stopped()) return {};
    ++answer.enumerated;
    auto plan = serving::plan_replica(choice, *problem.hardware);
    if (!plan || !plan->fits()) continue;
    ++answer.fitting;
    SizedDeployment d{.plan = *std::move(plan)};
    d.figures = serving::measure_capacity(d.plan, problem.ask, problem.constants_of(d.plan));
    take_closed_form(d);
    if (d.rate <= 0) {
      const double over =
          std::max(problem.ask.ttft > Seconds() ? d.figures.idle_ttft / problem.ask.ttft : 0,
                   problem.ask.tpot > Seconds() ? d.figures.idle_tpot / problem.ask.tpot : 0);
      const bool is_allowed = problem.most_gpus <= 0 || d.plan.gpus() <= problem.most_gpus;
      if (is_allowed && over < closest) {
        closest = over;
        answer.nearest = d.figures;
        answer.nearest_miss = fmt::format(
            "{} × {}: a first token after {} s, then one every {} ms, when idle", d.plan.gpus(),
            choice.chip->title, three_figures(d.figures.idle_ttft.base()),
            three_figures(1e3 * d.figures.idle_tpot.base()));
      }
      continue;
    }
    size_by_rate(problem, weeks, d);
    if (is_too_large(problem, d, answer)) continue;
    ++answer.meeting;
    all.push_back(std::move(d));
  }
  for (auto& d : enumerate_splits(problem, weeks, answer)) {
    if (is_too_large(problem, d, answer)) continue;
    ++answer.meeting;
    all.push_back(std::move(d));
  }
  std::stable_sort(all.begin(), all.end(), is_cheaper);
  auto kept = without_twins(all);
  take_own_settings(all, kept);
  std::stable_sort(kept.begin(), kept.end(), is_cheaper);
  return kept;
}

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

int oddities(const SizedDeployment& d) {
  const serving::ReplicaChoice& choice = d.plan.choice;
  const auto own = serving::engine_defaults(*choice.engine, *choice.traits, *choice.chip);
  const bool is_tuned = d.plan.max_seqs != own.max_sequences || d.plan.chunk != own.chunk;
  return int{choice.layout.pp > 1} + int{choice.layout.ep > 1} + int{choice.layout.dp > 1} +
         int{d.prompts.has_value()} + int{is_tuned};
}

bool is_plainer_tie(const SizedDeployment& d, const SizedDeployment& than) {
  return d.has_price && than.has_price && d.way == than.way && d.paid_gpus == than.paid_gpus &&
         d.cost_per_hour <= than.cost_per_hour * (1 + kTie) && oddities(d) < oddities(than);
}

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
  return rated(std::move(taken), counted);
}

std::vector<SizedDeployment> Candidates::rated(std::vector<SizedDeployment> taken,
                                               SizingAnswer& counted) {
  calibrate_rates(problem_, weeks_, taken, counted);
  if (problem_.is_stopped()) return {};
  for (const SizedDeployment& d : taken)
    if (d.rate <= 0)
      failures_.push_back({d.prompts.has_value(), d.figures.idle_ttft, d.figures.idle_tpot});
  std::erase_if(taken, [&](const SizedDeployment& d) {
    return d.rate <= 0 || is_too_large(problem_, d, counted);
  });
  return taken;
}

bool Candidates::is_hopeless(const SizedDeployment& d) const {
  return std::any_of(failures_.begin(), failures_.end(), [&](const Failure& failure) {
    return failure.is_split == d.prompts.has_value() && d.figures.idle_ttft >= failure.ttft &&
           d.figures.idle_tpot >= failure.tpot;
  });
}

std::vector<SizedDeployment> Candidates::take_next(std::size_t most, SizingAnswer& counted) {
  std::vector<SizedDeployment> kept;
  while (kept.empty() && !problem_.is_stopped()) {
    std::vector<SizedDeployment> taken;
    for (auto at = waiting_.begin(); at != waiting_.end() && taken.size() < most;) {
      const SizedDeployment& d = *at->deployment;
      if (!is_hopeless(d)) taken.push_back(d);
      at = waiting_.erase(at);
    }
    if (taken.empty()) break;
    kept = rated(std::move(taken), counted);
  }
  return kept;
}

std::vector<SizedDeployment> Candidates::take_plainer(const SizedDeployment& answer,
                                                      std::size_t most, SizingAnswer& counted) {
  std::vector<SizedDeployment> taken;
  for (const Candidate& candidate : waiting_)
    if (is_plainer_tie(*candidate.deployment, answer)) taken.push_back(*candidate.deployment);
  std::stable_sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) {
    return std::pair(oddities(a), a.cost_per_hour) < std::pair(oddities(b), b.cost_per_hour);
  });
  taken.resize(std::min(taken.size(), most));
  std::erase_if(waiting_, [&](const Candidate& candidate) {
    return std::any_of(taken.begin(), taken.end(), [&](const SizedDeployment& d) {
      return d.plan.step == candidate.deployment->plan.step;
    });
  });
  return rated(std::move(taken), counted);
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
