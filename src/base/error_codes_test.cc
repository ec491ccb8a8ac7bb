#include "base/error_codes.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

// The constants as the header spells them, so that a forgotten row fails.
std::vector<int> codes_of_the_header() {
  std::ifstream header(std::string(LF_SOURCE_DIR) + "/src/base/error_codes.h");
  const std::regex constant(R"(inline constexpr int k\w+ = (\d+);)");
  std::vector<int> codes;
  std::smatch match;
  for (std::string line; std::getline(header, line);) {
    if (std::regex_match(line, match, constant)) codes.push_back(std::stoi(match[1]));
  }
  return codes;
}

TEST(ErrorCodesTest, CodesAreSortedAndUnique) {
  const auto rows = error_codes();
  EXPECT_TRUE(std::ranges::is_sorted(rows, std::less_equal(), &ErrorCodeRow::code));
  EXPECT_EQ(std::ranges::adjacent_find(rows, {}, &ErrorCodeRow::code), rows.end());
}

TEST(ErrorCodesTest, EveryConstantHasARowAndEveryRowAConstant) {
  const std::vector<int> codes = codes_of_the_header();
  ASSERT_GT(codes.size(), 40U);
  for (const int code : codes) EXPECT_NE(find_error_code(code), nullptr) << "LF" << code;
  EXPECT_EQ(error_codes().size(), codes.size());
}

TEST(ErrorCodesTest, EveryRowSaysWhatWhyAndWhatToDo) {
  for (const ErrorCodeRow& row : error_codes()) {
    SCOPED_TRACE(row.code);
    EXPECT_GE(row.title.size(), 5U);
    EXPECT_GE(row.meaning.size(), 20U);
    EXPECT_GE(row.remedy.size(), 20U);
    EXPECT_FALSE(row.title.ends_with('.'));
    // A remedy shows an example, in backquotes, or asks for a report.
    EXPECT_TRUE(row.remedy.find('`') != std::string_view::npos ||
                row.remedy.find("config.json") != std::string_view::npos);
  }
}

TEST(ErrorCodesTest, KindDecidesTheExitStatus) {
  EXPECT_EQ(exit_status(lf::kMissingUnit), 2);
  EXPECT_EQ(exit_status(lf::kUnknownModel), 2);
  EXPECT_EQ(exit_status(lf::kUsage), 2);
  EXPECT_EQ(exit_status(lf::kDoesNotFit), 3);
  EXPECT_EQ(exit_status(lf::kCannotRead), 4);
  EXPECT_EQ(exit_status(lf::kCannotWrite), 4);
  EXPECT_EQ(exit_status(lf::kInternal), 70);
  EXPECT_EQ(exit_status(lf::kCancelled), 130);
}

TEST(ErrorCodesTest, ACodeWithoutARowIsOurBug) {
  EXPECT_EQ(find_error_code(999), nullptr);
  EXPECT_EQ(find_error_code(0), nullptr);
  EXPECT_EQ(exit_status(999), 70);
}

}  // namespace
}  // namespace loadfactor
