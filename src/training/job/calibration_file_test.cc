#include "training/job/calibration_file.h"

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
