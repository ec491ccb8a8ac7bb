// Seconds of one step of a serving engine, from the running totals of its batch.
//
// A step computes some prompt tokens and one token for each decoding sequence, together. Its
// device time is a sum over kernels from the chip's fitted tables, elementwise traffic, launch
// gaps and collectives; host work comes on top or runs beside it, as the engine does.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cost/attention.h"
#include "cost/sustained_clock.h"
#include "serving/constants.h"
#include "serving/deployment.h"
#include "serving/pass_table.h"
#include "workload/layer_products.h"

namespace loadfactor::serving {

// What one copy of the attention does in a step. Means may be fractions.
struct StepBatch {
  double prompt_tokens = 0;  // Tokens of prompts computed in this step.
  double chunk = 1;          // Tokens computed of each prompt.
  double past = 0;           // Tokens of each prompt that were computed before.
  double sequences = 0;      // Sequences that decode.
  double context = 0;        // Mean length of the sequences that decode.
  double finishing = 0;      // Prompts whose last token is in this step.
};

struct StepParts {
  Seconds products;
  Seconds experts;
  Seconds attention;
  Seconds elementwise;
  Seconds communication;
  Seconds launch;
  Seconds head;
  Seconds tower;  // Images or sound of the prompts, in the encoder before the layers.
  Seconds host;   // All host work, hidden or not.
  Seconds total;  // What one step takes.

  // All that runs on the device, one after the other.
  Seconds device() const {
    return products + experts + attention + elementwise + communication + launch + head + tower;
  }
};

class StepModel {
 public:
  explicit StepModel(const ServingDeployment& deployment);

  StepParts parts(const StepBatch& batch, const Constants& constants) const;
  Seconds duration(const StepBatch& batch, const Constants& constants) const {
    return parts(batch, constants).total;
  }
  // Arithmetic and traffic of the step at peak rates, whichever takes longer.
  Seconds roofline(const StepBatch& batch) const;
  // What no machine can beat: arithmetic at peak or every byte read once.
  Seconds least(const StepBatch& batch) const;

  // Model arithmetic per token without attention over the context, all ranks.
  Flops flops_per_token() const { return Flops::from_base(flops_per_token_); }
  Bytes adapter_bytes() const;                   // All adapters on one GPU.
  Bytes weight_bytes_read(double tokens) const;  // What one rank reads of its share.
  const ServingDeployment& deployment() const { return deployment_; }

 private:
  // From here on seconds and bytes are raw numbers: tables and fits of constants read them by the
  // million. They become quantities in StepParts and in the functions above.
  static constexpr Seconds kSecond = Seconds::from_base(1.0);
  static constexpr double kBytesOf16Bits = 2.0;

  struct AttentionKind {
    double layers = 0;
    cost::AttentionCall decode;
    cost::AttentionCall prefill;
    bool latent = false;
    double state_bytes = 0;  // A recurrent state, per sequence and layer.
  };

  // These return the bytes of elementwise traffic per token and layer.
  double add_attention(const catalog::AttentionSpec& attention, double count);
  double add_standard(const catalog::AttentionSpec& attention, AttentionKind& kind) const;
  double add_latent(const catalog::AttentionSpec& attention, AttentionKind& kind) const;
  double add_recurrent(const catalog::AttentionSpec& attention, AttentionKind& kind) const;
  double mlp_traffic(const catalog::MlpSpec& mlp) const;
  double expert_traffic(const catalog::MoeSpec& moe) const;
  // Experts of a rank that so many rows reach.
  double touched(double experts, double rows) const;
  // Rows that one token of the batch gives to the experts of a rank.
  double expert_copies(const catalog::MoeSpec& moe) const;
  void add_tower(const catalog::TowerSpec& tower);
  // Seconds of the encoder for the prompts of a batch.
  Seconds tower_time(const StepBatch& batch, const Constants& constants) const;
  // The batch as the layers see it: prompts stop at the encoder where the decoder is apart.
  StepBatch through_layers(const StepBatch& batch) const;
  void add_layer(const catalog::LayerSpec& layer, double count);
  void add_products(const catalog::LayerSpec& layer, double count);
  void add_dense(const workload::LayerProduct& product, double count, const KernelFormat& format);
  void tabulate(const catalog::ModelSpec& model);
  void tabulate_dense(std::size_t width);
  void tabulate_experts();
  void tabulate_head(const catalog::ModelSpec& model);
  void tabulate_collectives(const catalog::ModelSpec& model);
  void set_limits();
  double decode_attention(const StepBatch& batch, const Constants& constants) const;
  double prefill_attention(const StepBatch& batch, const Constants& constants) const;
  double communication(double tokens, const Constants& constants) const;
  // Sending tokens to their experts and back.
  double exchange(double tokens, const Constants& constants) const;
  void add_kernels(const StepBatch& batch, const Constants& constants, StepParts& parts) const;
  StepParts device_parts(const StepBatch& asked, const Constants& constants, double checked) const;
  StepParts with_exchange(const StepBatch& asked, const Constants& constants, double checked) const;
  StepParts whole_step(const StepBatch& batch, const Constants& constants, double checked) const;
  double expert_gap(const Constants& constants) const;  // Seconds per mixture layer.
  double dispatch_seconds(const StepBatch& batch, const Constants& constants) const;
  // Time of host work on this chip's hosts over that on the latest hosts.
  double host_scale(const Constants& constants) const;
  double adapters(const StepBatch& batch, double tokens) const;
  // Seconds of attention over what came before, at peak rates.
  struct Context {
    double arithmetic = 0;
    double traffic = 0;  // Reading the cache of sequences that decode.
  };
  Context context_work(const StepBatch& batch) const;
  // Share of the products' time that arithmetic decides; reading weights decides the rest.
  double arithmetic_share(double tokens, const Constants& constants) const;
  // Stretches the kernels to the clock at which such steps, one after the other, draw the power
  // limit, where it is known at which clock the table was taken.
  void settle(const StepBatch& batch, Seconds dispatch, const Constants& constants,
              StepParts& parts) const;
  // Kernels of a step that follow one another, and the parts that they are of.
  struct WorkPieces {
    static constexpr std::size_t kMaxPieces = 8;  // Four widths of products and four other kinds.
    std::array<cost::WorkPiece, kMaxPieces> pieces;
    std::array<Seconds*, kMaxPieces> parts{};
    std::size_t count = 0;

