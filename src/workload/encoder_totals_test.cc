// Encoders, models that read images and models that hear: the config.json alone gives the total.
#include <array>
#include <cctype>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "catalog/import/hf_config.h"
#include "workload/kv_cache.h"
#include "workload/parameters.h"

namespace loadfactor::workload {
namespace {

using catalog::Modality;
using catalog::ModelTask;

struct ImportedTotal {
  std::string_view name;
  std::int64_t total;
  ModelTask task;
  Modality reads;
  std::string_view config;

  friend std::ostream& operator<<(std::ostream& stream, const ImportedTotal& row) {
    return stream << row.name;
  }
};

constexpr auto kEmbed = ModelTask::kEmbed;
constexpr auto kRerank = ModelTask::kRerank;
constexpr auto kGenerate = ModelTask::kGenerate;

constexpr std::array kTotals{
    // (30,522 + 512 + 2) · 768 + 1,536 + 12 · 7,087,872 + 590,592 of the pooler.
    ImportedTotal{"bert-base-uncased", 109'482'240, kEmbed, Modality::kText,
                  R"({"architectures":["BertModel"],"model_type":"bert","hidden_size":768,
                      "num_hidden_layers":12,"num_attention_heads":12,"intermediate_size":3072,
                      "max_position_embeddings":512,"type_vocab_size":2,"vocab_size":30522})"},
    // Without the pooler; a dense layer, a norm and a bias for each word instead.
    ImportedTotal{"bert-base-masked", 109'514'298, kEmbed, Modality::kText,
                  R"({"architectures":["BertForMaskedLM"],"model_type":"bert","hidden_size":768,
                      "num_hidden_layers":12,"num_attention_heads":12,"intermediate_size":3072,
                      "max_position_embeddings":512,"type_vocab_size":2,"vocab_size":30522})"},
    ImportedTotal{"e5-large-v2", 335'141'888, kEmbed, Modality::kText,
                  R"({"architectures":["BertModel"],"model_type":"bert","hidden_size":1024,
                      "num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,
                      "max_position_embeddings":512,"type_vocab_size":2,"vocab_size":30522})"},
    ImportedTotal{"bge-m3", 567'754'752, kEmbed, Modality::kText,
                  R"({"architectures":["XLMRobertaModel"],"model_type":"xlm-roberta",
                      "hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,
                      "intermediate_size":4096,"max_position_embeddings":8194,
                      "type_vocab_size":1,"vocab_size":250002})"},
    // No pooler; a dense layer and one score.
    ImportedTotal{"bge-reranker-v2-m3", 567'755'777, kRerank, Modality::kText,
                  R"({"architectures":["XLMRobertaForSequenceClassification"],
                      "model_type":"xlm-roberta","hidden_size":1024,"num_hidden_layers":24,
                      "num_attention_heads":16,"intermediate_size":4096,
                      "max_position_embeddings":8194,"type_vocab_size":1,"vocab_size":250002,
                      "id2label":{"0":"LABEL_0"}})"},
    ImportedTotal{"distilbert-base", 66'362'880, kEmbed, Modality::kText,
                  R"({"architectures":["DistilBertModel"],"model_type":"distilbert","dim":768,
                      "n_layers":6,"n_heads":12,"hidden_dim":3072,
                      "max_position_embeddings":512,"vocab_size":30522})"},
    // The first layer leaves out the norm of its attention.
    ImportedTotal{"modernbert-base", 149'014'272, kEmbed, Modality::kText,
                  R"({"architectures":["ModernBertModel"],"model_type":"modernbert",
                      "hidden_size":768,"num_hidden_layers":22,"num_attention_heads":12,
                      "intermediate_size":1152,"vocab_size":50368,
                      "max_position_embeddings":8192,"global_attn_every_n_layers":3,
                      "local_attention":128})"},
    // A decoder whose checkpoint has no head.
    ImportedTotal{"Qwen3-Embedding-8B", 7'567'295'488, kEmbed, Modality::kText,
                  R"({"architectures":["Qwen3ForCausalLM"],"model_type":"qwen3",
                      "hidden_size":4096,"num_hidden_layers":36,"num_attention_heads":32,
                      "num_key_value_heads":8,"head_dim":128,"intermediate_size":12288,
                      "vocab_size":151665,"tie_word_embeddings":false})"},
    ImportedTotal{"Qwen3-Embedding-0.6B", 595'776'512, kEmbed, Modality::kText,
                  R"({"architectures":["Qwen3ForCausalLM"],"model_type":"qwen3",
                      "hidden_size":1024,"num_hidden_layers":28,"num_attention_heads":16,
                      "num_key_value_heads":8,"head_dim":128,"intermediate_size":3072,
                      "vocab_size":151669,"tie_word_embeddings":true})"},
    ImportedTotal{"Qwen2.5-VL-7B-Instruct", 8'292'166'656, kGenerate, Modality::kVision,
                  R"({"architectures":["Qwen2_5_VLForConditionalGeneration"],
                      "model_type":"qwen2_5_vl","hidden_size":3584,"num_hidden_layers":28,
                      "num_attention_heads":28,"num_key_value_heads":4,
                      "intermediate_size":18944,"vocab_size":152064,
                      "tie_word_embeddings":false,
                      "vision_config":{"depth":32,"hidden_size":1280,"intermediate_size":3420,
                        "num_heads":16,"in_chans":3,"patch_size":14,"spatial_merge_size":2,
                        "temporal_patch_size":2,"out_hidden_size":3584}})"},
    ImportedTotal{"Qwen2-VL-7B-Instruct", 8'291'375'616, kGenerate, Modality::kVision,
                  R"({"architectures":["Qwen2VLForConditionalGeneration"],
                      "model_type":"qwen2_vl","hidden_size":3584,"num_hidden_layers":28,
                      "num_attention_heads":28,"num_key_value_heads":4,
                      "intermediate_size":18944,"vocab_size":152064,
                      "tie_word_embeddings":false,
                      "vision_config":{"depth":32,"embed_dim":1280,"mlp_ratio":4,"num_heads":16,
                        "in_chans":3,"hidden_size":3584,"patch_size":14,
                        "spatial_merge_size":2,"temporal_patch_size":2}})"},
    // Its text part leaves out whatever equals the default of its class.
    ImportedTotal{"llava-1.5-7b", 7'063'427'072, kGenerate, Modality::kVision,
                  R"({"architectures":["LlavaForConditionalGeneration"],"model_type":"llava",
                      "text_config":{"model_type":"llama","max_position_embeddings":4096,
                        "vocab_size":32064},
                      "vision_config":{"model_type":"clip_vision_model","hidden_size":1024,
                        "intermediate_size":4096,"num_hidden_layers":24,
                        "num_attention_heads":16,"image_size":336,"patch_size":14}})"},
    ImportedTotal{"clip-vit-large-patch14", 427'616'513, kEmbed, Modality::kVision,
                  R"({"architectures":["CLIPModel"],"model_type":"clip","projection_dim":768,
                      "text_config":{"model_type":"clip_text_model","hidden_size":768,
                        "intermediate_size":3072,"num_attention_heads":12,
                        "num_hidden_layers":12,"max_position_embeddings":77,
                        "vocab_size":49408},
                      "vision_config":{"model_type":"clip_vision_model","hidden_size":1024,
                        "intermediate_size":4096,"num_hidden_layers":24,
                        "num_attention_heads":16,"image_size":224,"patch_size":14}})"},
    ImportedTotal{"siglip-so400m-patch14-384", 877'960'498, kEmbed, Modality::kVision,
                  R"({"architectures":["SiglipModel"],"model_type":"siglip",
                      "text_config":{"model_type":"siglip_text_model","hidden_size":1152,
                        "intermediate_size":4304,"num_attention_heads":16,
                        "num_hidden_layers":27},
                      "vision_config":{"model_type":"siglip_vision_model","hidden_size":1152,
                        "intermediate_size":4304,"num_hidden_layers":27,
                        "num_attention_heads":16,"image_size":384,"patch_size":14}})"},
    ImportedTotal{"whisper-large-v3", 1'543'490'560, kGenerate, Modality::kAudio,
                  R"({"architectures":["WhisperForConditionalGeneration"],
                      "model_type":"whisper","d_model":1280,"encoder_layers":32,
                      "encoder_attention_heads":20,"encoder_ffn_dim":5120,"decoder_layers":32,
                      "decoder_attention_heads":20,"decoder_ffn_dim":5120,"num_mel_bins":128,
                      "max_source_positions":1500,"max_target_positions":448,
                      "vocab_size":51866})"},
    ImportedTotal{"whisper-small", 241'734'912, kGenerate, Modality::kAudio,
                  R"({"model_type":"whisper","d_model":768,"encoder_layers":12,
                      "encoder_attention_heads":12,"encoder_ffn_dim":3072,"decoder_layers":12,
                      "decoder_attention_heads":12,"decoder_ffn_dim":3072,"num_mel_bins":80,
                      "vocab_size":51865})"},
};

