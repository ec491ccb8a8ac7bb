#include "base/text/csv_text.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(CsvTextTest, AFieldIsQuotedWhereItHasToBe) {
  EXPECT_EQ(csv_field("plain words"), "plain words");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(CsvTextTest, ALineKeepsItsEmptyFields) {
  EXPECT_EQ(csv_line({"", "b", ""}), ",b,\r\n");
  EXPECT_EQ(csv_line({"a"}), "a\r\n");
}

}  // namespace
}  // namespace loadfactor
