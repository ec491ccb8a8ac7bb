#include "workload/parameters.h"

#include <vector>

#include <gtest/gtest.h>

#include "workload/test_models.h"

namespace loadfactor::workload {
namespace {

using catalog::ActiveExcludes;
using catalog::ModelSpec;

struct Known {
  ModelSpec model;
  std::int64_t total;
  std::int64_t active;
};

std::vector<Known> known_models() {
  using namespace test_models;  // NOLINT(google-build-using-namespace): a table of them.
  return {
      {llama_8b(), 8'030'261'248, 8'030'261'248},
      {llama_70b(), 70'553'706'496, 70'553'706'496},
      {mistral_7b(), 7'241'732'096, 7'241'732'096},
      {mixtral_8x7b(), 46'702'792'704, 12'879'925'248},
      {qwen25_7b(), 7'615'616'512, 7'615'616'512},
      {qwen3_8b(), 8'190'735'360, 8'190'735'360},
      {qwen3_30b_a3b(), 30'532'122'624, 3'353'032'704},
      {gpt2(), 124'439'808, 124'439'808},
      {gpt_neox_20b(), 20'554'567'680, 20'554'567'680},
      {gemma2_9b(), 9'241'705'984, 9'241'705'984},
      {gpt_oss_20b(), 20'914'757'184, 4'187'440'704},
      {deepseek_v3(), 671'026'419'200, 37'552'297'472},
      {gemma3_27b(), 27'432'406'640, 27'009'346'304},
      {deepseek_v32(), 671'877'944'064, 38'403'822'336},
      {qwen3_next_80b(), 79'674'391'296, 3'874'929'408},
      {nemotron3_nano_30b(), 31'577'940'288, 3'580'076'352},
      {opt_350m(), 331'196'416, 331'196'416},
  };
}

TEST(ParametersTest, MeetPublishedTotalsToTheUnit) {
  for (const Known& known : known_models()) {
    const ParameterCount count = count_parameters(known.model);
    EXPECT_EQ(count.total(), known.total) << known.model.name;
    EXPECT_EQ(count.active(), known.active) << known.model.name;
  }
}

TEST(ParametersTest, ComponentsOfGpt2AddUp) {
  const ParameterCount count = count_parameters(test_models::gpt2());
  EXPECT_EQ(count.of(Component::kEmbedding), 50257 * 768);
  EXPECT_EQ(count.of(Component::kPositions), 1024 * 768);
  EXPECT_EQ(count.of(Component::kAttention), 12 * (4 * 768 * 768 + 4 * 768));
  EXPECT_EQ(count.of(Component::kMlp), 12 * (2 * 768 * 3072 + 3072 + 768));
  EXPECT_EQ(count.of(Component::kNorms), 25 * 2 * 768);
  EXPECT_EQ(count.of(Component::kHead), 0);  // Tied.
}

TEST(ParametersTest, MultiTokenPredictionStandsApart) {
  const ParameterCount count = count_parameters(test_models::deepseek_v3());
  ModelSpec one_more = test_models::deepseek_v3();
  one_more.layers.push_back(1);
  const std::int64_t layer = count_parameters(one_more).total() - count.total();
  EXPECT_EQ(count.mtp, layer + 2LL * 7168 * 7168 + 3LL * 7168);
}

TEST(ParametersTest, PublishersLeaveOutTablesInTwoWays) {
  const ModelSpec oss = test_models::gpt_oss_20b();
  const std::int64_t table = 201'088LL * 2880;
  const std::int64_t active = count_parameters(oss).active();
  EXPECT_EQ(active_parameters(oss, ActiveExcludes::kNothing), active);
  EXPECT_EQ(active_parameters(oss, ActiveExcludes::kInput), active - table);  // "3.6 B".
  EXPECT_EQ(active_parameters(oss, ActiveExcludes::kEmbeddings), active - 2 * table);
  const ModelSpec gemma = test_models::gemma2_9b();  // Tied: the input table is the head.
  EXPECT_EQ(active_parameters(gemma, ActiveExcludes::kInput), 9'241'705'984);
  EXPECT_EQ(active_parameters(gemma, ActiveExcludes::kEmbeddings), 8'324'201'984);
}

TEST(ParametersTest, DoublingTheLayersDoublesTheMiddle) {
  for (const Known& known : known_models()) {
    ModelSpec doubled = known.model;
    doubled.layers.insert(doubled.layers.end(), known.model.layers.begin(),
                          known.model.layers.end());
    const ParameterCount once = count_parameters(known.model);
    const ParameterCount twice = count_parameters(doubled);
    for (const Component c : {Component::kAttention, Component::kMlp, Component::kRouter,
                              Component::kExperts, Component::kSharedExperts}) {
      EXPECT_EQ(twice.of(c), 2 * once.of(c)) << known.model.name;
    }
    EXPECT_EQ(twice.of(Component::kEmbedding), once.of(Component::kEmbedding));
    EXPECT_EQ(twice.idle, 2 * once.idle);
  }
}

// Elements that every one of `tp` ranks holds, of those tensor parallelism does not cut.
std::int64_t replicated(const ModelSpec& model) {
  std::int64_t sum = 0;
  for (const WeightTensor& tensor : stage_tensors(model, whole_model(model))) {
    if (tensor.split == Split::kWhole && tensor.component != Component::kExperts) {
      sum += tensor.elements();
    }
  }
  return sum;
}

TEST(ParametersTest, ShardsOfAllRanksSumToTheTotalAndTheCopies) {
  for (const Known& known : known_models()) {
    if (known.model.name == "gpt2" || known.model.name == "qwen2.5-7b") continue;  // Below.
    const Sharding sharding{.tp = 2};
    const std::int64_t local =
        local_parameters(known.model, sharding, whole_model(known.model)).text();
    // Bias of the second expert product, which both ranks hold.
    std::int64_t expert_copies = 0;
    for (const WeightTensor& tensor : stage_tensors(known.model, whole_model(known.model))) {
      if (tensor.component == Component::kExperts && tensor.split == Split::kWhole) {
        expert_copies += tensor.elements();
      }
    }
    EXPECT_EQ(2 * local,
              count_parameters(known.model).text() + replicated(known.model) + expert_copies)
        << known.model.name;
  }
}

TEST(ParametersTest, AnOddVocabularyIsRoundedUp) {
  const ModelSpec gpt2 = test_models::gpt2();
  const ParameterCount local = local_parameters(gpt2, {.tp = 2}, whole_model(gpt2));
  EXPECT_EQ(local.of(Component::kEmbedding), 25129 * 768);  // ⌈50257 / 2⌉ rows.
}

TEST(ParametersTest, KeyValueHeadsAreCopiedPastOnePerRank) {
  const ModelSpec qwen = test_models::qwen25_7b();  // 28 heads, 4 key-value heads.
  const auto attention = [&](int tp) {
    return local_parameters(qwen, {.tp = tp}, whole_model(qwen)).of(Component::kAttention);
  };
  // Per layer at tp 28: one query head, one key and one value head with biases, one slice out.
  EXPECT_EQ(attention(28), 28 * (3584 * 128 * 4 + 3 * 128));
}

TEST(ParametersTest, StagesSumToTheModelAndATiedHeadIsCopied) {
  const ModelSpec llama = test_models::llama_8b();
  const Sharding sharding{.pp = 4, .vp = 2};
  std::int64_t sum = 0;
  for (int stage = 0; stage < 4; ++stage) {
    sum += local_parameters(llama, sharding, pipeline_stage(llama, sharding, stage)).text();
  }
  EXPECT_EQ(sum, 8'030'261'248);

  const ModelSpec gpt2 = test_models::gpt2();
  std::int64_t tied_sum = 0;
  for (int stage = 0; stage < 2; ++stage) {
    tied_sum += local_parameters(gpt2, {.pp = 2}, pipeline_stage(gpt2, {.pp = 2}, stage)).text();
  }
  EXPECT_EQ(tied_sum, 124'439'808 + 50257 * 768);
}

TEST(ParametersTest, ExpertsAreSpreadByEpAndCutByEtp) {
  const ModelSpec mixtral = test_models::mixtral_8x7b();
  const auto experts = [&](const Sharding& sharding) {
    return local_parameters(mixtral, sharding, whole_model(mixtral)).of(Component::kExperts);
  };
  const std::int64_t all = 32LL * 8 * 3 * 4096 * 14336;
  EXPECT_EQ(experts({}), all);
  EXPECT_EQ(experts({.ep = 8, .dp = 8}), all / 8);
  EXPECT_EQ(experts({.tp = 2}), all / 2);  // Cut as the rest is.
  EXPECT_EQ(experts({.tp = 2, .ep = 2, .etp = 1}), all / 2);
  EXPECT_EQ(experts({.tp = 2, .ep = 4, .etp = 2, .dp = 4}), all / 8);
}

}  // namespace
}  // namespace loadfactor::workload
