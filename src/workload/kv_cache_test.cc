#include "workload/kv_cache.h"

#include <gtest/gtest.h>

#include "workload/test_models.h"

namespace loadfactor::workload {
namespace {

using catalog::Dtype;

TEST(KvCacheTest, GroupedQueriesKeepOnlyKeyValueHeads) {
  // 2 × 32 layers × 8 heads × 128 × 2 B = 128 KiB per token, as engines report.
  const KvProfile profile = kv_profile(test_models::llama_8b(), {});
  EXPECT_EQ(profile.per_token().base(), 131072.0);
  EXPECT_EQ(profile.bytes(1000).base(), 131072.0 * 1000);
  EXPECT_EQ(kv_profile(test_models::llama_8b(), {.kv = Dtype::kFp8}).per_token().base(), 65536.0);
}

TEST(KvCacheTest, LatentAttentionKeepsRankAndRope) {
  // 61 layers × (512 + 64) × 2 B = 70,272 B.
  EXPECT_EQ(kv_profile(test_models::deepseek_v3(), {}).per_token().base(), 70272.0);
  // The indexer adds 128 fp8 elements and an fp32 scale per layer.
  EXPECT_EQ(kv_profile(test_models::deepseek_v32(), {}).per_token().base(), 70272.0 + 61 * 132);
}

TEST(KvCacheTest, WindowLayersStopGrowing) {
  // gemma-2-9b: 21 + 21 layers of 2 × 8 × 256 × 2 B = 8 KiB per token.
  const KvProfile profile = kv_profile(test_models::gemma2_9b(), {});
  EXPECT_EQ(profile.bytes(4096).base(), 42 * 8192.0 * 4096);
  EXPECT_EQ(profile.bytes(8192).base(), 21 * 8192.0 * (4096 + 8192));
  EXPECT_EQ(profile.per_token_at_length(4096).base(), 42 * 8192.0);
  EXPECT_EQ(profile.per_token_at_length(4097).base(), 21 * 8192.0);
  const KvProfile uncapped = kv_profile(test_models::gemma2_9b(), {.caps_window = false});
  EXPECT_EQ(uncapped.bytes(8192).base(), 42 * 8192.0 * 8192);
}

TEST(KvCacheTest, RecurrentLayersHoldAFixedState) {
  // Qwen3-Next: 36 linear layers of 32 × 128 × 128 fp32 and 3 past inputs of 8192 channels;
  // 12 full layers of 2 × 2 × 256 × 2 B = 2 KiB per token.
  const KvProfile profile = kv_profile(test_models::qwen3_next_80b(), {});
  const double state = 36 * (32.0 * 128 * 128 * 4 + 3.0 * 8192 * 2);
  EXPECT_EQ(profile.fixed().base(), state);
  EXPECT_EQ(profile.bytes(0).base(), state);
  EXPECT_EQ(profile.bytes(100).base(), state + 100 * 12 * 2048);
  // Nemotron 3 Nano: 64 heads × 64 × 128 fp32 and 3 inputs of 64·64 + 2·8·128 channels.
  const catalog::ModelSpec nano = test_models::nemotron3_nano_30b();
  EXPECT_EQ(state_bytes(nano.kinds[0].attention, {}).base(),
            64.0 * 64 * 128 * 4 + 3.0 * (4096 + 2048) * 2);
  EXPECT_EQ(state_bytes(nano.kinds[1].attention, {}).base(), 0.0);
}

TEST(KvCacheTest, TensorParallelRanksCopyWhatTheyCannotSplit) {
  const auto per_token = [](const catalog::ModelSpec& model, int tp) {
    return kv_profile(model, {}, {.tp = tp}, whole_model(model)).per_token().base();
  };
  EXPECT_EQ(per_token(test_models::llama_8b(), 8), 131072.0 / 8);
  EXPECT_EQ(per_token(test_models::llama_8b(), 16), 131072.0 / 8);  // 8 heads on 16 ranks.
  EXPECT_EQ(per_token(test_models::deepseek_v3(), 8), 70272.0);     // The latent is whole.
}

TEST(KvCacheTest, StagesShareTheLayersAndContextRanksTheTokens) {
  const auto model = test_models::gemma2_9b();
  const Sharding pipeline{.pp = 3};
  double sum = 0;
  for (int stage = 0; stage < 3; ++stage) {
    sum +=
        kv_profile(model, {}, pipeline, pipeline_stage(model, pipeline, stage)).bytes(5000).base();
  }
  EXPECT_EQ(sum, kv_profile(model, {}).bytes(5000).base());
  const auto llama = test_models::llama_8b();
  const KvProfile split = kv_profile(llama, {}, {.cp = 4}, whole_model(llama));
  EXPECT_EQ(split.bytes(1000).base(), 131072.0 * 250);
  EXPECT_EQ(split.per_token().base(), 131072.0 / 4);
}

TEST(KvCacheTest, CompressedPastsKeepOneEntryPerManyTokens) {
  catalog::ModelSpec model = test_models::toy();
  model.kinds[0].attention = test_models::heads(8, 1, 512);
  model.kinds[0].attention.kv = catalog::KvSource::kTied;
  model.kinds[0].attention.window = 128;
  model.kinds[0].attention.compress = 4;
  const KvProfile profile = kv_profile(model, {});
  EXPECT_EQ(profile.bytes(4000).base(), 2 * 1024.0 * (128 + 1000));
}

TEST(KvCacheTest, ReusedKeysCostNothing) {
  catalog::AttentionSpec attention = test_models::heads(8, 8, 64);
  attention.kv = catalog::KvSource::kReuse;
  EXPECT_EQ(kv_bytes_per_token(attention, {}).base(), 0.0);
}

TEST(KvCacheTest, MoreTokensNeverTakeLess) {
  const KvProfile profile = kv_profile(test_models::gpt_oss_20b(), {});
  Bytes last;
  for (std::int64_t tokens = 0; tokens < 1000; ++tokens) {
    ASSERT_GE(profile.bytes(tokens), last);
    last = profile.bytes(tokens);
  }
}

}  // namespace
}  // namespace loadfactor::workload
