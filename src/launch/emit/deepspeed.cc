// DeepSpeed: its JSON, held to the table of its keys, and a launcher.
#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"

namespace loadfactor::launch {
namespace {

using training::RecomputeKind;
using training::Sharding;

class DeepSpeedWriter {
 public:
  explicit DeepSpeedWriter(Desk& desk)
      : desk_(desk), run_(desk.run()), program_(read_program("deepspeed")) {}

  Tree write() {
    refuse();
    const auto& layout = run_.layout;
    set("train_batch_size", Tree::number(run_.global_batch), desk_.from("train.global_batch"));
    set("train_micro_batch_size_per_gpu", Tree::number(layout.micro_batch), from("micro_batch"));
    set("gradient_accumulation_steps", Tree::number(run_.micro_batches()),
        "train_batch_size over micro-batch and data-parallel ranks");
    precision();
    sharding();
    parallel();
    if (layout.offload.activations || layout.offload.activation_layers > 0)
      set("activation_checkpointing.cpu_checkpointing", Tree::flag(true), from("offload"));
    if (!run_.gradients.empty())
      set("communication_data_type", Tree::text(run_.gradients), from("gradients"));
    refuse_formats(desk_, {});
    set("steps_per_print", Tree::number(10), "for the log");
    set("wall_clock_breakdown", Tree::flag(false), "for the log");
    return std::move(tree_);
  }
  // What each key is and who gave it, for JSON itself has no comments.
  const std::string& remarks() const { return remarks_; }

 private:
  std::string from(std::string_view key) const {
    return desk_.from(fmt::format("train.layout.{}", key));
  }
  void set(std::string_view key, Tree value, std::string_view remark) {
    const auto match = program_.find(key);
    if (!match) return desk_.fault(fmt::format("deepspeed has no {}", key));
    // A scalar of any type is a text there.
    if (match->flag->kind != FlagKind::kText)
      if (auto wrong = value_fault(*match->flag, value.scalar); !wrong.empty())
        return desk_.fault(fmt::format("deepspeed {}: {}", key, wrong));
    remarks_ += fmt::format("#   {:<52} {}\n", fmt::format("{} = {}", key, value.scalar), remark);
    Tree* at = &tree_;
    std::string_view rest = key;
    for (auto dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      at = &at->at(rest.substr(0, dot));
      rest.remove_prefix(dot + 1);
    }
    at->set(std::string(rest), std::move(value));
  }
  void refuse() {
    const auto& layout = run_.layout;
    constexpr const char* kModel = "its model code forms pipelines, not its configuration";
    desk_.refuse_degree("train.layout.pp", layout.pp, kModel);
    desk_.refuse_degree("train.layout.cp", layout.cp, "its configuration has no key for it");
    if (layout.tp > 1 && layout.sequence_parallel)
      desk_.refuse("train.layout.sequence_parallel", "true", "its tensor parallelism has none");
    const auto kind = layout.recompute.kind;
    if (kind == RecomputeKind::kModules || layout.recompute.layers_per_stage > 0)
      desk_.refuse("train.layout.recompute", "parts of layers", "it has none, selective and full");
    if (run_.lora)
      desk_.refuse("train.lora", std::to_string(*run_.lora), "adapters are the program's");
    if (layout.offload.activation_layers > 0)
      desk_.refuse("train.layout.offload_layers", std::to_string(layout.offload.activation_layers),
                   "it moves the checkpoints of all layers, or none");
  }
  void precision() {
    const std::string why = desk_.from("train.precision", "default");
    const std::string& word = run_.precision;
    if (word == "fp16") return set("fp16.enabled", Tree::flag(true), why);
    if (word != "bf16" && word != "bf16-pure")
      return desk_.refuse("train.precision", word, "it has bf16, bf16-pure and fp16");
    set("bf16.enabled", Tree::flag(true), why);
    if (word == "bf16") return;
    set("bf16.bf16_master_weights_and_grads", Tree::flag(true), why);
    set("bf16.bf16_optimizer_states", Tree::flag(true), why);
  }
  void sharding() {
    const auto& layout = run_.layout;
    const bool is_hybrid = layout.sharding == Sharding::kHybrid;
    const int stage = is_hybrid ? 3 : static_cast<int>(layout.sharding);
    const std::string zero = "zero_optimization.";
    set(zero + "stage", Tree::number(stage), from("zero"));
    if (layout.shard_group > 0 && layout.shard_group < layout.dp) {
      if (stage == 3) {
        set(zero + "mics_shard_size", Tree::number(layout.shard_group), from("shard_group"));
      } else {
        desk_.refuse("train.layout.shard_group", std::to_string(layout.shard_group),
                     "it shards over all ranks below stage 3");
      }
    }
    if (stage > 0) {
      set(zero + "overlap_comm", Tree::flag(run_.overlaps_gradients), "as predicted");
      set(zero + "contiguous_gradients", Tree::flag(true), "its default, said");
      set(zero + "reduce_bucket_size", Tree::number(500'000'000), "its default, said");
    }
    if (stage == 3) {
      set(zero + "stage3_prefetch_bucket_size", Tree::number(50'000'000), "its default, said");
      set(zero + "stage3_param_persistence_threshold", Tree::number(100'000), "its default, said");
    }
    const auto place = [](bool leaves) { return Tree::text(leaves ? "cpu" : "none"); };
    if (stage > 0)
      set(zero + "offload_optimizer.device", place(layout.offload.optimizer), from("offload"));
    if (stage == 3)
      set(zero + "offload_param.device", place(layout.offload.parameters), from("offload"));
    if (stage == 0 && layout.offload.optimizer)
      desk_.refuse("train.layout.offload", "optimizer", "it moves a sharded optimizer alone");
    if (stage < 3 && layout.offload.parameters)
      desk_.refuse("train.layout.offload", "parameters", "it moves those of stage 3 alone");
  }
  void parallel() {
    const auto& layout = run_.layout;
    if (layout.tp > 1) set("tensor_parallel.autotp_size", Tree::number(layout.tp), from("tp"));
    if (run_.model.experts == 0 || layout.ep == 1) return;
    set("expert_parallel.enabled", Tree::flag(true), from("ep"));
    set("expert_parallel.autoep_size", Tree::number(layout.ep), from("ep"));
    set("expert_parallel.expert_tensor_parallel_size", Tree::number(layout.etp), from("etp"));
  }

  Desk& desk_;
  const RunPlan& run_;
  Program program_;
  Tree tree_ = Tree::map();
  std::string remarks_;
};

}  // namespace

void emit_deepspeed(Desk& desk) {
  DeepSpeedWriter writer(desk);
  const Tree config = writer.write();
  std::string script =
      script_head(desk.plan(),
                  {"Starts one node's share: ./train.sh train.py",
                   "JSON has no comments; what ds_config.json says, and who gave it:"},
                  writer.remarks());
  script += kHere + environment_text(desk) + "\nprogram=\"${1:-train.py}\"\n";
  // Its own launcher reaches other nodes by ssh; torchrun starts where a batch system or a manifest
  // already has.
  std::string line = torchrun_text(
      desk.run(), "\"$program\" --deepspeed --deepspeed_config \"$here/ds_config.json\"", "");
  line.replace(line.rfind("\"$@\""), 4, "\"${@:2}\"");
  desk.add("train.sh", Role::kCommand, script + line);
  desk.add("ds_config.json", Role::kConfig, to_json(config));
}

}  // namespace loadfactor::launch
