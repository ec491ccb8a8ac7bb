// Trainium: the YAML of NeuronX Distributed Training, and a torchrun line of one process a core.
// No table of its keys is at hand, and the files say so.
#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"
#include "launch/vocabulary/neuron_chips.h"

namespace loadfactor::launch {
namespace {

using training::RecomputeKind;
using training::Sharding;

constexpr const char* kUnverified =
    "These keys are unverified: no table of NeuronX Distributed Training's was at hand.";

class NeuronWriter {
 public:
  NeuronWriter(Desk& desk, const NeuronChip& chip)
      : desk_(desk), run_(desk.run()), layout_(run_.layout), chip_(chip) {}

  Tree write() {
    refuse();
    refuse_model();
    Tree tree = Tree::map();
    tree.set("name", plain_name(desk_.plan().name));
    tree.set("model_source", "megatron", "its dimensions stand below");
    tree.set("trainer", trainer());
    tree.set("exp_manager", checkpoints());
    tree.set("distributed_strategy", degrees());
    tree.set("data", batch());
    Tree model = dimensions();
    recompute(model);
    tree.set("model", std::move(model));
    tree.set("precision", precision());
    return tree;
  }

 private:
  std::string from(std::string_view key) const {
    return desk_.from(fmt::format("train.layout.{}", key));
  }
  int ranks_of_tensor() const { return layout_.tp * chip_.ranks(); }

