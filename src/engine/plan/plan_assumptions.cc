// What the answer rests on: the scenario's own words and the catalogue's facts, with values.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "catalog/load/entry_reader.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {
namespace {

void add_written(const config::Scenario& scenario, PlanAnswer& answer) {
  if (!scenario.source) return;
  const auto& source = *scenario.source;
  for (const auto& value : source.values) {
    if (value.path == "loadfactor" || value.path == "name") continue;
    const bool is_set = value.position.giver == config::Giver::kSet;
    const std::string set = is_set ? source.assignments[value.position.line - 1] : std::string();
    answer.assumptions.push_back(
        {.what = value.path,
         .value = value.text,
         .basis = "given",
         .source = is_set ? "your command" : "your scenario",
         .date = {},
         .where = is_set ? "--set " + set : fmt::format("{}:{}", source.file, value.position.line),
         .is_given = true,
         .set = set});
  }
}

}  // namespace

PlanAssumption assumption_of(const UsedFact& fact) {
  return {.what = fact.what,
          .value = fact.value,
          .basis = fact.kind,
          .source = fact.source,
          .date = fact.date,
          .where = fact.where,
          .is_assumed = fact.kind == catalog::text_of(catalog::SourceKind::kAssumed),
          .id = fact.id};
}

void add_assumptions(const PlanInputs& question, PlanAnswer& answer) {
  add_written(question.as_written(), answer);
  for (const auto& fact : answer.facts) {
    const bool known = std::any_of(
        answer.assumptions.begin(), answer.assumptions.end(),
        [&](const auto& other) { return other.what == fact.what && other.where == fact.where; });
    if (!known) answer.assumptions.push_back(assumption_of(fact));
  }
}

void add_links(const catalog::Catalog& catalog, PlanMachine& machine) {
  const auto chip = catalog.find_accelerator(machine.accelerator);
  if (!chip) return;
  const auto& up = (*chip)->scale_up;
  if (!up.link.empty()) machine.link = PlanLink{up.link, up.bandwidth};
  const auto& out = (*chip)->scale_out;
  if (out) machine.fabric = PlanLink{out->fabric, out->bandwidth};
}

}  // namespace loadfactor::engine
