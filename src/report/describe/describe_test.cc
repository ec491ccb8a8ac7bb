#include "report/describe/describe.h"

#include <gtest/gtest.h>

#include "report/describe/tree.h"

namespace loadfactor::report {
namespace {

constexpr std::string_view kColours[] = {"red", "green"};

struct Wheel {
  int spokes = 0;
  EstimateOf<Seconds> turn;
};
struct Cart {
  std::string name, colour = "red";
  std::optional<int> seats;
  std::optional<double> price;
  Wheel front;
  std::vector<Wheel> others;
  double full = 0;
};
std::optional<Wheel> spare_of(const Cart& cart) {
  return cart.others.empty() ? std::nullopt : std::optional(cart.others.front());
}

}  // namespace

template <>
constexpr auto kFields<Wheel> = fields<Wheel>(field<&Wheel::spokes>("spokes", "Spokes"),
                                              field<&Wheel::turn>("turn", "Time of a turn"));

template <>
constexpr auto kFields<Cart> = fields<Cart>(
    field<&Cart::name>("name", "Its name").at_least(1),
    field<&Cart::colour>("colour", "Its colour").one_of(kColours),
    field<&Cart::seats>("seats", "Seats; null: not counted"),
    known_field<&Cart::price>("price", "Its price"), spliced<&Cart::front>(),
    field<&Cart::others>("others", "Other wheels"), known_field<spare_of>("spare", "A spare"),
    field<&Cart::full, kPercent>("full_pct", "How full it is").in("%").at_least(0).at_most(100));

namespace {

EstimateOf<Seconds> turn(double seconds) {
  return EstimateOf<Seconds>::exact(Seconds::from_base(seconds), Basis::kMeasured, "here");
}

std::vector<std::string> keys_of(const Value& object) {
  std::vector<std::string> keys;
  for (const Member& member : *object.object()) keys.push_back(member.key);
  return keys;
}

TEST(DescribeTest, AValueHasItsFieldsInTheirOrderAndLeavesOutWhatIsNotKnown) {
  const Value value = to_value(Cart{.name = "a", .front = {8, turn(2)}, .full = 0.25});
  EXPECT_EQ(keys_of(value), (std::vector<std::string>{"name", "colour", "seats", "spokes", "turn",
                                                      "others", "full_pct"}));
  EXPECT_TRUE(value.find("seats")->is_null());
  EXPECT_EQ(std::get<std::int64_t>(value.find("spokes")->data), 8);
  EXPECT_DOUBLE_EQ(std::get<double>(value.find("full_pct")->data), 25);
  EXPECT_EQ(*value.find("turn")->find("unit")->text(), "s");
  EXPECT_EQ(keys_of(*value.find("turn")),
            (std::vector<std::string>{"value", "low", "high", "unit", "basis", "source"}));
}

TEST(DescribeTest, AnOptionalStructIsWrittenWhereItIsThere) {
  const Value value = to_value(Cart{.others = {{6, turn(1)}, {7, turn(1)}}});
  EXPECT_EQ(value.find("others")->list()->size(), 2U);
  EXPECT_EQ(std::get<std::int64_t>(value.find("spare")->find("spokes")->data), 6);
}

TEST(DescribeTest, TheSchemaRequiresWhatIsAlwaysThere) {
  const Value schema = schema_of(Type<Cart>());
  std::vector<std::string> required;
  for (const Value& key : *schema.find("required")->list()) required.push_back(*key.text());
  EXPECT_EQ(required, (std::vector<std::string>{"name", "colour", "seats", "spokes", "turn",
                                                "others", "full_pct"}));
  const Value& properties = *schema.find("properties");
  EXPECT_EQ(keys_of(properties).size(), 9U);
  EXPECT_EQ(std::get<std::int64_t>(properties.find("name")->find("minLength")->data), 1);
  EXPECT_EQ(properties.find("colour")->find("enum")->list()->size(), 2U);
  EXPECT_NE(properties.find("seats")->find("anyOf"), nullptr);
  EXPECT_EQ(std::get<std::int64_t>(properties.find("full_pct")->find("maximum")->data), 100);
  EXPECT_EQ(*properties.find("full_pct")->find("description")->text(), "How full it is, in %");
  const Value& unit = *properties.find("turn")->find("properties")->find("unit");
  EXPECT_EQ(*unit.find("const")->text(), "s");
}

TEST(DescribeTest, ARowOfATableHasTheColumnsOfTheSchema) {
  const Value schema = schema_of(Type<Cart>());
  EXPECT_EQ(csv_header(schema),
            "name,colour,seats,price,spokes,turn,spare.spokes,spare.turn,"
            "full_pct\n");
  const Value value =
      to_value(Cart{.name = "a, \"b\"", .price = 1.5, .front = {8, turn(2)}, .full = 0.5});
  EXPECT_EQ(csv_row(schema, value), "\"a, \"\"b\"\"\",red,,1.5,8,2,,,50\n");
}

TEST(DescribeTest, ThePageNamesFieldsOfListsToo) {
  const std::string table = docs_table(schema_of(Type<Cart>()));
  EXPECT_NE(table.find("| `others[].turn` | quantity in s | Time of a turn |"), std::string::npos);
  EXPECT_NE(table.find("| `colour` | `red`, `green` | Its colour |"), std::string::npos);
  EXPECT_NE(table.find("| `seats` | integer or null |"), std::string::npos);
}

TEST(DescribeTest, FieldsCanBeTakenOut) {
  const Value value = without(to_value(Wheel{3, turn(1)}), {"turn"});
  EXPECT_EQ(keys_of(value), (std::vector<std::string>{"spokes"}));
}

}  // namespace
}  // namespace loadfactor::report
