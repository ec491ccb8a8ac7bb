#include "facade/anchor.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::facade {
namespace {

int code_of(const std::string& words) {
  const auto anchor = parse_anchor(words);
  return anchor ? 0 : anchor.error().code;
}

TEST(ServeAnchorTest, AFigureComesWithItsLoad) {
  const auto anchor = parse_anchor("tpot_ms=12.5,concurrency=16");
  ASSERT_TRUE(anchor);
  EXPECT_EQ(anchor->metric, "tpot_ms");
  EXPECT_EQ(anchor->value, 12.5);
  EXPECT_EQ(anchor->concurrency, 16);
  EXPECT_EQ(parse_anchor("ttft_ms=50,rate=4")->rate, 4);
}

TEST(ServeAnchorTest, ATimeWithoutALoadIsRefused) {
  EXPECT_EQ(code_of("tpot_ms=12.5"), lf::kBadAnchor);
  EXPECT_EQ(code_of("total_output_tok_s=9000"), 0);  // A rate says: as many as fit.
}

TEST(ServeAnchorTest, AKeySaidTwiceIsRefused) {
  EXPECT_EQ(code_of("tpot_ms=9,tpot_ms=20,concurrency=4"), lf::kBadAnchor);
}

TEST(ServeAnchorTest, AFileNamesItsModelAndLengths) {
  const auto anchor = parse_anchor_file(
      "run.json",
      R"({"model_id": "meta-llama/Llama-3.1-8B", "mean_tpot_ms": 9, "max_concurrency": 16,
          "completed": 100, "total_input_tokens": 50000, "total_output_tokens": 10000})");
  ASSERT_TRUE(anchor);
  EXPECT_EQ(anchor->model, "meta-llama/Llama-3.1-8B");
  EXPECT_EQ(anchor->tokens_in, 500);
  EXPECT_EQ(anchor->tokens_out, 100);
}

TEST(ServeAnchorTest, WordsThatSayNothingAreRefused) {
  for (const char* words : {"bogus=7", "tpot_ms=12.5,concurrency=-16", "tpot_ms=12.5,bogus=7",
                            "tpot_ms=abc,concurrency=1", "tpot_ms=,concurrency=1", "=5",
                            "tpot_ms=nan,concurrency=1", "tpot_ms=1 2,concurrency=1"})
    EXPECT_EQ(code_of(words), lf::kBadAnchor) << words;
}

}  // namespace
}  // namespace loadfactor::facade
