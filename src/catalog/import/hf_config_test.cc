#include "catalog/import/hf_config.h"

#include <string_view>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

ImportedModel imported(std::string_view config, const HfSiblings& siblings = {}) {
  Diagnostics diagnostics;
  auto model = import_hf_config({"config.json", std::string(config)}, siblings, diagnostics);
  EXPECT_TRUE(model.has_value()) << render(diagnostics);
  if (!model) {
    model = ImportedModel{};
    model->spec.kinds.resize(1);
    model->spec.layers = {0};
  }
  return *std::move(model);
}

Error refused(std::string_view config, const HfSiblings& siblings = {}) {
  Diagnostics diagnostics;
  const auto model = import_hf_config({"config.json", std::string(config)}, siblings, diagnostics);
  EXPECT_FALSE(model.has_value());
  return diagnostics.empty() ? Error{} : diagnostics.errors().front();
}

bool mentions(const ImportedModel& model, std::string_view words) {
  for (const ImportNotice& notice : model.notices) {
    if (notice.text.find(words) != std::string::npos) return true;
  }
  return false;
}

constexpr std::string_view kLlama =
    R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4)";

std::string llama(std::string_view more) {
  return std::string(kLlama) + std::string(more) + "}";
}

// Parameters of the vision part of a LLaVA whose tower names itself so.
std::int64_t tower_of_llava(const std::string& tower) {
  const auto model = imported(
      R"({"model_type":"llava","text_config":{"model_type":"llama","hidden_size":64,
          "num_hidden_layers":2,"num_attention_heads":4},"vision_config":{"hidden_size":32,
          "image_size":28,"intermediate_size":48,"num_attention_heads":4,"num_hidden_layers":2,
          "patch_size":14)" +
      tower + "}}");
  for (const auto& extra : model.spec.extras)
    if (extra.name == "vision") return extra.parameters;
  return 0;
}

// SigLIP has neither a class token nor a norm before its layers, and a bias on its patches; Pixtral
// has a gated MLP and no table of positions.
TEST(HfConfigTest, TheTowerOfALlavaIsTheOneThatItNames) {
  const std::int64_t clip = tower_of_llava("");
  EXPECT_GT(clip, 0);
  EXPECT_EQ(tower_of_llava(R"(,"model_type":"clip_vision_model")"), clip);
  const std::int64_t d = 32;
  EXPECT_EQ(tower_of_llava(R"(,"model_type":"siglip_vision_model","vision_use_head":false)"),
            clip - 3 * d);
  const std::int64_t gated = 588 * d + d + 2 * (2 * d + 4 * d * d + 3 * d * 48);
  const std::int64_t projector = d * 64 + 64 + 64 * 64 + 64;
  EXPECT_EQ(tower_of_llava(R"(,"model_type":"pixtral")"), gated + projector);
  EXPECT_EQ(tower_of_llava(R"(,"model_type":"another")"), 0);
}

TEST(HfConfigTest, SaysThatATowerOfSoundIsNotCounted) {
  const auto model = imported(R"({"model_type":"qwen2_5_omni","audio_config":{"d_model":64},
      "text_config":{"model_type":"qwen2","hidden_size":64,"num_hidden_layers":2,
      "num_attention_heads":4,"num_key_value_heads":4}})");
  EXPECT_TRUE(mentions(model, "audio tower"));
  EXPECT_EQ(model.uncounted, "audio");
}

// Voxtral Mini 3B as published: 4,676,271,104 parameters, Whisper's encoder and the projector of
// four frames to a token among them.
TEST(HfConfigTest, CountsTheEncoderAndTheProjectorOfAVoxtral) {
  const auto model = imported(R"({"model_type":"voxtral","hidden_size":3072,
      "projector_hidden_act":"gelu","vocab_size":131072,
      "audio_config":{"model_type":"voxtral_encoder","hidden_size":1280,"intermediate_size":5120,
      "num_hidden_layers":32,"num_attention_heads":20,"num_mel_bins":128,
      "max_source_positions":1500},
      "text_config":{"model_type":"llama","hidden_size":3072,"intermediate_size":8192,
      "num_hidden_layers":30,"num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,
      "vocab_size":131072,"max_position_embeddings":131072}})");
  ASSERT_EQ(model.spec.extras.size(), 1U);
  constexpr std::int64_t kProjector = std::int64_t{5120} * 3072 + 3072 * 3072;
  EXPECT_EQ(model.spec.extras[0].parameters, 636'968'960 + kProjector);
  ASSERT_TRUE(model.spec.tower);
  EXPECT_EQ(model.spec.tower->tokens, 375);
  EXPECT_TRUE(model.uncounted.empty());
}

