// What the answer rests on: the scenario's own words and the catalogue's facts, with values.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "config/override.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {
namespace {

void add_leaves(const config::Document& document, const config::Node& node, const std::string& path,
                PlanAnswer& answer) {
  for (const auto& member : node.members)
    add_leaves(document, member.value, path.empty() ? member.key : path + "." + member.key, answer);
  for (std::size_t i = 0; i < node.items.size(); ++i)
    add_leaves(document, node.items[i], fmt::format("{}.{}", path, i), answer);
  const bool leaf = node.members.empty() && node.items.empty();
  if (!leaf || path == "loadfactor" || path == "name") return;
  const bool is_set = node.position.line >= config::kFirstOverrideLine;
  answer.assumptions.push_back(
      {path, node.scalar, "given", is_set ? "your command" : "your scenario", "",
       is_set ? "--set " + document.overrides[node.position.line - config::kFirstOverrideLine]
              : fmt::format("{}:{}", document.file, node.position.line)});
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
  Diagnostics unread;
  const ServingQuestion& asked = question.as_written();
  const auto document = config::parse_scenario(asked.file, asked.text, {}, unread);
  if (document) add_leaves(*document, document->root, "", answer);
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
