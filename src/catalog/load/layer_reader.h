// Reads the layers of a model file: attention, mlp and moe blocks, layer kinds and their pattern.
//
// Every layer starts from the blocks at the top of the file; a layer kind changes some keys of
// them; the mixture-of-experts rule then decides, layer by layer, between moe and mlp.
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/spec/model_spec.h"
#include "config/reader.h"

namespace loadfactor::catalog {

struct ReadLayers {
  std::vector<LayerSpec> kinds;      // Distinct ones, in order of first use.
  std::vector<std::uint8_t> layers;  // For each layer the index of its kind.
};

// Reads `layers`, `attention`, `mlp`, `moe`, `layer_kinds` and `layer_pattern` of a model.
// `norms` is the number of norms of a layer unless its kind says otherwise.
ReadLayers read_layers(config::MapReader& model, int norms);

}  // namespace loadfactor::catalog
