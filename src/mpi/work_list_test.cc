#include "mpi/work_list.h"

#include <set>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(WorkList, HandsEveryItemOutOnceAndIsOverWhenAllAreBack) {
  WorkList list(100, 4);
  std::set<std::size_t> seen;
  std::size_t own = 0;
  for (int rank = 1; !list.is_over(); rank = rank % 3 + 1) {
    for (const std::size_t place : list.take_for(rank)) {
      EXPECT_TRUE(seen.insert(place).second) << place;
      EXPECT_TRUE(list.finish(place, rank, 0.001));
    }
    if (seen.size() < 100 && list.take_own(own)) {
      EXPECT_TRUE(seen.insert(own).second) << own;
      EXPECT_TRUE(list.finish(own, 0, 0));
    }
  }
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_FALSE(list.take_own(own));
}

TEST(WorkList, GivesQuickItemsInHandfulsAndSlowOnesOneByOne) {
  WorkList quick(10000, 2);
  WorkList slow(10000, 2);
  for (WorkList* list : {&quick, &slow})
    for (const std::size_t place : list->take_for(1))
      list->finish(place, 1, list == &quick ? 0.0001 : 2.0);
  EXPECT_GT(quick.take_for(1).size(), 30U);
  EXPECT_EQ(slow.take_for(1).size(), 1U);
}

TEST(WorkList, CountsAnItemThatComesBackTwiceOnce) {
  WorkList list(1, 2);
  ASSERT_EQ(list.take_for(1).size(), 1U);
  EXPECT_TRUE(list.finish(0, 0, 0));
  EXPECT_FALSE(list.finish(0, 1, 0.1));
  EXPECT_FALSE(list.finish(7, 1, 0.1)) << "no such item";
  EXPECT_TRUE(list.is_over());
}

TEST(WorkList, GivesNothingOnceItIsClosed) {
  WorkList list(10, 2);
  list.close();
  std::size_t place = 0;
  EXPECT_TRUE(list.take_for(1).empty());
  EXPECT_FALSE(list.take_own(place));
  EXPECT_TRUE(list.is_over());
}

}  // namespace
}  // namespace loadfactor
