// Cases of a sweep: what each asks follows from its number, and what comes out does not depend on
// who ran it.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "config/reading/scenario_reader.h"
#include "sweep/run/crew_runner.h"
#include "sweep/run/runner.h"

namespace loadfactor::sweep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kService = R"(loadfactor: 1
name: small
serve:
  model: llama-3.1-8b
  precision: bf16
  demand: {requests_per_month: 1 M, tokens_in: 1500, tokens_out: 500}
  deployment: {gpu: h100-sxm, tp: 1, engine: vllm}
hardware: [h100-sxm]
)";

// Files that are held in memory.
class HeldFiles final : public facade::FileSource {
 public:
  std::map<std::string, std::string> texts;

  Result<InputFile> open(const std::string& path) override {
    const auto found = texts.find(path);
    if (found != texts.end()) return InputFile::of(path, found->second);
    return Error{.code = lf::kCannotRead, .message = "there is no file '" + path + "'"};
  }
  Result<std::vector<InputFile>> open_model(const std::string& path) override {
    TRY(InputFile file, open(path));
    return std::vector<InputFile>{std::move(file)};
  }
  Result<InputFile> open_beside(const std::string& /*scenario*/, const std::string& path) override {
    return open(path);
  }
  Result<std::vector<InputFile>> open_model_beside(const std::string& /*scenario*/,
                                                   const std::string& path) override {
    return open_model(path);
  }
  bool has(const std::string& path) const override { return texts.contains(path); }
  std::string date_of(const std::string& /*path*/) const override { return ""; }
  std::optional<config::Scenario> parse(const std::string& name, const std::string& text,
                                        std::span<const std::string> assignments,
                                        Diagnostics& diagnostics) override {
    return config::parse_scenario(name, text, assignments, diagnostics);
  }
};

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

class SweepRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = Engine::create({}, diagnostics).release();
    ASSERT_NE(engine_, nullptr) << render(diagnostics);
  }
  static void TearDownTestSuite() { delete engine_; }
  void SetUp() override {
    files_.texts["s.yaml"] = kService;
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<CaseTable> table(const std::string& text) {
    return table_of_file("sweep: 1\nname: x\n" + text);
  }
  std::unique_ptr<CaseTable> table_of_file(const std::string& text) {
    auto file = read_sweep(
        "sweep.yaml", text,
        [this](const std::string& path) -> Result<std::string> {
          const auto found = files_.texts.find(path);
          if (found != files_.texts.end()) return found->second;
          return Error{.code = lf::kCannotRead, .message = path};
        },
        diagnostics_);
    if (!file) return nullptr;
    auto maker = CaseMaker::prepare(*std::move(file), "", files_, diagnostics_);
    return maker == nullptr ? nullptr : CaseTable::prepare(std::move(maker), "c", diagnostics_);
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::vector<CaseRow> rows(const std::string& path) {
    std::vector<CaseRow> out;
    const auto results = Results::read_from(path);
    EXPECT_TRUE(results.has_value());
    if (!results) return out;
    EXPECT_TRUE(results
                    ->for_each([&](const CaseRow& row) -> Result<bool> {
                      out.push_back(row);
                      return true;
                    })
                    .has_value());
    return out;
  }
  std::vector<CaseRow> run(const CaseTable& table, const std::string& name, RunAsk ask,
                           Crew* crew = nullptr) const {
    auto results = Results::write_to(at(name), table.identity());
    EXPECT_TRUE(results.has_value());
    const auto done = crew == nullptr ? run_cases(table, *engine_, *results, ask)
                                      : run_with_crew(*crew, table, *engine_, *results, ask);
    EXPECT_TRUE(done.has_value());
    EXPECT_TRUE(results->finish().has_value());
    return rows(at(name));
  }

  static const Engine* engine_;
  HeldFiles files_;
  Diagnostics diagnostics_;
  fs::path folder_ = fs::temp_directory_path() / ("lf-run-test-" + std::to_string(getpid()));
};
const Engine* SweepRunTest::engine_ = nullptr;

constexpr const char* kFits =
    "verb: fit\noptions: {model: llama-3.1-8b}\naxes:\n"
    "  - {key: --gpu, values: [h100-sxm, l40s, no-such-chip]}\n"
    "  - {key: --context, from: 1000, to: 64000, steps: 6, scale: log, whole: true}\n";

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
  EXPECT_EQ(table(std::string(kFits) + "filters: [\"gpu == 'h100-sxm' and context < 0\"]\n"),
            nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U);
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

TEST_F(SweepRunTest, OneValueInTwoSpellingsIsRefused) {
  EXPECT_EQ(table("scenario: s.yaml\nverb: serve\naxes:\n"
                  "  - {key: serve.demand.tokens_in, values: [1500, 1.5 K]}\n"),
            nullptr);
  ASSERT_EQ(diagnostics_.size(), 1U) << render(diagnostics_);
  EXPECT_EQ(diagnostics_.errors().front().code, lf::kDuplicateName);
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

TEST_F(SweepRunTest, ThousandsOfAnOptionAreNumbersToAFilter) {
  const auto cases = table(
      "verb: fit\noptions: {model: llama-3.1-8b, gpu: h100-sxm}\naxes:\n"
      "  - {key: --context, values: [500, 1 K, 2 K, 4000]}\nfilters: [\"context >= 1000\"]\n");
  ASSERT_NE(cases, nullptr) << render(diagnostics_);
  EXPECT_EQ(cases->open_cases({}, 0, 1).size(), 3U);
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
