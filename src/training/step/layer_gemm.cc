// Times of the products of a layer, which workload/layer_products.h lists.
#include <algorithm>
#include <optional>

#include "training/job/routing_over_ranks.h"
#include "training/step/layer_kernels.h"
#include "training/step/layer_sum.h"
#include "workload/layer_products.h"

namespace loadfactor::training {

namespace {

using workload::LayerProduct;
using workload::ProductRole;

double imbalance(const LayerSum& sum) {
  const double learned = sum.job.learned_routing ? sum.constant(Constant::kRoutingImbalance) : 1.0;
  return over_ranks(sum.job.routing, sum.job.layout.ep).busiest(learned);
}

TimedProduct timed(const LayerSum& sum, const LayerProduct& product, double rows,
                   double stretch = 1.0) {
  const workload::ProductShape shape = product.over(rows);
  return {product.role, shape, stretch,
          linear_time(sum.context, shape, sum.context.width) * stretch};
}

TimedProduct timed_expert(const LayerSum& sum, const LayerProduct& product,
                          const catalog::MoeSpec& moe) {
  const ExpertRows experts = expert_rows(sum, moe);
  const bool compiled = sum.context.stack->moe == MoeDispatch::kCompiler;
  const double rate =
      sum.constant(compiled ? Constant::kGroupedGemmCompiler : Constant::kGroupedGemm);
  return timed(sum, product, experts.rows / product.groups, experts.uneven / rate);
}

// Nothing where a product is too thin to show.
std::optional<TimedProduct> timed_product(const LayerSum& sum, const LayerProduct& product,
                                          const catalog::LayerSpec& layer) {
  switch (product.role) {
    case ProductRole::kNone:
    case ProductRole::kHeadNumbers:  // In the launch of the mixer's other inputs.
    case ProductRole::kRouter:       // This and the next three: too thin to show.
    case ProductRole::kPerLayerDown:
    case ProductRole::kPerLayerUp:
    case ProductRole::kOutside:
    case ProductRole::kHead:
      return std::nullopt;
    case ProductRole::kExpertUp:
    case ProductRole::kExpertDown:
      return timed_expert(sum, product, layer.moe);
    case ProductRole::kLatentDown:
    case ProductRole::kLatentUp:
      return timed(sum, product, expert_rows(sum, layer.moe).sent);
    case ProductRole::kMlpUp:
    case ProductRole::kMlpDown:
    case ProductRole::kSharedUp:
    case ProductRole::kSharedDown:
    case ProductRole::kQueryUp:
    case ProductRole::kKeyValueUp:
    case ProductRole::kMixerIn:
    case ProductRole::kMixerGroups:
    case ProductRole::kMixerOut:
    case ProductRole::kIndexQuery:
    case ProductRole::kIndexKey:
      return timed(sum, product, sum.tokens);
  }
  return std::nullopt;
}

// What recomputation can name.
void add_to_modules(const TimedProduct& product, const catalog::LayerSpec& layer,
                    ModuleTimes& modules) {
  switch (product.role) {
    case ProductRole::kExpertUp:
    case ProductRole::kExpertDown:
      modules.experts += product.time.forward;
      return;
    case ProductRole::kMlpUp:
    case ProductRole::kMlpDown:
    case ProductRole::kSharedUp:
    case ProductRole::kSharedDown:
      modules.mlp += product.time.forward;
      return;
    case ProductRole::kQueryUp:
    case ProductRole::kKeyValueUp:
      if (layer.attention.kind == catalog::AttentionKind::kLatent)
        modules.latent_up += product.time.forward;
      return;
    default:
      return;
  }
}

template <typename Visit>
void for_each_product(const LayerSum& sum, const catalog::LayerSpec& layer, Visit visit) {
  const auto products = workload::layer_products(*sum.job.model, layer, ranks_of(sum.job.layout));
  double head_numbers = 0;
  for (const LayerProduct& product : products)
    if (product.role == ProductRole::kHeadNumbers) head_numbers = product.columns;
  for (LayerProduct product : products) {
    if (product.role == ProductRole::kMixerIn) product.columns += head_numbers;
    if (const auto one = timed_product(sum, product, layer)) visit(*one);
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
  for_each_product(sum, layer, [&](const TimedProduct& product) {
    sum.time.gemm += product.time;
    add_to_modules(product, layer, sum.time.modules);
  });
}

std::vector<TimedProduct> timed_products(const TrainingJob& job, const KernelContext& context,
                                         const catalog::LayerSpec& layer) {
  const LayerSum sum{job, context, rank_tokens(job), {}};
  std::vector<TimedProduct> products;
  for_each_product(sum, layer, [&](const TimedProduct& product) { products.push_back(product); });
  return products;
}

}  // namespace loadfactor::training
