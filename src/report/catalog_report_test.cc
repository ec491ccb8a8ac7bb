#include "report/catalog_report.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "catalog/testing/shipped_catalog.h"
#include "report/describe/schema_walk.h"

namespace loadfactor::report {
namespace {

using catalog::testing::shipped;

double number_at(const Value& entry, std::string_view key) {
  const Value& value = *entry.find(key);
  if (const auto* count = std::get_if<std::int64_t>(&value.data))
    return static_cast<double>(*count);
  return std::get<double>(value.data);
}

const Value* find_named(const CatalogAnswer& answer, std::string_view name) {
  for (const Value& entry : answer.entries)
    if (*entry.find("name")->text() == name) return &entry;
  return nullptr;
}

TEST(CatalogReportTest, EveryNounHasEntriesAndEveryForm) {
  for (const std::string& noun : catalog_nouns()) {
    const auto answer = find_entries(shipped(), noun, "");
    ASSERT_TRUE(answer) << noun;
    EXPECT_GT(answer->known, 0U) << noun;
    EXPECT_EQ(answer->entries.size(), answer->known) << noun;
    const std::string csv = catalog_csv(*answer);
    EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), std::ssize(answer->entries)) << noun;
    EXPECT_FALSE(catalog_text(*answer, 80, false).empty()) << noun;
    EXPECT_FALSE(catalog_markdown(*answer).empty()) << noun;
    const Value schema = catalog_schema().answer;
    for (const Member& member : *answer->entries.front().object())
      EXPECT_NE(find_field(schema, noun + "." + member.key), nullptr) << noun << member.key;
  }
  EXPECT_FALSE(find_entries(shipped(), "no-such-noun", ""));
}

TEST(CatalogReportTest, FiguresAreInTheUnitOfTheirName) {
  const auto gpus = find_entries(shipped(), "gpus", "H100");
  ASSERT_TRUE(gpus);
  EXPECT_LT(gpus->entries.size(), gpus->known);
  const Value* chip = find_named(*gpus, "h100-sxm");
  ASSERT_NE(chip, nullptr);
  EXPECT_DOUBLE_EQ(number_at(*chip, "memory_gb"), 80);
  EXPECT_DOUBLE_EQ(number_at(*chip, "watts"), 700);
  EXPECT_NEAR(number_at(*chip, "bandwidth_tb_s"), 3.35, 0.01);
  EXPECT_EQ(find_named(*gpus, "mi300x"), nullptr);
}

TEST(CatalogReportTest, WhatIsNotKnownIsNull) {
  const auto gpus = find_entries(shipped(), "gpus", "a100-80gb-sxm");
  ASSERT_TRUE(gpus);
  ASSERT_NE(find_named(*gpus, "a100-80gb-sxm"), nullptr);
  EXPECT_TRUE(find_named(*gpus, "a100-80gb-sxm")->find("fp8_tflops")->is_null());
}

TEST(CatalogReportTest, ParametersAreExact) {
  const auto models = find_entries(shipped(), "models", "llama-3.1-8b");
  ASSERT_TRUE(models);
  const Value* model = find_named(*models, "llama-3.1-8b");
  ASSERT_NE(model, nullptr);
  EXPECT_DOUBLE_EQ(number_at(*model, "parameters"), 8030261248.0);
  EXPECT_DOUBLE_EQ(number_at(*model, "layers"), 32);
}

}  // namespace
}  // namespace loadfactor::report
