#include "catalog/import/hf_quantization.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

struct DtypeWord {
  std::string_view word;
  Dtype dtype;
};

constexpr std::array kTorchDtypes{
    DtypeWord{"bfloat16", Dtype::kBf16},   DtypeWord{"float16", Dtype::kFp16},
    DtypeWord{"half", Dtype::kFp16},       DtypeWord{"float32", Dtype::kFp32},
    DtypeWord{"float", Dtype::kFp32},      DtypeWord{"float8_e4m3fn", Dtype::kFp8},
    DtypeWord{"float8_e5m2", Dtype::kFp8}, DtypeWord{"int8", Dtype::kInt8},
};

// What ModelOpt calls its algorithms.
constexpr std::array kAlgorithms{
    DtypeWord{"FP8", Dtype::kFp8},
    DtypeWord{"FP8_PB_WO", Dtype::kFp8},
    DtypeWord{"FP8_PB_REAL", Dtype::kFp8},
    DtypeWord{"FP8_PER_CHANNEL_PER_TOKEN", Dtype::kFp8},
    DtypeWord{"NVFP4", Dtype::kNvfp4},
    DtypeWord{"NVFP4_AWQ", Dtype::kNvfp4},
    DtypeWord{"W4A16_NVFP4", Dtype::kNvfp4},
    DtypeWord{"W4A8_NVFP4_FP8", Dtype::kNvfp4},
    DtypeWord{"MXFP4", Dtype::kMxfp4},
    DtypeWord{"W4A8_MXFP4_FP8", Dtype::kMxfp4},
    DtypeWord{"MXFP8", Dtype::kFp8},
    DtypeWord{"W4A16_AWQ", Dtype::kInt4},
    DtypeWord{"W4A8_AWQ", Dtype::kInt4},
    DtypeWord{"INT4_AWQ", Dtype::kInt4},
    DtypeWord{"W8A8_SQ_PER_CHANNEL", Dtype::kInt8},
    DtypeWord{"W8A16", Dtype::kInt8},
    DtypeWord{"INT8", Dtype::kInt8},
};

// How a method says what it stores.
enum class Says : std::uint8_t {
  kName,       // The method's name is enough.
  kBits,       // `bits`: 4 or 8, integers.
  kLoadFlags,  // `load_in_8bit`, `load_in_4bit`.
  kAlgorithm,  // `quant_algo`.
  kGroups,     // `config_groups`.
};
struct MethodRow {
  std::string_view method;
  Says says;
  Dtype dtype = Dtype::kFp8;
};
constexpr std::array kMethods{
    MethodRow{"fp8", Says::kName, Dtype::kFp8},
    MethodRow{"fbgemm_fp8", Says::kName, Dtype::kFp8},
    MethodRow{"finegrained_fp8", Says::kName, Dtype::kFp8},
    MethodRow{"mxfp4", Says::kName, Dtype::kMxfp4},
    MethodRow{"awq", Says::kBits},
    MethodRow{"gptq", Says::kBits},
    MethodRow{"auto-round", Says::kBits},
    MethodRow{"bitsandbytes", Says::kLoadFlags},
    MethodRow{"modelopt", Says::kAlgorithm},
    MethodRow{"modelopt_fp4", Says::kName, Dtype::kNvfp4},
    MethodRow{"compressed-tensors", Says::kGroups},
};

template <typename Rows>
std::optional<Dtype> find_word(const Rows& rows, std::string_view word) {
  for (const DtypeWord& row : rows) {
    if (row.word == word) return row.dtype;
  }
  return std::nullopt;
}

std::string known_methods() {
  std::string all;
  for (const MethodRow& row : kMethods) all += (all.empty() ? "" : ", ") + std::string(row.method);
  return all;
}

std::optional<Dtype> whole_bits(int bits) {
  if (bits == 4) return Dtype::kInt4;
  if (bits == 8) return Dtype::kInt8;
  return std::nullopt;
}

std::optional<Dtype> read_bits(ForeignMap& block) {
  const auto bits = block.count({"bits", "w_bit"}, 1, 64);
  if (!bits) {
    if (!block.has("bits") && !block.has("w_bit")) block.report_missing("bits");
    return std::nullopt;
  }
  const auto dtype = whole_bits(*bits);
  if (!dtype) {
    block.report("bits", lf::kUnsupportedDtype, fmt::format("{}-bit weights are not known", *bits),
                 "4 and 8 are");
  }
  return dtype;
}

std::optional<Dtype> read_load_flags(ForeignMap& block) {
  const bool four = block.boolean({"load_in_4bit", "_load_in_4bit"}).value_or(false);
  const bool eight = block.boolean({"load_in_8bit", "_load_in_8bit"}).value_or(false);
  if (four != eight) return four ? Dtype::kInt4 : Dtype::kInt8;
  block.report("load_in_8bit", lf::kInconsistentFigures,
               "bitsandbytes needs exactly one of load_in_4bit and load_in_8bit");
  return std::nullopt;
}

// The algorithm that most layers of a MIXED_PRECISION checkpoint use.
std::optional<Dtype> most_used(ForeignMap& block) {
  auto layers = block.map({"quantized_layers"});
  if (!layers) return std::nullopt;
  std::map<Dtype, int> uses;
  for (const config::Member& member : layers->node().members) {
    auto layer = layers->map_at(member);
    if (!layer) continue;
    const auto algorithm = layer->text({"quant_algo"});
    const auto dtype = find_word(kAlgorithms, algorithm.value_or(""));
    if (dtype) ++uses[*dtype];
  }
  const auto most = std::max_element(
      uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == uses.end()) return std::nullopt;
  return most->first;
}

