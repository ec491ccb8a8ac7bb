#include "catalog/import/model_folder.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

constexpr const char* kConfig =
    R"({"model_type":"llama","hidden_size":8,"num_hidden_layers":1,"num_attention_heads":2,
        "vocab_size":10,"intermediate_size":16,"dtype":"bfloat16"})";

std::string shard(const std::string& json) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((json.size() >> (8 * i)) & 0xffU);
  return bytes + json;
}

ModelFolder folder() {
  return {.name = "acme/toy", .date = "2026-08-01", .files = {{"config.json", {kConfig, {}}}}};
}

TEST(ModelFolderTest, NeedsAConfig) {
  Diagnostics diagnostics;
  EXPECT_FALSE(import_model_folder({.name = "empty"}, diagnostics).has_value());
  EXPECT_EQ(diagnostics.errors().front().code, lf::kMissingKey);
}

TEST(ModelFolderTest, TakesStoredBytesFromTheShards) {
  auto files = folder();
  files.files["model.safetensors"] = {
      shard(R"({"model.embed_tokens.weight":{"dtype":"BF16","shape":[10,8],
               "data_offsets":[0,160]}})"),
      std::nullopt};
  Diagnostics diagnostics;
  const auto model = import_model_folder(files, diagnostics);
  ASSERT_TRUE(model.has_value()) << render(diagnostics);
  EXPECT_EQ(model->stored->bytes, 160);
  EXPECT_EQ(model->stored->parameters, 80);
  EXPECT_EQ(model->spec.name, "toy");
  EXPECT_TRUE(model->spec.embedding.tied);  // No head is stored.
}

TEST(ModelFolderTest, TheQuantisationBesideTheConfigOverrulesIt) {
  auto files = folder();
  files.files["hf_quant_config.json"] = {R"({"quantization":{"quant_algo":"NVFP4"}})", {}};
  Diagnostics diagnostics;
  const auto model = import_model_folder(files, diagnostics);
  ASSERT_TRUE(model.has_value()) << render(diagnostics);
  EXPECT_EQ(model->spec.dtype, Dtype::kNvfp4);
  ASSERT_TRUE(model->quantization.has_value());
}

TEST(ModelFolderTest, SaysWhenTheIndexCountsATiedHeadTwice) {
  auto files = folder();
  files.files["model.safetensors.index.json"] = {
      R"({"metadata":{"total_size":160,"total_parameters":160},
          "weight_map":{"model.embed_tokens.weight":"model-1.safetensors"}})",
      {}};
  Diagnostics diagnostics;
  const auto model = import_model_folder(files, diagnostics);
  ASSERT_TRUE(model.has_value()) << render(diagnostics);
  EXPECT_EQ(model->stored->parameters, 80);
  EXPECT_EQ(model->notices.back().code, lf::kChecksumMismatch);
}

// Configs do not name their model; the folder of Qwen3-Embedding does.
TEST(ModelFolderTest, TheFolderMaySayWhatAModelIsFor) {
  const auto task = [](const std::string& path) {
    auto files = folder();
    files.name.clear();
    files.files["config.json"].shown_as = path;
    Diagnostics diagnostics;
    const auto model = import_model_folder(files, diagnostics);
    EXPECT_TRUE(model.has_value()) << render(diagnostics);
    return model ? std::pair(model->spec.task, model->spec.embedding.head)
                 : std::pair(ModelTask::kGenerate, false);
  };
  EXPECT_EQ(task("models/Qwen3-Embedding-8B/config.json"), std::pair(ModelTask::kEmbed, false));
  EXPECT_EQ(task("models/Qwen3-8B/config.json"), std::pair(ModelTask::kGenerate, true));
  EXPECT_EQ(task("config.json"), std::pair(ModelTask::kGenerate, true));
}

TEST(ModelFolderTest, RefusesShardsThatAreNotThoseOfTheIndex) {
  auto files = folder();
  files.files["model.safetensors"] = {
      shard(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})"), {}};
  files.files["model.safetensors.index.json"] = {
      R"({"metadata":{"total_size":5},"weight_map":{"a":"model.safetensors"}})", {}};
  Diagnostics diagnostics;
  EXPECT_FALSE(import_model_folder(files, diagnostics).has_value());
  EXPECT_EQ(diagnostics.errors().front().code, lf::kChecksumMismatch);
}

}  // namespace
}  // namespace loadfactor::catalog
