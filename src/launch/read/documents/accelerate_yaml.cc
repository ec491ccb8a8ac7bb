// accelerate's configuration.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "launch/findings/nodes.h"
#include "launch/read/documents/offload.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/program.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

void read_accelerate_fsdp(const Source& source, const Node& root, Findings& findings) {
  const std::string strategy = words(root, "fsdp_config.fsdp_sharding_strategy");
  const std::string reshard = words(root, "fsdp_config.fsdp_reshard_after_forward");
  const char* said = !strategy.empty()  ? "fsdp_config.fsdp_sharding_strategy"
                     : !reshard.empty() ? "fsdp_config.fsdp_reshard_after_forward"
                                        : "distributed_type";
  const Place where = place(source, at(root, said));
  const auto named = sharding_of(strategy);
  if (!named && !strategy.empty()) return refuse_sharding(strategy, where, findings);
  const bool keeps = reshard == "false" || reshard == "False";
  findings.set("train.layout.zero", named ? named->zero : keeps ? 2 : 3, where);
  if (named && named->is_hybrid) findings.set("hybrid_shard", strategy, where);
  const Node* offload = at(root, "fsdp_config.fsdp_offload_params");
  const bool moves = is_true(root, "fsdp_config.fsdp_offload_params");
  set_offload(source, offload, {.optimizer = moves, .parameters = moves}, findings);
  if (const Node* node = at(root, "fsdp_config.fsdp_activation_checkpointing"))
    findings.set("train.layout.recompute",
                 is_true(root, "fsdp_config.fsdp_activation_checkpointing") ? "full" : "none",
                 place(source, node));
}

void read_accelerate_deepspeed(const Source& source, const Node& root, Findings& findings) {
  // The launcher alone says less.
  if (findings.is_guess("train.stack.framework")) findings.erase("train.stack.framework");
  findings.guess("train.stack.framework", "deepspeed 0.18", "by distributed_type");
  count(source, root, "deepspeed_config.zero_stage", "train.layout.zero", findings);
  count(source, root, "deepspeed_config.gradient_accumulation_steps", "accumulation", findings);
  const bool optimizer =
      moves_to_host(source, root, "deepspeed_config.offload_optimizer_device", findings);
  const bool parameters =
      moves_to_host(source, root, "deepspeed_config.offload_param_device", findings);
  set_offload(source,
              at(root, optimizer ? "deepspeed_config.offload_optimizer_device"
                                 : "deepspeed_config.offload_param_device"),
              {.optimizer = optimizer, .parameters = parameters}, findings);
}

// Keys that are read, where they stand in whatever section.
constexpr std::array<std::string_view, 16> kAccelerateRead{"compute_environment",
                                                           "distributed_type",
                                                           "num_processes",
                                                           "num_machines",
                                                           "mixed_precision",
                                                           "zero_stage",
                                                           "gradient_accumulation_steps",
                                                           "offload_optimizer_device",
                                                           "offload_param_device",
                                                           "deepspeed_config_file",
                                                           "fsdp_sharding_strategy",
                                                           "fsdp_reshard_after_forward",
                                                           "fsdp_offload_params",
                                                           "fsdp_activation_checkpointing",
                                                           "parallelism_config_dp_replicate_size",
                                                           "parallelism_config_dp_shard_size"};

bool is_off(const Node& value) {
  constexpr std::array<std::string_view, 8> kOff{"no",    "No",   "NO",   "false",
                                                 "False", "none", "None", ""};
  return value.kind == NodeKind::kNull ||
         (value.kind == NodeKind::kScalar &&
          std::find(kOff.begin(), kOff.end(), value.scalar) != kOff.end());
}

// Keys of accelerate that a scenario has no word for, in all sections.
void remark_accelerate_rest(const Source& source, const Node& node, const Harmless& harmless,
                            Findings& findings) {
  for (const auto& each : node.members) {
    const std::string flag = "--" + each.key;
    const bool is_read = std::find(kAccelerateRead.begin(), kAccelerateRead.end(), each.key) !=
                             kAccelerateRead.end() ||
                         each.key == "parallelism_config_tp_size" ||
                         each.key == "parallelism_config_cp_size";
    if (is_read || is_off(each.value) || harmless.has(flag, each.value.scalar)) continue;
    if (each.value.kind == NodeKind::kMap)
      remark_accelerate_rest(source, each.value, harmless, findings);
    const bool holds_keys = each.key == "fsdp_config" || each.key == "deepspeed_config" ||
                            each.key == "dynamo_config" || each.key == "parallelism_config";
    if (!holds_keys)
      findings.remark(
          fmt::format("{}: a scenario has no word for it, and the prediction is without it",
                      each.key),
          place(source, &each.value));
  }
}

// A configuration of DeepSpeed that accelerate's own names says what this one leaves out.
void ask_for_deepspeed_file(const Source& source, const Node& root, Findings& findings) {
  const Node* file = at(root, "deepspeed_config.deepspeed_config_file");
  if (file == nullptr || file->scalar.empty() || findings.is_given(file->scalar)) return;
  for (const char* key : {"train.layout.zero", "train.precision"})
    findings.leave_open(key, place(source, file),
                        fmt::format("{} may say it: give that file, too", file->scalar));
  findings.remark(fmt::format("deepspeed_config_file {} is not read, and what it sets is not known",
                              file->scalar),
                  place(source, file));
}

}  // namespace

void read_accelerate_yaml(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  const AsConfiguration weight(findings);
  findings.guess("program", "accelerate", "by its keys");
  const std::string type = words(root, "distributed_type");
  count(source, root, "num_processes", "world", findings);
  count(source, root, "num_machines", "nodes", findings);
  const std::string precision = words(root, "mixed_precision");
  const Place said = place(source, at(root, "mixed_precision"));
  if (precision == "no" || precision == "false")
    findings.set(kPlainMixed, "seen", said);
  else if (!precision.empty())
    findings.set("train.precision", precision, said);
  const std::string dims = "parallelism_config.parallelism_config_";
  count(source, root, dims + "tp_size", "train.layout.tp", findings);
  count(source, root, dims + "cp_size", "train.layout.cp", findings);
  count(source, root, dims + "dp_replicate_size", "copies", findings);
  count(source, root, dims + "dp_shard_size", "shares", findings);
  if (type == "FSDP") read_accelerate_fsdp(source, root, findings);
  if (type == "DEEPSPEED") read_accelerate_deepspeed(source, root, findings);
  ask_for_deepspeed_file(source, root, findings);
  if (type == "MULTI_GPU")
    findings.set("train.layout.zero", "0", place(source, at(root, "distributed_type")));
  constexpr std::array<std::string_view, 4> kRead{"FSDP", "DEEPSPEED", "MULTI_GPU", "NO"};
  if (!type.empty() && std::find(kRead.begin(), kRead.end(), type) == kRead.end())
    findings.remark(fmt::format("distributed_type {} is none of those that are read: {}", type,
                                fmt::join(kRead, ", ")),
                    place(source, at(root, "distributed_type")));
  findings.guess("train.stack.framework", accelerate_framework(findings), "by its keys");
  remark_accelerate_rest(source, root, Harmless("accelerate"), findings);
  const Program program = read_program("accelerate");
  for (const auto& each : root.members)
    if (!program.find(each.key))
      findings.remark(fmt::format("{} is no key of accelerate that we know", each.key),
                      place(source, &each.value));
}

}  // namespace loadfactor::launch
