// Reasons of failures, and indices of samples.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sweep/look/testing/look_fixture.h"

namespace loadfactor::sweep {
namespace {

TEST_F(LookTest, FailuresOfOneReasonAreOneRowWhateverTheNumbersInIt) {
  const Look found = look(identity(), all());
  ASSERT_EQ(found.failures.size(), 1U);
  EXPECT_EQ(found.failures[0].count, 2);
  EXPECT_EQ(found.failures[0].example, 19);
  EXPECT_EQ(found.failures[0].code, 102);
}

TEST_F(LookTest, IndicesOfASaltelliSampleSayWhatMatters) {
  Identity sampled{.name = "s", .digest = "d", .version = "1", .cases = 512 * 4};
  sampled.columns = {{"a", ColumnKind::kAxis, "", "a"},
                     {"b", ColumnKind::kAxis, "", "b"},
                     {"cost", ColumnKind::kFigure, "USD", "cost"}};
  sampled.remarks = {{"least", "cost"}, {"saltelli", "a,b"}, {"saltelli.points", "2048"}};
  std::vector<CaseRow> rows;
  const auto points = sample_points(Sampling::kSaltelli, 512, 2, 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    CaseRow each{.number = static_cast<std::int64_t>(i), .edits = "{}"};
    // Variances 9 : 1 without interaction, so that indices are 0.9 and 0.1.
    each.cells = {points[i][0], points[i][1], 3 * points[i][0] + points[i][1]};
    rows.push_back(std::move(each));
  }
  const Look found = look(sampled, rows);
  ASSERT_EQ(found.influences.size(), 1U);
  EXPECT_NEAR(found.influences[0].indices.of[0].first, 0.9, 0.03);
  EXPECT_NEAR(found.influences[0].indices.of[1].total, 0.1, 0.03);
  ASSERT_TRUE(found.phase.has_value());
  EXPECT_TRUE(found.axes[0].is_binned);
}

TEST_F(LookTest, IndicesAreOfTheWholeSampleOrAreLeftOut) {
  Identity sampled{.name = "s", .digest = "d", .version = "1", .cases = 2048};
  sampled.columns = {{"a", ColumnKind::kAxis, "", "a"},
                     {"b", ColumnKind::kAxis, "", "b"},
                     {"cost", ColumnKind::kFigure, "USD", "cost"}};
  sampled.remarks = {{"least", "cost"}, {"saltelli", "a,b"}, {"saltelli.points", "2048"}};
  const auto points = sample_points(Sampling::kSaltelli, 512, 2, 1);
  const auto rows_of = [&](bool says_cost) {
    std::vector<CaseRow> rows;
    for (std::size_t i = 0; i < points.size(); ++i) {
      CaseRow each{.number = static_cast<std::int64_t>(i), .edits = "{}"};
      each.cells = {points[i][0], points[i][1], 3 * points[i][0] + points[i][1]};
      if (points[i][0] > 0.6) {  // Cases that miss a limit, which is no chance.
        each.status = CaseStatus::kInfeasible;
        if (!says_cost) each.cells[2] = std::monostate();
      }
      rows.push_back(std::move(each));
    }
    return rows;
  };
  const Look whole = look(sampled, rows_of(true));
  ASSERT_EQ(whole.influences.size(), 1U);
  EXPECT_NEAR(whole.influences[0].indices.of[0].first, 0.9, 0.03);
  sampled.columns[2].unit = "s";  // That of a queue which grows.
  EXPECT_TRUE(look(sampled, rows_of(true)).influences.empty());
  sampled.columns[2].unit = "USD";
  const Look part = look(sampled, rows_of(false));
  EXPECT_TRUE(part.influences.empty());
  EXPECT_GT(part.without_figure, 500);
}

TEST_F(LookTest, OneReasonIsOneRowHoweverLargeItsNumbersAre) {
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 4; ++i) {
    rows.push_back(row(i));
    rows.back().status = CaseStatus::kInfeasible;
  }
  rows[0].error = "MISSES the budget of 50 USD: 17.3 M tokens take 3 hours";
  rows[1].error = "MISSES the budget of 50 USD: 1.1 k tokens take 2.5 days";
  rows[2].error = "MISSES the budget of 50 USD: 980 tokens take 11 s";
  rows[3].error = "MISSES the deadline of 2 days";
  const Look found = look(identity(), rows);
  ASSERT_EQ(found.failures.size(), 2U);
  EXPECT_EQ(found.failures[0].count, 3);
  rows[0].error = "weights take 900 MiB of 1 GPU";
  rows[1].error = "weights take 1.2 GiB of 2 GPUs";
  rows[2].error = "weights take 90 s of 2 GPUs";
  EXPECT_EQ(look(identity(), rows).failures.size(), 3U) << "seconds are no bytes";
}

TEST_F(LookTest, WhatAReasonSaysInBracketsIsOfItsCaseAlone) {
  Identity of{.name = "s", .digest = "d", .version = "1", .cases = 3};
  of.columns = {{"tp", ColumnKind::kAxis, "", "serve.deployment.tp"}};
  std::vector<CaseRow> rows;
  for (const char* error : {"nothing fits (weights of the first stage)", "nothing fits (cache)",
                            "nothing is fast enough (cache)"})
    rows.push_back({.number = std::ssize(rows),
                    .status = CaseStatus::kInfeasible,
                    .error = error,
                    .edits = "{}",
                    .cells = {std::ssize(rows)}});
  const Look found = look(of, rows);
  ASSERT_EQ(found.failures.size(), 2U);
  EXPECT_EQ(found.failures[0].count, 2);
}

TEST_F(LookTest, CasesOfASampleThatAreNotDoneAreCounted) {
  Identity sampled{.name = "s", .digest = "d", .version = "1", .cases = 16};
  sampled.columns = {{"a", ColumnKind::kAxis, "", "a"},
                     {"b", ColumnKind::kAxis, "", "b"},
                     {"cost", ColumnKind::kFigure, "USD", "cost"}};
  sampled.remarks = {{"least", "cost"}, {"saltelli", "a,b"}, {"saltelli.points", "16"}};
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 16; i += 2) {  // One shard of two: no row of the design is whole.
    const auto x = static_cast<double>(i);
    rows.push_back({.number = i, .edits = "{}", .cells = {x, 16 - x, x * x}});
  }
  const Look found = look(sampled, rows);
  EXPECT_TRUE(found.influences.empty());
  EXPECT_EQ(found.sample_open, 8);
}

