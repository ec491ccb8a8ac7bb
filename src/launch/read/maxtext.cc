// MaxText: its configuration, and the `key=value` words of a command that override it.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/public_names.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

constexpr std::string_view kOwnKeys = "maxtext.";

std::string maxtext_key(std::string_view key) {
  return std::string(kOwnKeys) + std::string(key);
}

// Keys that change nothing of what is predicted, or are read here. Others are remarks.
constexpr std::array<std::string_view, 20> kMaxTextIdle{"base_config",
                                                        "run_name",
                                                        "base_output_directory",
                                                        "dataset_type",
                                                        "dataset_path",
                                                        "hf_path",
                                                        "tokenizer_path",
                                                        "hardware",
                                                        "learning_rate",
                                                        "enable_checkpointing",
                                                        "profiler",
                                                        "log_period",
                                                        "attention",
                                                        "head_dim",
                                                        "vocab_size",
                                                        "decoder_block",
                                                        "logits_via_embedding",
                                                        "checkpoint_period",
                                                        "async_checkpointing",
                                                        "enable_goodput_recording"};
constexpr std::array<std::string_view, 16> kMaxTextRead{"model_name",
                                                        "max_target_length",
                                                        "per_device_batch_size",
                                                        "steps",
                                                        "remat_policy",
                                                        "dtype",
                                                        "weight_dtype",
                                                        "quantization",
                                                        "gradient_accumulation_steps",
                                                        "optimizer_memory_host_offload",
                                                        "parameter_memory_host_offload",
                                                        "shard_optimizer_over_data",
                                                        "num_pipeline_microbatches",
                                                        "num_layers_per_pipeline_stage",
                                                        "dataset_name",
                                                        "num_slices"};

void keep_maxtext(std::string_view key, const std::string& value, const Place& place,
                  Findings& findings) {
  const bool is_axis = key.ends_with("_parallelism") || key.starts_with("base_");
  const bool is_known =
      std::find(kMaxTextRead.begin(), kMaxTextRead.end(), key) != kMaxTextRead.end();
  const bool is_idle =
      std::find(kMaxTextIdle.begin(), kMaxTextIdle.end(), key) != kMaxTextIdle.end();
  findings.set(maxtext_key(key), value, place);
  if (!is_axis && !is_known && !is_idle)
    findings.remark(
        fmt::format("{}: a scenario has no word for it, and the prediction is without it", key),
        place);
}

// What was kept, as a scenario has it.
class MaxText {
 public:
  explicit MaxText(Findings& findings) : findings_(findings) {}

  void settle() {
    model();
    findings_.guess("program", "maxtext", "by its keys");
    findings_.guess("train.stack.framework", "xla", "by its keys");
    take("max_target_length", "train.sequence", "2048");
    take("steps", "steps", "");
    precision();
    recompute();
    offload();
    if (const Finding* apart = find("async_checkpointing");
        apart != nullptr && (apart->value == "false" || apart->value == "False"))
      findings_.set("train.failures.checkpoint", std::string("synchronous"), Finding(*apart).place);
    const auto tp = degree({"tensor", "tensor_sequence", "tensor_transpose"});
    say("tp", tp);
    say("pp", degree({"pipeline"}));
    say("cp", degree({"context", "sequence"}));
    say("ep", degree({"expert"}));
    const auto plain = degree({"tensor", "tensor_transpose"});
    if (tp && plain)
      findings_.guess("train.layout.sequence_parallel", *tp > *plain ? "true" : "false",
                      "by its axes");
    spread();
    batch();
  }

