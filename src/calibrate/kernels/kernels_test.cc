#include "calibrate/kernels/kernels.h"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "calibrate/kernels/kernels_collectives.h"
#include "calibrate/kernels/kernels_correction.h"
#include "catalog/load/calibration_loader.h"
#include "collective/protocol.h"
#include "cost/chip_model.h"
#include "cost/gemm.h"

namespace loadfactor::calibrate {
namespace {

using namespace literals;

catalog::AcceleratorSpec toy_chip(const std::string& name = "toy") {
  catalog::AcceleratorSpec chip;
  chip.name = name;
  chip.vendor = "maker";
  chip.family = "toys";
  for (auto& rate : chip.arithmetic.dense) rate = 1000_TFLOPps;
  chip.memory.bandwidth = 4_TBps;
  chip.compute.units = 128;
  chip.power.rated = 700_W;
  return chip;
}

cost::KernelFit true_gemm() {
  cost::KernelFit fit;
  fit.parameters = {.sustained = 0.72,
                    .half = 150,
                    .tile_cost = 30,
                    .wave_paid = 0.4,
                    .split = 0.3,
                    .memory = 0.84,
                    .fixed = 3_us};
  return fit;
}

// A table of a known model with 2 % of noise.
std::string gemm_table(double noise = 0.02) {
  const cost::ChipRates rates = cost::make_chip_rates(toy_chip());
  RandomStream random(7, "noise");
  std::string text = "dtype,m,n,k,seconds\n";
  for (const int m : {1, 16, 64, 256, 1024, 4096, 8192}) {
    for (const int n : {1024, 2560, 4096, 7168, 16384}) {
      for (const int k : {1024, 3584, 8192, 16384}) {
        const auto time = cost::estimate_gemm({.shape = {m, n, k}}, rates, true_gemm()).duration;
        const double factor = 1.0 + noise * (2.0 * random.uniform() - 1.0);
        text +=
            fmt::format("bf16,{},{},{},{:.9e}\n", m, n, k, time / Seconds::from_base(1.0) * factor);
      }
    }
  }
  return text;
}

KernelCalibration calibrate(const std::string& text, Diagnostics& diagnostics) {
  static const catalog::AcceleratorSpec chip = toy_chip();
  const KernelTableFile file{"table.csv", text, "a-source", "toy"};
  return calibrate_kernels({&file, 1},
                           [](std::string_view name) { return name == "toy" ? &chip : nullptr; },
                           diagnostics, {.date = "2026"});
}

TEST(CalibrateKernelsTest, RecoversKnownParametersFromANoisyTable) {
  Diagnostics diagnostics;
  const auto calibration = calibrate(gemm_table(), diagnostics);
  ASSERT_TRUE(diagnostics.empty());
  ASSERT_EQ(calibration.chips.size(), 1U);
  const GroupFit& group = calibration.chips[0].groups.at(0);
  EXPECT_NEAR(group.fit.parameters.sustained, 0.72, 0.02);
  EXPECT_NEAR(group.fit.parameters.memory, 0.84, 0.03);
  EXPECT_NEAR(group.fit.parameters.fixed / 1_us, 3.0, 0.3);
  EXPECT_LT(group.fit.spread.median, 0.03);
  EXPECT_EQ(group.fit.points, 140);
}

TEST(CalibrateKernelsTest, AWildRowDoesNotMoveTheFit) {
  Diagnostics diagnostics;
  const auto clean = calibrate(gemm_table(), diagnostics);
  const auto dirty = calibrate(gemm_table() + "bf16,4096,4096,4096,1.0\n", diagnostics);
  EXPECT_NEAR(dirty.chips[0].groups[0].fit.parameters.sustained,
              clean.chips[0].groups[0].fit.parameters.sustained, 0.005);
}

TEST(CalibrateKernelsTest, WhatItWritesIsReadBackAndUsed) {
  Diagnostics diagnostics;
  const auto calibration = calibrate(gemm_table(), diagnostics);
  const std::string text = fit_yaml(calibration.chips[0], {.date = "2026"});
  const catalog::DataFile file{"calibration/toy/fit.yaml", "fit.yaml", text};
  const auto tables = catalog::load_calibrations({&file, 1}, diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(tables.size(), 1U);
  const auto chip = toy_chip();
  const cost::MeasuredChip measured{&chip, &tables[0]};
  const auto model = cost::ChipModel::make(chip, {&measured, 1});
  ASSERT_TRUE(model.has_value());
  const cost::KernelKey key{};
  EXPECT_EQ(model->fit(key).basis, cost::FitBasis::kMeasured);
  const cost::GemmCall call{.shape = {4096, 4096, 4096}};
  const Seconds truth = cost::estimate_gemm(call, model->rates(), true_gemm()).duration;
  EXPECT_NEAR(cost::estimate_gemm(call, model->rates(), model->fit(key)).duration / truth, 1.0,
              0.03);
}

TEST(CalibrateKernelsTest, ABrokenCellIsReportedWithItsPlace) {
  Diagnostics diagnostics;
  calibrate("dtype,m,n,k,seconds\nbf16,12,much,4,1e-5\n", diagnostics);
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics.errors()[0].where.line, 2U);
  EXPECT_EQ(diagnostics.errors()[0].where.column, 9U);
}

TEST(CalibrateKernelsTest, ColumnsOfNoKnownTableAreRefused) {
  Diagnostics diagnostics;
  calibrate("a,b\n1,2\n", diagnostics);
  ASSERT_EQ(diagnostics.size(), 1U);
}

TEST(CorrectionTest, FallsNoFasterThanAllowed) {
  const std::array<cost::GridAxis, 3> axes{cost::GridAxis{0, 1, 4}, cost::GridAxis{0, 1, 1},
                                           cost::GridAxis{0, 1, 1}};
  const cost::CorrectionGrid grid(axes, {1.0, -1.0, 0.5, 0.0});
  const auto limited = limit_slopes(grid, {Slope{0.25}, Slope{}, Slope{}});
  for (std::size_t i = 0; i + 1 < 4; ++i) {
    EXPECT_GE(limited.values()[i + 1], limited.values()[i] - 0.2501);
  }
}

TEST(CorrectionTest, InterpolatesBetweenNodesAndHoldsBeyond) {
  const std::array<cost::GridAxis, 3> axes{cost::GridAxis{4, 2, 2}, cost::GridAxis{0, 1, 1},
                                           cost::GridAxis{0, 1, 1}};
  const cost::CorrectionGrid grid(axes, {0.0, 0.4});
  EXPECT_DOUBLE_EQ(grid.at({5, 0, 0}), 0.2);
  EXPECT_DOUBLE_EQ(grid.at({0, 9, 9}), 0.0);
  EXPECT_DOUBLE_EQ(grid.at({20, 9, 9}), 0.4);
}

TEST(CorrectionTest, TheGridsLogarithmIsExactAtPowersOfTwoAndNearElsewhere) {
  for (int power = 0; power < 40; ++power) {
    EXPECT_DOUBLE_EQ(cost::grid_log2(std::exp2(power)), power);
  }
  for (double value = 1.0; value < 1e9; value *= 1.037) {
    EXPECT_NEAR(cost::grid_log2(value), std::log2(value), 0.002);
  }
}

// What the table of one link says of its collectives; a table that cannot be read is a failure.
auto fitted(const std::string& text, const MeasuredLink& link) {
  Diagnostics diagnostics;
  const KernelTableFile file{"table.csv", text, "a-source", ""};
  auto rows = fit_collectives(read_collective_tables(
      {&file, 1}, [&](std::string_view) { return link; }, diagnostics));
  EXPECT_TRUE(diagnostics.empty());
  return rows;
}

TEST(CalibrateCollectivesTest, AnEnginesSumsAreFittedInOneShotAndInTwo) {
  // What one kernel or the other takes, whichever is shorter; beyond 8 MiB the library's time.
  std::string text = "system,kernel_source,allreduce_dtype,num_gpus,message_size,latency\n";
  for (const int ranks : {2, 4, 8}) {
    for (double elements = 256; elements < 5e8; elements *= 2) {
      const double bytes = 2 * elements;
      const double one = 3e-6 + ranks * 0.2e-6 + bytes * (ranks - 1) / (0.6 * 450e9);
      const double two = 8e-6 + ranks * 0.5e-6 + 2 * bytes * (ranks - 1) / ranks / (0.5 * 450e9);
      const double time = bytes > 8.4e6 ? 10.0 : std::min(one, two);
      text += fmt::format("toy,engine,bfloat16,{},{:.0f},{:.9f}\n", ranks, elements, time * 1e3);
    }
  }
  const auto rows = fitted(text, {"link", 450_GBps});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].algorithm, "one-shot");
  EXPECT_NEAR(rows[0].fraction, 0.6, 0.03);
  EXPECT_EQ(rows[1].algorithm, "two-shot");
  EXPECT_NEAR(rows[1].fraction, 0.5, 0.03);
  EXPECT_LT(rows[1].median, 0.02);
}

