#include "report/describe/csv.h"

#include <gtest/gtest.h>

#include "report/describe/describe.h"
#include "report/describe/schema_walk.h"

namespace loadfactor::report {
namespace {

struct Stop {
  std::string name;
  EstimateOf<Seconds> wait;
  std::optional<Estimate> fare;
  std::vector<std::string> lines;
};
struct Route {
  std::string colour;
  std::vector<Stop> stops;
};
struct Clock {
  std::optional<double> late;
};
struct City {
  std::string name;
  bool has_trams = false;
  double covered = 0;
  EstimateOf<Seconds> ride;
  Clock clock;
  std::vector<Route> routes;
};

}  // namespace

template <>
constexpr auto kFields<Stop> = fields<Stop>(field<&Stop::name>("name", "Its name"),
                                            field<&Stop::wait>("wait", "Time that one waits"),
                                            known_field<&Stop::fare>("fare", "What it costs"),
                                            field<&Stop::lines>("lines", "Lines that stop"));
template <>
constexpr auto kFields<Route> = fields<Route>(field<&Route::colour>("colour", "On the map"),
                                              field<&Route::stops>("stops", "In their order"));
template <>
constexpr auto kFields<Clock> =
    fields<Clock>(field<&Clock::late>("late", "How late it is").in("s"));
template <>
constexpr auto kFields<City> = fields<City>(
    field<&City::name>("name", "Its name"), field<&City::has_trams>("trams", "Whether it has any"),
    field<&City::covered, kPercent>("covered_pct", "Share of people").in("%"),
    field<&City::ride>("ride", "Time of a ride"), field<&City::clock>("clock", "Its clock"),
    field<&City::routes>("routes", "Its routes"));

namespace {

EstimateOf<Seconds> time(double seconds) {
  return {Seconds::from_base(seconds), Seconds::from_base(seconds / 2),
          Seconds::from_base(seconds * 2), Basis::kMeasured, "here"};
}

City city() {
  const Estimate fare =
      EstimateOf<Dollars>::exact(Dollars::from_base(2.5), Basis::kAssumed, "sign").erased();
  return {.name = "a, b",
          .has_trams = true,
          .covered = 0.25,
          .ride = time(60),
          .routes = {{"red", {{"x", time(2), fare, {"1"}}, {"y", time(3), {}, {}}}},
                     {"blue", {{"z", time(4), {}, {}}}}}};
}

TEST(CsvTest, AListHasARowForEachItemAndTheListsOnTheWayStandBefore) {
  EXPECT_EQ(csv_list(schema_of(Type<City>()), to_value(city()), "routes.stops"),
            "routes.colour,name,wait,wait.low,wait.high,fare,fare.low,fare.high,fare.unit\r\n"
            "red,x,2,1,4,2.5,2.5,2.5,USD\r\n"
            "red,y,3,1.5,6,,,,\r\n"
            "blue,z,4,2,8,,,,\r\n");
  EXPECT_EQ(csv_list(schema_of(Type<City>()), to_value(city()), "routes"),
            "colour\r\nred\r\nblue\r\n");
}

TEST(CsvTest, AnEmptyListHasItsHeader) {
  EXPECT_EQ(csv_list(schema_of(Type<City>()), to_value(City{}), "routes"), "colour\r\n");
}

TEST(CsvTest, WhatIsNoListHasNoRows) {
  EXPECT_EQ(csv_list(schema_of(Type<City>()), to_value(city()), "name"), "");
  EXPECT_EQ(csv_list(schema_of(Type<City>()), to_value(city()), "nothing"), "");
}

TEST(CsvTest, FieldsHaveTheirIntervalUnitAndBasis) {
  City late = city();
  late.clock.late = 1.5;
  const std::string head = "field,value,low,high,unit,basis,source\r\n";
  const std::string plain = "name,\"a, b\",,,,,\r\ntrams,true,,,,,\r\ncovered_pct,25,,,%,,\r\n";
  const std::string ride = "ride,60,30,120,s,measured,here\r\n";
  EXPECT_EQ(csv_fields(schema_of(Type<City>()), to_value(city())), head + plain + ride);
  EXPECT_EQ(csv_fields(schema_of(Type<City>()), to_value(late)),
            head + plain + ride + "clock.late,1.5,,,s,,\r\n");
}

TEST(SchemaWalkTest, AFieldIsFoundThroughListsWithItsUnit) {
  const Value schema = schema_of(Type<City>());
  ASSERT_NE(find_field(schema, "routes.stops.wait"), nullptr);
  EXPECT_EQ(unit_of(*find_field(schema, "routes.stops.wait")), "s");
  EXPECT_EQ(unit_of(*find_field(schema, "routes.stops.fare")), "");
  EXPECT_EQ(unit_of(*find_field(schema, "clock.late")), "s");
  EXPECT_EQ(find_field(schema, "routes.nothing"), nullptr);
  EXPECT_EQ(find_field(schema, "name.more"), nullptr);
}

TEST(SchemaWalkTest, NumbersReadBackTheSame) {
  EXPECT_EQ(leaf_text(0.1), "0.1");
  EXPECT_EQ(leaf_text(1e-300), "1e-300");
  EXPECT_EQ(leaf_text(std::int64_t{7}), "7");
  EXPECT_EQ(leaf_text(false), "false");
  EXPECT_EQ(leaf_text(Value()), "");
}

TEST(CsvTest, ATextThatBeginsLikeAFormulaStaysAText) {
  City named = city();
  for (const char* name : {"=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-2+3"}) {
    named.name = name;
    const std::string text = csv_fields(schema_of(Type<City>()), to_value(named));
    EXPECT_NE(text.find("'" + std::string(name)), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace loadfactor::report
