#include "engine/plan/plan_traffic.h"

#include <algorithm>
#include <cmath>

#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_limits.h"
#include "resolve/model/node_power.h"

namespace loadfactor::engine {
namespace {

// Between the multiples that are tried one after the other: small near today's traffic, where a
// narrow flip matters most.
constexpr double kStep = 1.15;
constexpr double kSmallStep = 1.03;
constexpr double kNear = 1.6;     // Up to here by small steps.
constexpr double kWidth = 1.002;  // How near the flip is then found.

// The next multiple, upwards or downwards.
double beyond(double near, bool upwards) {
  const double step = std::max(near, 1 / near) < kNear ? kSmallStep : kStep;
  constexpr double kLast = TrafficPlans::kWidestChange;
  return upwards ? std::min(kLast, near * step) : std::max(1 / kLast, near / step);
}

}  // namespace

TrafficPlans::TrafficPlans(const Core& engine, const PlanInputs& question, const SizeAnswer& found,
                           const ServingPlanner& planner, int present)
    : engine_(engine),
      found_(found),
      planner_(planner),
      limits_(limits_of(question)),
      present_(present) {}

// The cheapest way to pay for one fleet, where it is cheaper than what is known.
void TrafficPlans::price(const ResizedRow& row, ServiceOutcome& answer) const {
  const auto& rows = planner_.rows();
  const auto priced = std::find_if(rows.begin(), rows.end(), [&](const PricedRow& each) {
    return each.row->accelerator == row.accelerator;
  });
  if (priced == rows.end()) return;
  CostInputs request = priced->request;
  request.capacity = KnownCapacity{.gpus = static_cast<double>(row.gpus),
                                   .full_plane = row.full_plane,
                                   .load_factor = row.load_factor,
                                   .busy_by_hour = row.busy_by_hour,
                                   .source = "fill",
                                   .replica = static_cast<double>(row.replica),
                                   .on = row.on};
  Diagnostics unread;
  const auto setup = make_cost_setup(request, engine_.catalog(), unread);
  if (!setup) return;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  for (const auto& option : figures.all()) {
    const Dollars cost = monthly(option.cost);
    if (option.kind == OptionKind::kApi) {
      answer.api = answer.api ? std::min(*answer.api, cost) : cost;
      continue;
    }
    if (answer.machines && cost >= answer.per_month) continue;
    answer.machines = PaidMachines{.kind = option.kind,
                                   .name = option_name(*setup, option),
                                   .accelerator = row.accelerator,
                                   .gpus = row.gpus,
                                   .paid = option.gpus,
                                   .owned = option.owned,
                                   .reserved = option.reserved};
    answer.load_factor = option.load_factor;
    answer.per_month = cost;
  }
}

ServiceOutcome TrafficPlans::at(double traffic) const {
  ServiceOutcome answer;
  std::vector<int> least;
  for (const auto& row : found_.at_traffic(traffic)) {
    const auto chip = engine_.catalog().find_accelerator(row.accelerator);
    const bool is_beyond = (limits_.gpus && row.gpus > limits_.gpus->value) ||
                           (chip && power_objection(engine_.catalog(), **chip, row.gpus, limits_));
    if (is_beyond) continue;
    least.push_back(row.gpus);
    price(row, answer);
  }
  // Where no machines are within the limits, tokens still cost what they do today.
  if (!answer.api && traffic != 1) {
    const auto today = at(1).api;
    if (today) answer.api = *today * traffic;
  }
  const bool by_api = answer.api && (!answer.machines || *answer.api < answer.per_month);
  if (by_api)
    answer.decision = PlanDecision::kUseApi;
  else if (answer.machines)
    answer.decision = serving_decision(answer.machines->gpus, present_, least);
  if (!least.empty()) answer.fewest_gpus = *std::min_element(least.begin(), least.end());
  const Dollars cost = by_api ? *answer.api : answer.per_month;
  if (limits_.budget && cost > limits_.budget->value) answer.decision = PlanDecision::kNotFeasible;
  return answer;
}

bool TrafficPlans::is_same(PlanDecision a, PlanDecision b) const {
  const auto kind = [&](PlanDecision decision) {
    return present_ == 0 && decision == PlanDecision::kOneBiggerGpu ? PlanDecision::kScaleUp
                                                                    : decision;
  };
  return kind(a) == kind(b);
}

// A flip is bracketed by steps and then halved down.
std::optional<PlanFlip> TrafficPlans::first_flip(PlanDecision now, bool upwards,
                                                 double from) const {
  const double last = upwards ? kWidestChange : 1 / kWidestChange;
  double near = from;
  while (upwards ? near < last : near > last) {
    double far = beyond(near, upwards);
    PlanDecision then = at(far).decision;
    if (is_same(then, now)) {
      near = far;
      continue;
    }
    while (std::max(far / near, near / far) > kWidth) {
      const double middle = std::sqrt(near * far);
      const PlanDecision there = at(middle).decision;
      if (is_same(there, now)) {
        near = middle;
      } else {
        far = middle;
        then = there;
      }
    }
    return PlanFlip{far, then};
  }
  return std::nullopt;
}

namespace {

constexpr double kSide = 1.019;  // Plans on either side of a flip are no farther apart.
constexpr double kPlanned = 2;   // Farther from today's traffic a flip is a rough one.
constexpr double kOn = 1.15;     // Where plans do not flip yet, they are tried farther out.
constexpr int kMostPlans = 4;    // In one direction: each is a search and a simulation.

double ratio(double a, double b) {
  return std::max(a / b, b / a);
}

}  // namespace

// What the closed form finds is planned on both sides. Where plans say otherwise, the flip lies
// nearer to today, and is halved down to, or farther out.
FlipSearch TrafficPlans::planned_flip(PlanDecision now, bool upwards,
                                      const ReplannedAt& replanned) const {
  const auto out = [&](double from, double by) { return upwards ? from * by : from / by; };
  double same = 1;  // Planned, and as today.
  double from = 1;
  PlanFlip flip;
  const auto flips_at = [&](double traffic) {
    const auto decision = replanned(traffic);
    const bool other = decision && !is_same(*decision, now);
    if (other) flip = {traffic, *decision};
    return other;
  };
  for (int plans = 0; plans < kMostPlans; ++plans) {
    const auto guess = first_flip(now, upwards, from);
    if (!guess) return {};
    if (ratio(guess->traffic, 1) > kPlanned) {
      PlanFlip rough = *guess;
      rough.is_rough = true;
      return {.flip = rough};
    }
    const double beyond_it = out(guess->traffic, std::sqrt(kSide));
    if (!flips_at(beyond_it)) {
      same = beyond_it;
      from = out(same, kOn);
      continue;
    }
    double middle = out(flip.traffic, 1 / kSide);
    while (ratio(flip.traffic, same) > kSide * (1 + 1e-9)) {
      if (++plans > kMostPlans) {
        flip.is_rough = true;
        return {.flip = flip};
      }
      if (ratio(middle, same) >= ratio(flip.traffic, same)) middle = std::sqrt(same * flip.traffic);
      if (!flips_at(middle)) same = middle;
      middle = std::sqrt(same * flip.traffic);
    }
    return {.flip = flip};
  }
  return {.gave_up = true};
}

std::optional<std::vector<PlanFlip>> TrafficPlans::flips(PlanDecision now,
                                                         const ReplannedAt& replanned) const {
  std::vector<PlanFlip> found;
  bool gave_up = false;
  // Machines are whole, so that less traffic may bring them back, and more of it the API.
  for (const bool upwards : {true, false}) {
    const FlipSearch search = planned_flip(now, upwards, replanned);
    gave_up = gave_up || search.gave_up;
    if (search.flip) found.push_back(*search.flip);
  }
  if (gave_up && found.empty()) return std::nullopt;
  return found;
}

}  // namespace loadfactor::engine
