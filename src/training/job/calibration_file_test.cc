#include "training/job/calibration_file.h"

#include <cmath>
#include <set>

#include "training/step/step_fixture.h"

namespace loadfactor::training {
namespace {

TEST(CalibrationFile, WhatIsWrittenIsReadBack) {
  const CalibrationFile file = shipped_calibration();
  catalog::DataFile again;
  again.shown_as = "again.yaml";
  again.text = write_calibration(file);
  Diagnostics diagnostics;
  const CalibrationFile read = load_calibration(again, diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(write_calibration(read), again.text);
  EXPECT_EQ(read.chips.size(), file.chips.size());
}

TEST(CalibrationFile, EveryConstantHasAPriorAWidthAndASource) {
  const CalibrationFile file = shipped_calibration();
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kNumConstants; ++i) {
    const ConstantEntry& entry = file.constants[i];
    EXPECT_GT(entry.fitted.prior, 0) << name(static_cast<Constant>(i));
    EXPECT_GT(entry.fitted.width, 0) << name(static_cast<Constant>(i));
    EXPECT_FALSE(entry.source.empty());
    EXPECT_FALSE(entry.what.empty());
    names.insert(name(static_cast<Constant>(i)));
  }
  EXPECT_EQ(names.size(), kNumConstants);
}

TEST(CalibrationFile, EverySourceIsInTheBibliography) {
  const CalibrationFile file = shipped_calibration();
  const std::string sources = read_data("SOURCES.md");
  const auto known = [&](const std::string& id) {
    return sources.find("| " + id + " |") != std::string::npos;
  };
  for (const ConstantEntry& entry : file.constants)
    EXPECT_TRUE(known(entry.source)) << entry.source;
  for (const ChipEntry& entry : file.chips) EXPECT_TRUE(known(entry.source)) << entry.source;
}

TEST(CalibrationFile, NoChipSustainsMoreThanItsPeak) {
  for (const ChipEntry& entry : shipped_calibration().chips) {
    for (const Fitted& sustained : entry.sustained) EXPECT_LT(sustained.value, 1.0);
  }
}

TEST(CalibrationFile, AChipWithoutConstantsBorrowsThoseOfItsFamily) {
  const Calibration calibration = shipped_calibration().calibration();
  catalog::AcceleratorSpec chip;
  chip.name = "never-heard-of";
  chip.family = "hopper";
  ASSERT_NE(calibration.find(chip), nullptr);
  EXPECT_EQ(calibration.find(chip)->chip_family, "hopper");
  chip.family = "abacus";
  EXPECT_EQ(calibration.find(chip), nullptr);
}

// Dense 3, software 5, chips 3·√2: leaving out software adds 16 and chips add 9 to the squares.
TEST(CalibrationFile, WhatIsNotFamiliarWidensIndependently) {
  CalibrationFile file;
  const auto set = [&file](JobClass c, double low, double high) {
    file.intervals[static_cast<std::size_t>(c)] = {low, high};
  };
  set(JobClass::kDense, 0.3, 0.4);
  set(JobClass::kDenseNoTables, 1.2, 0.4);
  set(JobClass::kForeign, 0.5, 0.3);
  set(JobClass::kNewChip, 0.3 * std::sqrt(2.0), 0.5);
  const auto low = [&](JobClass c, Familiar f) { return file.interval(c, f).low; };
  const auto high = [&](JobClass c, Familiar f) { return file.interval(c, f).high; };
  EXPECT_DOUBLE_EQ(low(JobClass::kDense, {}), 0.3);
  EXPECT_DOUBLE_EQ(low(JobClass::kDense, {.software = false}), 0.5);
  EXPECT_NEAR(low(JobClass::kDense, {.software = false, .chip = false}), std::sqrt(0.34), 1e-12);
  // Software that is narrower when left out than when seen takes nothing away.
  EXPECT_DOUBLE_EQ(high(JobClass::kDense, {.software = false}), 0.4);
  EXPECT_DOUBLE_EQ(high(JobClass::kDense, {.chip = false}), 0.5);
  EXPECT_NEAR(low(JobClass::kDenseNoTables, {.software = false}), std::sqrt(1.6), 1e-12);
}

// 0.2 and 0.6 for its class; the chip's own runs lie 0.4 off to either side.
TEST(CalibrationFile, AChipIsNeverKnownBetterThanItsOwnRunsAre) {
  CalibrationFile file;
  file.intervals[static_cast<std::size_t>(JobClass::kDense)] = {0.2, 0.6};
  file.chips.resize(2);
  file.chips[0].chip.accelerator = "one";
  file.chips[1].chip.accelerator = "other";
  file.chips[1].doubt = 0.4;
  EXPECT_DOUBLE_EQ(file.interval_on("one", JobClass::kDense, {}).low, 0.2);
  EXPECT_DOUBLE_EQ(file.interval_on("other", JobClass::kDense, {}).low, 0.4);
  EXPECT_DOUBLE_EQ(file.interval_on("other", JobClass::kDense, {}).high, 0.6);
}

TEST(CalibrationFile, AMissingConstantIsReported) {
  catalog::DataFile file;
  file.shown_as = "short.yaml";
  file.text = "schema: training-calibration/1\nconstants: {}\nintervals: {}\n";
  Diagnostics diagnostics;
  load_calibration(file, diagnostics);
  EXPECT_GE(diagnostics.size(), kNumConstants);
}

}  // namespace
}  // namespace loadfactor::training
