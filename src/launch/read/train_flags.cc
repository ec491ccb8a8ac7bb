// Arguments of accelerate, and what readers of training programs share.
#include "launch/read/train_flags.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {

std::string layout_key(std::string_view name) {
  return "train.layout." + std::string(name);
}

void remark_saves(const Invocation& call, const GivenFlags& flags, std::string_view name,
                  Findings& findings) {
  const bool is_ours = call.source.text.find("written by loadfactor emit") != std::string::npos;
  if (flags.find(name) == nullptr || is_ours || call.is_dump) return;
  findings.remark(fmt::format("{} {}: write failures: {{interval: so many times the time of a "
                              "step}}; without it the best interval is taken",
                              name, flags.text(name)),
                  flags.place(name));
}

namespace {

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