std::optional<Dtype> read_algorithm(ForeignMap& block, HfQuantization& found) {
  const auto name = block.text({"quant_algo"});
  if (!name) {
    if (!block.has("quant_algo")) block.report_missing("quant_algo");
    return std::nullopt;
  }
  if (*name == "MIXED_PRECISION") {
    found.mixed = true;
    const auto dtype = most_used(block);
    if (!dtype) {
      block.report("quant_algo", lf::kUnsupportedDtype,
                   "mixed precision without a list of quantized_layers",
                   "give the sibling hf_quant_config.json as well");
    }
    return dtype;
  }
  const auto dtype = find_word(kAlgorithms, *name);
  if (!dtype) {
    block.report("quant_algo", lf::kUnknownWord, fmt::format("'{}' is not a quant_algo", *name),
                 "NVFP4, FP8, MXFP4, W4A16_AWQ and INT8 are");
  }
  return dtype;
}

// A `weights` or `kv_cache_scheme` object of compressed-tensors.
std::optional<Dtype> read_scheme(ForeignMap& scheme) {
  const auto bits = scheme.count({"num_bits"}, 1, 64);
  const std::string type = scheme.text({"type"}).value_or("int");
  if (!bits) {
    if (!scheme.has("num_bits")) scheme.report_missing("num_bits");
    return std::nullopt;
  }
  if (type == "float" && *bits == 8) return Dtype::kFp8;
  if (type == "float" && *bits == 4) {
    return scheme.count({"group_size"}, 1, 1 << 20).value_or(16) == 32 ? Dtype::kMxfp4
                                                                       : Dtype::kNvfp4;
  }
  const auto dtype = type == "int" ? whole_bits(*bits) : std::nullopt;
  if (!dtype) {
    scheme.report("num_bits", lf::kUnsupportedDtype,
                  fmt::format("weights of type {} and {} bits are not known", type, *bits));
  }
  return dtype;
}

// The narrowest dtype among the groups of compressed-tensors.
std::optional<Dtype> narrowest(ForeignMap& groups, bool& mixed) {
  std::optional<Dtype> found;
  for (const config::Member& member : groups.node().members) {
    auto group = groups.map_at(member);
    auto weights = group ? group->map({"weights"}) : std::nullopt;
    const auto dtype = weights ? read_scheme(*weights) : std::nullopt;
    if (!dtype) continue;
    mixed = mixed || (found && *found != *dtype);
    if (!found || bytes_per_element(*dtype) < bytes_per_element(*found)) found = dtype;
  }
  return found;
}

std::optional<Dtype> read_groups(ForeignMap& block, HfQuantization& found) {
  auto groups = block.map({"config_groups"});
  if (!groups) {
    if (!block.has("config_groups")) block.report_missing("config_groups");
    return std::nullopt;
  }
  const auto dtype = narrowest(*groups, found.mixed);
  if (!dtype && block.diagnostics().empty()) {
    block.report("config_groups", lf::kMissingKey, "no group says how weights are stored");
  }
  if (auto scheme = block.map({"kv_cache_scheme"})) found.kv_cache = read_scheme(*scheme);
  return dtype;
}

std::optional<Dtype> read_weights(ForeignMap& block, const MethodRow& row, HfQuantization& found) {
  switch (row.says) {
    case Says::kName:
      return row.dtype;
    case Says::kBits:
      return read_bits(block);
    case Says::kLoadFlags:
      return read_load_flags(block);
    case Says::kAlgorithm:
      return read_algorithm(block, found);
    case Says::kGroups:
      return read_groups(block, found);
  }
  return std::nullopt;
}

std::vector<std::string> read_kept(ForeignMap& block) {
  std::vector<std::string> kept;
  for (const std::string_view key : {"modules_to_not_convert", "ignore", "ignored_layers",
                                     "exclude_modules", "llm_int8_skip_modules"}) {
    for (auto& name : block.texts({key})) kept.push_back(std::move(name));
  }
  return kept;
}

std::optional<HfQuantization> finish(ForeignMap& block, const MethodRow& row) {
  HfQuantization found{.method = std::string(row.method)};
  const auto weights = read_weights(block, row, found);
  found.kept = read_kept(block);
  if (const auto cache = block.text({"kv_cache_quant_algo"})) {
    found.kv_cache = find_word(kAlgorithms, *cache);
  }
  if (!weights) return std::nullopt;
  found.weights = *weights;
  return found;
}

}  // namespace

std::optional<HfQuantization> read_quantization(ForeignMap block) {
  const auto method = block.text({"quant_method"});
  if (!method) {
    if (!block.has("quant_method")) block.report_missing("quant_method");
    return std::nullopt;
  }
  const auto row = std::find_if(kMethods.begin(), kMethods.end(), [&](const MethodRow& candidate) {
    return candidate.method == *method;
  });
  if (row == kMethods.end()) {
    block.report("quant_method", lf::kUnknownWord,
                 fmt::format("'{}' is not a known way to quantise", *method),
                 "known are " + known_methods());
    return std::nullopt;
  }
  return finish(block, *row);
}

std::optional<HfQuantization> read_quant_file(ForeignMap root) {
  auto block = root.map({"quantization"});
  if (!block) {
    if (!root.has("quantization")) root.report_missing("quantization");
    return std::nullopt;
  }
  return finish(*block, {"modelopt", Says::kAlgorithm});
}

std::optional<Dtype> find_torch_dtype(std::string_view name) {
  constexpr std::string_view kPrefix = "torch.";
  if (name.substr(0, kPrefix.size()) == kPrefix) name.remove_prefix(kPrefix.size());
  return find_word(kTorchDtypes, name);
}

}  // namespace loadfactor::catalog
