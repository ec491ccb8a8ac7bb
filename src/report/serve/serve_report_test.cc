// What a serving answer says in one line.
#include "report/serve/serve_report.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace loadfactor::report
