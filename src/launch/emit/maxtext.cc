// MaxText: a configuration above its own base.yml, and a launcher of one process a node. No table
// of its keys is at hand, and the files say so.
#include <numeric>

#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"
#include "launch/vocabulary/public_names.h"

namespace loadfactor::launch {
namespace {

using training::RecomputeKind;
using training::Sharding;

class MaxTextWriter {
 public:
  explicit MaxTextWriter(Desk& desk) : desk_(desk), run_(desk.run()), layout_(run_.layout) {}

  Tree write() {
    refuse();
    tree_.set("base_config", Tree::text("base.yml"),
              "MaxText's own, for all that is not said here");
    set("hardware", Tree::text(is_tpu() ? "tpu" : "gpu"), "the chip of the plan");
    model();
    batch();
    axes();
    precision();
    set("remat_policy", Tree::text(remat()), from("recompute"));
    if (layout_.offload.optimizer)
      set("optimizer_memory_host_offload", Tree::flag(true), from("offload"));
    if (layout_.offload.parameters)
      set("parameter_memory_host_offload", Tree::flag(true), from("offload"));
    set("dataset_type", Tree::text("synthetic"), "set it to your data's: hf, grain, tfds");
    checkpoints();
    return std::move(tree_);
  }

 private:
  std::string from(std::string_view key) const {
    return desk_.from(fmt::format("train.layout.{}", key));
  }
  void set(std::string key, Tree value, std::string_view remark) {
    tree_.set(std::move(key), std::move(value), std::string(remark));
  }
  bool is_tpu() const { return run_.machine.vendor == "google"; }
  void refuse() {
    if (run_.machine.chip == "tpu-v2" || run_.machine.chip == "tpu-v3")
      desk_.refuse("hardware", run_.machine.chip,
                   "its two cores are two devices of JAX, and the plan counts chips");
    const auto kind = layout_.recompute.kind;
    if (kind == RecomputeKind::kModules || layout_.recompute.layers_per_stage > 0)
      desk_.refuse("train.layout.recompute", "parts of layers", "it has none, selective and full");
    if (layout_.sharding == Sharding::kGradients)
      desk_.refuse("train.layout.zero", "2", "it shards the optimizer, or parameters too");
    if (layout_.ep > 1 && layout_.dp % layout_.ep != 0)
      desk_.refuse("train.layout.ep", std::to_string(layout_.ep),
                   "its experts go over a part of the data-parallel ranks");
    if (run_.model.experts > 0 && layout_.ep > 1 && layout_.etp != layout_.tp)
      desk_.refuse("train.layout.etp", std::to_string(layout_.etp), "experts are cut by tp");
    if (layout_.offload.activations || layout_.offload.activation_layers > 0)
      desk_.refuse("train.layout.offload", "activations",
                   "its policies of recomputation move single tensors");
    if (layout_.pp > 1 && (!run_.is_even || layout_.first_layers > 0))
      desk_.refuse("train.layout.pp", std::to_string(layout_.pp),
                   "its stages hold equally many layers");
    if (!run_.gradients.empty())
      desk_.refuse("train.layout.gradients", run_.gradients, "they travel as they are computed");
    refuse_formats(desk_, {});
    if (run_.lora)
      desk_.refuse("train.lora", std::to_string(*run_.lora), "it trains all weights here");
  }
  void model() {
    const ModelShape& shape = run_.model;
    if (const std::string name = maxtext_name_of(shape.name); !name.empty())
      return set("model_name", Tree::text(name),
                 "assumed to be its name of " + shape.name + "; " + desk_.from("train.model"));
    const bool is_plain = shape.irregular.empty() && shape.experts == 0 && !shape.latent &&
                          shape.is_gated && shape.has_rms_norm && !shape.has_bias &&
                          !shape.has_qkv_bias && !shape.has_qk_norm;
    if (!is_plain)
      return desk_.refuse("train.model", shape.name,
                          "no name of it is known there, and its dimensions are not those of a "
                          "plain decoder");
    const std::string why = "of " + shape.name;
    set("decoder_block", Tree::text("llama2"), why);
    for (const auto& [key, value] :
         {std::pair("base_num_decoder_layers", shape.layers),
          std::pair("base_emb_dim", shape.hidden), std::pair("base_num_query_heads", shape.heads),
          std::pair("base_num_kv_heads", shape.kv_heads), std::pair("head_dim", shape.head_dim),
          std::pair("base_mlp_dim", shape.mlp), std::pair("vocab_size", shape.vocab)})
      set(key, Tree::number(value), why);
    set("logits_via_embedding", Tree::flag(shape.is_tied), why);
  }
  // Sequences of a device and step: a part of one where several devices share it.
  void batch() {
    set("max_target_length", Tree::number(run_.sequence), desk_.from("train.sequence"));
    const std::int64_t steps = layout_.pp > 1 ? 1 : run_.micro_batches();
    const double each = static_cast<double>(run_.global_batch) / static_cast<double>(steps) /
                        static_cast<double>(layout_.gpus);
    set("per_device_batch_size", Tree::word(fmt::format("{}", each)),
        fmt::format("{} sequences over {} devices{}; {}", run_.global_batch / steps, layout_.gpus,
                    steps > 1 ? " in each of the steps below" : "", from("micro_batch")));
    set("gradient_accumulation_steps", Tree::number(steps),
        "global batch over dp and micro-batch; " + desk_.from("train.global_batch"));
    if (run_.steps) set("steps", Tree::number(*run_.steps), "tokens over batch times sequence");
  }
  // Each axis within a node as far as it goes, the rest across nodes. Chips of a pod are one slice.
  void axes() {
    int left = is_tpu() ? layout_.gpus : run_.gpus_on_node();
    const bool shards =
        layout_.sharding == Sharding::kFull || layout_.sharding == Sharding::kHybrid;
    const int spread = layout_.ep > 1 ? layout_.dp / layout_.ep : layout_.dp;
    const bool is_grouped = layout_.shard_group > 0 && layout_.shard_group < layout_.dp;
    if (is_grouped && layout_.shard_group % layout_.ep != 0)
      desk_.refuse("train.layout.shard_group", std::to_string(layout_.shard_group),
                   "experts go over a part of the group");
    const int group = is_grouped ? std::max(1, layout_.shard_group / layout_.ep) : spread;
    const int shares = shards ? group : 1;
    const auto axis = [&](const char* name, int degree, const std::string& why) {
      const int inside = std::gcd(degree, left);
      left /= inside;
      set(fmt::format("ici_{}_parallelism", name), Tree::number(inside), why);
      set(fmt::format("dcn_{}_parallelism", name), Tree::number(degree / inside),
          "the rest of it, across nodes");
    };
    const bool is_sequence = layout_.tp > 1 && layout_.sequence_parallel;
    axis("tensor", is_sequence ? 1 : layout_.tp, from("tp"));
    axis("tensor_sequence", is_sequence ? layout_.tp : 1, from("sequence_parallel"));
    axis("context", layout_.cp, from("cp"));
    axis("expert", layout_.ep, from("ep"));
    axis("fsdp", shares, from("zero"));
    axis("data", spread / shares, from("dp"));
    axis("pipeline", layout_.pp, from("pp"));
    if (left != 1)
      desk_.refuse("train.layout.gpus", std::to_string(layout_.gpus),
                   fmt::format("its axes do not fill nodes of {}", run_.gpus_on_node()));
    if (layout_.sharding == Sharding::kOptimizer)
      set("shard_optimizer_over_data", Tree::flag(true), from("zero"));
    if (layout_.pp == 1) return;
    set("num_layers_per_pipeline_stage",
        Tree::number(run_.model.layers / (std::int64_t{layout_.pp} * std::max(1, layout_.vp))),
        "layers over stages and their chunks; " + from("vp"));
    set("num_pipeline_microbatches", Tree::number(run_.micro_batches()),
        "global batch over dp and micro-batch");
  }
  void precision() {
    const std::string why = desk_.from("train.precision", "default");
    const std::string& word = run_.precision;
    const bool is_known = word == "bf16" || word == "bf16-pure" || word == "fp8" || word == "int8";
    if (!is_known) desk_.refuse("train.precision", word, "it has bf16, bf16-pure, fp8 and int8");
    set("dtype", Tree::text("bfloat16"), why);
    set("weight_dtype", Tree::text(word == "bf16-pure" ? "bfloat16" : "float32"), why);
    set("quantization", Tree::text(word == "fp8" || word == "int8" ? word : ""), why);
  }
  const char* remat() const {
    switch (layout_.recompute.kind) {
      case RecomputeKind::kFull:
        return "full";
      case RecomputeKind::kSelective:
        return "minimal";
      default:
        return "none";
    }
  }
  void checkpoints() {
    set("enable_checkpointing", Tree::flag(run_.save_every.has_value()), "as the goodput model");
    if (!run_.save_every) return;
    set("async_checkpointing", Tree::flag(run_.saves_apart),
        desk_.from("train.failures.checkpoint", "as predicted"));
    set("checkpoint_period", Tree::number(*run_.save_every),
        save_remark(run_, "max_num_checkpoints_to_keep removes old ones"));
  }

