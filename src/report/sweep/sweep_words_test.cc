// Numbers of one column look alike, and counts in words are those of the tables.
#include "report/sweep/sweep_words.h"

#include <sstream>

#include <gtest/gtest.h>

#include "report/sweep/number_style.h"
#include "report/sweep/sweep_report.h"

namespace loadfactor::report {
namespace {

std::vector<std::string> texts(const std::vector<double>& numbers, const std::string& unit) {
  sweep::Spread spread;
  for (const double number : numbers) spread.take(number);
  std::vector<std::string> out;
  for (const double number : numbers) out.push_back(column_number_text(number, unit, spread));
  return out;
}
using Texts = std::vector<std::string>;

TEST(ColumnNumbers, HaveOneUnitAndOneNumberOfDigits) {
  EXPECT_EQ(texts({0.95, 1.2}, "s"), (Texts{"0.95 s", "1.20 s"}));
  EXPECT_EQ(texts({0.5, 30}, "1"), (Texts{"0.50", "30.00"})) << "not both a share and a count";
  EXPECT_EQ(texts({0.5, 0.512}, "1"), (Texts{"50.0 %", "51.2 %"}));
  EXPECT_EQ(texts({12345, 12345.6}, ""), (Texts{"12,345", "12,346"})) << "no power of ten";
  EXPECT_EQ(texts({8, 1024}, ""), (Texts{"8", "1,024"}));
}

TEST(ColumnNumbers, AreDollarsOfOneKind) {
  EXPECT_EQ(texts({950, 1'234'567}, "USD"), (Texts{"$950", "$1,234,567"}));
  EXPECT_EQ(texts({0.5, 12.4}, "USD"), (Texts{"$0.50", "$12.40"}));
  EXPECT_EQ(texts({-12.5, 20}, "USD/h"), (Texts{"-$12.50/h", "$20.00/h"}));
  EXPECT_EQ(texts({0.00012, 0.0034}, "USD"), (Texts{"$0.00012", "$0.00340"}));
}

TEST(ColumnNumbers, ThatLieFarApartHaveTheUnitThatSuitsEach) {
  EXPECT_EQ(texts({0.001, 100}, "s"), (Texts{"1 ms", "100 s"}));
}

sweep::Look look_of(std::int64_t done, std::int64_t cases) {
  sweep::Look look;
  look.identity.name = "x";
  look.identity.cases = cases;
  look.tally.done = done;
  look.tally.answers = done;
  return look;
}

TEST(SweepWords, CasesThatFiltersLeaveOutAreNotMissing) {
  sweep::Look look = look_of(53, 80);
  EXPECT_EQ(sweep_done_words(look), "53 of 80 cases");
  look.has_filters = true;
  EXPECT_EQ(sweep_done_words(look), "53 of 80 cases (before filters)");
  look.counting = 53;
  EXPECT_EQ(sweep_done_words(look), "53 cases (27 of 80 are left out by filters)");
  look.tally.done = 40;
  EXPECT_EQ(sweep_done_words(look), "40 of 53 cases (27 of 80 are left out by filters)");
  EXPECT_EQ(sweep_done_words(look_of(80, 80)), "80 cases");
}

TEST(SweepWords, AFrontTellsItsCasesAndTheRowsOfItsTable) {
  sweep::Front front;
  front.front.resize(3);
  EXPECT_EQ(sweep_front_words(front), "3 cases");
  front.front[0].alike = {4, 5};
  EXPECT_EQ(sweep_front_words(front), "5 cases in 3 rows");
}

// Two axes with long names, two aims behind them, and a map whose places hold several cases.
sweep::Look crowded() {
  sweep::Look look = look_of(8, 8);
  using sweep::ColumnKind;
  for (int i = 0; i < 6; ++i)
    look.identity.columns.push_back({"a_long_name_of_an_axis_" + std::to_string(i),
                                     ColumnKind::kAxis, "", "k" + std::to_string(i)});
  look.identity.columns.push_back({"cost", ColumnKind::kFigure, "USD", "cost"});
  look.identity.columns.push_back({"speed", ColumnKind::kFigure, "", "speed"});
  look.spreads.resize(look.identity.columns.size());
  sweep::LookRow row{.number = 3};
  for (std::size_t i = 0; i < 6; ++i) {
    look.axes.push_back({.column = i,
                         .is_number = true,
                         .values = {std::int64_t{1}, std::int64_t{2}},
                         .labels = {"1", "2"}});
    row.cells.emplace_back(std::int64_t{1});
  }
  row.cells.emplace_back(12.5);
  row.cells.emplace_back(77.0);
  look.goal = sweep::Aim{6, false};
  look.best = {row};
  look.as_good = 2;
  look.front = sweep::Front{.aims = {{6, false}, {7, true}}, .front = {row}, .beaten = 7};
  sweep::PhaseMap map{.x = 0, .y = 1, .shows = 6, .is_number = true};
  map.words = {"infeasible", "error"};
  map.panels = {
      {"",
       {{.x = 0, .y = 0, .cases = 4, .number = 10, .numbers = 3, .share = 0.75},
        {.x = 1, .y = 0, .cases = 1, .number = 20, .numbers = 1},
        {.x = 0, .y = 1, .cases = 2, .word = "error", .share = 0.5, .tied = {"infeasible"}}}}};
  look.phase = map;
  return look;
}

TEST(SweepText, ATableOfCasesKeepsTheFiguresThatTheyAreChosenBy) {
  const std::string text = sweep_text(crowded(), {.width = 80});
  const std::string front = text.substr(text.find("Pareto front"));
  EXPECT_NE(front.find("$12.50"), std::string::npos) << text;
  EXPECT_NE(front.find("77"), std::string::npos) << text;
}

TEST(SweepText, SentencesAreNoWiderThanTheTerminal) {
  std::istringstream text(sweep_text(crowded(), {.width = 80}));
  for (std::string line; std::getline(text, line);) {
    const bool is_sentence = line.find("case") != std::string::npos && line.find(": ") != line.npos;
    if (!is_sentence) continue;
    EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(SweepText, ABestThatIsTiedIsSaidToBe) {
  EXPECT_NE(sweep_verdict(crowded()).find("2 other cases are as good"), std::string::npos);
  EXPECT_EQ(sweep_verdict(look_of(1, 1)).find("as good"), std::string::npos);
}

TEST(SweepText, AMapSaysWhereCasesHaveNoNumberAndWhereWordsAreTied) {
  const sweep::Look look = crowded();
  const auto& cells = look.phase->panels[0].cells;
  EXPECT_EQ(sweep_place_mark(look, *look.phase, cells[0]), "$10.00*");
  EXPECT_EQ(sweep_place_mark(look, *look.phase, cells[1]), "$20.00");
  EXPECT_EQ(sweep_place_mark(look, *look.phase, cells[2]), "B/A");
  const std::string text = sweep_text(look, {.width = 80});
  EXPECT_NE(text.find("means of the cases at a place"), std::string::npos) << text;
  EXPECT_NE(text.find("others have none"), std::string::npos) << text;
  EXPECT_NE(text.find("as many cases"), std::string::npos) << text;
  const std::string json = sweep_json(look);
  EXPECT_NE(json.find("\"mean_of\": 3"), std::string::npos) << json;
}

TEST(SweepText, ASampleThatIsNotDoneIsSaidToBe) {
  sweep::Look look = look_of(8, 16);
  EXPECT_EQ(sweep_indices_words(look), "");
  look.sample_open = 8;
  EXPECT_NE(sweep_indices_words(look).find("8 cases of the sample"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::report