 private:
  const Finding* find(std::string_view key) const { return findings_.find(maxtext_key(key)); }
  std::string text(std::string_view key, std::string_view otherwise) const {
    const Finding* found = find(key);
    return found == nullptr ? std::string(otherwise) : found->value;
  }
  // A number that may be a fraction.
  std::optional<double> number(std::string_view key, double otherwise) const {
    const Finding* found = find(key);
    if (found == nullptr) return otherwise;
    double value = 0;
    const char* end = found->value.data() + found->value.size();
    const auto done = std::from_chars(found->value.data(), end, value);
    return done.ec == std::errc() && done.ptr == end ? std::optional(value) : std::nullopt;
  }
  void take(std::string_view key, std::string_view to, std::string_view otherwise) {
    if (const Finding* found = find(key))
      findings_.set(to, Finding(*found).value, found->place);
    else if (!otherwise.empty())
      findings_.guess(to, std::string(otherwise), "MaxText's default");
  }
  // The product of axes within a slice and across slices; nothing where one takes what is left.
  std::optional<std::int64_t> degree(std::initializer_list<std::string_view> axes) const {
    std::int64_t product = 1;
    for (const std::string_view axis : axes)
      for (const char* side : {"ici", "dcn"}) {
        const std::string key = fmt::format("{}_{}_parallelism", side, axis);
        // Shards within a slice and copies across slices take what is left, unless they are said.
        const bool is_rest = key == "ici_fsdp_parallelism" || key == "dcn_data_parallelism";
        const auto value = number(key, is_rest ? -1 : 1);
        constexpr double kMaxDegree = 1e6;
        if (!value || *value < 1 || *value > kMaxDegree ||
            static_cast<double>(product) > kMaxDegree)
          return std::nullopt;
        product *= static_cast<std::int64_t>(*value);
      }
    return product;
  }
  void say(std::string_view name, std::optional<std::int64_t> value) {
    const std::string key = "train.layout." + std::string(name);
    if (value)
      findings_.guess(key, std::to_string(*value), "the axes of its mesh");
    else
      findings_.leave_open(key, {}, "an axis takes what is left of the devices");
  }
  void model() {
    const Finding* name = find("model_name");
    if (name == nullptr || name->value == "default") return dimensions();
    const std::string known = model_of_maxtext(name->value);
    findings_.guess(
        "train.model", known.empty() ? name->value : known,
        fmt::format("assumed to be model_name {} of {}", name->value, to_text(name->place)));
  }
  void dimensions() {
    for (const auto& [theirs, ours] :
         {std::pair("base_num_decoder_layers", "dims.layers"),
          std::pair("base_emb_dim", "dims.hidden"), std::pair("base_num_query_heads", "dims.heads"),
          std::pair("base_num_kv_heads", "dims.kv_heads"), std::pair("head_dim", "dims.head_dim"),
          std::pair("base_mlp_dim", "dims.mlp"), std::pair("vocab_size", "dims.vocab")})
      take(theirs, ours, "");
    if (find("base_num_decoder_layers") == nullptr) return;
    findings_.guess("dims.gated", "true", "decoders of MaxText have gated layers");
    const std::string tied = text("logits_via_embedding", "false");
    findings_.guess("dims.tied", tied == "true" || tied == "True" ? "true" : "false",
                    "logits_via_embedding");
  }
  void precision() {
    const std::string products = text("quantization", "");
    std::string word = "bf16";
    if (text("weight_dtype", "float32") == "bfloat16") word = "bf16-pure";
    if (products.starts_with("fp8") || products.find("fp8") != std::string::npos) word = "fp8";
    if (products == "int8") word = "int8";
    const Finding* said = find("quantization");
    if (said == nullptr || products.empty()) said = find("dtype");
    if (said == nullptr) return findings_.guess("train.precision", word, "MaxText's default");
    findings_.set("train.precision", word, Finding(*said).place);
  }
  void recompute() {
    constexpr const char* kKey = "train.layout.recompute";
    const std::string policy = text("remat_policy", "full");
    const Finding* said = find("remat_policy");
    if (said == nullptr) return findings_.guess(kKey, "full", "MaxText's default");
    if (policy == "full" || policy == "none") return findings_.set(kKey, policy, said->place);
    if (policy == "minimal") return findings_.set(kKey, std::string("selective"), said->place);
    findings_.guess(kKey, "selective",
                    fmt::format("remat_policy {}: the nearest that a scenario has", policy));
  }
  void offload() {
    std::string words;
    const Finding* said = nullptr;
    for (const auto& [key, word] : {std::pair("optimizer_memory_host_offload", "optimizer"),
                                    std::pair("parameter_memory_host_offload", "parameters")}) {
      const std::string value = text(key, "false");
      if (value != "true" && value != "True") continue;
      said = find(key);
      words += (words.empty() ? "" : ", ") + std::string(word);
    }
    if (said != nullptr)
      findings_.set("train.layout.offload", "[" + words + "]", Finding(*said).place);
  }
  // Copies and shares of the data-parallel ranks, the experts' among them.
  void spread() {
    const auto copies = degree({"data"});
    const auto shares = degree({"fsdp", "fsdp_transpose"});
    const auto experts = degree({"expert"});
    const std::string by_optimizer = text("shard_optimizer_over_data", "false");
    if (shares && *shares == 1)
      findings_.guess("train.layout.zero",
                      by_optimizer == "true" || by_optimizer == "True" ? "1" : "0",
                      "the axes of its mesh");
    else
      findings_.guess("train.layout.zero", "3", "an axis shards parameters");
    if (!copies || !shares || !experts) return;
    const std::int64_t dp = *copies * *shares * *experts;
    findings_.guess("train.layout.dp", std::to_string(dp), "the axes of its mesh");
    if (*copies > 1 && *shares > 1)
      findings_.guess("train.layout.shard_group", std::to_string(dp / *copies),
                      "shards within a copy");
  }
  std::optional<std::int64_t> devices() const {
    std::int64_t all = 1;
    for (const char* name : {"tp", "pp", "cp", "dp"}) {
      const auto value = findings_.number(fmt::format("train.layout.{}", name));
      if (!value) return findings_.number("world");
      all *= *value;
    }
    return all;
  }
  void batch() {
    const auto all = devices();
    const auto each = number("per_device_batch_size", 12);
    const auto steps = number("gradient_accumulation_steps", 1);
    const auto dp = findings_.number("train.layout.dp");
    const auto pp = findings_.number("train.layout.pp").value_or(1);
    if (find("per_device_batch_size") == nullptr)
      findings_.remark("per_device_batch_size is not said: MaxText's default is 12 sequences", {});
    if (!all || !each || !steps || *each <= 0 || *steps < 1) return;
    const double together = *each * static_cast<double>(*all);
    constexpr double kMaxSequences = 1e12;
    if (!(together * *steps < kMaxSequences)) return;
    findings_.guess("train.global_batch", std::to_string(std::llround(together * *steps)),
                    "per_device_batch_size over all devices and steps");
    if (!dp) return;
    const double cuts =
        pp > 1 ? number("num_pipeline_microbatches", static_cast<double>(pp)).value_or(1) : 1;
    const double micro = together / static_cast<double>(*dp) / std::max(1.0, cuts);
    constexpr double kNear = 1e-6;
    if (micro < 1 - kNear || std::abs(micro - std::round(micro)) > kNear)
      return findings_.leave_open("train.layout.micro_batch", {},
                                  fmt::format("{} sequences of a data-parallel rank are no whole "
                                              "number",
                                              micro));
    findings_.guess("train.layout.micro_batch", std::to_string(std::llround(micro)),
                    "per_device_batch_size over the devices of a rank");
    chunks(pp);
  }
  void chunks(std::int64_t pp) {
    if (pp < 2) return;
    const auto each = number("num_layers_per_pipeline_stage", 1);
    const auto layers = findings_.number("dims.layers");
    if (each && *each >= 1 && layers && *layers % (pp * std::llround(*each)) == 0)
      findings_.guess("train.layout.vp", std::to_string(*layers / (pp * std::llround(*each))),
                      "layers over stages of so many");
    else if (each && *each >= 1) {
      findings_.set("chunk_layers", std::llround(*each), {});
      findings_.guess("train.layout.schedule", "interleaved", "chunks of stages are named");
    }
  }

