#include "workload/layer_products.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "workload/layer_weights.h"
#include "workload/parameters.h"
#include "workload/test_models.h"
#include "workload/testing/catalogue_models.h"

namespace loadfactor::workload {
namespace {

using catalog::ModelSpec;

LayerProduct product(const ModelSpec& model, ProductRole role, const Sharding& sharding = {},
                     int layer = 0) {
  const auto products = layer_products(model, model.layer(layer), sharding);
  const auto found = std::find_if(products.begin(), products.end(),
                                  [&](const LayerProduct& p) { return p.role == role; });
  return found == products.end() ? LayerProduct{} : *found;
}

void expect_shape(const LayerProduct& product, double columns, double inner, double groups = 1) {
  EXPECT_EQ(product.columns, columns);
  EXPECT_EQ(product.inner, inner);
  EXPECT_EQ(product.groups, groups);
}

double weights(const std::vector<LayerProduct>& products) {
  double sum = 0;
  for (const LayerProduct& p : products) sum += p.weights();
  return sum;
}

// Two operations for each weight and token: 2 · (h · (q + 2 kv) + q · h + 3 · h · ffn).
TEST(LayerProductsTest, ALayerOfLlama8bDoesTheOperationsOfTheKnownFormula) {
  const ModelSpec model = test_models::llama_8b();
  Flops work;
  for (const LayerProduct& p : layer_products(model, model.layer(0), {})) work += p.over(7).work();
  const double h = 4096, kv = 1024, ffn = 14336;
  EXPECT_EQ(work.base(), 7 * 2 * (h * (h + 2 * kv) + h * h + 3 * h * ffn));
}

TEST(LayerProductsTest, QueriesKeysAndValuesAreOneProductAndKeyValueHeadsStayWhole) {
  const ModelSpec model = test_models::llama_8b();  // 32 heads and 8 key-value heads of 128.
  expect_shape(product(model, ProductRole::kMixerIn), 48 * 128, 4096);
  expect_shape(product(model, ProductRole::kMixerIn, {.tp = 8}), 6 * 128, 4096);
  expect_shape(product(model, ProductRole::kMixerIn, {.tp = 16}), 4 * 128, 4096);
  expect_shape(product(model, ProductRole::kMixerOut, {.tp = 8}), 4096, 4 * 128);
  expect_shape(product(model, ProductRole::kMlpUp, {.tp = 8}), 2 * 14336 / 8, 4096);
  expect_shape(product(model, ProductRole::kMlpDown, {.tp = 8}), 4096, 14336 / 8);
}

TEST(LayerProductsTest, LatentAttentionCompressesOnEveryRankAndExpandsForItsOwnHeads) {
  const ModelSpec model = test_models::deepseek_v3();  // 128 heads; ranks 1536 and 512.
  const Sharding eight{.tp = 8};
  expect_shape(product(model, ProductRole::kMixerIn, eight), 1536 + 512 + 64, 7168);
  expect_shape(product(model, ProductRole::kQueryUp, eight), 16 * 192, 1536);
  expect_shape(product(model, ProductRole::kKeyValueUp, eight), 16 * 256, 512);
  expect_shape(product(model, ProductRole::kMixerOut, eight), 7168, 16 * 128);
}

TEST(LayerProductsTest, ExpertsAreSharedEvenlyAndNeverFewerThanOne) {
  const ModelSpec model = test_models::deepseek_v3();  // 256 experts of width 2048 from layer 3 on.
  const auto up = [&](const Sharding& sharding) {
    return product(model, ProductRole::kExpertUp, sharding, 3);
  };
  expect_shape(up({.ep = 8, .etp = 1}), 2 * 2048, 7168, 32);
  expect_shape(up({.ep = 8, .etp = 4}), 2 * 2048 / 4, 7168, 32);
  expect_shape(up({.tp = 2}), 2 * 2048 / 2, 7168, 256);
  EXPECT_DOUBLE_EQ(up({.ep = 72, .etp = 1}).groups, 256.0 / 72);
  EXPECT_EQ(up({.ep = 512, .etp = 1}).groups, 1);
  expect_shape(product(model, ProductRole::kRouter, {.tp = 8}, 3), 256, 7168);
  expect_shape(product(model, ProductRole::kSharedDown, {.tp = 8}, 3), 7168, 2048 / 8);
}

TEST(LayerProductsTest, TheHeadIsAProductWhetherOrNotItIsTied) {
  expect_shape(head_product(test_models::llama_8b(), {.tp = 4}), 128256.0 / 4, 4096);
  expect_shape(head_product(test_models::gpt2(), {}), 50257, 768);      // Tied.
  expect_shape(head_product(test_models::opt_350m(), {}), 50272, 512);  // Narrower than the layers.
}

TEST(LayerProductsTest, ScoresAreOfWholeHeads) {
  const ModelSpec llama = test_models::llama_8b();
  const ScoreHeads shared = score_heads(llama.layer(0).attention, 16);
  EXPECT_EQ(shared.queries, 2);
  EXPECT_EQ(shared.keys, 1);
  EXPECT_EQ(shared.key_dim, 128);
  const ModelSpec latent = test_models::deepseek_v3();
  const ScoreHeads expanded = score_heads(latent.layer(0).attention, 8);
  EXPECT_EQ(expanded.queries, 16);
  EXPECT_EQ(expanded.keys, 16);
  EXPECT_EQ(expanded.key_dim, 192);
  EXPECT_EQ(expanded.value_dim, 128);
  const ModelSpec hybrid = test_models::qwen3_next_80b();
  EXPECT_EQ(score_heads(hybrid.layer(0).attention, 1).queries, 0);
}

// Whatever is counted as a matrix of a layer is multiplied, and nothing else is.
TEST(LayerProductsTest, EveryMatrixOfEveryModelIsAnOperandOfOneProduct) {
  for (const ModelSpec& model : catalogue_models()) {
    double all = 0;
    for (int i = 0; i < model.num_layers(); ++i) {
      const double layer = layer_weights(model, model.layer(i)).total();
      EXPECT_EQ(weights(layer_products(model, model.layer(i), {})), layer)
          << model.name << " " << i;
      all += layer;
    }
    EXPECT_LT(all, static_cast<double>(count_parameters(model).text())) << model.name;
  }
}

// Copies of key-value heads and of what every rank holds make the sum over ranks larger.
TEST(LayerProductsTest, RanksTogetherHoldEveryWeightAtLeastOnce) {
  for (const ModelSpec& model : catalogue_models()) {
    for (const int tp : legal_tp(model, 16)) {
      for (const catalog::LayerSpec& kind : model.kinds) {
        const double whole = weights(layer_products(model, kind, {}));
        const double local = weights(layer_products(model, kind, {.tp = tp}));
        EXPECT_GE(local * tp, whole * (1 - 1e-12)) << model.name << " tp " << tp;
        EXPECT_LE(local, whole) << model.name << " tp " << tp;
      }
    }
  }
}

}  // namespace
}  // namespace loadfactor::workload
