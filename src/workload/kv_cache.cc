#include "workload/kv_cache.h"

#include <algorithm>

namespace loadfactor::workload {
namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::Dtype;
using catalog::ModelSpec;

Bytes bytes_of(std::int64_t elements, Dtype dtype) {
  return Bytes::from_base(static_cast<double>(elements) * catalog::bytes_per_element(dtype));
}

// The keys of the indexer are kept in fp8, with an fp32 scale per token.
Bytes index_bytes(const AttentionSpec& attention) {
  constexpr std::int64_t kScaleBytes = 4;
  if (attention.sparse_top_k == 0) return Bytes();
  return bytes_of(attention.index_dim, Dtype::kFp8) +
         Bytes::from_base(static_cast<double>(kScaleBytes));
}

}  // namespace

Bytes kv_bytes_per_token(const AttentionSpec& attention, const KvFormat& format, int tp) {
  const Bytes index = index_bytes(attention);
  if (attention.kv == catalog::KvSource::kReuse) return index;
  switch (attention.kind) {
    case AttentionKind::kStandard: {
      const std::int64_t heads = share_of(attention.kv_heads, tp);
      // Where the past is kept compressed, one entry serves as key and value.
      const int kept = attention.compress > 0 ? 1 : 2;
      return bytes_of(kept * heads * attention.head_dim, format.kv) + index;
    }
    case AttentionKind::kLatent:
      return bytes_of(attention.kv_rank + attention.rope_dim, format.kv) + index;
    case AttentionKind::kNone:
    case AttentionKind::kLinear:
    case AttentionKind::kMamba2:
      break;
  }
  return Bytes();
}

Bytes state_bytes(const AttentionSpec& attention, const KvFormat& format, int tp) {
  const std::int64_t past_inputs = attention.conv - 1;
  const std::int64_t heads = share_of(attention.value_heads, tp);
  const std::int64_t state = heads * attention.value_dim * attention.key_dim;
  std::int64_t channels = heads * attention.value_dim;
  if (attention.kind == AttentionKind::kLinear) {
    channels += 2 * share_of(attention.key_heads, tp) * attention.key_dim;
  } else if (attention.kind == AttentionKind::kMamba2) {
    channels += 2 * share_of(attention.groups, tp) * attention.key_dim;
  } else {
    return Bytes();
  }
  return bytes_of(state, format.state) + bytes_of(channels * past_inputs, format.convolution);
}

void KvProfile::grow(const Part& part) {
  if (part.per_token == Bytes()) return;
  for (Part& known : parts_) {
    if (known.bound == part.bound && known.stride == part.stride) {
      known.per_token += part.per_token;
      return;
    }
  }
  parts_.push_back(part);
}

Bytes KvProfile::bytes(std::int64_t tokens) const {
  Bytes sum = fixed_;
  const std::int64_t local = share_of(tokens, context_ranks_);
  for (const Part& part : parts_) {
    const std::int64_t entries = share_of(local, part.stride);
    const std::int64_t held = part.bound == 0 ? entries : std::min(entries, part.bound);
    sum += part.per_token * static_cast<double>(held);
  }
  return sum;
}

Bytes KvProfile::per_token() const {
  return per_token_at_length(1);
}

Bytes KvProfile::per_token_at_length(std::int64_t tokens) const {
  Bytes sum;
  const std::int64_t local = share_of(tokens, context_ranks_);
  for (const Part& part : parts_) {
    if (part.bound > 0 && local > part.bound) continue;
    sum += part.per_token / static_cast<double>(part.stride * context_ranks_);
  }
  return sum;
}

KvProfile kv_profile(const ModelSpec& model, const KvFormat& format) {
  return kv_profile(model, format, Sharding{}, whole_model(model));
}

KvProfile kv_profile(const ModelSpec& model, const KvFormat& format, const Sharding& sharding,
                     const Stage& stage) {
  KvProfile profile;
  profile.context_ranks_ = sharding.cp;
  if (!model.causal) return profile;  // One pass over the whole text: nothing is kept of it.
  for (const int index : stage.layers) {
    const AttentionSpec& attention = model.layer(index).attention;
    const Bytes per_token = kv_bytes_per_token(attention, format, sharding.tp);
    profile.fixed_ += state_bytes(attention, format, sharding.tp);
    const std::int64_t window = format.caps_window ? attention.window : 0;
    if (attention.compress > 0) {
      // The window is kept as it is, the past before it in compressed entries.
      profile.grow({.bound = window, .stride = 1, .per_token = window > 0 ? per_token : Bytes()});
      profile.grow({.bound = 0, .stride = attention.compress, .per_token = per_token});
    } else {
      profile.grow({.bound = window, .stride = 1, .per_token = per_token});
    }
  }
  return profile;
}

}  // namespace loadfactor::workload
