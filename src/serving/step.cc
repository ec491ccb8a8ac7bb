#include "serving/step.h"

#include <algorithm>
#include <cmath>

#include "collective/estimate.h"
#include "cost/gemm.h"
#include "cost/grouped_gemm.h"
#include "workload/sharding.h"

namespace loadfactor::serving {
namespace {

using catalog::AttentionKind;
using catalog::Dtype;
using cost::KernelClass;
using cost::KernelVariant;
using workload::share_of;

constexpr Seconds kSecond = Seconds::from_base(1.0);
// Kernels that quantise activations, over the other small kernels of a layer.
constexpr double kQuantiseKernels = 0.47;
constexpr double kBytes16 = 2.0;
constexpr double kStateBytes = 4.0;

double pieces(int units, int degree) {
  return units > 0 ? static_cast<double>(share_of(units, degree)) : 0.0;
}

std::size_t width_index(const KernelFormat& format) {
  if (format.variant == KernelVariant::kWeightOnly8 || format.variant == KernelVariant::kWeightOnly4)
    return 3;
  const double bits = catalog::row(format.math).bits;
  if (bits >= 16) return 0;
  return bits >= 8 ? 1 : 2;
}

// The longer of two times that run beside each other, a little more where they are close.
double beside(double a, double b) {
  const double longer = std::max(a, b);
  if (longer <= 0) return 0;
  const double ratio = std::min(a, b) / longer;
  return longer * std::sqrt(std::sqrt(1 + ratio * ratio * ratio * ratio));
}

}  // namespace

StepModel::StepModel(const ServingDeployment& deployment) : deployment_(deployment) {
  const catalog::ModelSpec& model = *deployment.model;
  family_ = chip_family(*deployment.chip);
  expert_width_ = width_index(deployment.precision.experts);
  std::vector<double> counts(model.kinds.size(), 0.0);
  for (const auto kind : model.layers) counts[kind] += 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) add_layer(model.kinds[i], counts[i]);
  }
  num_layers_ = model.num_layers();
  tabulate(model);
}

