// Who wrote a line, or a log.
#include "observe/read/log_rank.h"

#include <gtest/gtest.h>

#include "observe/read/readers.h"

namespace loadfactor::observe {
namespace {

TEST(LinePrefixes, SayWhichRankWroteALine) {
  const LinePrefixes prefixes;
  EXPECT_EQ(prefixes.read("[rank3]:[titan] step: 10").rank, "rank 3");
  EXPECT_EQ(prefixes.read("[default12]: iteration 10/ 100").rank, "rank 12");
  EXPECT_EQ(prefixes.read("[1,5]<stdout>: iteration 10/ 100").rank, "rank 5");
  EXPECT_EQ(prefixes.read("[pod/train-3/pytorch] iteration 10/ 100").rank, "pod train-3/pytorch");
  EXPECT_EQ(prefixes.read("  7: iteration 10/ 100").rank, "task 7");
  EXPECT_EQ(prefixes.read("  7: iteration 10/ 100").text, "iteration 10/ 100");
}

TEST(LinePrefixes, ALineThatNamesNobodyIsLeftAsItIs) {
  const LinePrefixes prefixes;
  for (const char* line : {"10:23:45 INFO step: 10", "iteration 10/ 100: fine", "[rank a b]: x",
                           "[2026-11-10 10:00:00] iteration 10", "", "]: [rank"}) {
    EXPECT_EQ(prefixes.read(line).rank, "") << line;
    EXPECT_EQ(prefixes.read(line).text, line);
  }
}

TEST(RankPath, RanksOfOneRunShareWhatIsLeftOfTheirPaths) {
  for (const auto& [one, other] :
       {std::pair{"a/rank0.log", "a/rank17.log"},
        {"node1/rank0.log", "node2/rank0.log"},
        {"run/none_x/attempt_0/0/stdout.log", "run/none_x/attempt_0/1/stdout.log"},
        {"train-worker-0.txt", "train-worker-1.txt"}}) {
    const RankPath a = rank_of_path(one), b = rank_of_path(other);
    EXPECT_EQ(a.run, b.run);
    EXPECT_NE(a.name, b.name);
    EXPECT_NE(a.name, "");
  }
  EXPECT_EQ(rank_of_path("node2/rank3.log").name, "node 2 rank 3");
  EXPECT_TRUE(rank_of_path("logs/node-07.log").is_node);
  EXPECT_FALSE(rank_of_path("node2/rank3.log").is_node);
}

TEST(RankPath, RunsThatAreNumberedAreNoRanks) {
  for (const char* path : {"run1.log", "slurm-1234_5.out", "exp/2/train.log", "2026/train.log",
                           "franks1.log", "rank.log"})
    EXPECT_EQ(rank_of_path(path).name, "") << path;
}

TEST(StepLogRanks, StepsAreThoseOfTheRanksThatWroteThem) {
  const auto log =
      read_step_log({"f",
                     "[rank0]: iteration 1/ 9 | elapsed time per iteration (ms): 100 |\n"
                     "[rank1]: iteration 1/ 9 | elapsed time per iteration (ms): 110 |\n"
                     "[rank1]: something else\n"
                     "[rank0]: iteration 2/ 9 | elapsed time per iteration (ms): 100 |\n"});
  ASSERT_TRUE(log);
  EXPECT_EQ(log->ranks, (std::vector<std::string>{"rank 0", "rank 1", "rank 0"}));
}

TEST(StepLogRanks, ComputeTimersOfARankAreAddedUp) {
  const auto log =
      read_step_log({"f",
                     " iteration 10/ 90 | elapsed time per iteration (ms): 900.0 |\n"
                     "times across ranks (ms):\n"
                     "  forward-compute:\n"
                     "     rank  0: 100.00\n"
                     "     rank  1: 120.00\n"
                     "  backward-compute:\n"
                     "     rank  0: 200.00\n"
                     "     rank  1: 240.00\n"
                     "  optimizer:\n"
                     "     rank  0: 50.00\n"
                     "     rank  1: 50.00\n"
                     " iteration 20/ 90 | elapsed time per iteration (ms): 900.0 |\n"});
  ASSERT_TRUE(log);
  ASSERT_EQ(log->timers.size(), 2U);
  EXPECT_EQ(log->timers[1].rank, "rank 1");
  EXPECT_EQ(log->timers[1].step, 10);
  EXPECT_NEAR(log->timers[1].seconds, 0.36, 1e-9);
}

}  // namespace
}  // namespace loadfactor::observe
