// Filters of a sweep against the cases that it has.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sweep/run/run_fixture.h"

namespace loadfactor::sweep {
namespace {

TEST_F(SweepRunTest, FiltersLeaveCasesOutAndTheirNumbersStay) {
  const auto cases = table(std::string(kFits) + "filters: [\"gpu != 'l40s'\"]\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto open = cases->open_cases({}, 0, 1);
  EXPECT_EQ(open.size(), 12U);
  EXPECT_EQ(open[5], 5);
  EXPECT_EQ(open[6], 12);
  const auto& remarks = cases->identity().remarks;
  EXPECT_NE(std::find(remarks.begin(), remarks.end(),
                      std::pair<std::string, std::string>("counting", "12")),
            remarks.end());
}

TEST_F(SweepRunTest, FiltersThatLeaveNothingAreRefusedAtTheirLine) {
  EXPECT_EQ(table(std::string(kFits) +
                  "filters: [\"gpu == 'h100-sxm' and context < 5000 and context > 5000\"]\n"),
            nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_EQ(diagnostics_.errors().front().message, "the filter lets no case through");
  EXPECT_EQ(diagnostics_.errors().front().where.line, 8U);
}

TEST_F(SweepRunTest, AFilterThatTakesNothingOutIsRefusedWithTheUnitsOfTheResults) {
  EXPECT_EQ(table("scenario: s.yaml\nverb: serve\naxes:\n"
                  "  - {key: money.electricity, values: [0.05 USD/kWh, 0.3 USD/kWh]}\n"
                  "filters: [\"electricity < 0.1\"]\n"),
            nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  const Error& error = diagnostics_.errors().front();
  EXPECT_EQ(error.message, "the filter takes no case out");
  EXPECT_NE(error.hint.find("electricity in USD/J"), std::string::npos) << error.hint;
  EXPECT_EQ(error.hint.find("context"), std::string::npos) << error.hint;
}

TEST_F(SweepRunTest, AComparisonThatNoCaseCanHaveIsRefusedInsideAnOrToo) {
  const auto refused = [&](const std::string& filter) {
    diagnostics_ = {};
    EXPECT_EQ(table(std::string(kFits) + "filters: [\"" + filter + " or context > 1000\"]\n"),
              nullptr)
        << filter;
    const auto& errors = diagnostics_.errors();
    return errors.empty() ? std::string() : errors.front().message + "; " + errors.front().hint;
  };
  EXPECT_NE(refused("gpu == 'h100-sxn'").find("did you mean 'h100-sxm'"), std::string::npos);
  EXPECT_NE(refused("gpu == 100").find("holds words"), std::string::npos);
  EXPECT_NE(refused("context == '8000'").find("holds numbers"), std::string::npos);
  EXPECT_NE(refused("context == 777").find("holds for no case"), std::string::npos);
  EXPECT_NE(refused("context > 0").find("holds for every case"), std::string::npos);
  EXPECT_NE(refused("0 > context").find("context < 0 holds for no case"), std::string::npos);
  EXPECT_NE(refused("context > 1 GB").find("leave out the unit"), std::string::npos);
}

TEST_F(SweepRunTest, AFilterComparesInTheUnitsThatPeopleWrite) {
  const std::string text =
      "scenario: s.yaml\nverb: serve\naxes:\n"
      "  - {key: money.electricity, values: [0.05 USD/kWh, 0.1 USD/kWh, 0.3 USD/kWh]}\n";
  const auto open = [&](const char* filter) {
    diagnostics_ = {};
    const auto cases = table(text + "filters: [\"" + filter + "\"]\n");
    return cases == nullptr ? std::vector<std::int64_t>() : cases->open_cases({}, 0, 1);
  };
  EXPECT_EQ(open("electricity <= 0.1 USD/kWh"), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(open("electricity == 100 USD/MWh"), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(open("electricity * 2 > 10 cents/kWh"), (std::vector<std::int64_t>{}));
  EXPECT_EQ(open("electricity > 10 GB"), (std::vector<std::int64_t>{}));
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_EQ(diagnostics_.errors().front().message,
            "'electricity' is in USD/J, and is compared with a number in B");
}

TEST_F(SweepRunTest, AFilterIsInTheCurrencyOfTheScenarioOrInDollarsAtItsRate) {
  files_.texts["s.yaml"] =
      std::string(kService) + "money: {currency: {code: EUR, per_usd: 0.8, date: 2026-11-01}}\n";
  const auto open = [&](const char* filter) {
    diagnostics_ = {};
    const auto cases = table(
        "scenario: s.yaml\nverb: serve\naxes:\n"
        "  - {key: money.electricity, values: [0.2 EUR/kWh, 0.2 USD/kWh]}\nfilters: [\"" +
        std::string(filter) + "\"]\n");
    return cases == nullptr ? std::vector<std::int64_t>() : cases->open_cases({}, 0, 1);
  };
  EXPECT_EQ(open("electricity == 0.2 USD/kWh"), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(open("electricity == 0.2 EUR/kWh"), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(open("electricity < 0.17 EUR/kWh"), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(open("electricity < 0.17 USD/kWh"), (std::vector<std::int64_t>{}));
  EXPECT_NE(render(diagnostics_).find("EUR/J"), std::string::npos) << render(diagnostics_);
  EXPECT_EQ(open("electricity < 0.17 GBP/kWh"), (std::vector<std::int64_t>{}));
  EXPECT_NE(render(diagnostics_).find("is in EUR, and this is in GBP"), std::string::npos)
      << render(diagnostics_);
}

TEST_F(SweepRunTest, AFilterMayAskForKeysThatAreTakenOut) {
  const std::string text =
      "scenario: s.yaml\nverb: serve\naxes:\n"
      "  - {key: limits.gpus, values: [8, 16, null]}\n";
  const auto open = [&](const char* filter) {
    const auto cases = table(text + "filters: [\"" + filter + "\"]\n");
    EXPECT_NE(cases, nullptr) << render(diagnostics_);
    return cases == nullptr ? std::vector<std::int64_t>() : cases->open_cases({}, 0, 1);
  };
  EXPECT_EQ(open("gpus == null"), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(open("gpus != 8"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(open("not gpus == 8"), open("gpus != 8"));
}

TEST_F(SweepRunTest, ThousandsOfAnOptionAreNumbersToAFilter) {
  const auto cases = table(
      "verb: fit\noptions: {model: llama-3.1-8b, gpu: h100-sxm}\naxes:\n"
      "  - {key: --context, values: [500, 1 K, 2 K, 4000]}\nfilters: [\"context >= 1000\"]\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  EXPECT_EQ(cases->open_cases({}, 0, 1).size(), 3U);
}

}  // namespace
}  // namespace loadfactor::sweep
