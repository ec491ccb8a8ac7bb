#include "catalog/import/hf_quantization.h"

#include <array>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/document.h"

namespace loadfactor::catalog {
namespace {

struct Outcome {
  std::optional<HfQuantization> found;
  Diagnostics diagnostics;
};

Outcome read(std::string_view json, bool is_file = false) {
  Outcome outcome;
  auto document = config::parse_json("config.json", std::string(json));
  EXPECT_TRUE(document.has_value());
  auto map = as_map(*document, "quantization", outcome.diagnostics);
  outcome.found = is_file ? read_quant_file(*map) : read_quantization(*map);
  return outcome;
}

struct MethodCase {
  std::string_view json;
  Dtype dtype;
};

TEST(HfQuantizationTest, KnowsTheMethodsInUse) {
  constexpr std::array kCases{
      MethodCase{R"({"quant_method":"fp8","weight_block_size":[128,128]})", Dtype::kFp8},
      MethodCase{R"({"quant_method":"mxfp4"})", Dtype::kMxfp4},
      MethodCase{R"({"quant_method":"awq","bits":4})", Dtype::kInt4},
      MethodCase{R"({"quant_method":"gptq","bits":8})", Dtype::kInt8},
      MethodCase{R"({"quant_method":"bitsandbytes","load_in_8bit":true})", Dtype::kInt8},
      MethodCase{R"({"quant_method":"bitsandbytes","load_in_4bit":true})", Dtype::kInt4},
      MethodCase{R"({"quant_method":"modelopt","quant_algo":"NVFP4"})", Dtype::kNvfp4},
      MethodCase{R"({"quant_method":"compressed-tensors","config_groups":{"group_0":
                   {"weights":{"num_bits":8,"type":"float"}}}})",
                 Dtype::kFp8},
      MethodCase{R"({"quant_method":"compressed-tensors","config_groups":{"group_0":
                   {"weights":{"num_bits":4,"type":"int","group_size":32}}}})",
                 Dtype::kInt4},
      MethodCase{R"({"quant_method":"compressed-tensors","config_groups":{"group_0":
                   {"weights":{"num_bits":4,"type":"float","group_size":16}}}})",
                 Dtype::kNvfp4},
  };
  for (const auto& row : kCases) {
    const Outcome outcome = read(row.json);
    ASSERT_TRUE(outcome.found.has_value()) << render(outcome.diagnostics) << row.json;
    EXPECT_EQ(outcome.found->weights, row.dtype) << row.json;
  }
}

TEST(HfQuantizationTest, ListsWhatIsKeptWide) {
  const Outcome outcome =
      read(R"({"quant_method":"mxfp4","modules_to_not_convert":["lm_head","embed_tokens"]})");
  EXPECT_EQ(outcome.found->kept, (std::vector<std::string>{"lm_head", "embed_tokens"}));
}

TEST(HfQuantizationTest, ReadsTheFileOfModelOpt) {
  const Outcome outcome = read(R"({"producer":{"name":"modelopt"},"quantization":
      {"quant_algo":"NVFP4","kv_cache_quant_algo":"FP8","exclude_modules":["lm_head"]}})",
                               true);
  ASSERT_TRUE(outcome.found.has_value());
  EXPECT_EQ(outcome.found->weights, Dtype::kNvfp4);
  EXPECT_EQ(outcome.found->kv_cache, Dtype::kFp8);
  EXPECT_EQ(outcome.found->kept.size(), 1U);
}

TEST(HfQuantizationTest, TakesWhatMostLayersUseOfAMixture) {
  const Outcome outcome = read(R"({"quantization":{"quant_algo":"MIXED_PRECISION",
      "quantized_layers":{"a":{"quant_algo":"FP8"},"b":{"quant_algo":"NVFP4"},
      "c":{"quant_algo":"NVFP4"}}}})",
                               true);
  ASSERT_TRUE(outcome.found.has_value());
  EXPECT_EQ(outcome.found->weights, Dtype::kNvfp4);
  EXPECT_TRUE(outcome.found->mixed);
}

struct BrokenCase {
  std::string_view json;
  int code;
};

TEST(HfQuantizationTest, RefusesWhatItDoesNotKnow) {
  constexpr std::array kCases{
      BrokenCase{R"({"quant_method":"magic"})", lf::kUnknownWord},
      BrokenCase{R"({"bits":4})", lf::kMissingKey},
      BrokenCase{R"({"quant_method":"awq"})", lf::kMissingKey},
      BrokenCase{R"({"quant_method":"gptq","bits":3})", lf::kUnsupportedDtype},
      BrokenCase{R"({"quant_method":"bitsandbytes"})", lf::kInconsistentFigures},
      BrokenCase{R"({"quant_method":"modelopt"})", lf::kMissingKey},
      BrokenCase{R"({"quant_method":"modelopt","quant_algo":"FP7"})", lf::kUnknownWord},
      BrokenCase{R"({"quant_method":"modelopt","quant_algo":"MIXED_PRECISION"})",
                 lf::kUnsupportedDtype},
      BrokenCase{R"({"quant_method":"compressed-tensors"})", lf::kMissingKey},
      BrokenCase{R"({"quant_method":"compressed-tensors","config_groups":{}})", lf::kMissingKey},
      BrokenCase{R"({"quant_method":"compressed-tensors","config_groups":{"g":
                   {"weights":{"num_bits":7,"type":"int"}}}})",
                 lf::kUnsupportedDtype},
  };
  for (const auto& row : kCases) {
    const Outcome outcome = read(row.json);
    EXPECT_FALSE(outcome.found.has_value()) << row.json;
    ASSERT_FALSE(outcome.diagnostics.empty()) << row.json;
    EXPECT_EQ(outcome.diagnostics.errors().front().code, row.code) << row.json;
  }
}

}  // namespace
}  // namespace loadfactor::catalog
