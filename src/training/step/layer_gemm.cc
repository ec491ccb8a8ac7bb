// Times of the products of a layer, which workload/layer_products.h lists.
#include <algorithm>

#include "training/step/layer_sum.h"
#include "workload/layer_products.h"

namespace loadfactor::training {

namespace {

using workload::LayerProduct;
using workload::ProductRole;

double imbalance(const LayerSum& sum) {
  const double learned = sum.job.learned_routing ? sum.constant(Constant::kRoutingImbalance) : 1.0;
  return sum.job.routing.busiest(learned);
}

PassTimes product_time(const LayerSum& sum, const LayerProduct& product, double rows) {
  return linear_time(sum.context, product.over(rows), sum.context.width);
}

void add_expert_product(LayerSum& sum, const LayerProduct& product, const catalog::MoeSpec& moe) {
  const ExpertRows experts = expert_rows(sum, moe);
  const bool compiled = sum.context.stack->moe == MoeDispatch::kCompiler;
  const double rate =
      sum.constant(compiled ? Constant::kGroupedGemmCompiler : Constant::kGroupedGemm);
  const PassTimes time =
      product_time(sum, product, experts.rows / product.groups) * (experts.uneven / rate);
  sum.time.gemm += time;
  sum.time.modules.experts += time.forward;
}

void add_product(LayerSum& sum, const LayerProduct& product, const catalog::LayerSpec& layer) {
  const auto add = [&](double rows) {
    const PassTimes time = product_time(sum, product, rows);
    sum.time.gemm += time;
    return time.forward;
  };
  switch (product.role) {
    case ProductRole::kNone:
    case ProductRole::kHeadNumbers:  // In the launch of the mixer's other inputs.
    case ProductRole::kRouter:       // This and the next three: too thin to show.
    case ProductRole::kPerLayerDown:
    case ProductRole::kPerLayerUp:
    case ProductRole::kOutside:
    case ProductRole::kHead:
      return;
    case ProductRole::kExpertUp:
    case ProductRole::kExpertDown:
      return add_expert_product(sum, product, layer.moe);
    case ProductRole::kLatentDown:
    case ProductRole::kLatentUp:
      add(expert_rows(sum, layer.moe).sent);
      return;
    case ProductRole::kMlpUp:
    case ProductRole::kMlpDown:
    case ProductRole::kSharedUp:
    case ProductRole::kSharedDown:
      sum.time.modules.mlp += add(sum.tokens);
      return;
    case ProductRole::kQueryUp:
    case ProductRole::kKeyValueUp: {
      const Seconds forward = add(sum.tokens);
      if (layer.attention.kind == catalog::AttentionKind::kLatent)
        sum.time.modules.latent_up += forward;
      return;
    }
    case ProductRole::kMixerIn:
    case ProductRole::kMixerGroups:
    case ProductRole::kMixerOut:
    case ProductRole::kIndexQuery:
    case ProductRole::kIndexKey:
      add(sum.tokens);
      return;
  }
}

}  // namespace

workload::Sharding ranks_of(const Layout& layout) {
  return {.tp = layout.tp, .ep = std::max(1, layout.ep), .etp = std::max(1, layout.etp)};
}

ExpertRows expert_rows(const LayerSum& sum, const catalog::MoeSpec& moe) {
  const double sent = sum.tokens / sum.tp();
  // Balanced: as many arrive as leave, and ranks that share an expert gather what each was sent.
  const double rows = sent * moe.top_k * std::max(1, sum.job.layout.etp);
  return {sent, rows, imbalance(sum)};
}

void add_products(LayerSum& sum, const catalog::LayerSpec& layer) {
  const auto products = workload::layer_products(*sum.job.model, layer, ranks_of(sum.job.layout));
  double head_numbers = 0;
  for (const LayerProduct& product : products)
    if (product.role == ProductRole::kHeadNumbers) head_numbers = product.columns;
  for (LayerProduct product : products) {
    if (product.role == ProductRole::kMixerIn) product.columns += head_numbers;
    add_product(sum, product, layer);
  }
}

}  // namespace loadfactor::training
