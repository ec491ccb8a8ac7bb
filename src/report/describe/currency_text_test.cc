#include "report/describe/currency_text.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

const CurrencyWords kEuro = currency_words("EUR", 0.8);
const CurrencyWords kFranc = currency_words("CHF", 0.9);

TEST(CurrencyTextTest, DollarsBecomeTheCurrency) {
  EXPECT_EQ(in_currency("$4,608 a month, 0.2 USD per M tokens; MUSD/MW, $/GPU-h", kEuro),
            "€4,608 a month, 0.2 EUR per M tokens; MEUR/MW, €/GPU-h");
  EXPECT_EQ(in_currency("from $5 to 6 USD", kFranc), "from CHF5 to 6 CHF");
  EXPECT_EQ(in_currency("USDA is no currency", kEuro), "USDA is no currency");
}

TEST(CurrencyTextTest, ColumnsKeepTheirPlaces) {
  EXPECT_EQ(in_currency("own       $12", kFranc), "own     CHF12");
  EXPECT_EQ(in_currency("own $12", kFranc), "own CHF12");
}

TEST(CurrencyTextTest, FiguresNamedAfterTheDollarStayInDollars) {
  const Value value = Value::Object{{"cost_usd", 8.0}, {"cost", 8.0}, {"unit", "USD/month"}};
  const Value euros = value_in_currency(value, kEuro);
  EXPECT_DOUBLE_EQ(std::get<double>(euros.find("cost_usd")->data), 10);
  EXPECT_DOUBLE_EQ(std::get<double>(euros.find("cost")->data), 8);
  EXPECT_EQ(*euros.find("unit")->text(), "EUR/month");
}

TEST(CurrencyTextTest, ThePagesScriptKeepsItsOwnDollarSigns) {
  EXPECT_EQ(page_in_currency("<p>$5</p><script type=\"application/json\">{\"t\":\"$6\"}</script>"
                             "<script>f(`$${v}`, `${w} USD`)</script><i>$7</i>",
                             kEuro),
            "<p>€5</p><script type=\"application/json\">{\"t\":\"€6\"}</script>"
            "<script>f(`€${v}`, `${w} EUR`)</script><i>€7</i>");
  EXPECT_EQ(labels_in_currency("USD a month $G$5", kEuro), "EUR a month $G$5");
}

}  // namespace
}  // namespace loadfactor::report
