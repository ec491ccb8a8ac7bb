// What stands out in results: checked against rows whose best, front and map are known.
#include "sweep/look/look.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error_codes.h"

namespace loadfactor::sweep {
namespace {

namespace fs = std::filesystem;

class LookTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove(path_); }
  void TearDown() override { fs::remove(path_); }

  // traffic × price, the verdict by a line between them.
  static Identity identity() {
    Identity out{.name = "x", .digest = "d", .version = "1", .cases = 40};
    out.columns = {{"model", ColumnKind::kAxis, "", "serve.model"},
                   {"size", ColumnKind::kAxis, "", "limits.gpus"},
                   {"traffic", ColumnKind::kAxis, "", "traffic"},
                   {"price", ColumnKind::kAxis, "USD/token", "price"},
                   {"decision", ColumnKind::kFigure, "", "decision"},
                   {"cost", ColumnKind::kFigure, "USD/month", "cost"},
                   {"load", ColumnKind::kFigure, "1", "load_factor"}};
    out.remarks = {{"least", "cost"},      {"pareto", "cost"},   {"pareto", "-load"},
                   {"phase.x", "traffic"}, {"phase.y", "price"}, {"phase.shows", "decision"}};
    return out;
  }
  static CaseRow row(std::int64_t number) {
    const std::int64_t model = number / 20;
    const std::int64_t traffic = number / 4 % 5;
    const std::int64_t price = number % 4;
    CaseRow out{.number = number};
    const double scale = std::pow(10.0, static_cast<double>(traffic));
    out.cells = {std::string(model == 0 ? "small" : "large"),
                 model == 0 ? std::int64_t{8} : 64,
                 scale,
                 static_cast<double>(price + 1) * 1e-6,
                 std::string(traffic + price > 4 ? "own GPUs" : "use the API"),
                 scale * static_cast<double>(price + 1),
                 static_cast<double>(traffic) / 5};
    out.edits = "{\"serve.model\": \"" + std::string(model == 0 ? "small" : "large") +
                "\", \"limits.gpus\": \"[8]\", \"traffic\": \"" + std::to_string(traffic) +
                " M\", \"price\": \"" + std::to_string(price + 1) + " USD/M tokens\"}";
    if (number % 20 == 19) {
      out.status = CaseStatus::kInfeasible;
      out.code = 102;
      out.error = "tp " + std::to_string(number) + " does not divide 64 heads";
      for (std::size_t i = 4; i < 7; ++i) out.cells[i] = std::monostate();
    }
    return out;
  }
  Look look(const Identity& of, const std::vector<CaseRow>& rows) const {
    fs::remove(path_);
    auto results = Results::write_to(path_, of);
    EXPECT_TRUE(results.has_value());
    std::vector<std::pair<CaseRow, double>> timed;
    for (const CaseRow& each : rows) timed.emplace_back(each, 0.1);
    EXPECT_TRUE(results->add(timed, false).has_value());
    const auto found = look_at(*results);
    EXPECT_TRUE(found.has_value()) << found.error().message;
    return found ? *found : Look();
  }
  static std::vector<CaseRow> all() {
    std::vector<CaseRow> rows;
    for (std::int64_t i = 0; i < 40; ++i) rows.push_back(row(i));
    return rows;
  }

  std::string path_ =
      (fs::temp_directory_path() / ("lf-look-" + std::to_string(getpid()) + ".sqlite")).string();
};

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

TEST_F(LookTest, FailuresOfOneReasonAreOneRowWhateverTheNumbersInIt) {
  const Look found = look(identity(), all());
  ASSERT_EQ(found.failures.size(), 1U);
  EXPECT_EQ(found.failures[0].count, 2);
  EXPECT_EQ(found.failures[0].example, 19);
  EXPECT_EQ(found.failures[0].code, 102);
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
