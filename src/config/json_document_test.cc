#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/document.h"

namespace loadfactor::config {
namespace {

struct Refused {
  std::string_view text;
  int code;
  std::uint32_t line;
  std::uint32_t column;
};

void expect_refused(const Refused& expected) {
  const auto document = parse_json("t.json", std::string(expected.text));
  ASSERT_FALSE(document.has_value()) << expected.text;
  const Error& error = document.error();
  EXPECT_EQ(error.code, expected.code) << expected.text << "\n" << render(error);
  EXPECT_EQ(error.where.line, expected.line) << expected.text << "\n" << render(error);
  EXPECT_EQ(error.where.column, expected.column) << expected.text << "\n" << render(error);
}

TEST(JsonDocumentTest, KeepsPlacesAndTheTextOfNumbers) {
  const auto document = parse_json("t.json", "{\"é\": 1.50,\n \"n\": 123456789012345678901}");
  ASSERT_TRUE(document.has_value());
  const auto& members = document->root.members;
  EXPECT_EQ(members[0].value.scalar, "1.50");
  EXPECT_EQ(members[0].value.position, (Position{1, 7, 4}));
  EXPECT_EQ(members[1].key_position, (Position{2, 2, 3}));
  EXPECT_EQ(members[1].value.scalar, "123456789012345678901");
  EXPECT_EQ(members[1].value.style, ScalarStyle::kNumber);
}

TEST(JsonDocumentTest, KnowsEveryKindOfValue) {
  const auto document = parse_json("t.json", R"([null, true, -2e3, "a\"bé", [], {}])");
  ASSERT_TRUE(document.has_value());
  const auto& items = document->root.items;
  EXPECT_EQ(items[0].kind, NodeKind::kNull);
  EXPECT_EQ(items[1].style, ScalarStyle::kBoolean);
  EXPECT_EQ(items[2].scalar, "-2e3");
  EXPECT_EQ(items[3].scalar, "a\"bé");
  EXPECT_EQ(items[3].position, (Position{1, 20, 7}));
  EXPECT_EQ(items[4].kind, NodeKind::kList);
  EXPECT_EQ(items[5].kind, NodeKind::kMap);
}

TEST(JsonDocumentTest, KeepsDuplicateKeys) {
  const auto document = parse_json("t.json", R"({"a": 1, "a": 2})");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->root.members.size(), 2U);
}

TEST(JsonDocumentTest, RefusesNumbersThatJsonCannotWrite) {
  const std::vector<Refused> cases{
      {R"({"a": NaN})", lf::kNotFinite, 1, 7},   {R"({"a": -Infinity})", lf::kNotFinite, 1, 7},
      {R"({"a": 1e999})", lf::kNotFinite, 1, 7}, {R"({"a": 0x10})", lf::kNotANumber, 1, 7},
      {R"({"a": 010})", lf::kNotANumber, 1, 7},  {R"({"a": +1})", lf::kNotANumber, 1, 7},
      {R"({"a": 1.})", lf::kNotANumber, 1, 7},   {R"({"a": .5})", lf::kNotANumber, 1, 7},
      {R"({"a": 80GB})", lf::kNotANumber, 1, 7}, {"[1_000]", lf::kNotANumber, 1, 2},
  };
  for (const Refused& expected : cases) expect_refused(expected);
}

TEST(JsonDocumentTest, PointsAtWhatIsNotJson) {
  const std::vector<Refused> cases{
      {"[1, 2,]", lf::kSyntax, 1, 6},
      {"{\"a\": 1,\n}", lf::kSyntax, 1, 8},
      {"{\"a\": 1 \"b\": 2}", lf::kSyntax, 1, 9},
      {"{\"a\" 1}", lf::kSyntax, 1, 6},
      {"{\"a\": }", lf::kSyntax, 1, 7},
      {"{\"a\": 1,, \"b\": 2}", lf::kSyntax, 1, 9},
      {"{'a': 1}", lf::kSyntax, 1, 2},
      {"{a: 1}", lf::kSyntax, 1, 2},
      {"{1: 2}", lf::kSyntax, 1, 2},
      {"{\"a\": True}", lf::kSyntax, 1, 7},
      {"{} // done", lf::kSyntax, 1, 4},
      {"{\"a\": 1, # b\n}", lf::kSyntax, 1, 10},
      {"{} {}", lf::kSyntax, 1, 4},
      {"{\"a\": \"x\ny\"}", lf::kSyntax, 1, 7},
      {"{\"a\": \"\\q\"}", lf::kSyntax, 1, 7},
      {"[1}", lf::kSyntax, 1, 3},
      {"[\n1,\n2\n", lf::kSyntax, 3, 1},
      {"{\"a\":", lf::kSyntax, 1, 5},
      {"", lf::kEmptyFile, 1, 1},
      {"{\"a\": \"\x01\"}", lf::kBadEncoding, 1, 8},
  };
  for (const Refused& expected : cases) expect_refused(expected);
}

