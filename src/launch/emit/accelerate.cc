// accelerate: its YAML for FSDP or plain data parallelism, and a launcher.
#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"

namespace loadfactor::launch {
namespace {

using training::RecomputeKind;
using training::Sharding;

class AccelerateWriter {
 public:
  explicit AccelerateWriter(Desk& desk)
      : desk_(desk), run_(desk.run()), layout_(run_.layout), program_(read_program("accelerate")) {}

  Tree write() {
    refuse();
    const bool shards = layout_.sharding != Sharding::kNone;
    set("compute_environment", Tree::text("LOCAL_MACHINE"), "no cloud of its own");
    set("distributed_type", Tree::text(shards ? "FSDP" : "MULTI_GPU"), from("zero"));
    precision();
    set("num_machines", Tree::number(run_.nodes()), "whole nodes");
    set("num_processes", Tree::number(layout_.gpus), from("gpus"));
    set("machine_rank", Tree::number(0), "train.sh gives each node its own");
    set("main_training_function", Tree::text("main"), "its default, said");
    if (shards) fsdp();
    parallel(shards);
    return std::move(tree_);
  }

 private:
  std::string from(std::string_view key) const {
    return desk_.from(fmt::format("train.layout.{}", key));
  }
  void set(std::string_view key, Tree value, std::string_view remark) {
    const auto match = program_.find(key);
    if (!match) return desk_.fault(fmt::format("accelerate has no {}", key));
    if (match->flag->kind != FlagKind::kText)
      if (auto wrong = value_fault(*match->flag, value.scalar); !wrong.empty())
        return desk_.fault(fmt::format("accelerate {}: {}", key, wrong));
    const auto dot = key.find('.');
    Tree& at = dot == std::string_view::npos ? tree_ : tree_.at(key.substr(0, dot));
    at.set(std::string(dot == std::string_view::npos ? key : key.substr(dot + 1)), std::move(value),
           std::string(remark));
  }
  void refuse() {
    desk_.refuse_degree("train.layout.pp", layout_.pp, "it forms no pipelines");
    desk_.refuse_degree("train.layout.ep", layout_.ep, "it spreads no experts");
    if (layout_.sharding == Sharding::kOptimizer)
      desk_.refuse("train.layout.zero", "1", "it shards parameters, or gradients, or nothing");
    if (layout_.tp > 1 && layout_.sequence_parallel)
      desk_.refuse("train.layout.sequence_parallel", "true", "its tensor parallelism has none");
    const auto kind = layout_.recompute.kind;
    const bool is_whole = kind == RecomputeKind::kNone || kind == RecomputeKind::kUnknown ||
                          (kind == RecomputeKind::kFull && layout_.recompute.layers_per_stage == 0);
    if (!is_whole)
      desk_.refuse("train.layout.recompute", "parts of layers", "it has none and full");
    if (layout_.offload.optimizer != layout_.offload.parameters)
      desk_.refuse("train.layout.offload", layout_.offload.optimizer ? "optimizer" : "parameters",
                   "it moves both together");
    if (layout_.offload.activations || layout_.offload.activation_layers > 0)
      desk_.refuse("train.layout.offload", "activations", "it moves parameters and optimizer");
    if (!run_.gradients.empty())
      desk_.refuse("train.layout.gradients", run_.gradients, "its configuration has no key for it");
    refuse_formats(desk_, {});
    if (run_.lora)
      desk_.refuse("train.lora", std::to_string(*run_.lora), "adapters are the program's");
  }
  void precision() {
    const std::string& word = run_.precision;
    if (word != "bf16" && word != "fp16" && word != "fp8")
      desk_.refuse("train.precision", word, "it has bf16, fp16 and fp8");
    set("mixed_precision", Tree::text(word), desk_.from("train.precision", "default"));
  }
  void fsdp() {
    const std::string section = "fsdp_config.fsdp_";
    const bool is_whole = layout_.recompute.kind == RecomputeKind::kFull;
    set(section + "version", Tree::number(2), "the current one");
    set(section + "auto_wrap_policy", Tree::text("TRANSFORMER_BASED_WRAP"), "layer by layer");
    set(section + "reshard_after_forward", Tree::flag(layout_.sharding != Sharding::kGradients),
        from("zero"));
    set(section + "offload_params", Tree::flag(layout_.offload.parameters), from("offload"));
    set(section + "activation_checkpointing", Tree::flag(is_whole), from("recompute"));
    set(section + "state_dict_type", Tree::text("SHARDED_STATE_DICT"), "for checkpoints");
    set(section + "cpu_ram_efficient_loading", Tree::flag(true), "its default, said");
  }
  void parallel(bool shards) {
    const std::string section = "parallelism_config.parallelism_config_";
    const int group = layout_.shard_group > 0 ? layout_.shard_group : layout_.dp;
    const int shares = shards ? group : 1;
    if (layout_.tp == 1 && layout_.cp == 1 && (!shards || shares == layout_.dp)) return;
    set(section + "dp_replicate_size", Tree::number(layout_.dp / shares), from("dp"));
    set(section + "dp_shard_size", Tree::number(shares), from("zero"));
    set(section + "tp_size", Tree::number(layout_.tp), from("tp"));
    set(section + "cp_size", Tree::number(layout_.cp), from("cp"));
  }

  Desk& desk_;
  const RunPlan& run_;
  const training::Layout& layout_;
  Program program_;
  Tree tree_ = Tree::map();
};

}  // namespace

void emit_accelerate(Desk& desk) {
  const Tree config = AccelerateWriter(desk).write();
  Arguments launcher(desk, read_program("accelerate"));
  launcher.add("--config_file", "accelerate.yaml", "beside this script");
  const auto& origin = launcher.program().origin();
  const std::string table = fmt::format("{} at {}", origin.repository, origin.commit.substr(0, 8));
  std::string script = script_head(
      desk.plan(), {"Starts one node's share: ./train.sh train.py", "Keys as in " + table + "."});
  script += kHere + environment_text(desk) + "\n" +
            beside_script(launcher.as_array("launcher"), "accelerate.yaml");
  script +=
      "launcher+=(--machine_rank \"${NODE_RANK:-${SLURM_NODEID:-0}}\")\n"
      "launcher+=(--main_process_ip \"${MASTER_ADDR:-127.0.0.1}\" --main_process_port "
      "\"${MASTER_PORT:-29500}\")\n"
      "program=\"${1:-train.py}\"\n"
      "exec accelerate launch \"${launcher[@]}\" \"$program\" \"${@:2}\"\n";
  desk.add("train.sh", Role::kCommand, script);
  desk.add("accelerate.yaml", Role::kConfig,
           file_head(desk.plan(), {"Keys as in " + table + "."}) + to_yaml(config));
}

}  // namespace loadfactor::launch
