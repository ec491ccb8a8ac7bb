#include "catalog/import/prices/litellm_prices.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "catalog/import/prices/price_placeholder.h"

namespace loadfactor::catalog {
namespace {

LiteLlmInput input(std::string text) {
  return {.file = "prices.json",
          .text = std::move(text),
          .as_of = "2026-08-08",
          .today = "2026-09-01",
          .find_model = {}};
}

LiteLlmPrices imported(std::string text) {
  Diagnostics diagnostics;
  auto prices = import_litellm_prices(input(std::move(text)), diagnostics);
  EXPECT_TRUE(prices.has_value()) << render(diagnostics);
  return prices ? *std::move(prices) : LiteLlmPrices{};
}

Error refused(std::string text) {
  Diagnostics diagnostics;
  const auto prices = import_litellm_prices(input(std::move(text)), diagnostics);
  EXPECT_FALSE(prices.has_value());
  return diagnostics.empty() ? Error{} : diagnostics.errors().front();
}

TEST(LiteLlmPricesTest, ReadsDollarsPerToken) {
  const auto prices = imported(R"({
    "acme/toy": {"litellm_provider": "acme", "mode": "chat", "max_input_tokens": 128000,
      "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05,
      "cache_read_input_token_cost": 1.25e-06, "input_cost_per_token_batches": 0.00000125}})");
  ASSERT_EQ(prices.prices.size(), 1U);
  const ApiPrice& price = prices.prices[0];
  EXPECT_EQ(price.provider, "acme");
  EXPECT_EQ(price.model_id, "acme/toy");
  EXPECT_DOUBLE_EQ(price.input->base(), 2.5e-6);
  EXPECT_DOUBLE_EQ(price.cached->base(), 1.25e-6);
  EXPECT_DOUBLE_EQ(price.output->base(), 1e-5);
  EXPECT_DOUBLE_EQ(price.batch_input->base(), 1.25e-6);
  EXPECT_EQ(price.context, 128000);
  EXPECT_EQ(price.provenance.line, 2U);
  EXPECT_EQ(price.provenance.date, "2026-08-08");
}

TEST(LiteLlmPricesTest, BlendsAsTheArithmeticSays) {
  // Three quarters input, half of it cached: 0.75 (0.5 · 2.50 + 0.5 · 1.25) + 0.25 · 10 = 3.90625.
  const auto prices = imported(R"({"m": {"litellm_provider": "p", "mode": "chat",
      "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05,
      "cache_read_input_token_cost": 1.25e-06}})");
  const ApiPrice& price = prices.prices.at(0);
  const DollarsPerToken blend =
      0.75 * (0.5 * *price.input + 0.5 * *price.cached) + 0.25 * *price.output;
  EXPECT_DOUBLE_EQ(blend.base() * 1e6, 3.90625);
}

TEST(LiteLlmPricesTest, CountsWhatItLeavesOut) {
  const auto prices = imported(R"({
    "sample_spec": {"litellm_provider": "one of many", "input_cost_per_token": "a number"},
    "fallback_generalizations": [1, 2],
    "embed": {"litellm_provider": "p", "mode": "embedding", "input_cost_per_token": 1e-08},
    "paint": {"litellm_provider": "p", "mode": "image_generation"},
    "modeless": {"litellm_provider": "p", "input_cost_per_token": 1e-08},
    "free": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 0.0,
             "output_cost_per_token": 0},
    "kept": {"litellm_provider": "p", "mode": "completion", "input_cost_per_token": 1e-06,
             "output_cost_per_token": null, "a_field_of_tomorrow": {"x": []}}})");
  EXPECT_EQ(prices.report.read, 7U);
  EXPECT_EQ(prices.report.used, 1U);
  EXPECT_EQ(prices.report.dropped, (std::map<std::string, std::size_t>{{"not a model", 2},
                                                                       {"mode embedding", 1},
                                                                       {"mode image_generation", 1},
                                                                       {"no mode", 1},
                                                                       {"no price per token", 1}}));
  EXPECT_EQ(prices.report.read, prices.report.used + prices.report.num_dropped());
  EXPECT_FALSE(prices.prices[0].output.has_value());
}

TEST(LiteLlmPricesTest, KeepsPricesOfLongPromptsAsTiers) {
  const auto prices = imported(R"({"m": {"litellm_provider": "p", "mode": "chat",
      "input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05,
      "input_cost_per_token_above_200k_tokens": 6e-06,
      "output_cost_per_token_above_200k_tokens": 2.25e-05,
      "input_cost_per_token_above_272k_tokens": 9e-06,
      "input_cost_per_token_priority": 1e-04,
      "cache_creation_input_token_cost_above_200k_tokens": 7.5e-06}})");
  ASSERT_EQ(prices.tiers.size(), 2U);
  EXPECT_EQ(prices.tiers[0].above_tokens, 200000);
  EXPECT_DOUBLE_EQ(prices.tiers[0].input->base(), 6e-6);
  EXPECT_DOUBLE_EQ(prices.tiers[0].output->base(), 2.25e-5);
  EXPECT_FALSE(prices.tiers[0].cached.has_value());
  EXPECT_EQ(prices.tiers[1].above_tokens, 272000);
  EXPECT_FALSE(prices.tiers[1].output.has_value());
}

