#include "config/currency.h"

#include <gtest/gtest.h>

#include "config/override.h"

namespace loadfactor::config {
namespace {

constexpr Dimension kMoney{.money = 1};
const std::optional<Currency> kEuro = Currency{"EUR", 0.8};

TEST(CurrencyTest, AnAmountIsHeldInTheCurrencyWhateverItIsWrittenIn) {
  const auto euros = parse_amount(kEuro, "40 K EUR", kMoney);
  ASSERT_TRUE(euros.has_value());
  EXPECT_DOUBLE_EQ(euros->held, 40'000);
  EXPECT_DOUBLE_EQ(euros->in_usd, 50'000);
  for (const char* text : {"50 K USD", "$50 K"}) {
    const auto dollars = parse_amount(kEuro, text, kMoney);
    ASSERT_TRUE(dollars.has_value()) << text;
    EXPECT_DOUBLE_EQ(dollars->held, 40'000) << text;
    EXPECT_DOUBLE_EQ(dollars->in_usd, 50'000) << text;
  }
}

TEST(CurrencyTest, WhatIsNoMoneyIsAsItIs) {
  const auto power = parse_amount(kEuro, "40 kW", Dimension{.time = -1, .energy = 1});
  ASSERT_TRUE(power.has_value());
  EXPECT_DOUBLE_EQ(power->held, power->in_usd);
}

TEST(CurrencyTest, AnotherCurrencyThanTheDocumentsIsNoUnit) {
  EXPECT_FALSE(parse_amount(kEuro, "40 GBP", kMoney).has_value());
  EXPECT_FALSE(parse_amount(std::nullopt, "40 EUR", kMoney).has_value());
  EXPECT_FALSE(parse_amount(kEuro, "40 EURO", kMoney).has_value());
}

TEST(CurrencyTest, AnErrorIsInTheCurrencyThatIsWritten) {
  const auto rate = parse_amount(kEuro, "3000 EUR/month", kMoney);
  ASSERT_FALSE(rate.has_value());
  EXPECT_TRUE(rate.error().message.starts_with("'3000 EUR/month' is a cost over time"))
      << rate.error().message;
  EXPECT_EQ(rate.error().hint.find("USD"), std::string::npos) << rate.error().hint;
  const auto pounds = parse_amount(kEuro, "3000 GBP", kMoney);
  ASSERT_FALSE(pounds.has_value());
  EXPECT_NE(pounds.error().hint.find("EUR or USD"), std::string::npos) << pounds.error().hint;
}

TEST(CurrencyTest, ItIsFoundInAFileAndInWhatIsSetOverIt) {
  const std::string text = "money: {currency: {code: EUR, per_usd: 0.8}}\n";
  const auto plain = parse_overridden("s.yaml", text, {});
  ASSERT_TRUE(plain && plain->currency);
  EXPECT_EQ(plain->currency->code, "EUR");
  const std::vector<std::string> set{"money.currency.per_usd=0.9"};
  const auto other = parse_overridden("s.yaml", text, set);
  ASSERT_TRUE(other && other->currency);
  EXPECT_DOUBLE_EQ(other->currency->per_usd, 0.9);
  const std::vector<std::string> none{"money.currency=null"};
  const auto dollars = parse_overridden("s.yaml", text, none);
  ASSERT_TRUE(dollars.has_value());
  EXPECT_FALSE(dollars->currency.has_value());
}

}  // namespace
}  // namespace loadfactor::config
