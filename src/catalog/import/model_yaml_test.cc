#include "catalog/import/model_yaml.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <gtest/gtest.h>

#include "catalog/import/hf_config.h"
#include "catalog/load/model_loader.h"

namespace loadfactor::catalog {
namespace {

ModelSpec imported(std::string_view config) {
  Diagnostics diagnostics;
  auto model = import_hf_config({"config.json", std::string(config)},
                                {.name = "acme/Toy-1B", .date = "2026-08-01"}, diagnostics);
  EXPECT_TRUE(model.has_value()) << render(diagnostics);
  return model ? model->spec : ModelSpec{};
}

ModelSpec reloaded(const ModelSpec& model) {
  Diagnostics diagnostics;
  const std::string text = to_yaml(model);
  ModelSpec spec = load_model({"models/" + model.name + ".yaml", "saved.yaml", text}, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics) << text;
  return spec;
}

void expect_same(const ModelSpec& a, const ModelSpec& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.organisation, b.organisation);
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.hidden, b.hidden);
  EXPECT_EQ(a.context, b.context);
  EXPECT_EQ(a.embedding.vocab, b.embedding.vocab);
  EXPECT_EQ(a.embedding.tied, b.embedding.tied);
  EXPECT_EQ(a.embedding.positions, b.embedding.positions);
  EXPECT_EQ(a.embedding.project, b.embedding.project);
  EXPECT_EQ(a.embedding.head_bias, b.embedding.head_bias);
  EXPECT_EQ(a.norm, b.norm);
  EXPECT_EQ(a.final_norm, b.final_norm);
  EXPECT_EQ(a.mtp_layers, b.mtp_layers);
  EXPECT_EQ(a.kinds, b.kinds);
  EXPECT_EQ(a.layers, b.layers);
  ASSERT_EQ(a.extras.size(), b.extras.size());
  for (std::size_t i = 0; i < a.extras.size(); ++i) {
    EXPECT_EQ(a.extras[i].parameters, b.extras[i].parameters);
  }
}

constexpr std::array<std::string_view, 12> kConfigs{
    R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4})",
    R"({"model_type":"gptj","n_embd":64,"n_layer":2,"n_head":4})",
    R"({"model_type":"opt","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,
        "word_embed_proj_dim":32,"do_layer_norm_before":false})",
    R"({"model_type":"gpt_oss","hidden_size":64,"num_hidden_layers":4,"num_attention_heads":8,
        "quantization_config":{"quant_method":"mxfp4"}})",
    R"({"model_type":"gemma3","text_config":{"hidden_size":64,"num_hidden_layers":13},
        "vision_config":{}})",
    R"({"model_type":"deepseek_v3","hidden_size":64,"num_hidden_layers":7,
        "num_attention_heads":4,"num_nextn_predict_layers":1})",
    R"({"model_type":"glm_moe_dsa","hidden_size":64,"num_hidden_layers":5,
        "num_attention_heads":4})",
    R"({"model_type":"qwen3_next","hidden_size":64,"num_hidden_layers":8,
        "num_attention_heads":4})",
    R"({"model_type":"nemotron_h","hidden_size":64,"num_attention_heads":8,
        "hybrid_override_pattern":"MEM*-M","moe_latent_size":16})",
    R"({"model_type":"llama4_text","hidden_size":64,"num_hidden_layers":8,
        "num_attention_heads":8,"interleave_moe_layer_step":2})",
    R"({"model_type":"cohere","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,
        "use_qk_norm":true})",
    R"({"model_type":"olmo","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4})",
};

TEST(ModelYamlTest, ReadsBackAsTheSameModel) {
  for (const auto config : kConfigs) {
    SCOPED_TRACE(config);
    const ModelSpec model = imported(config);
    expect_same(model, reloaded(model));
  }
}

TEST(ModelYamlTest, WritesARepeatingPatternOnce) {
  const std::string text = to_yaml(imported(kConfigs[7]));
  EXPECT_NE(text.find("layer_pattern: [linear-moe, linear-moe, linear-moe, full-moe]\n"),
            std::string::npos)
      << text;
}

TEST(ModelYamlTest, KeepsListsWithinAHundredColumns) {
  ModelSpec model = imported(kConfigs[4]);
  model.aliases.assign(30, "some-longish-alias");
  std::size_t begin = 0;
  const std::string text = to_yaml(model);
  const std::size_t list = text.find("aliases");
  for (std::size_t end = text.find('\n', list); end < text.find("dtype");
       begin = end + 1, end = text.find('\n', begin)) {
    EXPECT_LE(end - std::max(begin, list), 100U);
  }
}

TEST(ModelYamlTest, QuotesWhatYamlWouldMisread) {
  EXPECT_EQ(yaml_text("llama-3.1-8b"), "llama-3.1-8b");
  EXPECT_EQ(yaml_text("Toy: 1B"), "\"Toy: 1B\"");
  EXPECT_EQ(yaml_text("true"), "\"true\"");
  EXPECT_EQ(yaml_text("8b"), "\"8b\"");
  EXPECT_EQ(yaml_text("say \"hi\""), "\"say \\\"hi\\\"\"");
  EXPECT_EQ(yaml_text("two\nlines"), "\"two lines\"");
}

}  // namespace
}  // namespace loadfactor::catalog
