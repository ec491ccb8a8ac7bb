// The simulator and the closed form are two ways to one figure, on the deployments of published
// results; and what is said of those is computed from them.
#include "validation/inference/simulated_load.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/statistics.h"
#include "config/csv.h"
#include "serving/testing/serving_fixture.h"
#include "validation/inference/client_requests.h"
#include "validation/inference/inference_validation.h"

namespace loadfactor::validation {
namespace {

using serving::LoadKind;
using serving::Metric;

// The sample that ships, read once.
struct Sample {
  Sample() {
    auto& shelf = serving::shipped();
    Diagnostics diagnostics;
    const auto* file = shelf.catalog.find_file("published/serving.csv");
    const auto csv = config::parse_csv(file->shown_as, file->text, diagnostics);
    rows = *read_inference_rows(*csv);
    maker.emplace(shelf.catalog, shelf.hardware, shelf.calibration);
    table = make_inference_runs(rows, *maker);
  }
  std::vector<InferenceRow> rows;
  std::optional<RunMaker> maker;  // Owns the deployments.
  InferenceTable table;
};

const Sample& sample() {
  static const Sample instance;
  return instance;
}

RowLoad loop(double users, double spread) {
  RowLoad load;
  load.kind = LoadKind::kClosedLoop;
  load.input = 800;
  load.output = 300;
  load.concurrency = users;
  load.spread = spread;
  return load;
}

TEST(ClientRequestsTest, MeansAreThoseOfTheLoadWhateverTheSeed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const bool varied : {false, true}) {
      RandomStream random(seed, "test");
      RowLoad load = loop(1, 0.2);
      load.varied = varied;
      const auto requests = client_requests(load, 400, random);
      double in = 0, out = 0;
      for (const auto& request : requests) {
        in += request.prompt / 400.0;
        out += request.output / 400.0;
        if (varied) continue;
        EXPECT_NEAR(request.prompt, 800, 161);
        EXPECT_NEAR(request.output, 300, 61);
      }
      EXPECT_NEAR(in, 800, 3);
      EXPECT_NEAR(out, 300, 2);
    }
  }
}

TEST(ClientRequestsTest, AnswersOfConversationsFallOffExponentially) {
  RandomStream random(1, "test");
  RowLoad load = loop(1, 0);
  load.varied = true;
  auto requests = client_requests(load, 1000, random);
  std::sort(requests.begin(), requests.end(),
            [](const auto& a, const auto& b) { return a.output < b.output; });
  EXPECT_NEAR(requests[500].output, 300 * std::log(2.0), 3);
  EXPECT_NEAR(requests[900].output, 300 * std::log(10.0), 8);
}

TEST(LoadSimulatorTest, TheClosedFormIsHeldToItOnTheDeploymentsThatWereMeasured) {
  const auto constants = serving::shipped().constants;
  LoadSimulator simulator(constants);
  std::map<std::pair<LoadKind, Metric>, std::vector<double>> apart;
  for (const auto& run : sample().table.runs) {
    if (run->metric == Metric::kLatency) continue;
    const auto figures = simulator.figures(*run);
    if (!figures) continue;
    const double ratio = run->predict(constants) / run->value_of(*figures);
    apart[{run->load.kind, run->metric}].push_back(std::abs(std::log(ratio)));
  }
  // In the middle, and for nine of ten: steady loads agree, queues that grow and shrink less.
  struct Held {
    LoadKind kind;
    Metric metric;
    double middle, nine_of_ten;
  };
  for (const Held& held : {Held{LoadKind::kClosedLoop, Metric::kTimePerToken, 0.02, 0.08},
                           Held{LoadKind::kClosedLoop, Metric::kFirstToken, 0.10, 0.30},
                           Held{LoadKind::kOpenLoop, Metric::kTimePerToken, 0.06, 0.35},
                           Held{LoadKind::kOpenLoop, Metric::kFirstToken, 0.16, 0.72},
                           Held{LoadKind::kOpenLoop, Metric::kThroughput, 0.10, 0.30},
                           Held{LoadKind::kBurst, Metric::kTimePerToken, 0.22, 0.60},
                           Held{LoadKind::kBurst, Metric::kFirstToken, 0.12, 0.45},
                           Held{LoadKind::kBurst, Metric::kThroughput, 0.06, 0.25}}) {
    const auto& values = apart[{held.kind, held.metric}];
    const auto name =
        std::string(serving::name(held.kind)) + " " + std::string(serving::name(held.metric));
    ASSERT_GT(values.size(), 20U) << name;
    EXPECT_LT(quantile_nearest_rank(values, 0.5), held.middle) << name;
    EXPECT_LT(quantile_nearest_rank(values, 0.9), held.nine_of_ten) << name;
  }
}

TEST(LoadSimulatorTest, LoadsWithoutAClientAreTheClosedFormsAlone) {
  const auto constants = serving::shipped().constants;
  LoadSimulator simulator(constants);
  for (const auto& run : sample().table.runs) {
    const LoadKind kind = run->load.kind;
    if (kind == LoadKind::kBurst || kind == LoadKind::kClosedLoop || kind == LoadKind::kOpenLoop)
      continue;
    EXPECT_FALSE(simulator.figures(*run)) << run->row.id;
    EXPECT_FALSE(is_simulated(*run, constants)) << run->row.id;
  }
}

