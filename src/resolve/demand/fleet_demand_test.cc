// The demand of a scenario as rates and lengths.
#include "resolve/demand/fleet_demand.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "catalog/load/data_file.h"
#include "config/reading/testing/sound.h"

namespace loadfactor::engine {
namespace {

const catalog::Catalog& shipped() {
  static const catalog::Catalog catalog = [] {
    Diagnostics diagnostics;
    return catalog::Catalog::open(catalog::builtin_files(), diagnostics);
  }();
  return catalog;
}

struct Derived {
  std::optional<FleetDemand> demand;
  std::vector<Notice> notices;
  Diagnostics problems;

  const FleetDemand* operator->() const { return &*demand; }
  int code() const { return problems.empty() ? 0 : problems.errors()[0].code; }
  const Notice* find(std::string_view id) const {
    const auto found = std::find_if(notices.begin(), notices.end(),
                                    [&](const Notice& notice) { return notice.id == id; });
    return found == notices.end() ? nullptr : &*found;
  }
  std::string told(std::string_view id, std::string_view name) const {
    if (const Notice* notice = find(id))
      for (const auto& argument : notice->arguments)
        if (argument.name == name) return argument.text;
    return {};
  }
};

// The demand of a service that serves it, with what else the service says.
Derived derived(const std::string& demand, const std::string& bytes = "",
                const std::string& beside = "", bool fits_trace = true) {
  const auto scenario =
      config::testing::sound("loadfactor: 1\nname: d\nserve:\n  model: llama-3.1-8b\n  demand: {" +
                             demand + "}\n" + beside);
  Derived result;
  result.demand = derive_demand({.scenario = &scenario,
                                 .serve = &*scenario.serve,
                                 .catalog = &shipped(),
                                 .trace_bytes = bytes,
                                 .seed = 1,
                                 .fits_trace = fits_trace},
                                result.notices, result.problems);
  return result;
}

double mean_of(const std::vector<double>& rates) {
  return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

const std::string kLengths = ", tokens_in: 1000, tokens_out: 200";

TEST(FleetDemandTest, RequestsWithoutAShapeComeAtOneRateAllWeek) {
  const auto found = derived("requests_per_second: 5" + kLengths);
  ASSERT_TRUE(found.demand);
  EXPECT_EQ(found->rates.size(), 7U * 24 * 6);
  for (const double rate : found->rates) ASSERT_DOUBLE_EQ(rate, 5);
  EXPECT_EQ(found->windows_per_hour, 6);
  EXPECT_EQ(found->mean(), 5);
  EXPECT_EQ(found->peak(), 5);
  EXPECT_EQ(found->input, 1000);
  EXPECT_EQ(found->output, 200);
  EXPECT_NEAR(found->model.input.mean(), 1000, 1);
  EXPECT_NEAR(found->model.output.mean(), 200, 1);
  EXPECT_FALSE(found->has_shape);
  EXPECT_TRUE(found.find("no-shape"));
  EXPECT_EQ(found->words, "5 requests/s on average, constant");
}

TEST(FleetDemandTest, AShapeMovesTheRatesAndKeepsTheirMean) {
  const auto found =
      derived("requests_per_second: 5, shape: {daily_peak: 2, peak_hour: 9}" + kLengths);
  ASSERT_TRUE(found.demand);
  EXPECT_TRUE(found->has_shape);
  EXPECT_FALSE(found.find("no-shape"));
  EXPECT_NEAR(mean_of(found->rates), 5, 1e-9);
  EXPECT_NEAR(found->peak(), 10, 0.05);
  const auto busiest = std::max_element(found->rates.begin(), found->rates.begin() + 144);
  EXPECT_NEAR(static_cast<double>(busiest - found->rates.begin()) / 6, 9, 0.5);
  EXPECT_EQ(found->words, "5 requests/s on average, daily peak 2");
}

// Noise alone would make one week busier than another; this week has the mean that is asked.
TEST(FleetDemandTest, ANamedShapeWithNoiseHasTheMeanThatIsAsked) {
  const auto found = derived("requests_per_second: 5, shape: global-chat" + kLengths);
  ASSERT_TRUE(found.demand);
  EXPECT_NEAR(mean_of(found->rates), 5, 1e-6);
  EXPECT_GT(found->peak(), 6);
  EXPECT_EQ(found->mean(), 5);
  EXPECT_NEAR(found->model.input.mean(), 1000, 10);  // The words go before the shape's lengths.
  EXPECT_NEAR(found->model.output.mean(), 200, 2);
  EXPECT_EQ(derived("requests_per_second: 5, shape: globl-chat" + kLengths).code(),
            lf::kUnknownPreset);
}

// Where users are in two places half the globe apart, one's day is the other's night.
TEST(FleetDemandTest, DaysOfOtherPlacesComeLaterByTheSun) {
  const std::string asked =
      "requests_per_second: 5, shape: {daily_peak: 2, peak_hour: 9}" + kLengths;
  const auto one = derived(asked);
  const auto same = derived(asked, "", "  regions: [{name: us-texas, share: 100 %}]\n");
  EXPECT_NEAR(same->peak(), one->peak(), 1e-9);
  const auto at = [&](const char* name) {
    const auto region = shipped().find_region(name);
    return (*region)->location->longitude;
  };
  for (const char* other : {"germany", "japan", "australia"}) {
    const auto two = derived(asked, "",
                             fmt::format("  regions: [{{name: us-texas, share: 0.01 %}}, {{name: "
                                         "{}, share: 99.99 %}}]\n",
                                         other));
    ASSERT_TRUE(two.demand) << other;
    // Fifteen degrees are an hour, and the sun comes from the east; a day has no place of its own.
    double later = 9 + (at("us-texas") - at(other)) / 15;
    later -= 24 * std::floor(later / 24);
    const auto busiest = std::max_element(two->rates.begin() + 144, two->rates.begin() + 288);
    const double hour = static_cast<double>(busiest - two->rates.begin() - 144) / 6;
    const double apart = std::abs(hour - later);
    EXPECT_LT(std::min(apart, 24 - apart), 0.5) << other;
    EXPECT_NEAR(mean_of(two->rates), 5, 1e-6);
  }
}

TEST(FleetDemandTest, AServiceWithoutADemandHasNothingToFill) {
  const auto scenario =
      config::testing::sound("loadfactor: 1\nname: d\nserve: {model: llama-3.1-8b}\n");
  std::vector<Notice> notices;
  Diagnostics problems;
  EXPECT_FALSE(derive_demand(
      {.scenario = &scenario, .serve = &*scenario.serve, .catalog = &shipped(), .trace_bytes = {}},
      notices, problems));
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems.errors()[0].code, lf::kNothingToFill);
}

// Ten requests a minute apart at first, then one a minute: 600 s hold windows of their own.
std::string requests(int count, double gap) {
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i <= count; ++i)
    text += fmt::format("{},{},{}\n", gap * i, 90 + 20 * (i % 2), 7 + 2 * (i % 2));
  return text;
}

TEST(FleetDemandTest, ShortTracesAreCutIntoEqualWindowsThatHoldAllOfThem) {
  const auto found = derived("trace: t.csv", requests(1350, 2));  // 2,700 s: four and a half.
  ASSERT_TRUE(found.demand) << render(found.problems);
  EXPECT_EQ(found->rates.size(), 5U);
  EXPECT_NEAR(found->windows_per_hour, 3600 / 540.0, 1e-9);
  EXPECT_NEAR(mean_of(found->rates) * 2700, 1351, 1e-6);
  EXPECT_NEAR(found->rates[0], 0.5, 1e-9);          // One in two seconds,
  EXPECT_NEAR(found->rates[4], 271 / 540.0, 1e-9);  // the last one at the very end.
  EXPECT_NEAR(found->input, 100, 0.1);
  EXPECT_NEAR(found->output, 8, 0.1);
  EXPECT_EQ(found->words, "the traffic of t.csv");
  EXPECT_EQ(found->trace->size(), 1351U);
  EXPECT_NEAR(found->model.base.base(), 0.5, 0.01);
  EXPECT_NEAR(found->model.input.mean(), 100, 2);
  const auto brief = derived("trace: t.csv", requests(10, 2));
  EXPECT_EQ(brief->rates.size(), 1U);
}

TEST(FleetDemandTest, ATraceIsScaledAndNotFittedWhereNobodyWantsMoreOfIt) {
  const auto found = derived("trace: t.csv, scale: 3", requests(1350, 2), "", false);
  ASSERT_TRUE(found.demand);
  EXPECT_NEAR(found->mean(), 1.5, 0.05);
  EXPECT_EQ(found->words, "3 times the traffic of t.csv");
  EXPECT_TRUE(found->model.input.empty());
}

TEST(FleetDemandTest, LengthsStandInTheTraceOrInTheScenarioAndNotInBoth) {
  const auto code = [](const char* words) {
    return derived(std::string("trace: t.csv") + words, requests(100, 2)).code();
  };
  EXPECT_EQ(code(""), 0);
  EXPECT_EQ(code(", tokens_in: 100"), lf::kContradictoryKeys);
  EXPECT_EQ(code(", tokens_out: 100"), lf::kContradictoryKeys);
  // No answer is written: that is no length.
  const auto scored = derived("trace: t.csv, tokens_out: 0", requests(100, 2));
  ASSERT_TRUE(scored.demand);
  EXPECT_EQ(scored->output, 0);
  for (const auto& request : scored->trace->requests) ASSERT_EQ(request.output, 1);
}

TEST(FleetDemandTest, AFileWithoutRequestsOverTimeIsNoDemand) {
  EXPECT_EQ(derived("trace: t.csv", "input_tokens,output_tokens\n156,67\n115,390\n").code(),
            lf::kNothingToFill);
  EXPECT_NE(derived("trace: t.csv", requests(0, 2)).code(), 0);
  EXPECT_EQ(derived("trace: t.csv", requests(1, 2)).code(), 0);
}

TEST(FleetDemandTest, RowsThatWereDroppedAreSaidWithTheFirstLine) {
  std::string text = requests(100, 2);
  text += "x,1,1\n300,-5,1\n";
  const auto found = derived("trace: t.csv", text);
  ASSERT_TRUE(found.demand) << render(found.problems);
  EXPECT_EQ(found.told("rows-dropped", "dropped"), "2");
  EXPECT_EQ(found.told("rows-dropped", "line"), "103");
  EXPECT_FALSE(derived("trace: t.csv", requests(100, 2)).find("rows-dropped"));
}

std::string rates(const std::vector<double>& values, const char* lengths = "") {
  const bool has_lengths = *lengths != 0;
  std::string text = "window_start_s,window_s,rate_rps";
  text += has_lengths ? ",mean_tokens_in,mean_tokens_out\n" : "\n";
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{},1800,{}{}\n", 1800 * i, values[i], lengths);
  return text;
}

TEST(FleetDemandTest, RecordedRatesNeedLengthsFromSomewhere) {
  const std::vector<double> day(48, 4.0);
  EXPECT_EQ(derived("trace: r.csv", rates(day)).code(), lf::kMissingKey);
  EXPECT_EQ(derived("trace: r.csv, tokens_in: 800", rates(day)).code(), lf::kMissingKey);
  const auto found = derived("trace: r.csv, tokens_in: 800, tokens_out: 50", rates(day));
  ASSERT_TRUE(found.demand) << render(found.problems);
  EXPECT_EQ(found->input, 800);
  EXPECT_EQ(found->output, 50);
  EXPECT_EQ(found->windows_per_hour, 2);  // As wide as they were recorded.
  EXPECT_NEAR(found->mean(), 4, 1e-9);
  EXPECT_TRUE(found->profile);
  const auto twice = derived("trace: r.csv, scale: 2, tokens_in: 800, tokens_out: 50", rates(day));
  EXPECT_NEAR(twice->mean(), 8, 1e-9);
  const auto said = derived("trace: r.csv", rates(day, ",700,30"));
  ASSERT_TRUE(said.demand) << render(said.problems);
  EXPECT_NEAR(said->input, 700, 7);
  EXPECT_NEAR(said->output, 30, 1);
  EXPECT_EQ(derived("trace: r.csv, tokens_in: 800", rates(day, ",700,30")).code(),
            lf::kContradictoryKeys);
}

TEST(FleetDemandTest, AnAnswerOfNoTokensIsSimulatedAsOne) {
  for (const char* tokens : {"0", "1"}) {
    const auto found =
        derived(fmt::format("requests_per_second: 5, tokens_in: 1000, tokens_out: {}", tokens));
    ASSERT_TRUE(found.demand);
    EXPECT_EQ(found->output, *tokens - '0');
    EXPECT_NEAR(found->model.output.mean(), 1, 1e-9);
  }
  const auto two = derived("requests_per_second: 5, tokens_in: 1000, tokens_out: 2");
  EXPECT_NEAR(two->model.output.mean(), 2, 0.1);
}

// Half a day at 1 and half at 3 requests per second: with a day to wait, 2 are let through.
TEST(FleetDemandTest, WorkThatMayWaitIsHeldToASteadierRate) {
  std::vector<double> day(48, 1.0);
  std::fill(day.begin() + 24, day.end(), 3.0);
  const std::string words = "trace: r.csv, tokens_in: 800, tokens_out: 50";
  const auto held = derived(words, rates(day), "  deadline: 24 h\n");
  ASSERT_TRUE(held.demand) << render(held.problems);
  ASSERT_TRUE(held->queue);
  EXPECT_NEAR(held->queue->most, 2, 0.01);
  EXPECT_NEAR(held->peak(), 2, 0.01);
  EXPECT_NEAR(held->mean(), 2, 0.01);
  EXPECT_EQ(held.told("deadline", "busiest"), "3");
  EXPECT_EQ(held.told("deadline", "most"), "2");
  EXPECT_FALSE(derived(words, rates(day))->queue);
  // A tenth of the deadline is the replica's. What 12 hours at 3 leave behind a rate r is there
  // within 1.8 hours where (3 - r) · 12 is r · 1.8.
  const auto brief = derived(words, rates(day), "  deadline: 2 h\n");
  EXPECT_NEAR(brief->queue->most, 3 * 12 / 13.8, 0.02);
  EXPECT_LE(brief->queue->longest / kHour, 1.8 * (1 + 1e-6));
  EXPECT_GT(brief->queue->longest / kHour, 1.7);
}

TEST(FleetDemandTest, ADescribedWeekAndATraceAreHeldToo) {
  const std::string asked = "requests_per_second: 5, shape: {daily_peak: 2}" + kLengths;
  const auto held = derived(asked, "", "  deadline: 24 h\n");
  ASSERT_TRUE(held->queue);
  EXPECT_NEAR(held->peak(), 5, 0.01);
  EXPECT_NEAR(mean_of(held->rates), 5, 0.01);
  EXPECT_TRUE(held->has_shape);
  EXPECT_NEAR(held->model.input.mean(), 1000, 1);
  EXPECT_NEAR(held->model.output.mean(), 200, 1);
  EXPECT_FALSE(derived(asked)->queue);
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i < 2000; ++i)  // 1,000 at once in an hour, then 1,000 in another.
    text += fmt::format("{},100,10\n", i < 1000 ? 0.6 * i : 3600 + 3.6 * (i - 1000));
  const auto trace = derived("trace: t.csv", text, "  deadline: 24 h\n");
  ASSERT_TRUE(trace.demand) << render(trace.problems);
  ASSERT_TRUE(trace->queue);
  EXPECT_LT(trace->peak(), derived("trace: t.csv", text)->peak());
  EXPECT_EQ(trace->trace->size(), 2000U);
}

