#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/foreign_yaml.h"

namespace loadfactor::config {
namespace {

Document parsed(std::string_view text) {
  auto document = parse_yaml("t.yaml", std::string(text));
  EXPECT_TRUE(document.has_value()) << (document ? "" : render(document.error()));
  return document ? *std::move(document) : Document{};
}

struct Refused {
  std::string_view text;
  int code;
  std::uint32_t line;
  std::uint32_t column;
};

void expect_refused(const Refused& expected) {
  const auto document = parse_yaml("t.yaml", std::string(expected.text));
  ASSERT_FALSE(document.has_value()) << expected.text;
  const Error& error = document.error();
  EXPECT_EQ(error.code, expected.code) << expected.text << "\n" << render(error);
  EXPECT_EQ(error.where.line, expected.line) << expected.text << "\n" << render(error);
  EXPECT_EQ(error.where.column, expected.column) << expected.text << "\n" << render(error);
}

TEST(YamlDocumentTest, KeepsKeysValuesAndTheirPlaces) {
  const Document document = parsed("name: a100\nmemory: {size: 80 GB}\n");
  ASSERT_EQ(document.root.members.size(), 2U);
  EXPECT_EQ(document.root.members[0].value.scalar, "a100");
  const Member& memory = document.root.members[1];
  EXPECT_EQ(memory.key_position, (Position{2, 1, 6}));
  EXPECT_EQ(memory.value.members[0].value.scalar, "80 GB");
  EXPECT_EQ(memory.value.members[0].value.position, (Position{2, 16, 5}));
}

TEST(YamlDocumentTest, CountsColumnsInCharacters) {
  const Document document = parsed("é: [ü, x]\n");
  EXPECT_EQ(document.root.members[0].value.items[1].position, (Position{1, 8, 1}));
}

TEST(YamlDocumentTest, ReadsTheSameWithByteOrderMarkAndCarriageReturns) {
  const Document plain = parsed("a: 1\nb: xy\n");
  const Document windows = parsed(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: xy\r\n");
  EXPECT_EQ(windows.root.members[1].value.scalar, plain.root.members[1].value.scalar);
  EXPECT_EQ(windows.root.members[1].value.position, plain.root.members[1].value.position);
}

TEST(YamlDocumentTest, KeepsDuplicateKeys) {
  EXPECT_EQ(parsed("a: 1\na: 2\n").root.members.size(), 2U);
}

TEST(YamlDocumentTest, KnowsQuotedFromPlain) {
  const Document document = parsed("a: \"12\"\nb: 12\nc: 'it''s'\n");
  EXPECT_EQ(document.root.members[0].value.style, ScalarStyle::kQuoted);
  EXPECT_EQ(document.root.members[1].value.style, ScalarStyle::kPlain);
  EXPECT_EQ(document.root.members[2].value.scalar, "it's");
  EXPECT_EQ(document.root.members[2].value.position.length, 7U);
}

TEST(YamlDocumentTest, PutsAnUnwrittenValueAtItsKeyAndAnUnwrittenItemAtItsDash) {
  const Document document = parsed("a:\nb:\n  - x\n  -\nc: 1\n");
  EXPECT_EQ(document.root.members[0].value.kind, NodeKind::kNull);
  EXPECT_EQ(document.root.members[0].value.position.line, 1U);
  EXPECT_EQ(document.root.members[1].value.items[1].kind, NodeKind::kNull);
  EXPECT_EQ(document.root.members[1].value.items[1].position.line, 4U);
}

TEST(YamlDocumentTest, RefusesWhatCouldMeanSomethingElse) {
  const std::vector<Refused> cases{
      {"a: &x 1\n", lf::kAnchorRefused, 1, 4},
      {"a: 1\nb: *x\n", lf::kAnchorRefused, 2, 4},
      {"a: !!str 1\n", lf::kAnchorRefused, 1, 4},
      {"a: ! 1\n", lf::kAnchorRefused, 1, 4},
      {"<<: {b: 1}\n", lf::kAnchorRefused, 1, 1},
      {"a: 1\n--- \nb: 1\n", lf::kAnchorRefused, 2, 1},
      {"? [a]\n: b\n", lf::kSyntax, 1, 3},
      {"{a, b}\n", lf::kSyntax, 1, 2},
      {"a: 1\nfoo\n", lf::kSyntax, 2, 1},
      {"foo\nb: 1\n", lf::kSyntax, 1, 1},
      {": x\n", lf::kSyntax, 1, 1},
      {"- a\nb: 1\n", lf::kSyntax, 2, 1},
  };
  for (const Refused& expected : cases) expect_refused(expected);
}

Result<Document> followed(const std::string& text, const Limits& limits = kYamlLimits) {
  return parse_foreign_yaml("t.yaml", text, limits);
}

TEST(YamlDocumentTest, FollowsAliasesAndMergesInFilesOfOthers) {
  const auto document = followed(
      "base: &base {image: a, gpus: 8}\n"
      "more: &more\n  env: [x]\n  gpus: 2\n"
      "word: &w  eight\n"
      "one:\n  <<: *base\n  gpus: 4\n"
      "two:\n  <<: [*base, *more]\n  word: *w\n"
      "text: !!str 12\n");
  ASSERT_TRUE(document.has_value()) << render(document.error());
  const auto& members = document->root.members;
  ASSERT_EQ(members.size(), 6U);
  EXPECT_EQ(members[2].value.scalar, "eight");
  EXPECT_EQ(members[2].value.position, (Position{5, 11, 5}));
  const auto& one = members[3].value.members;
  ASSERT_EQ(one.size(), 2U);
  EXPECT_EQ(one[0].value.scalar, "4");
  EXPECT_EQ(one[1].key, "image");
  EXPECT_EQ(one[1].value.position.line, 1U);
  const auto& two = members[4].value.members;
  ASSERT_EQ(two.size(), 4U);
  EXPECT_EQ(two[0].value.scalar, "eight");
  EXPECT_EQ(two[2].value.scalar, "8");
  EXPECT_EQ(two[3].value.items.size(), 1U);
  EXPECT_EQ(members[5].value.scalar, "12");
}

TEST(YamlDocumentTest, RefusesAliasesThatNameNothingThemselvesOrTooMuch) {
  const auto code = [](const std::string& text, const Limits& limits = kYamlLimits) {
    const auto document = followed(text, limits);
    return document ? 0 : document.error().code;
  };
  EXPECT_EQ(code("a: *x\n"), lf::kAnchorRefused);
  EXPECT_EQ(code("a: &x [*x]\n"), lf::kAnchorRefused);
  EXPECT_EQ(code("a: &x 1\nb: {<<: *x}\n"), lf::kAnchorRefused);
  EXPECT_EQ(code("a: !Ref 1\n"), lf::kAnchorRefused);
  // A billion words in ten lines.
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_EQ(code(bomb), lf::kTooLarge);
  // A long text, often.
  std::string texts = "a: &a " + std::string(1000, 'x') + "\nb: [*a";
  for (int i = 0; i < 3000; ++i) texts += ", *a";
  EXPECT_EQ(code(texts + "]\n"), lf::kTooLarge);
  EXPECT_EQ(code("a: &a [[x]]\nb: [*a]\n", {.depth = 4}), 0);
  EXPECT_EQ(code("a: &a [[x]]\nb: [*a]\n", {.depth = 3}), lf::kTooDeep);
}

TEST(YamlDocumentTest, PointsAtBrokenSyntax) {
  const std::vector<Refused> cases{
      {"a: [1, 2\nb: 3\n", lf::kSyntax, 1, 4},  {"a: {x: 1\n", lf::kSyntax, 1, 4},
      {"a: \"open\nb: 2\n", lf::kSyntax, 1, 4}, {"a:\n\tb: 1\n", lf::kSyntax, 2, 1},
      {"a: 1\n\tb: 1\n", lf::kSyntax, 2, 1},    {"a: b: c\n", lf::kSyntax, 1, 5},
      {"a: []]\n", lf::kSyntax, 1, 6},          {"a: \"x\" y\n", lf::kSyntax, 1, 8},
      {"a: @x\n", lf::kSyntax, 1, 4},
  };
  for (const Refused& expected : cases) expect_refused(expected);
}

TEST(YamlDocumentTest, RefusesEmptyFilesAndForeignBytes) {
  const std::vector<Refused> cases{
      {"", lf::kEmptyFile, 1, 1},
      {" \n\n", lf::kEmptyFile, 1, 1},
      {"# only a comment\n", lf::kEmptyFile, 1, 1},
      {"---\n", lf::kEmptyFile, 1, 1},
      {std::string_view("a: 1\nb: \0\n", 10), lf::kBadEncoding, 2, 4},
      {"a: 1\nb: \xFF\n", lf::kBadEncoding, 2, 4},
      {"é: \x01\n", lf::kBadEncoding, 1, 4},
      {"a: 1\rb: 2\r", lf::kBadEncoding, 1, 5},
  };
  for (const Refused& expected : cases) expect_refused(expected);
}

TEST(YamlDocumentTest, RefusesMoreThanItsLimits) {
  const auto code = [](const std::string& text, const Limits& limits) {
    const auto document = parse_yaml("t.yaml", text, limits);
    return document ? 0 : document.error().code;
  };
  EXPECT_EQ(code("a: 12345", {.bytes = 8}), 0);
  EXPECT_EQ(code("a: 123456", {.bytes = 8}), lf::kTooLarge);
  EXPECT_EQ(code("a: 12345", {.scalar_bytes = 4}), lf::kTooLarge);
  EXPECT_EQ(code("[1, 2, 3]", {.nodes = 4}), 0);
  EXPECT_EQ(code("[1, 2, 3]", {.nodes = 3}), lf::kTooLarge);
  const auto unwritten = parse_yaml("t.yaml", "a:\nb:\nc:\n", {.nodes = 6});
  ASSERT_FALSE(unwritten.has_value());
  EXPECT_EQ(unwritten.error().where.line, 3U);
  EXPECT_EQ(code("[x, [[y]]]", {.depth = 3}), 0);
  EXPECT_EQ(code("[x, [[[y]]]]", {.depth = 3}), lf::kTooDeep);
  EXPECT_EQ(code("a:\n b:\n  c:\n   d: 1\n", {.depth = 3}), lf::kTooDeep);
}

TEST(YamlDocumentTest, ShowsTheWordsAroundAPlaceFarOutOnALongLine) {
  const auto document = parse_yaml("t.yaml", "[" + std::string(5000, ' ') + "word, &x 1]");
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().where.column, 5008U);
  ASSERT_EQ(document.error().notes.size(), 1U);
  EXPECT_NE(document.error().notes[0].find("word, &x 1]"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::config
