// What the answer rests on: the scenario's own words and the catalogue's facts, with values.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {
namespace {

void add_written(const config::Scenario& scenario, PlanAnswer& answer) {
  if (!scenario.source) return;
  const auto& source = *scenario.source;
  for (const auto& value : source.values) {
    if (value.path == "loadfactor" || value.path == "name") continue;
    const bool is_set = value.position.giver == config::Giver::kSet;
    answer.assumptions.push_back({value.path, value.text, "given",
                                  is_set ? "your command" : "your scenario", "",
                                  is_set ? "--set " + source.assignments[value.position.line - 1]
                                         : fmt::format("{}:{}", source.file, value.position.line)});
  }
}

std::string fact_value(const catalog::Fact& fact) {
  return fmt::format("{} {}", fmt::format("{:.6g}", fact.value), fact.unit);
}

// The figure of a fact, by the name under which it was recorded.
std::string value_of(const catalog::Catalog& catalog, const PlanAnswer& answer,
                     const UsedFact& used) {
  if (answer.cost)
    for (const auto& price : answer.cost->prices)
      if (price.what == used.what) return price.price;
  for (const auto* table : {&catalog.facility(), &catalog.hazards()})
    for (const auto& fact : *table)
      if (used.what == fact.name || used.what == fmt::format("{} ({})", fact.name, fact.variant))
        return fact_value(fact);
  const auto of = used.what.rfind(" of ");
  if (of == std::string::npos) return {};
  const auto chip = catalog.find_accelerator(used.what.substr(of + 4));
  if (!chip) return {};
  if (used.what.starts_with("memory")) return format_display(any((*chip)->memory.nominal), 4);
  if (used.what.starts_with("links")) return format_display(any((*chip)->scale_up.bandwidth), 4);
  return {};
}

}  // namespace

void add_assumptions(const catalog::Catalog& catalog, const PlanQuestion& question,
                     PlanAnswer& answer) {
  add_written(question.as_written(), answer);
  for (const auto& fact : answer.facts) {
    const bool known = std::any_of(
        answer.assumptions.begin(), answer.assumptions.end(),
        [&](const auto& other) { return other.what == fact.what && other.where == fact.where; });
    if (known) continue;
    answer.assumptions.push_back({fact.what, value_of(catalog, answer, fact), fact.kind,
                                  fact.source, fact.date, fact.where});
  }
}

void add_links(const catalog::Catalog& catalog, PlanMachine& machine) {
  const auto chip = catalog.find_accelerator(machine.accelerator);
  if (!chip) return;
  const auto words = [](const std::string& name, BytesPerSecond bandwidth) {
    return fmt::format("{}, {} per GPU and direction", name, format_display(any(bandwidth), 3));
  };
  const auto& up = (*chip)->scale_up;
  if (!up.link.empty()) machine.link_words = words(up.link, up.bandwidth);
  const auto& out = (*chip)->scale_out;
  if (out) machine.fabric_words = words(out->fabric, out->bandwidth);
}

}  // namespace loadfactor::engine