void StepModel::add_layer(const catalog::LayerSpec& layer, double count) {
  const ServingLayout& cut = deployment_.layout;
  const ServingPrecision& precision = deployment_.precision;
  const auto& a = layer.attention;
  const double h = deployment_.model->hidden;
  const bool fused = deployment_.engine->fused;
  const auto product = [&](double n, double k, const KernelFormat& format) {
    if (n > 0 && k > 0) products_.push_back({count, n, k, format});
  };
  double bytes = fused ? 16 * h : 20 * h;
  AttentionKind kind{.layers = count};
  const double heads = pieces(a.heads, cut.tp);
  const auto cache = precision.kv;
  if (a.kind == catalog::AttentionKind::kStandard) {
    const double kv = pieces(a.kv_heads, cut.tp);
    const double stored = a.kv == catalog::KvSource::kOwn ? 2 : a.kv == catalog::KvSource::kTied ? 1 : 0;
    const double width = (heads * (a.gate ? 2 : 1) + stored * kv) * a.head_dim;
    product(width, h, precision.attention);
    product(h, heads * a.head_dim, precision.attention);
    bytes += fused ? 6 * (heads + 2 * kv) * a.head_dim
                   : (20 * (heads + kv) + 8 * kv) * a.head_dim;
    kind.decode.heads = kind.prefill.heads = static_cast<std::int64_t>(heads);
    kind.decode.kv_heads = kind.prefill.kv_heads = static_cast<std::int64_t>(std::max(1.0, kv));
    kind.decode.head_dim = kind.prefill.head_dim = a.head_dim;
    kind.decode.window = kind.prefill.window = a.window;
  } else if (a.kind == catalog::AttentionKind::kLatent) {
    const double query = heads * (a.nope_dim + a.rope_dim);
    const double rank = a.q_rank > 0 ? a.q_rank : 0;
    product(rank + a.kv_rank + a.rope_dim, h, precision.attention);
    product(query, rank > 0 ? rank : h, precision.attention);
    product(heads * (a.nope_dim + a.value_dim), a.kv_rank, precision.attention);
    product(h, heads * a.value_dim, precision.attention);
    if (a.index_heads > 0) product(a.index_heads * a.index_dim, rank > 0 ? rank : h, precision.attention);
    bytes += 8 * heads * (a.nope_dim + a.rope_dim);
    kind.latent = true;
    kind.decode.heads = kind.prefill.heads = kind.prefill.kv_heads = static_cast<std::int64_t>(heads);
    kind.decode.kv_heads = 1;
    kind.decode.head_dim = a.kv_rank + a.rope_dim;
    kind.decode.value_dim = a.kv_rank;
    kind.decode.values_in_keys = true;
    kind.prefill.head_dim = a.nope_dim + a.rope_dim;
    kind.prefill.value_dim = a.value_dim;
    kind.decode.window = kind.prefill.window = a.sparse_top_k;
    special_layers_ += count;
  } else if (a.kind != catalog::AttentionKind::kNone) {
    const double values = static_cast<double>(a.value_heads) * a.value_dim / cut.tp;
    const double keys = static_cast<double>(std::max(a.key_heads, a.groups)) * a.key_dim / cut.tp;
    product(2 * keys + 2 * values, h, precision.attention);
    product(h, values, precision.attention);
    bytes += 12 * (keys + values);
    kind.state_bytes = 2 * kStateBytes * values * a.key_dim;
    kind.decode.heads = 0;
    special_layers_ += count;
  }
  kind.decode.cache_dtype = kind.prefill.cache_dtype = cache;
  if (a.kind != catalog::AttentionKind::kNone) attention_.push_back(kind);
  const auto mlp = [&](double width, catalog::MlpKind shape) {
    product((shape == catalog::MlpKind::kGated ? 2 : 1) * width / cut.tp, h, precision.dense);
    product(h, width / cut.tp, precision.dense);
    bytes += (fused ? 6 : 10) * width / cut.tp;
  };
  if (layer.mlp.width > 0) mlp(layer.mlp.width, layer.mlp.kind);
  if (layer.moe.experts > 0) {
    const auto& moe = layer.moe;
    const double inner = moe.latent > 0 ? moe.latent : h;
    const double width = static_cast<double>(moe.width) / cut.expert_tp();
    const double experts = std::max(1.0, static_cast<double>(moe.experts) / cut.ep);
    const double copies = static_cast<double>(moe.top_k) * cut.dp / cut.ep;
    const double up = moe.kind == catalog::MlpKind::kGated ? 2 : 1;
    expert_products_.push_back({count, experts, copies, up * width, inner});
    expert_products_.push_back({count, experts, copies, inner, width});
    product(moe.experts, h, {});
    if (moe.shared_width > 0) mlp(moe.shared_width, moe.kind);
    bytes += copies * (6 * width + 4 * inner);
    expert_layers_ += count;
  }
  if (width_index(precision.dense) == 1 || width_index(precision.dense) == 2) {
    bytes += fused ? 6 * h : 3 * (3 * h + static_cast<double>(layer.mlp.width) / cut.tp);
  }
  elementwise_bytes_ += count * bytes;
}

