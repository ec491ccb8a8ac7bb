// Megatron-LM: a torchrun line with its arguments.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "launch/emit/flag_patch.h"
#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"
#include "launch/vocabulary/megatron_models.h"

namespace loadfactor::launch {
namespace {

using training::RecomputeKind;
using training::Schedule;
using training::Sharding;

// Megatron's own defaults.
constexpr double kRotaryBase = 10'000;
constexpr double kNormEpsilon = 1e-5;

// Writes the arguments group by group.
class MegatronWriter {
 public:
  explicit MegatronWriter(Desk& desk)
      : desk_(desk),
        run_(desk.run()),
        layout_(run_.layout),
        arguments_(desk, read_program("megatron")) {}

  Arguments write() {
    degrees();
    stages();
    sharding();
    recompute();
    offload();
    model();
    experts();
    vocabulary();
    batch();
    precision();
    checkpoints();
    refuse_formats(desk_, {.moments = true, .capacity = true});
    if (run_.lora) desk_.refuse("train.lora", std::to_string(*run_.lora), "it trains all weights");
    return std::move(arguments_);
  }

 private:
  std::string from(std::string_view key) const {
    return desk_.from(fmt::format("train.layout.{}", key));
  }
  void degrees() {
    arguments_.add("--tensor-model-parallel-size", layout_.tp, from("tp"));
    arguments_.add("--pipeline-model-parallel-size", layout_.pp, from("pp"));
    arguments_.add("--context-parallel-size", layout_.cp, from("cp"));
    if (run_.model.experts > 0) {
      arguments_.add("--expert-model-parallel-size", layout_.ep, from("ep"));
      arguments_.add("--expert-tensor-parallel-size", layout_.etp, from("etp"));
    }
    if (layout_.tp > 1 && layout_.sequence_parallel)
      arguments_.add("--sequence-parallel", from("sequence_parallel"));
    // Experts that are cut over ranks of tensors need it, and so does overlap with their products.
    if (layout_.tp > 1 && !layout_.sequence_parallel && run_.model.experts > 0)
      desk_.refuse("train.layout.sequence_parallel", "false",
                   "experts with tensor parallelism are trained with it alone");
    if (layout_.tp > 1 && layout_.sequence_parallel && run_.overlaps_tensors)
      arguments_.add("--tp-comm-overlap", "as the framework of the prediction does");
  }
  void stages() {
    if (layout_.pp == 1) return;
    const bool known = layout_.schedule == Schedule::k1F1B ||
                       layout_.schedule == Schedule::kInterleaved ||
                       layout_.schedule == Schedule::kNone;
    if (!known)
      desk_.refuse("train.layout.schedule", "its schedule", "it has 1f1b and interleaved alone");
    if (layout_.vp > 1)
      arguments_.add("--num-virtual-stages-per-pipeline-rank", layout_.vp, from("vp"));
    if (run_.is_even) return;
    const std::int64_t layers = run_.model.layers;
    const std::int64_t middle = layers - run_.first_stage - run_.last_stage;
    const bool ends_divide =
        run_.first_stage % layout_.vp == 0 && run_.last_stage % layout_.vp == 0;
    const bool middle_divides =
        layout_.pp == 2 ? middle == 0 : middle % (layout_.vp * (layout_.pp - 2)) == 0;
    if (ends_divide && middle_divides) {
      arguments_.add("--decoder-first-pipeline-num-layers", run_.first_stage, from("first_layers"));
      arguments_.add("--decoder-last-pipeline-num-layers", run_.last_stage, from("last_layers"));
      return;
    }
    if (counted_ends()) return;
    desk_.refuse(layout_.vp > 1 ? "train.layout.vp" : "train.layout.first_layers",
                 std::to_string(layout_.vp > 1 ? layout_.vp : run_.first_stage),
                 fmt::format("stages of {}, {} between them and {} layers are no whole chunks: the "
                             "layers of each divide by vp, or the embedding and the loss count as "
                             "one layer each",
                             run_.first_stage, middle, run_.last_stage));
  }
  // Ends that are short by one layer, because the embedding or the loss counts as one.
  bool counted_ends() {
    const std::int64_t chunks = std::int64_t{layout_.pp} * layout_.vp;
    for (const bool first : {true, false})
      for (const bool last : {true, false}) {
        const std::int64_t all = run_.model.layers + (first ? 1 : 0) + (last ? 1 : 0);
        const std::int64_t each = all / layout_.pp;
        const bool is_it = (first || last) && all % chunks == 0 &&
                           run_.first_stage == each - (first ? 1 : 0) &&
                           run_.last_stage == each - (last ? 1 : 0);
        if (!is_it) continue;
        if (first)
          arguments_.add("--account-for-embedding-in-pipeline-split", from("first_layers"));
        if (last) arguments_.add("--account-for-loss-in-pipeline-split", from("last_layers"));
        return true;
      }
    return false;
  }
  void sharding() {
    const std::string why = from("zero");
    const bool shards = layout_.sharding != Sharding::kNone;
    if (shards) arguments_.add("--use-distributed-optimizer", why);
    if (layout_.sharding == Sharding::kGradients) fully_sharded("optim_grads");
    if (layout_.sharding == Sharding::kFull || layout_.sharding == Sharding::kHybrid)
      fully_sharded("optim_grads_params");
    if (layout_.shard_group > 0 && layout_.shard_group < layout_.dp)
      arguments_.add("--num-distributed-optimizer-instances", layout_.dp / layout_.shard_group,
                     from("shard_group"));
    if (layout_.dp > 1 && run_.overlaps_gradients)
      arguments_.add("--overlap-grad-reduce", "as the framework of the prediction does");
    // It refuses the second overlap without the first.
    if (shards && layout_.dp > 1 && run_.overlaps_gathers && run_.overlaps_gradients)
      arguments_.add("--overlap-param-gather", "as the framework of the prediction does");
    gradients();
  }
  void fully_sharded(const char* strategy) {
    arguments_.add("--use-megatron-fsdp", from("zero"));
    arguments_.add("--data-parallel-sharding-strategy", strategy, from("zero"));
    arguments_.add("--ckpt-format", "fsdp_dtensor",
                   "the only one that sharded weights are saved in");
  }
  void gradients() {
    const std::string& asked = run_.gradients;
    const bool is_short = asked.empty() ? run_.gradient_bytes < 4 : asked == "bf16";
    if (!asked.empty() && asked != "bf16" && asked != "fp32")
      desk_.refuse("train.layout.gradients", asked, "gradients travel as fp32 or bf16");
    arguments_.add(is_short ? "--grad-reduce-in-bf16" : "--accumulate-allreduce-grads-in-fp32",
                   from("gradients"));
    if (!run_.formats.short_moments) return;
    arguments_.add("--use-precision-aware-optimizer", from("moments"));
    arguments_.add("--exp-avg-dtype", "bf16", from("moments"));
    arguments_.add("--exp-avg-sq-dtype", "bf16", from("moments"));
  }
  void recompute() {
    const auto& recompute = layout_.recompute;
    const std::string why = from("recompute");
    if (recompute.kind == RecomputeKind::kFull) {
      const int layers = recompute.layers_per_stage;
      arguments_.add("--recompute-granularity", "full", why);
      arguments_.add("--recompute-method", layers > 0 ? "block" : "uniform", why);
      arguments_.add("--recompute-num-layers", layers > 0 ? layers : 1, why);
    }
    if (recompute.kind == RecomputeKind::kSelective) {
      arguments_.add("--recompute-granularity", "selective", why);
      arguments_.add("--recompute-modules", std::vector<std::string>{"core_attn"}, why);
    }
    if (recompute.kind == RecomputeKind::kModules) {
      arguments_.add("--recompute-granularity", "selective", why);
      arguments_.add("--recompute-modules", modules(), why);
    }
  }
  std::vector<std::string> modules() {
    const auto& recompute = layout_.recompute;
    if (recompute.activation && run_.model.experts == 0)
      desk_.refuse("train.layout.recompute", "activations", "it drops those of experts alone");
    std::vector<std::string> words;
    if (recompute.norms) words.emplace_back("layernorm");
    if (recompute.activation) words.emplace_back("moe_act");
    if (recompute.mlp) words.emplace_back("mlp");
    if (recompute.latent_up) words.emplace_back("mla_up_proj");
    if (recompute.experts) words.emplace_back("moe");
    return words;
  }
  void offload() {
    if (layout_.offload.optimizer) {
      arguments_.add("--optimizer-cpu-offload", from("offload"));
      arguments_.add("--use-precision-aware-optimizer", "which that needs; its states stay fp32");
    }
    if (layout_.offload.parameters)
      desk_.refuse("train.layout.offload", "parameters", "it moves the optimizer alone");
    if (layout_.offload.activations && layout_.offload.activation_layers == 0)
      desk_.refuse("train.layout.offload", "activations", "say of how many layers: offload_layers");
    const bool recomputes = layout_.recompute.kind != RecomputeKind::kNone;
    if (layout_.offload.activation_layers > 0 && (layout_.pp > 1 || recomputes))
      desk_.refuse("train.layout.offload_layers", std::to_string(layout_.offload.activation_layers),
                   "activations go to the host without a pipeline and without recomputation alone");
    if (layout_.offload.activation_layers > 0)
      arguments_.add("--cpu-offloading-num-layers", layout_.offload.activation_layers,
                     from("offload_layers"));
  }
  void model() {
    const ModelShape& model = run_.model;
    if (!model.irregular.empty()) desk_.refuse("train.model", model.name, model.irregular);
    const std::string why = desk_.from("train.model");
    arguments_.add("--num-layers", model.layers, why);
    arguments_.add("--hidden-size", model.hidden, why);
    if (model.mlp > 0) arguments_.add("--ffn-hidden-size", model.mlp, why);
    arguments_.add("--num-attention-heads", model.heads, why);
    if (model.latent) {
      latent(*model.latent, why);
    } else {
      arguments_.add("--kv-channels", model.head_dim, why);
      if (model.kv_heads != model.heads) {
        arguments_.add("--group-query-attention", why);
        arguments_.add("--num-query-groups", model.kv_heads, why);
      }
    }
    arguments_.add("--normalization", model.has_rms_norm ? "RMSNorm" : "LayerNorm", why);
    if (model.is_gated) arguments_.add("--swiglu", why);
    if (!model.is_tied) arguments_.add("--untie-embeddings-and-output-weights", why);
    if (!model.has_bias) arguments_.add("--disable-bias-linear", why);
    if (model.has_qkv_bias && !model.has_bias) arguments_.add("--add-qkv-bias", why);
    if (model.has_qk_norm) arguments_.add("--qk-layernorm", why);
    arguments_.add("--position-embedding-type",
                   model.learns_positions ? "learned_absolute" : "rope", why);
    details();
    for (const char* flag : {"--attention-dropout", "--hidden-dropout"})
      arguments_.add(flag, run_.drops ? 0.1 : 0.0, "as predicted");
  }
  // What its dimensions do not say. Where nothing is known of a model, Megatron's default is
  // written out, so that it is seen.
  void details() {
    const ModelShape& model = run_.model;
    const auto known = megatron_model_of(model.name);
    if (known && !known->cannot.empty()) desk_.refuse("train.model", model.name, known->cannot);
    const auto is_given = [&](std::string_view name) {
      return known && std::any_of(known->flags.begin(), known->flags.end(),
                                  [&](const ModelFlag& each) { return each.name == name; });
    };
    const auto source = desk_.plan().scenario.source;
    const auto running = said_flags(source ? std::string_view(source->text) : "");
    // What nobody knows of the model stays as it runs.
    const auto carried = [&](std::string_view name, bool is_said) {
      const auto found = std::find_if(running.begin(), running.end(), [&](const SaidFlag& each) {
        return each.flag == name && each.value != "?";
      });
      if (is_said || is_given(name) || found == running.end()) return false;
      arguments_.add(name, std::string_view(found->value), "as it runs");
      return true;
    };
    if (!model.learns_positions && !is_given("--rotary-base") &&
        !carried("--rotary-base", model.rotary_base > 0))
      arguments_.add("--rotary-base",
                     static_cast<std::int64_t>(
                         std::llround(model.rotary_base > 0 ? model.rotary_base : kRotaryBase)),
                     detail_remark(model.rotary_base > 0));
    if (!is_given("--norm-epsilon") && !carried("--norm-epsilon", model.norm_epsilon > 0))
      arguments_.add("--norm-epsilon", model.norm_epsilon > 0 ? model.norm_epsilon : kNormEpsilon,
                     detail_remark(model.norm_epsilon > 0));
    if (!known) return;
    const std::string why = desk_.from("train.model") + (known->is_assumed ? ", assumed" : "");
    for (const ModelFlag& each : known->flags)
      each.value.empty() ? arguments_.add(each.name, why)
                         : arguments_.add(each.name, std::string_view(each.value), why);
  }
  std::string detail_remark(bool is_said) const {
    return is_said ? desk_.from("train.model") + ", its configuration"
                   : "Megatron's default: compare with the model's configuration";
  }
  void latent(const ModelShape::Latent& latent, const std::string& why) {
    arguments_.add("--multi-latent-attention", why);
    if (latent.q_rank > 0) arguments_.add("--q-lora-rank", latent.q_rank, why);
    arguments_.add("--kv-lora-rank", latent.kv_rank, why);
    arguments_.add("--qk-head-dim", latent.nope_dim, why);
    arguments_.add("--qk-pos-emb-head-dim", latent.rope_dim, why);
    arguments_.add("--v-head-dim", latent.value_dim, why);
  }
  void experts() {
    const ModelShape& model = run_.model;
    const std::string why = desk_.from("train.model");
    if (model.mtp_layers > 0) arguments_.add("--mtp-num-layers", model.mtp_layers, why);
    if (model.experts == 0) return;
    arguments_.add("--num-experts", model.experts, why);
    arguments_.add("--moe-router-topk", model.top_k, why);
    arguments_.add("--moe-ffn-hidden-size", model.expert_width, why);
    if (model.shared_width > 0)
      arguments_.add("--moe-shared-expert-intermediate-size", model.shared_width, why);
    if (model.dense_layers > 0)
      arguments_.add(
          "--moe-layer-freq",
          fmt::format("([0]*{}+[1]*{})", model.dense_layers, model.layers - model.dense_layers),
          why);
    arguments_.add("--moe-grouped-gemm", "as the prediction has it");
    arguments_.add("--moe-token-dispatcher-type", "alltoall", "as the prediction has it");
    if (run_.routing.capacity > 0)
      arguments_.add("--moe-expert-capacity-factor", fmt::format("{}", run_.routing.capacity),
                     from("moe.capacity_factor"));
    if (run_.routing.padded)
      arguments_.add("--moe-pad-expert-input-to-capacity", from("moe.padded"));
  }
  // Rows are padded to a multiple of this times tp: one that pads nothing, where there is one.
  void vocabulary() {
    std::int64_t divisor = 128;
    while (divisor > 1 && run_.model.vocab % (divisor * layout_.tp) != 0) divisor /= 2;
    const bool pads = run_.model.vocab % (divisor * layout_.tp) != 0;
    arguments_.add("--vocab-size", run_.model.vocab, desk_.from("train.model"));
    arguments_.add("--make-vocab-size-divisible-by", divisor,
                   pads ? "padded to whole rows of each rank" : "so that nothing is padded");
  }
  void batch() {
    const std::int64_t positions = run_.model.learns_positions ? run_.model.context : run_.sequence;
    arguments_.add("--seq-length", run_.sequence, desk_.from("train.sequence"));
    arguments_.add("--max-position-embeddings", std::max(positions, run_.sequence),
                   desk_.from("train.sequence"));
    arguments_.add("--micro-batch-size", layout_.micro_batch, from("micro_batch"));
    arguments_.add("--global-batch-size", run_.global_batch, desk_.from("train.global_batch"));
    if (run_.steps)
      arguments_.add("--train-iters", *run_.steps,
                     "tokens over batch times sequence; " + desk_.from("train.tokens"));
  }
  void precision() {
    const std::string why = desk_.from("train.precision", "default");
    const std::string& word = run_.precision;
    arguments_.add(word == "fp16" ? "--fp16" : "--bf16", why);
    if (word == "bf16" || word == "fp16") return;
    if (word == "nvfp4") {
      arguments_.add("--fp4-format", "e2m1", why);
      return arguments_.add("--fp4-recipe", "nvfp4", why);
    }
    const bool is_fp8 = word == "fp8" || word == "fp8-block" || word == "mxfp8";
    if (!is_fp8)
      return desk_.refuse("train.precision", word,
                          "it has bf16, fp16, fp8, fp8-block, mxfp8, nvfp4");
    arguments_.add("--fp8-format", word == "fp8" ? "hybrid" : "e4m3", why);
    arguments_.add("--fp8-recipe",
                   word == "fp8"     ? "tensorwise"
                   : word == "mxfp8" ? "mxfp8"
                                     : "blockwise",
                   why);
  }
  void checkpoints() {
    arguments_.add("--exit-signal-handler", "saves before a job's time is over");
    if (!run_.save_every) return;
    arguments_.add("--save-interval", *run_.save_every,
                   save_remark(run_,
                               "all are kept unless --save-retain-interval says every how "
                               "many steps one stays"));
    if (run_.saves_apart)
      arguments_.add("--async-save", desk_.from("train.failures.checkpoint", "as predicted"));
  }