  void refuse() {
    if (run_.gpus_on_node() != run_.machine.gpus_per_node)
      desk_.refuse(
          "train.layout.gpus", std::to_string(layout_.gpus),
          fmt::format("its machines are taken whole, with {} chips", run_.machine.gpus_per_node));
    if (layout_.sharding != Sharding::kNone && layout_.sharding != Sharding::kOptimizer)
      desk_.refuse("train.layout.zero", std::to_string(static_cast<int>(layout_.sharding)),
                   "it shards the optimizer alone: zero: 1");
    if (layout_.shard_group > 0 && layout_.shard_group < layout_.dp)
      desk_.refuse("train.layout.shard_group", std::to_string(layout_.shard_group),
                   "it shards over all data-parallel ranks");
    if (layout_.tp > 1 && !layout_.sequence_parallel)
      desk_.refuse("train.layout.sequence_parallel", "false",
                   "each core of a chip would hold all of its activations");
    if (layout_.pp > 1 && (!run_.is_even || layout_.first_layers > 0))
      desk_.refuse("train.layout.pp", std::to_string(layout_.pp),
                   "its stages hold equally many layers");
    const auto kind = layout_.recompute.kind;
    if (kind == RecomputeKind::kModules)
      desk_.refuse("train.layout.recompute", "parts of layers",
                   "it has none, selective, full and {layers: N}");
    const auto& offload = layout_.offload;
    if (offload.optimizer || offload.parameters || offload.activations ||
        offload.activation_layers > 0)
      desk_.refuse("train.layout.offload", "the host", "it keeps all on the chips");
    if (!run_.gradients.empty())
      desk_.refuse("train.layout.gradients", run_.gradients, "they travel as its precision says");
    refuse_formats(desk_, {});
    if (run_.lora)
      desk_.refuse("train.lora", std::to_string(*run_.lora), "it trains all weights here");
  }
  void refuse_model() {
    const ModelShape& model = run_.model;
    const bool is_plain = model.irregular.empty() && model.experts == 0 && !model.latent &&
                          model.is_gated && model.has_rms_norm && !model.has_bias &&
                          !model.has_qkv_bias && !model.has_qk_norm && !model.learns_positions;
    if (!is_plain)
      return desk_.refuse("train.model", model.name,
                          "its dimensions are not those of a plain decoder without experts");
    const int tensor = ranks_of_tensor();
    const bool heads_divide = model.heads % tensor == 0;
    const bool keys_divide = model.kv_heads % tensor == 0 || tensor % model.kv_heads == 0;
    if (!heads_divide || !keys_divide)
      desk_.refuse(
          "train.layout.tp", std::to_string(layout_.tp),
          fmt::format("over {} cores a chip that is {} ranks, which do not divide {} heads "
                      "and {} of keys",
                      chip_.ranks(), tensor, model.heads, model.kv_heads));
  }
  Tree trainer() const {
    Tree tree = Tree::map();
    tree.set("devices", Tree::number(std::int64_t{run_.gpus_on_node()} * chip_.ranks()),
             fmt::format("{} chips a node with {} ranks each", run_.gpus_on_node(), chip_.ranks()));
    tree.set("num_nodes", Tree::number(run_.nodes()), "whole machines of the plan");
    if (run_.steps)
      tree.set("max_steps", Tree::number(*run_.steps),
               "tokens over batch times sequence; " + desk_.from("train.tokens"));
    return tree;
  }
  Tree checkpoints() const {
    Tree tree = Tree::map();
    tree.set("create_checkpoint_callback", Tree::flag(run_.save_every.has_value()),
             "as the goodput model");
    if (!run_.save_every) return tree;
    Tree callback = Tree::map();
    callback.set("every_n_train_steps", Tree::number(*run_.save_every),
                 save_remark(run_, "save_top_k says how many are kept"));
    tree.set("checkpoint_callback_params", std::move(callback));
    tree.set("async_checkpointing", Tree::flag(run_.saves_apart),
             desk_.from("train.failures.checkpoint", "as predicted"));
    return tree;
  }
  Tree degrees() const {
    Tree tree = Tree::map();
    const int tensor = ranks_of_tensor();
    tree.set("tensor_model_parallel_size", Tree::number(tensor),
             fmt::format("tp {} over the {} ranks of each chip; {}", layout_.tp, chip_.ranks(),
                         from("tp")));
    tree.set("pipeline_model_parallel_size", Tree::number(layout_.pp), from("pp"));
    tree.set("virtual_pipeline_model_parallel_size", Tree::number(std::max(1, layout_.vp)),
             from("vp"));
    tree.set("context_parallel_size", Tree::number(layout_.cp), from("cp"));
    tree.set("sequence_parallel", Tree::flag(true),
             layout_.tp > 1 ? from("sequence_parallel")
                            : "the cores of a chip share its activations, as predicted");
    const std::int64_t copies = std::max<std::int64_t>(1, tensor / run_.model.kv_heads);
    tree.set("kv_replicator", Tree::number(copies), "ranks that hold the same heads of keys");
    tree.set("zero1", Tree::flag(layout_.sharding == Sharding::kOptimizer), from("zero"));
    return tree;
  }
  Tree batch() const {
    Tree tree = Tree::map();
    tree.set("micro_batch_size", Tree::number(layout_.micro_batch), from("micro_batch"));
    tree.set("global_batch_size", Tree::number(run_.global_batch),
             desk_.from("train.global_batch"));
    tree.set("seq_length", Tree::number(run_.sequence), desk_.from("train.sequence"));
    return tree;
  }
  Tree dimensions() const {
    const ModelShape& model = run_.model;
    const std::string why = desk_.from("train.model");
    Tree tree = Tree::map();
    tree.set("encoder_seq_length", Tree::number(run_.sequence), desk_.from("train.sequence"));
    tree.set("max_position_embeddings", Tree::number(run_.sequence), desk_.from("train.sequence"));
    tree.set("num_layers", Tree::number(model.layers), why);
    tree.set("hidden_size", Tree::number(model.hidden), why);
    tree.set("ffn_hidden_size", Tree::number(model.mlp), why);
    tree.set("num_attention_heads", Tree::number(model.heads), why);
    tree.set("num_kv_heads", Tree::number(model.kv_heads), why);
    tree.set("kv_channels", Tree::number(model.head_dim), why);
    tree.set("normalization", "rmsnorm", why);
    tree.set("activation", "swiglu", why);
    tree.set("position_embedding_type", "rope", why);
    if (model.rotary_base > 0)
      tree.set("rope_theta", Tree::word(fmt::format("{}", model.rotary_base)), why);
    tree.set("has_bias", Tree::flag(false), why);
    tree.set("share_embeddings_and_output_weights", Tree::flag(model.is_tied), why);
    std::int64_t divisor = 128;
    while (divisor > 1 && model.vocab % (divisor * ranks_of_tensor()) != 0) divisor /= 2;
    tree.set("make_vocab_size_divisible_by", Tree::number(divisor),
             model.vocab % (divisor * ranks_of_tensor()) == 0
                 ? fmt::format("so that nothing of {} is padded", model.vocab)
                 : "padded to whole rows of each rank");
    for (const char* key : {"hidden_dropout", "attention_dropout"})
      tree.set(key, Tree::word(run_.drops ? "0.1" : "0"), "as predicted");
    return tree;
  }
  void recompute(Tree& model) const {
    const std::string why = from("recompute");
    const auto& asked = layout_.recompute;
    if (asked.kind != RecomputeKind::kFull && asked.kind != RecomputeKind::kSelective) {
      model.set("activations_checkpoint_granularity", Tree(), why);
      return;
    }
    const bool is_full = asked.kind == RecomputeKind::kFull;
    model.set("activations_checkpoint_granularity", is_full ? "full" : "selective", why);
    if (!is_full)
      model.set("activations_checkpoint_recompute", Tree::texts({"CoreAttention"}), why);
    if (!is_full) return;
    const int layers = asked.layers_per_stage;
    model.set("activations_checkpoint_method", layers > 0 ? "block" : "uniform", why);
    model.set("activations_checkpoint_num_layers", Tree::number(layers > 0 ? layers : 1), why);
  }
  Tree precision() const {
    const std::string& word = run_.precision;
    if (word != "bf16" && word != "bf16-pure")
      desk_.refuse("train.precision", word, "it has bf16 and bf16-pure");
    Tree tree = Tree::map();
    tree.set("type", word == "bf16-pure" ? "bf16SR" : "mixed_precision",
             desk_.from("train.precision", "default"));
    return tree;
  }

