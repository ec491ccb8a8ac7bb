// The requests that are simulated: a day of them, a week with a shape, or those of a trace.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/serve/testing/served.h"

namespace loadfactor::engine {
namespace {

using testing::notes;
using testing::Scene;
using testing::simulated;
using testing::told;

Scene asked(const std::string& demand) {
  return {.demand = "{" + demand + "}"};
}

std::int64_t arrivals(const SimulateSetup& setup, std::int64_t count = 0) {
  const auto stream = setup.stream(count);
  std::int64_t sum = 0;
  for (;;) {
    sim::ArrivalBatch batch;
    stream->pull(batch, 4096);
    if (batch.size() == 0) return sum;
    sum += static_cast<std::int64_t>(batch.size());
  }
}

SimulateInputs of_requests(std::int64_t requests) {
  SimulateInputs request;
  request.requests = requests;
  return request;
}

const std::string kLengths = ", tokens_in: 1000, tokens_out: 200";

TEST(SimulateDemandTest, ADayOfRequestsIsSimulatedWithinBounds) {
  const auto day = simulated(asked("requests_per_second: 4" + kLengths));
  EXPECT_EQ(day->poisson.count, 4 * 86'400);
  EXPECT_TRUE(notes(*day, "equal-lengths"));
  EXPECT_FALSE(notes(*day, "part-of-day"));
  EXPECT_FALSE(notes(*day, "no-shape"));  // Said better.
  EXPECT_EQ(simulated(asked("requests_per_second: 0.01" + kLengths))->poisson.count, 10'000);
  const auto part = simulated(asked("requests_per_second: 40" + kLengths));
  EXPECT_EQ(part->poisson.count, 2'000'000);
  EXPECT_EQ(told(*part, "part-of-day", "simulated"), "2,000,000");
  const auto few = simulated(asked("requests_per_second: 40" + kLengths), of_requests(500));
  EXPECT_EQ(few->poisson.count, 500);
  EXPECT_FALSE(notes(*few, "part-of-day"));
  EXPECT_EQ(arrivals(*few), 500);
  EXPECT_EQ(arrivals(*few, 20), 20);
  EXPECT_EQ(arrivals(*few, 900), 500);
  EXPECT_EQ(few->poisson.lengths.size(), 1U);
  EXPECT_EQ(few->poisson.lengths[0].tokens_in, 1000);
  EXPECT_EQ(few->poisson.lengths[0].tokens_out, 200);
}

TEST(SimulateDemandTest, AShapeIsAWeekOfItsTraffic) {
  const std::string shaped = "requests_per_second: 2, shape: {daily_peak: 2}" + kLengths;
  const auto week = simulated(asked(shaped));
  ASSERT_TRUE(week->traffic);
  EXPECT_EQ(week->poisson.count, 2 * 604'800);
  EXPECT_FALSE(notes(*week, "part-of-week"));
  const auto part = simulated(asked(shaped), of_requests(800));
  EXPECT_EQ(part->poisson.count, 800);
  EXPECT_TRUE(notes(*part, "part-of-week"));
  EXPECT_EQ(arrivals(*part), 800);
  EXPECT_EQ(arrivals(*part, 30), 30);
  EXPECT_FALSE(notes(*part, "equal-lengths"));
}

// An answer has a quarter of the context at most; this model was made for 2,048 tokens.
TEST(SimulateDemandTest, LengthsThatAreCutAreConfessed) {
  auto scene = asked(
      "requests_per_second: 2, shape: {daily_peak: 2}, tokens_in: 1000, "
      "tokens_out: 400");
  scene.model = "gpt3-6.7b";
  const auto cut = simulated(scene, of_requests(500));
  ASSERT_FALSE(cut.setups.empty()) << render(cut.problems);
  ASSERT_EQ(cut->model->context, 2048);
  EXPECT_NE(told(*cut, "cut-lengths", "prompts"), "none");
  EXPECT_EQ(told(*cut, "cut-lengths", "most"), "1,536");
  EXPECT_EQ(told(*cut, "cut-lengths", "context"), "2,048");
  for (const auto& length : cut->poisson.lengths) {
    EXPECT_LE(length.tokens_in, 1536);
    EXPECT_LE(length.tokens_out, 512);
  }
  auto small = asked(
      "requests_per_second: 2, shape: {daily_peak: 2}, tokens_in: 10, "
      "tokens_out: 4");
  EXPECT_FALSE(notes(*simulated(small, of_requests(500)), "cut-lengths"));
}

std::string trace_of(int count) {
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i < count; ++i) text += fmt::format("{},{},{}\n", 2 * i, 100, 10);
  return text;
}

SimulateInputs replaying(const std::string& text, std::int64_t requests = 0) {
  SimulateInputs request = of_requests(requests);
  request.files.trace_text = text;
  return request;
}

TEST(SimulateDemandTest, ATraceIsReplayedWholeOrAsFarAsAsked) {
  const std::string text = trace_of(101);
  const auto whole = simulated(asked("trace: t.csv"), replaying(text));
  ASSERT_FALSE(whole.setups.empty()) << render(whole.problems);
  EXPECT_TRUE(whole->has_trace());
  EXPECT_EQ(arrivals(*whole), 101);
  EXPECT_NEAR(whole->rate, 0.5, 0.01);
  const auto part = simulated(asked("trace: t.csv"), replaying(text, 11));
  EXPECT_EQ(arrivals(*part), 11);
  EXPECT_NEAR(part->rate, 11 / 20.0, 1e-9);  // Eleven in twenty seconds.
  EXPECT_EQ(whole->mean_in, 100);
  EXPECT_EQ(whole->mean_out, 10);
  EXPECT_FALSE(notes(*whole, "dropped-requests"));
}

TEST(SimulateDemandTest, RequestsWithoutTokensAreLeftOutOfAReplay) {
  std::string text = "arrival_s,input_tokens,output_tokens\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("{},{},{}\n", i, 100, i % 4 == 0 ? 0 : 10);
  const auto found = simulated(asked("trace: t.csv"), replaying(text));
  ASSERT_FALSE(found.setups.empty()) << render(found.problems);
  EXPECT_EQ(arrivals(*found), 15);
}

TEST(SimulateDemandTest, RecordedRatesMakeAsManyWindowsAsAreAsked) {
  std::string text = "window_start_s,window_s,rate_rps\n";
  for (int i = 0; i < 48; ++i) text += fmt::format("{},1800,{}\n", 1800 * i, 1);
  const auto scene = asked("trace: r.csv" + kLengths);
  const auto part = simulated(scene, replaying(text, 3000));
  ASSERT_FALSE(part.setups.empty()) << render(part.problems);
  EXPECT_EQ(arrivals(*part), 3000);  // Of two windows, the second cut.
  const auto day = simulated(scene, replaying(text, 100'000));
  EXPECT_NEAR(static_cast<double>(arrivals(*day)), 86'400, 5 * 294);  // A Poisson count.
}

// Blocks of 512 tokens are four of 128, eight of 64, or 32 of 16.
TEST(SimulateDemandTest, BlocksOfATraceAreCutToThoseOfTheCache) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += fmt::format(
        "{{\"timestamp\": {}, \"input_length\": 1024, \"output_length\": 5, \"hash_ids\": [7, "
        "{}]}}\n",
        1000 * i, 10 + i);
  const auto found = simulated(asked("trace: m.jsonl"), replaying(text));
  ASSERT_FALSE(found.setups.empty()) << render(found.problems);
  EXPECT_FALSE(notes(*found, "prefixes-left-out"));
  EXPECT_TRUE(found->pools.front()->scheduler.has_prefix_cache);
  const auto block = static_cast<std::size_t>(found->pools.front()->scheduler.block_tokens);
  EXPECT_EQ(found->trace.prefix_blocks.size(), 8 * 1024 / block);
}

TEST(SimulateDemandTest, AWindowOfSoundIsReadWholeAndOnce) {
  const auto sound = [](const char* frames) {
    std::string text = "arrival_s,input_tokens,output_tokens\n";
    for (int i = 0; i < 5; ++i) text += fmt::format("{},{},10\n", i, frames);
    Scene scene = asked("trace: t.csv");
    scene.model = "whisper-large-v3";
    return simulated(scene, replaying(text));
  };
  const auto part = sound("900");
  ASSERT_FALSE(part.setups.empty()) << render(part.problems);
  EXPECT_EQ(part->mean_in, 1500);
  for (const auto tokens : part->trace.tokens_in) EXPECT_EQ(tokens, 1500);
  EXPECT_EQ(told(*part, "filled-window", "frames"), "900");
  EXPECT_FALSE(notes(*sound("1500"), "filled-window"));
  EXPECT_EQ(sound("1501").code(), lf::kContextTooLong);
}

TEST(SimulateDemandTest, UrgencyAndCommonBeginningsAreMarked) {
  auto scene = asked("requests_per_second: 4" + kLengths);
  scene.deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, urgent: 50 %}";
  const auto marked = simulated(scene, of_requests(400));
  const auto stream = marked->stream();
  sim::ArrivalBatch batch;
  stream->pull(batch, 400);
  ASSERT_EQ(batch.priority.size(), 400U);
  const auto first = std::count(batch.priority.begin(), batch.priority.end(), 0);
  EXPECT_NEAR(static_cast<double>(first), 200, 50);
  const auto plain = simulated(asked("requests_per_second: 4" + kLengths), of_requests(400));
  sim::ArrivalBatch unmarked;
  plain->stream()->pull(unmarked, 400);
  EXPECT_TRUE(unmarked.priority.empty());
}

}  // namespace
}  // namespace loadfactor::engine