  Desk& desk_;
  const RunPlan& run_;
  const training::Layout& layout_;
  Arguments arguments_;
};

}  // namespace

void emit_megatron(Desk& desk) {
  const Arguments arguments = MegatronWriter(desk).write();
  const std::string table = fmt::format("{} at {}", arguments.program().origin().repository,
                                        arguments.program().origin().commit.substr(0, 8));
  std::string script = script_head(
      desk.plan(),
      {"Starts one node's share; add what is yours behind it: ./train.sh "
       "--data-path ... --tokenizer-type ... --lr ... --save DIR --load DIR",
       "Without --load a run that was stopped starts from nothing.", "Flags as in " + table + "."});
  const auto sharding = desk.run().layout.sharding;
  const bool is_fully_sharded = sharding != Sharding::kNone && sharding != Sharding::kOptimizer;
  script += is_fully_sharded
                ? "unset CUDA_DEVICE_MAX_CONNECTIONS  # Sharded weights need several queues.\n\n"
                : "export CUDA_DEVICE_MAX_CONNECTIONS=1  # Keeps the order in which overlapped "
                  "kernels start.\n\n";
  script += arguments.as_array("arguments") + "\n";
  script += torchrun_text(desk.run(), "pretrain_gpt.py", "arguments");
  desk.add("train.sh", Role::kCommand, script);
  desk.add("megatron.args", Role::kArguments,
           file_head(desk.plan(), {"The arguments of train.sh alone; flags as in " + table + "."}) +
               arguments.as_lines());
}

}  // namespace loadfactor::launch
