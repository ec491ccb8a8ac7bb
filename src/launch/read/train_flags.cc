// Arguments of training programs.
#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/flags.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/titan_models.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kLayout = "train.layout.";

std::string layout_key(std::string_view name) {
  return kLayout + std::string(name);
}

void read_megatron_precision(const GivenFlags& flags, Findings& findings) {
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
  if (precision.empty()) return;
  const char* given = flags.has("--fp4-format")   ? "--fp4-format"
                      : flags.has("--fp8-format") ? "--fp8-format"
                      : flags.has("--fp16")       ? "--fp16"
                                                  : "--bf16";
  findings.set("train.precision", precision, flags.place(given));
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
  const char* from = is_sharded ? "--use-megatron-fsdp" : "--use-distributed-optimizer";
  if (flags.find(from) != nullptr) {
    findings.set(layout_key("zero"), zero, flags.place(from));
  } else {
    findings.guess(layout_key("zero"), zero, "no flag shards anything");
  }
  if (const auto copies = flags.number("--num-distributed-optimizer-instances"))
    findings.set("shard_copies", *copies, flags.place("--num-distributed-optimizer-instances"));
  if (flags.has("--grad-reduce-in-bf16"))
    findings.set(layout_key("gradients"), "bf16", flags.place("--grad-reduce-in-bf16"));
  if (flags.has("--accumulate-allreduce-grads-in-fp32"))
    findings.set(layout_key("gradients"), "fp32",
                 flags.place("--accumulate-allreduce-grads-in-fp32"));
}

void read_megatron_recompute(const GivenFlags& flags, Findings& findings) {
  const std::string granularity = flags.text("--recompute-granularity");
  const Place place = flags.place("--recompute-granularity");
  const std::string key = layout_key("recompute");
  if (flags.has("--recompute-activations"))
    return findings.set(key, "selective", flags.place("--recompute-activations"));
  if (granularity.empty()) return findings.guess(key, "none", "no flag recomputes anything");
  if (granularity == "full") {
    const auto layers = flags.number("--recompute-num-layers");
    const bool is_block = flags.text("--recompute-method") == "block";
    return findings.set(key, is_block && layers ? fmt::format("{{layers: {}}}", *layers) : "full",
                        place);
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
  findings.set(key, words.empty() || has_core ? "selective" : "[" + words + "]", place);
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
  if (!flags.has("--multi-latent-attention")) findings.erase("dims.kv_rank");
  if (!flags.has("--group-query-attention") && flags.find("--num-query-groups") == nullptr)
    if (const auto heads = flags.number("--num-attention-heads"))
      findings.guess("dims.kv_heads", std::to_string(*heads), "no flag groups the heads");
  if (flags.find("--num-layers") == nullptr) return;
  findings.set("dims.gated", flags.has("--swiglu") ? "true" : "false", flags.place("--num-layers"));
  findings.set("dims.tied", flags.has("--untie-embeddings-and-output-weights") ? "false" : "true",
               flags.place("--num-layers"));
}

void read_megatron_offload(const GivenFlags& flags, Findings& findings) {
  std::string words;
  if (flags.has("--optimizer-cpu-offload")) words = "optimizer";
  const auto layers = flags.number("--cpu-offloading-num-layers");
  if (layers && *layers > 0) {
    words += words.empty() ? "activations" : ", activations";
    findings.set(layout_key("offload_layers"), *layers, flags.place("--cpu-offloading-num-layers"));
  }
  if (!words.empty())
    findings.set(layout_key("offload"), "[" + words + "]",
                 flags.place(flags.has("--optimizer-cpu-offload") ? "--optimizer-cpu-offload"
                                                                  : "--cpu-offloading-num-layers"));
}

void remark_unknown(const Source& source, const GivenFlags& flags, std::string_view program,
                    Findings& findings) {
  for (const Word& word : flags.unknown())
    findings.remark(
        fmt::format("{} is no flag of {} that we know", word.text.substr(0, 80), program),
        place_of(source, word));
}

}  // namespace

void read_megatron(const Source& source, Words words, Findings& findings) {
  findings.has_launch = true;
  GivenFlags flags(read_program("megatron"), source, words, findings);
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
  for (const auto& [flag, key] :
       {std::pair{"--account-for-embedding-in-pipeline-split", "counts.embedding"},
        std::pair{"--account-for-loss-in-pipeline-split", "counts.loss"}})
    if (flags.has(flag)) findings.set(key, "1", flags.place(flag));
  flags.count("--micro-batch-size", layout_key("micro_batch"));
  flags.count("--global-batch-size", "train.global_batch");
  flags.count("--seq-length", "train.sequence");
  flags.count("--train-iters", "steps");
  flags.count("--save-interval", "save_every");
  if (flags.find("--sequence-parallel") != nullptr)
    findings.set(layout_key("sequence_parallel"), "true", flags.place("--sequence-parallel"));
  else
    findings.guess(layout_key("sequence_parallel"), "false", "no flag switches it on");
  read_megatron_precision(flags, findings);
  read_megatron_sharding(flags, findings);
  read_megatron_recompute(flags, findings);
  read_megatron_offload(flags, findings);
  read_megatron_model(flags, findings);
  remark_unknown(source, flags, "Megatron-LM", findings);
}

