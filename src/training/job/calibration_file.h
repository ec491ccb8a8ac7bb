// data/calibration/training.yaml: every constant with its prior, its fit and its source.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "catalog/load/data_file.h"
#include "loadfactor/result.h"
#include "training/job/constants.h"

namespace loadfactor::training {

// A fitted number. `width` is the standard deviation of the prior's logarithm, `error` that of
// the fit's.
struct Fitted {
  double value = 0;
  double prior = 0;
  double width = 0;
  double error = 0;
};

struct ConstantEntry {
  Fitted fitted;
  std::string unit;  // `s`, or `1` for a ratio or a count.
  std::string source;
  std::string what;
};

struct ChipEntry {
  ChipConstants chip;
  int runs = 0;  // Published runs on this chip that the constants were fitted to.
  // How far its runs lie off to either side, in logarithms, where intervals of their classes hold
  // too few of them; 0 where they hold enough.
  double doubt = 0;
  std::array<Fitted, kNumWidths> sustained;
  std::string source;
};

struct LevelEntry {
  std::string family;
  Fitted fitted;
};

// How well a job's inputs are known, and so how wide its interval is.
// The last four are of software without published runs and of chips without any.
enum class JobClass : std::uint8_t {
  kDense,
  kDenseMissing,
  kDenseNoTables,
  kMoe,
  kForeign,
  kForeignMoe,
  kNewChip,
  kNewChipMoe,
};
inline constexpr std::size_t kNumJobClasses = 8;
std::string_view name(JobClass job_class);

// Tokens per second lie between predicted · e^-low and predicted · e^high in nine cases of ten.
struct IntervalWidth {
  double low = 0;
  double high = 0;
};

// Which parts of a job published runs have been fitted to.
struct Familiar {
  bool software = true;
  bool chip = true;
};

struct CalibrationFile {
  std::array<ConstantEntry, kNumConstants> constants;
  std::vector<KernelFamily> families;
  std::vector<std::string> family_sources;
  std::vector<ChipEntry> chips;
  std::vector<LevelEntry> levels;
  std::array<IntervalWidth, kNumJobClasses> intervals;

  Calibration calibration() const;
  // The interval of a class. What is not familiar widens it by what leaving software or chips out
  // of the fit adds; the additions are taken as independent of one another.
  IntervalWidth interval(JobClass job_class, Familiar familiar) const;
  // The same on a chip: as wide as its own runs ask.
  IntervalWidth interval_on(std::string_view accelerator, JobClass job_class,
                            Familiar familiar) const;
  // What the chip's own runs ask for; 0 where nothing.
  double doubt_of(std::string_view accelerator) const;
  // True where published runs on this very chip were fitted to.
  bool has_runs_on(std::string_view accelerator) const;
};

CalibrationFile load_calibration(const catalog::DataFile& file, Diagnostics& diagnostics);

// The file's text; load_calibration() of it gives the same values.
std::string write_calibration(const CalibrationFile& file);

}  // namespace loadfactor::training
