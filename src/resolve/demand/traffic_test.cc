#include "resolve/demand/traffic.h"

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

}  // namespace
}  // namespace loadfactor::engine