  Desk& desk_;
  const RunPlan& run_;
  const training::Layout& layout_;
  const NeuronChip& chip_;
};

std::string script_text(const Desk& desk, const NeuronChip& chip) {
  const RunPlan& run = desk.run();
  std::string text = script_head(
      desk.plan(),
      {"Starts one node's share with training.py of NeuronX Distributed Training; add what is "
       "yours behind it: ./train.sh data.train_dir=... exp_manager.exp_dir=...",
       fmt::format("A rank of the plan is a chip of {} cores; {} processes run on each, and share "
                   "its part of every tensor.",
                   chip.cores, chip.ranks()),
       kUnverified});
  text += kHere;
  if (chip.joined > 1)
    text += fmt::format("export NEURON_LOGICAL_NC_CONFIG={}  # Cores that are shown as one.\n",
                        chip.joined);
  if (run.nodes() > 1)
    text += "export FI_PROVIDER=efa FI_EFA_USE_DEVICE_RDMA=1 FI_EFA_FORK_SAFE=1\n";
  return text +
         fmt::format(
             "\nexec torchrun \\\n  --nnodes \"${{NNODES:-{}}}\" --nproc-per-node {} --node-rank "
             "\"${{NODE_RANK:-${{SLURM_NODEID:-0}}}}\" \\\n  --master-addr "
             "\"${{MASTER_ADDR:-127.0.0.1}}\" --master-port \"${{MASTER_PORT:-29500}}\" \\\n"
             "  training.py --config-path=\"$here\" --config-name=neuronx \"$@\"\n",
             run.nodes(), run.gpus_on_node() * chip.ranks());
}

}  // namespace

void emit_neuronx(Desk& desk) {
  const auto chip = neuron_chip_of(desk.run().machine.chip);
  if (!chip && desk.has_faults()) return;  // Another framework, which says it all.
  if (!chip)
    return desk.refuse("hardware", desk.run().machine.chip,
                       "it is written for trainium1, trainium2 and trainium3 alone");
  const Tree config = NeuronWriter(desk, *chip).write();
  desk.add("train.sh", Role::kCommand, script_text(desk, *chip));
  desk.add("neuronx.yaml", Role::kConfig, file_head(desk.plan(), {kUnverified}) + to_yaml(config));
}

}  // namespace loadfactor::launch
