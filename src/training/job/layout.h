// How a training job is spread over accelerators: one value, no derived state.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace loadfactor::training {

// What the data-parallel ranks share out among themselves.
enum class Sharding : std::uint8_t {
  kNone,       // Every rank holds everything (DDP).
  kOptimizer,  // ZeRO-1, Megatron's distributed optimizer.
  kGradients,  // ZeRO-2: gradients are scattered at every micro-batch; a pipeline keeps them whole.
  kFull,       // ZeRO-3, FSDP: parameters are gathered layer by layer.
  kHybrid,     // HSDP: kFull inside a group of `shard_group` ranks, copies across groups.
};

// Parts of a layer whose activations are dropped and computed again in the backward pass.
enum class RecomputeKind : std::uint8_t {
  kUnknown,  // Not stated; a memory rule decides.
  kNone,
  kModules,    // Light named modules: norms, activations, latent up-projections.
  kSelective,  // What the stack calls selective: core attention, or a policy over ops.
  kFull,       // Whole layers: `layers_per_stage` of them.
};

struct Recompute {
  RecomputeKind kind = RecomputeKind::kNone;
  int layers_per_stage = 0;  // Layers of a virtual stage that are recomputed; 0: all.
  bool norms = false;        // This and the next four: the light modules of kModules.
  bool activation = false;
  bool mlp = false;
  bool latent_up = false;
  bool experts = false;  // All activations of the routed experts.

  friend bool operator==(const Recompute&, const Recompute&) = default;
};

enum class Schedule : std::uint8_t {
  kNone,   // No pipeline.
  kGpipe,  // All forwards, then all backwards.
  k1F1B,
  kInterleaved,  // 1F1B over `vp` chunks per stage.
  kZeroBubble,   // H1: the weight gradient fills the bubble.
  kZeroBubbleV,  // ZBV: two chunks in a V.
  kDualPipe,     // Two directions; expert all-to-all hidden behind the other micro-batch.
};

// Where state or activations live when they do not fit.
struct Offload {
  bool optimizer = false;
  bool parameters = false;
  bool activations = false;   // The inputs of all layers.
  int activation_layers = 0;  // Layers of a stage all of whose activations leave.

  friend bool operator==(const Offload&, const Offload&) = default;
};

// gpus = tp · pp · cp · dp; experts are spread over `ep` of the dp · cp · tp ranks of a stage.
struct Layout {
  int gpus = 1;
  int tp = 1;
  int pp = 1;
  int vp = 1;  // Virtual stages per stage; 1 unless interleaved.
  // Layers of the first and of the last stage, those between them holding equally many; 0: by the
  // rule of stage_split.h. Both or neither.
  int first_layers = 0;
  int last_layers = 0;
  int cp = 1;
  int ep = 1;
  int etp = 1;  // Tensor parallelism inside an expert.
  int dp = 1;
  Sharding sharding = Sharding::kNone;
  int shard_group = 0;                // Ranks that share one copy; 0: all data-parallel ranks.
  bool reshard_after_forward = true;  // Under kFull, gather again for the backward pass.
  std::int64_t micro_batch = 1;       // Sequences per data-parallel rank and micro-step.
  Recompute recompute;
  Schedule schedule = Schedule::k1F1B;
  bool sequence_parallel = false;
  Offload offload;

  friend bool operator==(const Layout&, const Layout&) = default;
};

// Into how many parts a job is cut each way, by the keys of a scenario and in their order.
struct DegreeRow {
  // Where nobody asked for it, the key is said in these layouts.
  enum class Said : std::uint8_t { kAlways, kInPipelines, kWithExperts, kAboveOne };
  std::string_view key;
  int Layout::*degree;
  Said said;
  bool cuts_block;  // Whether a layer on one rank takes another time with another degree.
};
inline constexpr std::array kDegrees{
    DegreeRow{"tp", &Layout::tp, DegreeRow::Said::kAlways, true},
    DegreeRow{"pp", &Layout::pp, DegreeRow::Said::kAlways, false},
    DegreeRow{"vp", &Layout::vp, DegreeRow::Said::kInPipelines, false},
    DegreeRow{"cp", &Layout::cp, DegreeRow::Said::kAboveOne, true},
    DegreeRow{"ep", &Layout::ep, DegreeRow::Said::kWithExperts, true},
    DegreeRow{"etp", &Layout::etp, DegreeRow::Said::kAboveOne, true},
    DegreeRow{"dp", &Layout::dp, DegreeRow::Said::kAlways, false},
};

// Parameters that rest on the host are shards of the data-parallel ranks, gathered for their
// layers; a rank without others keeps all of them there.
inline bool may_offload_parameters(const Layout& layout) {
  return layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid ||
         layout.dp * layout.cp == 1;
}

}  // namespace loadfactor::training
