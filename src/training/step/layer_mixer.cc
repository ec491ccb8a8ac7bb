#include <algorithm>

#include "training/memory/mixer_work.h"
#include "training/step/layer_sum.h"
#include "workload/layer_products.h"

namespace loadfactor::training {

namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;

// A few narrow heads score the tokens and say what the others look at.
void add_index_scores(LayerSum& sum, const AttentionSpec& spec) {
  if (spec.index_heads == 0) return;
  const double length = static_cast<double>(sum.job.sequence) / std::max(1, spec.compress);
  sum.time.attention +=
      attention_time(sum.context, {sum.tokens, mean_keys(length, 0), length,
                                   double(spec.index_heads), double(spec.index_dim), 0.0});
}

// What the rank with most of a causal mask has over the mean one. Of pieces in order the last of c
// meets c − 1/2 pieces of keys and the mean one c/2.
double causal_excess(const LayerSum& sum) {
  const double cp = sum.job.layout.cp;
  return sum.context.stack->context == ContextExchange::kRing ? 2.0 - 1.0 / cp : 1.0;
}

void add_scores(LayerSum& sum, const AttentionSpec& spec) {
  const workload::ScoreHeads heads = workload::score_heads(spec, sum.job.layout.tp);
  const double length = static_cast<double>(sum.job.sequence);
  // Ranks that trade tokens for heads see whole sequences; else keys come in pieces.
  const bool pieces = sum.context.stack->context != ContextExchange::kHeads;
  const int cp = pieces ? sum.job.layout.cp : 1;
  const PassTimes scores =
      attention_time(sum.context, {sum.tokens, attended_keys(spec, length), length, heads.queries,
                                   heads.key_dim, heads.value_dim, cp});
  sum.time.attention += scores * causal_excess(sum);
  add_index_scores(sum, spec);
  // Queries and keys are rotated; where they come from latents, values are copied too.
  const double keys = heads.keys * heads.key_dim;
  const double values = spec.kind == AttentionKind::kLatent ? heads.queries * heads.value_dim : 0.0;
  sum.pointwise += sum.tokens * 2.0 * (heads.queries * heads.key_dim + keys + values);
  // Two products, a turned copy put together from halves, and a sum, instead of one pass. Models
  // with other norms are of a time before rotation.
  if (sum.composite() && sum.job.model->norm == catalog::NormKind::kRms)
    sum.unscaled += sum.tokens * 8.0 * (heads.queries * heads.key_dim + keys);
  // What a chunk of keys gave is added to the output so far: read in 16 and 32 bit, written in 32.
  sum.pointwise += sum.tokens * heads.queries * heads.value_dim * 5.0 * (cp - 1.0);
}

// A state per sequence instead of keys: products inside chunks of tokens and with the states
// between them, and a few passes over the inputs.
void add_scan(LayerSum& sum, const AttentionSpec& spec) {
  const ScanWidths widths = scan_widths(spec);
  const double value = widths.value / sum.tp();
  const double key = widths.key / sum.tp();
  const double inside = static_cast<double>(widths.chunk) * (value + key);
  const double work = 2.0 * (inside + widths.products * widths.state / sum.tp());
  sum.time.attention += scan_time(sum.context, Flops::from_base(sum.tokens * work));
  sum.pointwise += sum.tokens * sum.constant(Constant::kScanPasses) * (value + key);
}

}  // namespace

void add_mixer(LayerSum& sum, const AttentionSpec& spec) {
  switch (spec.kind) {
    case AttentionKind::kNone:
      break;
    case AttentionKind::kStandard:
    case AttentionKind::kLatent:
      add_scores(sum, spec);
      break;
    case AttentionKind::kLinear:
    case AttentionKind::kMamba2:
      add_scan(sum, spec);
      break;
  }
}

}  // namespace loadfactor::training
