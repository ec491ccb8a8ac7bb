#include "report/describe/ends.h"

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

Value figure(double value) {
  return Value::Object{{"value", value}, {"low", value}, {"high", value}, {"basis", "modelled"}};
}
Value row(const char* name, double cost) {
  return Value::Object{{"name", name}, {"cost", figure(cost)}};
}
double at(const Value& value, const char* key) {
  return std::get<double>(value.find(key)->data);
}
const Value& cost_of(const Value& answer, std::size_t place) {
  return *(*answer.find("rows")->list())[place].find("cost");
}
Value answer(Value::List rows) {
  return Value::Object{{"rows", std::move(rows)}};
}

TEST(Ends, WhatTwoInputsMoveAFigureByAddsAsARootOfSquares) {
  const Value wide = with_widths(figure(10), {figure(7), figure(12), figure(6), figure(10)});
  EXPECT_DOUBLE_EQ(at(wide, "low"), 5);
  EXPECT_DOUBLE_EQ(at(wide, "high"), 12);
  EXPECT_DOUBLE_EQ(at(wide, "value"), 10);
}

TEST(Ends, AFigureThatNoInputMovesIsExact) {
  const Value exact = with_widths(figure(10), {figure(10), figure(10)});
  EXPECT_EQ(at(exact, "low"), 10);
  EXPECT_EQ(at(exact, "high"), 10);
}

TEST(Ends, AnIntervalThatIsThereStays) {
  const Value known =
      Value::Object{{"value", 10.0}, {"low", 9.0}, {"high", 11.0}, {"basis", "calibrated"}};
  EXPECT_EQ(at(with_widths(known, {figure(1), figure(100)}), "high"), 11);
}

TEST(Ends, RowsAreFoundByTheirNamesWhereTheirOrderChanges) {
  const Value wide =
      with_widths(answer({row("rent", 5), row("own", 6)}),
                  {answer({row("own", 4), row("rent", 5)}), answer({row("rent", 8)})});
  EXPECT_DOUBLE_EQ(at(cost_of(wide, 0), "low"), 5);
  EXPECT_DOUBLE_EQ(at(cost_of(wide, 0), "high"), 8);
  EXPECT_DOUBLE_EQ(at(cost_of(wide, 1), "low"), 4);
  EXPECT_DOUBLE_EQ(at(cost_of(wide, 1), "high"), 6);
}

}  // namespace
}  // namespace loadfactor::report
