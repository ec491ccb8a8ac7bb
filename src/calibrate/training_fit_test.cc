#include "calibrate/training_fit.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "training/step/step_fixture.h"

namespace loadfactor::calibrate {
namespace {

using training::Constant;

// Jobs of different shapes, "measured" by the model itself with other constants.
struct TrainingFit : training::StepFixture {
  std::vector<std::unique_ptr<catalog::ModelSpec>> models;
  std::vector<std::unique_ptr<training::TrainingJob>> jobs;

  std::vector<FitRow> rows_measured_with(const training::CalibrationFile& truth) {
    const training::Calibration constants = truth.calibration();
    std::vector<FitRow> rows;
    for (const int layers : {8, 16, 32, 64}) {
      for (const int hidden : {1024, 2048, 4096, 8192}) {
        for (const int sequence : {1024, 4096, 16384}) {
          models.push_back(
              std::make_unique<catalog::ModelSpec>(training::plain_transformer(layers, hidden)));
          jobs.push_back(std::make_unique<training::TrainingJob>(job));
          jobs.back()->model = models.back().get();
          jobs.back()->sequence = sequence;
          FitRow row;
          row.job = jobs.back().get();
          row.measured = predict(*row.job, constants);
          row.publication = "p" + std::to_string(layers);
          row.configuration = std::to_string(layers * hidden + sequence);
          rows.push_back(row);
        }
      }
    }
    return rows;
  }
};

TEST_F(TrainingFit, FindsTheConstantsThatMadeTheMeasurements) {
  training::CalibrationFile truth = file;
  auto& entry_of_chip =
      *std::find_if(truth.chips.begin(), truth.chips.end(),
                    [](const auto& entry) { return entry.chip.accelerator == "h100-sxm"; });
  entry_of_chip.sustained[0].value *= 0.9;
  const auto rows = rows_measured_with(truth);
  const auto fitted = fit_training(file, rows, FitOptions{});
  const training::Calibration constants = fitted.calibration();
  for (const FitRow& row : rows) {
    EXPECT_NEAR(std::log(predict(*row.job, constants) / row.measured), 0.0, 0.02);
  }
}

TEST_F(TrainingFit, WhatOneCodeBaseLacksIsItsLevelAndNobodyElses) {
  auto rows = rows_measured_with(file);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].family = i % 2 == 0 ? "slow" : "usual";
    if (i % 2 == 0) rows[i].measured *= 0.8;
  }
  const auto fitted = fit_training(file, rows, FitOptions{});
  const training::Constants shared = fitted.calibration().shared;
  // Four sources each: of 4.25 parts that they show 4 are the software's. The two levels share the
  // difference, and the constants are left where they were.
  const double software = 4 / 4.25;
  EXPECT_NEAR(std::log(shared.level("slow") / shared.level("usual")), software * std::log(0.8),
              0.02);
  EXPECT_EQ(shared.level("never heard of"), 1.0);
}

TEST_F(TrainingFit, OneAbsurdMeasurementDoesNotMoveTheFit) {
  auto rows = rows_measured_with(file);
  rows[0].measured *= 5.0;
  const training::Calibration constants = fit_training(file, rows, FitOptions{}).calibration();
  EXPECT_NEAR(std::log(predict(*rows[5].job, constants) / rows[5].measured), 0.0, 0.02);
}

TEST_F(TrainingFit, ConfigurationsAndPublicationsAreNeverSplit) {
  const auto rows = rows_measured_with(file);
  const auto sources = folds_by_publication(rows);
  const auto folds = folds_by_configuration(rows, 10);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (rows[i].publication == rows[j].publication) {
        EXPECT_EQ(sources[i], sources[j]);
      }
      if (rows[i].configuration == rows[j].configuration) {
        EXPECT_EQ(folds[i], folds[j]);
      }
    }
  }
}

TEST_F(TrainingFit, NineTenthsOfTheResidualsLieInsideTheWidths) {
  auto rows = rows_measured_with(file);
  std::vector<double> said;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double shift = 0.3 * (static_cast<double>(i) / static_cast<double>(rows.size()) - 0.5);
    said.push_back(rows[i].measured * std::exp(shift));
  }
  const auto width = conformal_widths(rows, said)[0];
  int inside = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double residual = std::log(said[i] / rows[i].measured);
    inside += residual <= width.low && -residual <= width.high ? 1 : 0;
  }
  EXPECT_NEAR(inside / static_cast<double>(rows.size()), 0.9, 0.05);
}

// Four chips that lie 0 to 30 % too fast, a quarter of the weight each whatever their rows.
TEST_F(TrainingFit, ChipsLeftOutReachAsFarToBothSides) {
  auto rows = rows_measured_with(file);
  std::vector<double> said;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].chip = std::to_string(i % 4);
    said.push_back(rows[i].measured * std::exp(0.1 * static_cast<double>(i % 4)));
  }
  const auto alike = widths_by(&FitRow::chip, rows, said, false, Sides::kAlike);
  EXPECT_DOUBLE_EQ(alike.low, alike.high);
  EXPECT_NEAR(alike.low, 0.3, 1e-9);
  const auto apart = widths_by(&FitRow::chip, rows, said, false, Sides::kApart);
  EXPECT_NEAR(apart.low, 0.3, 1e-9);
  EXPECT_DOUBLE_EQ(apart.high, 0.02);
}

}  // namespace
}  // namespace loadfactor::calibrate