void StepModel::tabulate(const catalog::ModelSpec& model) {
  const auto& rates = deployment_.kernels->rates();
  for (std::size_t w = 0; w < dense_.size(); ++w) {
    std::vector<std::pair<Product, cost::KernelFit>> chosen;
    for (const Product& p : products_) {
      if (width_index(p.format) != w) continue;
      cost::KernelFit fit = deployment_.kernels->fit({KernelClass::kGemm, p.format.math, p.format.variant});
      dense_[w].fixed += p.layers * (fit.parameters.fixed / kSecond);
      fit.parameters.fixed = Seconds();
      chosen.emplace_back(p, fit);
    }
    if (chosen.empty()) continue;
    dense_[w].used = true;
    dense_[w].body = PassTable([&](double tokens) {
      double sum = 0;
      for (const auto& [p, fit] : chosen) {
        const cost::GemmCall call{{static_cast<std::int64_t>(std::ceil(tokens)),
                                   static_cast<std::int64_t>(p.n), static_cast<std::int64_t>(p.k)},
                                  p.format.math, p.format.variant};
        sum += p.layers * (cost::estimate_gemm(call, rates, fit).duration / kSecond);
      }
      return sum;
    });
  }
  for (const Product& p : products_) flops_per_token_ += 2 * p.layers * p.n * p.k;
  flops_per_token_ *= deployment_.layout.tp;
  if (!expert_products_.empty()) {
    const KernelFormat format = deployment_.precision.experts;
    const cost::KernelFit& fit =
        deployment_.kernels->fit({KernelClass::kGroupedGemm, format.math, format.variant});
    const double bandwidth = rates.memory / BytesPerSecond::from_base(1.0) * fit.parameters.memory;
    const double rate = rates.rate(format.math) / FlopsPerSecond::from_base(1.0);
    const double bytes = cost::weight_bytes(format.math, format.variant);
    expert_reading_ = PassTable([&](double tokens) {
      double sum = 0;
      for (const ExpertProduct& p : expert_products_) {
        const double touched = cost::touched_experts(p.experts, tokens * p.copies);
        sum += p.layers * (touched * p.n * p.k * bytes + tokens * p.copies * (p.n + p.k) * kBytes16);
      }
      return sum / bandwidth;
    });
    expert_arithmetic_ = PassTable([&](double tokens) {
      constexpr double kTileRows = 16;
      double sum = 0;
      for (const ExpertProduct& p : expert_products_) {
        const double touched = cost::touched_experts(p.experts, tokens * p.copies);
        sum += 2 * p.layers * std::max(tokens * p.copies, touched * kTileRows) * p.n * p.k;
      }
      return sum / rate;
    });
    for (const ExpertProduct& p : expert_products_) {
      flops_per_token_ += 2 * p.layers * p.n * p.k * p.copies / deployment_.layout.dp *
                          deployment_.layout.ranks();
    }
  }
  set_limits();
  const double vocabulary = std::ceil(static_cast<double>(model.embedding.vocab) / deployment_.layout.tp);
  cost::KernelFit fit = deployment_.kernels->fit({KernelClass::kGemm, Dtype::kBf16, KernelVariant::kPlain});
  head_.fixed = fit.parameters.fixed / kSecond;
  fit.parameters.fixed = Seconds();
  head_.body = PassTable([&](double rows) {
    const cost::GemmCall call{{static_cast<std::int64_t>(std::ceil(rows)),
                               static_cast<std::int64_t>(vocabulary), model.hidden}};
    return cost::estimate_gemm(call, rates, fit).duration / kSecond;
  });
  const ServingLayout& cut = deployment_.layout;
  const double h = model.hidden;
  const collective::Network& network = *deployment_.network;
  if (cut.tp > 1) {
    const double per_layer = cut.dp > 1 ? 1.0 : 2.0;
    const auto all_reduce = [&](double bytes) {
      return per_layer * num_layers_ *
             (collective::estimate(collective::Operation::kAllReduce, Bytes::from_base(bytes),
                                   {.ranks = cut.tp}, network).duration / kSecond);
    };
    collective_start_ = all_reduce(64);
    collectives_ = PassTable([&](double tokens) { return all_reduce(tokens * h * kBytes16); });
  }
  if (cut.dp > 1 && expert_layers_ > 0) {
    const double top = static_cast<double>(model.kinds[model.layers.back()].moe.top_k);
    const auto exchange = [&](double tokens) {
      const double ranks = cut.ranks();
      const double routed = tokens * std::min(top, ranks) * h;
      const auto time = [&](collective::Operation operation, double bytes) {
        return collective::estimate(operation, Bytes::from_base(bytes), {.ranks = cut.ranks()}, network)
                   .duration / kSecond;
      };
      const double direct = time(collective::Operation::kAllToAll, routed) +
                            time(collective::Operation::kAllToAll, routed * kBytes16);
      const double gathered = time(collective::Operation::kAllGather, tokens * ranks * h) +
                              time(collective::Operation::kReduceScatter, tokens * ranks * h * kBytes16);
      return expert_layers_ * std::min(direct, gathered);
    };
    exchange_start_ = exchange(1e-3);
    exchange_ = PassTable(exchange);
  }
}

// At best every row of a mixture goes to one expert.
void StepModel::set_limits() {
  const auto& rates = deployment_.kernels->rates();
  const auto rate = [&](Dtype math) { return rates.rate(math) / FlopsPerSecond::from_base(1.0); };
  const double bandwidth = rates.memory / BytesPerSecond::from_base(1.0);
  for (const Product& p : products_) {
    least_per_token_ += 2 * p.layers * p.n * p.k / rate(p.format.math);
    least_pass_ += p.layers * p.n * p.k * cost::weight_bytes(p.format.math, p.format.variant) / bandwidth;
  }
  const KernelFormat format = deployment_.precision.experts;
  for (const ExpertProduct& p : expert_products_) {
    least_per_token_ += 2 * p.copies * p.layers * p.n * p.k / rate(format.math);
    least_pass_ += p.layers * p.n * p.k * cost::weight_bytes(format.math, format.variant) *
                   std::min(1.0, p.copies) / bandwidth;
  }
}