TEST(HfConfigTest, DerivesWhatALlamaConfigLeavesOut) {
  const auto model = imported(llama(""));
  const AttentionSpec& attention = model.spec.layer(0).attention;
  EXPECT_EQ(attention.head_dim, 16);  // 64 / 4.
  EXPECT_EQ(attention.kv_heads, 4);
  EXPECT_EQ(model.spec.layer(0).mlp.width, 11008);
  EXPECT_EQ(model.spec.embedding.vocab, 32000);
  EXPECT_TRUE(mentions(model, "vocab_size 32000"));
}

// Layers from max_window_layers (28 unless stated) on look back by a window, if it is on.
TEST(HfConfigTest, AWindowThatIsOffMakesNoKindOfItsOwn) {
  const auto model = imported(
      R"({"model_type":"qwen2_moe","hidden_size":64,"num_hidden_layers":41,
          "num_attention_heads":4,"num_key_value_heads":4,"num_experts":4,"num_experts_per_tok":2,
          "moe_intermediate_size":32,"shared_expert_intermediate_size":32})");
  EXPECT_EQ(model.spec.kinds.size(), 1u);
  EXPECT_EQ(model.spec.num_layers(), 41);
}

TEST(HfConfigTest, TakesNullKeyValueHeadsForAsManyAsHeads) {
  const auto model = imported(llama(R"(,"num_key_value_heads":null)"));
  EXPECT_EQ(model.spec.layer(0).attention.kv_heads, 4);
}

TEST(HfConfigTest, ReadsEitherNameOfTheDtype) {
  EXPECT_EQ(imported(llama(R"(,"torch_dtype":"float16")")).spec.dtype, Dtype::kFp16);
  EXPECT_EQ(imported(llama(R"(,"dtype":"float32")")).spec.dtype, Dtype::kFp32);
  EXPECT_EQ(imported(llama(R"(,"dtype":"torch.bfloat16")")).spec.dtype, Dtype::kBf16);
  EXPECT_TRUE(mentions(imported(llama("")), "bf16 is assumed"));
}

TEST(HfConfigTest, ReadsEitherFormOfRotaryPositions) {
  imported(llama(R"(,"rope_theta":5e5,"rope_scaling":{"factor":8.0,"rope_type":"llama3"})"));
  imported(llama(R"(,"rope_parameters":{"rope_theta":1e6,"rope_type":"default"})"));
  EXPECT_EQ(refused(llama(R"(,"rope_scaling":[8.0])")).code, lf::kWrongType);
}

TEST(HfConfigTest, KnowsThatQwen2HasBiasesNoKeyMentions) {
  const auto model = imported(
      R"({"model_type":"qwen2","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,
          "num_key_value_heads":2})");
  EXPECT_TRUE(model.spec.layer(0).attention.qkv_bias);
  EXPECT_FALSE(model.spec.layer(0).attention.out_bias);
  EXPECT_EQ(model.spec.kinds.size(), 1U);  // Windows are off unless switched on.
}

TEST(HfConfigTest, GivesQwenWindowsToUpperLayersOnly) {
  const auto model = imported(
      R"({"model_type":"qwen2","hidden_size":64,"num_hidden_layers":4,"num_attention_heads":4,
          "num_key_value_heads":2,"use_sliding_window":true,"sliding_window":128,
          "max_window_layers":3})");
  EXPECT_EQ(model.spec.layer(2).attention.window, 0);
  EXPECT_EQ(model.spec.layer(3).attention.window, 128);
}

TEST(HfConfigTest, AlternatesSlidingAndFullLayers) {
  const auto gemma = imported(
      R"({"model_type":"gemma2","hidden_size":64,"num_hidden_layers":4,"num_attention_heads":8})");
  EXPECT_EQ(gemma.spec.layer(0).attention.window, 4096);
  EXPECT_EQ(gemma.spec.layer(1).attention.window, 0);
  EXPECT_EQ(gemma.spec.layer(0).norms, 4);
  EXPECT_TRUE(gemma.spec.embedding.tied);
  const auto oss = imported(
      R"({"model_type":"gpt_oss","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":8,
          "layer_types":["full_attention","sliding_attention"]})");
  EXPECT_EQ(oss.spec.layer(0).attention.window, 0);
  EXPECT_EQ(oss.spec.layer(1).attention.window, 128);
  EXPECT_TRUE(oss.spec.layer(0).attention.sinks);
  EXPECT_TRUE(oss.spec.layer(0).moe.bias);
}

TEST(HfConfigTest, TellsAWindowSwitchedOffFromOneNotMentioned) {
  constexpr std::string_view kMistral =
      R"({"model_type":"mistral","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":8)";
  EXPECT_EQ(imported(std::string(kMistral) + "}").spec.layer(0).attention.window, 4096);
  const auto off = imported(std::string(kMistral) + R"(,"sliding_window":null})");
  EXPECT_EQ(off.spec.layer(0).attention.window, 0);
}

