#include "base/instances.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(InstancesTest, AnyNumberIsSoldWhereNoSizesAreKnown) {
  EXPECT_EQ(InstanceSizes().paid(3, 1), 3);
  EXPECT_EQ(InstanceSizes().unit(4), 4);
}

TEST(InstancesTest, WhatIsNeededComesInWholeMachines) {
  const InstanceSizes eights({8});
  EXPECT_EQ(eights.paid(1, 1), 8);
  EXPECT_EQ(eights.paid(8, 2), 8);
  EXPECT_EQ(eights.paid(9, 1), 16);
}

TEST(InstancesTest, SmallMachinesAreRentedWhereTheyHoldAReplica) {
  const InstanceSizes some({8, 1});
  EXPECT_EQ(some.paid(3, 1), 3);
  EXPECT_EQ(some.paid(12, 4), 16);  // Four single ones have no links between them.
}

TEST(InstancesTest, RoomThatHoldsNoReplicaIsPaidFor) {
  EXPECT_EQ(InstanceSizes({4}).paid(6, 3), 8);
}

TEST(InstancesTest, AReplicaLargerThanAnyMachineTakesSeveral) {
  EXPECT_EQ(InstanceSizes({1, 8}).unit(16), 16);
  EXPECT_EQ(InstanceSizes({8}).paid(24, 12), 32);
}

}  // namespace
}  // namespace loadfactor
