#include "workload/batch.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace loadfactor::workload {
namespace {

std::int64_t pairs_one_by_one(std::int64_t new_tokens, std::int64_t past, std::int64_t window) {
  std::int64_t pairs = 0;
  for (std::int64_t i = 0; i < new_tokens; ++i) {
    const std::int64_t seen = past + i + 1;
    pairs += window == 0 ? seen : std::min(seen, window);
  }
  return pairs;
}

TEST(CausalPairsTest, AgreeWithCountingThemOneByOne) {
  for (std::int64_t n = 1; n <= 12; ++n) {
    for (std::int64_t past = 0; past <= 12; ++past) {
      for (std::int64_t window = 0; window <= 14; ++window) {
        ASSERT_EQ(causal_pairs(n, past, window), pairs_one_by_one(n, past, window))
            << n << " " << past << " " << window;
      }
    }
  }
}

TEST(BatchTest, ShapesSayWhatIsComputed) {
  EXPECT_EQ(training_batch(4, 2048).tokens(), 8192);
  EXPECT_EQ(training_batch(4, 2048).logit_rows, 8192);
  EXPECT_EQ(prefill_batch(4, 2048).logit_rows, 4);
  EXPECT_EQ(decode_batch(64, 1000).tokens(), 64);
  const Batch mixed = mixed_batch(prefill_batch(1, 512), decode_batch(64, 1000));
  EXPECT_EQ(mixed.tokens(), 576);
  EXPECT_EQ(mixed.logit_rows, 65);
}

}  // namespace
}  // namespace loadfactor::workload
