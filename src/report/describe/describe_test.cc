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

struct Brake {
  int force = 0, wear = 0;
};
// A cart that may be covered, and have a brake.
struct Wagon {
  bool covered = false;
  std::optional<std::string> cloth;
  std::optional<Wheel> roller;
  std::optional<Brake> brake;
};

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

template <>
constexpr auto kFields<Brake> = fields<Brake>(field<&Brake::force>("force", "Its force"),
                                              field<&Brake::wear>("wear", "Its wear"));

template <>
constexpr auto kFields<Wagon> =
    fields<Wagon>(field<&Wagon::covered>("covered", "Whether it has a cover"),
                  known_field<&Wagon::cloth>("cloth", "What covers it").when("covered", true),
                  spliced<&Wagon::roller>().when("covered", true), spliced<&Wagon::brake>());

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

// The rule of a schema that has this condition.
const Value* find_rule(const Value& schema, std::string_view field) {
  for (const Value& rule : *schema.find("allOf")->list()) {
    if (*rule.find("if")->find("required")->list()->front().text() == field) return &rule;
  }
  return nullptr;
}

TEST(DescribeTest, TheSchemaKnowsWhichFieldsGoTogether) {
  const Value schema = schema_of(Type<Wagon>());
  const Value* covered = find_rule(schema, "covered");
  ASSERT_NE(covered, nullptr);
  const Value& value = *covered->find("if")->find("properties")->find("covered")->find("const");
  EXPECT_TRUE(std::get<bool>(value.data));
  EXPECT_EQ(covered->find("then")->find("required")->list()->size(), 3U);
  EXPECT_EQ(keys_of(*covered->find("else")->find("properties")),
            (std::vector<std::string>{"cloth", "spokes", "turn"}));
  // Without a condition, the first field of a group asks for the others.
  const Value* brake = find_rule(schema, "force");
  ASSERT_NE(brake, nullptr);
  EXPECT_EQ(brake->find("then")->find("required")->list()->size(), 2U);
  EXPECT_EQ(brake->find("else"), nullptr);
  EXPECT_EQ(schema.find("required")->list()->size(), 1U);
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