TEST(HfConfigTest, PlacesExpertsAfterTheDenseLayers) {
  const auto model = imported(
      R"({"model_type":"deepseek_v3","hidden_size":64,"num_hidden_layers":5,
          "num_attention_heads":4,"first_k_dense_replace":2,"num_nextn_predict_layers":1})");
  EXPECT_EQ(model.spec.layer(1).moe.experts, 0);
  EXPECT_EQ(model.spec.layer(2).moe.experts, 256);
  EXPECT_EQ(model.spec.layer(2).moe.shared_width, 2048);
  EXPECT_EQ(model.spec.layer(2).mlp.width, 0);
  EXPECT_EQ(model.spec.mtp_layers, 1);
  EXPECT_EQ(model.spec.layer(0).attention.kind, AttentionKind::kLatent);
  EXPECT_EQ(model.spec.layer(0).attention.head_dim, 192);
}

TEST(HfConfigTest, PlacesExpertsByStepAndByList) {
  const auto qwen = imported(
      R"({"model_type":"qwen3_moe","hidden_size":64,"num_hidden_layers":4,
          "num_attention_heads":4,"decoder_sparse_step":2,"mlp_only_layers":[1]})");
  EXPECT_EQ(qwen.spec.layer(1).moe.experts, 0);
  EXPECT_EQ(qwen.spec.layer(2).moe.experts, 0);
  EXPECT_EQ(qwen.spec.layer(3).moe.experts, 128);
  const auto llama4 = imported(
      R"({"model_type":"llama4_text","hidden_size":64,"num_hidden_layers":4,
          "num_attention_heads":8,"moe_layers":[0,2],"intermediate_size":32,
          "intermediate_size_mlp":128})");
  EXPECT_EQ(llama4.spec.layer(0).moe.width, 32);
  EXPECT_EQ(llama4.spec.layer(0).moe.shared_width, 32);
  EXPECT_EQ(llama4.spec.layer(1).mlp.width, 128);
  EXPECT_EQ(llama4.spec.layer(0).attention.window, 8192);  // Chunks.
  EXPECT_EQ(llama4.spec.layer(3).attention.window, 0);
}

TEST(HfConfigTest, ReadsTheLettersOfAHybrid) {
  const auto model = imported(
      R"({"model_type":"nemotron_h","hidden_size":64,"num_attention_heads":8,
          "hybrid_override_pattern":"M-*E"})");
  ASSERT_EQ(model.spec.num_layers(), 4);
  EXPECT_EQ(model.spec.layer(0).attention.kind, AttentionKind::kMamba2);
  EXPECT_EQ(model.spec.layer(1).attention.kind, AttentionKind::kNone);
  EXPECT_EQ(model.spec.layer(1).mlp.width, 21504);
  EXPECT_EQ(model.spec.layer(2).attention.kind, AttentionKind::kStandard);
  EXPECT_GT(model.spec.layer(3).moe.experts, 0);
}

TEST(HfConfigTest, ReadsTheWordsOfAHybridAsItsLetters) {
  constexpr std::string_view kHybrid =
      R"({"model_type":"nemotron_h","hidden_size":64,"num_attention_heads":8,)";
  const auto letters = imported(std::string(kHybrid) + R"("hybrid_override_pattern":"M-*E"})");
  const auto words = imported(std::string(kHybrid) + R"("num_hidden_layers":4,
      "layers_block_type":["mamba","mlp","attention","moe"]})");
  EXPECT_EQ(letters.spec.kinds, words.spec.kinds);
  EXPECT_EQ(letters.spec.layers, words.spec.layers);
}

TEST(HfConfigTest, LooksIntoTextConfigAndTakesItsDefaults) {
  const auto model = imported(
      R"({"model_type":"gemma3","dtype":"bfloat16","text_config":{"hidden_size":2560,
          "num_hidden_layers":34,"intermediate_size":10240},"vision_config":{"image_size":896,
          "hidden_size":1152,"intermediate_size":4304,"num_hidden_layers":27,"patch_size":14}})");
  EXPECT_EQ(model.spec.layer(0).attention.heads, 8);
  EXPECT_EQ(model.spec.layer(0).attention.qk_norm, QkNorm::kHead);
  ASSERT_EQ(model.spec.extras.size(), 1U);
  // 416,866,032 of the tower, and 1152 · 2560 + 1152 that join it.
  EXPECT_EQ(model.spec.extras[0].parameters, 416'866'032 + 1152 * 2560 + 1152);
  EXPECT_EQ(model.spec.dtype, Dtype::kBf16);
}

