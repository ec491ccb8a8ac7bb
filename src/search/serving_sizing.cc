#include "search/serving_sizing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/distributions.h"
#include "demand/generate.h"
#include "search/candidates.h"
#include "search/serving_settle.h"
#include "search/serving_split.h"
#include "search/trial_weeks.h"
#include "serving/split_plan.h"

namespace loadfactor::search {
namespace {

// Whether `a` is as cheap and as quick as `b` and better in one.
bool dominates(const SizedDeployment& a, const SizedDeployment& b) {
  const bool no_worse = a.per_mtoken <= b.per_mtoken && a.mean_tpot <= b.mean_tpot;
  return no_worse && (a.per_mtoken < b.per_mtoken || a.mean_tpot < b.mean_tpot);
}

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

// One candidate per layout: the cheapest of its settings.
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

// All candidates in closed form, by cost.
std::vector<SizedDeployment> evaluate(const SizingProblem& problem, const Weeks& weeks,
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
      if (over < closest) {
        closest = over;
        answer.nearest = d.figures;
        answer.nearest_miss =
            fmt::format("{} × {} (tp {}): ttft {:.3g} s, tpot {:.3g} ms when idle", d.plan.gpus(),
                        choice.chip->title, choice.layout.tp, d.figures.idle_ttft.base(),
                        1e3 * d.figures.idle_tpot.base());
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
  return without_twins(std::move(all));
}

}  // namespace

Weeks trial_weeks(const SizingProblem& problem) {
  if (!problem.trace_rates.empty()) return Weeks({problem.trace_rates});
  std::vector<std::vector<double>> weeks;
  const double mean = demand::expected_rate(problem.model).base();
  for (int i = 0; i < kTrialWeeks; ++i) {
    const auto profile = demand::generate_rates(
        problem.model, problem.seed + static_cast<std::uint64_t>(i) + 1,
        Seconds::from_base(kWeekSeconds), Seconds::from_base(kWindowSeconds));
    double sum = 0;
    for (const auto& window : profile.windows) sum += window.rate.base();
    // Each is moved to the demand's mean.
    const double factor = sum > 0 ? mean * static_cast<double>(profile.windows.size()) / sum : 1;
    std::vector<double> rates;
    for (const auto& window : profile.windows) rates.push_back(factor * window.rate.base());
    weeks.push_back(std::move(rates));
  }
  return Weeks(std::move(weeks));
}

double SizedDeployment::full_rate() const {
  const double answers = replicas * figures.capacity.saturated.base();
  if (!prompts) return answers;
  return std::min(answers, prompts->replicas * prompts->figures.capacity.saturated.base());
}

bool is_cheaper(const SizedDeployment& a, const SizedDeployment& b) {
  return std::tuple(!a.has_price, a.cost_per_hour, a.gpus) <
         std::tuple(!b.has_price, b.cost_per_hour, b.gpus);
}

bool is_too_large(const SizingProblem& problem, const SizedDeployment& d, SizingAnswer& answer) {
  const bool is_limited = problem.most_gpus > 0 && d.gpus > problem.most_gpus;
  if (!is_limited && d.replicas <= serving::kMostReplicas) return false;
  if (answer.fewest_gpus == 0 || d.gpus < answer.fewest_gpus) {
    answer.fewest_gpus = d.gpus;
    answer.fewest_replicas = d.replicas;
  }
  return true;
}

int spares_for(const Outages& outages, int replicas, int gpus_each) {
  const double out = outages.per_gpu_hour * gpus_each * outages.repair_hours;
  const double share = out / (1 + out);
  if (share <= 0 || share >= 1) return 0;
  // With many replicas, the number that is out is about normal.
  constexpr double kMany = 30;
  const double mean = share * replicas;
  if (mean > kMany) {
    const double beyond = normal_quantile(1 - outages.most_short);
    return static_cast<int>(std::ceil(mean / (1 - share) + beyond * std::sqrt(mean)));
  }
  // Spares may fail too: of n = replicas + spares, more than the spares are out.
  for (int spares = 0; spares < replicas; ++spares) {
    const int all = replicas + spares;
    double probability = std::pow(1 - share, all);  // The chance that none is out.
    double within = probability;
    for (int k = 1; k <= spares; ++k) {
      probability *= share / (1 - share) * (all - k + 1) / k;
      within += probability;
    }
    if (1 - within <= outages.most_short) return spares;
  }
  return replicas;
}

void take_closed_form(SizedDeployment& d) {
  d.rate = d.figures.capacity.at_slo.base();
  d.misses = d.figures.capacity.misses;
  d.allowed = d.misses.empty() ? serving::AllowedMisses{0, 0} : d.figures.capacity.allowed;
  if (!d.prompts) return;
  d.prompts->rate = d.prompts->figures.capacity.at_slo.base();
  d.prompts->misses = d.prompts->figures.capacity.misses;
  d.allowed.first = d.prompts->misses.empty() ? 0 : d.prompts->figures.capacity.allowed.first;
}

const WayPrice* cheapest_way(const SizingProblem& problem, const std::string& chip, int gpus,
                             double load) {
  const auto known = problem.prices.find(chip);
  if (known == problem.prices.end() || known->second.empty()) return nullptr;
  const auto cost = [&](const WayPrice& price) { return price.per_hour(gpus, load); };
  return &*std::min_element(known->second.begin(), known->second.end(),
                            [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
}

namespace {

// Requests per second of the whole fleet when nothing is ever idle, as every verb states it.
double saturated_of(const SizingProblem& problem, const SizedDeployment& d) {
  const int answers = d.replicas + d.spares;
  if (!d.prompts) return answers * d.figures.capacity.saturated.base();
  return serving::saturated_rate(d.prompts->plan, d.prompts->replicas + d.spares, d.plan, answers,
                                 problem.ask, problem.constants_of(d.plan))
      .base();
}

}  // namespace

void price_fleet(const SizingProblem& problem, const Weeks& weeks, SizedDeployment& d) {
  d.weeks_kept = weeks_kept(weeks, d);
  SizedDeployment fewer = d;
  fewer.replicas = d.replicas - 1;
  d.weeks_kept_with_fewer = d.replicas > 1 ? weeks_kept(weeks, fewer) : 0;
  if (d.prompts) {
    fewer.replicas = d.replicas;
    fewer.prompts->replicas = d.prompts->replicas - 1;
    d.prompts->weeks_kept_with_fewer = d.prompts->replicas > 1 ? weeks_kept(weeks, fewer) : 0;
  }
  d.spares =
      problem.spares >= 0 ? problem.spares : spares_for(problem.outages, d.replicas, d.plan.gpus());
  d.gpus = (d.replicas + d.spares) * d.plan.gpus();
  if (d.prompts) d.gpus += (d.prompts->replicas + d.spares) * d.prompts->plan.gpus();
  const double mean = weeks.levels.front().mean;
  d.load_factor = mean / saturated_of(problem, d);
  const WayPrice* price = cheapest_way(problem, d.plan.choice.chip->name, d.gpus, d.load_factor);
  d.has_price = price != nullptr;
  d.way = price != nullptr ? price->way : "";
  d.paid_gpus = price != nullptr ? price->paid(d.gpus) : d.gpus;
  d.cost_per_hour = price != nullptr ? price->per_hour(d.gpus, d.load_factor) : d.gpus;
  const Hertz each = Hertz::from_base(mean / d.replicas);
  d.mean_tpot =
      d.prompts ? serving::mean_answer_tpot(d.plan, problem.ask, problem.constants_of(d.plan), each)
                : serving::mean_tpot(d.plan, problem.ask, problem.constants_of(d.plan), each);
  const double tokens = mean * (problem.ask.input + problem.ask.output) * 3600;
  d.per_mtoken = tokens > 0 ? 1e6 * d.cost_per_hour / tokens : 0;
  d.fluid_within = share_within(weeks, d);
  d.most_mean = most_mean(weeks, d);
  if (d.prompts) {  // There are two things to scale, and one follows the other.
    d.on.clear();
    d.autoscaled_gpus = d.gpus;
    return;
  }
  d.on = with_spares(replicas_followed(weeks.rates.front(), d.rate, problem.cold_start), d.spares);
  d.autoscaled_gpus = mean_of(d.on) * d.plan.gpus();
}

int fewest_for_work(const Weeks& weeks, Hertz saturated) {
  if (saturated <= Hertz()) return 1;
  const double needed = std::ceil(weeks.levels.front().mean / saturated.base() - 1e-9);
  return static_cast<int>(std::clamp(needed, 1.0, serving::kMostReplicas + 1.0));
}

void size_by_rate(const SizingProblem& problem, const Weeks& weeks, SizedDeployment& d) {
  d.replicas =
      std::max(fewest_answers(weeks, d), fewest_for_work(weeks, d.figures.capacity.saturated));
  if (d.prompts)
    d.prompts->replicas = std::max(fewest_prompts(weeks, d),
                                   fewest_for_work(weeks, d.prompts->figures.capacity.saturated));
  price_fleet(problem, weeks, d);
}

std::optional<SizedDeployment> most_for_gpus(const SizingProblem& problem, int gpus) {
  const Weeks weeks = trial_weeks(problem);
  SizingAnswer unused;
  std::vector<SizedDeployment> all;
  for (const auto& choice : enumerate_replicas(problem.space)) {
    if (problem.is_stopped()) return std::nullopt;
    auto plan = serving::plan_replica(choice, *problem.hardware);
    if (!plan || !plan->fits()) continue;
    SizedDeployment d{.plan = *std::move(plan)};
    d.figures = serving::measure_capacity(d.plan, problem.ask, problem.constants_of(d.plan));
    take_closed_form(d);
    d.replicas = gpus / d.plan.gpus() - std::max(0, problem.spares);
    if (d.rate <= 0 || d.replicas < 1) continue;
    price_fleet(problem, weeks, d);
    all.push_back(std::move(d));
  }
  const auto more = [](const auto& a, const auto& b) { return a.most_mean > b.most_mean; };
  std::stable_sort(all.begin(), all.end(), more);
  all = without_twins(std::move(all));
  all.resize(std::min(all.size(), static_cast<std::size_t>(std::max(1, problem.confirm))));
  for (SizedDeployment& d : all) {
    if (problem.is_stopped()) return std::nullopt;
    const int replicas = d.replicas;
    calibrate_rate(problem, weeks, d, unused);
    d.replicas = replicas;
    price_fleet(problem, weeks, d);
  }
  std::stable_sort(all.begin(), all.end(), more);
  if (all.empty() || all.front().most_mean <= 0) return std::nullopt;
  return all.front();
}

namespace {

bool contains(const std::vector<SizedDeployment>& all, const SizedDeployment& d) {
  return std::any_of(all.begin(), all.end(), [&](const SizedDeployment& other) {
    return other.plan.step == d.plan.step && other.prompts.has_value() == d.prompts.has_value();
  });
}

constexpr std::size_t kRows = 8;
constexpr std::int64_t kMostRecorded = 50'000'000;  // Requests kept in memory, eight bytes each.

bool has_chip(const std::vector<SizedDeployment>& all, const SizedDeployment& d) {
  return std::any_of(all.begin(), all.end(), [&](const SizedDeployment& other) {
    return other.plan.choice.chip == d.plan.choice.chip;
  });
}

// The rows of the answer: what was simulated, then what the closed form says of others. Every chip
// has one, since by rent it may be the last and by another way to pay the first.
void fill_rows(const std::vector<SizedDeployment>& others, SizingAnswer& answer) {
  for (const SizedDeployment& d : others)
    if (answer.best.size() < kRows && !contains(answer.best, d)) answer.best.push_back(d);
  answer.best.resize(std::min(answer.best.size(), kRows));
  for (const SizedDeployment& d : others)
    if (!has_chip(answer.best, d)) answer.best.push_back(d);
}

}  // namespace

SizingAnswer size_deployment(const SizingProblem& problem) {
  SizingAnswer answer;
  const auto made =
      problem.trials ? problem.trials : std::make_shared<const Weeks>(trial_weeks(problem));
  const Weeks& weeks = *made;
  auto all = evaluate(problem, weeks, answer);
  if (all.empty()) return answer;
  answer.closed_form_cost = all.front().cost_per_hour;
  const auto count = std::min<std::size_t>(all.size(), static_cast<std::size_t>(problem.confirm));
  answer.best.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  if (count == 0) {
    answer.pareto = frontier(all);
    fill_rows(all, answer);
    answer.candidates = std::move(all);
    return answer;
  }
  if (problem.is_stopped()) return answer;
  // The rate per replica as simulated, which may change the order.
  calibrate_rates(problem, weeks, answer.best, answer);
  if (problem.is_stopped()) return answer;
  problem.report(kShareWithRates);
  std::erase_if(answer.best, [&](const SizedDeployment& d) {
    return d.rate <= 0 || is_too_large(problem, d, answer);
  });
  Candidates candidates(problem, weeks, all, count);
  RecordedWeeks recorded(problem, kMostRecorded);
  settle(recorded, weeks, candidates, answer);
  if (!answer.best.empty() && is_too_large(problem, answer.best.front(), answer))
    answer.best.clear();
  if (answer.best.empty()) return answer;
  if (problem.is_stopped()) return answer;
  answer.hard_tape = recorded.known(answer.hard_week, answer.simulated_seconds);
  if (problem.thorough && answer.best.front().ttft > Seconds())
    simulate_scaling(recorded, answer.best.front(), answer);
  const std::vector<SizedDeployment> untaken = candidates.untaken();
  std::vector<SizedDeployment> known = answer.best;
  known.insert(known.end(), untaken.begin(), untaken.end());
  std::stable_sort(known.begin(), known.end(), is_cheaper);
  answer.pareto = frontier(known);
  fill_rows(untaken, answer);
  answer.candidates = std::move(known);
  return answer;
}

}  // namespace loadfactor::search