class EncoderTotalsTest : public ::testing::TestWithParam<ImportedTotal> {
 protected:
  static catalog::ModelSpec imported() {
    Diagnostics diagnostics;
    catalog::HfSiblings siblings;
    siblings.name = GetParam().name;
    auto model = catalog::import_hf_config({"config.json", std::string(GetParam().config)},
                                           siblings, diagnostics);
    EXPECT_TRUE(model.has_value()) << render(diagnostics);
    return model ? model->spec : catalog::ModelSpec{};
  }
};

TEST_P(EncoderTotalsTest, TheConfigGivesTheTotal) {
  const auto spec = imported();
  ASSERT_FALSE(spec.layers.empty());
  EXPECT_EQ(count_parameters(spec).total(), GetParam().total);
}

TEST_P(EncoderTotalsTest, TheConfigSaysWhatItIsFor) {
  const auto spec = imported();
  EXPECT_EQ(spec.task, GetParam().task);
  EXPECT_EQ(spec.modality(), GetParam().reads);
}

// A text that is read in one pass leaves nothing behind, one whose tokens see the past alone does.
TEST_P(EncoderTotalsTest, OnlyCausalModelsKeepKeysAndValues) {
  const auto spec = imported();
  EXPECT_EQ(kv_profile(spec, {}).per_token() > Bytes(), spec.causal);
}

INSTANTIATE_TEST_SUITE_P(Models, EncoderTotalsTest, ::testing::ValuesIn(kTotals),
                         [](const auto& each) {
                           std::string name(each.param.name);
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace loadfactor::workload
