// The rate that a replica keeps, by simulation of a few. Candidates are simulated two at a time, or
// on the processes of a crew, each of which gets what the others found.
#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_string.h"
#include "base/crew.h"
#include "base/workers.h"
#include "demand/generate.h"
#include "search/fleet_memory.h"
#include "search/serving_settle.h"
#include "search/serving_weeks.h"

namespace loadfactor::search {
namespace {

demand::TrafficModel flat(const demand::TrafficModel& model, double rate) {
  demand::TrafficModel still = model;
  still.day = still.half_day = demand::Wave();
  still.weekend = 1;
  still.week.clear();
  still.day_sigma = 0;
  still.slow = demand::LogNoise();
  still.on_off = demand::OnOff();
  still.sessions = demand::Sessions();
  return demand::scaled_to(still, Hertz::from_base(rate));
}

// A few replicas of it, with as many of prompts for each.
SizedDeployment few_of(const SizedDeployment& d) {
  SizedDeployment few = d;
  few.replicas = std::clamp(d.replicas, 1, 4);
  if (d.prompts)
    few.prompts->replicas =
        std::max(1, static_cast<int>(std::lround(static_cast<double>(d.prompts->replicas) *
                                                 few.replicas / std::max(1, d.replicas))));
  return few;
}

// What a few replicas of a candidate kept and missed.
struct RateTrial {
  double kept = 0;       // The most requests per second; 0: none.
  double expected = 0;   // By the closed form.
  double saturated = 0;  // What they do when they always have a queue.
  std::int64_t requests = 0;
  std::vector<serving::MissSample> samples;

  // As a function of the rate of one replica of a pool.
  serving::MissCurve misses(int replicas) const {
    std::vector<serving::MissSample> each = samples;
    Hertz full = Hertz::from_base(saturated / replicas);
    for (auto& sample : each) {
      sample.rate = sample.rate / static_cast<double>(replicas);
      full = std::max(full, 1.02 * sample.rate);
    }
    return serving::MissCurve(std::move(each), full);
  }
};

std::string packed(const RateTrial& trial) {
  std::string bytes;
  for (const double value : {trial.kept, trial.expected, trial.saturated}) put_value(bytes, value);
  put_value(bytes, trial.requests);
  put_list(bytes, trial.samples);
  return bytes;
}

RateTrial unpacked_trial(std::string_view bytes) {
  RateTrial trial;
  for (double* value : {&trial.kept, &trial.expected, &trial.saturated})
    *value = take_value<double>(bytes);
  trial.requests = take_value<std::int64_t>(bytes);
  trial.samples = take_list<serving::MissSample>(bytes);
  return trial;
}

// Measures what a few replicas of a candidate keep and miss under random arrivals.
class RateFinder {
 public:
  RateFinder(const SizingProblem& problem, const SizedDeployment& few)
      : problem_(problem), fleet_(problem, few), few_(few) {
    saturated_ = few_.full_rate();
    expected_ = few_.rate * few_.replicas;
    if (few_.prompts) expected_ = std::min(expected_, few_.prompts->rate * few_.prompts->replicas);
  }

  RateTrial trial() {
    const double kept = find();
    return {.kept = kept,
            .expected = expected_,
            .saturated = saturated_,
            .requests = requests_,
            .samples = std::move(samples_)};
  }

 private:
  // The most requests per second that are kept, by steps away from the closed form and then by
  // halving; 0 where none.
  double find() {
    constexpr int kRounds = 6;
    constexpr double kStep = 1.15;
    constexpr double kClose = 1.03;
    double low = 0;
    double high = saturated_;
    double offered = std::min(expected_, 0.999 * saturated_);
    for (int round = 0; round < kRounds; ++round) {
      if (problem_.is_stopped()) return 0;
      (run(offered) ? low : high) = offered;
      if (low == 0)
        offered = std::max(offered / kStep / kStep, 1e-3 * saturated_);
      else if (high >= saturated_)
        offered = std::min(offered * kStep, 0.999 * saturated_);
      else
        offered = 0.5 * (low + high);
      if (low > 0 && high < saturated_ && high / low < kClose) break;
    }
    if (low <= 0) low = find_far_below(high);
    if (low <= 0) return 0;
    // What a quiet hour and a busy one miss, on either side of it.
    run(0.6 * low);
    if (1.15 * low < 0.97 * saturated_) run(std::min(1.3 * low, 0.5 * (low + saturated_)));
    return low;
  }

