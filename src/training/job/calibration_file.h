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
  std::array<Fitted, kNumWidths> sustained;
  std::string source;
};

struct LevelEntry {
  std::string family;
  Fitted fitted;
};

// How well a job's inputs are known, and so how wide its interval is.
// The last two are of software without published runs.
enum class JobClass : std::uint8_t {
  kDense,
  kDenseMissing,
  kDenseNoTables,
  kMoe,
  kForeign,
  kForeignMoe,
};
inline constexpr std::size_t kNumJobClasses = 6;
std::string_view name(JobClass job_class);

// Tokens per second lie between predicted · e^-low and predicted · e^high in nine cases of ten.
struct IntervalWidth {
  double low = 0;
  double high = 0;
};

struct CalibrationFile {
  std::array<ConstantEntry, kNumConstants> constants;
  std::vector<KernelFamily> families;
  std::vector<std::string> family_sources;
  std::vector<ChipEntry> chips;
  std::vector<LevelEntry> levels;
  std::array<IntervalWidth, kNumJobClasses> intervals;

  Calibration calibration() const;
  // The interval of a class, and at least that of software not seen where `seen` is false.
  IntervalWidth interval(JobClass job_class, bool seen) const;
};

CalibrationFile load_calibration(const catalog::DataFile& file, Diagnostics& diagnostics);

// The file's text; load_calibration() of it gives the same values.
std::string write_calibration(const CalibrationFile& file);

}  // namespace loadfactor::training
