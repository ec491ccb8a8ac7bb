#include "catalog/import/import_report.h"

#include <gtest/gtest.h>

namespace loadfactor::catalog {
namespace {

TEST(ImportReportTest, CountsDroppedEntriesByReason) {
  ImportReport report{.read = 5, .used = 2};
  report.drop("no price");
  report.drop("no price");
  report.drop("mode embedding");
  EXPECT_EQ(report.num_dropped(), 3U);
  EXPECT_EQ(describe(report), "read 5, used 2, dropped 3: 1 mode embedding, 2 no price");
}

TEST(ImportReportTest, SaysNothingOfReasonsWhenNothingWasDropped) {
  EXPECT_EQ(describe({.read = 1, .used = 1}), "read 1, used 1, dropped 0");
}

}  // namespace
}  // namespace loadfactor::catalog
