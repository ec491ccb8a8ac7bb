#include "resolve/demand/demand.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::engine {
namespace {

std::string snapshot(const char* engine, int requests, int tokens, int running) {
  const std::string e = engine;
  return e + ":request_success_total " + std::to_string(requests) + "\n" + e +
         ":prompt_tokens_total " + std::to_string(tokens) + "\n" + e + ":num_requests_running " +
         std::to_string(running) + "\n";
}

TEST(DemandTest, TwoSnapshotsAreComparedWithEachOtherAndGaugesAreThoseOfTheLater) {
  const std::string before = snapshot("vllm", 1, 5, 162);
  const std::string after = snapshot("vllm", 601, 600'005, 77);
  const auto answer = describe_demand({.files = {{"before.prom", before}, {"after.prom", after}},
                                       .interval = Seconds::from_base(60)});
  ASSERT_TRUE(answer);
  ASSERT_TRUE(answer->metrics);
  EXPECT_DOUBLE_EQ(*answer->metrics->requests, 600);  // Ten a second.
  EXPECT_DOUBLE_EQ(*answer->metrics->input_tokens, 600'000);
  EXPECT_DOUBLE_EQ(*answer->metrics->running, 77);
  EXPECT_EQ(answer->import.rows_read, 6);
}

TEST(DemandTest, SnapshotsThatDoNotBelongTogetherAreSaidSo) {
  const std::string vllm = snapshot("vllm", 100, 5, 1);
  const std::string sglang = snapshot("sglang", 200, 5, 1);
  const std::string requests = "arrival_s,input_tokens,output_tokens\n0,1,1\n1,1,1\n";
  const auto code = [](const DemandQuestion& question) {
    const auto answer = describe_demand(question);
    return answer ? 0 : answer.error().code;
  };
  const Seconds minute = Seconds::from_base(60);
  EXPECT_EQ(code({.files = {{"a", vllm}, {"b", sglang}}, .interval = minute}), lf::kUsage);
  EXPECT_EQ(code({.files = {{"a", vllm}, {"b", vllm}}}), lf::kUsage);  // How far apart?
  EXPECT_EQ(code({.files = {{"a", vllm}, {"b", requests}}, .interval = minute}), lf::kUsage);
  EXPECT_EQ(code({.files = {{"a", requests}, {"b", vllm}}, .interval = minute}), lf::kUsage);
  EXPECT_EQ(code({.files = {{"a", vllm}, {"b", vllm}, {"c", vllm}}, .interval = minute}),
            lf::kUsage);
  // A counter that fell is a restart.
  const auto restarted = describe_demand(
      {.files = {{"a", snapshot("vllm", 100, 5, 1)}, {"b", snapshot("vllm", 40, 5, 1)}},
       .interval = minute});
  ASSERT_TRUE(restarted);
  EXPECT_DOUBLE_EQ(*restarted->metrics->requests, 40);
  ASSERT_FALSE(restarted->import.remarks.empty());
  EXPECT_NE(restarted->import.remarks.front().find("restarted"), std::string::npos);
}

TEST(DemandTest, AFileCutInTwoIsTheSameDemandWithNumbersForStampsToo) {
  const std::string head = "arrival_s,input_tokens,output_tokens\n";
  std::string whole = head;
  std::string parts[2] = {head, head};
  for (int i = 0; i < 600; ++i) {
    const std::string row = std::to_string(i) + ",10,2\n";
    whole += row;
    parts[i < 300 ? 0 : 1] += row;
  }
  const auto uncut = describe_demand({.files = {{"all.csv", whole}}});
  const auto cut = describe_demand({.files = {{"1.csv", parts[0]}, {"2.csv", parts[1]}}});
  ASSERT_TRUE(uncut && cut);
  EXPECT_EQ(cut->traffic->span, uncut->traffic->span);
  EXPECT_EQ(cut->traffic->mean_rate, uncut->traffic->mean_rate);
  EXPECT_EQ(cut->import.rows_read, 600);
}

}  // namespace
}  // namespace loadfactor::engine
