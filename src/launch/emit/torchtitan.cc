// torchtitan: flags of its current release, and the TOML that older ones read.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"
#include "launch/vocabulary/titan_models.h"

namespace loadfactor::launch {
namespace {

using training::RecomputeKind;
using training::Schedule;
using training::Sharding;

// How the data-parallel ranks are cut into copies and shares.
struct Cut {
  int copies = 1;
  int shares = 1;
};
Cut cut_of(const training::Layout& layout) {
  if (layout.sharding == Sharding::kNone) return {layout.dp, 1};
  const int group = layout.shard_group > 0 ? layout.shard_group : layout.dp;
  return {layout.dp / group, group};
}

const char* schedule_of(const training::Layout& layout) {
  switch (layout.schedule) {
    case Schedule::kGpipe:
      return "GPipe";
    case Schedule::kInterleaved:
      return "Interleaved1F1B";
    case Schedule::kZeroBubbleV:
      return "ZBVZeroBubble";
    case Schedule::k1F1B:
      return layout.vp > 1 ? "Interleaved1F1B" : "1F1B";
    default:
      return nullptr;
  }
}

class TitanWriter {
 public:
  explicit TitanWriter(Desk& desk)
      : desk_(desk),
        run_(desk.run()),
        layout_(run_.layout),
        arguments_(desk, read_program("torchtitan")) {}

  Arguments write() {
    refuse();
    model();
    const auto cut = cut_of(layout_);
    const std::string section = "--parallelism.";
    arguments_.add("--training.max_context_length", run_.sequence, desk_.from("train.sequence"));
    arguments_.add("--training.num_tokens_per_microbatch_per_dp_rank",
                   layout_.micro_batch * run_.sequence,
                   "micro-batch times sequence; " + from("micro_batch"));
    arguments_.add("--training.num_tokens_per_train_step", run_.global_batch * run_.sequence,
                   "global batch times sequence; " + desk_.from("train.global_batch"));
    if (run_.steps)
      arguments_.add("--training.steps", *run_.steps, "tokens over batch times sequence");
    arguments_.add(section + "data_parallel_replicate_degree", cut.copies, from("dp"));
    arguments_.add(section + "data_parallel_shard_degree", cut.shares, from("zero"));
    arguments_.add(section + "fsdp_reshard_after_forward",
                   layout_.sharding == Sharding::kGradients ? "never" : "always", from("zero"));
    arguments_.add(section + "tensor_parallel_degree", layout_.tp, from("tp"));
    if (layout_.tp > 1)
      arguments_.toggle(section + "enable_sequence_parallel", layout_.sequence_parallel,
                        from("sequence_parallel"));
    arguments_.add(section + "context_parallel_degree", layout_.cp, from("cp"));
    arguments_.add(section + "expert_parallel_degree", layout_.ep, from("ep"));
    stages();
    precision();
    compiler();
    if (layout_.offload.parameters)
      arguments_.add("--training.enable_cpu_offload", from("offload"));
    checkpoints();
    return std::move(arguments_);
  }
  // What an older release reads.
  std::string toml() const;
  // The registered configuration that runs; empty where there is none.
  std::string config() const {
    const auto config = titan_config_of(run_.model.name, run_.precision);
    return config ? config->config : std::string();
  }

