// The map of a sweep: its axes, bins, words and means.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sweep/look/testing/look_fixture.h"

namespace loadfactor::sweep {
namespace {

TEST_F(LookTest, AMapShowsWordsOnlyWhereTheySortTheCasesIntoAFewKinds) {
  Identity unasked = identity();
  unasked.remarks = {{"least", "cost"}};
  std::vector<CaseRow> rows = all();
  const Look verdicts = look(unasked, rows);
  ASSERT_TRUE(verdicts.phase && verdicts.phase->shows);
  EXPECT_EQ(*verdicts.phase->shows, 4U);
  for (CaseRow& each : rows) each.cells[4] = "case " + std::to_string(each.number);
  const Look sentences = look(unasked, rows);
  ASSERT_TRUE(sentences.phase && sentences.phase->shows);
  EXPECT_EQ(*sentences.phase->shows, 5U);
}

TEST_F(LookTest, TheMapHasAPanelForEachModelAndTheVerdictAtItsPlace) {
  const Look found = look(identity(), all());
  ASSERT_TRUE(found.phase.has_value());
  ASSERT_EQ(found.phase->panels.size(), 2U) << "the size follows the model and is no panel";
  EXPECT_EQ(found.phase->panels[0].name, "small");
  EXPECT_EQ(found.axes[found.phase->x].labels.front(), "0 M") << "as the sweep writes it";
  EXPECT_TRUE(found.axes[found.phase->x].is_log);
  for (const PhaseCell& cell : found.phase->panels[1].cells) {
    const bool is_last = cell.x == 4 && cell.y == 3;
    EXPECT_EQ(cell.word, is_last               ? "infeasible"
                         : cell.x + cell.y > 4 ? "own GPUs"
                                               : "use the API")
        << cell.x << " " << cell.y;
  }
}

TEST_F(LookTest, AMeanSaysOfHowManyOfTheCasesItIs) {
  Identity of = identity();
  of.remarks = {{"phase.x", "traffic"}, {"phase.y", "model"}, {"phase.shows", "cost"}};
  of.columns[3].meaning = "seed";  // Repetitions, which a place of the map counts.
  std::vector<CaseRow> rows = all();
  const Look found = look(of, rows);
  ASSERT_TRUE(found.phase.has_value());
  ASSERT_EQ(found.phase->panels.size(), 1U);
  for (const PhaseCell& cell : found.phase->panels[0].cells) {
    const bool has_failed = cell.x == 4;
    EXPECT_EQ(cell.cases, 4);
    EXPECT_EQ(cell.numbers, has_failed ? 3 : 4);
    EXPECT_DOUBLE_EQ(cell.share, has_failed ? 0.75 : 1);
    EXPECT_DOUBLE_EQ(cell.number, std::pow(10.0, cell.x) * (has_failed ? 2 : 2.5));
  }
}

TEST_F(LookTest, WordsThatAsManyCasesSayAreTied) {
  Identity of = identity();
  of.remarks = {{"phase.x", "traffic"}, {"phase.y", "model"}, {"phase.shows", "decision"}};
  of.columns[3].meaning = "seed";
  const Look found = look(of, all());
  ASSERT_TRUE(found.phase.has_value());
  for (const PhaseCell& cell : found.phase->panels[0].cells) {
    // Four prices: those above 4 - traffic are for own GPUs; the last of all is infeasible.
    if (cell.x == 3) {
      EXPECT_EQ(cell.word, "own GPUs");
      EXPECT_EQ(cell.tied, std::vector<std::string>{"use the API"});
      EXPECT_DOUBLE_EQ(cell.share, 0.5);
    } else {
      EXPECT_TRUE(cell.tied.empty()) << cell.x;
    }
  }
}

TEST_F(LookTest, AKeyThatIsTakenOutHasALabelOnTheMap) {
  std::vector<CaseRow> rows = all();
  for (CaseRow& each : rows)
    if (each.number % 4 == 0) {
      each.cells[3] = std::monostate();
      each.edits.replace(each.edits.find("1 USD/M tokens"), 14, "");
    }
  const Look found = look(identity(), rows);
  ASSERT_TRUE(found.phase.has_value());
  const auto& labels = found.axes[found.phase->y].labels;
  EXPECT_NE(std::find(labels.begin(), labels.end(), "–"), labels.end());
}

TEST_F(LookTest, AWordOfACaseThatIsNotFeasibleIsNoAnswerOfTheMap) {
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 40; ++i) {
    rows.push_back(row(i));
    if (rows.back().status == CaseStatus::kInfeasible) rows.back().cells[4] = "own GPUs";
  }
  const Look found = look(identity(), rows);
  ASSERT_TRUE(found.phase.has_value());
  const auto& words = found.phase->words;
  EXPECT_NE(std::find(words.begin(), words.end(), "infeasible"), words.end());
}

TEST_F(LookTest, SampledAxesAreAllShown) {
  Identity sampled{.name = "s", .digest = "d", .version = "1", .cases = 20};
  sampled.columns = {{"a", ColumnKind::kAxis, "", "a"},
                     {"b", ColumnKind::kAxis, "", "b"},
                     {"cost", ColumnKind::kFigure, "USD", "cost"}};
  sampled.remarks = {{"least", "cost"}, {"sampled", "a"}, {"sampled", "b"}};
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 20; ++i) {
    const auto x = static_cast<double>(i);
    rows.push_back({.number = i, .edits = "{}", .cells = {x, 20 - x, x}});
  }
  for (const SeenAxis& axis : look(sampled, rows).axes) EXPECT_FALSE(axis.follows);
}