void read_torchtitan(const Source& source, Words words, Findings& findings) {
  findings.has_launch = true;
  GivenFlags flags(read_program("torchtitan"), source, words, findings);
  findings.guess("train.stack.framework", "torchtitan", "by its flags");
  findings.guess("program", "torchtitan", "by its flags");
  const std::string section = "--parallelism.";
  flags.count(section + "tensor_parallel_degree", layout_key("tp"));
  flags.count(section + "pipeline_parallel_degree", layout_key("pp"));
  flags.count(section + "context_parallel_degree", layout_key("cp"));
  flags.count(section + "expert_parallel_degree", layout_key("ep"));
  flags.count(section + "data_parallel_replicate_degree", "copies");
  flags.count(section + "data_parallel_shard_degree", "shares");
  flags.count(section + "pipeline_parallel_layers_per_stage", "stage_layers");
  flags.count(section + "pipeline_parallel_first_stage_less_layers", "first_less");
  flags.count(section + "pipeline_parallel_last_stage_less_layers", "last_less");
  flags.word(section + "fsdp_reshard_after_forward", "reshard");
  flags.word(section + "pipeline_parallel_schedule", "titan_schedule");
  flags.count("--training.max_context_length", "train.sequence");
  flags.count("--training.num_tokens_per_microbatch_per_dp_rank", "micro_tokens");
  flags.count("--training.num_tokens_per_train_step", "step_tokens");
  flags.count("--training.steps", "steps");
  flags.count("--checkpoint.interval", "save_every");
  if (const GivenFlag* given = flags.find(section + "enable_sequence_parallel"))
    findings.set(layout_key("sequence_parallel"), given->says_no ? "false" : "true",
                 place_of(source, given->at));
  else
    findings.guess(layout_key("sequence_parallel"), "true", "torchtitan's default");
  if (flags.has("--training.enable_cpu_offload"))
    findings.set(layout_key("offload"), "[optimizer, parameters]",
                 flags.place("--training.enable_cpu_offload"));
  const auto model = titan_model_of(flags.text("--config"));
  if (!model.model.empty())
    findings.guess("train.model", model.model, "the configuration " + flags.text("--config"));
  std::string precision = model.precision;
  if (precision.empty() && flags.text("--training.dtype") == "bfloat16") precision = "bf16-pure";
  if (precision.empty() && flags.text("--training.mixed_precision_param") == "float32")
    precision = "fp32";
  if (flags.find("--training.mixed_precision_param") != nullptr || !precision.empty())
    findings.set("train.precision", precision.empty() ? "bf16" : precision,
                 flags.place(!model.precision.empty()   ? "--config"
                             : precision == "bf16-pure" ? "--training.dtype"
                                                        : "--training.mixed_precision_param"));
  else
    findings.guess("train.precision", "bf16", "torchtitan's default");
  remark_unknown(source, flags, "torchtitan", findings);
}

void read_accelerate_flags(const Source& source, Words words, Findings& findings) {
  findings.has_launch = true;
  GivenFlags flags(read_program("accelerate"), source, words, findings);
  findings.guess("train.stack.framework", "hugging face fsdp", "by its launcher");
  findings.guess("program", "accelerate", "by its launcher");
  flags.count("--num_processes", "world");
  flags.count("--num_machines", "nodes");
  flags.count("--gradient_accumulation_steps", "accumulation");
  flags.count("--parallelism_config_tp_size", layout_key("tp"));
  flags.count("--parallelism_config_cp_size", layout_key("cp"));
  flags.count("--parallelism_config_dp_replicate_size", "copies");
  flags.count("--parallelism_config_dp_shard_size", "shares");
  const std::string precision = flags.text("--mixed_precision");
  if (!precision.empty() && precision != "no")
    findings.set("train.precision", precision, flags.place("--mixed_precision"));
  if (flags.has("--use_fsdp"))
    findings.set(layout_key("zero"),
                 flags.text("--fsdp_reshard_after_forward") == "false" ||
                         flags.text("--fsdp_sharding_strategy") == "SHARD_GRAD_OP"
                     ? "2"
                     : "3",
                 flags.place("--use_fsdp"));
}

}  // namespace loadfactor::launch