TEST(LiteLlmPricesTest, FlagsModelsPastTheirDeprecation) {
  const auto prices = imported(R"({
    "gone": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e-06,
             "deprecation_date": "2026-08-31"},
    "last day": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e-06,
                 "deprecation_date": "2026-09-01"},
    "alive": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 1e-06}})");
  EXPECT_EQ(prices.prices.size(), 3U);
  EXPECT_EQ(prices.past_deprecation, std::vector<std::string>{"gone"});
  ASSERT_EQ(prices.report.notices.size(), 1U);
  EXPECT_EQ(prices.report.notices[0].code, lf::kStalePrice);
}

TEST(LiteLlmPricesTest, LeavesOutAPriceThatASizeRuleFilledIn) {
  const auto prices = imported(R"({
    "a/llama-3.1-405b": {"litellm_provider": "a", "mode": "chat",
      "input_cost_per_token": 3.5e-06, "output_cost_per_token": 3.5e-06},
    "b/Meta-Llama-3.1-405B-Turbo": {"litellm_provider": "b", "mode": "chat",
      "input_cost_per_token": 3e-06, "output_cost_per_token": 3e-06},
    "b/llama-v3p1-405b-instruct-long": {"litellm_provider": "b", "mode": "chat",
      "input_cost_per_token": 1e-07, "output_cost_per_token": 1e-07},
    "b/llama-v3p1-8b": {"litellm_provider": "b", "mode": "chat",
      "input_cost_per_token": 1e-07, "output_cost_per_token": 1e-07}})");
  EXPECT_EQ(prices.prices.size(), 3U);
  EXPECT_EQ(prices.report.dropped.at("placeholder price"), 1U);
  ASSERT_EQ(prices.report.notices.size(), 1U);
  EXPECT_EQ(prices.report.notices[0].code, lf::kPlaceholderPrice);
  EXPECT_EQ(prices.report.notices[0].line, 6U);
}

TEST(LiteLlmPricesTest, AsksWhichOpenModelAnIdMeans) {
  auto request = input(R"({"x/Toy-7B": {"litellm_provider": "x", "mode": "chat",
      "input_cost_per_token": 1e-06}})");
  request.find_model = [](std::string_view id) {
    return std::string(id == "x/Toy-7B" ? "toy-7b" : "");
  };
  Diagnostics diagnostics;
  const auto prices = import_litellm_prices(std::move(request), diagnostics);
  ASSERT_TRUE(prices.has_value());
  EXPECT_EQ(prices->prices[0].model, "toy-7b");
}

TEST(LiteLlmPricesTest, RefusesAPriceThatIsNotPerToken) {
  const Error error = refused(R"({
    "m": {"litellm_provider": "p", "mode": "chat",
          "input_cost_per_token": 2.5}})");
  EXPECT_EQ(error.code, lf::kAbsurdMagnitude);
  EXPECT_EQ(error.where.line, 3U);
  EXPECT_NE(error.message.find("2500000 per million"), std::string::npos) << error.message;
}

TEST(LiteLlmPricesTest, RefusesAFileWithoutPrices) {
  EXPECT_EQ(refused("{}").code, lf::kNothingUsable);
  EXPECT_EQ(refused(R"({"e": {"litellm_provider": "p", "mode": "rerank"}})").code,
            lf::kNothingUsable);
}

TEST(PricePlaceholderTest, SiblingsShareFamilyAndSize) {
  EXPECT_EQ(sibling_key("a/b/llama-v3p1-405b-instruct"), "llama 405b");
  EXPECT_EQ(sibling_key("meta-llama/Meta-Llama-3.1-405B"), "llama 405b");
  EXPECT_EQ(sibling_key("Mixtral-8x7B-Instruct"), "mixtral 8x7b");
  EXPECT_EQ(sibling_key("gpt-4o"), "");
}

TEST(PricePlaceholderTest, AChangeOfAllPricesChangesNoVerdict) {
  for (const double scale : {1.0, 3.0, 0.01}) {
    std::vector<ApiPrice> prices;
    for (const double price : {4.0, 2.0, 0.5, 0.1}) {
      const auto per_token = DollarsPerToken::from_base(price * scale * 1e-6);
      prices.push_back({.model_id = "llama-70b", .input = per_token, .output = per_token});
    }
    // The median of the siblings is 2 for 0.1 and for 0.5: a fifth of it is 0.4.
    EXPECT_EQ(find_placeholders(prices), std::vector<std::size_t>{3});
  }
}

TEST(LiteLlmPricesTest, ReadsTheReferenceFile) {
  // Reference data do not ship; LOADFACTOR_REFERENCE_DATA says where they are.
  const char* const folder =
      std::getenv("LOADFACTOR_REFERENCE_DATA");  // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr) GTEST_SKIP() << "LOADFACTOR_REFERENCE_DATA is not set";
  const auto path = std::filesystem::path(folder) / "catalog" / "fixture_litellm_prices.json";
  ASSERT_TRUE(std::filesystem::exists(path)) << path;
  std::ifstream stream(path);
  const auto prices = imported({std::istreambuf_iterator<char>(stream), {}});
  EXPECT_EQ(prices.report.dropped.at("placeholder price"), 1U);
  EXPECT_GE(prices.prices.size(), 15U);
}

}  // namespace
}  // namespace loadfactor::catalog
