// What tokens by the API are taken to cost.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/terms/api_offers.h"
#include "resolve/terms/testing/market.h"

namespace loadfactor::engine {
namespace {

using economics::bit;
using testing::fact;
using testing::terms_of;

double per_million(DollarsPerToken price) {
  return price.base() * 1e6;
}

bool asks_for_api(const testing::Terms& terms) {
  return (terms->asked & bit(OptionKind::kApi)) != 0;
}

TEST(ApiTermsTest, OnePriceIsThatOfEveryToken) {
  const auto terms = terms_of({"money.api.price=2 USD/M tokens"});
  const auto& api = *terms->terms.api;
  EXPECT_NEAR(per_million(api.input), 2, 1e-9);
  EXPECT_NEAR(per_million(api.cached), 2, 1e-9);
  EXPECT_NEAR(per_million(api.output), 2, 1e-9);
  EXPECT_FALSE(terms.notes("assumed-token-mix"));  // The mix changes nothing.
  EXPECT_EQ(terms->api_name, "at your price");
}

TEST(ApiTermsTest, PricesInAndOutAreMixedAsWrittenElseAsUsual) {
  const std::string prices = "money.api={input: 1 USD/M tokens, output: 5 USD/M tokens";
  const auto usual = terms_of({prices + "}"});
  EXPECT_NEAR(per_million(usual->terms.api->input), 1, 1e-9);
  EXPECT_NEAR(per_million(usual->terms.api->output), 5, 1e-9);
  EXPECT_NEAR(per_million(usual->terms.api->cached), 1, 1e-9);  // As others that come in.
  EXPECT_DOUBLE_EQ(usual->terms.api->input_share, fact("token_mix", "input-share"));
  EXPECT_EQ(usual.told("assumed-token-mix", "share"),
            std::to_string(std::lround(100 * fact("token_mix", "input-share"))) + " %");
  const auto written =
      terms_of({prices + ", cached: 0.1 USD/M tokens, input_share: 60 %, cached_share: 30 "
                         "%, half_life: 2 years, limit: 1 M tokens/s}"});
  const auto& api = *written->terms.api;
  EXPECT_NEAR(per_million(api.cached), 0.1, 1e-9);
  EXPECT_DOUBLE_EQ(api.input_share, 0.6);
  EXPECT_DOUBLE_EQ(api.cached_share, 0.3);
  EXPECT_DOUBLE_EQ(api.half_life / kYear, 2);
  EXPECT_DOUBLE_EQ(api.limit.base(), 1e6);
  EXPECT_FALSE(written.notes("assumed-token-mix"));
  EXPECT_FALSE(written.notes("flat-api-price"));
  EXPECT_TRUE(usual.notes("flat-api-price"));
}

TEST(ApiTermsTest, TheServicesRequestsAreTheMix) {
  CostInputs known;
  known.demand = {.requests = Hertz::from_base(1),
                  .tokens_in = Tokens::from_base(900),
                  .tokens_out = Tokens::from_base(100)};
  const auto terms = terms_of({"money.api={input: 1 USD/M tokens, output: 5 USD/M tokens}"}, known);
  EXPECT_DOUBLE_EQ(terms->terms.api->input_share, 0.9);
}

TEST(ApiTermsTest, HalfAPriceIsNone) {
  const auto input = terms_of({"money.api.input=1 USD/M tokens"});
  EXPECT_FALSE(input->terms.api);
  EXPECT_EQ(input.unpriced("api"), lf::kPriceNotFound);
  EXPECT_FALSE(terms_of({"money.api.output=1 USD/M tokens"})->terms.api);
}

TEST(ApiTermsTest, TokensThatNobodyCountsHaveNoPrice) {
  const auto terms = terms_of({"money.api.price=2 USD/M tokens"}, {}, R"(
loadfactor: 1
name: market
capacity: {gpus: 8, load_factor: 40 %}
hardware: [plain-module]
)");
  EXPECT_FALSE(terms->terms.api);
  EXPECT_EQ(terms.unpriced("api"), lf::kPriceNotFound);
}

TEST(ApiTermsTest, AnApiIsSpokenOfOnlyWhereSomebodyNamesIt) {
  EXPECT_EQ(terms_of().unpriced("api"), 0);  // No option is listed, none is missed.
  EXPECT_EQ(terms_of({"money.options=[api]"}).unpriced("api"), lf::kPriceNotFound);
  const auto other = terms_of({"money.options=[own]", "money.api.price=2 USD/M tokens"});
  EXPECT_FALSE(other->terms.api);
  EXPECT_EQ(other.unpriced("api"), 0);
}

// 8 GPUs of 1,000 tokens/s at 40 % carry 3,200.
TEST(ApiTermsTest, AnApiThatGivesLessThanIsCarriedDoesNotDoTheWork) {
  const auto limited = [](const char* limit) {
    return terms_of(
        {std::string("money.api={price: 2 USD/M tokens, limit: ") + limit + " tokens/s}"});
  };
  const auto enough = limited("3200");
  EXPECT_TRUE(asks_for_api(enough));
  EXPECT_EQ(enough.unpriced("api"), 0);
  const auto few = limited("3199");
  EXPECT_FALSE(asks_for_api(few));
  EXPECT_EQ(few.unpriced("api"), lf::kMixTooSmall);
  EXPECT_TRUE(few->terms.api);  // It still prices them.
  EXPECT_TRUE(asks_for_api(terms_of({"money.api.price=2 USD/M tokens"})));
}

TEST(ApiTermsTest, AModelIsBoughtAtTheMiddleOfItsSellersPrices) {
  ApiNeed need;
  need.model = "llama-3.3-70b";
  need.today = testing::kToday;
  need.input_share = fact("token_mix", "input-share");
  const auto rows = find_api_offers(testing::market().prices(), need);
  ASSERT_GT(rows.size(), 2U);
  const auto& middle = *rows[rows.size() / 2];
  const auto terms = terms_of({"money.api.model=llama-3.3-70b"});
  EXPECT_EQ(terms->terms.api->input, *middle.input);
  EXPECT_EQ(terms->terms.api->output, *middle.output);
  EXPECT_EQ(terms->terms.api->cached, middle.cached.value_or(*middle.input));
  EXPECT_EQ(terms->api_name, api_name_of(middle));
  EXPECT_EQ(terms.told("median-api", "providers"), std::to_string(rows.size()));
  const auto one =
      terms_of({"money.api={model: llama-3.3-70b, provider: " + rows[0]->provider + "}"});
  EXPECT_EQ(one->terms.api->input, *rows[0]->input);
  EXPECT_FALSE(one.notes("median-api"));
  EXPECT_FALSE(terms_of({"money.api.model=of-nobody"})->terms.api);
}

TEST(ApiTermsTest, AServicesModelIsTheOneThatIsBought) {
  CostInputs known;
  known.capacity.emplace();
  known.capacity->gpus = 8;
  known.capacity->full_plane = TokensPerSecond::from_base(8000);
  known.capacity->load_factor = 0.4;
  known.demand = {.requests = Hertz::from_base(1),
                  .tokens_in = Tokens::from_base(3000),
                  .tokens_out = Tokens::from_base(300)};
  const auto terms = terms_of({}, known, R"(
loadfactor: 1
name: market
hardware: [plain-module]
serve:
  model: llama-3.3-70b
  demand: {requests_per_day: 150 K, tokens_in: 3000, tokens_out: 300}
)");
  ApiNeed need;
  need.model = "llama-3.3-70b";
  need.today = testing::kToday;
  need.input_share = 3000 / 3300.0;
  need.length = 3300;
  const auto rows = find_api_offers(testing::market().prices(), need);
  EXPECT_EQ(terms->api_name, api_name_of(*rows[rows.size() / 2]));
}

}  // namespace
}  // namespace loadfactor::engine