double StepModel::decode_attention(const StepBatch& batch, const Constants& constants) const {
  const bool plain = deployment_.engine->era == EngineEra::kPlain;
  const double stages = deployment_.layout.pp;
  const double sequences = batch.sequences / stages;
  if (sequences <= 0) return 0;
  const double whole = std::max(1.0, std::round(sequences));
  const double scale = std::max(sequences, 1.0) / whole;
  const bool narrow = catalog::bytes_per_element(deployment_.precision.kv) < kBytes16;
  cost::KernelKey key{KernelClass::kDecodeAttention, Dtype::kBf16,
                      narrow ? KernelVariant::kNarrowCache : KernelVariant::kPlain};
  const cost::KernelFit& fit = deployment_.kernels->fit(key);
  const double fixed = fit.parameters.fixed / kSecond;
  const double shows = plain ? 1.0 : constants[Constant::kKernelFixed];
  double factor = plain ? 1.0 : constants[narrow ? Constant::kDecode8 : Constant::kDecode16];
  double sum = 0;
  for (const AttentionKind& kind : attention_) {
    if (kind.state_bytes > 0) {
      sum += kind.layers * sequences * kind.state_bytes /
             (deployment_.kernels->rates().memory / BytesPerSecond::from_base(0.7));
      continue;
    }
    cost::AttentionCall call = kind.decode;
    call.batch = static_cast<std::int64_t>(whole);
    call.context = static_cast<std::int64_t>(std::max(1.0, batch.context));
    const double all = cost::estimate_decode_attention(call, deployment_.kernels->rates(), fit).duration / kSecond;
    double body = std::max(0.0, all - fixed) * scale * factor;
    if (kind.latent) body *= constants[Constant::kLatentDecode];
    if (!deployment_.engine->grouped_native && call.heads > call.kv_heads)
      body *= constants[Constant::kOldGrouped];
    sum += kind.layers * (fixed * shows + body);
  }
  return sum;
}

double StepModel::prefill_attention(const StepBatch& batch, const Constants& constants) const {
  const double tokens = batch.prompt_tokens / deployment_.layout.pp;
  if (tokens <= 0) return 0;
  const bool plain = deployment_.engine->era == EngineEra::kPlain;
  const double chunk = std::max(1.0, std::min(batch.chunk, tokens));
  const double prompts = std::max(1.0, std::round(tokens / chunk));
  const double scale = tokens / chunk / prompts;
  const cost::KernelFit& fit =
      deployment_.kernels->fit({KernelClass::kAttention, Dtype::kBf16, KernelVariant::kPlain});
  const double fixed = fit.parameters.fixed / kSecond;
  double sum = 0;
  for (const AttentionKind& kind : attention_) {
    if (kind.state_bytes > 0) {
      constexpr double kScanChunk = 64;  // The state is read and written once per chunk.
      sum += kind.layers * tokens / kScanChunk * kind.state_bytes /
             (deployment_.kernels->rates().memory / BytesPerSecond::from_base(0.7));
      continue;
    }
    cost::AttentionCall call = kind.prefill;
    call.batch = static_cast<std::int64_t>(prompts);
    call.queries = static_cast<std::int64_t>(std::ceil(chunk));
    call.context = static_cast<std::int64_t>(std::ceil(chunk + batch.past));
    const double all = cost::estimate_attention(call, deployment_.kernels->rates(), fit).duration / kSecond;
    const double body = std::max(0.0, all - fixed) * scale;
    sum += kind.layers * (plain ? all : fixed * constants[Constant::kKernelFixed] +
                                            body * constants[Constant::kPrefillAttention]);
  }
  return sum;
}

