// NeuronX Distributed Training on Trainium: its configuration, and the `key=value` words of a
// command that override it. Its ranks are cores, and those of a scenario are chips.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/neuron_chips.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

constexpr std::string_view kOwnKeys = "neuronx.";

std::string own_key(std::string_view key) {
  return std::string(kOwnKeys) + std::string(key);
}

// What is read here. Other keys of the sections that say how it trains are remarks.
constexpr std::array<std::string_view, 27> kRead{
    "trainer.devices",
    "trainer.num_nodes",
    "trainer.max_steps",
    "distributed_strategy.tensor_model_parallel_size",
    "distributed_strategy.pipeline_model_parallel_size",
    "distributed_strategy.virtual_pipeline_model_parallel_size",
    "distributed_strategy.context_parallel_size",
    "distributed_strategy.expert_model_parallel_size",
    "distributed_strategy.sequence_parallel",
    "distributed_strategy.zero1",
    "data.micro_batch_size",
    "data.global_batch_size",
    "data.seq_length",
    "model.encoder_seq_length",
    "model.num_layers",
    "model.hidden_size",
    "model.ffn_hidden_size",
    "model.num_attention_heads",
    "model.num_kv_heads",
    "model.kv_channels",
    "model.share_embeddings_and_output_weights",
    "model.activations_checkpoint_granularity",
    "model.activations_checkpoint_method",
    "model.activations_checkpoint_num_layers",
    "model.model_config",
    "precision.type",
    "exp_manager.async_checkpointing"};
// Keys of those sections that change nothing of what is predicted.
constexpr std::array<std::string_view, 18> kIdle{"distributed_strategy.kv_replicator",
                                                 "model.activations_checkpoint_recompute",
                                                 "model.max_position_embeddings",
                                                 "model.normalization",
                                                 "model.activation",
                                                 "model.position_embedding_type",
                                                 "model.rope_theta",
                                                 "model.rotary_base",
                                                 "model.rotary_percentage",
                                                 "model.has_bias",
                                                 "model.make_vocab_size_divisible_by",
                                                 "model.hidden_dropout",
                                                 "model.attention_dropout",
                                                 "model.ffn_dropout",
                                                 "model.qkv_linear",
                                                 "model.layernorm_epsilon",
                                                 "model.init_method_std",
                                                 "model.do_layer_norm_weight_decay"};

