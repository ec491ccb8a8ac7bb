// Cases of a sweep: what each asks follows from its number, and what comes out does not depend on
// who ran it.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sweep/run/run_fixture.h"

namespace loadfactor::sweep {
namespace {

// Members that are threads of this process; the first one serves and works, as ranks do.
class ThreadCrew final : public Crew {
 public:
  explicit ThreadCrew(int size) : size_(size) {}
  int rank() const override { return 0; }
  int size() const override { return size_; }
  void farm(const std::vector<std::int64_t>& numbers, const Work& work, const Take& take,
            const std::function<bool()>& is_stopped) override {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::vector<std::thread> members;
    for (int i = 0; i < size_; ++i)
      members.emplace_back([&] {
        for (std::size_t at = 0; (at = next++) < numbers.size();) {
          std::string bytes = work(numbers[at]);
          const std::lock_guard lock(mutex);
          if (!is_stopped()) take(numbers[at], std::move(bytes));
        }
      });
    for (std::thread& member : members) member.join();
  }
  std::vector<std::string> share(std::size_t count, const Work& work) override {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(work(static_cast<std::int64_t>(i)));
    return out;
  }

 private:
  int size_;
};

TEST_F(SweepRunTest, TheSameRowsComeFromThreadsACrewAndOneByOne) {
  const auto cases = table(kFits);
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  RunAsk ask{.numbers = cases->open_cases({}, 0, 1)};
  ASSERT_EQ(ask.numbers.size(), 18U);
  const auto one = run(*cases, "one", ask);
  ask.jobs = 3;
  EXPECT_EQ(run(*cases, "three", ask), one);
  ThreadCrew crew(4);
  EXPECT_EQ(run(*cases, "crew", ask, &crew), one);
  ASSERT_EQ(one.size(), 18U);
  EXPECT_EQ(one[0].status, CaseStatus::kAnswer);
  EXPECT_EQ(one[17].status, CaseStatus::kError);
  EXPECT_EQ(one[17].code, lf::kUnknownAccelerator);
  EXPECT_EQ(one[17].edits, R"({"--gpu": "no-such-chip", "--context": "64000"})");
}

TEST_F(SweepRunTest, ShardsPartTheCasesAndLeaveOutWhatIsDone) {
  const auto cases = table(kFits);
  ASSERT_NE(cases, nullptr);
  std::set<std::int64_t> seen;
  for (int shard = 0; shard < 4; ++shard)
    for (const std::int64_t number : cases->open_cases({}, shard, 4)) {
      EXPECT_EQ(number % 4, shard);
      EXPECT_TRUE(seen.insert(number).second);
    }
  EXPECT_EQ(seen.size(), 18U);
  EXPECT_EQ(cases->open_cases({0, 4, 8}, 0, 4), (std::vector<std::int64_t>{12, 16}));
}

TEST_F(SweepRunTest, FitTakesModelAndMachineFromTheScenarioAndItsEdits) {
  const auto cases = table(
      "scenario: s.yaml\nverb: fit\naxes:\n"
      "  - {key: serve.deployment.gpu, name: chip, values: [h100-sxm, h200-sxm]}\n"
      "  - {key: serve.demand.tokens_in, values: [1500, 60000]}\n"
      "keep: {figures: {gpu: layout.accelerator, context: layout.context}}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto done = run(*cases, "fit", {.numbers = cases->open_cases({}, 0, 1)});
  ASSERT_EQ(done.size(), 4U);
  for (const CaseRow& row : done) EXPECT_EQ(row.error, "") << row.number;
  EXPECT_EQ(done[0].cells[2], CellValue(std::string("h100-sxm")));
  EXPECT_EQ(done[2].cells[2], CellValue(std::string("h200-sxm")));
  EXPECT_EQ(done[0].cells[3], CellValue(std::int64_t{2000})) << "the prompt and its answer";
  EXPECT_EQ(done[1].cells[3], CellValue(std::int64_t{60500}));
}

TEST_F(SweepRunTest, AnAxisThatFitPassesOverIsRefusedWhereItStandsAlone) {
  const std::string axis =
      "axes:\n  - {key: serve.slo.ttft_p95, values: [1 s, 2 s]}\n"
      "  - {key: serve.deployment.gpu, values: [h100-sxm]}\n";
  EXPECT_EQ(table("scenario: s.yaml\nverb: fit\n" + axis), nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_EQ(diagnostics_.errors()[0].where.line, 6U);
  diagnostics_ = {};
  EXPECT_NE(table("scenario: s.yaml\nverb: [fit, serve]\n" + axis), nullptr)
      << render(diagnostics_);
}

TEST_F(SweepRunTest, ThePriceOfTheBestWayToPayIsKeptUnlessFiguresAreNamed) {
  const auto cases =
      table("scenario: s.yaml\nverb: cost\naxes:\n  - {key: limits.gpus, values: [8]}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto& columns = cases->identity().columns;
  const auto price = std::find_if(columns.begin(), columns.end(), [](const ResultColumn& column) {
    return column.name == "best_per_month";
  });
  ASSERT_NE(price, columns.end());
  EXPECT_EQ(price->unit, "USD/month");
  EXPECT_EQ(price->meaning, "options.0.per_month");
}

TEST_F(SweepRunTest, AFigureWithFieldsIsAskedForByOneOfThem) {
  const auto cases = table(
      "scenario: s.yaml\nverb: fit\naxes:\n"
      "  - {key: serve.demand.tokens_in, values: [1500]}\nkeep: {figures: {where: layout}}\n");
  EXPECT_EQ(cases, nullptr);
  ASSERT_EQ(diagnostics_.errors().size(), 1U);
  EXPECT_EQ(diagnostics_.errors()[0].code, lf::kWrongType);
  EXPECT_NE(diagnostics_.errors()[0].hint.find("'layout."), std::string::npos)
      << diagnostics_.errors()[0].hint;
}

TEST_F(SweepRunTest, AnOptionOfTheSweepWinsOverTheScenario) {
  const auto cases = table(
      "scenario: s.yaml\nverb: fit\noptions: {gpu: l40s}\naxes:\n"
      "  - {key: serve.demand.tokens_in, values: [1500, 3000]}\n"
      "keep: {figures: {gpu: layout.accelerator}}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto done = run(*cases, "given", {.numbers = {0}});
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].cells[1], CellValue(std::string("l40s")));
}

TEST_F(SweepRunTest, AFigureOfAVerbThatCannotBeAskedIsRefusedWithTheReason) {
  EXPECT_EQ(table("scenario: s.yaml\nverb: [serve, fit]\naxes:\n"
                  "  - {key: --context, values: [1000, 2000]}\n"
                  "keep: {figures: {most: saturated}}\n"),
            nullptr);
  const std::string told = render(diagnostics_);
  EXPECT_NE(told.find("'saturated'"), std::string::npos) << told;
  EXPECT_NE(told.find("has no option 'context'"), std::string::npos) << told;
}

TEST_F(SweepRunTest, AReportNamesColumnsOfNumbersWhetherFiguresAreNamedOrNot) {
  const std::string head =
      "scenario: s.yaml\nverb: plan\naxes:\n"
      "  - {key: serve.demand.tokens_in, values: [1500, 3000]}\n";
  const auto refused = [&](const std::string& report) {
    diagnostics_ = {};
    EXPECT_EQ(table(head + "report: " + report + "\n"), nullptr) << report;
    EXPECT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
    return diagnostics_.empty() ? std::string() : diagnostics_.errors()[0].message;
  };
  EXPECT_NE(refused("{least: no_such_figure}").find("is called"), std::string::npos);
  EXPECT_NE(refused("{most: decision}").find("holds words"), std::string::npos);
  EXPECT_NE(refused("{phase: {x: load_factor}}").find("over axes"), std::string::npos);
  EXPECT_NE(refused("{phase: {shows: tokens_in}}").find("shows a figure"), std::string::npos);
  diagnostics_ = {};
  EXPECT_NE(table(head + "report: {most: load_factor, pareto: [best_per_month, -load_factor]}\n"),
            nullptr)
      << render(diagnostics_);
}

TEST_F(SweepRunTest, AColumnOfAnIntervalMayNotMeetAnother) {
  const std::string head =
      "scenario: s.yaml\nverb: plan\naxes:\n"
      "  - {key: serve.demand.tokens_in, values: [1500, 3000]}\n";
  const auto keep = [&](const char* name) {
    return head + "keep: {intervals: true, figures: {load: load_factor, " + name +
           ": break_even}}\n";
  };
  ASSERT_NE(table(keep("needed")), nullptr) << render(diagnostics_);
  EXPECT_EQ(table(keep("LOAD_low")), nullptr);
  ASSERT_FALSE(diagnostics_.empty());
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kDuplicateName);
}

TEST_F(SweepRunTest, AFileThatWasMissingMayBeSuppliedAndItsCasesRunAgain) {
  files_.texts["a.csv"] = "time,tokens_in,tokens_out\n0,100,10\n1,100,10\n";
  const auto choice = [](const char* file) {
    return fmt::format(
        "      - {{serve.demand.trace: {}, serve.demand.requests_per_month: null,\n"
        "         serve.demand.tokens_in: null, serve.demand.tokens_out: null}}\n",
        file);
  };
  const std::string text =
      "scenario: s.yaml\nverb: serve\naxes:\n  - choices:\n" + choice("a.csv") + choice("b.csv");
  const auto before = table(text);
  ASSERT_NE(before, nullptr) << render(diagnostics_);
  const auto failed = run(*before, "supplied", {.numbers = {0, 1}});
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_EQ(failed[1].code, lf::kCannotRead) << failed[1].error;
  files_.texts["b.csv"] = files_.texts["a.csv"];
  const auto after = table(text);
  ASSERT_NE(after, nullptr);
  const auto refused = Results::write_to(at("supplied"), after->identity());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("--retry-failed"), std::string::npos) << refused.error().hint;
  {
    auto results = Results::write_to(at("supplied"), after->identity(), true);
    ASSERT_TRUE(results) << results.error().message;
    ASSERT_TRUE(run_cases(*after, *engine_, *results, {.numbers = {1}, .replaces_errors = true}));
  }
  EXPECT_NE(rows(at("supplied"))[1].status, CaseStatus::kError);
  EXPECT_TRUE(Results::write_to(at("supplied"), after->identity())) << "they are one sweep now";
  files_.texts["a.csv"] += "2,100,10\n";
  EXPECT_FALSE(Results::write_to(at("supplied"), table(text)->identity(), true))
      << "a file that changed is another matter";
}

TEST_F(SweepRunTest, AWordThatIsNoNumberIsRefusedWhereItStands) {
  const std::string head = "verb: fit\noptions: {model: llama-3.1-8b, gpu: h100-sxm";
  EXPECT_EQ(table(head + "}\naxes:\n  - {key: --util, values: [0.5, nan]}\n"), nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_EQ(diagnostics_.errors()[0].where.line, 6U);
  EXPECT_EQ(diagnostics_.errors()[0].where.column, 33U);
  diagnostics_ = {};
  EXPECT_EQ(table(head + ", util: nan}\naxes:\n  - {key: --context, values: [1000]}\n"), nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_EQ(diagnostics_.errors()[0].where.line, 4U);
}

TEST_F(SweepRunTest, AnAxisTurnsOffWhatTheOptionsTurnOn) {
  const auto cases = table(
      "scenario: s.yaml\nverb: serve\noptions: {simulate: true}\n"
      "axes:\n  - {key: --simulate, values: [true, false]}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto simulated = cases->maker().make(0);
  const auto plain = cases->maker().make(1);
  ASSERT_TRUE(simulated.question && plain.question);
  EXPECT_NE(verb_of(*simulated.question), verb_of(*plain.question));
}

TEST_F(SweepRunTest, TheSeedOfACaseIsTheOneInItsRow) {
  const auto cases =
      table("scenario: s.yaml\nverb: plan\naxes:\n  - {key: seed, values: [1, 1e3]}\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  const auto made = cases->maker().make(1);
  ASSERT_TRUE(made.question.has_value());
  EXPECT_EQ(std::get<PlanQuestion>(*made.question).settings.seed, 1000U);
}

TEST_F(SweepRunTest, EveryFileThatAnAxisNamesIsAnInput) {
  files_.texts["a.csv"] = "time,tokens_in,tokens_out\n0,100,10\n1,100,10\n";
  files_.texts["b.csv"] = "time,tokens_in,tokens_out\n0,200,10\n1,100,10\n";
  const char* const axes =
      "scenario: s.yaml\nverb: serve\naxes:\n"
      "  - choices:\n"
      "      - {serve.demand.trace: a.csv, serve.demand.requests_per_month: null,\n"
      "         serve.demand.tokens_in: null, serve.demand.tokens_out: null}\n"
      "      - {serve.demand.trace: b.csv, serve.demand.requests_per_month: null,\n"
      "         serve.demand.tokens_in: null, serve.demand.tokens_out: null}\n";
  const auto digest = [&] {
    const auto cases = table(axes);
    EXPECT_NE(cases, nullptr) << render(diagnostics_);
    return cases == nullptr ? std::string() : cases->identity().digest;
  };
  const std::string before = digest();
  files_.texts["b.csv"] += "2,100,10\n";
  EXPECT_NE(digest(), before) << "results of other traffic are not mixed with these";
}

TEST_F(SweepRunTest, FitTakesTheSameFromACaseWhetherAnswersAreKeptOrNot) {
  const std::string text =
      "scenario: s.yaml\nverb: fit\naxes:\n"
      "  - {key: serve.deployment.gpu, values: [h100-sxm, h200-sxm]}\n"
      "  - {key: serve.deployment.tp, values: [1, 2]}\n";
  const auto plain = table(text + "keep: {figures: {kv: kv_tokens}}\n");
  const auto whole = table(text + "keep: {answer: true, figures: {kv: kv_tokens}}\n");
  ASSERT_TRUE(plain != nullptr && whole != nullptr) << render(diagnostics_);
  const auto a = run(*plain, "plain", {.numbers = {0, 1, 2, 3}});
  const auto b = run(*whole, "whole", {.numbers = {0, 1, 2, 3}});
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].cells, b[i].cells) << i;
  EXPECT_NE(a[0].cells.back(), a[3].cells.back());
}

TEST_F(SweepRunTest, AStoppedRunKeepsWhatIsDoneAndNoMore) {
  const auto cases = table(kFits);
  ASSERT_NE(cases, nullptr);
  const std::atomic<bool> stop{true};
  EXPECT_TRUE(run(*cases, "stopped", {.numbers = {0, 1, 2}, .stop = &stop}).empty());
}

TEST_F(SweepRunTest, FailedCasesAreReplacedOnlyWhereAsked) {
  const auto cases = table(kFits);
  ASSERT_NE(cases, nullptr);
  auto results = Results::write_to(at("retry"), cases->identity());
  ASSERT_TRUE(results.has_value());
  CaseRow failed{.number = 0, .status = CaseStatus::kError, .code = 900, .error = "by hand"};
  failed.cells.resize(cases->identity().columns.size());
  ASSERT_TRUE(results->add({{failed, 0}}, false).has_value());
  ASSERT_TRUE(run_cases(*cases, *engine_, *results, {.numbers = {0}}).has_value());
  EXPECT_EQ((*results->row(0))->status, CaseStatus::kError);
  ASSERT_TRUE(
      run_cases(*cases, *engine_, *results, {.numbers = {0}, .replaces_errors = true}).has_value());
  EXPECT_EQ((*results->row(0))->status, CaseStatus::kAnswer);
}

TEST_F(SweepRunTest, WhatIsWrongIsSaidBeforeAnyCaseRuns) {
  EXPECT_EQ(table("scenario: nowhere.yaml\nverb: plan\naxes:\n  - {key: seed, values: [1, 2]}\n"),
            nullptr);
  ASSERT_FALSE(diagnostics_.empty());
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kCannotRead);
  diagnostics_ = {};
  EXPECT_EQ(table("scenario: s.yaml\nverb: serve\naxes:\n  - {key: --no-such, values: [1, 2]}\n"),
            nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << "both values have the same mistake";
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kUsage);
  diagnostics_ = {};
  EXPECT_EQ(table("scenario: s.yaml\nverb: serve\naxes:\n"
                  "  - {key: serve.demand.tokens_in, values: [1500, many]}\n"),
            nullptr);
  ASSERT_FALSE(diagnostics_.empty());
  EXPECT_EQ(diagnostics_.errors().front().where.line, 6U);
}

TEST_F(SweepRunTest, TheFileOfTheGuideIsASweep) {
  const auto text_of = [](const char* path) {
    std::ifstream file(fs::path(LF_SOURCE_DIR) / path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string guide = text_of("docs/sweep.md");
  const std::string mark = "```yaml\n";
  const std::size_t begin = guide.find(mark) + mark.size();
  files_.texts["../scenarios/support-chat.yaml"] = text_of("data/scenarios/support-chat.yaml");
  files_.texts["cases.csv"] = "serve.demand.tokens_out\n100\n200\n";
  const auto cases = table_of_file(guide.substr(begin, guide.find("```\n", begin) - begin));
  EXPECT_NE(cases, nullptr) << render(diagnostics_);
}

}  // namespace
}  // namespace loadfactor::sweep