 private:
  std::string from(std::string_view key) const {
    return desk_.from(fmt::format("train.layout.{}", key));
  }
  void refuse() {
    if (layout_.sharding == Sharding::kOptimizer)
      desk_.refuse("train.layout.zero", "1",
                   "it shards parameters, or parameters and gradients, or nothing");
    if (layout_.pp > 1 && schedule_of(layout_) == nullptr)
      desk_.refuse("train.layout.schedule", "its schedule",
                   "it has gpipe, 1f1b, interleaved, zero-bubble-v");
    if (run_.model.experts > 0 && layout_.etp != 1 && layout_.etp != layout_.tp)
      desk_.refuse("train.layout.etp", std::to_string(layout_.etp),
                   "experts are cut by tp, or not at all");
    if (layout_.offload.optimizer != layout_.offload.parameters)
      desk_.refuse("train.layout.offload", layout_.offload.optimizer ? "optimizer" : "parameters",
                   "it moves both together");
    if (layout_.offload.activations || layout_.offload.activation_layers > 0)
      desk_.refuse("train.layout.offload", "activations", "it moves parameters and optimizer");
    if (layout_.recompute.kind == RecomputeKind::kModules || layout_.recompute.layers_per_stage > 0)
      desk_.refuse("train.layout.recompute", "parts of layers", "it has none, selective and full");
    if (!run_.gradients.empty() && run_.gradients != "fp32")
      desk_.refuse("train.layout.gradients", run_.gradients, "gradients are reduced in fp32");
    refuse_formats(desk_, {});
    if (run_.lora) desk_.refuse("train.lora", std::to_string(*run_.lora), "it trains all weights");
  }
  // The layers of a stage between the ends, and how many fewer the ends have.
  struct StageLengths {
    bool is_short = false;
    std::int64_t middle = 0, first_less = 0, last_less = 0;
  };
  StageLengths stage_lengths() const {
    const std::int64_t chunks = std::int64_t{layout_.pp} * layout_.vp;
    if (run_.is_even && run_.model.layers % chunks == 0)
      return {.middle = run_.model.layers / chunks};
    const std::int64_t middle = std::max<std::int64_t>(run_.first_stage, run_.last_stage);
    return {true, middle, middle - run_.first_stage, middle - run_.last_stage};
  }
  void model_section(std::string& text) const;
  void model() {
    const auto config = titan_config_of(run_.model.name, run_.precision);
    if (!config)
      return desk_.refuse("train.model",
                          run_.model.name.empty() ? "its dimensions" : run_.model.name,
                          fmt::format("no registered configuration has it in {}", run_.precision));
    arguments_.add("--module", config->module, desk_.from("train.model"));
    arguments_.add("--config", config->config, desk_.from("train.model"));
  }
  void stages() {
    if (layout_.pp == 1 || schedule_of(layout_) == nullptr) return;
    const std::string section = "--parallelism.";
    const auto [is_short, middle, first_less, last_less] = stage_lengths();
    if (is_short && layout_.vp > 1)
      return desk_.refuse("train.layout.vp", std::to_string(layout_.vp),
                          "the layers do not divide evenly");
    if (is_short && layout_.pp > 2 &&
        middle * (layout_.pp - 2) + run_.first_stage + run_.last_stage != run_.model.layers)
      return desk_.refuse("train.layout.first_layers", std::to_string(run_.first_stage),
                          "stages between the ends are as long as the longer end");
    arguments_.add(section + "pipeline_parallel_degree", layout_.pp, from("pp"));
    arguments_.add(section + "pipeline_parallel_schedule", schedule_of(layout_), from("schedule"));
    arguments_.add(section + "pipeline_parallel_layers_per_stage", middle, from("vp"));
    arguments_.add(section + "pipeline_parallel_first_stage_less_layers", first_less,
                   from("first_layers"));
    arguments_.add(section + "pipeline_parallel_last_stage_less_layers", last_less,
                   from("last_layers"));
    arguments_.add(section + "num_pp_microbatches", run_.micro_batches(),
                   "global batch over dp and micro-batch");
    arguments_.add("--training.disable_cuda_graphs", "a pipeline needs it");
  }
  void precision() {
    const std::string why = desk_.from("train.precision", "default");
    const bool is_pure = run_.precision == "bf16-pure";
    if (run_.precision == "fp16")
      desk_.refuse("train.precision", run_.precision,
                   "it has bf16, bf16-pure and what its configurations convert to");
    arguments_.add("--training.dtype", is_pure ? "bfloat16" : "float32", why);
    arguments_.add("--training.mixed_precision_param", "bfloat16", why);
    arguments_.add("--training.mixed_precision_reduce", "float32", "its only choice");
  }
  void compiler() {
    constexpr const char* kWhy = "as the framework of the prediction does";
    arguments_.toggle("--compile.enable", run_.compiles, kWhy);
    if (layout_.tp > 1 && run_.compiles && run_.overlaps_tensors)
      arguments_.toggle("--compile.enable_async_tensor_parallel", true, kWhy);
  }
  std::string kept_words() const {
    constexpr const char* kFlag = "--checkpoint.keep_latest_k";
    const auto match = arguments_.program().find(kFlag);
    if (!match) return "how many are kept is its default";
    return fmt::format("it keeps the last {} unless {} says otherwise", match->flag->otherwise,
                       kFlag);
  }
  void checkpoints() {
    if (!run_.save_every) return;
    arguments_.add("--checkpoint.enable", "the run must survive a failure");
    arguments_.add("--checkpoint.interval", *run_.save_every, save_remark(run_, kept_words()));
    arguments_.add("--checkpoint.async_mode", run_.saves_apart ? "async" : "disabled",
                   desk_.from("train.failures.checkpoint", "as predicted"));
  }