    void add(Seconds& part, Seconds duration, cost::WorkPiece piece);
  };
  void add_work(const StepBatch& batch, const Constants& constants, StepParts& parts,
                WorkPieces& work) const;
  cost::WorkPiece expert_piece(double tokens, cost::PowerDraw traffic,
                               const Constants& constants) const;
  // Reading experts, multiplying by them, and both beside each other.
  struct ExpertTimes {
    double reading = 0;
    double arithmetic = 0;
    double both = 0;
  };
  ExpertTimes expert_times(double tokens, const Constants& constants) const;

  // Products of a pass that are alike, one in each of so many layers.
  struct Product {
    double layers = 0;
    workload::LayerProduct one;
    KernelFormat format;

    double weights() const { return layers * one.weights(); }
  };
  struct ExpertProduct {
    double layers = 0;
    double copies = 0;  // Rows per token of the batch.
    workload::LayerProduct one;

    // All layers, one expert of each.
    double weights() const { return layers * one.columns * one.inner; }
  };
  struct WidthTable {
    double fixed = 0;  // Seconds of the kernels' fixed parts.
    PassTable body;
    bool used = false;
    double arithmetic = 0;  // Seconds per token at the rate the products sustain.
    double reading = 0;     // Seconds to read their weights at the bandwidth they reach.
    const cost::HeldLoad* load = nullptr;
  };

  struct Tower;

  ServingDeployment deployment_;
  std::shared_ptr<const Tower> tower_;  // None where nothing but text is read.
  bool passes_prompts_ = true;          // Prompts go through the layers.
  std::vector<Product> products_;
  std::vector<ExpertProduct> expert_products_;
  std::vector<AttentionKind> attention_;
  std::array<WidthTable, 4> dense_;  // One each for 16, 8 and 4 bit, and for weight-only formats.
  PassTable expert_reading_;         // Seconds at the bandwidth of the experts' table.
  PassTable expert_arithmetic_;      // Seconds of arithmetic at the rate of the table's shapes.
  WidthTable head_;
  PassTable collectives_;
  PassTable exchange_;
  PassTable gathering_;  // Keys and values of a prompt that ranks share.
  double collective_start_ = 0;
  double exchange_start_ = 0;
  double elementwise_bytes_ = 0;  // Per token.
  double adapter_weights_ = 0;    // One adapter of rank 1, all layers.
  double flops_per_token_ = 0;
  double least_per_token_ = 0;  // Seconds of a token's arithmetic at peak rates.
  double least_pass_ = 0;       // Seconds to read the weights once at peak bandwidth.
  double least_head_ = 0;       // Seconds of arithmetic of one row of the head at peak rates.
  double least_head_pass_ = 0;  // Seconds to read the head's weights once.
  double num_layers_ = 0;
  double expert_layers_ = 0;
  double imbalance_ = 0;     // Rows of the busiest rank over the mean, where it is stated; else 0.
  double expert_fixed_ = 0;  // Seconds of the fixed part of a mixture layer's kernels.
  double special_layers_ = 0;  // Layers with latent or linear attention.
  std::size_t family_ = 0;
  bool gddr_ = false;
  bool has_old_host_ = false;  // Its bus is of the generation of hosts before those of Hopper.
  bool spans_nodes_ = false;   // Experts are exchanged between domains.
  std::size_t expert_width_ = 0;
};

struct StepModel::Tower {
  std::shared_ptr<const catalog::ModelSpec> model;
  StepModel step;
  catalog::TowerSpec spec;
};

}  // namespace loadfactor::serving