// The simulator does not know which prompts begin alike; the closed form knows how much is found.
TEST(RowPredictorTest, PrefixesThatAreFoundShortenFirstTokensOfLoopsAndBursts) {
  auto& shelf = serving::shipped();
  RunMaker maker(shelf.catalog, shelf.hardware, shelf.calibration);
  RowPredictor predictor(shelf.constants);
  constexpr int kEnough = 20;
  int compared = 0;
  for (const auto& run : sample().table.runs) {
    if (compared == kEnough) break;
    const LoadKind kind = run->load.kind;
    const bool has_client = kind == LoadKind::kBurst || kind == LoadKind::kClosedLoop;
    if (!has_client || run->metric != Metric::kFirstToken || run->load.input < 1000) continue;
    EXPECT_TRUE(is_simulated(*run, shelf.constants)) << run->row.id;
    InferenceRow row = run->row;
    row.prefix_hits = 0.9;
    const auto found = maker.make(row);
    ASSERT_TRUE(found) << row.id;
    const double shorter = (*found)->predict(shelf.constants);
    EXPECT_LT(shorter, run->predict(shelf.constants)) << row.id;
    EXPECT_DOUBLE_EQ(predictor.predict(**found), shorter) << row.id;
    ++compared;
  }
  EXPECT_EQ(compared, kEnough);
}

// Errors of the closed form on the sample, by metric, with their weights.
struct Errors {
  std::vector<double> values, weights;
};
std::map<Metric, Errors> closed_form_errors() {
  std::map<Metric, Errors> errors;
  const auto constants = serving::shipped().constants;
  for (const auto& run : sample().table.runs) {
    Errors& of = errors[run->metric];
    of.values.push_back(100 * std::abs(run->predict(constants) / run->measured - 1));
    of.weights.push_back(run->weight);
  }
  return errors;
}

// The median that the refit to all results wrote down for a metric, in sample.
double stored_median(Metric metric) {
  const std::string begin = std::string(serving::name(metric)) + " (";
  for (const std::string& line : serving::shipped().calibration.results) {
    const std::size_t at = line.find("in sample ");
    if (line.starts_with(begin) && at != std::string::npos)
      return std::strtod(line.c_str() + at + 10, nullptr);
  }
  return -1;
}

TEST(ShippedSampleTest, ItHasRowsOfEverySourceKindAndAllOfTheirWeight) {
  const auto& table = sample().table;
  EXPECT_GE(table.runs.size(), 1500U);
  EXPECT_TRUE(table.skipped.empty()) << table.skipped.front().reason;
  EXPECT_TRUE(have_weights(sample().rows));
  std::map<std::string, int> sources;
  std::map<LoadKind, int> kinds;
  for (const auto& run : table.runs) {
    ++sources[run->source];
    ++kinds[run->load.kind];
    EXPECT_TRUE(run->row.notes.empty()) << run->row.id;
  }
  EXPECT_GE(sources.size(), 18U);
  EXPECT_EQ(kinds.size(), serving::kNumLoadKinds);
}

// The sample is one of many that might have been drawn: a thousand drawn from it again say how far
// its median may lie from that of all results.
TEST(ShippedSampleTest, ItsFiguresAreThoseOfAllResultsWithinWhatSamplingExplains) {
  constexpr int kDraws = 1000;
  for (const auto& [metric, errors] : closed_form_errors()) {
    if (errors.values.size() < 100) continue;
    RandomStream random(7, serving::name(metric));
    std::vector<double> medians;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<double> values, weights;
      for (std::size_t i = 0; i < errors.values.size(); ++i) {
        const std::size_t at = random.below(errors.values.size());
        values.push_back(errors.values[at]);
        weights.push_back(errors.weights[at]);
      }
      medians.push_back(quantile_weighted(values, weights, 0.5));
    }
    const double stored = stored_median(metric);
    EXPECT_GE(stored, quantile_nearest_rank(medians, 0.005)) << serving::name(metric);
    EXPECT_LE(stored, quantile_nearest_rank(medians, 0.995)) << serving::name(metric);
  }
}

TEST(ShippedSampleTest, ColumnsSayWhatTheRemarksOfAllResultsSaid) {
  const auto reference =
      std::filesystem::path(LF_SOURCE_DIR).parent_path() / "shared" / "data" / "inference";
  if (!std::filesystem::exists(reference)) GTEST_SKIP() << "no tables of all results beside us";
  auto& shelf = serving::shipped();
  RunMaker maker(shelf.catalog, shelf.hardware, shelf.calibration);
  std::map<std::string, const InferenceRun*> shipped_run;
  for (const auto& run : sample().table.runs) shipped_run[run->row.id] = run.get();
  int compared = 0;
  for (const char* name : {"calibration.csv", "calibration2.csv"}) {
    std::ifstream stream(reference / name);
    Diagnostics diagnostics;
    const auto csv =
        config::parse_csv(name, {std::istreambuf_iterator<char>(stream), {}}, diagnostics);
    const auto rows = read_inference_rows(*csv);
    ASSERT_TRUE(rows);
    for (const InferenceRow& row : *rows) {
      const auto found = shipped_run.find(row.id);
      if (found == shipped_run.end()) continue;
      const auto run = maker.make(row);
      ASSERT_TRUE(run) << row.id;
      EXPECT_NEAR(found->second->predict(shelf.constants) / (*run)->predict(shelf.constants), 1,
                  1e-9)
          << row.id;
      ++compared;
    }
  }
  EXPECT_EQ(compared, static_cast<int>(shipped_run.size()));
}

}  // namespace
}  // namespace loadfactor::validation
