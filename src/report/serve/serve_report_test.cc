// What a serving answer says in one line.
#include "report/serve/serve_report.h"

#include <variant>

#include <gtest/gtest.h>

#include "report/describe/answers.h"
#include "report/serve/simulate_report.h"

namespace loadfactor::report {
namespace {

ServeAnswer six_hundred_a_second() {
  ServeAnswer answer;
  answer.accelerator = "h200-sxm";
  answer.layout.gpus = 4;
  answer.output_rate =
      EstimateOf<TokensPerSecond>::exact(TokensPerSecond::from_base(600), Basis::kModelled, "");
  return answer;
}

TEST(ServeReport, AModelThatOnlyReadsIsCountedInTexts) {
  EXPECT_EQ(serve_verdict(six_hundred_a_second()), "600 texts/s on 4 h200-sxm.");
}

TEST(ServeReport, TheHeadlineNamesBothPools) {
  ServeAnswer answer = six_hundred_a_second();
  answer.tokens_out = 300;
  EXPECT_EQ(serve_verdict(answer), "600 tokens/s on 4 h200-sxm.");
  answer.prompt_gpus = 2;
  answer.notices.push_back(
      {.id = "split-pools",
       .arguments = {{"prompts", "2 × h100-sxm (tp 2)"}, {"answers", "2 × h200-sxm (tp 2)"}}});
  EXPECT_EQ(serve_verdict(answer),
            "600 tokens/s on 2 × h100-sxm (tp 2) for prompts and 2 × h200-sxm (tp 2) for answers.");
}

double figure(const Value& answer, const char* name) {
  return std::get<double>(answer.find(name)->find("value")->data);
}

TEST(ServeReport, RatesOfAModelThatOnlyReadsCountTheTokensItReads) {
  ServeAnswer answer = six_hundred_a_second();
  answer.tokens_in = 350;
  answer.energy_per_token = EstimateOf<Joules>::exact(Joules::from_base(0.7), Basis::kModelled, "");
  const Value reader = to_value(answer);
  EXPECT_DOUBLE_EQ(figure(reader, "throughput"), 600.0 * 350);
  EXPECT_DOUBLE_EQ(figure(reader, "energy_per_token"), 0.7 / 350);
  EXPECT_TRUE(reader.find("tpot")->is_null());
  answer.tokens_out = 1;
  const Value writer = to_value(answer);
  EXPECT_DOUBLE_EQ(figure(writer, "throughput"), 600.0);
  EXPECT_FALSE(writer.find("tpot")->is_null());
}

TEST(ServeReport, SimulationsOfAModelThatOnlyReadsSpeakOfWholeTexts) {
  const auto rate =
      EstimateOf<TokensPerSecond>::exact(TokensPerSecond::from_base(1000), Basis::kModelled, "");
  SimulateAnswer answer;
  answer.rate_in.all = rate;
  const std::string reads = simulate_text(answer, {});
  EXPECT_NE(reads.find("whole text"), std::string::npos) << reads;
  for (const char* word : {"irst token", "TPOT", "per token", "KV cache"})
    EXPECT_EQ(reads.find(word), std::string::npos) << word;
  answer.rate_out.all = rate;
  const std::string writes = simulate_text(answer, {});
  EXPECT_NE(writes.find("first token (TTFT)"), std::string::npos);
  EXPECT_NE(writes.find("per token (TPOT)"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::report
