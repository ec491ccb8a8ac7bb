// Arguments of training programs.
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/flags.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"
#include "launch/vocabulary/titan_models.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kLayout = "train.layout.";

std::string layout_key(std::string_view name) {
  return kLayout + std::string(name);
}

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

// A scenario has the time between checkpoints, which follows from that of a step. What emit wrote
// is what a plan takes by itself.
void remark_saves(const Invocation& call, const GivenFlags& flags, std::string_view name,
                  Findings& findings) {
  const bool is_ours = call.source.text.find("written by loadfactor emit") != std::string::npos;
  if (flags.find(name) == nullptr || is_ours || call.is_dump) return;
  findings.remark(fmt::format("{} {}: write failures: {{interval: so many times the time of a "
                              "step}}; without it the best interval is taken",
                              name, flags.text(name)),
                  flags.place(name));
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

// `1`, `[1]*32` and `([0]*3+[1]*29)`: the last has dense layers before those of experts.
bool is_usual_frequency(std::string_view text) {
  if (text.empty() || text == "1") return true;
  const auto end = text.rfind("[1]*");
  return end != std::string_view::npos && text.find("[1]") == end &&
         text.substr(end + 4).find_first_not_of("0123456789)") == std::string_view::npos;
}

// Layers of experts, and how many of them a token goes to. Where all layers have experts, there is
// no dense MLP beside them.
void read_megatron_experts(const GivenFlags& flags, Findings& findings) {
  constexpr const char* kFrequency = "--moe-layer-freq";
  if (flags.find("--num-experts") == nullptr) return;
  findings.guess("dims.top_k", "2", "two experts a token are megatron's default");
  if (!flags.leaves_open("--tensor-model-parallel-size", layout_key("etp")))
    findings.guess(layout_key("etp"),
                   std::to_string(flags.number("--tensor-model-parallel-size").value_or(1)),
                   "as tp, megatron's default");
  const std::string frequency = flags.text(kFrequency);
  const bool has_dense = frequency.find("[0]") != std::string::npos;
  if (!is_usual_frequency(frequency) || flags.is_unknown(kFrequency))
    findings.remark(fmt::format("{} {}: some layers have no experts, and dimensions have them in "
                                "all: write model: {{config: its config.json}}",
                                kFrequency, frequency),
                    flags.place(kFrequency));
  else if (has_dense)
    flags.say(kFrequency, "dims.dense", "some");
  else
    findings.erase("dims.mlp");
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

// The flags of torchtitan, with those of the releases that read a TOML.
Program titan_flags(const std::vector<TitanKey>& keys) {
  const Program today = read_program("torchtitan");
  std::vector<Flag> known = today.flags();
  const auto add = [&](const std::string& name, FlagKind kind) {
    if (!today.find(name)) known.push_back({name, {}, kind, {}, {}});
  };
  for (const TitanKey& row : keys)
    add("--" + row.section + "." + row.name,
        row.choices.empty() ? FlagKind::kInteger : FlagKind::kText);
  for (const char* name : {"--job.config_file", "--model.name", "--model.flavor"})
    add(name, FlagKind::kText);
  return {"torchtitan", today.origin(), std::move(known)};
}

// Keys that a word which is set elsewhere may give: all of the layout, the batch and the length.
void ask_for_open_titan_words(const GivenFlags& flags, const std::vector<TitanKey>& keys) {
  std::vector<std::string> names;
  for (const TitanKey& row : keys) names.push_back("--" + row.section + "." + row.name);
  std::vector<GivenFlags::FlagKey> open;
  // Sections of older releases say what those of today do.
  std::set<std::string> said;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (flags.find(names[i]) != nullptr) said.insert(keys[i].key);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].name != "batch_size" && keys[i].name != "pipeline_parallel_microbatch_size" &&
        said.insert(keys[i].key).second)
      open.push_back({names[i], keys[i].key});
  flags.leave_rest_open(false, open);
}

void read_titan_model(const GivenFlags& flags, Findings& findings) {
  const auto model = titan_model_of(flags.text("--config"));
  if (!model.model.empty())
    findings.guess("train.model", model.model, "the configuration " + flags.text("--config"));
  else if (!flags.text("--config").empty())
    findings.remark(fmt::format("--config {}: a configuration of torchtitan that we do not know",
                                flags.text("--config")),
                    flags.place("--config"));
  std::string precision = model.precision;
  if (precision.empty() && flags.text("--training.dtype") == "bfloat16") precision = "bf16-pure";
  if (precision.empty() && flags.text("--training.mixed_precision_param") == "float32")
    precision = "fp32";
  if (flags.find("--training.mixed_precision_param") != nullptr || !precision.empty())
    flags.say(!model.precision.empty()   ? "--config"
              : precision == "bf16-pure" ? "--training.dtype"
                                         : "--training.mixed_precision_param",
              "train.precision", precision.empty() ? "bf16" : precision);
  else
    findings.guess("train.precision", "bf16", "torchtitan's default");
}

