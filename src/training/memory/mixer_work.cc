#include "training/memory/mixer_work.h"

#include <algorithm>

namespace loadfactor::training {

namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::KvSource;

}  // namespace

bool has_state(const AttentionSpec& spec) {
  return spec.kind == AttentionKind::kLinear || spec.kind == AttentionKind::kMamba2;
}

ScanWidths scan_widths(const AttentionSpec& spec) {
  const bool linear = spec.kind == AttentionKind::kLinear;
  ScanWidths widths;
  widths.value = double(spec.value_heads) * spec.value_dim;
  widths.key = double(linear ? spec.key_heads : spec.groups) * spec.key_dim;
  widths.state = widths.value * spec.key_dim;
  widths.products = linear ? 3.0 : 2.0;
  widths.chunk = linear ? 64 : 128;
  return widths;
}

double key_projections(const AttentionSpec& spec) {
  switch (spec.kv) {
    case KvSource::kOwn:
      return 2.0;
    case KvSource::kTied:
      return 1.0;
    case KvSource::kReuse:
      return 0.0;
  }
  return 2.0;
}

double mean_keys(double sequence, double window) {
  if (window <= 0 || window >= sequence) return sequence / 2.0;
  return window - window * window / (2.0 * sequence);
}

double attended_keys(const AttentionSpec& spec, double sequence) {
  const double near = mean_keys(sequence, double(spec.window));
  const double most = double(spec.sparse_top_k);
  if (spec.compress == 0) return most > 0 ? std::min(near, mean_keys(sequence, most)) : near;
  const double entries = sequence / spec.compress;
  return near + mean_keys(entries, most);
}

}  // namespace loadfactor::training
