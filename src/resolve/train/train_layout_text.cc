// A layout in the words of a scenario, so that what is printed can be written back.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "resolve/train/train_layout.h"
#include "search/layout_space.h"

namespace loadfactor::engine {
namespace {

using training::DegreeRow;
using training::kDegrees;
using training::Layout;
using training::Recompute;
using training::RecomputeKind;

constexpr std::string_view kLayoutPath = "train.layout.";

// Collects keys in order.
class Keys {
 public:
  void add(const std::string& key, config::AnyValue value) {
    std::string text = config::to_text(value);
    keys_.push_back({key, std::move(text), {std::string(kLayoutPath) + key, std::move(value)}});
  }
  void add(LayoutKey key) { keys_.push_back(std::move(key)); }
  std::vector<LayoutKey> take() { return std::move(keys_); }

 private:
  std::vector<LayoutKey> keys_;
};

constexpr std::array kSchedules{"gpipe",       "1f1b",          "interleaved",
                                "zero-bubble", "zero-bubble-v", "dualpipe"};

std::vector<std::string> module_words(const Recompute& recompute) {
  std::vector<std::string> modules;
  if (recompute.norms) modules.emplace_back("norms");
  if (recompute.activation) modules.emplace_back("activations");
  if (recompute.mlp) modules.emplace_back("mlp");
  if (recompute.latent_up) modules.emplace_back("latent-up");
  if (recompute.experts) modules.emplace_back("experts");
  return modules;
}

LayoutKey recompute_key(const Recompute& recompute) {
  LayoutKey key{"recompute", recompute_words(recompute), {"train.layout.recompute"}};
  if (recompute.kind == RecomputeKind::kModules) {
    key.edit.value = module_words(recompute);
  } else if (recompute.kind == RecomputeKind::kFull && recompute.layers_per_stage > 0) {
    key.edit = {"train.layout.recompute.layers", std::int64_t{recompute.layers_per_stage}};
  } else {
    key.edit.value = key.value;
  }
  return key;
}

bool is_said(const DegreeRow& row, const training::TrainingJob& job) {
  switch (row.said) {
    case DegreeRow::Said::kInPipelines:
      return job.layout.pp > 1;
    case DegreeRow::Said::kWithExperts:
      return job.model->has_experts();
    case DegreeRow::Said::kAboveOne:
      return job.layout.*row.degree > 1;
    case DegreeRow::Said::kAlways:
      break;
  }
  return true;
}

// Keys that say how a job is cut, in the order of a scenario; those that say how the software
// computes are not among them.
const std::vector<std::string>& cutting_keys() {
  static const std::vector<std::string> kKeys = [] {
    constexpr std::array<std::string_view, 4> kOfSoftware{"offload_link", "gradients", "moments",
                                                          "kept"};
    std::vector<std::string> keys;
    for (const auto& key : config::scenario_keys()) {
      if (!key.path.starts_with(kLayoutPath) || key.is_section) continue;
      const std::string name = key.path.substr(kLayoutPath.size());
      const bool is_own = name.find('.') == std::string::npos;
      if (is_own && std::find(kOfSoftware.begin(), kOfSoftware.end(), name) == kOfSoftware.end())
        keys.push_back(name);
    }
    return keys;
  }();
  return kKeys;
}

std::vector<std::string> offloaded(const training::Offload& offload) {
  std::vector<std::string> words;
  if (offload.optimizer) words.emplace_back("optimizer");
  if (offload.parameters) words.emplace_back("parameters");
  if (offload.activations || offload.activation_layers > 0) words.emplace_back("activations");
  return words;
}

}  // namespace

std::string recompute_words(const Recompute& recompute) {
  switch (recompute.kind) {
    case RecomputeKind::kUnknown:
    case RecomputeKind::kNone:
      return "none";
    case RecomputeKind::kSelective:
      return "selective";
    case RecomputeKind::kFull:
      return recompute.layers_per_stage > 0
                 ? fmt::format("{{layers: {}}}", recompute.layers_per_stage)
                 : "full";
    case RecomputeKind::kModules:
      break;
  }
  return fmt::format("[{}]", fmt::join(module_words(recompute), ", "));
}

std::string sharding_words(training::Sharding sharding) {
  constexpr std::array kWords{"none", "zero-1", "zero-2", "zero-3", "hybrid"};
  return kWords[static_cast<std::size_t>(sharding)];
}

std::string schedule_words(const Layout& layout) {
  const bool pipeline = layout.pp > 1 && layout.schedule != training::Schedule::kNone;
  return pipeline ? kSchedules[static_cast<std::size_t>(layout.schedule) - 1] : "";
}

std::string offload_words(const training::Offload& offload) {
  return fmt::format("[{}]", fmt::join(offloaded(offload), ", "));
}

training::Offload asked_offload(const config::Layout& asked) {
  training::Offload offload;
  if (!asked.offload) return offload;
  for (const auto word : asked.offload->value) {
    offload.optimizer |= word == config::OffloadWord::kOptimizer;
    offload.parameters |= word == config::OffloadWord::kParameters;
    offload.activations |= word == config::OffloadWord::kActivations;
  }
  return offload;
}

std::vector<LayoutKey> layout_keys(const training::TrainingJob& job) {
  const Layout& layout = job.layout;
  Keys keys;
  keys.add("gpus", layout.gpus);
  for (const DegreeRow& row : kDegrees) {
    if (is_said(row, job)) keys.add(std::string(row.key), layout.*row.degree);
    if (row.degree != &Layout::vp) continue;  // How a pipeline is cut stands behind its stages.
    if (layout.first_layers > 0) keys.add("first_layers", layout.first_layers);
    if (layout.last_layers > 0) keys.add("last_layers", layout.last_layers);
  }
  const bool hybrid = layout.sharding == training::Sharding::kHybrid;
  keys.add("zero", hybrid ? 3 : static_cast<int>(layout.sharding));
  if (layout.shard_group > 0) keys.add("shard_group", layout.shard_group);
  keys.add("micro_batch", layout.micro_batch);
  keys.add(recompute_key(layout.recompute));
  if (layout.pp > 1) keys.add("schedule", schedule_words(layout));
  if (layout.tp > 1) keys.add("sequence_parallel", layout.sequence_parallel);
  if (!(layout.offload == training::Offload{})) keys.add("offload", offloaded(layout.offload));
  if (layout.offload.activation_layers > 0)
    keys.add("offload_layers", layout.offload.activation_layers);
  return keys.take();
}

std::vector<config::Edit> layout_edits(const training::TrainingJob& job) {
  // Keys that the layout has no need of are blank; what says how the software computes stays.
  std::vector<config::Edit> chosen;
  for (auto& key : layout_keys(job)) chosen.push_back(std::move(key.edit));
  std::vector<config::Edit> edits;
  for (const std::string& key : cutting_keys()) {
    const std::string path = std::string(kLayoutPath) + key;
    const bool is_chosen = std::any_of(chosen.begin(), chosen.end(), [&](const auto& edit) {
      return edit.path == path || edit.path.starts_with(path + ".");
    });
    if (!is_chosen) edits.push_back({path});
  }
  edits.insert(edits.end(), std::make_move_iterator(chosen.begin()),
               std::make_move_iterator(chosen.end()));
  return edits;
}

std::vector<LayoutKey> written_keys(const config::Layout& asked) {
  config::Scenario scenario;
  scenario.train.emplace().layout = asked;
  Keys keys;
  for (const std::string& key : cutting_keys()) {
    config::AnyValue value = scenario.value(std::string(kLayoutPath) + key);
    // An empty list lets nothing be offloaded, which no layout says.
    if (key == "offload" && asked.offload && !asked.offload->value.empty())
      keys.add(key, offloaded(asked_offload(asked)));
    else if (key == "recompute" && asked.recompute)
      keys.add(recompute_key(search::asked_recompute(asked)));
    else if (key != "offload" && !(value == config::AnyValue()))
      keys.add(key, std::move(value));
  }
  return keys.take();
}

std::string keys_text(const std::vector<LayoutKey>& keys) {
  std::vector<std::string> parts;
  for (const auto& key : keys) parts.push_back(key.key + ": " + key.value);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace loadfactor::engine
