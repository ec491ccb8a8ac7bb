#include "base/work_clock.h"

#include <future>

#include <gtest/gtest.h>

#include "base/workers.h"

namespace loadfactor {
namespace {

// A clock that moves when it is told to, for each thread its own.
thread_local double spent = 0;
double thread_cpu() {
  return spent;
}

TEST(WorkClock, CountsItsThreadFromTheBegin) {
  spent = 5;
  const WorkClock clock(thread_cpu);
  spent += 2;
  EXPECT_EQ(clock.seconds(), 2);
}

TEST(WorkClock, CountsHelpersAndTheirHelpers) {
  const WorkClock clock(thread_cpu);
  const auto helper = WorkClock::counted([] {
    spent += 3;
    std::async(std::launch::async, WorkClock::counted([] { spent += 4; })).get();
    return 7;
  });
  EXPECT_EQ(std::async(std::launch::async, helper).get(), 7);
  EXPECT_EQ(clock.seconds(), 7);
}

TEST(WorkClock, CountsTheThreadsOfWorkers) {
  const WorkClock clock(thread_cpu);
  Workers<int> workers(4);
  workers.each(0, 100, [](std::size_t, int&) { spent += 1; });
  EXPECT_EQ(clock.seconds(), 100);
}

TEST(WorkClock, KeepsTheHelpersOfTwoWorksApart) {
  const WorkClock outer(thread_cpu);
  {
    const WorkClock inner(thread_cpu);
    std::async(std::launch::async, WorkClock::counted([] { spent += 1; })).get();
    EXPECT_EQ(inner.seconds(), 1);
  }
  std::async(std::launch::async, WorkClock::counted([] { spent += 2; })).get();
  EXPECT_EQ(outer.seconds(), 2);
}

TEST(WorkClock, LetsNoTimePassWithoutAFunctionAndNeedsNoClockForAHelper) {
  EXPECT_EQ(std::async(std::launch::async, WorkClock::counted([] { return 3; })).get(), 3);
  const WorkClock clock(nullptr);
  std::async(std::launch::async, WorkClock::counted([] { spent += 2; })).get();
  EXPECT_EQ(clock.seconds(), 0);
}

}  // namespace
}  // namespace loadfactor
