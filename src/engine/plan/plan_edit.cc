#include "engine/plan/plan_edit.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/plan/plan_scenario.h"

namespace loadfactor::engine {
namespace {

struct Period {
  std::string_view key;
  double seconds = 1;
};
constexpr Period kPeriods[] = {{"requests_per_second", 1},
                               {"requests_per_hour", 3600},
                               {"requests_per_day", 86400},
                               {"requests_per_month", 730 * 3600.0}};

// Whole numbers without an exponent, others with nine digits.
std::string number_text(double value) {
  const double whole = std::round(value);
  const bool is_whole = std::abs(value - whole) < 1e-9 * std::abs(value) && std::abs(value) < 1e15;
  return is_whole ? fmt::format("{:.0f}", whole) : fmt::format("{:.9g}", value);
}

const config::Node* member(const config::Node* map, std::string_view key) {
  if (map == nullptr) return nullptr;
  for (const auto& each : map->members)
    if (each.key == key) return &each.value;
  return nullptr;
}

// The key of the demand that the scenario writes its rate under.
const Period* period_of(const PlanQuestion& question) {
  const ServingQuestion& written = question.as_written();
  Diagnostics unread;
  const auto document = config::parse_scenario(written.file, written.text, {}, unread);
  if (!document) return nullptr;
  const config::Node* demand = member(member(&document->root, "serve"), "demand");
  for (const Period& period : kPeriods)
    if (member(demand, period.key) != nullptr) return &period;
  return nullptr;
}

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
  return fmt::format("serve.slo.{}_p{:.0f}={} ms", metric, 100 * bound->quantile,
                     number_text(2000 * bound->most.value.base()));
}

}  // namespace

std::string traffic_edit(const PlanQuestion& question, double factor) {
  const Period* period = period_of(question);
  const auto scenario = scenario_of(question.as_written());
  if (period == nullptr || !scenario || !scenario->serve || !scenario->serve->demand) return {};
  const auto& requests = scenario->serve->demand->requests;
  if (!requests) return {};
  return fmt::format("serve.demand.{}={}", period->key,
                     number_text(requests->value.base() * period->seconds * factor));
}

std::string relaxation_edit(const PlanQuestion& question, const RelaxRow& row) {
  const auto scenario = scenario_of(question.as_written());
  if (!scenario || !scenario->serve) return {};
  switch (row.what) {
    case Relaxation::kFirstToken:
      return twice(bound_of(*scenario, config::SloMetric::kTimeToFirstToken), "ttft");
    case Relaxation::kNextToken:
      return twice(bound_of(*scenario, config::SloMetric::kTimePerOutputToken), "tpot");
    case Relaxation::kContext: {
      const auto& demand = scenario->serve->demand;
      if (!demand || !demand->tokens_in) return {};
      return fmt::format("serve.demand.tokens_in={}",
                         number_text(std::round(demand->tokens_in->value.base() / 2)));
    }
    case Relaxation::kPrecision:
      return "serve.precision=" + (row.precision == "16 bits" ? "bf16" : row.precision);
  }
  return {};
}

std::string hardware_edit(const std::string& accelerator) {
  return fmt::format("hardware=[{}]", accelerator);
}

}  // namespace loadfactor::engine
