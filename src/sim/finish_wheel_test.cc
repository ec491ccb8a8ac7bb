#include "sim/finish_wheel.h"

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace loadfactor::sim {
namespace {

TEST(FinishWheelTest, FindsTheNextEnd) {
  FinishWheel wheel(4);
  wheel.insert(0, 10);
  wheel.insert(1, 7);
  EXPECT_EQ(wheel.distance(0), 7);
  EXPECT_EQ(wheel.first(7), 1);
  wheel.erase(1, 7);
  EXPECT_EQ(wheel.first(7), -1);
  EXPECT_EQ(wheel.distance(0), 10);
}

TEST(FinishWheelTest, GrowsWhenAskedAndForgetsWhatWasThere) {
  FinishWheel wheel(2);
  wheel.insert(0, 5);
  EXPECT_FALSE(wheel.reaches(100'000));
  wheel.grow_for(100'000);
  EXPECT_TRUE(wheel.reaches(100'000));
  EXPECT_EQ(wheel.first(5), -1);
  wheel.insert(0, 100'000);
  EXPECT_EQ(wheel.distance(0), 100'000);
}

// The law: a wheel is a sorted set of (step, slot) whose steps lie within its reach.
TEST(FinishWheelTest, AgreesWithASortedSet) {
  std::mt19937_64 rng(1);
  FinishWheel wheel(64);
  std::map<std::int32_t, std::int64_t> inside;
  std::int64_t now = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto slot = static_cast<std::int32_t>(rng() % 64);
    if (const auto found = inside.find(slot); found != inside.end()) {
      wheel.erase(slot, found->second);
      inside.erase(found);
    } else {
      const std::int64_t step = now + 1 + static_cast<std::int64_t>(rng() % 1000);
      wheel.insert(slot, step);
      inside[slot] = step;
    }
    if (inside.empty()) continue;
    std::set<std::int64_t> steps;
    for (const auto& [s, step] : inside) steps.insert(step);
    ASSERT_EQ(now + wheel.distance(now), *steps.begin());
    if (rng() % 3 == 0)
      now = std::min(*steps.begin() - 1, now + static_cast<std::int64_t>(rng() % 50));
  }
}

}  // namespace
}  // namespace loadfactor::sim
