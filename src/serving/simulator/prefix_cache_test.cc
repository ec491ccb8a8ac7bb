#include "serving/simulator/prefix_cache.h"

#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::serving {
namespace {

using Blocks = std::vector<std::uint64_t>;

TEST(PrefixCacheTest, FindsTheLeadingBlocksOnly) {
  PrefixCache cache;
  cache.publish(Blocks{1, 2, 3});
  EXPECT_EQ(cache.match(Blocks{1, 2, 9}), 2);
  EXPECT_EQ(cache.match(Blocks{9, 2, 3}), 0);
}

TEST(PrefixCacheTest, TheEndOfAPromptGoesBeforeItsStart) {
  PrefixCache cache;
  cache.publish(Blocks{1, 2, 3});
  EXPECT_EQ(cache.release(Blocks{1, 2, 3}), 3);
  cache.drop_idle_to(2);
  EXPECT_EQ(cache.match(Blocks{1, 2, 3}), 2);
  cache.drop_idle_to(0);
  EXPECT_EQ(cache.match(Blocks{1}), 0);
}

TEST(PrefixCacheTest, HeldBlocksAreNeverDropped) {
  PrefixCache cache;
  cache.publish(Blocks{1, 2});
  cache.drop_idle_to(0);
  EXPECT_EQ(cache.match(Blocks{1, 2}), 2);
}

TEST(PrefixCacheTest, ASecondCopyIsGivenBack) {
  PrefixCache cache;
  EXPECT_EQ(cache.publish(Blocks{1, 2}), 0);
  EXPECT_EQ(cache.publish(Blocks{1, 2}), 2);  // Shares both; its own two blocks are free again.
  EXPECT_EQ(cache.release(Blocks{1, 2}), 0);
  EXPECT_EQ(cache.release(Blocks{1, 2}), 2);
  EXPECT_EQ(cache.publish(Blocks{1}), 0);  // It was idle: one block for another.
  EXPECT_EQ(cache.idle(), 1);
}

TEST(PrefixCacheTest, WhatIsUsedAgainIsKeptLonger) {
  PrefixCache cache;
  cache.publish(Blocks{1});
  cache.publish(Blocks{2});
  cache.release(Blocks{1});
  cache.release(Blocks{2});
  EXPECT_EQ(cache.idle_among(Blocks{1}), 1);
  EXPECT_EQ(cache.hold(Blocks{1}), 1);
  cache.release(Blocks{1});
  cache.drop_idle_to(1);
  EXPECT_EQ(cache.match(Blocks{1}), 1);
  EXPECT_EQ(cache.match(Blocks{2}), 0);
}

}  // namespace
}  // namespace loadfactor::serving
