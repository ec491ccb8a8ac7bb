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

constexpr double kStep = 1.15;    // Between the multiples that are tried one after the other.
constexpr double kWidth = 1.002;  // How near the flip is then found.

}  // namespace

TrafficPlans::TrafficPlans(const Core& engine, const PlanInputs& question, const SizeAnswer& found,
                           const ServingPlanner& planner, int present)
    : engine_(engine),
      found_(found),
      planner_(planner),
      limits_(limits_of(question)),
      present_(present) {}

// The cheapest way to pay for one fleet, where it is cheaper than what is known.
void TrafficPlans::price(const ResizedRow& row, TrafficAnswer& answer) const {
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

TrafficAnswer TrafficPlans::at(double traffic) const {
  TrafficAnswer answer;
  std::vector<int> least;
  for (const auto& row : found_.at_traffic(traffic)) {
    const auto chip = engine_.catalog().find_accelerator(row.accelerator);
    const bool is_beyond = (limits_.gpus && row.gpus > limits_.gpus->value) ||
                           (chip && power_objection(engine_.catalog(), **chip, row.gpus, limits_));
    if (is_beyond) continue;
    least.push_back(row.gpus);
    price(row, answer);
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
std::optional<PlanFlip> TrafficPlans::first_flip(PlanDecision now, double step) const {
  const double last = step > 1 ? kWidestChange : 1 / kWidestChange;
  double near = 1;
  while (near != last) {
    double far = step > 1 ? std::min(last, near * step) : std::max(last, near * step);
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

std::vector<PlanFlip> TrafficPlans::flips(PlanDecision now) const {
  std::vector<PlanFlip> found;
  const bool by_api = now == PlanDecision::kUseApi;
  if (by_api || present_ > 0)
    if (const auto up = first_flip(now, kStep)) found.push_back(*up);
  if (!by_api)
    if (const auto down = first_flip(now, 1 / kStep)) found.push_back(*down);
  return found;
}

}  // namespace loadfactor::engine
