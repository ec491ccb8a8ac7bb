#include "search/serving_sizing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "base/calendar.h"
#include "base/crew.h"
#include "base/distributions.h"
#include "demand/generate.h"
#include "search/candidates.h"
#include "search/serving_settle.h"
#include "search/trial_weeks.h"
#include "serving/split_plan.h"

namespace loadfactor::search {

bool SizingProblem::is_shared() const {
  return crew != nullptr && crew->size() > 1 && memory == nullptr;
}

Weeks trial_weeks(const SizingProblem& problem) {
  if (!problem.trace_rates.empty()) return Weeks({problem.trace_rates});
  std::vector<std::vector<double>> weeks;
  const double mean = demand::expected_rate(problem.model).base();
  for (int i = 0; i < kTrialWeeks; ++i) {
    std::vector<double> rates =
        problem.shapes->rates(problem.model, problem.seed + static_cast<std::uint64_t>(i) + 1);
    double sum = 0;
    for (const double rate : rates) sum += rate;
    // Each is moved to the demand's mean.
    const double factor = sum > 0 ? mean * static_cast<double>(rates.size()) / sum : 1;
    for (double& rate : rates) rate *= factor;
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

namespace {

// The share of the time that one replica is out.
double share_out(const Outages& outages, int gpus_each) {
  const double out = outages.per_gpu_hour * gpus_each * outages.repair_hours;
  return out / (1 + out);
}

// Spares may fail too: of n = replicas + spares, no more than the spares are out.
double chance_of_enough(double share, int replicas, int spares) {
  const int all = replicas + spares;
  double probability = std::pow(1 - share, all);  // The chance that none is out.
  double within = probability;
  for (int k = 1; k <= spares; ++k) {
    probability *= share / (1 - share) * (all - k + 1) / k;
    within += probability;
  }
  return within;
}

// The share of the time in which one of so many replicas is down for maintenance, one after
// another.
double share_in_maintenance(const Outages& outages, int all) {
  return std::min(1.0, all * outages.maintenance / kMonth.base());
}

// Nights of several replicas need fewer, and the simulated week has their maintenance. A lone
// replica is missed whenever it is down.
double lone_replica_there(const Outages& outages, double share, int spares) {
  const double in_maintenance = share_in_maintenance(outages, 1 + spares);
  const double beside_it = spares > 0 ? chance_of_enough(share, 1, spares - 1) : 0;
  return (1 - in_maintenance) * chance_of_enough(share, 1, spares) + in_maintenance * beside_it;
}

// With many replicas, the number that is out is about normal.
constexpr double kManyOut = 30;

int spares_for_failures(const Outages& outages, int replicas, int gpus_each) {
  const double share = share_out(outages, gpus_each);
  const bool is_maintained = outages.is_promised && outages.maintenance > 0;
  if ((share <= 0 && !is_maintained) || share >= 1) return 0;
  const double mean = share * replicas;
  if (mean > kManyOut) {
    const double beyond = normal_quantile(1 - outages.most_short);
    return static_cast<int>(std::ceil(mean / (1 - share) + beyond * std::sqrt(mean)));
  }
  constexpr int kMostPromised = 16;  // Beyond the replicas themselves.
  const int most = replicas + (outages.is_promised ? kMostPromised : 0);
  const bool counts_maintenance = outages.is_promised && replicas == 1;
  for (int spares = 0; spares < most; ++spares) {
    const double there = counts_maintenance ? lone_replica_there(outages, share, spares)
                                            : chance_of_enough(share, replicas, spares);
    if (1 - there <= outages.most_short) return spares;
  }
  return most;
}

}  // namespace

int spares_for(const Outages& outages, int replicas, int gpus_each) {
  int spares = spares_for_failures(outages, replicas, gpus_each);
  if (outages.zones < 2) return spares;
  const auto largest_zone = [&](int all) { return (all + outages.zones - 1) / outages.zones; };
  while (replicas + spares - largest_zone(replicas + spares) < replicas) ++spares;
  return spares;
}

double share_with_enough(const Outages& outages, int replicas, int spares, int gpus_each) {
  const double share = share_out(outages, gpus_each);
  if (replicas == 1) return lone_replica_there(outages, share, spares);
  if (share <= 0) return 1;
  const double mean = share * (replicas + spares);
  if (mean <= kManyOut) return chance_of_enough(share, replicas, spares);
  const double deviations = (spares + 0.5 - mean) / std::sqrt(mean * (1 - share));
  return 0.5 * std::erfc(-deviations / std::numbers::sqrt2);
}

FleetPools pools_of(const SizedDeployment& d) {
  FleetPools pools{.replicas = d.replicas, .gpus_each = d.plan.gpus()};
  if (!d.prompts) return pools;
  pools.prompt_replicas = d.prompts->replicas;
  pools.prompt_gpus_each = d.prompts->plan.gpus();
  return pools;
}

double share_with_enough(const Outages& outages, const FleetPools& pools, int spares) {
  const double answers = share_with_enough(outages, pools.replicas, spares, pools.gpus_each);
  if (pools.prompt_replicas == 0) return answers;
  return answers *
         share_with_enough(outages, pools.prompt_replicas, spares, pools.prompt_gpus_each);
}

int spares_for(const Outages& outages, const FleetPools& pools) {
  const int answers = spares_for(outages, pools.replicas, pools.gpus_each);
  if (pools.prompt_replicas == 0) return answers;
  int spares =
      std::max(answers, spares_for(outages, pools.prompt_replicas, pools.prompt_gpus_each));
  if (outages.is_promised && 1 - share_with_enough(outages, pools, spares) > outages.most_short)
    ++spares;  // Either pool keeps the promise with what it has; both do with one more of each.
  return spares;
}

int standing_by(const SizingProblem& problem, const FleetPools& pools) {
  const int for_failures =
      problem.spares >= 0 ? problem.spares : spares_for(problem.outages, pools);
  return for_failures + problem.outages.deployed;
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
                             int replica, double load) {
  const auto known = problem.prices.find(chip);
  if (known == problem.prices.end() || known->second.empty()) return nullptr;
  const auto cost = [&](const WayPrice& price) { return price.per_hour(gpus, replica, load); };
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
  d.spares = standing_by(problem, pools_of(d));
  d.gpus = (d.replicas + d.spares) * d.plan.gpus();
  if (d.prompts) d.gpus += (d.prompts->replicas + d.spares) * d.prompts->plan.gpus();
  const double mean = weeks.levels.front().mean;
  d.load_factor = mean / saturated_of(problem, d);
  const int replica = d.plan.gpus();
  const WayPrice* price =
      cheapest_way(problem, d.plan.choice.chip->name, d.gpus, replica, d.load_factor);
  d.has_price = price != nullptr;
  d.way = price != nullptr ? price->way : "";
  d.paid_gpus = price != nullptr ? price->paid(d.gpus, replica) : d.gpus;
  d.cost_per_hour = price != nullptr ? price->per_hour(d.gpus, replica, d.load_factor) : d.gpus;
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
    d.replicas = gpus / d.plan.gpus() - std::max(0, problem.spares) - problem.outages.deployed;
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

}  // namespace loadfactor::search
