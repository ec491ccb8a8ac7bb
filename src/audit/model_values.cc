// What a model that is named, or described, brings: size, layers, heads, experts and cache.
#include <algorithm>

#include "audit/rule.h"
#include "audit/values.h"

namespace loadfactor::audit {
namespace {

using catalog::AttentionKind;
using catalog::LayerSpec;
using catalog::ModelSpec;

// Elements that a token leaves in the cache of a layer however long the sequence is. Layers that
// look back a window only, or keep a state, add nothing that grows.
double cached_elements(const LayerSpec& layer) {
  const auto& attention = layer.attention;
  if (attention.window > 0 || attention.compress > 0) return 0;
  if (attention.kv == catalog::KvSource::kReuse) return 0;
  if (attention.kind == AttentionKind::kLatent) return attention.kv_rank + attention.rope_dim;
  if (attention.kind != AttentionKind::kStandard) return 0;
  return 2.0 * attention.kv_heads * attention.head_dim;
}

double cached_elements(const ModelSpec& model) {
  double elements = 0;
  for (int i = 0; i < model.num_layers(); ++i) elements += cached_elements(model.layer(i));
  return elements;
}

// The format of the cache; where none is stated, the narrowest there is.
double cache_bytes(const Claim& claim) {
  if (claim.kv_dtype) return catalog::bytes_per_element(*claim.kv_dtype);
  double narrowest = catalog::bytes_per_element(catalog::Dtype::kFp16);
  for (const auto& row : catalog::kDtypes)
    narrowest = std::min(narrowest, catalog::bytes_per_element(row.dtype));
  return narrowest;
}

void add_spec(const Claim& claim, const ModelSpec& model, Values& values) {
  const auto bring = [&values](Figure figure, double value, const std::string& source) {
    if (value > 0 && values.find(figure) == nullptr) values.set(figure, {value, false, source});
  };
  const std::string published = source_ids(model.published_provenance);
  const std::string shape = source_ids(model.provenance);
  const bool sized = claim[Figure::kParameters].has_value();
  bring(Figure::kParameters, model.published_parameters, published);
  if (!sized) bring(Figure::kActiveParameters, model.published_active, published);
  bring(Figure::kLayers, model.num_layers(), shape);
  for (const LayerSpec& kind : model.kinds) {
    bring(Figure::kExperts, kind.moe.experts, shape);
    if (kind.attention.kind != AttentionKind::kStandard) continue;
    bring(Figure::kHeads, kind.attention.heads, shape);
    bring(Figure::kKvHeads, kind.attention.kv_heads, shape);
    bring(Figure::kHeadDim, kind.attention.head_dim, shape);
  }
  if (!claim[Figure::kKvHeads])
    bring(Figure::kKvPerToken, cached_elements(model) * cache_bytes(claim), shape);
}

void add_described_cache(const Claim& claim, Values& values) {
  const Value* layers = values.find(Figure::kLayers);
  const Value* heads = values.find(Figure::kKvHeads);
  const Value* size = values.find(Figure::kHeadDim);
  const bool known = layers != nullptr && heads != nullptr && size != nullptr;
  if (!known || values.find(Figure::kKvPerToken) != nullptr) return;
  values.set(
      Figure::kKvPerToken,
      {2 * layers->value * heads->value * size->value * cache_bytes(claim), false, heads->source,
       heads->stated ? std::vector{Figure::kKvHeads} : std::vector<Figure>{}});
}

}  // namespace

// What the claim says of the model stands first; a name that nobody knows brings nothing.
void add_model_values(const Claim& claim, const catalog::Catalog& catalog, Values& values) {
  if (claim.model) {
    const auto model = catalog.find_model(claim.model->value);
    if (model) add_spec(claim, **model, values);
    if (model && !claim.dtype_stated && serves(claim))
      values.set(Figure::kBytesPerParameter, {catalog::bytes_per_element((*model)->dtype), false,
                                              source_ids((*model)->provenance)});
  }
  add_described_cache(claim, values);
}

}  // namespace loadfactor::audit