TEST(JsonDocumentTest, RefusesMoreThanItsLimits) {
  const auto code = [](const std::string& text, const Limits& limits) {
    const auto document = parse_json("t.json", text, limits);
    return document ? 0 : document.error().code;
  };
  EXPECT_EQ(code("[[[1]]]", {.depth = 3}), 0);
  EXPECT_EQ(code("[[[[1]]]]", {.depth = 3}), lf::kTooDeep);
  EXPECT_EQ(code("[1, 2, 3]", {.nodes = 4}), 0);
  EXPECT_EQ(code("[1, 2, 3]", {.nodes = 3}), lf::kTooLarge);
  EXPECT_EQ(code("\"12345\"", {.scalar_bytes = 4}), lf::kTooLarge);
  EXPECT_EQ(code("[1, 2]", {.bytes = 5}), lf::kTooLarge);
}

// A random JSON text, of words that YAML reads in the same way.
std::string random_json(std::mt19937& random, int depth) {
  const auto pick = [&random](unsigned n) { return static_cast<int>(random() % n); };
  const std::string gap(static_cast<std::size_t>(pick(3)), ' ');
  const std::string separator = pick(4) == 0 ? ",\n" : ", ";
  const int kind = depth == 0 ? pick(2) : pick(4);
  if (kind == 0) return std::to_string(pick(1000));
  if (kind == 1) return "\"é" + std::to_string(pick(1000)) + "\"";
  std::string text;
  const int size = pick(5);
  for (int i = 0; i < size; ++i) {
    if (i > 0) text += separator;
    if (kind == 3) text += "\"k" + std::to_string(i) + "\": " + gap;
    text += random_json(random, depth - 1);
  }
  return kind == 2 ? "[" + text + gap + "]" : "{" + text + "}";
}

void expect_same(const Node& a, const Node& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.scalar, b.scalar);
  EXPECT_EQ(a.position, b.position);
  ASSERT_EQ(a.items.size(), b.items.size());
  ASSERT_EQ(a.members.size(), b.members.size());
  for (std::size_t i = 0; i < a.items.size(); ++i) expect_same(a.items[i], b.items[i]);
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    EXPECT_EQ(a.members[i].key, b.members[i].key);
    EXPECT_EQ(a.members[i].key_position, b.members[i].key_position);
    expect_same(a.members[i].value, b.members[i].value);
  }
}

TEST(JsonDocumentTest, JsonReadAsYamlGivesTheSameTreeAtTheSamePlaces) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::string text = "{\"root\": " + random_json(random, 4) + "}";
    const auto json = parse_json("t.json", text);
    const auto yaml = parse_yaml("t.yaml", text);
    ASSERT_TRUE(json.has_value()) << text << render(json.error());
    ASSERT_TRUE(yaml.has_value()) << text << render(yaml.error());
    expect_same(json->root, yaml->root);
  }
}

TEST(JsonDocumentTest, EveryPrefixOfAValidTextIsRefusedWithinTheText) {
  const std::string text = "{\"a\": [1, \"b\\n\", {\"c\": null}],\n \"d\": -1.5e3}";
  ASSERT_TRUE(parse_json("t.json", text).has_value());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto document = parse_json("t.json", text.substr(0, size));
    ASSERT_FALSE(document.has_value()) << text.substr(0, size);
    EXPECT_LE(document.error().where.line, 2U);
    EXPECT_GE(document.error().where.line, 1U);
  }
}

}  // namespace
}  // namespace loadfactor::config
