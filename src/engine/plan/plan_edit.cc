#include "engine/plan/plan_edit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "config/scenario/scenario_words.h"
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

std::optional<config::Edit> twice(const config::SloBound* bound, std::string_view metric) {
  if (bound == nullptr) return std::nullopt;
  return config::Edit{fmt::format("serve.slo.{}_p{:.0f}", metric, 100 * bound->quantile),
                      any(bound->most.value * 2.0)};
}

// Nine digits say a rate well enough, and read better than all of them.
double nine_digits(double value) {
  return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

}  // namespace

std::optional<config::Edit> traffic_edit(const PlanInputs& question, double factor) {
  const config::Scenario& scenario = question.as_written();
  if (!scenario.serve || !scenario.serve->demand) return std::nullopt;
  const config::Demand& demand = *scenario.serve->demand;
  if (demand.trace) {
    const double scale = demand.scale ? demand.scale->value : 1;
    return config::Edit{"serve.demand.scale", nine_digits(scale * factor)};
  }
  if (!demand.requests) return std::nullopt;
  const double rate = demand.requests->value.base() * factor;
  if (!scenario.source) return config::Edit{"serve.demand.requests_per_second", nine_digits(rate)};
  const auto& written = scenario.source->values;
  for (const config::Period& period : config::kPeriods) {
    const std::string path = fmt::format("serve.demand.{}", period.key);
    const bool is_written = std::any_of(written.begin(), written.end(),
                                        [&](const auto& value) { return value.path == path; });
    if (is_written) return config::Edit{path, nine_digits(rate * period.seconds)};
  }
  return std::nullopt;
}

std::optional<config::Edit> relaxation_edit(const PlanInputs& question, const RelaxRow& row) {
  const config::Scenario& scenario = question.as_written();
  if (!scenario.serve) return std::nullopt;
  switch (row.what) {
    case Relaxation::kFirstToken:
      return twice(bound_of(scenario, config::SloMetric::kTimeToFirstToken), "ttft");
    case Relaxation::kNextToken:
      return twice(bound_of(scenario, config::SloMetric::kTimePerOutputToken), "tpot");
    case Relaxation::kContext: {
      const auto& demand = scenario.serve->demand;
      if (!demand || !demand->tokens_in) return std::nullopt;
      const double half = std::round(demand->tokens_in->value.base() / 2);
      return config::Edit{"serve.demand.tokens_in", any(Tokens::from_base(half))};
    }
    case Relaxation::kPrecision:
      return config::Edit{"serve.precision",
                          row.precision == "16 bits" ? std::string("bf16") : row.precision};
  }
  return std::nullopt;
}

RunChange run_change(const config::Scenario& scenario, const TrainAnswer& run) {
  RunChange change;
  const auto add = [&](config::Edit edit) {
    change.sets.push_back(config::to_set_text(edit));
    change.edits.push_back(std::move(edit));
  };
  add({"hardware", std::vector<std::string>{run.accelerator}});
  if (scenario.limits.gpus && run.layout.gpus > scenario.limits.gpus->value)
    add({"limits.gpus", std::int64_t{run.layout.gpus}});
  const bool is_there = scenario.train->layout && scenario.train->layout->gpus;
  for (const auto& edit : run.layout_edits)
    if (is_there || edit.path != "train.layout.gpus") change.edits.push_back(edit);
  std::string keys = run.layout_keys;
  const std::string count = fmt::format("gpus: {}, ", run.layout.gpus);
  if (!is_there && keys.starts_with(count)) keys.erase(0, count.size());
  change.sets.push_back(fmt::format("train.layout={{{}}}", keys));
  return change;
}

}  // namespace loadfactor::engine
