#include "catalog/import/hf_fallback.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/import/hf_text.h"

namespace loadfactor::catalog {
namespace {

// Takes nothing for granted that a key could state.
constexpr HfArchitecture kAnyDecoder{.model_type = "", .family = "", .sizes = {.context = 4096}};

std::int64_t attention_parameters(const HfDimensions& sizes) {
  const std::int64_t hidden = sizes.hidden;
  const std::int64_t heads = 2LL * sizes.heads + 2LL * sizes.kv_heads;  // Q and out, K and V.
  return hidden * heads * sizes.head_dim;
}

std::int64_t stored_parameters(const StoredWeights& stored, Dtype dtype) {
  if (stored.parameters) return *stored.parameters;
  return std::llround(static_cast<double>(stored.bytes) / bytes_per_element(dtype));
}

}  // namespace

void fill_from_checkpoint(ForeignMap text, const StoredWeights& stored, ModelSpec& spec,
                          std::vector<ImportNotice>& notices) {
  HfText reading(kAnyDecoder, std::move(text), false);
  const std::size_t before = reading.map().diagnostics().size();
  const HfDimensions sizes = read_dimensions(reading);
  if (!reading.map().has("vocab_size")) reading.map().report_missing("vocab_size");
  if (reading.map().diagnostics().size() != before) return;
  const std::int64_t total = stored_parameters(stored, spec.dtype);
  const std::int64_t tables = (stored.has_own_head ? 2LL : 1LL) * sizes.vocab * sizes.hidden;
  const std::int64_t norms = (2LL * sizes.layers + 1) * sizes.hidden;
  const std::int64_t attention = sizes.layers * attention_parameters(sizes);
  if (total <= tables + norms) {
    reading.map().report("vocab_size", lf::kInconsistentFigures,
                         fmt::format("the embedding and norms alone have {} parameters, but the "
                                     "checkpoint holds {}",
                                     tables + norms, total));
    return;
  }
  const bool standard = total > tables + norms + attention;
  LayerSpec layer;
  layer.attention = standard ? AttentionSpec{.heads = sizes.heads,
                                             .kv_heads = sizes.kv_heads,
                                             .head_dim = sizes.head_dim}
                             : AttentionSpec{.kind = AttentionKind::kNone};
  spec.hidden = sizes.hidden;
  spec.context = sizes.context;
  spec.embedding = {.vocab = sizes.vocab, .tied = !stored.has_own_head};
  spec.kinds = {layer};
  spec.layers.assign(static_cast<std::size_t>(sizes.layers), 0);
  const std::int64_t listed = tables + norms + (standard ? attention : 0);
  spec.extras.push_back({"unlisted", total - listed});
  notices.push_back(
      {lf::kUnsupportedModelType,
       fmt::format("the total of {} parameters is that of the checkpoint; {} of them "
                   "could not be told apart{}",
                   total, total - listed, standard ? "" : ", and the KV cache is not known"),
       0});
}

}  // namespace loadfactor::catalog
