#include "catalog/stated_facts.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace loadfactor::catalog {
namespace {

std::vector<StatedFact> facts_of(std::string text) {
  auto facts = stated_facts({.path = "x.yaml", .shown_as = "x.yaml", .text = std::move(text)});
  EXPECT_TRUE(facts);
  return facts ? *std::move(facts) : std::vector<StatedFact>();
}

StatedFact fact(const std::vector<StatedFact>& facts, std::string_view key) {
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&](const StatedFact& row) { return row.key == key; });
  EXPECT_NE(found, facts.end()) << key;
  return found == facts.end() ? StatedFact() : *found;
}

TEST(StatedFactsTest, AFactHasTheSourceOfItsBlockOrOfTheNearestAround) {
  const auto facts = facts_of(
      "name: a\n"
      "memory: {nominal: 80 GB, kind: datasheet, source: s1, date: 2026-08}\n"
      "mlp: {kind: gated, width: 14336}\n"
      "kind: published\n"
      "source: s2\n"
      "date: 2024-07\n");
  ASSERT_EQ(facts.size(), 4U);
  EXPECT_EQ(fact(facts, "memory.nominal").source, "s1");
  EXPECT_EQ(fact(facts, "memory.nominal").kind, "datasheet");
  EXPECT_EQ(fact(facts, "memory.nominal").line, 2);
  // Without a source beside it, `kind` is a fact of its own.
  EXPECT_EQ(fact(facts, "mlp.kind").value, "gated");
  EXPECT_EQ(fact(facts, "mlp.width").source, "s2");
  EXPECT_EQ(fact(facts, "mlp.width").date, "2024-07");
  EXPECT_EQ(fact(facts, "name").kind, "published");
}

TEST(StatedFactsTest, ANumberIsOneOnlyAloneOrBeforeAUnit) {
  const auto facts = facts_of(
      "plain: 32\nrate: 3.35 TB/s\nversion: \"0.23\"\nmonth: 2026-08\nnote: 8 of them\n"
      "word: inf\nlist: [a, 2]\n");
  EXPECT_EQ(fact(facts, "plain").number, 32);
  EXPECT_EQ(fact(facts, "plain").unit, "");
  EXPECT_EQ(fact(facts, "rate").number, 3.35);
  EXPECT_EQ(fact(facts, "rate").unit, "TB/s");
  EXPECT_EQ(fact(facts, "rate").value, "3.35 TB/s");
  for (const char* key : {"version", "month", "note", "word", "list[0]"})
    EXPECT_FALSE(fact(facts, key).number) << key;
  EXPECT_EQ(fact(facts, "list[1]").number, 2);
}

TEST(StatedFactsTest, WhatIsNotYamlIsRefused) {
  EXPECT_FALSE(stated_facts({.path = "x.yaml", .shown_as = "x.yaml", .text = "a: [1"}));
}

}  // namespace
}  // namespace loadfactor::catalog
