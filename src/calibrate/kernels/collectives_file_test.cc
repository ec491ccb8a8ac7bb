#include "calibrate/kernels/collectives_file.h"

#include <gtest/gtest.h>

#include "loadfactor/quantity.h"

namespace loadfactor::calibrate {
namespace {

TEST(CollectivesFile, OnlyMeasuredRowsOfTheSameLinkAreReplaced) {
  const std::string file =
      "schema: collectives/1\nrows:\n"
      "  - {link: fast, algorithm: ring, operation: all-reduce,\n     points: 12, x: old}\n"
      "  - {link: slow, algorithm: ring, operation: all-reduce,\n     points: 12, x: kept}\n"
      "  - {link: fast, algorithm: ring, operation: broadcast,\n     points: 0, x: kept too}\n"
      "transports:\n  - {name: direct}\n";
  catalog::CollectiveRow row;
  row.link = "fast";
  row.algorithm = "ring";
  row.operation = "all-reduce";
  row.points = 30;
  const std::string out = replace_fitted_rows(file, {&row, 1}, "2026-11");
  EXPECT_EQ(out.find("old"), std::string::npos);
  EXPECT_NE(out.find("x: kept}"), std::string::npos);
  EXPECT_NE(out.find("kept too"), std::string::npos);
  EXPECT_NE(out.find("points: 30"), std::string::npos);
  EXPECT_NE(out.find("transports:\n  - {name: direct}\n"), std::string::npos);
  // Once more with the same rows changes nothing.
  EXPECT_EQ(replace_fitted_rows(out, {&row, 1}, "2026-11"), out);
}

}  // namespace
}  // namespace loadfactor::calibrate
