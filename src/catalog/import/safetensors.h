// The two JSON parts of a safetensors checkpoint: the index over its shards and the header that
// each shard begins with.
//
// Bytes are bytes in the dtype as stored. A header is believed only if its offsets cover the
// data without gap or overlap and each range is as long as shape and dtype demand (LF517).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct StoredTensor {
  std::string name;
  std::string dtype;  // As safetensors writes it: BF16, F8_E4M3, U8.
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  // Byte offsets into the data that follow the header.
  std::int64_t end = 0;

  std::int64_t elements() const;
  std::int64_t bytes() const { return end - begin; }
};

struct SafetensorsHeader {
  std::string file;
  std::vector<StoredTensor> tensors;  // In file order.
  std::int64_t data_bytes = 0;
};

struct SafetensorsIndex {
  std::string file;
  std::int64_t total_size = 0;
  // Counts a tied head twice where it was written by a tool that walks the module tree.
  std::optional<std::int64_t> total_parameters;
  std::map<std::string, std::string> weight_map;  // Tensor to shard.
};

std::optional<SafetensorsIndex> parse_safetensors_index(std::string file, std::string text,
                                                        Diagnostics& diagnostics);

// The first bytes of a .safetensors file, at least through its header, and its whole size if the
// caller knows it.
struct SafetensorsBytes {
  std::string file;
  std::string_view bytes;
  std::optional<std::int64_t> file_size;
};

std::optional<SafetensorsHeader> parse_safetensors_header(const SafetensorsBytes& input,
                                                          Diagnostics& diagnostics);

// Bits of one element, or 0 for a dtype that is not known.
int safetensors_bits(std::string_view dtype);

}  // namespace loadfactor::catalog
