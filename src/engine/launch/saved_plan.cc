// A plan that was saved as JSON, as the scenario that it recommends.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/scenario/refused_edit.h"
#include "engine/launch/launch_plan.h"

namespace loadfactor::engine {
namespace {

const config::Node* member(const config::Node* node, std::string_view key) {
  if (node == nullptr) return nullptr;
  for (const auto& each : node->members)
    if (each.key == key && each.value.kind != config::NodeKind::kNull) return &each.value;
  return nullptr;
}

std::string text_of(const config::Node* node, std::string_view key) {
  const config::Node* found = member(node, key);
  return found == nullptr ? std::string() : found->scalar;
}

int number_of(const config::Node* node, std::string_view key) {
  const long number = std::strtol(text_of(node, key).c_str(), nullptr, 10);
  return static_cast<int>(std::clamp(number, 1L, long{std::numeric_limits<int>::max()}));
}

// `[norms, mlp]` as its words.
std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> words;
  text.remove_prefix(1);
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(",]"), text.size());
    const auto first = text.find_first_not_of(' ');
    if (first < end) words.emplace_back(text.substr(first, end - first));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// A word, a list of modules, or `{layers: 4}`.
void add_recompute(const std::string& text, std::vector<config::Edit>& edits) {
  constexpr std::string_view kLayers = "{layers: ";
  if (text.starts_with('[')) {
    edits.push_back({"train.layout.recompute", listed(text)});
  } else if (text.starts_with(kLayers)) {
    edits.push_back({"train.layout.recompute.layers",
                     std::int64_t{std::strtol(text.c_str() + kLayers.size(), nullptr, 10)}});
  } else if (!text.empty()) {
    edits.push_back({"train.layout.recompute", text});
  }
}

// What lives in host memory.
void add_offload(const config::Node& run, std::vector<config::Edit>& edits) {
  std::vector<std::string> words;
  if (const config::Node* list = member(&run, "offload"))
    for (const config::Node& item : list->items) words.push_back(item.scalar);
  if (!words.empty()) edits.push_back({"train.layout.offload", words});
  const std::string layers = text_of(&run, "offload_layers");
  if (!layers.empty() && layers != "0")
    edits.push_back(
        {"train.layout.offload_layers", std::int64_t{number_of(&run, "offload_layers")}});
}

// The words of a layout that was saved.
void add_words(const config::Node& run, std::vector<config::Edit>& edits) {
  constexpr std::array kZero{"none", "zero-1", "zero-2", "zero-3", "hybrid"};
  const std::string zero = text_of(&run, "zero");
  for (std::size_t stage = 0; stage < kZero.size(); ++stage)
    if (zero == kZero[stage])
      edits.push_back(
          {"train.layout.zero", static_cast<std::int64_t>(std::min<std::size_t>(stage, 3))});
  if (text_of(&run, "shard_group") != "0" && zero == "hybrid")
    edits.push_back({"train.layout.shard_group", std::int64_t{number_of(&run, "shard_group")}});
  add_recompute(text_of(&run, "recompute"), edits);
  const std::string schedule = text_of(&run, "schedule");
  if (!schedule.empty()) edits.push_back({"train.layout.schedule", schedule});
  if (number_of(&run, "tp") > 1)
    edits.push_back(
        {"train.layout.sequence_parallel", text_of(&run, "sequence_parallel") == "true"});
}

ServeLayout layout_of(const config::Node* node) {
  return {.tp = number_of(node, "tp"),
          .pp = number_of(node, "pp"),
          .ep = number_of(node, "ep"),
          .dp = number_of(node, "dp"),
          .replicas = number_of(node, "replicas")};
}

Result<std::vector<config::Edit>> saved_edits(const std::string& file, const std::string& text) {
  TRY(const config::Document document, config::parse_json(file, text));
  const config::Node* answer = member(&document.root, "answer");
  const config::Node* plan = member(answer, "plan");
  if (plan == nullptr)
    return Error{.code = lf::kMissingKey,
                 .message = fmt::format("'{}' is a plan without machines to launch", file),
                 .hint = "`loadfactor plan SCENARIO --format json -o plan.json` saves one"};
  const config::Node* run = member(answer, "training_layout");
  PlanMachine machine;
  machine.accelerator = text_of(plan, "accelerator");
  machine.precision = text_of(plan, "precision");
  machine.kv_format = text_of(plan, "kv");
  if (run == nullptr) {
    machine.layout = layout_of(plan);
    if (const config::Node* prompts = member(plan, "prompts")) machine.prompts = layout_of(prompts);
    return recommended_edits(machine);
  }
  std::vector<config::Edit> edits{{"hardware", std::vector<std::string>{machine.accelerator}},
                                  {"train.precision", machine.precision}};
  for (const char* key : {"gpus", "tp", "pp", "cp", "dp", "micro_batch"})
    edits.push_back({fmt::format("train.layout.{}", key), std::int64_t{number_of(run, key)}});
  if (number_of(run, "pp") > 1)
    edits.push_back({"train.layout.vp", std::int64_t{number_of(run, "vp")}});
  for (const char* key : {"ep", "etp"})
    if (number_of(run, key) > 1)
      edits.push_back({fmt::format("train.layout.{}", key), std::int64_t{number_of(run, key)}});
  add_words(*run, edits);
  add_offload(*run, edits);
  return edits;
}

// A key of a layout as it was saved and as it comes out of the scenario.
struct Kept {
  const char* key;
  std::string saved;
  std::string kept;
};

std::string list_text(const config::Node* list) {
  std::vector<std::string> words;
  if (list != nullptr)
    for (const config::Node& item : list->items) words.push_back(item.scalar);
  return fmt::format("[{}]", fmt::join(words, ", "));
}

// The first key that differs.
std::optional<Kept> difference(const config::Node& saved, const TrainLayout& kept) {
  const auto count = [&](const char* key, std::int64_t value) {
    return Kept{key, text_of(&saved, key), std::to_string(value)};
  };
  std::vector<Kept> keys{count("gpus", kept.gpus),
                         count("tp", kept.tp),
                         count("pp", kept.pp),
                         count("vp", kept.vp),
                         count("cp", kept.cp),
                         count("ep", kept.ep),
                         count("etp", kept.etp),
                         count("dp", kept.dp),
                         {"zero", text_of(&saved, "zero"), kept.sharding},
                         count("shard_group", kept.shard_group),
                         count("micro_batch", kept.micro_batch),
                         {"recompute", text_of(&saved, "recompute"), kept.recompute},
                         {"schedule", text_of(&saved, "schedule"), kept.schedule},
                         {"offload", list_text(member(&saved, "offload")),
                          fmt::format("[{}]", fmt::join(kept.offload, ", "))},
                         count("offload_layers", kept.offload_layers),
                         count("first_layers", kept.first_layers),
                         count("last_layers", kept.last_layers)};
  for (Kept& key : keys)
    if (member(&saved, key.key) != nullptr && key.saved != key.kept) return std::move(key);
  return std::nullopt;
}

// Stages of a pipeline that hold other numbers of layers than the usual rule gives them.
std::vector<config::Edit> end_edits(const config::Node& saved) {
  return {{"train.layout.first_layers", std::int64_t{number_of(&saved, "first_layers")}},
          {"train.layout.last_layers", std::int64_t{number_of(&saved, "last_layers")}}};
}

}  // namespace

