#include "engine/plan/plan_edit.h"

#include <cmath>

#include <fmt/format.h>

#include "loadfactor/scenario.h"

namespace loadfactor::engine {
namespace {

// The only bound of a kind; nothing where there are several.
const config::SloBound* bound_of(const config::Scenario& scenario, config::SloMetric metric) {
  const config::SloBound* found = nullptr;
  if (!scenario.serve || !scenario.serve->slo) return nullptr;
  for (const auto& bound : scenario.serve->slo->bounds) {
    if (bound.metric != metric) continue;
    if (found != nullptr) return nullptr;
    found = &bound;
  }
  return found;
}

std::string twice(const config::SloBound* bound, std::string_view metric) {
  if (bound == nullptr) return {};
  return config::to_set_text({fmt::format("serve.slo.{}_p{:.0f}", metric, 100 * bound->quantile),
                              any(bound->most.value * 2.0)});
}

}  // namespace

std::string traffic_edit(const PlanQuestion& question, double factor) {
  const config::Scenario& scenario = question.as_written();
  if (!scenario.serve || !scenario.serve->demand) return {};
  const config::Demand& demand = *scenario.serve->demand;
  if (!demand.requests || !demand.tokens_in || !demand.tokens_out) return {};
  std::string text =
      fmt::format("serve.demand={{requests_per_second: {:.9g}, tokens_in: {:.9g}, ",
                  demand.requests->value.base() * factor, demand.tokens_in->value.base());
  text += fmt::format("tokens_out: {:.9g}", demand.tokens_out->value.base());
  if (demand.shape) text += ", shape: " + demand.shape->value;
  return text + "}";
}

std::string relaxation_edit(const PlanQuestion& question, const RelaxRow& row) {
  const config::Scenario& scenario = question.as_written();
  if (!scenario.serve) return {};
  switch (row.what) {
    case Relaxation::kFirstToken:
      return twice(bound_of(scenario, config::SloMetric::kTimeToFirstToken), "ttft");
    case Relaxation::kNextToken:
      return twice(bound_of(scenario, config::SloMetric::kTimePerOutputToken), "tpot");
    case Relaxation::kContext: {
      const auto& demand = scenario.serve->demand;
      if (!demand || !demand->tokens_in) return {};
      const std::int64_t half = std::llround(demand->tokens_in->value.base() / 2);
      return config::to_set_text({"serve.demand.tokens_in", half});
    }
    case Relaxation::kPrecision:
      return config::to_set_text(
          {"serve.precision", row.precision == "16 bits" ? std::string("bf16") : row.precision});
  }
  return {};
}

std::string hardware_edit(const std::string& accelerator) {
  return config::to_set_text({"hardware", std::vector<std::string>{accelerator}});
}

}  // namespace loadfactor::engine
