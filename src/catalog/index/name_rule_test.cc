#include "catalog/index/name_rule.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::catalog {
namespace {

TEST(NameRuleTest, CaseAndSeparatorsAreIgnored) {
  EXPECT_EQ(plain_key("Llama-3.1-8B"), "llama3.18b");
  EXPECT_EQ(plain_key("llama_3.1 8b"), plain_key("LLAMA/3.1-8B"));
}

TEST(NameRuleTest, APointBetweenDigitsIsKept) {
  EXPECT_NE(plain_key("gpt3-1.3b"), plain_key("gpt3-13b"));
  EXPECT_EQ(plain_key("trn1.x.2"), "trn1x2");
}

TEST(NameRuleTest, APlainKeyIsItsOwnPlainKey) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string text;
    for (int j = 0; j < 12; ++j) text += static_cast<char>(32 + random() % 95);
    EXPECT_EQ(plain_key(plain_key(text)), plain_key(text)) << text;
  }
}

TEST(NameRuleTest, ARemarkInParenthesesFallsAway) {
  EXPECT_EQ(without_remark("TPUv6e(Trillium)"), "tpuv6e");
  EXPECT_EQ(without_remark("a (b (c) d) e"), "a  e");
  EXPECT_EQ(without_remark("never closed (x"), "never closed ");
  EXPECT_EQ(without_remark("not) opened"), "not) opened");
}

TEST(NameRuleTest, ASlipInAShortFormIsNearTheWholeName) {
  const std::vector<std::string> names{"b200", "h100-pcie", "h100-sxm", "l40s"};
  EXPECT_EQ(nearest_names("h101", names), (std::vector<std::string>{"h100-sxm", "h100-pcie"}));
  EXPECT_TRUE(nearest_names("foo", names).empty());
}

TEST(NameRuleTest, WordsStandBetweenSeparators) {
  EXPECT_EQ(words_of("NVIDIA A100-SXM4_80GB"),
            (std::vector<std::string>{"nvidia", "a100", "sxm4", "80gb"}));
  EXPECT_EQ(words_of("Qwen2.5-7B."), (std::vector<std::string>{"qwen2.5", "7b"}));
  EXPECT_TRUE(words_of(" - ").empty());
}

TEST(NameRuleTest, NearestNamesAreSlipsAndBeginnings) {
  const std::vector<std::string> names{"h100-sxm", "h200-sxm", "mi300x", "gopher-280b"};
  EXPECT_EQ(nearest_names("H100-SMX", names),
            (std::vector<std::string>{"h100-sxm", "h200-sxm"}));  // One swap; one more letter.
  EXPECT_EQ(nearest_names("gopher-1t", names), (std::vector<std::string>{"gopher-280b"}));
  EXPECT_TRUE(nearest_names("xyzzy", names).empty());
  EXPECT_TRUE(nearest_names("", names).empty());
}

TEST(NameRuleTest, AtMostThreeNamesAreNear) {
  const std::vector<std::string> names{"abc1", "abc2", "abc3", "abc4"};
  EXPECT_EQ(nearest_names("abc5", names).size(), 3U);
  EXPECT_EQ(did_you_mean(nearest_names("abc5", names)), "did you mean 'abc1', 'abc2' or 'abc3'?");
}

TEST(NameIndexTest, PointsMayBeDroppedWhereOneNameIsLeft) {
  NameIndex index;
  index.add("llama-3.1-8b", 1);
  index.add("opt-1.3b", 2);
  index.add("opt-13b", 3);
  EXPECT_EQ(index.find(plain_key("llama-31-8b")), 1U);
  EXPECT_EQ(index.find(plain_key("opt-13b")), 3U);
  EXPECT_EQ(index.find(plain_key("opt-1.3b")), 2U);
  EXPECT_EQ(index.find("nothing"), std::nullopt);
}

TEST(NameIndexTest, ANameClaimedTwiceIsTold) {
  NameIndex index;
  EXPECT_EQ(index.add("toy-1b", 1), std::nullopt);
  EXPECT_EQ(index.add("Toy 1B", 1), std::nullopt);  // The same entry may repeat itself.
  EXPECT_EQ(index.add("TOY_1B", 2), 1U);
  EXPECT_EQ(index.find("toy1b"), 1U);
}

TEST(ScanAliasesTest, ReadsAListOfOneOrMoreLines) {
  EXPECT_EQ(scan_aliases("name: x\naliases: [a, 'b c',\n  \"d\"]\nform: y\n"),
            (std::vector<std::string>{"a", "b c", "d"}));
  EXPECT_TRUE(scan_aliases("name: x\naliases: []\n").empty());
  EXPECT_TRUE(scan_aliases("name: x\nnote: aliases: [a]\n").empty());
  EXPECT_TRUE(scan_aliases("name: x\naliases: [a, b").empty());
}

}  // namespace
}  // namespace loadfactor::catalog