TEST(FleetDemandTest, NobodySendsMoreThanTheModelTakes) {
  catalog::ModelSpec model;
  model.context = 1000;
  FleetDemand demand;
  const auto lengths_of = [&](catalog::ModelTask task) {
    model.task = task;
    demand.model.input.most = demand.week_model.input.most = 5000;
    demand.model.output.most = demand.week_model.output.most = 5000;
    clip_lengths(model, demand);
    EXPECT_EQ(demand.model.input.most, demand.week_model.input.most);
    return std::pair(demand.model.input.most, demand.model.output.most);
  };
  EXPECT_EQ(lengths_of(catalog::ModelTask::kGenerate), std::pair(750, 250));
  EXPECT_EQ(lengths_of(catalog::ModelTask::kEmbed), std::pair(1000, 5000));
  demand.model.input.most = 10;
  clip_lengths(model, demand);
  EXPECT_EQ(demand.model.input.most, 10);  // Short ones stay.
  model.context = 0;
  EXPECT_EQ(lengths_of(catalog::ModelTask::kGenerate), std::pair(5000, 5000));
}

TEST(FleetDemandTest, AShapeIsCheckedByItsName) {
  const auto is_known = [](const std::string& shape) {
    const auto scenario = config::testing::sound(
        "loadfactor: 1\nname: d\nserve:\n  model: llama-3.1-8b\n  demand: {requests_per_second: "
        "5, tokens_in: 10, tokens_out: 10" +
        shape + "}\n");
    Diagnostics problems;
    const bool is_sound = check_shape({.scenario = &scenario,
                                       .serve = &*scenario.serve,
                                       .catalog = &shipped(),
                                       .trace_bytes = {}},
                                      problems);
    EXPECT_EQ(is_sound, problems.empty());
    return is_sound;
  };
  EXPECT_TRUE(is_known(""));
  EXPECT_TRUE(is_known(", shape: chat"));
  EXPECT_TRUE(is_known(", shape: {daily_peak: 2}"));
  EXPECT_FALSE(is_known(", shape: of-nobody"));
}

TEST(FleetDemandTest, WindowsThatAreMissingAreNoPeak) {
  FleetDemand demand;
  EXPECT_EQ(demand.peak(), 0);
  demand.rates = {-1, -1};
  EXPECT_EQ(demand.peak(), 0);
  demand.rates = {-1, 2, 1};
  EXPECT_EQ(demand.peak(), 2);
}

}  // namespace
}  // namespace loadfactor::engine
