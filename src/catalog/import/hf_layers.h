// Which layer of a Hugging Face model does what: the mixer and the feed-forward part of each.
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/import/hf_text.h"
#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

enum class HfMixer : std::uint8_t { kNone, kFull, kWindow, kLinear, kMamba };
enum class HfFeed : std::uint8_t { kNone, kDense, kExperts };

struct HfLayer {
  HfMixer mixer = HfMixer::kFull;
  HfFeed feed = HfFeed::kDense;
  bool reuses_kv = false;   // Keys and values are those of an earlier layer.
  bool drops_norm = false;  // One norm fewer than the others.

  friend bool operator==(const HfLayer&, const HfLayer&) = default;
};

// One entry per layer. Lists that disagree with the number of layers are LF209, words that are
// not known LF506.
std::vector<HfLayer> plan_layers(HfText& text, const HfDimensions& sizes);

// How far a windowed layer looks back; 0 when windows are switched off.
std::int64_t read_window(HfText& text);

}  // namespace loadfactor::catalog
