// Arguments of Megatron-LM.
#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/read/train_flags.h"
#include "launch/vocabulary/layer_pattern.h"

namespace loadfactor::launch {
namespace {

void read_megatron_precision(const GivenFlags& flags, const Place& at, Findings& findings) {
  const std::string recipe = flags.text("--fp8-recipe");
  std::string precision;
  if (flags.has("--bf16")) precision = "bf16";
  if (flags.has("--fp16")) precision = "fp16";
  if (flags.has("--fp8-format"))
    precision = recipe == "blockwise" ? "fp8-block" : recipe == "mxfp8" ? "mxfp8" : "fp8";
  if (flags.has("--fp4-format")) precision = "nvfp4";
  if (flags.has("--bf16") && flags.has("--fp16"))
    findings.error(lf::kContradictoryKeys, flags.place("--fp16"),
                   "--bf16 and --fp16 exclude each other", "keep the one that runs");
  if (precision.empty()) return findings.set(kPlainMegatron, "seen", at);
  const char* given = flags.has("--fp4-format")   ? "--fp4-format"
                      : flags.has("--fp8-format") ? "--fp8-format"
                      : flags.has("--fp16")       ? "--fp16"
                                                  : "--bf16";
  if (flags.has("--fp8-format") && flags.leaves_open("--fp8-recipe", "train.precision")) return;
  flags.say(given, "train.precision", precision);
}

// The formats of both moments, which Megatron takes with its precision-aware optimizer alone.
void read_megatron_moments(const GivenFlags& flags, Findings& findings) {
  constexpr const char* kAware = "--use-precision-aware-optimizer";
  constexpr const char* kFirst = "--exp-avg-dtype";
  constexpr const char* kSecond = "--exp-avg-sq-dtype";
  const bool is_aware = flags.has(kAware);
  for (const char* name : {kFirst, kSecond})
    if (!is_aware && flags.find(name) != nullptr && flags.text(name) != "fp32")
      findings.remark(fmt::format("{} without {}: Megatron-LM does not start so", name, kAware),
                      flags.place(name));
  if (!is_aware) return;
  for (const char* name : {kFirst, kSecond})
    if (flags.leaves_open(name, layout_key("moments"))) return;
  const auto format = [&](const char* name) {
    return flags.find(name) == nullptr ? std::string("fp32") : flags.text(name);
  };
  const std::string first = format(kFirst);
  const std::string second = format(kSecond);
  if (first == second && (first == "bf16" || first == "fp32"))
    return flags.say(flags.find(kFirst) != nullptr ? kFirst : kAware, layout_key("moments"), first);
  if (first == "fp16" && second == "fp16")
    return findings.guess(layout_key("moments"), "bf16", "fp16 takes as many bytes");
  findings.remark(fmt::format("{} is {} and {} is {}: a scenario has one format for both, fp32 or "
                              "bf16, and the prediction has fp32",
                              kFirst, first, kSecond, second),
                  flags.place(flags.find(kFirst) != nullptr ? kFirst : kSecond));
}

void read_megatron_sharding(const GivenFlags& flags, Findings& findings) {
  const std::string strategy = flags.text("--data-parallel-sharding-strategy");
  std::string zero = flags.has("--use-distributed-optimizer") ? "1" : "0";
  const bool is_sharded = flags.has("--use-megatron-fsdp") || flags.has("--use-torch-fsdp2");
  if (is_sharded)
    zero = strategy == "optim_grads" ? "2"
           : strategy == "optim"     ? "1"
           : strategy == "no_shard"  ? "0"
                                     : "3";
  const char* from = !is_sharded                        ? "--use-distributed-optimizer"
                     : flags.has("--use-megatron-fsdp") ? "--use-megatron-fsdp"
                                                        : "--use-torch-fsdp2";
  if (is_sharded && flags.leaves_open("--data-parallel-sharding-strategy", layout_key("zero"))) {
    findings.remark("the strategy says which stage of ZeRO it is", flags.place(from));
  } else if (flags.find(from) != nullptr) {
    flags.say(from, layout_key("zero"), zero);
  } else {
    findings.guess(layout_key("zero"), zero, "no flag shards anything");
  }
  if (const auto copies = flags.number("--num-distributed-optimizer-instances"))
    flags.say("--num-distributed-optimizer-instances", "shard_copies", *copies);
  if (flags.has("--grad-reduce-in-bf16"))
    flags.say("--grad-reduce-in-bf16", layout_key("gradients"), "bf16");
  if (flags.has("--accumulate-allreduce-grads-in-fp32"))
    flags.say("--accumulate-allreduce-grads-in-fp32", layout_key("gradients"), "fp32");
  read_megatron_moments(flags, findings);
  if (flags.find("--moe-expert-capacity-factor") != nullptr)
    flags.say("--moe-expert-capacity-factor", layout_key("moe.capacity_factor"),
              flags.text("--moe-expert-capacity-factor"));
  if (flags.has("--moe-pad-expert-input-to-capacity"))
    flags.say("--moe-pad-expert-input-to-capacity", layout_key("moe.padded"), "true");
}

// Keys that a word which is set elsewhere may give.
void ask_for_open_words(const GivenFlags& flags) {
  using FlagKey = GivenFlags::FlagKey;
  const FlagKey keys[] = {
      {"--tensor-model-parallel-size", layout_key("tp")},
      {"--pipeline-model-parallel-size", layout_key("pp")},
      {"--context-parallel-size", layout_key("cp")},
      {"--use-distributed-optimizer", layout_key("zero")},
      {"--recompute-granularity", layout_key("recompute")},
      {"--bf16", "train.precision"},
      {"--sequence-parallel", layout_key("sequence_parallel")},
      {"--num-layers-per-virtual-pipeline-stage", layout_key("vp")},
  };
  flags.leave_rest_open(false, keys);
}

// The prediction takes what overlaps as its framework has it.
void remark_overlap(const GivenFlags& flags, const Place& at, Findings& findings) {
  const bool is_one = flags.text("--tensor-model-parallel-size") == "1" ||
                      flags.find("--tensor-model-parallel-size") == nullptr;
  std::string missing;
  if (!flags.has("--overlap-grad-reduce")) missing = "--overlap-grad-reduce";
  if (flags.has("--use-distributed-optimizer") && !flags.has("--overlap-param-gather"))
    missing += std::string(missing.empty() ? "" : ", ") + "--overlap-param-gather";
  if (!is_one && !flags.has("--tp-comm-overlap"))
    missing += std::string(missing.empty() ? "" : ", ") + "--tp-comm-overlap";
  if (!missing.empty())
    findings.remark("without " + missing + ": the prediction overlaps what the framework can", at);
}

void read_megatron_recompute(const GivenFlags& flags, Findings& findings) {
  const std::string granularity = flags.text("--recompute-granularity");
  const Place place = flags.place("--recompute-granularity");
  const std::string key = layout_key("recompute");
  if (flags.has("--recompute-activations"))
    return flags.say("--recompute-activations", key, "selective");
  if (flags.has("--checkpoint-activations"))
    return flags.say("--checkpoint-activations", key, "full");
  if (flags.leaves_open("--recompute-granularity", key)) return;
  if (granularity.empty()) return findings.guess(key, "none", "no flag recomputes anything");
  if (granularity == "full") {
    const auto layers = flags.number("--recompute-num-layers");
    const bool is_block = flags.text("--recompute-method") == "block";
    return flags.say("--recompute-granularity", key,
                     is_block && layers ? fmt::format("{{layers: {}}}", *layers) : "full");
  }
  struct ModuleRow {
    std::string_view theirs, ours;
  };
  constexpr ModuleRow kModules[] = {{"layernorm", "norms"},
                                    {"moe_act", "activations"},
                                    {"mlp", "mlp"},
                                    {"mla_up_proj", "latent-up"},
                                    {"moe", "experts"}};
  std::string words;
  bool has_core = false;
  if (const GivenFlag* modules = flags.find("--recompute-modules")) {
    for (const Word& word : modules->values) has_core |= word.text == "core_attn";
    for (const auto& [theirs, ours] : kModules)
      for (const Word& word : modules->values)
        if (word.text == theirs) words += (words.empty() ? "" : ", ") + std::string(ours);
    if (has_core && !words.empty())
      findings.remark(
          "core_attn is recomputed beside other modules: a scenario has one or the other", place);
  }
  flags.say("--recompute-granularity", key,
            words.empty() || has_core ? "selective" : "[" + words + "]");
}

// The widths that Megatron takes where no flag says them.
void guess_widths(const GivenFlags& flags, Findings& findings) {
  const auto hidden = flags.number("--hidden-size");
  if (hidden && flags.find("--ffn-hidden-size") == nullptr) {
    // Two products share the width of a gated layer, in whole steps of 64.
    const std::int64_t gated = *hidden * 8 / 3 / 64 * 64;
    findings.guess("dims.mlp", std::to_string(flags.has("--swiglu") ? gated : 4 * *hidden),
                   "the width of the MLP is megatron's default");
  }
  const auto width = findings.number("dims.mlp");
  if (width && flags.find("--num-experts") != nullptr)
    findings.guess("dims.expert_width", std::to_string(*width),
                   "experts are as wide as the MLP, megatron's default");
}

// Which layers have experts: every one, each so many, or those of a list. What the flag is asked
// for is a question where its value is not in the files.
void read_megatron_layers(const GivenFlags& flags, Findings& findings) {
  constexpr const char* kFrequency = "--moe-layer-freq";
  constexpr const char* kSparse = "dims.moe_layers";
  if (flags.leaves_open(kFrequency, kSparse)) return;
  const auto layers = flags.number("--num-layers");
  const std::string text = flags.find(kFrequency) == nullptr ? "1" : flags.text(kFrequency);
  const auto every = whole_number(text);
  auto pattern = every ? std::nullopt : layer_pattern(text);
  if ((!every && !pattern) || (every && *every < 1))
    return findings.error(lf::kWrongType, flags.place(kFrequency),
                          fmt::format("{}: '{}' says no layers", kFrequency, text),
                          "2 for every second layer, or [0]*3+[1]*58 with one entry a layer");
  if (pattern && layers && pattern->size() != static_cast<std::size_t>(*layers))
    return findings.error(lf::kContradictoryKeys, flags.place(kFrequency),
                          fmt::format("{} has {} entries, and --num-layers is {}", kFrequency,
                                      pattern->size(), *layers),
                          "one entry a layer");
  if (every && *every == 1) findings.erase("dims.mlp");
  constexpr std::int64_t kMostLayers = 10'000;
  if (every && (!layers || *layers > kMostLayers)) return;
  if (every) {
    pattern.emplace();
    for (std::int64_t i = 0; i < *layers; ++i) pattern->push_back(i % *every == 0);
  }
  const auto sparse = std::count(pattern->begin(), pattern->end(), true);
  const auto first = std::find(pattern->begin(), pattern->end(), true);
  if (flags.find(kFrequency) == nullptr)
    findings.guess(kSparse, std::to_string(sparse), "experts in every layer, megatron's default");
  else
    flags.say(kFrequency, kSparse, sparse);
  if (static_cast<std::size_t>(sparse) == pattern->size()) return findings.erase("dims.mlp");
  if (first != pattern->begin()) flags.say(kFrequency, "dims.dense", first - pattern->begin());
}

// Layers of experts, and how many of them a token goes to. Where all layers have experts, there is
// no dense MLP beside them.
void read_megatron_experts(const GivenFlags& flags, Findings& findings) {
  if (flags.find("--num-experts") == nullptr) return;
  findings.guess("dims.top_k", "2", "two experts a token are megatron's default");
  if (!flags.leaves_open("--tensor-model-parallel-size", layout_key("etp")))
    findings.guess(layout_key("etp"),
                   std::to_string(flags.number("--tensor-model-parallel-size").value_or(1)),
                   "as tp, megatron's default");
  read_megatron_layers(flags, findings);
}

void read_megatron_model(GivenFlags& flags, Findings& findings) {
  struct DimensionRow {
    const char* flag;
    const char* key;
  };
  constexpr DimensionRow kDimensions[] = {
      {"--num-layers", "dims.layers"},
      {"--hidden-size", "dims.hidden"},
      {"--num-attention-heads", "dims.heads"},
      {"--num-query-groups", "dims.kv_heads"},
      {"--kv-channels", "dims.head_dim"},
      {"--ffn-hidden-size", "dims.mlp"},
      {"--vocab-size", "dims.vocab"},
      {"--num-experts", "dims.experts"},
      {"--moe-router-topk", "dims.top_k"},
      {"--moe-ffn-hidden-size", "dims.expert_width"},
      {"--moe-shared-expert-intermediate-size", "dims.shared_width"},
      {"--kv-lora-rank", "dims.kv_rank"},
  };
  for (const auto& [flag, key] : kDimensions) flags.count(flag, key);
  if (const auto padded = flags.number("--padded-vocab-size"))
    findings.guess("dims.vocab", std::to_string(*padded), "padded as it runs");
  if (!flags.has("--multi-latent-attention")) findings.erase("dims.kv_rank");
  guess_widths(flags, findings);
  read_megatron_experts(flags, findings);
  if (!flags.has("--group-query-attention") && flags.find("--num-query-groups") == nullptr)
    if (const auto heads = flags.number("--num-attention-heads"))
      findings.guess("dims.kv_heads", std::to_string(*heads), "no flag groups the heads");
  flags.count("--max-position-embeddings", "positions");
  for (const char* name :
       {"--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"})
    if (flags.has(name)) flags.say(name, std::string(name).substr(2), "true");
  if (flags.find("--pipeline-model-parallel-layout") != nullptr) {
    flags.say("--pipeline-model-parallel-layout", "stage_layout", "own");
    findings.remark(
        "--pipeline-model-parallel-layout: a scenario has equal stages, or first_layers "
        "and last_layers",
        flags.place("--pipeline-model-parallel-layout"));
  }
  if (flags.find("--num-layers") == nullptr) return;
  findings.set("dims.gated", flags.has("--swiglu") ? "true" : "false", flags.place("--num-layers"));
  findings.set("dims.tied", flags.has("--untie-embeddings-and-output-weights") ? "false" : "true",
               flags.place("--num-layers"));
}

void read_megatron_offload(const GivenFlags& flags) {
  std::string words;
  if (flags.has("--optimizer-cpu-offload")) words = "optimizer";
  const auto layers = flags.number("--cpu-offloading-num-layers");
  if (layers && *layers > 0) {
    words += words.empty() ? "activations" : ", activations";
    flags.say("--cpu-offloading-num-layers", layout_key("offload_layers"), *layers);
  }
  if (!words.empty())
    flags.say(flags.has("--optimizer-cpu-offload") ? "--optimizer-cpu-offload"
                                                   : "--cpu-offloading-num-layers",
              layout_key("offload"), "[" + words + "]");
}

}  // namespace

void read_megatron(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  GivenFlags flags(read_program("megatron"), call.source, call.words, findings);
  findings.guess("train.stack.framework", "megatron-lm", "by its flags");
  findings.guess("program", "megatron", "by its flags");
  flags.count("--tensor-model-parallel-size", layout_key("tp"));
  flags.count("--pipeline-model-parallel-size", layout_key("pp"));
  flags.count("--context-parallel-size", layout_key("cp"));
  flags.count("--expert-model-parallel-size", layout_key("ep"));
  flags.count("--expert-tensor-parallel-size", layout_key("etp"));
  flags.count("--num-virtual-stages-per-pipeline-rank", layout_key("vp"));
  flags.count("--num-layers-per-virtual-pipeline-stage", "virtual_layers");
  flags.count("--decoder-first-pipeline-num-layers", layout_key("first_layers"));
  flags.count("--decoder-last-pipeline-num-layers", layout_key("last_layers"));
  flags.count("--micro-batch-size", layout_key("micro_batch"));
  flags.count("--global-batch-size", "train.global_batch");
  flags.count("--seq-length", "train.sequence");
  flags.count("--train-iters", "steps");
  flags.count("--train-samples", "samples");
  ask_for_open_words(flags);
  if (flags.find("--sequence-parallel") != nullptr)
    flags.say("--sequence-parallel", layout_key("sequence_parallel"), "true");
  else
    findings.guess(layout_key("sequence_parallel"), "false", "no flag switches it on");
  read_megatron_precision(flags, call.at, findings);
  read_megatron_sharding(flags, findings);
  read_megatron_recompute(flags, findings);
  read_megatron_offload(flags);
  if (flags.find("--save-interval") != nullptr && !flags.has("--async-save"))
    flags.say("--save-interval", "train.failures.checkpoint", "synchronous");
  remark_saves(call, flags, "--save-interval", findings);
  read_megatron_model(flags, findings);
  remark_overlap(flags, call.at, findings);
  if (!call.is_dump) flags.tell();
  flags.remark_rest("Megatron-LM", call.is_dump);
}

}  // namespace loadfactor::launch
