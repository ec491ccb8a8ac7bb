// What a step consists of, found once when the model is made.
#include <algorithm>
#include <cmath>

#include "collective/estimate.h"
#include "cost/gemm.h"
#include "cost/grouped_gemm.h"
#include "serving/step.h"
#include "workload/sharding.h"

namespace loadfactor::serving {
namespace {

using catalog::Dtype;
using cost::KernelClass;
using cost::KernelVariant;
using workload::LayerProduct;
using workload::ProductRole;

constexpr double kStateBytes = 4.0;

double whole(double tokens) {
  return std::ceil(tokens);
}

// The same product as kernels see it, in whole features.
cost::GemmShape gemm_shape(const workload::ProductShape& shape) {
  return {.m = static_cast<std::int64_t>(shape.rows),
          .n = static_cast<std::int64_t>(shape.columns),
          .k = static_cast<std::int64_t>(shape.inner),
          .batch = static_cast<std::int64_t>(shape.groups)};
}

std::size_t width_index(const KernelFormat& format) {
  if (format.variant == KernelVariant::kWeightOnly8 ||
      format.variant == KernelVariant::kWeightOnly4)
    return 3;
  const double bits = catalog::row(format.math).bits;
  if (bits >= 16) return 0;
  return bits >= 8 ? 1 : 2;
}

// PCIe 5 came with the processors that hosts of Hopper have. A card from before on an older bus
// stands beside an older one.
bool is_old_host(const catalog::AcceleratorSpec& chip) {
  constexpr int kFirstYear = 2023;
  return chip.released < kFirstYear && chip.host &&
         (chip.host->fabric.starts_with("pcie-3-") || chip.host->fabric.starts_with("pcie-4-"));
}

// Time of the arithmetic of all experts that a token reached, by the chip's table. Engines have
// kernels for thinner tiles than the library of the tables: below so many rows an expert's
// arithmetic falls with its rows, padded to their thinnest tile.
Seconds expert_arithmetic(cost::GroupedGemmCall call, const cost::ChipRates& rates,
                          const cost::KernelFit& fit) {
  constexpr double kTableRows = 32;
  constexpr double kThinRows = 16;
  const auto experts = static_cast<double>(call.experts);
  const double padded = std::max(call.rows, experts * kThinRows);
  call.rows = std::max(padded, experts * kTableRows);
  const cost::GroupedBody body = cost::grouped_body(call, rates, fit.parameters);
  const Seconds limit = cost::grouped_gemm_roofline(call, rates).arithmetic;
  const Seconds table = body.arithmetic * std::exp(fit.correction.at(body.point));
  return std::max(table, limit) * padded / call.rows;
}

// The same where the rows that were sent lie expert by expert: a product of them for each expert,
// all tiles sharing the units, by the table of dense products in the same format.
Seconds arithmetic_by_expert(const cost::GroupedGemmCall& call, const cost::ChipRates& rates,
                             cost::KernelFit dense) {
  const auto experts = std::max<std::int64_t>(call.experts, 1);
  const auto rows = std::ceil(call.rows / static_cast<double>(experts));
  dense.parameters.fixed = Seconds();
  const cost::GemmCall products{
      {static_cast<std::int64_t>(rows), call.n, call.k, experts}, call.dtype, call.variant};
  return cost::estimate_gemm(products, rates, dense).duration;
}

// How tensors and experts are cut over the ranks of a layout.
workload::Sharding sharding_of(const ServingLayout& layout) {
  return {.tp = layout.tp, .ep = layout.ep, .etp = layout.expert_tp()};
}

}  // namespace

StepModel::StepModel(const ServingDeployment& deployment) : deployment_(deployment) {
  const catalog::ModelSpec& model = *deployment.model;
  family_ = chip_family(*deployment.chip);
  has_old_host_ = is_old_host(*deployment.chip);
  gddr_ = deployment.chip->memory.type.rfind("gddr", 0) == 0;
  expert_width_ = width_index(deployment.precision.experts);
  std::vector<double> counts(model.kinds.size(), 0.0);
  for (const auto kind : model.layers) counts[kind] += 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) add_layer(model.kinds[i], counts[i]);
  }
  num_layers_ = model.num_layers();
  passes_prompts_ = !model.has_decoder_apart();
  tabulate(model);
  const bool sees = model.tower && (deployment.seen > 0 || model.has_decoder_apart());
  if (sees) add_tower(*model.tower);
}

