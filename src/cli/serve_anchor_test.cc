#include "cli/serve_anchor.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::cli {
namespace {

int code_of(const std::string& words) {
  const auto anchor = read_anchor(words);
  return anchor ? 0 : anchor.error().code;
}

TEST(ServeAnchorTest, AFigureComesWithItsLoad) {
  const auto anchor = read_anchor("tpot_ms=12.5,concurrency=16");
  ASSERT_TRUE(anchor);
  EXPECT_EQ(anchor->metric, "tpot_ms");
  EXPECT_EQ(anchor->value, 12.5);
  EXPECT_EQ(anchor->concurrency, 16);
  EXPECT_EQ(read_anchor("ttft_ms=50,rate=4")->rate, 4);
}

TEST(ServeAnchorTest, ATimeWithoutALoadIsRefused) {
  EXPECT_EQ(code_of("tpot_ms=12.5"), lf::kBadAnchor);
  EXPECT_EQ(code_of("total_output_tok_s=9000"), 0);  // A rate says: as many as fit.
}

TEST(ServeAnchorTest, WordsThatSayNothingAreRefused) {
  for (const char* words : {"bogus=7", "tpot_ms=12.5,concurrency=-16", "tpot_ms=12.5,bogus=7",
                            "tpot_ms=abc,concurrency=1", "tpot_ms=,concurrency=1", "=5",
                            "tpot_ms=nan,concurrency=1", "tpot_ms=1 2,concurrency=1"})
    EXPECT_EQ(code_of(words), lf::kBadAnchor) << words;
}

}  // namespace
}  // namespace loadfactor::cli
