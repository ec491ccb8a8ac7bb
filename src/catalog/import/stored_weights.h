// What a checkpoint holds on disk: bytes by dtype, and the parameters they stand for.
//
// Bytes on disk are not parameters times a width: a quantised checkpoint keeps its embeddings and
// norms wide, packs several weights into one element and adds scales.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catalog/import/safetensors.h"
#include "catalog/spec/dtype.h"

namespace loadfactor::catalog {

struct StoredWeights {
  std::int64_t bytes = 0;
  std::map<std::string, std::int64_t> bytes_by_dtype;  // Empty when only the index is known.
  std::optional<std::int64_t> parameters;              // Nothing when it cannot be known.
  bool has_own_head = true;  // False: the output head is the embedding (tied).
  int layers = 0;            // One more than the highest layer number in the names.
  std::size_t tensors = 0;
};

// Sums the shards of a checkpoint.
StoredWeights summarise(std::span<const SafetensorsHeader> shards);

// The index knows bytes and names only. `dtype` turns bytes into parameters if every tensor is
// stored in it; leave it out for a quantised checkpoint.
StoredWeights summarise(const SafetensorsIndex& index, std::optional<Dtype> dtype);

// Checks an index against the headers of its shards: the same bytes, the same tensors in the
// same files (LF517).
void check_shards(const SafetensorsIndex& index, std::span<const SafetensorsHeader> shards,
                  Diagnostics& diagnostics);

// Parameters that a tensor stands for: its elements, several per element where weights are
// packed, none for scales and buffers.
std::int64_t parameters_in(const StoredTensor& tensor);

}  // namespace loadfactor::catalog