// The tower as a model of its own, whose prompts are images or windows of sound. Engines run it in
// 16 bit, whole on every rank, before the step.
void StepModel::add_tower(const catalog::TowerSpec& tower) {
  auto model = std::make_shared<catalog::ModelSpec>();
  model->name = "tower";
  model->hidden = tower.hidden;
  model->causal = false;
  model->norm = catalog::NormKind::kLayer;
  model->embedding = {.vocab = tower.output, .tied = true};
  const int head_dim = std::max(1, tower.hidden / std::max(1, tower.heads));
  catalog::LayerSpec layer;
  layer.attention = {.heads = tower.heads, .kv_heads = tower.heads, .head_dim = head_dim};
  layer.mlp = {.kind = tower.gated ? catalog::MlpKind::kGated : catalog::MlpKind::kPlain,
               .width = tower.width};
  model->kinds = {layer};
  model->layers.assign(static_cast<std::size_t>(tower.layers), 0);
  ServingDeployment alone = deployment_;
  alone.model = model.get();
  alone.precision = {};
  alone.layout = {};
  alone.speculation = {};
  alone.adapters = {};
  alone.seen = 0;
  tower_ = std::make_shared<const Tower>(Tower{model, StepModel(alone), tower});
}

void StepModel::add_layer(const catalog::LayerSpec& layer, double count) {
  const double h = deployment_.model->hidden;
  const ServingPrecision& precision = deployment_.precision;
  const bool fused = deployment_.engine->fused;
  add_products(layer, count);
  double bytes = fused ? 16 * h : 20 * h;
  bytes += add_attention(layer.attention, count);
  if (layer.mlp.width > 0) bytes += mlp_traffic(layer.mlp);
  if (layer.moe.experts > 0) {
    bytes += expert_traffic(layer.moe);
    expert_layers_ += count;
    const ExpertUse& use = deployment_.experts_used;
    const int ranks = deployment_.layout.ep;
    const bool is_skewed = use.skew > 0 && use.imbalance <= 0;
    if (ranks > 1)
      imbalance_ =
          is_skewed ? cost::busiest_rank(layer.moe.experts, use.skew, ranks) : use.imbalance;
  }
  if (width_index(precision.dense) == 1 || width_index(precision.dense) == 2) {
    const double width = static_cast<double>(layer.mlp.width) / deployment_.layout.tp;
    bytes += fused ? 6 * h : 3 * (3 * h + width);
  }
  elementwise_bytes_ += count * bytes;
}

void StepModel::add_products(const catalog::LayerSpec& layer, double count) {
  const ServingPrecision& precision = deployment_.precision;
  for (const LayerProduct& product :
       workload::layer_products(*deployment_.model, layer, sharding_of(deployment_.layout))) {
    switch (product.role) {
      case ProductRole::kMixerIn:
      case ProductRole::kQueryUp:
      case ProductRole::kKeyValueUp:
      case ProductRole::kMixerGroups:
      case ProductRole::kMixerOut:
      case ProductRole::kIndexQuery:
      case ProductRole::kIndexKey:
      case ProductRole::kHeadNumbers:
        add_dense(product, count, precision.attention);
        break;
      case ProductRole::kMlpUp:
      case ProductRole::kMlpDown:
      case ProductRole::kSharedUp:
      case ProductRole::kSharedDown:
      case ProductRole::kLatentDown:
      case ProductRole::kLatentUp:
      case ProductRole::kPerLayerDown:
      case ProductRole::kPerLayerUp:
        add_dense(product, count, precision.dense);
        break;
      case ProductRole::kRouter:
        add_dense(product, count, {});
        break;
      case ProductRole::kExpertUp:
      case ProductRole::kExpertDown:
        expert_products_.push_back({count, expert_copies(layer.moe), product});
        break;
      case ProductRole::kNone:
      case ProductRole::kOutside:
      case ProductRole::kHead:
        break;
    }
  }
}

void StepModel::add_dense(const LayerProduct& product, double count, const KernelFormat& format) {
  products_.push_back({count, product, format});
  // Each tensor of a product has an adapter of its own.
  adapter_weights_ += count * (product.columns + product.tensors * product.inner);
}

double StepModel::add_attention(const catalog::AttentionSpec& a, double count) {
  if (a.kind == catalog::AttentionKind::kNone) return 0;
  AttentionKind kind{.layers = count};
  kind.decode.cache_dtype = kind.prefill.cache_dtype = deployment_.precision.kv;
  double bytes = 0;
  if (a.kind == catalog::AttentionKind::kStandard) {
    bytes = add_standard(a, kind);
  } else if (a.kind == catalog::AttentionKind::kLatent) {
    bytes = add_latent(a, kind);
    special_layers_ += count;
  } else {
    bytes = add_recurrent(a, kind);
    special_layers_ += count;
  }
  attention_.push_back(kind);
  return bytes;
}