  Desk& desk_;
  const RunPlan& run_;
  const training::Layout& layout_;
  Arguments arguments_;
};

const char* recompute_mode(const training::Recompute& recompute) {
  switch (recompute.kind) {
    case RecomputeKind::kFull:
      return "full";
    case RecomputeKind::kSelective:
      return "selective";
    default:
      return "none";
  }
}

std::string TitanWriter::toml() const {
  const auto cut = cut_of(layout_);
  std::string text =
      file_head(desk_.plan(),
                {"For releases that read TOML; its keys are not held to a table, so check them.",
                 "Recomputation stands here alone: no flag of the current release says it."});
  const auto section = [&text](const char* name) { text += fmt::format("\n[{}]\n", name); };
  const auto number = [&text](const char* key, std::int64_t value, const std::string& why) {
    text += fmt::format("{} = {}  # {}\n", key, value, why);
  };
  const auto word = [&text](const char* key, std::string_view value, const std::string& why) {
    text += fmt::format("{} = \"{}\"  # {}\n", key, value, why);
  };
  model_section(text);
  section("training");
  number("seq_len", run_.sequence, desk_.from("train.sequence"));
  number("local_batch_size", layout_.pp > 1 ? run_.global_batch / layout_.dp : layout_.micro_batch,
         from("micro_batch"));
  number("global_batch_size", run_.global_batch, desk_.from("train.global_batch"));
  if (run_.steps) number("steps", *run_.steps, "tokens over batch times sequence");
  section("parallelism");
  number("data_parallel_replicate_degree", cut.copies, from("dp"));
  number("data_parallel_shard_degree", cut.shares, from("zero"));
  word("fsdp_reshard_after_forward", layout_.sharding == Sharding::kGradients ? "never" : "always",
       from("zero"));
  number("tensor_parallel_degree", layout_.tp, from("tp"));
  number("context_parallel_degree", layout_.cp, from("cp"));
  number("expert_parallel_degree", layout_.ep, from("ep"));
  number("pipeline_parallel_degree", layout_.pp, from("pp"));
  if (layout_.pp > 1) {
    word("pipeline_parallel_schedule", schedule_of(layout_) == nullptr ? "" : schedule_of(layout_),
         from("schedule"));
    const StageLengths lengths = stage_lengths();
    number("pipeline_parallel_layers_per_stage", lengths.middle, from("vp"));
    number("pipeline_parallel_first_stage_less_layers", lengths.first_less, from("first_layers"));
    number("pipeline_parallel_last_stage_less_layers", lengths.last_less, from("last_layers"));
    number("pipeline_parallel_microbatch_size", layout_.micro_batch, from("micro_batch"));
  }
  section("activation_checkpoint");
  word("mode", recompute_mode(layout_.recompute), from("recompute"));
  section("compile");
  text += fmt::format("enable = {}  # as the framework of the prediction does\n", run_.compiles);
  if (!run_.save_every) return text;
  section("checkpoint");
  text += "enable = true  # the run must survive a failure\n";
  number("interval", *run_.save_every, "the best by the goodput model");
  word("async_mode", run_.saves_apart ? "async" : "disabled",
       desk_.from("train.failures.checkpoint", "as predicted"));
  return text;
}

// `30b_a3b` and `0_6b` of a configuration's name as older releases write the flavor.
std::string flavor_of(const TitanConfig& config) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string flavor =
      config.config.substr(std::min(config.module.size() + 1, config.config.size()));
  for (std::size_t i = 0; i < flavor.size(); ++i) {
    const bool is_point =
        i > 0 && i + 1 < flavor.size() && is_digit(flavor[i - 1]) && is_digit(flavor[i + 1]);
    if (flavor[i] == '_') flavor[i] = is_point ? '.' : '-';
    if (flavor[i] >= 'a' && flavor[i] <= 'z') flavor[i] = static_cast<char>(flavor[i] - 'a' + 'A');
  }
  return flavor;
}

void TitanWriter::model_section(std::string& text) const {
  const auto config = titan_config_of(run_.model.name, "bf16");
  if (!config) return;
  const std::string why = desk_.from("train.model");
  text += fmt::format("\n[model]\nname = \"{}\"  # {}\nflavor = \"{}\"  # {}\n", config->module,
                      why, flavor_of(*config), why);
}

// No flag says how layers are recomputed, and a default would change what was predicted: the script
// does not start before somebody has said that the configuration does it so.
std::string confirmation(const Desk& desk, const std::string& config) {
  return fmt::format(
      "export LF_RECOMPUTE={}  # {}\n"
      "if [ \"${{LF_CONFIRMED_RECOMPUTE:-}}\" != \"$LF_RECOMPUTE\" ]; then\n"
      "  echo \"train.layout.recompute: no flag of torchtitan sets it. See that the configuration "
      "{} recomputes '$LF_RECOMPUTE', then start with LF_CONFIRMED_RECOMPUTE=$LF_RECOMPUTE\" >&2\n"
      "  exit 64\n"
      "fi\n",
      recompute_mode(desk.run().layout.recompute), desk.from("train.layout.recompute"), config);
}

}  // namespace

void emit_torchtitan(Desk& desk) {
  TitanWriter writer(desk);
  const std::string toml = writer.toml();
  const std::string config = writer.config();
  const Arguments arguments = writer.write();
  const std::string table = fmt::format("{} at {}", arguments.program().origin().repository,
                                        arguments.program().origin().commit.substr(0, 8));
  std::string script = script_head(
      desk.plan(), {"Starts one node's share; flags as in " + table + ".",
                    fmt::format("Recomputation ({}) is a part of the configuration, not a flag; "
                                "torchtitan.toml has it.",
                                recompute_mode(desk.run().layout.recompute))});
  script += confirmation(desk, config);
  script += "\n" + arguments.as_array("arguments") + "\n";
  script += torchrun_text(desk.run(), "-m torchtitan.train", "arguments");
  desk.add("train.sh", Role::kCommand, script);
  desk.add("torchtitan.args", Role::kArguments,
           file_head(desk.plan(), {"The arguments of train.sh alone; flags as in " + table + "."}) +
               arguments.as_lines());
  desk.add("torchtitan.toml", Role::kConfig, toml);
}

}  // namespace loadfactor::launch
