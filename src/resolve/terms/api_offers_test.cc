#include "resolve/terms/api_offers.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::engine {
namespace {

catalog::ApiPrice offer(const std::string& provider, const std::string& id,
                        const std::string& model, double input, double output) {
  catalog::ApiPrice row;
  row.provider = provider;
  row.model_id = id;
  row.model = model;
  row.input = DollarsPerToken::from_base(input);
  row.output = DollarsPerToken::from_base(output);
  return row;
}

std::vector<std::string> sellers(const std::vector<catalog::ApiPrice>& rows, const ApiNeed& need) {
  catalog::PriceBook book;
  book.api = rows;
  std::vector<std::string> names;
  for (const auto* row : find_api_offers(book, need)) names.push_back(row->provider);
  return names;
}

using Names = std::vector<std::string>;

TEST(ApiOffersTest, SellersComeByTheirPriceAtTheMixOfTokens) {
  const std::vector<catalog::ApiPrice> rows = {offer("dear-in", "m", "m", 4, 4),
                                               offer("dear-out", "m", "m", 1, 9)};
  ApiNeed need;
  need.model = "m";
  need.input_share = 0.9;  // 4 against 0.9·1 + 0.1·9 = 1.8.
  EXPECT_EQ(sellers(rows, need), (Names{"dear-out", "dear-in"}));
  need.input_share = 0.1;  // 4 against 0.1·1 + 0.9·9 = 8.2.
  EXPECT_EQ(sellers(rows, need), (Names{"dear-in", "dear-out"}));
}

TEST(ApiOffersTest, ThePriceAtAMixCountsWhatIsCachedAtItsOwnPrice) {
  catalog::ApiPrice row = offer("a", "m", "m", 8, 20);
  ApiNeed need;
  need.input_share = 0.75;
  need.cached_share = 0.5;
  // Without a price for cached tokens they cost what others cost: 0.75·8 + 0.25·20.
  EXPECT_DOUBLE_EQ(price_at_mix(need, row).base(), 11);
  row.cached = DollarsPerToken::from_base(2);
  // Half of the input at 2: 0.375·8 + 0.375·2 + 0.25·20.
  EXPECT_DOUBLE_EQ(price_at_mix(need, row).base(), 8.75);
}

TEST(ApiOffersTest, EachSellerIsThereOnceWithItsCheapestRow) {
  const std::vector<catalog::ApiPrice> rows = {
      offer("a", "m-turbo", "m", 5, 5), offer("a", "m", "m", 2, 2), offer("a", "m-fast", "m", 3, 3),
      offer("b", "m", "m", 1, 1), offer("c", "other", "other", 1, 1)};
  catalog::PriceBook book;
  book.api = rows;
  ApiNeed need;
  need.model = "m";
  const auto found = find_api_offers(book, need);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->provider, "b");
  EXPECT_EQ(found[1]->model_id, "m");
}

TEST(ApiOffersTest, AModelIsFoundByOurNameOrBySellersId) {
  const std::vector<catalog::ApiPrice> rows = {offer("a", "their-id", "ours", 1, 1)};
  ApiNeed need;
  for (const char* name : {"their-id", "ours"}) {
    need.model = name;
    EXPECT_EQ(sellers(rows, need), Names{"a"}) << name;
  }
  need.model = "neither";
  EXPECT_TRUE(sellers(rows, need).empty());
}

TEST(ApiOffersTest, AReleaseThatTheCatalogueLacksIsFoundByItsSellersWordsAlone) {
  ApiNeed need;
  set_model(need, "acme/Wonder-Coder-7B", "wonder-7b");
  ASSERT_FALSE(need.release.empty());
  const std::vector<catalog::ApiPrice> rows = {offer("of-it", "x/acme/wonder-coder-7b", "", 1, 1),
                                               offer("of-ours", "wonder-7b", "wonder-7b", 1, 1),
                                               offer("else", "wonder-vl-7b", "", 1, 1)};
  EXPECT_EQ(sellers(rows, need), Names{"of-it"});
  ApiNeed same;
  set_model(same, "wonder-7b", "wonder-7b");
  EXPECT_TRUE(same.release.empty());
  EXPECT_EQ(same.model, "wonder-7b");
}

TEST(ApiOffersTest, AProviderThatIsAskedForIsTheOnlyOne) {
  const std::vector<catalog::ApiPrice> rows = {offer("a", "m", "m", 1, 1),
                                               offer("b", "m", "m", 2, 2)};
  ApiNeed need;
  need.model = "m";
  need.provider = "b";
  EXPECT_EQ(sellers(rows, need), Names{"b"});
}

TEST(ApiOffersTest, WhatIsRetiredIsSoldUntilTheDayBefore) {
  auto row = offer("a", "m", "m", 1, 1);
  row.deprecated = "2026-11-15";
  ApiNeed need;
  need.model = "m";
  need.today = "2026-11-14";
  EXPECT_EQ(sellers({row}, need), Names{"a"});
  need.today = "2026-11-15";
  EXPECT_TRUE(sellers({row}, need).empty());
  need.today = "";  // Nobody knows.
  EXPECT_EQ(sellers({row}, need), Names{"a"});
  row.deprecated = "";
  need.today = "2026-11-15";
  EXPECT_EQ(sellers({row}, need), Names{"a"});
}

TEST(ApiOffersTest, RequestsMustFitTheContextWhereItIsKnown) {
  auto row = offer("a", "m", "m", 1, 1);
  row.context = 8192;
  ApiNeed need;
  need.model = "m";
  need.length = 8192;
  EXPECT_EQ(sellers({row}, need), Names{"a"});
  need.length = 8193;
  EXPECT_TRUE(sellers({row}, need).empty());
  row.context = 0;
  EXPECT_EQ(sellers({row}, need), Names{"a"});
}

TEST(ApiOffersTest, ARowWithoutOneOfItsPricesIsNoOffer) {
  auto no_input = offer("a", "m", "m", 1, 1);
  no_input.input.reset();
  auto no_output = offer("b", "m", "m", 1, 1);
  no_output.output.reset();
  ApiNeed need;
  need.model = "m";
  EXPECT_TRUE(sellers({no_input, no_output}, need).empty());
}

TEST(ApiOffersTest, ANameSaysWhoSellsOnce) {
  EXPECT_EQ(api_name_of(offer("acme", "acme/m", "m", 1, 1)), "acme/m");
  EXPECT_EQ(api_name_of(offer("acme", "m", "m", 1, 1)), "acme m");
}

}  // namespace
}  // namespace loadfactor::engine