template <std::size_t kSize>
bool holds(const std::array<std::string_view, kSize>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Words among what is read; all else is counted.
constexpr std::array<std::string_view, 8> kWords{"distributed_strategy.sequence_parallel",
                                                 "distributed_strategy.zero1",
                                                 "model.share_embeddings_and_output_weights",
                                                 "model.activations_checkpoint_granularity",
                                                 "model.activations_checkpoint_method",
                                                 "model.model_config",
                                                 "precision.type",
                                                 "exp_manager.async_checkpointing"};

bool is_none(std::string_view value) {
  return value.empty() || value == "null" || value == "~" || value == "None";
}

void keep(std::string_view key, const std::string& value, const Place& place, Findings& findings) {
  if (holds(kRead, key)) {
    // `-1` is without an end, and what refers to another key is said there.
    const bool is_endless = key == "trainer.max_steps" && value.starts_with('-');
    const bool is_said = !is_none(value) && value.find('$') == std::string::npos;
    if (is_said && !holds(kWords, key) && !whole_number(value))
      return findings.error(lf::kWrongType, place,
                            fmt::format("{}: '{}' is no whole number", key, value), "digits alone");
    if (!is_endless && is_said) findings.set(own_key(key), value, place);
    return;
  }
  const bool says_how = key.starts_with("distributed_strategy.") || key.starts_with("model.") ||
                        key.starts_with("precision.");
  const bool is_idle = key.starts_with("model.optim") || key.starts_with("model.fusions") ||
                       key.starts_with("model.init") || holds(kIdle, key) || is_none(value);
  if (says_how && !is_idle)
    findings.remark(
        fmt::format("{}: a scenario has no word for it, and the prediction is without it", key),
        place);
}

void keep_below(const Source& source, const Node& node, const std::string& path,
                Findings& findings) {
  for (const auto& each : node.members) {
    const std::string key = path.empty() ? each.key : path + "." + each.key;
    if (each.value.kind == NodeKind::kMap) keep_below(source, each.value, key, findings);
    if (each.value.kind == NodeKind::kScalar)
      keep(key, plain_number(each.value.scalar), place(source, &each.value), findings);
  }
}

// What was kept, as a scenario has it.
class NeuronRun {
 public:
  explicit NeuronRun(Findings& findings) : findings_(findings) {}

  void settle() {
    findings_.erase("program");  // What torchrun starts.
    findings_.guess("program", "neuronx", "by its keys");
    findings_.guess("train.stack.framework", "neuron", "by its keys");
    for (const auto& [theirs, ours] :
         {std::pair("model.num_layers", "dims.layers"),
          std::pair("model.hidden_size", "dims.hidden"),
          std::pair("model.ffn_hidden_size", "dims.mlp"),
          std::pair("model.num_attention_heads", "dims.heads"),
          std::pair("model.num_kv_heads", "dims.kv_heads"),
          std::pair("model.kv_channels", "dims.head_dim"),
          std::pair("data.seq_length", "train.sequence"),
          std::pair("data.micro_batch_size", "train.layout.micro_batch"),
          std::pair("data.global_batch_size", "train.global_batch"),
          std::pair("trainer.num_nodes", "nodes"), std::pair("trainer.max_steps", "steps")})
      take(theirs, ours);
    if (find("data.seq_length") == nullptr) take("model.encoder_seq_length", "train.sequence");
    if (const Finding* file = find("model.model_config"))
      findings_.remark("model_config names the file that says the model's dimensions",
                       Finding(*file).place);
    precision();
    recompute();
    sharding();
    saves();
    degrees();
  }

 private:
  const Finding* find(std::string_view key) const { return findings_.find(own_key(key)); }
  std::optional<std::int64_t> number(std::string_view key) const {
    return findings_.number(own_key(key));
  }
  bool is_on(std::string_view key) const {
    const Finding* found = find(key);
    return found != nullptr && (found->value == "true" || found->value == "True");
  }
  void take(std::string_view theirs, std::string_view ours) {
    const Finding* found = find(theirs);
    if (found == nullptr) return;
    const Finding kept = *found;
    if (!findings_.number(kept.key))
      return findings_.leave_open(ours, kept.place, fmt::format("{} is {}", theirs, kept.value));
    findings_.set(ours, kept.value, kept.place, kept.weight);
  }
  void precision() {
    constexpr const char* kKey = "train.precision";
    const Finding* said = find("precision.type");
    if (said == nullptr) return;
    const Finding kept = *said;
    const std::string& type = kept.value;
    if (type == "mixed_precision" || type == "autocast")
      return findings_.set(kKey, std::string("bf16"), kept.place);
    if (type == "bf16SR") return findings_.set(kKey, std::string("bf16-pure"), kept.place);
    if (type == "mixed_precisionSR")
      return findings_.guess(kKey, "bf16", "precision.type mixed_precisionSR rounds otherwise");
    findings_.leave_open(kKey, kept.place,
                         fmt::format("precision.type {} is none of bf16 and bf16-pure", type));
  }
  void recompute() {
    constexpr const char* kKey = "train.layout.recompute";
    const Finding* said = find("model.activations_checkpoint_granularity");
    if (said == nullptr) return findings_.guess(kKey, "none", "no granularity is given");
    const Finding kept = *said;
    const Finding* method = find("model.activations_checkpoint_method");
    const auto layers = number("model.activations_checkpoint_num_layers");
    if (kept.value == "full" && method != nullptr && method->value == "block" && layers)
      return findings_.set(kKey, fmt::format("{{layers: {}}}", *layers), kept.place);
    if (kept.value == "full" || kept.value == "selective")
      return findings_.set(kKey, kept.value, kept.place);
    findings_.leave_open(kKey, kept.place,
                         fmt::format("granularity {} is neither full nor selective", kept.value));
  }
  void sharding() {
    constexpr const char* kKey = "train.layout.zero";
    const Finding* said = find("distributed_strategy.zero1");
    if (said == nullptr) return findings_.guess(kKey, "0", "zero1 is not given");
    findings_.set(kKey, std::string(is_on("distributed_strategy.zero1") ? "1" : "0"),
                  Finding(*said).place);
  }
  void saves() {
    const Finding* said = find("exp_manager.async_checkpointing");
    if (said == nullptr || is_on("exp_manager.async_checkpointing")) return;
    findings_.set("train.failures.checkpoint", std::string("synchronous"), Finding(*said).place);
  }
  // The chip, as the hardware says, or else the only one whose nodes start so many processes.
  std::optional<NeuronChip> chip() {
    if (const Finding* said = findings_.find("hardware")) return neuron_chip_of(said->value);
    const auto ranks = number("trainer.devices");
    const auto only = ranks ? neuron_chip_with(*ranks) : std::nullopt;
    if (only)
      findings_.guess("hardware", only->name,
                      fmt::format("its nodes have {} ranks as these do", *ranks));
    return only;
  }
  void degrees() {
    constexpr const char* kTensor = "distributed_strategy.tensor_model_parallel_size";
    for (const auto& [theirs, ours] :
         {std::pair("distributed_strategy.pipeline_model_parallel_size", "train.layout.pp"),
          std::pair("distributed_strategy.virtual_pipeline_model_parallel_size", "train.layout.vp"),
          std::pair("distributed_strategy.context_parallel_size", "train.layout.cp"),
          std::pair("distributed_strategy.expert_model_parallel_size", "train.layout.ep")})
      take(theirs, ours);
    const auto ranks = number(kTensor).value_or(1);
    const Finding* said = find(kTensor);
    const Place place = said == nullptr ? Place{} : said->place;
    const auto known = chip();
    if (!known) {
      for (const char* key : {"train.layout.tp", "train.layout.gpus"})
        findings_.leave_open(key, place,
                             "its ranks are cores, and the chip is not in the files: a scenario "
                             "counts chips");
      return;
    }
    const std::int64_t joined =
        std::max<std::int64_t>(1, findings_.number(kNeuronJoined).value_or(known->joined));
    const std::int64_t each = std::max<std::int64_t>(1, known->cores / joined);
    machines(each);
    if (ranks % each != 0)
      return findings_.leave_open(
          "train.layout.tp", place,
          fmt::format("a tensor is cut over {}, and a chip has {} ranks: a scenario counts whole "
                      "chips",
                      ranks, each));
    findings_.guess("train.layout.tp", std::to_string(ranks / each),
                    fmt::format("{} ranks cut a tensor, {} of them on each chip", ranks, each));
    if (ranks > each)
      findings_.guess("train.layout.sequence_parallel",
                      is_on("distributed_strategy.sequence_parallel") ? "true" : "false",
                      "sequence_parallel of its strategy");
  }
  void machines(std::int64_t each) {
    const auto ranks = number("trainer.devices");
    const auto nodes = findings_.number("nodes");
    constexpr std::int64_t kMaxRanks = 100'000'000;
    if (!ranks || *ranks % each != 0 || *ranks > kMaxRanks) return;
    const Place place = find("trainer.devices")->place;
    if (nodes && *nodes < kMaxRanks / *ranks)
      findings_.guess("world", std::to_string(*nodes * *ranks / each),
                      fmt::format("{} nodes start {} ranks, {} a chip; {}", *nodes, *ranks, each,
                                  to_text(place)));
  }

  Findings& findings_;
};

}  // namespace

