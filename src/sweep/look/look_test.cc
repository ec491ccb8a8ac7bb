// The best, the front, and the goals where none are written.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "sweep/look/testing/look_fixture.h"

namespace loadfactor::sweep {
namespace {

TEST_F(LookTest, TheBestAreTheLeastInOrderAndTheFirstOfEquals) {
  const Look found = look(identity(), all());
  ASSERT_EQ(found.best.size(), kBestShown);
  EXPECT_EQ(found.best[0].number, 0);
  EXPECT_EQ(found.best[1].number, 20) << "it costs the same";
  for (std::size_t i = 1; i < found.best.size(); ++i)
    EXPECT_LE(*number_in(found.best[i - 1].cells[5]), *number_in(found.best[i].cells[5]));
}

TEST_F(LookTest, AFigureHasTheUnitThatAllItsRowsTell) {
  Identity told = identity();
  const std::size_t cost = 5;
  const std::string path = told.columns[cost].meaning;
  told.columns[cost].unit.clear();
  told.columns.push_back({"cost_unit", ColumnKind::kFigure, "", path + ".unit"});
  std::vector<CaseRow> rows = all();
  for (CaseRow& each : rows) each.cells.emplace_back(std::string("USD"));
  EXPECT_EQ(look(told, rows).identity.columns[cost].unit, "USD");
  told.remarks = {{"least", "cost"}};
  for (CaseRow& each : rows) each.cells[4] = std::string("own GPUs");
  rows[3].cells.back() = std::string("USD/token");
  const Look mixed = look(told, rows);
  EXPECT_EQ(mixed.identity.columns[cost].unit, "") << "rows do not agree";
  ASSERT_TRUE(mixed.phase && mixed.phase->shows);
  EXPECT_EQ(*mixed.phase->shows, cost) << "a unit is no verdict";
}

TEST_F(LookTest, NothingBeatsTheFrontAndSomethingBeatsTheRest) {
  std::mt19937 chance(7);
  std::uniform_real_distribution<double> any(0, 1);
  std::vector<CaseRow> rows = all();
  for (CaseRow& each : rows) {
    each.status = CaseStatus::kAnswer;
    each.cells[5] = any(chance);
    each.cells[6] = any(chance);
  }
  const Look found = look(identity(), rows);
  ASSERT_TRUE(found.front.has_value());
  const auto beats = [](const LookRow& a, const LookRow& b) {
    return *number_in(a.cells[5]) < *number_in(b.cells[5]) &&
           *number_in(a.cells[6]) > *number_in(b.cells[6]);
  };
  std::size_t on_front = 0;
  for (const CaseRow& each : rows) {
    const LookRow mine{each.number, each.cells};
    const bool is_beaten = std::any_of(rows.begin(), rows.end(), [&](const CaseRow& other) {
      return beats({other.number, other.cells}, mine);
    });
    const bool is_on = std::any_of(found.front->front.begin(), found.front->front.end(),
                                   [&](const LookRow& one) { return one.number == each.number; });
    EXPECT_NE(is_beaten, is_on) << each.number;
    on_front += is_on ? 1 : 0;
  }
  EXPECT_EQ(static_cast<std::size_t>(found.front->beaten), rows.size() - on_front);
}

TEST_F(LookTest, WithoutWishesMoneyIsLeastAndAVerdictIsShown) {
  Identity plain = identity();
  plain.remarks.clear();
  const Look found = look(plain, all());
  ASSERT_TRUE(found.goal.has_value());
  EXPECT_EQ(found.goal->column, 5U);
  EXPECT_FALSE(found.goal->is_more_better);
  ASSERT_TRUE(found.phase && found.phase->shows);
  EXPECT_EQ(*found.phase->shows, 4U);
}

TEST_F(LookTest, WithoutWishesAFigureThatRepeatsAnAxisIsNoGoal) {
  Identity plain = identity();
  plain.remarks.clear();
  std::vector<CaseRow> rows = all();
  for (CaseRow& each : rows)
    if (each.status != CaseStatus::kInfeasible) each.cells[5] = each.cells[2];
  const Look found = look(plain, rows);
  ASSERT_TRUE(found.goal.has_value());
  EXPECT_EQ(found.goal->column, 6U) << "the traffic that was asked for is not what is sought";
}

TEST_F(LookTest, TheLastBitOfASumMakesNoCaseTheBest) {
  std::vector<CaseRow> rows = all();
  for (CaseRow& each : rows) {
    each.status = CaseStatus::kAnswer;
    each.cells[5] = each.number == 3 ? 1.0 : each.number == 7 ? 0.1 + 0.2 : 0.3;
    each.cells[6] = 0.5;
  }
  rows[0].cells[5] = 2.0;
  const Look found = look(identity(), rows);
  ASSERT_FALSE(found.best.empty());
  EXPECT_EQ(found.best[0].number, 1);
  EXPECT_EQ(found.as_good, 37);
  EXPECT_EQ(found.best[5].number, 7) << "by its number";
  ASSERT_TRUE(found.front.has_value());
  EXPECT_EQ(found.front->front.size(), 1U);
  EXPECT_EQ(found.front->cases(), 38);
}

TEST_F(LookTest, WhichIsBetterFollowsFromTheFigureAndNotFromTheNameOfItsColumn) {
  Identity of{.name = "s", .digest = "d", .version = "1", .cases = 2};
  of.columns = {{"x", ColumnKind::kAxis, "", "n"},
                {"machines", ColumnKind::kFigure, "", "plan.gpus"},
                {"use_of_gpus", ColumnKind::kFigure, "1", "load_factor"}};
  const std::vector<CaseRow> rows{
      {.number = 0, .edits = "{}", .cells = {std::int64_t{5}, std::int64_t{8}, 0.5}},
      {.number = 1, .edits = "{}", .cells = {std::int64_t{6}, std::int64_t{16}, 0.9}}};
  const Look found = look(of, rows);
  ASSERT_TRUE(found.front.has_value());
  ASSERT_EQ(found.front->aims.size(), 2U);
  EXPECT_FALSE(found.front->aims[0].is_more_better);
  EXPECT_TRUE(found.front->aims[1].is_more_better);
}

TEST_F(LookTest, AFigureThatHappensToBeTheValueOfAnIdleAxisDoesNotHideIt) {
  Identity of{.name = "s", .digest = "d", .version = "1", .cases = 6};
  of.columns = {{"batches", ColumnKind::kAxis, "", "--batches"},
                {"tp", ColumnKind::kAxis, "", "serve.deployment.tp"},
                {"replicas", ColumnKind::kFigure, "", "replicas"},
                {"load", ColumnKind::kFigure, "1", "load"}};
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 6; ++i)
    rows.push_back({.number = i,
                    .edits = "{}",
                    .cells = {1 + i / 2, 1 + i % 2, std::int64_t{1}, i % 2 == 0 ? 0.5 : 0.25}});
  EXPECT_EQ(look(of, rows).idle, std::vector<std::size_t>{0});
}

TEST_F(LookTest, AWordOfAnAxisIsNoAimEither) {
  Identity asked = identity();
  asked.remarks = {{"pareto", "cost"}, {"pareto", "model"}};
  EXPECT_EQ(look(asked, all()).not_numbers, (std::set<std::size_t>{0}));
}

TEST_F(LookTest, CasesThatAreAsGoodStandOnTheFrontTogether) {
  std::vector<CaseRow> rows = all();
  for (CaseRow& each : rows) {
    each.status = CaseStatus::kAnswer;
    each.cells[5] = each.number % 2 == 0 ? 1.0 : 2.0;
    each.cells[6] = 0.5;
  }
  const Look found = look(identity(), rows);
  ASSERT_TRUE(found.front.has_value());
  ASSERT_EQ(found.front->front.size(), 1U);
  const LookRow& best = found.front->front[0];
  EXPECT_EQ(best.number, 0);
  EXPECT_EQ(best.alike, (std::vector<std::int64_t>{2, 4, 6, 8}));
  EXPECT_EQ(best.more_alike, 15);
  EXPECT_EQ(found.front->cases(), 20);
  EXPECT_EQ(found.front->beaten, 20);
}

TEST_F(LookTest, AnAxisThatChangesNoFigureIsNamed) {
  Identity of{.name = "s", .digest = "d", .version = "1", .cases = 6};
  of.columns = {{"sequence", ColumnKind::kAxis, "", "train.sequence"},
                {"tp", ColumnKind::kAxis, "", "serve.deployment.tp"},
                {"echo", ColumnKind::kFigure, "", "sequence"},
                {"load", ColumnKind::kFigure, "1", "load"}};
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 6; ++i)
    rows.push_back({.number = i,
                    .edits = "{}",
                    .cells = {1000 + i / 2, 1 + i % 2, 1000 + i / 2, i % 2 == 0 ? 0.5 : 0.25}});
  EXPECT_EQ(look(of, rows).idle,
            std::vector<std::size_t>{0});  // It is repeated, and moves nothing.
  rows[5].cells[3] = 0.1;
  EXPECT_TRUE(look(of, rows).idle.empty());
  // Cases that have no answer show no figure.
  for (CaseRow& row : rows) row.status = CaseStatus::kError;
  for (CaseRow& row : rows) row.cells[3] = std::monostate();
  EXPECT_TRUE(look(of, rows).idle.empty());
}

