// Every worked case of tests/golden/economics.csv comes out to its digits.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/csv.h"
#include "economics/testing/golden_cases.h"

namespace loadfactor::economics {

std::string golden_text(double value) {
  return fmt::format("{:.17g}", value);
}

namespace {

std::string read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<double> figures(const std::string& text) {
  std::vector<double> values;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, '|');)
    values.push_back(std::strtod(word.c_str(), nullptr));
  return values;
}

TEST(EconomicsGoldenTest, EveryWorkedCaseComesOutToItsDigits) {
  GoldenValues values;
  add_owning_cases(values);
  add_renting_cases(values);
  add_sizing_cases(values);
  add_machine_cases(values);
  Diagnostics diagnostics;
  const auto table = config::parse_csv(
      "economics.csv", read(std::string(LF_SOURCE_DIR) + "/tests/golden/economics.csv"),
      diagnostics);
  ASSERT_TRUE(table && diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(table->rows.size(), 94U);
  for (const auto& row : table->rows) {
    const std::string& id = row[0].text;
    SCOPED_TRACE(id + ": " + row[4].text);
    ASSERT_TRUE(values.contains(id));
    const auto expected = figures(row[1].text);
    const auto actual = figures(values[id]);
    ASSERT_EQ(actual.size(), expected.size()) << values[id];
    const double tolerance = std::strtod(row[3].text.c_str(), nullptr);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(actual[i], expected[i], std::abs(expected[i]) * tolerance + 1e-12);
  }
  EXPECT_EQ(values.size(), table->rows.size());
}

}  // namespace
}  // namespace loadfactor::economics
