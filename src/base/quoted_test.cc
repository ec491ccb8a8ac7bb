#include "base/quoted.h"

#include <string>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(QuotedTest, NoCharacterIsCutInTwo) {
  struct Row {
    std::string text;
    std::size_t bytes;
    std::string shown;
  };
  for (const auto& [text, bytes, shown] :
       {Row{"abc", 3, "abc"}, Row{"abcd", 3, "abc…"}, Row{"", 3, ""}, Row{"é", 1, "…"},
        Row{"aé", 2, "a…"}, Row{"aé", 3, "aé"}, Row{"aéb", 3, "aé…"}, Row{"€€", 5, "€…"},
        Row{"😀x", 3, "…"}, Row{"\x80\x80", 1, "…"}})
    EXPECT_EQ(shortened(text, bytes), shown) << text << ' ' << bytes;
}

TEST(QuotedTest, AWordIsShownWholeUpToSixtyBytes) {
  EXPECT_EQ(in_quotes("8 GB"), "'8 GB'");
  EXPECT_EQ(in_quotes(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(61, 'a')), "'" + std::string(60, 'a') + "…'");
  // The sixtieth byte is inside of a character of two.
  EXPECT_EQ(in_quotes("x" + std::string(58, 'a') + "éé"), "'x" + std::string(58, 'a') + "…'");
}

}  // namespace
}  // namespace loadfactor