  Findings& findings_;
};

}  // namespace

bool looks_like_maxtext(const Node& root) {
  return member(root, "base_config") != nullptr &&
         (member(root, "per_device_batch_size") != nullptr ||
          member(root, "model_name") != nullptr || member(root, "max_target_length") != nullptr);
}

void read_maxtext_yaml(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  const AsConfiguration weight(findings);
  findings.set(kPlainMaxText, "seen", {&source, 1});
  for (const auto& each : root.members)
    if (each.value.kind == NodeKind::kScalar)
      keep_maxtext(each.key, plain_number(each.value.scalar), place(source, &each.value), findings);
}

void read_maxtext(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  findings.set(kPlainMaxText, "seen", call.at);
  for (const Word& word : call.words) {
    const auto equals = word.text.find('=');
    const bool is_file = word.text.ends_with(".yml") || word.text.ends_with(".yaml");
    const std::string file = word.text.substr(word.text.rfind('/') + 1);
    if (is_file && equals == std::string::npos && file != "base.yml" && !findings.is_given(file))
      findings.remark(fmt::format("{} is not read, and what it sets is not known", file),
                      place_of(call.source, word));
    if (equals == std::string::npos) continue;
    const std::string key = word.text.substr(0, equals);
    if (word.is_known)
      keep_maxtext(key, plain_number(word.text.substr(equals + 1)), place_of(call.source, word),
                   findings);
    else if (std::find(kMaxTextIdle.begin(), kMaxTextIdle.end(), key) == kMaxTextIdle.end())
      findings.remark(fmt::format("{} is set elsewhere", word.text), place_of(call.source, word));
  }
}

void settle_maxtext(Findings& findings) {
  if (findings.find(kPlainMaxText) != nullptr) MaxText(findings).settle();
}

}  // namespace loadfactor::launch
