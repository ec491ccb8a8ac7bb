#include "search/trial_weeks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "serving/load_factor.h"

namespace loadfactor::search {
namespace {

// What is missed of the first tokens, or of the next ones, by replicas of one kind. Without a
// curve all is kept up to the rate of a replica.
struct Missed {
  double first = 0;
  double each = 0;
};
Missed missed_at(const serving::MissCurve& curve, double rate, double held) {
  if (curve.empty()) {
    const double missed = rate <= held * (1 + 1e-9) ? 0 : 1;
    return {missed, missed};
  }
  const auto sample = curve.at(Hertz::from_base(rate));
  return {sample.first, sample.each};
}

Missed missed_by(const SizedDeployment& d, double rate) {
  Missed missed = missed_at(d.misses, rate / d.replicas, d.rate);
  if (d.prompts)
    missed.first = missed_at(d.prompts->misses, rate / d.prompts->replicas, d.prompts->rate).first;
  return missed;
}

// Requests of a week that are late, in the units of its total.
Missed missed_in(const WeekLevels& week, const SizedDeployment& d, double scale) {
  Missed sum;
  for (const auto& level : week.levels) {
    const Missed missed = missed_by(d, level.rate * scale);
    sum.first += level.requests * missed.first;
    sum.each += level.requests * missed.each;
  }
  return sum;
}

bool keeps(const WeekLevels& week, const SizedDeployment& d, double scale) {
  const Missed missed = missed_in(week, d, scale);
  constexpr double kRounding = 1e-9;
  return missed.first <= (d.allowed.first + kRounding) * week.total &&
         missed.each <= (d.allowed.each + kRounding) * week.total;
}

// The fewest of one pool, the other left out of account.
int fewest(const Weeks& weeks, const SizedDeployment& alone, double scale) {
  double peak = 0;
  for (const auto& week : weeks.levels)
    for (const auto& level : week.levels) peak = std::max(peak, level.rate * scale);
  SizedDeployment d = alone;
  int low = 1;
  int high = static_cast<int>(
      std::clamp(std::ceil(peak / alone.rate) + 1, 1.0, serving::kMostReplicas + 1.0));
  while (low < high) {
    d.replicas = low + (high - low) / 2;
    if (weeks_kept(weeks, d, scale) >= kWeeksToKeep)
      high = d.replicas;
    else
      low = d.replicas + 1;
  }
  return low;
}

}  // namespace

Weeks::Weeks(std::vector<std::vector<double>> of) : rates(std::move(of)) {
  for (const auto& week : rates) levels.push_back(levels_of(week));
}

int weeks_kept(const Weeks& weeks, const SizedDeployment& d, double scale) {
  int kept = 0;
  for (const auto& week : weeks.levels) kept += keeps(week, d, scale) ? 1 : 0;
  return weeks.levels.size() == 1 ? kept * kTrialWeeks : kept;
}

double overrun(const WeekLevels& week, const SizedDeployment& d, double scale) {
  if (week.total <= 0) return 0;
  const Missed missed = missed_in(week, d, scale);
  const double first = d.allowed.first > 0 ? missed.first / d.allowed.first : 0;
  const double each = d.allowed.each > 0 ? missed.each / d.allowed.each : 0;
  return std::max(first, each) / week.total;
}

double share_within(const Weeks& weeks, const SizedDeployment& d) {
  const WeekLevels& week = weeks.levels.front();
  double within = 0;
  for (const auto& level : week.levels) {
    const Missed missed = missed_by(d, level.rate);
    within += level.requests * (1 - missed.first) * (1 - missed.each);
  }
  return week.total > 0 ? within / week.total : 1;
}

double most_mean(const Weeks& weeks, const SizedDeployment& d) {
  std::vector<double> most;
  constexpr int kHalvings = 10;
  const double full = d.full_rate();
  for (const auto& week : weeks.levels) {
    if (week.mean <= 0) continue;
    double low = 0;
    double high = full / week.mean;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (low + high);
      (keeps(week, d, middle) ? low : high) = middle;
    }
    most.push_back(low * week.mean);
  }
  if (most.empty()) return 0;
  std::sort(most.begin(), most.end(), std::greater<>());
  return most[most.size() == 1 ? 0 : std::min<std::size_t>(kWeeksToKeep - 1, most.size() - 1)];
}

int fewest_answers(const Weeks& weeks, const SizedDeployment& d, double scale) {
  SizedDeployment alone = d;
  alone.prompts.reset();
  if (d.prompts) alone.allowed.first = 1;
  return fewest(weeks, alone, scale);
}

int fewest_prompts(const Weeks& weeks, const SizedDeployment& d, double scale) {
  SizedDeployment alone{.plan = d.prompts->plan};
  alone.rate = d.prompts->rate;
  alone.misses = d.prompts->misses;
  alone.allowed = {.first = d.allowed.first, .each = 1};
  return fewest(weeks, alone, scale);
}

}  // namespace loadfactor::search
