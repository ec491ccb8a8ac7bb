// What the probe writes, what its schema says and what calibrate reads are one format.
#include <filesystem>

#include <gtest/gtest.h>

#include "calibrate/measurement/measurement.h"
#include "probe/record.h"
#include "tests/broken/broken_inputs.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

probe::Record small_record() {
  probe::Record record;
  record.tool.text("name", "loadfactor-probe").text("runtime", "cuda").truth("quick", true);
  record.machine.text("device", "a chip").text("date", "2026-11-15T06:00:00Z");
  record.versions.text("driver", "580");
  record.sections["gemm"].push_back(probe::Row()
                                        .text("dtype", "bf16")
                                        .whole("m", 16)
                                        .timing({1.0 / 3, 0.3, 0.4, 0.3, 9})
                                        .number("error", 0.001));
  record.failures.push_back({"copies", "refused"});
  return record;
}

TEST(ProbeFileTest, WhatIsWrittenFollowsItsSchemaAndReadsBackExactly) {
  const std::string text = probe::to_json(small_record());
  EXPECT_EQ(load_schema("probe").complaints(Json::parse(text)), "");
  const auto read = calibrate::read_probe("probe.json", text);
  ASSERT_TRUE(read.has_value()) << render(read.error());
  const auto& rows = read->section("gemm");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].number("seconds"), 1.0 / 3);
  EXPECT_EQ(rows[0].word("dtype"), "bf16");
}

TEST(ProbeFileTest, WhatTheProbeWritesIsReadBack) {
  probe::Record record;
  record.machine.text("device", "Chip \"A\"").text("date", "2026-11-15T01:02:03Z");
  record.machine.number("power_limit_w", 650.5);
  record.sections["gemm"].push_back(probe::Row()
                                        .text("dtype", "bf16")
                                        .whole("m", 3)
                                        .number("error", 0.001)
                                        .timing({1.0 / 3, 0.3, 0.4, 0.29, 9}));
  record.sections["copy"].push_back(probe::Row().text("what", "h2d").truth("correct", false));
  const auto read = calibrate::read_probe("probe.json", probe::to_json(record));
  ASSERT_TRUE(read.has_value()) << render(read.error());
  EXPECT_EQ(read->device, "Chip \"A\"");
  EXPECT_EQ(read->date, "2026-11-15");
  EXPECT_DOUBLE_EQ(read->power_limit_w, 650.5);
  ASSERT_EQ(read->section("gemm").size(), 1u);
  EXPECT_EQ(read->section("gemm")[0].number("seconds"), 1.0 / 3);
  EXPECT_EQ(read->section("gemm")[0].number("m"), 3.0);
  EXPECT_EQ(read->section("gemm")[0].word("dtype"), "bf16");
  EXPECT_TRUE(read->section("copy").empty());
}

TEST(ProbeFileTest, EveryProbeThatShipsFollowsTheSchemaAndIsRead) {
  int found = 0;
  const auto folder = std::filesystem::path(LF_SOURCE_DIR) / "data" / "calibration";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string text = broken::read_file(entry.path());
    EXPECT_EQ(load_schema("probe").complaints(Json::parse(text)), "") << entry.path();
    EXPECT_TRUE(calibrate::read_probe(entry.path().string(), text).has_value()) << entry.path();
    ++found;
  }
  EXPECT_GE(found, 1);
}

}  // namespace
}  // namespace loadfactor::schema