TEST_F(LookTest, ASampleBesideAnAxisHasIndicesForEachOfItsValues) {
  constexpr std::int64_t kPoints = 512 * 4;
  Identity sampled{.name = "s", .digest = "d", .version = "1", .cases = 2 * kPoints};
  sampled.columns = {{"chip", ColumnKind::kAxis, "", "--gpu"},
                     {"a", ColumnKind::kAxis, "", "a"},
                     {"b", ColumnKind::kAxis, "", "b"},
                     {"cost", ColumnKind::kFigure, "USD", "cost"}};
  sampled.remarks = {{"least", "cost"}, {"saltelli", "a,b"}, {"saltelli.points", "2048"}};
  const auto points = sample_points(Sampling::kSaltelli, 512, 2, 1);
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < sampled.cases; ++i) {
    const auto& point = points[static_cast<std::size_t>(i % kPoints)];
    const bool is_second = i >= kPoints;
    CaseRow each{.number = i, .edits = "{}"};
    each.cells = {std::string(is_second ? "y" : "x"), point[0], point[1],
                  is_second ? point[0] + 3 * point[1] : 3 * point[0] + point[1]};
    rows.push_back(std::move(each));
  }
  const Look found = look(sampled, rows);
  ASSERT_EQ(found.influences.size(), 2U);
  EXPECT_NEAR(found.influences[0].indices.of[0].first, 0.9, 0.03);
  EXPECT_NEAR(found.influences[1].indices.of[0].first, 0.1, 0.03);
  ASSERT_TRUE(found.influences[1].slice.has_value());
  EXPECT_EQ(found.influences[1].slice->cells[0], CellValue(std::string("y")));
}

}  // namespace
}  // namespace loadfactor::sweep
