// DeepSpeed's configuration.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/nodes.h"
#include "launch/read/documents/offload.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/program.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

struct KeyRow {
  std::string_view path, key;
};

constexpr std::array kDeepspeedCounts{
    KeyRow{"train_batch_size", "train.global_batch"},
    KeyRow{"train_micro_batch_size_per_gpu", "train.layout.micro_batch"},
    KeyRow{"gradient_accumulation_steps", "accumulation"},
    KeyRow{"tensor_parallel.autotp_size", "train.layout.tp"},
    KeyRow{"zero_optimization.stage", "train.layout.zero"},
    KeyRow{"zero_optimization.mics_shard_size", "train.layout.shard_group"},
};
// Paths beside the counts that are read.
constexpr std::array<std::string_view, 10> kDeepspeedRead{
    "expert_parallel.enabled",
    "expert_parallel.autoep_size",
    "expert_parallel.expert_tensor_parallel_size",
    "bf16.enabled",
    "bf16.bf16_master_weights_and_grads",
    "fp16.enabled",
    "zero_optimization.offload_optimizer.device",
    "zero_optimization.offload_param.device",
    "activation_checkpointing.cpu_checkpointing",
    "communication_data_type"};

void read_deepspeed_precision(const Source& source, const Node& root, Findings& findings) {
  constexpr const char* kKey = "train.precision";
  const bool bf16 = is_true(root, "bf16.enabled");
  const bool fp16 = is_true(root, "fp16.enabled");
  if (bf16 && fp16)
    findings.error(lf::kContradictoryKeys, place(source, at(root, "fp16.enabled")),
                   "bf16 and fp16 are both enabled", "keep the one that runs");
  if (bf16)
    findings.set(kKey, is_true(root, "bf16.bf16_master_weights_and_grads") ? "bf16-pure" : "bf16",
                 place(source, at(root, "bf16.enabled")));
  if (const Node* pure = at(root, "bf16.bf16_master_weights_and_grads"); pure != nullptr && !bf16)
    findings.remark("bf16.bf16_master_weights_and_grads changes nothing without bf16.enabled",
                    place(source, pure));
  if (fp16 && !bf16) findings.set(kKey, "fp16", place(source, at(root, "fp16.enabled")));
  for (const char* path : {"bf16.enabled", "fp16.enabled"})
    if (words(root, path) == "auto" && !bf16 && !fp16)
      findings.leave_open(
          kKey, place(source, at(root, path)),
          fmt::format("{} is \"auto\", and no argument in the files says it", path));
  if (!bf16 && !fp16) findings.set(kPlainDeepspeed, "seen", {&source, 1});
}

// Keys that no release has, and those that a scenario has no word for.
void remark_rest(const Source& source, const Node& node, const std::string& path,
                 const Program& program, const Harmless& harmless, Findings& findings) {
  for (const auto& each : node.members) {
    const std::string here = path.empty() ? each.key : path + "." + each.key;
    const Place where{&source, each.key_position.line, each.key_position.column,
                      each.key_position.length};
    if (path.empty() && !program.find(each.key)) {
      findings.remark(fmt::format("{} is no key of DeepSpeed that we know", here), where);
      continue;
    }
    if (each.value.kind == NodeKind::kMap) {
      if (!harmless.has(here, ""))
        remark_rest(source, each.value, here, program, harmless, findings);
      continue;
    }
    const std::string& value = each.value.scalar;
    const auto known = program.find(here);
    const bool is_read =
        std::find(kDeepspeedRead.begin(), kDeepspeedRead.end(), here) != kDeepspeedRead.end() ||
        std::any_of(kDeepspeedCounts.begin(), kDeepspeedCounts.end(),
                    [&](const KeyRow& row) { return row.path == here; });
    const bool is_default =
        known && !known->flag->otherwise.empty() && known->flag->otherwise == value;
    if (!is_read && !is_default && !harmless.has(here, value))
      findings.remark(
          fmt::format("{}: a scenario has no word for it, and the prediction is without it", here),
          where);
  }
}

}  // namespace

void read_deepspeed_json(const Source& source, const Node& root, Findings& findings) {
  findings.has_launch = true;
  findings.guess("train.stack.framework", "deepspeed 0.18", "by its keys");
  findings.guess("program", "deepspeed", "by its keys");
  for (const auto& [path, key] : kDeepspeedCounts) count(source, root, path, key, findings);
  if (is_true(root, "expert_parallel.enabled")) {
    count(source, root, "expert_parallel.autoep_size", "train.layout.ep", findings);
    count(source, root, "expert_parallel.expert_tensor_parallel_size", "train.layout.etp",
          findings);
    if (at(root, "expert_parallel.autoep_size") == nullptr)
      findings.leave_open("train.layout.ep", place(source, at(root, "expert_parallel.enabled")),
                          "over how many ranks the experts go, autoep_size");
  }
  for (const char* path :
       {"expert_parallel.autoep_size", "expert_parallel.expert_tensor_parallel_size"})
    if (const Node* node = at(root, path);
        node != nullptr && !is_true(root, "expert_parallel.enabled"))
      findings.remark(fmt::format("{} changes nothing without expert_parallel.enabled", path),
                      place(source, node));
  findings.guess("train.layout.zero", "0", "deepspeed's default");
  read_deepspeed_precision(source, root, findings);
  const bool optimizer =
      moves_to_host(source, root, "zero_optimization.offload_optimizer.device", findings);
  const bool parameters =
      moves_to_host(source, root, "zero_optimization.offload_param.device", findings);
  const bool activations = is_true(root, "activation_checkpointing.cpu_checkpointing");
  set_offload(source, at(root, "zero_optimization"), {optimizer, parameters, activations},
              findings);
  const std::string wire = words(root, "communication_data_type");
  if (!wire.empty())
    findings.set("train.layout.gradients", wire,
                 place(source, at(root, "communication_data_type")));
  remark_rest(source, root, "", read_program("deepspeed"), Harmless("deepspeed"), findings);
}

}  // namespace loadfactor::launch
