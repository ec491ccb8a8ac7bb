// A config.json and nothing else must give the parameter total that was published.
#include <array>
#include <cstdint>
#include <ostream>
#include <string_view>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/import/hf_config.h"
#include "workload/parameters.h"

namespace loadfactor::workload {
namespace {

struct PublishedTotal {
  std::string_view name;
  std::int64_t total;
  std::string_view config;

  friend std::ostream& operator<<(std::ostream& stream, const PublishedTotal& row) {
    return stream << row.name;
  }
};

// Each config holds what decides the total and leaves the rest to the defaults of its class.
constexpr std::array kPublished{
    PublishedTotal{"llama-3.1-8b", 8'030'261'248,
                   R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,
                       "num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,
                       "vocab_size":128256,"tie_word_embeddings":false,"dtype":"bfloat16"})"},
    PublishedTotal{"llama-3.1-70b", 70'553'706'496,
                   R"({"model_type":"llama","hidden_size":8192,"num_hidden_layers":80,
                       "num_attention_heads":64,"num_key_value_heads":8,"intermediate_size":28672,
                       "vocab_size":128256,"torch_dtype":"bfloat16"})"},
    PublishedTotal{"llama-3.2-1b", 1'235'814'400,
                   R"({"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,
                       "num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":8192,
                       "vocab_size":128256,"tie_word_embeddings":true,"head_dim":64})"},
    PublishedTotal{"mistral-7b", 7'241'732'096,
                   R"({"model_type":"mistral","hidden_size":4096,"num_hidden_layers":32,
                       "num_attention_heads":32})"},
    PublishedTotal{"mistral-nemo-12b", 12'247'782'400,
                   R"({"model_type":"mistral","hidden_size":5120,"num_hidden_layers":40,
                       "num_attention_heads":32,"head_dim":128,"vocab_size":131072})"},
    PublishedTotal{"mixtral-8x7b", 46'702'792'704,
                   R"({"model_type":"mixtral","hidden_size":4096,"num_hidden_layers":32,
                       "num_attention_heads":32,"sliding_window":null})"},
    PublishedTotal{"mixtral-8x22b", 140'630'071'296,
                   R"({"model_type":"mixtral","hidden_size":6144,"num_hidden_layers":56,
                       "num_attention_heads":48,"num_key_value_heads":8,"intermediate_size":16384,
                       "vocab_size":32768,"num_local_experts":8,"num_experts_per_tok":2})"},
    PublishedTotal{"qwen2.5-7b", 7'615'616'512,
                   R"({"model_type":"qwen2","hidden_size":3584,"num_hidden_layers":28,
                       "num_attention_heads":28,"num_key_value_heads":4,"intermediate_size":18944,
                       "vocab_size":152064})"},
    PublishedTotal{"qwen2.5-0.5b", 494'032'768,
                   R"({"model_type":"qwen2","hidden_size":896,"num_hidden_layers":24,
                       "num_attention_heads":14,"num_key_value_heads":2,"intermediate_size":4864,
                       "tie_word_embeddings":true})"},
    PublishedTotal{"qwen2-57b-a14b", 57'408'658'944,
                   R"({"model_type":"qwen2_moe","hidden_size":3584,"num_hidden_layers":28,
                       "num_attention_heads":28,"num_key_value_heads":4,"num_experts":64,
                       "num_experts_per_tok":8,"moe_intermediate_size":2560,
                       "shared_expert_intermediate_size":20480,"intermediate_size":18944})"},
    PublishedTotal{"qwen3-8b", 8'190'735'360,
                   R"({"model_type":"qwen3","hidden_size":4096,"num_hidden_layers":36,
                       "num_attention_heads":32,"num_key_value_heads":8,
                       "intermediate_size":12288})"},
    PublishedTotal{"qwen3-30b-a3b", 30'532'122'624,
                   R"({"model_type":"qwen3_moe","hidden_size":2048,"num_hidden_layers":48,
                       "num_attention_heads":32,"head_dim":128,"mlp_only_layers":[]})"},
    PublishedTotal{"qwen3-235b-a22b", 235'093'634'560,
                   R"({"model_type":"qwen3_moe","hidden_size":4096,"num_hidden_layers":94,
                       "num_attention_heads":64,"head_dim":128,"moe_intermediate_size":1536})"},
    PublishedTotal{"qwen3-next-80b-a3b", 79'674'391'296,
                   R"({"model_type":"qwen3_next","hidden_size":2048,"num_hidden_layers":48,
                       "num_attention_heads":16})"},
    PublishedTotal{"qwen3.5-397b-a17b", 396'802'360'816,
                   R"({"model_type":"qwen3_5_moe","text_config":{"model_type":"qwen3_5_moe_text",
                       "hidden_size":4096,"num_hidden_layers":60,"num_attention_heads":32,
                       "moe_intermediate_size":1024,"shared_expert_intermediate_size":1024,
                       "num_experts":512,"num_experts_per_tok":10,"linear_num_value_heads":64},
                       "vision_config":{"depth":27,"out_hidden_size":4096}})"},
    PublishedTotal{"deepseek-v2", 235'741'434'880,
                   R"({"model_type":"deepseek_v2","hidden_size":5120,"num_hidden_layers":60,
                       "num_attention_heads":128,"intermediate_size":12288,"vocab_size":102400,
                       "n_routed_experts":160,"num_experts_per_tok":6,"moe_intermediate_size":1536,
                       "first_k_dense_replace":1})"},
    PublishedTotal{"deepseek-v2-lite", 15'706'484'224,
                   R"({"model_type":"deepseek_v2","hidden_size":2048,"num_hidden_layers":27,
                       "num_attention_heads":16,"intermediate_size":10944,"vocab_size":102400,
                       "n_routed_experts":64,"num_experts_per_tok":6,"moe_intermediate_size":1408,
                       "first_k_dense_replace":1,"q_lora_rank":null})"},
    PublishedTotal{"deepseek-v3", 671'026'419'200,
                   R"({"model_type":"deepseek_v3","hidden_size":7168,"num_hidden_layers":61,
                       "num_attention_heads":128,"num_nextn_predict_layers":1})"},
    PublishedTotal{"deepseek-v3.2", 671'877'944'064,
                   R"({"model_type":"deepseek_v32","hidden_size":7168,"num_hidden_layers":61,
                       "num_attention_heads":128})"},
    PublishedTotal{"kimi-k2", 1'026'408'232'448,
                   R"({"model_type":"kimi_k2","hidden_size":7168,"num_hidden_layers":61,
                       "num_attention_heads":64,"n_routed_experts":384,"vocab_size":163840,
                       "first_k_dense_replace":1})"},
    PublishedTotal{"glm-4.5-air", 106'852'251'264,
                   R"({"model_type":"glm4_moe","hidden_size":4096,"num_hidden_layers":46,
                       "num_attention_heads":96,"attention_bias":true})"},
    PublishedTotal{"glm-4.5", 352'797'829'024,
                   R"({"model_type":"glm4_moe","hidden_size":5120,"num_hidden_layers":92,
                       "num_attention_heads":96,"attention_bias":true,"use_qk_norm":true,
                       "n_routed_experts":160,"moe_intermediate_size":1536,
                       "intermediate_size":12288,"first_k_dense_replace":3})"},
    PublishedTotal{"glm-5", 743'911'218'432,
                   R"({"model_type":"glm_moe_dsa","hidden_size":6144,"num_hidden_layers":78,
                       "num_attention_heads":64})"},
    PublishedTotal{"minimax-m2.5", 228'689'764'864,
                   R"({"model_type":"minimax_m2","hidden_size":3072,"num_hidden_layers":62,
                       "num_attention_heads":48})"},
    PublishedTotal{"gpt-oss-20b", 20'914'757'184,
                   R"({"model_type":"gpt_oss","hidden_size":2880,"num_hidden_layers":24,
                       "num_attention_heads":64,"num_local_experts":32,
                       "quantization_config":{"quant_method":"mxfp4"}})"},
    PublishedTotal{"gpt-oss-120b", 116'829'156'672,
                   R"({"model_type":"gpt_oss","hidden_size":2880,"num_hidden_layers":36,
                       "num_attention_heads":64})"},
    PublishedTotal{"llama-4-scout", 108'641'793'536,
                   R"({"model_type":"llama4","text_config":{"model_type":"llama4_text",
                       "hidden_size":5120,"num_hidden_layers":48},
                       "vision_config":{"hidden_size":1408,"image_size":336,
                       "vision_output_dim":4096}})"},
    PublishedTotal{"llama-4-scout-text", 107'769'861'120,
                   R"({"model_type":"llama4_text","hidden_size":5120,"num_hidden_layers":48,
                       "num_attention_heads":40})"},
    PublishedTotal{"llama-4-maverick", 401'583'781'376,
                   R"({"model_type":"llama4","text_config":{"hidden_size":5120,
                       "num_hidden_layers":48,"num_local_experts":128,
                       "interleave_moe_layer_step":2},
                       "vision_config":{"hidden_size":1408,"image_size":336,
                       "vision_output_dim":4096}})"},
    PublishedTotal{"dbrx", 131'596'523'520,
                   R"({"model_type":"dbrx","d_model":6144,"n_layers":40,"n_heads":48,
                       "vocab_size":100352,"attn_config":{"kv_n_heads":8},
                       "ffn_config":{"ffn_hidden_size":10752,"moe_num_experts":16,
                       "moe_top_k":4}})"},
    PublishedTotal{"grok-1", 315'684'820'992,
                   R"({"model_type":"grok-1","hidden_size":6144,"num_hidden_layers":64,
                       "num_attention_heads":48})"},
    PublishedTotal{"phi-3.5-moe", 41'873'153'344,
                   R"({"model_type":"phimoe","hidden_size":4096,"num_hidden_layers":32,
                       "num_attention_heads":32,"attention_bias":true,"lm_head_bias":true})"},
    PublishedTotal{"gpt2", 124'439'808,
                   R"({"model_type":"gpt2","n_embd":768,"n_layer":12,"n_head":12,"n_inner":null})"},
    PublishedTotal{"gpt-j-6b", 6'050'882'784,
                   R"({"model_type":"gptj","n_embd":4096,"n_layer":28,"n_head":16})"},
    PublishedTotal{"gpt-neox-20b", 20'554'567'680,
                   R"({"model_type":"gpt_neox","hidden_size":6144,"num_hidden_layers":44,
                       "num_attention_heads":64})"},
    PublishedTotal{"opt-13b", 12'853'473'280,
                   R"({"model_type":"opt","hidden_size":5120,"num_hidden_layers":40,
                       "num_attention_heads":40,"ffn_dim":20480})"},
    PublishedTotal{"opt-350m", 331'196'416,
                   R"({"model_type":"opt","hidden_size":1024,"num_hidden_layers":24,
                       "num_attention_heads":16,"ffn_dim":4096,"word_embed_proj_dim":512,
                       "do_layer_norm_before":false})"},
    PublishedTotal{"bloom-176b", 176'247'271'424,
                   R"({"model_type":"bloom","n_embed":14336,"n_layer":70,
                       "num_attention_heads":112})"},
    PublishedTotal{"mpt-7b", 6'649'286'656,
                   R"({"model_type":"mpt","d_model":4096,"n_layers":32,"n_heads":32,
                       "vocab_size":50432,"attn_config":{"alibi":true}})"},
    PublishedTotal{"falcon-7b", 6'921'720'704,
                   R"({"model_type":"falcon","hidden_size":4544,"num_hidden_layers":32,
                       "num_attention_heads":71,"num_kv_heads":71})"},
    PublishedTotal{"falcon-40b", 41'303'293'952,
                   R"({"model_type":"falcon","hidden_size":8192,"num_hidden_layers":60,
                       "num_attention_heads":128,"num_kv_heads":8,
                       "new_decoder_architecture":true})"},
    PublishedTotal{"falcon-180b", 179'522'565'120,
                   R"({"model_type":"falcon","hidden_size":14848,"num_hidden_layers":80,
                       "num_attention_heads":232,"num_kv_heads":8,
                       "new_decoder_architecture":true,"tie_word_embeddings":false})"},
    PublishedTotal{"phi-2", 2'779'683'840,
                   R"({"model_type":"phi","hidden_size":2560,"num_hidden_layers":32,
                       "num_attention_heads":32,"intermediate_size":10240})"},
    PublishedTotal{"phi-3-mini", 3'821'079'552,
                   R"({"model_type":"phi3","hidden_size":3072,"num_hidden_layers":32,
                       "num_attention_heads":32})"},
    PublishedTotal{"phi-4", 14'659'507'200,
                   R"({"model_type":"phi3","hidden_size":5120,"num_hidden_layers":40,
                       "num_attention_heads":40,"num_key_value_heads":10,
                       "intermediate_size":17920,"vocab_size":100352})"},
    PublishedTotal{"gemma-2-9b", 9'241'705'984,
                   R"({"model_type":"gemma2","hidden_size":3584,"num_hidden_layers":42,
                       "num_attention_heads":16,"num_key_value_heads":8,
                       "intermediate_size":14336})"},
    PublishedTotal{"gemma-3-4b", 4'300'079'472,
                   R"({"model_type":"gemma3","text_config":{"hidden_size":2560,
                       "num_hidden_layers":34,"intermediate_size":10240},
                       "vision_config":{"hidden_size":1152,"image_size":896,
                       "intermediate_size":4304,"num_hidden_layers":27,"patch_size":14}})"},
    PublishedTotal{"gemma-3-27b", 27'432'406'640,
                   R"({"model_type":"gemma3","text_config":{"hidden_size":5376,
                       "num_hidden_layers":62,"num_attention_heads":32,"num_key_value_heads":16,
                       "head_dim":128,"intermediate_size":21504},
                       "vision_config":{"hidden_size":1152,"image_size":896,
                       "intermediate_size":4304,"num_hidden_layers":27,"patch_size":14}})"},
    PublishedTotal{"mistral-small-3.1-24b", 24'011'361'280,
                   R"({"model_type":"mistral3","text_config":{"hidden_size":5120,
                       "num_hidden_layers":40,"head_dim":128,"intermediate_size":32768,
                       "vocab_size":131072,"sliding_window":null},
                       "vision_config":{"image_size":1540,"patch_size":14},
                       "spatial_merge_size":2})"},
    PublishedTotal{"command-r", 34'980'831'232,
                   R"({"model_type":"cohere","hidden_size":8192,"num_hidden_layers":40,
                       "num_attention_heads":64})"},
    PublishedTotal{"command-r-plus", 103'810'674'688,
                   R"({"model_type":"cohere","hidden_size":12288,"num_hidden_layers":64,
                       "num_attention_heads":96,"num_key_value_heads":8,
                       "intermediate_size":33792,"use_qk_norm":true})"},
    PublishedTotal{"nemotron-4-15b", 15'628'775'424,
                   R"({"model_type":"nemotron","hidden_size":6144,"num_hidden_layers":32,
                       "num_attention_heads":48,"num_key_value_heads":8})"},
    PublishedTotal{"stablelm-3b", 2'795'443'200,
                   R"({"model_type":"stablelm","hidden_size":2560,"num_hidden_layers":32,
                       "num_attention_heads":32})"},
    PublishedTotal{"starcoder2-3b", 3'030'371'328,
                   R"({"model_type":"starcoder2","hidden_size":3072,"num_hidden_layers":30,
                       "num_attention_heads":24})"},
    PublishedTotal{"starcoder2-15b", 15'957'889'024,
                   R"({"model_type":"starcoder2","hidden_size":6144,"num_hidden_layers":40,
                       "num_attention_heads":48,"num_key_value_heads":4,
                       "intermediate_size":24576,"tie_word_embeddings":false})"},
    PublishedTotal{"tinyllama-1.1b", 1'100'048'384,
                   R"({"model_type":"llama","hidden_size":2048,"num_hidden_layers":22,
                       "num_attention_heads":32,"num_key_value_heads":4,
                       "intermediate_size":5632})"},
    PublishedTotal{"nemotron-3-nano-30b-a3b", 31'577'940'288,
                   R"({"model_type":"nemotron_h","hidden_size":2688,"num_attention_heads":32,
                       "num_key_value_heads":2,"head_dim":128,"mamba_num_heads":64,
                       "mamba_head_dim":64,"n_routed_experts":128,"num_experts_per_tok":6,
                       "moe_intermediate_size":1856,"n_shared_experts":1,
                       "moe_shared_expert_intermediate_size":3712,"hybrid_override_pattern":
                       "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"})"},
    // Layers alone, without the matrix that makes words of them.
    PublishedTotal{"e5-mistral-7b-instruct", 7'110'660'096,
                   R"({"architectures":["MistralModel"],"model_type":"mistral","hidden_size":4096,
                       "num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,
                       "intermediate_size":14336,"vocab_size":32000})"},
    PublishedTotal{"qwen2-audio-7b", 8'397'094'912,
                   R"({"model_type":"qwen2_audio","audio_config":{"num_mel_bins":128,
                       "encoder_layers":32,"encoder_attention_heads":20,"encoder_ffn_dim":5120,
                       "d_model":1280,"max_source_positions":1500},
                       "text_config":{"model_type":"qwen2","hidden_size":4096,
                       "intermediate_size":11008,"num_hidden_layers":32,"num_attention_heads":32,
                       "num_key_value_heads":32,"vocab_size":156032}})"},
};