StepParts StepModel::parts(const StepBatch& batch, const Constants& constants) const {
  const EngineEra era = deployment_.engine->era;
  const bool plain = era == EngineEra::kPlain;
  const double stages = deployment_.layout.pp;
  const double tokens = (batch.prompt_tokens + batch.sequences) / stages;
  const bool prefill = batch.prompt_tokens > 0;
  const double shows = plain ? 1.0 : constants[Constant::kKernelFixed];
  constexpr std::array kDense{Constant::kGemm16, Constant::kGemm8, Constant::kGemm4,
                              Constant::kGemmWeightOnly};
  constexpr std::array kExperts{Constant::kExperts16, Constant::kExperts8, Constant::kExperts4,
                                Constant::kExpertsWeightOnly};
  constexpr std::array kRates{Constant::kExpertRate16, Constant::kExpertRate8,
                              Constant::kExpertRate4, Constant::kExpertRateWeightOnly};
  const double engine = constants.of(era, EngineConstant::kKernel) * constants.family(family_) *
                        (prefill ? constants.of(era, EngineConstant::kPrompt) : 1.0);
  StepParts parts;
  for (std::size_t w = 0; w < dense_.size(); ++w) {
    if (!dense_[w].used) continue;
    parts.products += dense_[w].fixed * shows + dense_[w].body.at(tokens) * (plain ? 1.0 : constants[kDense[w]]);
  }
  if (expert_layers_ > 0) {
    const double imbalance = deployment_.layout.ep > 1 ? constants[Constant::kImbalance] : 1.0;
    parts.experts = beside(expert_reading_.at(tokens) * constants[kExperts[expert_width_]],
                           expert_arithmetic_.at(tokens) * imbalance / constants[kRates[expert_width_]]);
  }
  parts.products *= engine;
  parts.experts *= engine;
  parts.attention = engine * (decode_attention(batch, constants) + prefill_attention(batch, constants));
  const double bandwidth = deployment_.kernels->rates().memory / BytesPerSecond::from_base(1.0);
  const double share =
      plain ? deployment_.kernels->fit({KernelClass::kMemory, Dtype::kBf16, KernelVariant::kPlain}).parameters.memory
            : constants[Constant::kElementwise];
  parts.elementwise = engine * tokens * elementwise_bytes_ / (bandwidth * share);
  if (collective_start_ > 0) {
    const double growing = std::max(0.0, collectives_.at(tokens) - collective_start_);
    const bool bus = deployment_.network->domain.topology == catalog::Topology::kNone;
    const bool geforce = kChipFamilies[family_] == "geforce";
    const Constant rate = geforce ? Constant::kCommHost : bus ? Constant::kCommPcie : Constant::kCommRate;
    parts.communication = collective_start_ * (bus ? 1.0 : constants[Constant::kCommLatency]) +
                          growing * constants[rate];
  }
  if (exchange_start_ > 0) {
    parts.communication += exchange_start_ * constants[Constant::kCommLatency] +
                           std::max(0.0, exchange_.at(tokens) - exchange_start_) * constants[Constant::kExchange];
  }
  const double rows = (batch.sequences + batch.finishing) / stages;
  if (rows > 0) parts.head = engine * (head_.fixed * shows + head_.body.at(rows) * (plain ? 1.0 : constants[Constant::kGemm16]));
  const bool narrow = !deployment_.engine->fused && dense_[1].used;
  const double launch = constants.of(era, EngineConstant::kLaunch) * (narrow ? 1 + kQuantiseKernels : 1.0);
  parts.launch = (plain && prefill ? 0.0 : launch * num_layers_) +
                 constants[Constant::kExpertLaunch] * expert_layers_ +
                 constants[Constant::kLatentLaunch] * special_layers_;
  const double device = parts.products + parts.experts + parts.attention + parts.elementwise +
                        parts.communication + parts.launch + parts.head;
  const bool eager = prefill || deployment_.eager;
  const double dispatch = eager ? constants.of(era, EngineConstant::kPrefillLaunch) *
                                      (num_layers_ + expert_layers_ + special_layers_) * (narrow ? 2.1 : 1.0)
                                : 0.0;
  const double busy = std::max({device, dispatch, least_seconds(batch)});
  parts.host = constants.of(era, EngineConstant::kHostStep) +
               constants.of(era, EngineConstant::kHostSequence) * (batch.sequences + batch.finishing);
  const double overlap = deployment_.engine->overlap;
  parts.total = overlap * beside(busy, parts.host) + (1 - overlap) * (busy + parts.host);
  return parts;
}

double StepModel::weight_bytes_read(double tokens) const {
  double bytes = 0;
  for (const Product& p : products_)
    bytes += p.layers * p.n * p.k * cost::weight_bytes(p.format.math, p.format.variant);
  const KernelFormat format = deployment_.precision.experts;
  for (const ExpertProduct& p : expert_products_) {
    bytes += p.layers * p.n * p.k * cost::weight_bytes(format.math, format.variant) *
             cost::touched_experts(p.experts, tokens * p.copies);
  }
  return bytes;
}

double StepModel::least_seconds(const StepBatch& batch) const {
  const double tokens = (batch.prompt_tokens + batch.sequences) / deployment_.layout.pp;
  return std::max(tokens * least_per_token_, least_pass_);
}

}  // namespace loadfactor::serving