  Desk& desk_;
  const RunPlan& run_;
  const training::Layout& layout_;
  Tree tree_ = Tree::map();
};

}  // namespace

void emit_maxtext(Desk& desk) {
  const Tree config = MaxTextWriter(desk).write();
  const std::string unverified = "These keys are unverified: no table of MaxText's was at hand.";
  std::string script = script_head(
      desk.plan(), {"Starts one node's process; add what is yours behind it: ./train.sh "
                    "base_output_directory=gs://bucket/runs dataset_type=...",
                    unverified});
  script += kHere;
  script += fmt::format(
      "export NNODES=\"${{NNODES:-{}}}\" NODE_RANK=\"${{NODE_RANK:-${{SLURM_NODEID:-0}}}}\"\n"
      "export JAX_COORDINATOR_IP=\"${{MASTER_ADDR:-127.0.0.1}}\" "
      "JAX_COORDINATOR_PORT=\"${{MASTER_PORT:-29500}}\"\n"
      "exec python3 -m MaxText.train \"$here/maxtext.yml\" run_name={} \"$@\"\n",
      desk.run().nodes(), plain_name(desk.plan().name));
  desk.add("train.sh", Role::kCommand, script);
  desk.add("maxtext.yml", Role::kConfig, file_head(desk.plan(), {unverified}) + to_yaml(config));
}

}  // namespace loadfactor::launch
