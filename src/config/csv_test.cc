#include "config/csv.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

TEST(CsvTest, FindsCellsByColumnAndKnowsTheirPlaces) {
  Diagnostics diagnostics;
  const auto table = parse_csv("t.csv", "name, rate\na,1\né,22\n", diagnostics);
  ASSERT_TRUE(table.has_value());
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(table->column("rate"), 1U);
  EXPECT_FALSE(table->column("price").has_value());
  EXPECT_EQ(table->rows[1][1].text, "22");
  EXPECT_EQ(table->rows[1][1].position, (Position{3, 3, 2}));
}

TEST(CsvTest, ReadsQuotesCommasAndLineBreaksInCells) {
  Diagnostics diagnostics;
  const auto table = parse_csv("t.csv",
                               "\xEF\xBB\xBF"
                               "a,b\r\n\"x,\"\"y\"\"\",\"1\n2\"\r\n\r\n3,4",
                               diagnostics);
  ASSERT_TRUE(table.has_value());
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(table->rows[0][0].text, "x,\"y\"");
  EXPECT_EQ(table->rows[0][1].text, "1\n2");
  EXPECT_EQ(table->rows[1][0].position.line, 5U);
}

TEST(CsvTest, LeavesRaggedRowsOutAndReportsEach) {
  Diagnostics diagnostics;
  const auto table = parse_csv("t.csv", "a,b\n1\n1,2\n1,2,3\n", diagnostics);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->rows.size(), 1U);
  ASSERT_EQ(diagnostics.size(), 2U);
  EXPECT_EQ(diagnostics.errors()[0].code, lf::kRaggedRow);
  EXPECT_EQ(diagnostics.errors()[1].where.line, 4U);
}

TEST(CsvTest, RefusesOpenQuotesTwinColumnsAndForeignBytes) {
  Diagnostics diagnostics;
  const auto open = parse_csv("t.csv", "a,b\n1,\"x\n2,3\n", diagnostics);
  ASSERT_FALSE(open.has_value());
  EXPECT_EQ(open.error().code, lf::kSyntax);
  EXPECT_EQ(open.error().where.line, 2U);
  EXPECT_EQ(open.error().where.column, 3U);

  const auto tail = parse_csv("t.csv", "a,b\n\"x\"y,3\n", diagnostics);
  ASSERT_FALSE(tail.has_value());
  EXPECT_EQ(tail.error().where.column, 4U);

  Diagnostics twins;
  EXPECT_TRUE(parse_csv("t.csv", "a,a\n1,2\n", twins).has_value());
  ASSERT_EQ(twins.size(), 1U);
  EXPECT_EQ(twins.errors()[0].code, lf::kDuplicateKey);

  const auto nul = parse_csv("t.csv", std::string("a,b\n1,\0\n", 8), diagnostics);
  ASSERT_FALSE(nul.has_value());
  EXPECT_EQ(nul.error().code, lf::kBadEncoding);
  const auto empty = parse_csv("t.csv", "\n", diagnostics);
  ASSERT_FALSE(empty.has_value());
  EXPECT_EQ(empty.error().code, lf::kEmptyFile);
}

TEST(CsvTest, RefusesMoreThanItsLimits) {
  Diagnostics diagnostics;
  const auto table = parse_csv("t.csv", "a,b\n1,2\n3,4\n", diagnostics, {.nodes = 5});
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().code, lf::kTooLarge);
  std::string wide = "a";
  for (int i = 0; i < 5000; ++i) wide += ",a";
  EXPECT_FALSE(parse_csv("t.csv", wide, diagnostics).has_value());
}

TEST(CsvTest, AHeaderAloneIsATableWithoutRows) {
  Diagnostics diagnostics;
  const auto table = parse_csv("t.csv", "a,b", diagnostics);
  ASSERT_TRUE(table.has_value());
  EXPECT_TRUE(table->rows.empty());
}

}  // namespace
}  // namespace loadfactor::config