// Compiled kernels, and eager ones, are predicted as two frameworks. A command line overrides the
// file that it names.
void read_titan_compiler(const GivenFlags& flags, bool is_file, Findings& findings) {
  constexpr const char* kKey = "train.stack.framework";
  constexpr const char* kCompile = "--compile.enable";
  if (flags.find(kCompile) == nullptr) return;
  if (!is_file && findings.is_guess(kKey)) findings.erase(kKey);
  const bool overlaps = flags.has("--compile.enable_async_tensor_parallel");
  if (!flags.has(kCompile))
    findings.guess(kKey, "torchtitan-eager", "compile.enable is false");
  else
    findings.guess(kKey, overlaps ? "torchtitan-async" : "torchtitan", "compile.enable is given");
}

// DeepSpeed below accelerate.
void read_accelerate_deepspeed(GivenFlags& flags, Findings& findings) {
  flags.say("--use_deepspeed", "train.stack.framework", "deepspeed 0.18");
  flags.count("--zero_stage", layout_key("zero"));
  findings.guess(layout_key("zero"), "2", "accelerate's default below DeepSpeed");
  std::string words;
  if (flags.text("--offload_optimizer_device") == "cpu") words = "optimizer";
  if (flags.text("--offload_param_device") == "cpu")
    words += words.empty() ? "parameters" : ", parameters";
  if (!words.empty())
    flags.say(words.starts_with("o") ? "--offload_optimizer_device" : "--offload_param_device",
              layout_key("offload"), "[" + words + "]");
}

// Without a flag the configuration of accelerate says how it shards.
void ask_for_strategy(const GivenFlags& flags, Findings& findings) {
  for (const char* name : {"--use_fsdp", "--use_deepspeed", "--multi_gpu", "--use_megatron_lm",
                           "--use_parallelism_config"})
    if (flags.has(name)) return;
  const std::string file = flags.text("--config_file");
  if (!file.empty() && findings.reads(file)) return;
  findings.leave_open(layout_key("zero"), flags.place(file.empty() ? "" : "--config_file"),
                      file.empty() ? "no flag says how it shards, and accelerate's own default does"
                                   : file + " may say it: give that file, too");
}

// What FSDP below accelerate keeps elsewhere, or computes again.
void read_accelerate_memory(const GivenFlags& flags) {
  const auto is_true = [&](const char* name) {
    const std::string text = flags.text(name);
    return text == "true" || text == "True";
  };
  if (is_true("--fsdp_offload_params"))
    flags.say("--fsdp_offload_params", layout_key("offload"), "[optimizer, parameters]");
  if (flags.find("--fsdp_activation_checkpointing") != nullptr)
    flags.say("--fsdp_activation_checkpointing", layout_key("recompute"),
              is_true("--fsdp_activation_checkpointing") ? "full" : "none");
}

}  // namespace

std::string accelerate_framework(const Findings& findings) {
  return findings.number(layout_key("zero")) == 0 ? "distributeddataparallel" : "hf-fsdp";
}

std::optional<StrategySharding> sharding_of(std::string_view strategy) {
  struct StrategyRow {
    std::string_view name, number;
    StrategySharding sharding;
  };
  constexpr StrategyRow kStrategies[] = {{"FULL_SHARD", "1", {3, false}},
                                         {"SHARD_GRAD_OP", "2", {2, false}},
                                         {"NO_SHARD", "3", {0, false}},
                                         {"HYBRID_SHARD", "4", {3, true}},
                                         {"HYBRID_SHARD_ZERO2", "5", {2, true}}};
  std::string plain(strategy.substr(strategy.starts_with('_') ? 1 : 0));
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const auto& row : kStrategies)
    if (row.name == plain || row.number == plain) return row.sharding;
  return std::nullopt;
}

void refuse_sharding(const std::string& strategy, const Place& place, Findings& findings) {
  findings.error(lf::kWrongType, place, fmt::format("'{}' is no strategy of FSDP", strategy),
                 "FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, HYBRID_SHARD_ZERO2, or 1 to 5 "
                 "in this order");
}

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

