#include "catalog/load/model_loader.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "catalog/load/block_reader.h"
#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

using testing::kToyModel;
using testing::with;

ModelSpec load(std::string_view text, Diagnostics& diagnostics) {
  return load_model(testing::file("models/toy-1b.yaml", text), diagnostics);
}

ModelSpec load(std::string_view text) {
  Diagnostics diagnostics;
  auto model = load(text, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return model;
}

std::string complaints(std::string_view text) {
  Diagnostics diagnostics;
  load(text, diagnostics);
  return testing::complaints(diagnostics);
}

// The toy with a mixture of experts of four.
std::string moe_toy(std::string_view rule) {
  return with(kToyModel, "mlp: {kind: gated, width: 4096, bias: false}\n",
              "mlp: {kind: gated, width: 4096, bias: false}\n"
              "moe: {experts: 4, top_k: 2, width: 512" +
                  std::string(rule) + "}\n");
}

TEST(ModelLoaderTest, ReadsADenseModel) {
  const ModelSpec toy = load(kToyModel);
  EXPECT_EQ(toy.num_layers(), 4);
  EXPECT_EQ(toy.kinds.size(), 1U);
  EXPECT_EQ(toy.hidden, 1024);
  EXPECT_EQ(toy.embedding.vocab, 32000);
  EXPECT_EQ(toy.layer(3).attention.kv_heads, 4);
  EXPECT_EQ(toy.layer(3).mlp.width, 4096);
  EXPECT_EQ(toy.layer(3).norms, 2);
  EXPECT_EQ(toy.published_parameters, 1e9);
  EXPECT_EQ(toy.published_active, 0.0);
}

TEST(ModelLoaderTest, ExactCountsStayExact) {
  EXPECT_EQ(load(with(kToyModel, "parameters: 1 B", "parameters: 8030261248")).published_parameters,
            8030261248.0);
}

TEST(ModelLoaderTest, EveryLayerIsMoeUnlessARuleSaysOtherwise) {
  const ModelSpec toy = load(moe_toy(""));
  EXPECT_EQ(toy.kinds.size(), 1U);
  EXPECT_EQ(toy.layer(0).moe.experts, 4);
  EXPECT_EQ(toy.layer(0).mlp.width, 0);  // A layer has the one or the other.
}

std::string moe_layers(std::string_view rule) {
  const ModelSpec toy = load(moe_toy(rule));
  std::string layers;
  for (int i = 0; i < toy.num_layers(); ++i) layers += toy.layer(i).moe.experts > 0 ? 'm' : 'd';
  return layers;
}

TEST(ModelLoaderTest, TheRuleOfDenseLayersIsObeyed) {
  EXPECT_EQ(moe_layers(", first_dense: 1"), "dmmm");
  EXPECT_EQ(moe_layers(", every: 2"), "dmdm");
  EXPECT_EQ(moe_layers(", dense_layers: [0, 3]"), "dmmd");
  EXPECT_EQ(moe_layers(", layers: [2]"), "ddmd");
  EXPECT_EQ(moe_layers(", first_dense: 2, every: 2, dense_layers: [3]"), "dddd");
}

TEST(ModelLoaderTest, SharedExpertsAreRead) {
  const MoeSpec moe =
      load(moe_toy(", shared: {width: 1024, gate: true}, router_bias: true")).layer(0).moe;
  EXPECT_EQ(moe.shared_width, 1024);
  EXPECT_TRUE(moe.shared_gate);
  EXPECT_TRUE(moe.router_bias);
}

TEST(ModelLoaderTest, ADenseLayerWithoutAnMlpIsRefused) {
  const auto text =
      with(moe_toy(", first_dense: 1"), "mlp: {kind: gated, width: 4096, bias: false}\n", "");
  EXPECT_EQ(complaints(text), "25:LF504");
}

constexpr std::string_view kKinds =
    "layer_pattern: [sliding, sliding, full]\n"
    "layer_kinds:\n"
    "  sliding: {attention: {window: 512}}\n"
    "  full: {attention: {head_dim: 128}}\n"
    "kind: published\n";

TEST(ModelLoaderTest, APatternRepeatsOverTheLayers) {
  const ModelSpec toy =
      load(with(kToyModel, "kind: published\nsource", std::string(kKinds) + "source"));
  EXPECT_EQ(toy.kinds.size(), 2U);
  EXPECT_EQ(toy.layer(0).attention.window, 512);
  EXPECT_EQ(toy.layer(2).attention.window, 0);
  EXPECT_EQ(toy.layer(2).attention.head_dim, 128);
  EXPECT_EQ(toy.layer(3).attention.window, 512);   // The fourth layer starts the pattern anew.
  EXPECT_EQ(toy.layer(3).attention.head_dim, 64);  // Other keys stay as they were.
  EXPECT_EQ(toy.layer(0).mlp, toy.layer(2).mlp);
}

TEST(ModelLoaderTest, AnUndefinedWordOfThePatternIsRefused) {
  const auto text = with(kToyModel, "kind: published\nsource", std::string(kKinds) + "source");
  EXPECT_EQ(complaints(with(text, "[sliding, sliding, full]", "[sliding, sliding, ful]")),
            "26:LF506 28:LF209");  // `full` is then a kind of no layer.
}

TEST(ModelLoaderTest, ALayerMayHaveOneBlockOnly) {
  const auto text = with(kToyModel, "kind: published\nsource",
                         "layer_pattern: [mamba, attention, mlp, attention]\n"
                         "layer_kinds:\n"
                         "  mamba:\n"
                         "    attention: {kind: mamba2, inner_heads: 32, inner_dim: 64, state: 128,"
                         " groups: 8, conv: 4}\n"
                         "    mlp: none\n"
                         "  attention: {mlp: none}\n"
                         "  mlp: {attention: none}\n"
                         "kind: published\nsource");
  const ModelSpec toy = load(text);
  EXPECT_EQ(toy.layer(0).attention.kind, AttentionKind::kMamba2);
  EXPECT_EQ(toy.layer(0).attention.value_heads, 32);
  EXPECT_EQ(toy.layer(0).attention.key_dim, 128);
  EXPECT_EQ(toy.layer(0).attention.heads, 0);  // A state has no heads of queries.
  EXPECT_EQ(toy.layer(0).mlp.width, 0);
  EXPECT_EQ(toy.layer(1).attention.heads, 16);
  EXPECT_EQ(toy.layer(1).mlp.width, 0);
  EXPECT_EQ(toy.layer(2).attention.kind, AttentionKind::kNone);
  EXPECT_EQ(toy.layer(2).mlp.width, 4096);
}

TEST(ModelLoaderTest, LatentAttentionNeedsItsOwnKeys) {
  EXPECT_EQ(complaints(with(kToyModel, "kind: standard", "kind: latent")),
            "16:LF504 16:LF504 16:LF504");  // kv_rank, nope_dim, value_dim.
  const auto latent = with(kToyModel, "kind: standard",
                           "kind: latent\n  kv_rank: 512\n  nope_dim: 128\n  rope_dim: 64\n"
                           "  value_dim: 128\n  q_rank: 1536");
  EXPECT_EQ(load(latent).layer(0).attention.kv_rank, 512);
}

TEST(ModelLoaderTest, KeysOfAnotherKindOfAttentionAreUnknown) {
  EXPECT_EQ(complaints(with(kToyModel, "  heads: 16", "  heads: 16\n  kv_rank: 512")), "18:LF502");
}

TEST(ModelLoaderTest, ActiveParametersCannotExceedAll) {
  EXPECT_EQ(complaints(with(kToyModel, "1 B, kind", "1 B, active: 2 B, kind")), "7:LF209");
}

TEST(ModelLoaderTest, ExtrasAreNamedAndCounted) {
  const ModelSpec toy = load(with(kToyModel, "kind: published\nsource",
                                  "mtp: {layers: 1}\nextras: {vision: 417000000, audio: 3}\n"
                                  "kind: published\nsource"));
  ASSERT_EQ(toy.extras.size(), 2U);
  EXPECT_EQ(toy.extras[0].name, "vision");
  EXPECT_EQ(toy.extras[0].parameters, 417000000);
  EXPECT_EQ(toy.mtp_layers, 1);
}

TEST(ModelLoaderTest, AnAbsurdNumberOfLayersIsRefusedNotBuilt) {
  EXPECT_EQ(complaints(with(kToyModel, "layers: 4", "layers: 4000000000")), "9:LF207");
}

TEST(MoeRuleTest, ListedLayersOverruleEverythingElse) {
  const MoeRule rule{.first_dense = 9, .every = 7, .dense_layers = {2}, .layers = {{2}}};
  EXPECT_TRUE(rule.holds(2));
  EXPECT_FALSE(rule.holds(13));
}

}  // namespace
}  // namespace loadfactor::catalog
