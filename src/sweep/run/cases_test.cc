// What a case asks: values that are legal together, and tables of several scenarios.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sweep/run/run_fixture.h"

namespace loadfactor::sweep {
namespace {

TEST_F(SweepRunTest, OneTextIsOneValueWhereverASampleRepeatsIt) {
  const auto cases = table(
      "scenario: s.yaml\nverb: serve\nsamples:\n  method: saltelli\n  count: 16\n  over:\n"
      "    - {key: money.electricity, from: 0.05 USD/kWh, to: 0.35 USD/kWh}\n"
      "    - {key: serve.demand.requests_per_month, from: 0.1 M, to: 0.7 M}\n"
      "    - {key: serve.demand.tokens_in, from: 500, to: 4000, whole: true}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  std::map<std::pair<std::size_t, std::string>, std::set<CellValue>> seen;
  const Sweep& sweep = cases->maker().file().sweep;
  for (std::int64_t number = 0; number < sweep.cases(); ++number) {
    const auto cells = cases->maker().make(number).axes;
    const auto& values = sweep.blocks[0].points[static_cast<std::size_t>(number)].values;
    for (std::size_t t = 0; t < cells.size(); ++t) seen[{t, values[t].text}].insert(cells[t]);
  }
  for (const auto& [text, cells] : seen) EXPECT_EQ(cells.size(), 1U) << text.second;
  EXPECT_LT(static_cast<std::int64_t>(seen.size()), sweep.cases() * 3) << "texts repeat";
}

TEST_F(SweepRunTest, WhatYamlReadsAsNothingIsRefusedUnlessItIsNull) {
  for (const char* cell : {"\"#h200-sxm\"", "~", "Null"}) {
    diagnostics_ = {};
    files_.texts["t.csv"] = fmt::format("hardware\nl40s\n{}\n", cell);
    EXPECT_EQ(table("scenario: s.yaml\nverb: serve\ncases: t.csv\n"), nullptr) << cell;
    ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
    EXPECT_EQ(diagnostics_.errors().front().where.line, 3U);
    EXPECT_NE(diagnostics_.errors().front().message.find("sets nothing"), std::string::npos);
  }
}

TEST_F(SweepRunTest, UnitsDoNotMakeTwoValuesOfOne) {
  EXPECT_EQ(table("scenario: s.yaml\nverb: serve\naxes:\n"
                  "  - {key: money.electricity, values: [0.2 USD/kWh, 200 USD/MWh]}\n"),
            nullptr);
  EXPECT_NE(render(diagnostics_).find("is the same value as"), std::string::npos);
}

TEST_F(SweepRunTest, OneValueInTwoSpellingsIsRefused) {
  EXPECT_EQ(table("scenario: s.yaml\nverb: serve\naxes:\n"
                  "  - {key: serve.demand.tokens_in, values: [1500, 1.5 K]}\n"),
            nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kDuplicateName);
}

TEST_F(SweepRunTest, KeysOfAChoiceAreReadTogether) {
  const std::string head = "scenario: s.yaml\nverb: serve\naxes:\n  - choices:\n";
  const auto choice = [](const char* month, const char* second) {
    return fmt::format(
        "      - {{serve.demand.requests_per_month: {}, serve.demand.requests_per_second: {}}}\n",
        month, second);
  };
  const auto cases = table(head + choice("2 M", "null") + choice("null", "5"));
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  for (const CaseRow& row : run(*cases, "choices", {.numbers = {0, 1}}))
    EXPECT_EQ(row.status, CaseStatus::kAnswer) << row.error;
  EXPECT_EQ(table(head + choice("2 M", "null") + choice("2 M", "5")), nullptr)
      << "the rate is given twice";
}

// Virtual stages need a pipeline, and the layout of the scenario has none.
constexpr const char* kTraining = R"(loadfactor: 1
name: training
train:
  model: llama-3.1-8b
  precision: bf16
  tokens: 100 B
  sequence: 4096
  global_batch: 512
  layout: {gpus: 64, tp: 2, pp: 1}
hardware: [h100-sxm]
)";

TEST_F(SweepRunTest, AValueThatIsLegalOnlyWithAnotherAxisIsJudgedInTheCase) {
  files_.texts["t.yaml"] = kTraining;
  const auto cases = table(
      "scenario: t.yaml\nverb: train\naxes:\n"
      "  - {key: train.layout.pp, values: [1, 4]}\n"
      "  - {key: train.layout.vp, values: [null, 2]}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto done = run(*cases, "pairs", {.numbers = {0, 1, 2, 3}});
  ASSERT_EQ(done.size(), 4U);
  for (const std::size_t good : {0U, 2U, 3U})
    EXPECT_NE(done[good].status, CaseStatus::kError) << good << ": " << done[good].error;
  EXPECT_EQ(done[1].status, CaseStatus::kError);
  EXPECT_EQ(done[1].code, lf::kContradictoryKeys) << done[1].error;
}

// 64 GPUs in two ways: neither degree of the second goes with one of the first.
TEST_F(SweepRunTest, DegreesThatDivideTheGpusOnlyTogetherAreACase) {
  files_.texts["t.yaml"] = kTraining;
  const auto cases = table(
      "scenario: t.yaml\nverb: train\naxes:\n"
      "  - {key: train.layout.tp, values: [2, 8]}\n"
      "  - {key: train.layout.dp, values: [32, 8, null]}\n"
      "filters: ['tp * dp == 64 or dp == null']\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto open = cases->open_cases({}, 0, 1);
  EXPECT_EQ(open, (std::vector<std::int64_t>{0, 2, 4, 5}));
  for (const CaseRow& row : run(*cases, "degrees", {.numbers = open}))
    EXPECT_NE(row.status, CaseStatus::kError) << row.number << ": " << row.error;
}

TEST_F(SweepRunTest, SizesOfAMachineMayEachNeedADegreeOfTheirOwn) {
  files_.texts["t.yaml"] = kTraining;
  const auto cases = table(
      "scenario: t.yaml\nverb: train\naxes:\n"
      "  - {key: train.layout.gpus, values: [64, 96]}\n"
      "  - {key: train.layout.dp, values: [32, 48]}\n"
      "  - {key: train.global_batch, values: [512, 480]}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto done = run(*cases, "sizes", {.numbers = {0, 2, 7}});
  ASSERT_EQ(done.size(), 3U);
  EXPECT_NE(done[0].status, CaseStatus::kError) << done[0].error;
  EXPECT_EQ(done[1].code, lf::kNotDivisible) << "48 · 2 is not 64: " << done[1].error;
  EXPECT_NE(done[2].status, CaseStatus::kError) << done[2].error;
}

TEST_F(SweepRunTest, AScenarioMayContradictItselfWhereEveryCaseDoesNot) {
  std::string alone = kTraining;
  alone.replace(alone.find("pp: 1}"), 6, "pp: 1, dp: 5}");
  files_.texts["t.yaml"] = alone;
  const std::string head = "scenario: t.yaml\nverb: train\naxes:\n";
  const auto cases = table(head + "  - {key: train.layout.dp, values: [32, 16, null]}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto done = run(*cases, "alone", {.numbers = {0, 1, 2}});
  ASSERT_EQ(done.size(), 3U);
  EXPECT_NE(done[0].status, CaseStatus::kError) << done[0].error;
  EXPECT_NE(done[2].status, CaseStatus::kError) << done[2].error;
  EXPECT_EQ(table(head + "  - {key: train.global_batch, values: [256, 512]}\n"), nullptr)
      << "no case mends it";
  EXPECT_FALSE(diagnostics_.empty());
}

TEST_F(SweepRunTest, AnEmptyCellHasTheScenariosValueEvenWhereTheScenarioDoesNotReadAlone) {
  std::string alone = kTraining;
  alone.replace(alone.find("pp: 1}"), 6, "pp: 1, dp: 5}");
  files_.texts["t.yaml"] = alone;
  files_.texts["c.csv"] = "train.layout.dp,train.layout.tp\n8,8\n32,\n";
  const auto cases = table("scenario: t.yaml\nverb: train\ncases: c.csv\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  EXPECT_EQ(cases->maker().make(1).axes[1], CellValue(std::int64_t{2}));
}

TEST_F(SweepRunTest, PairsThatAreWrongTogetherAreNoAnswers) {
  files_.texts["t.yaml"] = kTraining;
  const auto cases = table(
      "scenario: t.yaml\nverb: train\naxes:\n"
      "  - {key: limits.gpus, values: [32, 64]}\n"
      "  - {key: train.layout.gpus, values: [32, 64]}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto done = run(*cases, "together", {.numbers = {0, 1, 2, 3}});
  ASSERT_EQ(done.size(), 4U);
  for (const std::size_t good : {0U, 2U, 3U})
    EXPECT_NE(done[good].status, CaseStatus::kError) << good << ": " << done[good].error;
  EXPECT_EQ(done[1].status, CaseStatus::kError) << "64 GPUs where 32 are allowed";
  EXPECT_EQ(done[1].code, lf::kInconsistentFigures) << done[1].error;
}

TEST_F(SweepRunTest, AValueThatNoCaseAllowsIsRefusedWithTheFormThatSetsKeysTogether) {
  files_.texts["t.yaml"] = kTraining;
  EXPECT_EQ(table("scenario: t.yaml\nverb: train\naxes:\n"
                  "  - {key: train.layout.vp, values: [2]}\n"
                  "  - {key: train.global_batch, values: [256, 512]}\n"),
            nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_EQ(diagnostics_.errors()[0].where.line, 6U);
  EXPECT_NE(diagnostics_.errors()[0].hint.find("choices"), std::string::npos)
      << diagnostics_.errors()[0].hint;
}

TEST_F(SweepRunTest, RowsOfSeveralScenariosLeaveBlankWhatIsNotTheirs) {
  files_.texts["t.yaml"] = kTraining;
  files_.texts["c.csv"] =
      "verb,scenario,serve.demand.tokens_in,train.layout.tp,seed\n"
      "train,t.yaml,,4,\nserve,s.yaml,800,,7\ntrain,t.yaml,,,8\nserve,s.yaml,,,\n";
  const auto cases = table("cases: c.csv\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto done = run(*cases, "mixed", {.numbers = {0, 1, 2, 3}});
  ASSERT_EQ(done.size(), 4U);
  for (const CaseRow& row : done) EXPECT_NE(row.status, CaseStatus::kError) << row.error;
  EXPECT_EQ(done[0].cells[2], CellValue()) << "training has no prompts";
  EXPECT_EQ(done[2].cells[3], CellValue(std::int64_t{2})) << "as the scenario has it";
  EXPECT_EQ(done[3].cells[2], CellValue(1500.0));
  EXPECT_EQ(done[0].cells[4], CellValue(std::int64_t{1})) << "the seed of every other question";
  EXPECT_EQ(done[3].edits, R"({"verb": "serve", "scenario": "s.yaml"})");
  const auto tp_of = [&](std::int64_t number) {
    const auto made = cases->maker().make(number);
    const auto& about = std::get<TrainQuestion>(*made.question).about;
    return config::to_text(about.scenario.value("train.layout.tp"));
  };
  EXPECT_EQ(tp_of(0), "4");
  EXPECT_EQ(tp_of(2), "2");
}

TEST_F(SweepRunTest, AKeyOfAnotherKindOfScenarioIsNoAnswer) {
  files_.texts["t.yaml"] = kTraining;
  const auto cases = table(
      "scenario: [t.yaml, s.yaml]\nverb: plan\naxes:\n"
      "  - {key: train.layout.tp, values: [2]}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto made = cases->maker().make(1);
  EXPECT_FALSE(made.question.has_value()) << "a service with a layout and no training";
}

}  // namespace
}  // namespace loadfactor::sweep
