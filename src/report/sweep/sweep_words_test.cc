// Numbers of one column look alike, and counts in words are those of the tables.
#include "report/sweep/sweep_words.h"

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

}  // namespace
}  // namespace loadfactor::report