bool looks_like_neuronx(const Node& root) {
  return at(root, "distributed_strategy.tensor_model_parallel_size") != nullptr ||
         (member(root, "distributed_strategy") != nullptr && member(root, "trainer") != nullptr);
}

void read_neuronx_yaml(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  const AsConfiguration weight(findings);
  findings.set(kPlainNeuron, "seen", {&source, 1});
  keep_below(source, root, "", findings);
}

void read_neuronx(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  findings.set(kPlainNeuron, "seen", call.at);
  for (const Word& word : call.words) {
    const auto equals = word.text.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = word.text.substr(word.text.starts_with('+') ? 1 : 0);
    const std::string value = word.text.substr(equals + 1);
    const Place place = place_of(call.source, word);
    const std::string name = key.substr(0, key.find('='));
    if (name == "--config-name") {
      const std::string file = value.ends_with(".yaml") ? value : value + ".yaml";
      if (word.is_known && !findings.is_given(file))
        findings.remark(fmt::format("{} is not read, and what it sets is not known", file), place);
    } else if (word.is_known) {
      keep(name, plain_number(value), place, findings);
    } else if (holds(kRead, name)) {
      findings.leave_open(own_key(name), place, fmt::format("{} is set elsewhere", name));
    }
  }
}

void settle_neuronx(Findings& findings) {
  if (findings.find(kPlainNeuron) != nullptr) NeuronRun(findings).settle();
}

}  // namespace loadfactor::launch