class ImportedTotalTest : public testing::TestWithParam<PublishedTotal> {};

TEST_P(ImportedTotalTest, IsThePublishedOneToTheUnit) {
  Diagnostics diagnostics;
  const auto model =
      catalog::import_hf_config({"config.json", std::string(GetParam().config)}, {}, diagnostics);
  ASSERT_TRUE(model.has_value()) << render(diagnostics);
  EXPECT_EQ(count_parameters(model->spec).total(), GetParam().total);
}

// Nobody published these totals; a config must at least lead where the catalogue's entry leads.
constexpr std::array kInCatalogue{
    PublishedTotal{"gemma-4-31b", 0,
                   R"({"model_type":"gemma4","text_config":{"hidden_size":5376,
                       "num_hidden_layers":60,"num_attention_heads":32,"num_key_value_heads":16,
                       "intermediate_size":21504,"sliding_window":1024,"attention_k_eq_v":true,
                       "num_global_key_value_heads":4}})"},
    PublishedTotal{"gemma-4-26b-a4b", 0,
                   R"({"model_type":"gemma4","text_config":{"hidden_size":2816,
                       "num_hidden_layers":30,"num_attention_heads":16,"num_key_value_heads":8,
                       "intermediate_size":2112,"sliding_window":1024,"attention_k_eq_v":true,
                       "num_global_key_value_heads":2,"enable_moe_block":true,
                       "num_experts":128,"top_k_experts":8,"moe_intermediate_size":704}})"},
    PublishedTotal{"gemma-4-e2b", 0,
                   R"({"model_type":"gemma4_text","hidden_size":1536,"num_hidden_layers":35,
                       "num_attention_heads":8,"num_key_value_heads":1,"intermediate_size":6144,
                       "sliding_window_pattern":5,"num_kv_shared_layers":20,
                       "use_double_wide_mlp":true,"hidden_size_per_layer_input":256})"},
};

TEST(ImportedModelTest, IsTheOneOfTheCatalogue) {
  Diagnostics diagnostics;
  const auto catalogue = catalog::Catalog::open(catalog::builtin_files(), diagnostics);
  for (const auto& row : kInCatalogue) {
    SCOPED_TRACE(row.name);
    const auto model =
        catalog::import_hf_config({"config.json", std::string(row.config)}, {}, diagnostics);
    ASSERT_TRUE(model.has_value()) << render(diagnostics);
    const auto entry = catalogue.find_model(row.name);
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(count_parameters(model->spec).text(), count_parameters(**entry).text());
    EXPECT_EQ(model->spec.kinds.size(), (*entry)->kinds.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, ImportedTotalTest, testing::ValuesIn(kPublished));

}  // namespace
}  // namespace loadfactor::workload
