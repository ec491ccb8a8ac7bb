#include "config/reading/scenario_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/error_codes.h"
#include "config/currency.h"
#include "config/override.h"
#include "config/reading/scenario_sections.h"
#include "config/schema.h"

namespace loadfactor::config {
namespace {

std::vector<Name> read_hardware(MapReader& reader) {
  std::vector<Name> hardware;
  const auto items = reader.items("hardware");
  for (const Node* item : items) {
    auto name = reader.text_of(*item, "hardware");
    if (!name) continue;
    const bool twice = std::any_of(hardware.begin(), hardware.end(),
                                   [&](const Name& other) { return other.value == *name; });
    if (twice)
      reader.add(reader.document().error(lf::kDuplicateName, item->position,
                                         "'" + *name + "' is listed twice"));
    hardware.push_back({*std::move(name), item->position});
  }
  if (reader.has("hardware") && items.empty())
    reader.report("hardware", lf::kMissingKey, "'hardware' is an empty list",
                  "name a chip, or leave 'hardware' out to consider all");
  return hardware;
}

// A layout that is fixed must keep the limits that are set.
void check_limits(MapReader& reader, const Scenario& scenario) {
  const auto& most = scenario.limits.gpus;
  const bool has_layout = scenario.train && scenario.train->layout;
  if (!most || !has_layout || !scenario.train->layout->gpus) return;
  const auto& asked = *scenario.train->layout->gpus;
  if (asked.value > most->value)
    reader.add(reader.document().error(lf::kInconsistentFigures, asked.position,
                                       "the layout has " + std::to_string(asked.value) +
                                           " GPUs, 'limits' allow " + std::to_string(most->value),
                                       "write gpus: " + std::to_string(most->value) +
                                           " or less in the layout, or raise limits.gpus"));
}

// A run is paid for once: its budget is no money over time.
void check_budget(MapReader& reader, const Scenario& scenario) {
  const Node* limits = reader.node("limits");
  if (!scenario.train || !scenario.limits.budget || limits == nullptr) return;
  for (const auto& member : limits->members) {
    const bool is_rate =
        member.key == "budget" && !parse_amount(reader.document().currency, member.value.scalar,
                                                DimensionOf<Dollars>::kValue);
    if (is_rate)
      reader.add(reader.document().error(
          lf::kWrongType, member.value.position, "'budget' of a run is money over time",
          "write what the whole run may cost, such as 'budget: 20000 USD'"));
  }
}

// The leaves of the tree, in its order.
void add_values(const Node& node, const std::string& path, std::vector<WrittenValue>& values) {
  for (const auto& member : node.members)
    add_values(member.value, path.empty() ? member.key : path + "." + member.key, values);
  for (std::size_t i = 0; i < node.items.size(); ++i)
    add_values(node.items[i], path + "." + std::to_string(i), values);
  if (node.members.empty() && node.items.empty())
    values.push_back({path, node.scalar, node.position});
}

std::shared_ptr<const ScenarioSource> source_of(const Document& document) {
  auto source = std::make_shared<ScenarioSource>();
  source->file = document.file;
  source->text = document.text;
  source->assignments = document.overrides;
  add_values(document.root, "", source->values);
  return source;
}

}  // namespace

Given<int> placed_int(MapReader& reader, std::string_view key, Range range) {
  const auto value = reader.maybe_integer(key, range);
  if (!value) return std::nullopt;
  return Placed<int>{static_cast<int>(*value), reader.position_of(key)};
}

std::optional<Scenario> read_scenario(const Document& document, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  MapReader reader(document, document.root, "scenario", diagnostics);
  if (document.root.kind != NodeKind::kMap) return std::nullopt;
  Scenario scenario;
  check_version(reader, "loadfactor", kScenarioVersion);
  scenario.name = {reader.text("name"), reader.position_of("name")};
  if (auto map = reader.map("serve", false)) scenario.serve = read_serve(*map);
  if (auto map = reader.map("train", false)) scenario.train = read_train(*map);
  if (auto map = reader.map("capacity", false)) scenario.capacity = read_capacity(*map);
  if (auto map = reader.map("facility", false)) scenario.facility = read_facility(*map);
  scenario.hardware = read_hardware(reader);
  if (auto map = reader.map("limits", false)) scenario.limits = read_limits(*map);
  if (auto map = reader.map("money", false)) scenario.money = read_money(*map);
  if (!reader.has("serve") && !reader.has("train") && !reader.has("capacity"))
    reader.report("", lf::kMissingKey,
                  "nothing is asked: there is neither 'serve' nor 'train' nor 'capacity'",
                  "write 'serve:' or 'train:' with a model, or 'capacity:' for a question of cost");
  check_limits(reader, scenario);
  check_budget(reader, scenario);
  reader.finish();
  if (diagnostics.size() > before) return std::nullopt;
  scenario.position = document.root.position;
  scenario.source = source_of(document);
  return scenario;
}

std::optional<Scenario> parse_scenario(const std::string& file, const std::string& text,
                                       std::span<const std::string> assignments,
                                       Diagnostics& diagnostics) {
  auto document = parse_overridden(file, text, assignments);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  return read_scenario(*document, diagnostics);
}

std::optional<Scenario> ScenarioReader::parse(const std::string& file, const std::string& text,
                                              std::span<const std::string> assignments,
                                              Diagnostics& diagnostics) {
  ++parses_;
  return parse_scenario(file, text, assignments, diagnostics);
}

}  // namespace loadfactor::config