double StepModel::add_standard(const catalog::AttentionSpec& a, AttentionKind& kind) const {
  const workload::ScoreHeads heads = workload::score_heads(a, deployment_.layout.tp);
  kind.decode.heads = kind.prefill.heads = static_cast<std::int64_t>(heads.queries);
  kind.decode.kv_heads = kind.prefill.kv_heads =
      static_cast<std::int64_t>(std::max(1.0, heads.keys));
  kind.decode.head_dim = kind.prefill.head_dim = a.head_dim;
  kind.decode.window = kind.prefill.window = a.window;
  kind.prefill.causal = deployment_.model->causal;
  if (deployment_.engine->fused) return 6 * (heads.queries + 2 * heads.keys) * heads.key_dim;
  // Positions that are learned need no rotation: only what the heads write is put in order.
  const bool rotates = deployment_.model->embedding.positions == 0;
  if (!rotates) return 4 * heads.queries * heads.key_dim;
  return (20 * (heads.queries + heads.keys) + 8 * heads.keys) * heads.key_dim;
}

double StepModel::add_latent(const catalog::AttentionSpec& a, AttentionKind& kind) const {
  const workload::ScoreHeads heads = workload::score_heads(a, deployment_.layout.tp);
  kind.latent = true;
  kind.decode.heads = kind.prefill.heads = static_cast<std::int64_t>(heads.queries);
  kind.prefill.kv_heads = kind.prefill.heads;
  kind.decode.kv_heads = 1;
  kind.decode.head_dim = a.kv_rank + a.rope_dim;
  kind.decode.value_dim = a.kv_rank;
  kind.decode.values_in_keys = true;
  kind.prefill.head_dim = a.nope_dim + a.rope_dim;
  kind.prefill.value_dim = a.value_dim;
  kind.decode.window = kind.prefill.window = a.sparse_top_k;
  return 8 * heads.queries * heads.key_dim;
}

double StepModel::add_recurrent(const catalog::AttentionSpec& a, AttentionKind& kind) const {
  const double tp = deployment_.layout.tp;
  const double values = static_cast<double>(a.value_heads) * a.value_dim / tp;
  const double keys = static_cast<double>(std::max(a.key_heads, a.groups)) * a.key_dim / tp;
  kind.state_bytes = 2 * kStateBytes * values * a.key_dim;
  kind.decode.heads = 0;
  return 12 * (keys + values);
}

double StepModel::mlp_traffic(const catalog::MlpSpec& mlp) const {
  const double width = static_cast<double>(mlp.width) / deployment_.layout.tp;
  if (deployment_.engine->fused) return 6 * width;
  // An activation reads and writes; a gate is multiplied in by a kernel of its own.
  return (mlp.kind == catalog::MlpKind::kGated ? 10 : 4) * width;
}

double StepModel::touched(double experts, double rows) const {
  return cost::touched_experts(experts, rows, deployment_.experts_used.skew, deployment_.layout.ep);
}

double StepModel::expert_copies(const catalog::MoeSpec& moe) const {
  return static_cast<double>(moe.top_k) * deployment_.layout.dp / deployment_.layout.ep;
}

double StepModel::expert_traffic(const catalog::MoeSpec& moe) const {
  const double inner = moe.latent > 0 ? moe.latent : deployment_.model->hidden;
  const double width = static_cast<double>(moe.width) / deployment_.layout.expert_tp();
  const double shared = moe.shared_width > 0 ? mlp_traffic({.width = moe.shared_width}) : 0.0;
  return shared + expert_copies(moe) * (6 * width + 4 * inner);
}

void StepModel::tabulate(const catalog::ModelSpec& model) {
  for (std::size_t w = 0; w < dense_.size(); ++w) tabulate_dense(w);
  for (const Product& p : products_) flops_per_token_ += 2 * p.weights();
  flops_per_token_ *= deployment_.layout.tp;
  for (const ExpertProduct& p : expert_products_) {
    flops_per_token_ +=
        2 * p.weights() * p.copies / deployment_.layout.dp * deployment_.layout.ranks();
  }
  if (!expert_products_.empty()) tabulate_experts();
  set_limits();
  tabulate_head(model);
  tabulate_collectives(model);
}

