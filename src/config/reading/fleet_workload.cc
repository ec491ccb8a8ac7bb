#include "config/reading/fleet_workload.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/reading/fleet_reader.h"
#include "config/reading/scenario_reader.h"
#include "config/reading/scenario_sections.h"

namespace loadfactor::config {
namespace {

struct KindKey {
  std::string_view key;
  WorkloadKind kind;
};
constexpr std::array<KindKey, 5> kKinds{{{"serve", WorkloadKind::kOnline},
                                         {"batch", WorkloadKind::kBatch},
                                         {"train", WorkloadKind::kTraining},
                                         {"fine_tune", WorkloadKind::kFineTuning},
                                         {"reserved", WorkloadKind::kReserved}}};

constexpr Range kItems = magnitude::band(1.0, 1e15, "check the suffix: 2 M items");
constexpr Range kWindow =
    magnitude::band(magnitude::kMinute, magnitude::kYear, "a time within a year: '8 h', '5 days'");
constexpr Range kStart{0.0, magnitude::kYear, false, "a time within a year: '20 h', '2 days'"};

Node scalar(std::string text, Position at) {
  Node node;
  node.kind = NodeKind::kScalar;
  node.position = at;
  node.scalar = std::move(text);
  return node;
}
Member member(std::string key, Node value) {
  const Position at = value.position;
  return {std::move(key), at, std::move(value)};
}
Node map_at(Position at) {
  Node node;
  node.kind = NodeKind::kMap;
  node.position = at;
  return node;
}
const Node* find(const Node& map, std::string_view key) {
  for (const Member& each : map.members)
    if (each.key == key) return &each.value;
  return nullptr;
}

// A scenario of one section, read as any other: what is wrong in it points at its own line.
std::optional<Scenario> scenario_of(MapReader& reader, const Name& name, std::string key,
                                    Node section) {
  Document part;
  part.file = reader.document().file;
  part.text = reader.document().text;
  part.lines = reader.document().lines;
  part.overrides = reader.document().overrides;
  part.root = map_at(section.position);
  part.root.members.push_back(member("loadfactor", scalar("1", section.position)));
  const std::string called = name.value.empty() ? "workload" : name.value;
  part.root.members.push_back(member("name", scalar(called, name.position)));
  part.root.members.push_back(member(std::move(key), std::move(section)));
  Diagnostics found;
  auto scenario = read_scenario(part, found);
  for (const Error& error : found.errors()) reader.add(error);
  return scenario;
}

double period_of(const FleetWorkload& workload) {
  if (workload.every) return workload.every->value.base();
  return workload.deadline ? workload.deadline->value.base() : magnitude::kDay * 7;
}

// The items of a batch as requests of a service without promises, which the same engine resolves.
Node service_of(const Node& batch, const FleetWorkload& workload) {
  Node serve = map_at(batch.position);
  Node demand = map_at(batch.position);
  for (const Member& each : batch.members) {
    if (each.key == "tokens_in" || each.key == "tokens_out")
      demand.members.push_back(each);
    else if (each.key != "items" && each.key != "every")
      serve.members.push_back(each);
  }
  const Node* items = find(batch, "items");
  const double rate = workload.items / period_of(workload) * magnitude::kDay;
  demand.members.push_back(
      member("requests_per_day", scalar(fmt::format("{:.17g}", rate), items->position)));
  serve.members.push_back(member("demand", std::move(demand)));
  return serve;
}

void read_batch(MapReader& reader, FleetWorkload& workload) {
  auto batch = reader.map("batch");
  if (!batch) return;
  const std::size_t before = reader.diagnostics().size();
  workload.items = batch->count("items", kItems);
  workload.every = placed_quantity<Seconds>(*batch, "every", kWindow);
  if (workload.every && workload.every->value.base() < magnitude::kDay - 1)
    batch->report("every", lf::kOutOfRange, "a batch comes again once a day at most",
                  "'1 day' or '7 days'; put what comes more often under 'serve'");
  for (const std::string_view key : {"slo", "demand", "regions", "deadline", "others"})
    if (batch->has(key))
      batch->report(key, lf::kUnknownKey, fmt::format("a batch has no '{}'", key),
                    "it has 'items', 'tokens_in', 'tokens_out' and a 'deadline' beside 'batch'");
  if (reader.diagnostics().size() > before) return;
  workload.scenario =
      scenario_of(reader, workload.name, "serve", service_of(*reader.node("batch"), workload));
}

void read_reserved(MapReader& reader, FleetWorkload& workload) {
  auto reserved = reader.map("reserved");
  if (!reserved) return;
  workload.jobs = placed_text(*reserved, "jobs");
  workload.gpus = placed_integer(*reserved, "gpus", {1, 1e6});
  if (workload.jobs && workload.gpus)
    reserved->report("gpus", lf::kContradictoryKeys, "the jobs already say how many GPUs they hold",
                     "keep 'jobs' or 'gpus'");
  if (!reserved->has("jobs") && !reserved->has("gpus"))
    reserved->report("", lf::kMissingKey, "nothing is reserved",
                     "write 'jobs: sacct.csv', or 'gpus: 16' for as many at all times");
  reserved->finish();
}

void read_run(MapReader& reader, std::string_view key, FleetWorkload& workload) {
  workload.gpus = placed_integer(reader, "gpus", {1, 1e6});
  const Node* section = reader.node(key);
  if (section->kind != NodeKind::kMap) {
    reader.map(key);
    return;
  }
  workload.scenario = scenario_of(reader, workload.name, "train", *section);
  if (!workload.scenario) return;
  const auto& train = *workload.scenario->train;
  if (!train.tokens)
    reader.add(reader.document().error(lf::kMissingKey, section->position,
                                       "a run in a fleet needs 'tokens', to know when it ends",
                                       "such as 'tokens: 20 B'"));
  if (train.deadline)
    reader.add(reader.document().error(
        lf::kContradictoryKeys, train.deadline->position,
        "the deadline of a run in a fleet stands beside it",
        fmt::format("move 'deadline' out of '{}', to the keys of the workload", key)));
}

// Which work it is: exactly one of the keys.
std::optional<KindKey> kind_of(MapReader& reader) {
  std::optional<KindKey> kind;
  for (const KindKey& row : kKinds) {
    if (!reader.has(row.key)) continue;
    reader.node(row.key);  // The second of two kinds is known, and one too many.
    if (kind)
      reader.report(row.key, lf::kContradictoryKeys,
                    fmt::format("a workload has '{}' or '{}', not both", kind->key, row.key),
                    "make two workloads of it");
    else
      kind = row;
  }
  return kind;
}

void read_work(MapReader& reader, FleetWorkload& workload) {
  const auto kind = kind_of(reader);
  workload.file = placed_text(reader, "scenario");
  if (!kind) {
    if (!workload.file)
      reader.report("", lf::kMissingKey, "the workload says nothing to do",
                    "write 'serve', 'batch', 'train', 'fine_tune' or 'reserved', or "
                    "'scenario: chat.yaml'");
    workload.gpus = placed_integer(reader, "gpus", {1, 1e6});
    return;
  }
  if (workload.file)
    reader.report(
        "scenario", lf::kContradictoryKeys,
        fmt::format("the work is in the file already, and '{}' stands beside it", kind->key),
        "keep one of them");
  workload.kind = kind->kind;
  switch (kind->kind) {
    case WorkloadKind::kOnline:
      if (const Node* node = reader.node("serve"); node->kind == NodeKind::kMap)
        workload.scenario = scenario_of(reader, workload.name, "serve", *node);
      else
        reader.map("serve");
      break;
    case WorkloadKind::kBatch:
      read_batch(reader, workload);
      break;
    case WorkloadKind::kReserved:
      read_reserved(reader, workload);
      break;
    case WorkloadKind::kTraining:
    case WorkloadKind::kFineTuning:
      read_run(reader, kind->key, workload);
      break;
  }
}

bool may_wait(WorkloadKind kind) {
  return kind != WorkloadKind::kOnline && kind != WorkloadKind::kReserved;
}

void read_times(MapReader& reader, FleetWorkload& workload) {
  workload.earliest = placed_quantity<Seconds>(reader, "earliest", kStart);
  workload.deadline = placed_quantity<Seconds>(reader, "deadline", kWindow);
  workload.is_preemptible = placed(reader, "preemptible", reader.maybe_boolean("preemptible"));
  if (workload.earliest && workload.deadline &&
      workload.deadline->value <= workload.earliest->value)
    reader.report("deadline", lf::kInconsistentFigures, "the deadline is before the earliest start",
                  "both count from the start of the week, or of each period of a batch");
}

void check_times(MapReader& reader, const FleetWorkload& workload) {
  if (workload.earliest && workload.every && workload.earliest->value >= workload.every->value)
    reader.report("earliest", lf::kInconsistentFigures,
                  "the earliest start is not before the batch comes again",
                  "it counts from the start of each period: 'earliest: 20 h' of 'every: 1 day'");
  const bool is_known = workload.scenario || workload.kind == WorkloadKind::kReserved;
  if (!is_known || may_wait(workload.kind)) return;
  for (const std::string_view key : {"earliest", "deadline", "preemptible"})
    if (reader.has(key))
      reader.report(
          key, lf::kContradictoryKeys,
          fmt::format("'{}' is for work that may wait; this is {}", key, name_of(workload.kind)),
          "leave it out, or describe the work as 'batch'");
}

void read_value(MapReader& reader, FleetWorkload& workload) {
  const Node* value = reader.node("value");
  if (value != nullptr && value->kind == NodeKind::kScalar) {
    const bool is_rate = value->scalar.find('/') != std::string::npos;
    if (is_rate)
      workload.value = placed_running_cost(reader, "value");
    else
      workload.worth = placed_amount(reader, "value");
  } else if (value != nullptr) {
    reader.maybe_text("value");
  }
  workload.may_use_api = reader.maybe_boolean("api").value_or(true);
  workload.priority = placed_integer(reader, "priority", {0, 100});
  for (const Node* item : reader.items("pools"))
    if (auto name = reader.text_of(*item, "pools"))
      workload.pools.push_back({*std::move(name), item->position});
}

}  // namespace

FleetWorkload read_workload(MapReader& reader) {
  FleetWorkload workload;
  workload.position = reader.position();
  workload.name = {reader.text("name"), reader.position_of("name")};
  read_times(reader, workload);
  read_work(reader, workload);
  check_times(reader, workload);
  read_value(reader, workload);
  reader.finish();
  return workload;
}

}  // namespace loadfactor::config
