// The flag that bounds a batch is each engine's own, and one that its command line has.
#include "observe/read/batch_flag.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "launch/vocabulary/table.h"

namespace loadfactor::observe {
namespace {

TEST(BatchFlag, IsThatOfTheEngine) {
  EXPECT_EQ(batch_flag("vllm"), "--max-num-seqs");
  EXPECT_EQ(batch_flag("sglang"), "--max-running-requests");
  EXPECT_EQ(batch_flag("an engine of tomorrow"), "");
}

TEST(BatchFlag, IsOneThatTheEnginesOwnTableHas) {
  std::size_t checked = 0;
  for (const auto& row : launch::read_table("batch_flags.csv")) {
    if (row[3] != "flags/" + row[0] + ".csv") continue;
    const auto flags = launch::read_table(row[3]);
    EXPECT_TRUE(std::any_of(flags.begin(), flags.end(),
                            [&](const auto& flag) { return flag[0] == row[1]; }))
        << row[0] << " " << row[1];
    ++checked;
  }
  EXPECT_GE(checked, 2U);
}

}  // namespace
}  // namespace loadfactor::observe