std::optional<config::Scenario> as_planned(const Core& engine, const LaunchInputs& inputs,
                                           const SavedPlan& plan, Diagnostics& diagnostics) {
  const auto edits = saved_edits(plan.file, plan.text);
  if (!edits) return diagnostics.add(edits.error()), std::nullopt;
  if (const config::Edit* wrong = config::first_refused(inputs.scenario, *edits))
    return diagnostics.add(
               {.code = lf::kWrongType,
                .message = fmt::format("'{}' has a value for {} that it cannot have", plan.file,
                                       wrong->path),
                .hint = "`loadfactor plan SCENARIO --format json -o plan.json` saves it anew",
                .where = {.file = plan.file}}),
           std::nullopt;
  config::Scenario planned = with_changes(inputs.scenario, *edits);
  const auto document = config::parse_json(plan.file, plan.text);
  const config::Node* saved = member(member(&document->root, "answer"), "training_layout");
  if (saved == nullptr) return planned;
  std::optional<Kept> other;
  for (const bool with_ends : {false, true}) {
    if (with_ends) planned = planned.with(std::span<const config::Edit>(end_edits(*saved)));
    Diagnostics problems;
    const auto answer =
        engine.train({.scenario = planned, .model_files = inputs.trained_files}, problems);
    if (!answer) return diagnostics.add_all(problems), std::nullopt;
    other = difference(*saved, answer->layout);
    if (!other) return planned;
    if (std::string_view(other->key).find("_layers") == std::string_view::npos) break;
  }
  diagnostics.add({.code = lf::kInconsistentFigures,
                   .message = fmt::format("the plan's layout has {}: {}, and the scenario gives {}",
                                          other->key, other->saved, other->kept),
                   .hint =
                       "plan this scenario again and save it: `loadfactor plan SCENARIO --format "
                       "json -o plan.json`",
                   .where = {.file = plan.file}});
  return std::nullopt;
}

std::string way_to_pay(const SavedPlan& plan) {
  const auto document = config::parse_json(plan.file, plan.text);
  if (!document) return {};
  const config::Node* answer = member(&document->root, "answer");
  const std::string name = text_of(member(answer, "plan"), "procurement");
  const config::Node* options = member(answer, "options");
  if (name.empty() || options == nullptr) return {};
  for (const config::Node& option : options->items)
    if (text_of(&option, "name") == name) return text_of(&option, "kind");
  return {};
}

}  // namespace loadfactor::engine
