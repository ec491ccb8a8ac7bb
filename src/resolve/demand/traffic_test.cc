#include "resolve/demand/traffic.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "demand/generate.h"
#include "demand/traffic_file.h"

namespace loadfactor::engine {
namespace {

struct Source {
  const char* name;
  std::string text;
  double rate;  // Requests per second.
  bool has_lengths;
};

std::string requests(int count) {
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i <= count; ++i)
    text += std::to_string(0.5 * i) + "," + std::to_string(100 + i % 7) + ",20\n";
  return text;
}

std::string week_of_rates() {
  std::string text = "window_start_s,window_s,rate_rps\n";
  for (int i = 0; i < 7 * 144; ++i)
    text += std::to_string(600 * i) + ",600," + (i % 144 < 72 ? "1" : "3") + "\n";
  return text;
}

// Whatever can be fitted can be read again and makes requests.
TEST(TrafficRoundTripTest, EveryKindOfFileThatHasARateIsFittedAndReadAgain) {
  const std::vector<Source> sources{
      {"many requests.csv", requests(3000), 2, true},
      {"few requests.csv", requests(20), 2, true},
      {"rates: of a week.csv", week_of_rates(), 2, false},
      {"\"query\".json",
       "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{},"
       "\"values\":[[0,\"2\"],[60,\"2\"],[120,\"2\"]]}]}}",
       2, false},
      {"bench.json",
       "{\"duration\": 10.0, \"completed\": 20, \"total_input_tokens\": 300, "
       "\"total_output_tokens\": 60}",
       2, true},
      {"mooncake.jsonl",
       "{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7]}\n"
       "{\"timestamp\": 1000, \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [7]}\n",
       2, true}};
  for (const Source& source : sources) {
    const auto described = describe_demand({.files = {{source.name, source.text}}});
    ASSERT_TRUE(described) << source.name;
    const auto fit = fit_demand(*described, 1);
    ASSERT_TRUE(fit) << source.name;
    EXPECT_EQ(fit->lengths_assumed, !source.has_lengths) << source.name;
    Diagnostics diagnostics;
    const std::string text = demand::traffic_yaml(fit->model);
    const auto again = demand::read_traffic("fitted.yaml", text, diagnostics);
    ASSERT_TRUE(again) << source.name << "\n" << render(diagnostics) << text;
    EXPECT_NEAR(expected_rate(*again).base() / source.rate, 1, 0.1) << source.name;
    EXPECT_EQ(again->source, source.name);
    EXPECT_FALSE(demand::generate(*again, 1, Seconds::from_base(100)).requests.empty());
  }
}

TEST(TrafficRoundTripTest, WithoutARateThereIsNothingToFit) {
  for (const char* text : {"input_tokens,output_tokens\n156,67\n115,390\n",
                           "job_id,submit_time,gpu_num,duration_s,queue_s\n"
                           "a,2023-05-17 11:00:58+00:00,64,18.0,10.0\n"}) {
    const auto described = describe_demand({.files = {{"f", text}}});
    ASSERT_TRUE(described) << text;
    const auto fit = fit_demand(*described, 1);
    ASSERT_FALSE(fit) << text;
    EXPECT_EQ(fit.error().code, lf::kNotDemand);
  }
}

// A quarter of an hour each at two rates, with requests that know nothing of each other.
std::string two_rates(double first, double second) {
  std::mt19937 draw(1);
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  double at = 0;
  for (int i = 0; at < 1800; ++i) {
    text += std::to_string(at) + "," + std::to_string(100 + i % 7) + ",20\n";
    const double share = (static_cast<double>(draw()) + 0.5) / 4294967296.0;
    at += -std::log(share) / (at < 900 ? first : second);
  }
  return text;
}

std::vector<FarFigure> unseen_of(const std::string& name, const std::string& text) {
  const auto described = describe_demand({.files = {{name, text}}});
  EXPECT_TRUE(described) << name;
  const auto fit = fit_demand(*described, 1);
  EXPECT_TRUE(fit) << name;
  auto far = far_figures(*fit);
  std::erase_if(far, [](const FarFigure& figure) { return !figure.unseen; });
  return far;
}

// Whoever sizes by such a file is told so.
TEST(TrafficHalvesTest, AFileWhoseSecondHalfIsUnlikeItsFirstIsNotStationary) {
  EXPECT_TRUE(unseen_of("same.csv", two_rates(2, 2)).empty());
  const auto far = unseen_of("more.csv", two_rates(2, 6));
  ASSERT_FALSE(far.empty());
  EXPECT_EQ(far.back().which, FarFigure::Which::kRate);
  EXPECT_NEAR(far.back().made / far.back().real, 1 / 3.0, 0.1);
}

// Peak, spread and rate of the second half of every file that ships are within a half of what a fit
// to the first makes of them, or the file is said not to be stationary.
TEST(TrafficHalvesTest, EveryFileThatShipsKeepsItsSecondHalfOrSaysSo) {
  int seen = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(LF_SOURCE_DIR) + "/tests/data/traces")) {
    std::ifstream stream(entry.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::string name = entry.path().filename().string();
    const auto described = describe_demand({.files = {{name, text}}});
    if (!described) continue;
    const auto fit = fit_demand(*described, 1);
    if (!fit || (!fit->unseen && !fit->rates)) continue;
    ++seen;
    double most = 1;
    const auto look = [&most](double real, double made) {
      if (real > 0 && made > 0) most = std::max({most, real / made, made / real});
    };
    if (fit->unseen) {
      look(fit->unseen->real.cv, fit->unseen->made.cv);
      look(fit->unseen->real_peak, fit->unseen->made_peak);
    } else {
      look(fit->rates->unseen.real_peak, fit->rates->unseen.made_peak);
    }
    EXPECT_TRUE(most <= 1.5 || !unseen_of(name, text).empty()) << name << " is " << most << " off";
  }
  EXPECT_GE(seen, 2);
}

}  // namespace
}  // namespace loadfactor::engine