// Pairs say nothing of groups, which lose what groups over such wiring are known to.
TEST(CalibrateCollectivesTest, PairsKeepTheirRateAndGroupsLoseWhatIsUsual) {
  std::string text = "system,op_name,nccl_dtype,num_gpus,message_size,latency\n";
  for (double elements = 256; elements < 5e8; elements *= 2)
    text += fmt::format("toy,all_gather,half,2,{:.0f},{:.9f}\n", elements,
                        (6e-6 + 2 * elements / 2 / 20e9) * 1e3);
  const auto rows = fitted(text, {"link", 31.5_GBps, false, -2.0});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].loss, -2.0);
  EXPECT_NEAR(rows[0].fraction * (1 + 2.0 / 2) * 31.5, 20, 1);
  EXPECT_NEAR(rows[0].fraction * (1 + 2.0 / 8) * 31.5, 12.5, 1);
}

// Eight ranks that are as quick as two: switches that add up, or just a good bus.
TEST(CalibrateCollectivesTest, NothingAddsUpOnABus) {
  std::string text = "system,op_name,nccl_dtype,num_gpus,message_size,latency\n";
  for (const int ranks : {2, 4, 8}) {
    for (double elements = 256; elements < 5e8; elements *= 2) {
      const double bytes = 2 * elements;
      const double ring = bytes * 2 * (ranks - 1) / ranks / 20e9;
      const double seconds = 6e-6 + ranks * 1e-6 + (ranks == 8 ? 0.5 : 1.0) * ring;
      text += fmt::format("toy,all_reduce,half,{},{:.0f},{:.9f}\n", ranks, elements, seconds * 1e3);
    }
  }
  const auto num_rows = [&](bool sums) { return fitted(text, {"link", 31.5_GBps, sums}).size(); };
  EXPECT_EQ(num_rows(true), 2U);
  EXPECT_EQ(num_rows(false), 1U);
}

TEST(CalibrateCollectivesTest, RecoversAKnownProtocol) {
  const collective::Protocol truth{
      .start = 6_us, .per_rank = 1_us, .extra = 20_us, .low = 0.3, .fraction = 0.8, .loss = 0.5};
  std::string text = "system,op_name,nccl_dtype,num_gpus,message_size,latency\n";
  for (const int ranks : {2, 4, 8}) {
    for (double elements = 256; elements < 5e8; elements *= 2) {
      const Bytes wire = Bytes::from_base(2.0 * elements) *
                         collective::wire_share(collective::Operation::kAllGather, ranks);
      const Seconds time = truth.time(wire, ranks, ranks, 450_GBps);
      text += fmt::format("toy,all_gather,half,{},{:.0f},{:.9f}\n", ranks, elements, time / 1_ms);
    }
  }
  const auto rows = fitted(text, {"link", 450_GBps});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].fraction, 0.8, 0.02);
  EXPECT_NEAR(rows[0].loss, 0.5, 0.05);
  EXPECT_LT(rows[0].median, 0.01);
}

}  // namespace
}  // namespace loadfactor::calibrate
