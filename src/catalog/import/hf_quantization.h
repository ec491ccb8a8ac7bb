// How the weights of a checkpoint are stored, as `quantization_config` or a sibling
// hf_quant_config.json says it. "FP8" never covers every tensor: what is kept apart is listed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/import/foreign_map.h"
#include "catalog/spec/dtype.h"

namespace loadfactor::catalog {

struct HfQuantization {
  std::string method;  // As the file calls it: "fp8", "modelopt", "awq".
  Dtype weights = Dtype::kFp8;
  std::optional<Dtype> kv_cache;
  std::vector<std::string> kept;  // Modules that keep the dtype of the model.
  bool mixed = false;             // Layers differ; `weights` is what most of them use.
};

// Reads the object under `quantization_config`. A method that is not known is LF506.
std::optional<HfQuantization> read_quantization(ForeignMap block);

// Reads the whole of an hf_quant_config.json, in which ModelOpt writes its choice.
std::optional<HfQuantization> read_quant_file(ForeignMap root);

// The dtype that PyTorch calls by this name ("bfloat16", "torch.float16"), if we know it.
std::optional<Dtype> find_torch_dtype(std::string_view name);

}  // namespace loadfactor::catalog
