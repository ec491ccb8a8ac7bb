#include "catalog/import/stored_weights.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

// A checkpoint being written: tensors follow one another.
class Checkpoint {
 public:
  void add(const std::string& name, const std::string& dtype, std::vector<std::int64_t> shape) {
    StoredTensor tensor{name, dtype, std::move(shape), header_.data_bytes, 0};
    tensor.end = tensor.begin + tensor.elements() * safetensors_bits(dtype) / 8;
    header_.data_bytes = tensor.end;
    header_.tensors.push_back(std::move(tensor));
  }
  StoredWeights weights() const { return summarise(std::span(&header_, 1)); }
  const SafetensorsHeader& header() const { return header_; }

 private:
  SafetensorsHeader header_{.file = "model.safetensors"};
};

struct Linear {
  const char* name;
  std::int64_t out;
  std::int64_t in;
};

struct Shape {
  std::int64_t layers;
  std::int64_t hidden;
  std::vector<Linear> linears;
};

Shape llama_8b() {
  return {32,
          4096,
          {{"q_proj", 4096, 4096},
           {"k_proj", 1024, 4096},
           {"v_proj", 1024, 4096},
           {"o_proj", 4096, 4096},
           {"gate_proj", 14336, 4096},
           {"up_proj", 14336, 4096},
           {"down_proj", 4096, 14336}}};
}

Shape llama_70b() {
  return {80,
          8192,
          {{"q_proj", 8192, 8192},
           {"k_proj", 1024, 8192},
           {"v_proj", 1024, 8192},
           {"o_proj", 8192, 8192},
           {"gate_proj", 28672, 8192},
           {"up_proj", 28672, 8192},
           {"down_proj", 8192, 28672}}};
}

// Embedding, head and norms stay wide whatever happens to the linear layers.
template <typename AddLinear>
Checkpoint llama(const Shape& shape, AddLinear add_linear) {
  Checkpoint checkpoint;
  checkpoint.add("model.embed_tokens.weight", "BF16", {128256, shape.hidden});
  checkpoint.add("lm_head.weight", "BF16", {128256, shape.hidden});
  checkpoint.add("model.norm.weight", "BF16", {shape.hidden});
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    checkpoint.add(prefix + "input_layernorm.weight", "BF16", {shape.hidden});
    checkpoint.add(prefix + "post_attention_layernorm.weight", "BF16", {shape.hidden});
    for (const Linear& linear : shape.linears) {
      add_linear(checkpoint, prefix + linear.name, linear);
    }
  }
  return checkpoint;
}

TEST(StoredWeightsTest, Int8ByBitsandbytesIsExactToTheByte) {
  const auto weights =
      llama(llama_8b(), [](Checkpoint& to, const std::string& name, const Linear& linear) {
        to.add(name + ".weight", "I8", {linear.out, linear.in});
        to.add(name + ".SCB", "F32", {linear.out});
        to.add(name + ".weight_format", "U8", {});
      }).weights();
  EXPECT_EQ(weights.bytes, 9'086'705'888);
  EXPECT_EQ(weights.bytes_by_dtype.at("I8"), 6'979'321'856);
  EXPECT_EQ(weights.bytes_by_dtype.at("U8"), 7 * 32);
  EXPECT_EQ(weights.parameters, 8'030'261'248);
  EXPECT_EQ(weights.layers, 32);
  EXPECT_TRUE(weights.has_own_head);
}

TEST(StoredWeightsTest, Fp8IsMoreThanAByteForEachParameter) {
  const auto weights =
      llama(llama_70b(), [](Checkpoint& to, const std::string& name, const Linear& linear) {
        to.add(name + ".weight", "F8_E4M3", {linear.out, linear.in});
      }).weights();
  EXPECT_EQ(weights.parameters, 70'553'706'496);
  // Embedding and head keep two bytes: 2 · 128256 · 8192 more, 2.1 GB; and 161 norms.
  EXPECT_EQ(weights.bytes - *weights.parameters, 2LL * 128256 * 8192 + 161LL * 8192);
}

TEST(StoredWeightsTest, UnpacksFourBits) {
  Checkpoint checkpoint;
  checkpoint.add("a.qweight", "I32", {512, 64});  // AWQ, GPTQ: eight to an int32.
  checkpoint.add("a.scales", "F16", {32, 64});
  checkpoint.add("a.qzeros", "I32", {32, 8});
  checkpoint.add("b.weight", "U8", {64, 32});  // NVFP4: two to a byte.
  checkpoint.add("b.weight_scale", "F8_E4M3", {64, 4});
  checkpoint.add("c.gate_up_proj_blocks", "U8", {4, 8, 2, 16});  // MXFP4.
  checkpoint.add("c.gate_up_proj_scales", "U8", {4, 8, 2});
  EXPECT_EQ(checkpoint.weights().parameters, 512 * 64 * 8 + 64 * 32 * 2 + 4 * 8 * 2 * 16 * 2);
}

TEST(StoredWeightsTest, DoesNotCountMasksAsParameters) {
  Checkpoint checkpoint;
  checkpoint.add("h.0.attn.bias", "F32", {1, 1, 1024, 1024});  // A causal mask.
  checkpoint.add("h.0.attn.c_attn.bias", "F32", {2304});
  EXPECT_EQ(checkpoint.weights().parameters, 2304);
  EXPECT_EQ(checkpoint.weights().layers, 1);
}

TEST(StoredWeightsTest, ATiedHeadIsNotStored) {
  Checkpoint checkpoint;
  checkpoint.add("model.embed_tokens.weight", "BF16", {8, 4});
  checkpoint.add("model.layers.0.attention.output.weight", "BF16", {4, 4});
  EXPECT_FALSE(checkpoint.weights().has_own_head);
}

TEST(StoredWeightsTest, BytesOfAnIndexAreParametersInOneDtypeOnly) {
  const SafetensorsIndex index{
      .total_size = 54'864'813'280, .total_parameters = 28'842'036'848, .weight_map = {{"a", "b"}}};
  EXPECT_EQ(summarise(index, Dtype::kBf16).parameters, 27'432'406'640);
  EXPECT_FALSE(summarise(index, std::nullopt).parameters.has_value());
  // What the index counts too much is the tied head.
  EXPECT_EQ(*index.total_parameters - 27'432'406'640, 262208LL * 5376);
}

TEST(StoredWeightsTest, HoldsTheIndexAgainstItsShards) {
  Checkpoint checkpoint;
  checkpoint.add("a", "U8", {10});
  SafetensorsIndex index{.file = "index.json",
                         .total_size = 10,
                         .total_parameters = std::nullopt,
                         .weight_map = {{"a", "model.safetensors"}}};
  Diagnostics diagnostics;
  check_shards(index, std::span(&checkpoint.header(), 1), diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  index.total_size = 11;
  index.weight_map["b"] = "model.safetensors";
  check_shards(index, std::span(&checkpoint.header(), 1), diagnostics);
  ASSERT_EQ(diagnostics.size(), 2U);
  EXPECT_EQ(diagnostics.errors()[0].code, lf::kChecksumMismatch);
}

}  // namespace
}  // namespace loadfactor::catalog