TEST(HfConfigTest, SaysWhenAVisionTowerIsNotCounted) {
  const auto model = imported(
      R"({"model_type":"kimi_k25","text_config":{"model_type":"kimi_k2","hidden_size":64,
          "num_hidden_layers":2},"vision_config":{"vt_hidden_size":1152}})");
  EXPECT_TRUE(model.spec.extras.empty());
  EXPECT_TRUE(mentions(model, "vision tower"));
  EXPECT_EQ(model.uncounted, "vision");
}

TEST(HfConfigTest, ListsKeysItDidNotUse) {
  const auto model = imported(llama(R"(,"flux_capacitance":1.21,"use_cache":true)"));
  EXPECT_TRUE(mentions(model, "1 keys were not used: flux_capacitance"));
}

TEST(HfConfigTest, NamesTheModelAsTheCatalogueWould) {
  EXPECT_EQ(catalogue_name("meta-llama/Llama-3.1_8B Instruct"), "llama-3.1-8b-instruct");
  EXPECT_EQ(catalogue_name("///"), "imported-model");
  const auto model = imported(llama(""), {.name = "Acme/Toy-1B", .date = "2026-08-01"});
  EXPECT_EQ(model.spec.name, "toy-1b");
  EXPECT_EQ(model.spec.title, "Toy-1B");
  EXPECT_EQ(model.spec.organisation, "Acme");
  EXPECT_EQ(model.spec.provenance.date, "2026-08-01");
}

TEST(HfConfigTest, RefusesHeadsThatDoNotDivide) {
  EXPECT_EQ(refused(llama(R"(,"num_key_value_heads":3)")).code, lf::kNotDivisible);
  const Error error = refused(
      R"({"model_type":"llama","hidden_size":100,"num_hidden_layers":1,
          "num_attention_heads":3})");
  EXPECT_EQ(error.code, lf::kNotDivisible);
  EXPECT_EQ(error.where.line, 2U);
  imported(
      R"({"model_type":"llama","hidden_size":100,"num_hidden_layers":1,
          "num_attention_heads":3,"head_dim":32})");
}

TEST(HfConfigTest, RefusesSizesNobodyBuilds) {
  EXPECT_EQ(refused(R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":1000000000,
                        "num_attention_heads":4})")
                .code,
            lf::kAbsurdMagnitude);
  EXPECT_EQ(refused(R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":0,
                        "num_attention_heads":4})")
                .code,
            lf::kOutOfRange);
  EXPECT_EQ(refused(R"({"model_type":"mixtral","hidden_size":262144,"num_hidden_layers":4096,
                        "num_attention_heads":64,"num_local_experts":65536,
                        "intermediate_size":2097152})")
                .code,
            lf::kAbsurdMagnitude);
}

TEST(HfConfigTest, ReportsAllErrorsAtOnce) {
  Diagnostics diagnostics;
  import_hf_config({"config.json", R"({"model_type":"llama","hidden_size":"64",
                     "num_hidden_layers":-1,"num_attention_heads":4,"vocab_size":1.5})"},
                   {}, diagnostics);
  EXPECT_EQ(diagnostics.size(), 3U) << render(diagnostics);
}

TEST(HfConfigTest, SaysWhatAnUnknownTypeNeeds) {
  const Error error = refused("{\n\"model_type\": \"zeta9\", \"hidden_size\": 64}");
  EXPECT_EQ(error.code, lf::kUnsupportedModelType);
  EXPECT_EQ(error.where.line, 2U);
  EXPECT_NE(error.hint.find("model.safetensors.index.json"), std::string::npos);
}

TEST(HfConfigTest, CountsAnUnknownTypeByItsCheckpoint) {
  // 1,000,000 bf16 parameters, of which 2 · 1000 · 64 in the tables, 5 · 64 in norms and
  // 2 · 64 · (2 · 4 + 2 · 4) · 16 in attention can be told apart.
  HfSiblings siblings;
  siblings.index = SafetensorsIndex{.total_size = 2'000'000,
                                    .total_parameters = std::nullopt,
                                    .weight_map = {{"lm_head.weight", "a"}, {"x", "a"}}};
  const auto model = imported(
      R"({"model_type":"zeta9","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,
          "vocab_size":1000,"dtype":"bfloat16"})",
      siblings);
  EXPECT_EQ(model.spec.extras.at(0).parameters, 1'000'000 - 128'000 - 320 - 32'768);
  EXPECT_EQ(model.spec.layer(1).attention.kv_heads, 4);
  EXPECT_FALSE(model.spec.embedding.tied);
  EXPECT_EQ(model.notices.back().code, lf::kUnsupportedModelType);
}

}  // namespace
}  // namespace loadfactor::catalog