void read_torchtitan(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  const auto keys = read_titan_keys();
  GivenFlags flags(titan_flags(keys), call.source, call.words, findings);
  read_titan_compiler(flags, call.is_dump, findings);
  findings.guess("program", "torchtitan", "by its flags");
  for (const TitanKey& row : keys) {
    const std::string name = "--" + row.section + "." + row.name;
    row.choices.empty() ? flags.count(name, row.key) : flags.word(name, row.key);
  }
  const std::string section = "--parallelism.";
  if (flags.find(section + "data_parallel_replicate_degree") != nullptr &&
      flags.find(section + "data_parallel_shard_degree") == nullptr)
    findings.guess("shares", "-1", "torchtitan shards over what is left");
  flags.count(section + "pipeline_parallel_layers_per_stage", "stage_layers");
  flags.count(section + "pipeline_parallel_first_stage_less_layers", "first_less");
  flags.count(section + "pipeline_parallel_last_stage_less_layers", "last_less");
  flags.count("--training.max_context_length", "train.sequence");
  flags.count("--training.num_tokens_per_microbatch_per_dp_rank", "micro_tokens");
  flags.count("--training.num_tokens_per_train_step", "step_tokens");
  if (const GivenFlag* given = flags.find(section + "enable_sequence_parallel"))
    flags.say(given->name, layout_key("sequence_parallel"), given->says_no ? "false" : "true");
  else
    findings.guess(layout_key("sequence_parallel"), "true", "torchtitan's default");
  if (flags.has("--training.enable_cpu_offload"))
    flags.say("--training.enable_cpu_offload", layout_key("offload"), "[optimizer, parameters]");
  remark_saves(call, flags, "--checkpoint.interval", findings);
  if (flags.text("--checkpoint.async_mode") == "disabled")
    flags.say("--checkpoint.async_mode", "train.failures.checkpoint", "synchronous");
  ask_for_open_titan_words(flags, keys);
  read_titan_model(flags, findings);
  flags.word("--model.name", kTitanName);
  flags.word("--model.flavor", kTitanFlavor);
  ask_for_file(flags, "--job.config_file",
               {layout_key("tp"), layout_key("pp"), layout_key("cp"), layout_key("zero")},
               findings);
  if (!call.is_dump) flags.tell();
  flags.remark_rest("torchtitan", call.is_dump);
}

void read_accelerate_flags(const Invocation& call, Findings& findings) {
  findings.has_launch = true;
  GivenFlags flags(read_program("accelerate"), call.source, call.words, findings);
  findings.guess("program", "accelerate", "by its launcher");
  flags.count("--num_processes", "world");
  flags.count("--num_machines", "nodes");
  flags.count("--gradient_accumulation_steps", "accumulation");
  flags.count("--parallelism_config_tp_size", layout_key("tp"));
  flags.count("--parallelism_config_cp_size", layout_key("cp"));
  flags.count("--parallelism_config_dp_replicate_size", "copies");
  flags.count("--parallelism_config_dp_shard_size", "shares");
  const std::string precision = flags.text("--mixed_precision");
  if (precision == "no")
    findings.set(kPlainMixed, "seen", flags.place("--mixed_precision"));
  else if (!precision.empty())
    flags.say("--mixed_precision", "train.precision", precision);
  else
    findings.set(kPlainAccelerate, "seen", call.at);
  const std::vector<GivenFlags::FlagKey> open{{"--num_processes", "world"},
                                              {"--num_machines", "nodes"},
                                              {"--mixed_precision", "train.precision"},
                                              {"--use_fsdp", layout_key("zero")}};
  flags.leave_rest_open(false, open);
  if (flags.has("--use_deepspeed")) {
    read_accelerate_deepspeed(flags, findings);
  } else if (flags.has("--use_fsdp")) {
    const std::string strategy = flags.text("--fsdp_sharding_strategy");
    const auto named = sharding_of(strategy);
    const std::string reshard = flags.text("--fsdp_reshard_after_forward");
    const bool keeps = reshard == "false" || reshard == "False";
    if (!named && !strategy.empty())
      refuse_sharding(strategy, flags.place("--fsdp_sharding_strategy"), findings);
    flags.say("--use_fsdp", layout_key("zero"), named ? named->zero : keeps ? 2 : 3);
    if (named && named->is_hybrid) flags.say("--use_fsdp", "hybrid_shard", strategy);
    read_accelerate_memory(flags);
  } else if (flags.has("--multi_gpu")) {
    flags.say("--multi_gpu", layout_key("zero"), 0);
  }
  for (const char* name : {"--config_file", "--deepspeed_config_file"})
    ask_for_file(flags, name, {layout_key("zero"), "train.precision"}, findings);
  ask_for_strategy(flags, findings);
  if (!findings.is_open(layout_key("zero")))
    findings.guess("train.stack.framework", accelerate_framework(findings), "by its launcher");
  flags.remark_rest("accelerate");
}

}  // namespace loadfactor::launch