  // Far below what the closed form expects: there prompts hardly ever meet. 0 where even hardly
  // any requests are late.
  double find_far_below(double high) {
    constexpr double kStep = 4;
    constexpr int kRefinements = 3;
    const double least = 1e-3 * saturated_;
    double low = 0;
    while (low == 0 && high > least && !problem_.is_stopped()) {
      const double offered = std::max(high / kStep, least);
      (run(offered) ? low : high) = offered;
    }
    for (int i = 0; i < kRefinements && low > 0 && !problem_.is_stopped(); ++i) {
      const double offered = std::sqrt(low * high);
      (run(offered) ? low : high) = offered;
    }
    return low;
  }

  bool run(double offered) {
    const double requests = fleet_.is_quick() ? 20'000 : 5'000;
    const demand::TrafficModel still = flat(problem_.model, offered);
    FleetQuestion ask = ask_of(problem_, few_, requests / offered);
    ask.model = &still;
    ask.seed = problem_.seed + 500 + samples_.size();
    ask.is_one_of_many = true;
    const FleetRun run = fleet_.run(ask);
    requests_ += run.requests;
    samples_.push_back(
        {.rate = Hertz::from_base(offered), .first = run.first_missed, .each = run.each_missed});
    return run.kept;
  }

  const SizingProblem& problem_;
  SimulatedFleet fleet_;
  SizedDeployment few_;
  double saturated_ = 0;
  double expected_ = 0;
  std::vector<serving::MissSample> samples_;
  std::int64_t requests_ = 0;
};

RateTrial tried(const SizingProblem& problem, const SizedDeployment& d) {
  return RateFinder(problem, few_of(d)).trial();
}

SimulatedRate rate_of(const RateTrial& trial, const SizedDeployment& few) {
  SimulatedRate rate{.factor = trial.kept / trial.expected, .misses = {}, .prompt_misses = {}};
  if (trial.kept > 0) rate.misses = trial.misses(few.replicas);
  if (trial.kept > 0 && few.prompts) rate.prompt_misses = trial.misses(few.prompts->replicas);
  return rate;
}

// From memory where it is known.
SimulatedRate simulated_rate(const SizingProblem& problem, const SizedDeployment& d,
                             SizingAnswer& answer) {
  const SizedDeployment few = few_of(d);
  if (problem.memory)
    if (auto known = problem.memory->rate(few)) return *std::move(known);
  const RateTrial trial = tried(problem, d);
  answer.simulated_requests += trial.requests;
  SimulatedRate rate = rate_of(trial, few);
  if (problem.memory && !problem.is_stopped()) problem.memory->keep(few, rate);
  return rate;
}

// Sizes a candidate by what a simulation found.
void take_rate(const SizingProblem& problem, const Weeks& weeks, const SimulatedRate& rate,
               SizedDeployment& d) {
  d.is_calibrated = rate.factor > 0;
  d.rate *= rate.factor;
  if (d.prompts) d.prompts->rate *= rate.factor;
  if (rate.factor <= 0) return;
  if (!d.misses.empty()) d.misses = rate.misses;
  if (d.prompts && !d.prompts->misses.empty()) d.prompts->misses = rate.prompt_misses;
  size_by_rate(problem, weeks, d);
}

void calibrate_with_crew(const SizingProblem& problem, const Weeks& weeks,
                         std::vector<SizedDeployment>& deployments, SizingAnswer& answer) {
  const auto trials = problem.crew->share(deployments.size(), [&](std::int64_t i) {
    return packed(tried(problem, deployments[static_cast<std::size_t>(i)]));
  });
  for (std::size_t i = 0; i < deployments.size() && !problem.is_stopped(); ++i) {
    const RateTrial trial = unpacked_trial(trials[i]);
    answer.simulated_requests += trial.requests;
    take_rate(problem, weeks, rate_of(trial, few_of(deployments[i])), deployments[i]);
  }
}

}  // namespace

void calibrate_rate(const SizingProblem& problem, const Weeks& weeks, SizedDeployment& d,
                    SizingAnswer& answer) {
  take_rate(problem, weeks, simulated_rate(problem, d, answer), d);
}

void calibrate_rates(const SizingProblem& problem, const Weeks& weeks,
                     std::vector<SizedDeployment>& deployments, SizingAnswer& answer) {
  if (problem.is_shared()) return calibrate_with_crew(problem, weeks, deployments, answer);
  const auto one = [&](SizedDeployment& d) {
    SizingAnswer counted;
    calibrate_rate(problem, weeks, d, counted);
    return counted.simulated_requests;
  };
  for (std::size_t i = 0; i < deployments.size() && !problem.is_stopped(); i += 2) {
    std::future<std::int64_t> concurrent;
    if (i + 1 < deployments.size())
      concurrent = done_beside([&, i] { return one(deployments[i + 1]); });
    answer.simulated_requests += one(deployments[i]);
    if (concurrent.valid()) answer.simulated_requests += concurrent.get();
  }
}

}  // namespace loadfactor::search
