#include "validation/inference/row_assumptions.h"

#include <gtest/gtest.h>

#include "serving/testing/serving_fixture.h"

namespace loadfactor::validation {
namespace {

InferenceRow usual() {
  InferenceRow row;
  row.precision = "fp8";
  row.engine = "vLLM";
  row.batch = "16";
  row.input = 1000;
  row.output = 200;
  return row;
}

std::vector<std::string> assumed(const InferenceRow& row) {
  return assumptions_of(row, serving::shipped().catalog);
}

TEST(RowAssumptionsTest, AUsualRowNeedsNone) {
  EXPECT_TRUE(assumed(usual()).empty());
  InferenceRow words = usual();
  words.batch = "max";
  words.rate = "inf";
  EXPECT_TRUE(assumed(words).empty());
}

TEST(RowAssumptionsTest, UnknownWordsAndCountsBelowOneAreSaid) {
  InferenceRow row = usual();
  row.precision = "fp9";
  row.engine = "zzz";
  row.batch = "-4";
  row.rate = "often";
  const auto all = assumed(row);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_NE(all[0].find("'fp9'"), std::string::npos);
  EXPECT_NE(all[2].find("'-4' is no count"), std::string::npos);
}

TEST(RowAssumptionsTest, CellsThatHoldNoNumberAreSaid) {
  InferenceRow row = usual();
  row.unread = {"tp 'three' is no number from 0 up: left out"};
  EXPECT_EQ(assumed(row), row.unread);
}

}  // namespace
}  // namespace loadfactor::validation
