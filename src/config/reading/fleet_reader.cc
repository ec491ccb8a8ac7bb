#include "config/reading/fleet_reader.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "config/override.h"
#include "config/reading/fleet_workload.h"
#include "config/reading/scenario_sections.h"
#include "config/schema.h"

namespace loadfactor::config {
namespace {

constexpr std::size_t kMostPools = 6;

FleetPool read_pool(MapReader& reader) {
  FleetPool pool;
  pool.name = {reader.text("name"), reader.position_of("name")};
  pool.accelerator = {reader.text("accelerator"), reader.position_of("accelerator")};
  pool.region = placed_text(reader, "region");
  pool.gpus = placed_integer(reader, "gpus", {1, 1e6});
  pool.is_shared = reader.maybe_boolean("shared").value_or(true);
  reader.finish();
  return pool;
}

template <typename T>
void refuse_twice(MapReader& reader, const std::vector<T>& all, std::string_view what) {
  std::set<std::string> seen;
  for (const T& each : all)
    if (!each.name.value.empty() && !seen.insert(each.name.value).second)
      reader.add(
          reader.document().error(lf::kDuplicateName, each.name.position,
                                  fmt::format("two {} are called '{}'", what, each.name.value),
                                  "give each a name of its own"));
}

void check_pools(MapReader& reader, const Fleet& fleet) {
  std::vector<std::string> names;
  for (const FleetPool& pool : fleet.pools) names.push_back(pool.name.value);
  for (const FleetWorkload& workload : fleet.workloads)
    for (const Name& name : workload.pools) {
      if (std::find(names.begin(), names.end(), name.value) != names.end()) continue;
      Node node;
      node.kind = NodeKind::kScalar;
      node.scalar = name.value;
      node.position = name.position;
      reader.add(unknown_word(reader.document(), node, "pool of this fleet", names));
    }
}

bool may_use(const FleetWorkload& workload, const FleetPool& pool) {
  return workload.pools.empty() ||
         std::any_of(workload.pools.begin(), workload.pools.end(),
                     [&](const Name& name) { return name.value == pool.name.value; });
}

// GPUs that work asks for at once must be there in one pool.
void check_room(MapReader& reader, const Fleet& fleet) {
  for (const FleetWorkload& workload : fleet.workloads) {
    if (!workload.gpus) continue;
    std::optional<double> most;
    for (const FleetPool& pool : fleet.pools)
      if (may_use(workload, pool))
        most = std::max(most.value_or(0), pool.gpus ? static_cast<double>(pool.gpus->value) : 1e18);
    if (!most || *most >= static_cast<double>(workload.gpus->value)) continue;
    reader.add(reader.document().error(
        lf::kContradictoryKeys, workload.gpus->position,
        fmt::format("'{}' asks for {} GPUs at once, and no pool that it may use has more than {:g}",
                    workload.name.value, workload.gpus->value, *most),
        fmt::format("write 'gpus: {:g}' or less, or give a pool more", *most)));
  }
}

void check_horizon(MapReader& reader, const Fleet& fleet) {
  if (fleet.horizon != FleetHorizon::kWeek) return;
  for (const FleetWorkload& workload : fleet.workloads)
    for (const auto* time : {&workload.deadline, &workload.earliest})
      if (*time && (*time)->value > loadfactor::kWeek)
        reader.add(reader.document().error(lf::kInconsistentFigures, (*time)->position,
                                           "this is beyond the week that is planned",
                                           "leave 'horizon' out, or write 'horizon: year'"));
}

void check_counts(MapReader& reader, const Fleet& fleet) {
  if (reader.has("pools") && fleet.pools.empty())
    reader.report("pools", lf::kMissingKey, "there is no pool",
                  "- {name: main, accelerator: h100-sxm}");
  if (reader.has("workloads") && fleet.workloads.empty())
    reader.report("workloads", lf::kMissingKey, "there is no workload",
                  "- {name: chat, scenario: chat.yaml}");
  if (fleet.pools.size() > kMostPools)
    reader.report("pools", lf::kTooLarge, fmt::format("{} pools are too many", fleet.pools.size()),
                  fmt::format("at most {}; put machines that look alike into one", kMostPools));
  if (fleet.workloads.size() > kMostWorkloads)
    reader.report(
        "workloads", lf::kTooLarge,
        fmt::format("{} workloads are too many", fleet.workloads.size()),
        fmt::format("at most {}; put small ones that look alike together", kMostWorkloads));
}

std::shared_ptr<const ScenarioSource> source_of(const Document& document) {
  auto source = std::make_shared<ScenarioSource>();
  source->file = document.file;
  source->text = document.text;
  source->assignments = document.overrides;
  return source;
}

void add_once(const Name& name, bool is_model, bool is_scenario, std::vector<FleetFile>& files) {
  const bool is_known = std::any_of(files.begin(), files.end(), [&](const FleetFile& file) {
    return file.name.value == name.value;
  });
  if (!is_known) files.push_back({name, is_model, is_scenario});
}

void add_model(const ModelSection& model, std::vector<FleetFile>& files) {
  if (const auto* file = std::get_if<ModelConfigFile>(&model.model))
    add_once(file->path, true, false, files);
}

}  // namespace

std::optional<Fleet> read_fleet(const Document& document, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  MapReader reader(document, document.root, "fleet", diagnostics);
  if (document.root.kind != NodeKind::kMap) return std::nullopt;
  Fleet fleet;
  check_version(reader, "loadfactor", kFleetVersion);
  fleet.name = {reader.text("name"), reader.position_of("name")};
  static constexpr std::array<Word<FleetHorizon>, 2> kHorizons{
      {{"week", FleetHorizon::kWeek}, {"year", FleetHorizon::kYear}}};
  fleet.horizon = reader.maybe_word<FleetHorizon>("horizon", kHorizons);
  for (MapReader& pool : reader.maps("pools")) fleet.pools.push_back(read_pool(pool));
  if (auto map = reader.map("money", false)) fleet.money = read_money(*map);
  for (MapReader& workload : reader.maps("workloads"))
    fleet.workloads.push_back(read_workload(workload));
  check_counts(reader, fleet);
  refuse_twice(reader, fleet.pools, "pools");
  refuse_twice(reader, fleet.workloads, "workloads");
  check_pools(reader, fleet);
  check_room(reader, fleet);
  check_horizon(reader, fleet);
  reader.finish();
  if (diagnostics.size() > before) return std::nullopt;
  fleet.source = source_of(document);
  for (FleetWorkload& workload : fleet.workloads)
    if (workload.scenario) workload.scenario->money = fleet.money;
  return fleet;
}

std::optional<Fleet> parse_fleet(const std::string& file, const std::string& text,
                                 std::span<const std::string> assignments,
                                 Diagnostics& diagnostics) {
  auto document = parse_overridden(file, text, assignments);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  return read_fleet(*document, diagnostics);
}

std::vector<FleetFile> files_of(const Fleet& fleet) {
  std::vector<FleetFile> files;
  for (const FleetWorkload& workload : fleet.workloads) {
    if (workload.file) add_once(*workload.file, false, true, files);
    if (workload.jobs) add_once(*workload.jobs, false, false, files);
    if (!workload.scenario) continue;
    if (workload.scenario->train) add_model(workload.scenario->train->model, files);
    if (!workload.scenario->serve) continue;
    const ServeSection& serve = *workload.scenario->serve;
    add_model(serve.model, files);
    if (serve.demand && serve.demand->trace) add_once(*serve.demand->trace, false, false, files);
    if (serve.demand && serve.demand->shape_figures && serve.demand->shape_figures->file)
      add_once(*serve.demand->shape_figures->file, false, false, files);
  }
  return files;
}

}  // namespace loadfactor::config