TEST_F(LookTest, MoneyIsTheGoalBeforeOtherFiguresAndFewerGpusAreBetter) {
  Identity of{.name = "s", .digest = "d", .version = "1", .cases = 2};
  of.columns = {{"n", ColumnKind::kAxis, "", "n"},
                {"gpus", ColumnKind::kFigure, "", "gpus"},
                {"best_per_month", ColumnKind::kFigure, "USD/month", "options.0.per_month"}};
  const std::vector<CaseRow> rows{
      {.number = 0, .edits = "{}", .cells = {std::int64_t{5}, std::int64_t{8}, 9.0}},
      {.number = 1, .edits = "{}", .cells = {std::int64_t{6}, std::int64_t{16}, 7.0}}};
  const Look found = look(of, rows);
  ASSERT_TRUE(found.goal.has_value());
  EXPECT_EQ(found.goal->column, 2U);
  ASSERT_TRUE(found.front.has_value());
  EXPECT_EQ(found.front->front.size(), 2U);
}

TEST_F(LookTest, WordsAreNoAimAndThatIsSaid) {
  Identity asked = identity();
  asked.remarks = {{"least", "decision"}};
  const Look found = look(asked, all());
  EXPECT_EQ(found.not_numbers, (std::set<std::size_t>{4}));
  ASSERT_TRUE(found.goal.has_value());
  EXPECT_NE(found.goal->column, 4U);
}

TEST_F(LookTest, ANameThatIsNoColumnIsRefused) {
  Identity slip = identity();
  slip.remarks = {{"least", "costs"}};
  auto results = Results::write_to(path_, slip);
  ASSERT_TRUE(results.has_value());
  const auto found = look_at(*results);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, lf::kUnknownWord);
}

TEST_F(LookTest, EmptyResultsAreNothingToLookAt) {
  const Look found = look(identity(), {});
  EXPECT_TRUE(found.best.empty());
  EXPECT_FALSE(found.phase.has_value());
  EXPECT_TRUE(found.failures.empty());
}

}  // namespace
}  // namespace loadfactor::sweep