void StepModel::tabulate_dense(std::size_t width) {
  const auto& rates = deployment_.kernels->rates();
  std::vector<std::pair<Product, cost::KernelFit>> chosen;
  for (const Product& p : products_) {
    if (width_index(p.format) != width) continue;
    const cost::KernelKey key{KernelClass::kGemm, p.format.math, p.format.variant};
    cost::KernelFit fit = deployment_.kernels->fit(key);
    dense_[width].fixed += p.layers * (fit.parameters.fixed / kSecond);
    dense_[width].arithmetic +=
        2 * p.weights() /
        (rates.rate(p.format.math) / FlopsPerSecond::from_base(1.0) * fit.parameters.sustained);
    dense_[width].reading +=
        p.weights() * cost::weight_bytes(p.format.math, p.format.variant) /
        (rates.memory / BytesPerSecond::from_base(1.0) * fit.parameters.memory);
    // Loads are held with one scale per tensor; other kernels have tables of their own.
    if (p.format.variant == KernelVariant::kPlain || deployment_.kernels->lender())
      dense_[width].load = deployment_.kernels->held({KernelClass::kGemm, p.format.math});
    fit.parameters.fixed = Seconds();
    chosen.emplace_back(p, std::move(fit));
  }
  if (chosen.empty()) return;
  dense_[width].used = true;
  dense_[width].body = PassTable([&](double tokens) {
    double sum = 0;
    for (const auto& [p, fit] : chosen) {
      const cost::GemmCall call{gemm_shape(p.one.over(whole(tokens))), p.format.math,
                                p.format.variant};
      sum += p.layers * (cost::estimate_gemm(call, rates, fit).duration / kSecond);
    }
    return sum;
  });
}

void StepModel::tabulate_experts() {
  const auto& rates = deployment_.kernels->rates();
  const KernelFormat format = deployment_.precision.experts;
  const cost::KernelKey key{KernelClass::kGroupedGemm, format.math, format.variant};
  const cost::KernelFit& fit = deployment_.kernels->fit(key);
  expert_fixed_ = fit.parameters.fixed / kSecond;
  const double bandwidth = rates.memory / BytesPerSecond::from_base(1.0) * fit.parameters.memory;
  const double bytes = cost::weight_bytes(format.math, format.variant);
  expert_reading_ = PassTable([&](double tokens) {
    double sum = 0;
    for (const ExpertProduct& p : expert_products_) {
      const double rows = tokens * p.copies;
      sum += touched(p.one.groups, rows) * p.weights() * bytes +
             p.layers * rows * (p.one.columns + p.one.inner) * kBytesOf16Bits;
    }
    return sum / bandwidth;
  });
  const bool by_expert = deployment_.engine->rows_by_expert && width_index(format) == 1 &&
                         deployment_.layout.dp > 1 && deployment_.layout.ep > 1;
  const cost::KernelFit& dense =
      deployment_.kernels->fit({KernelClass::kGemm, format.math, format.variant});
  expert_arithmetic_ = PassTable([&](double tokens) {
    double sum = 0;
    for (const ExpertProduct& p : expert_products_) {
      const double rows = tokens * p.copies;
      if (rows <= 0) continue;
      const double reached = touched(p.one.groups, rows);
      const cost::GroupedGemmCall call{.experts = static_cast<std::int64_t>(whole(reached)),
                                       .rows = rows,
                                       .n = static_cast<std::int64_t>(p.one.columns),
                                       .k = static_cast<std::int64_t>(p.one.inner),
                                       .dtype = format.math,
                                       .variant = format.variant};
      Seconds one = expert_arithmetic(call, rates, fit);
      if (by_expert) one = std::min(one, arithmetic_by_expert(call, rates, dense));
      sum += p.layers * (one / kSecond);
    }
    return sum;
  });
}

void StepModel::tabulate_head(const catalog::ModelSpec& model) {
  if (!model.embedding.head) return;
  LayerProduct logits = workload::head_product(model, sharding_of(deployment_.layout));
  logits.columns = std::ceil(logits.columns);
  cost::KernelFit fit =
      deployment_.kernels->fit({KernelClass::kGemm, Dtype::kBf16, KernelVariant::kPlain});
  head_.fixed = fit.parameters.fixed / kSecond;
  fit.parameters.fixed = Seconds();
  head_.body = PassTable([&](double rows) {
    const cost::GemmCall call{gemm_shape(logits.over(whole(rows)))};
    return cost::estimate_gemm(call, deployment_.kernels->rates(), fit).duration / kSecond;
  });
}