TEST_F(LookTest, ValuesThatRoundAlikeStayApart) {
  Identity close{.name = "s", .digest = "d", .version = "1", .cases = 4};
  close.columns = {{"u", ColumnKind::kAxis, "", "--util"},
                   {"cost", ColumnKind::kFigure, "USD", "cost"}};
  std::vector<CaseRow> rows;
  for (const auto& [number, text] :
       {std::pair(0, "0.802571"), std::pair(1, "0.803428"), std::pair(2, "0.804285")})
    rows.push_back({.number = number,
                    .edits = fmt::format("{{\"--util\": \"{}\"}}", text),
                    .cells = {std::stod(text), 1.0}});
  const Look found = look(close, rows);
  const std::set<std::string> labels(found.axes[0].labels.begin(), found.axes[0].labels.end());
  EXPECT_EQ(labels.size(), 3U);
}

TEST_F(LookTest, BinsOfManyValuesReachTheLast) {
  Identity many{.name = "s", .digest = "d", .version = "1", .cases = 6000};
  many.columns = {{"n", ColumnKind::kAxis, "", "n"}, {"cost", ColumnKind::kFigure, "USD", "cost"}};
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 6000; ++i)
    rows.push_back({.number = i, .edits = "{}", .cells = {i, 1.0}});
  EXPECT_DOUBLE_EQ(look(many, rows).axes[0].range.second, 5999);
}

TEST_F(LookTest, BinsAreInTheUnitThatIsWritten) {
  Identity many{.name = "s", .digest = "d", .version = "1", .cases = 100};
  many.columns = {{"power", ColumnKind::kAxis, "USD/J", "money.electricity"},
                  {"cost", ColumnKind::kFigure, "USD", "cost"}};
  constexpr double kJoules = 3.6e6;
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 100; ++i) {
    const double price = 0.1 + 0.001 * static_cast<double>(i);
    rows.push_back({.number = i,
                    .edits = fmt::format("{{\"money.electricity\": \"{} USD/kWh\"}}", price),
                    .cells = {price / kJoules, price}});
  }
  const Look found = look(many, rows);
  ASSERT_TRUE(found.axes[0].is_binned);
  EXPECT_EQ(found.axes[0].unit, "USD/kWh");
  EXPECT_NEAR(found.axes[0].scale * kJoules, 1, 1e-9);
  EXPECT_TRUE(found.axes[0].labels[0].starts_with("0.1–")) << found.axes[0].labels[0];
  rows[7].edits = "{\"money.electricity\": \"107 USD/MWh\"}";
  EXPECT_EQ(look(many, rows).axes[0].unit, "");  // Two units are none.
}

TEST_F(LookTest, BinsFollowHowTheValuesWereSpread) {
  Identity many{.name = "s", .digest = "d", .version = "1", .cases = 100};
  many.columns = {{"even", ColumnKind::kAxis, "", "even"},
                  {"log", ColumnKind::kAxis, "", "log"},
                  {"cost", ColumnKind::kFigure, "USD", "cost"}};
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 100; ++i) {
    const double share = static_cast<double>(i) / 99;
    rows.push_back(
        {.number = i, .edits = "{}", .cells = {1 + 999 * share, std::pow(20, share), share}});
  }
  const Look found = look(many, rows);
  EXPECT_FALSE(found.axes[0].is_log);  // However far its ends are apart.
  EXPECT_TRUE(found.axes[1].is_log);
}

TEST_F(LookTest, AMapLeavesOutAxesThatChangeNothingAndFiguresThatRepeatAnAxis) {
  Identity of{.name = "s", .digest = "d", .version = "1", .cases = 24};
  of.columns = {{"idle", ColumnKind::kAxis, "", "--idle"},
                {"tp", ColumnKind::kAxis, "", "serve.deployment.tp"},
                {"chip", ColumnKind::kAxis, "", "hardware"},
                {"gpu", ColumnKind::kFigure, "", "gpu"},
                {"verdict", ColumnKind::kFigure, "", "decision"}};
  std::vector<CaseRow> rows;
  for (std::int64_t i = 0; i < 24; ++i) {
    const std::string chip = i % 2 == 0 ? "a" : "b";
    rows.push_back({.number = i,
                    .edits = "{}",
                    .cells = {i / 6, i / 2 % 3, "[" + chip + "]", chip,
                              std::string(i / 2 % 3 + i % 2 > 1 ? "own" : "api")}});
  }
  const Look found = look(of, rows);
  EXPECT_EQ(found.idle, std::vector<std::size_t>{0});
  ASSERT_TRUE(found.phase.has_value());
  EXPECT_EQ((std::set{found.phase->x, found.phase->y}), (std::set<std::size_t>{1, 2}));
  EXPECT_EQ(found.phase->shows, 4U) << "the chip of a case is what was asked";
  EXPECT_EQ(found.phase->panels.size(), 1U);
  EXPECT_EQ(found.phase->panels[0].cells.front().cases, 4);
}

TEST_F(LookTest, ASentenceAboutEachCaseIsNoVerdictOfAMap) {
  Identity of = identity();
  of.remarks = {};
  of.columns.insert(of.columns.begin() + 4, {"verdict", ColumnKind::kFigure, "", "verdict"});
  std::vector<CaseRow> rows = all();
  for (CaseRow& row : rows)
    row.cells.insert(row.cells.begin() + 4, std::string(80, row.number % 2 == 0 ? 'a' : 'b'));
  const Look found = look(of, rows);
  ASSERT_TRUE(found.phase && found.phase->shows);
  EXPECT_EQ(of.columns[*found.phase->shows].name, "decision");
}

}  // namespace
}  // namespace loadfactor::sweep
