#include "config/number_text.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

TEST(NumberTextTest, ReadsWholeNumbersHoweverTheyAreWritten) {
  const std::vector<std::pair<std::string_view, std::int64_t>> cases{
      {"0", 0},      {"-3", -3},   {"+7", 7},       {"4096", 4096},
      {"1e3", 1000}, {"64.0", 64}, {"1.5e3", 1500}, {"9223372036854775807", 9223372036854775807},
  };
  for (const auto& [text, value] : cases) {
    const auto parsed = parse_integer(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(*parsed, value) << text;
  }
}

TEST(NumberTextTest, NoCharacterOfWhatIsNoNumberIsCutInTwo) {
  std::string text = "x";
  for (int i = 0; i < 40; ++i) text += "é";
  const auto parsed = parse_integer(text);
  ASSERT_FALSE(parsed.has_value());
  const std::string& message = parsed.error().message;
  EXPECT_EQ(message.substr(0, message.find("é…'") + 6), "'" + text.substr(0, 59) + "…'");
}

TEST(NumberTextTest, RefusesWhatIsNoWholeNumber) {
  const std::vector<std::pair<std::string_view, int>> cases{
      {"1.5", lf::kWrongType},
      {"010", lf::kNotANumber},
      {"0x10", lf::kNotANumber},
      {"0o17", lf::kNotANumber},
      {"0b11", lf::kNotANumber},
      {"1_000", lf::kNotANumber},
      {"1,000", lf::kNotANumber},
      {"many", lf::kNotANumber},
      {"", lf::kNotANumber},
      {".nan", lf::kNotFinite},
      {"inf", lf::kNotFinite},
      {"8 GB", lf::kWrongUnit},
      {"4 K", lf::kWrongUnit},
      {"1e30", lf::kAbsurdMagnitude},
      {"9223372036854775808", lf::kAbsurdMagnitude},
  };
  for (const auto& [text, code] : cases) {
    const auto parsed = parse_integer(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, code) << text << ": " << parsed.error().message;
  }
}

TEST(NumberTextTest, OffersTheWholeNumbersBesideABrokenOne) {
  const std::vector<std::pair<std::string_view, std::string>> cases{{"1.5", "write 1 or 2"},
                                                                    {"-2.5", "write -3 or -2"},
                                                                    {"0.5", "write 1"},
                                                                    {"10 M", "write 10000000"}};
  for (const auto& [text, hint] : cases) {
    const auto parsed = parse_integer(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().hint, hint);
  }
}

TEST(NumberTextTest, KnowsTheCalendar) {
  for (const std::string_view date : {"2024", "2024-12", "2024-02-29", "1999-12-31"})
    EXPECT_TRUE(is_date(date)) << date;
  for (const std::string_view date :
       {"2023-02-29", "2024-13", "2024-00", "2024-04-31", "24-01-01", "2024-1-1", "2024/01/01",
        "2024-01-01T00:00", "1066", "", "soon"})
    EXPECT_FALSE(is_date(date)) << date;
}

}  // namespace
}  // namespace loadfactor::config