void StepModel::tabulate_collectives(const catalog::ModelSpec& model) {
  using collective::Operation;
  const ServingLayout& cut = deployment_.layout;
  const double h = model.hidden;
  const auto time = [&](Operation operation, double bytes, int ranks) {
    const auto estimated = collective::estimate(operation, Bytes::from_base(bytes),
                                                {.ranks = ranks}, *deployment_.network);
    return estimated.duration / kSecond;
  };
  if (cut.tp > 1) {
    const double count = (cut.dp > 1 ? 1.0 : 2.0) * num_layers_;
    constexpr double kNothing = 64;  // Bytes of a message that is all latency.
    collective_start_ = count * time(Operation::kAllReduce, kNothing, cut.tp);
    collectives_ = PassTable([&](double tokens) {
      return count * time(Operation::kAllReduce, tokens * h * kBytesOf16Bits, cut.tp);
    });
  }
  if (cut.cp > 1) {
    double width = 0;  // Elements of keys and values of one token, all layers.
    for (const AttentionKind& kind : attention_)
      width += kind.layers * static_cast<double>(kind.decode.kv_heads * kind.decode.head_dim) *
               (kind.decode.values_in_keys ? 1 : 2);
    gathering_ = PassTable([&](double tokens) {
      return num_layers_ *
             time(Operation::kAllGather, tokens * width / num_layers_ * kBytesOf16Bits, cut.cp);
    });
  }
  if (cut.dp <= 1 || expert_layers_ <= 0) return;
  const double top = model.kinds[model.layers.back()].moe.top_k;
  const int near = std::min(cut.ranks(), deployment_.network->domain.size);
  const double nodes = std::ceil(static_cast<double>(cut.ranks()) / near);
  spans_nodes_ = nodes > 1;
  const bool once = spans_nodes_ && deployment_.engine->sent_once_per_node;
  // Bytes that leave a rank for experts: to each expert, or to each node that has one of them and
  // from rank to rank inside.
  const auto sent = [&](double routed, double tokens_sent) {
    if (!once) return time(Operation::kAllToAll, routed, cut.ranks());
    const double reached = nodes * (1 - std::pow(1 - 1 / nodes, top));
    return std::max(time(Operation::kAllToAll, tokens_sent * reached, cut.ranks()),
                    time(Operation::kAllToAll, routed, near));
  };
  const bool is_narrow =
      catalog::bytes_per_element(deployment_.precision.experts.math) < kBytesOf16Bits;
  const bool sends_narrow =
      deployment_.experts_used.narrow.value_or(deployment_.engine->narrow_dispatch && is_narrow);
  const double there = sends_narrow ? 1.0 : kBytesOf16Bits;
  // Each copy of a token is sent and comes back, or all tokens go everywhere and are summed.
  const auto exchange = [&](double tokens) {
    const double ranks = cut.ranks();
    const double routed = tokens * std::min(top, ranks) * h;
    const double all = tokens * ranks * h;
    const double direct = sent(routed * there, tokens * h * there) +
                          sent(routed * kBytesOf16Bits, tokens * h * kBytesOf16Bits);
    const double gathered = time(Operation::kAllGather, all * there, cut.ranks()) +
                            time(Operation::kReduceScatter, all * kBytesOf16Bits, cut.ranks());
    return expert_layers_ * std::min(direct, gathered);
  };
  exchange_start_ = exchange(1e-3);
  exchange_ = PassTable(exchange);
}

// At best every row of a mixture goes to one expert.
void StepModel::set_limits() {
  const auto& rates = deployment_.kernels->rates();
  const auto rate = [&](Dtype math) { return rates.rate(math) / FlopsPerSecond::from_base(1.0); };
  const double bandwidth = rates.memory / BytesPerSecond::from_base(1.0);
  for (const Product& p : products_) {
    least_per_token_ += 2 * p.weights() / rate(p.format.math);
    least_pass_ += p.weights() * cost::weight_bytes(p.format.math, p.format.variant) / bandwidth;
  }
  const double head =
      workload::head_product(*deployment_.model, sharding_of(deployment_.layout)).weights();
  least_head_ = 2 * head / rate(Dtype::kBf16);
  least_head_pass_ = kBytesOf16Bits * head / bandwidth;
  const KernelFormat format = deployment_.precision.experts;
  for (const ExpertProduct& p : expert_products_) {
    least_per_token_ += 2 * p.copies * p.weights() / rate(format.math);
    least_pass_ += p.weights() * cost::weight_bytes(format.math, format.variant) *
                   std::min(1.0, p.copies) / bandwidth;
  }
}

}  // namespace loadfactor::serving
