#include "base/workers.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

struct Tally {
  std::size_t items = 0;
};

TEST(Workers, DoEveryItemOnceWhateverTheirNumber) {
  for (const int count : {0, 1, 3, 16}) {
    Workers<Tally> workers(count);
    std::vector<std::atomic<int>> done(100);
    workers.each(10, 100, [&](std::size_t item, Tally&) { ++done[item]; });
    for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], i < 10 ? 0 : 1) << i;
  }
}

TEST(Workers, KeepTheirBenchesFromCallToCall) {
  Workers<Tally> workers(1);
  std::size_t seen = 0;
  for (int round = 0; round < 3; ++round)
    workers.each(0, 5, [&](std::size_t, Tally& tally) { seen = ++tally.items; });
  EXPECT_EQ(seen, 15U);
}

TEST(Workers, HandAnExceptionToTheirCallerAndStop) {
  for (const int count : {1, 4}) {
    Workers<Tally> workers(count);
    std::atomic<int> done = 0;
    const auto work = [&](std::size_t item, Tally&) {
      if (item == 0) throw std::runtime_error("first");
      ++done;
    };
    EXPECT_THROW(workers.each(0, 1'000'000, work), std::runtime_error);
    EXPECT_LT(done, 999'999);
  }
}

TEST(Workers, DoNothingForAnEmptyRange) {
  Workers<Tally> workers(4);
  workers.each(5, 5, [](std::size_t, Tally&) { FAIL(); });
}

}  // namespace
}  // namespace loadfactor
