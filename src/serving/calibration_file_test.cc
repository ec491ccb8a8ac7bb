#include "serving/calibration_file.h"

#include <gtest/gtest.h>

#include "collective/estimate.h"
#include "serving/doubt_of_chip.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor::serving {
namespace {

TEST(CalibrationFileTest, WhatIsWrittenIsReadBack) {
  const auto& before = shipped().calibration;
  Diagnostics diagnostics;
  const catalog::DataFile file{"calibration/serving.yaml", "serving.yaml",
                               write_serving_calibration(before), catalog::Origin::kBuiltin};
  const auto after = load_serving_calibration(file, shipped().catalog.generations(), diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(after.constants.size(), before.constants.size());
  for (std::size_t i = 0; i < before.constants.size(); ++i) {
    EXPECT_NEAR(after.constants[i].value, before.constants[i].value,
                1e-4 * before.constants[i].value)
        << before.constants[i].name;
  }
  EXPECT_EQ(after.intervals.size(), before.intervals.size());
  EXPECT_EQ(after.borrowed, before.borrowed);
}

// Two generations more than the file has constants for.
struct Borrowing {
  explicit Borrowing(const char* like) {
    auto generations = shipped().catalog.generations();
    EngineTraits next = shipped().traits("vllm-async");
    next.name = "next";
    next.like = like;
    next.index = generations.size();
    generations.push_back(next);
    EngineTraits nightly = next;
    nightly.name = "nightly";
    nightly.like = "next";
    nightly.index = generations.size();
    generations.push_back(nightly);
    calibration = find_serving_calibration(shipped().files, generations, diagnostics);
    traits = {next, nightly};
  }
  Diagnostics diagnostics;
  ServingCalibration calibration;
  std::vector<EngineTraits> traits;
};

TEST(CalibrationFileTest, AGenerationWithoutConstantsHasThoseOfTheOneItIsLike) {
  const Borrowing from("sglang");
  EXPECT_TRUE(from.diagnostics.empty());
  const auto values = from.calibration.values();
  const auto sglang = shipped().traits("sglang").index;
  for (const auto& traits : from.traits) {
    EXPECT_EQ(from.calibration.borrowed[traits.index], "sglang");
    EXPECT_EQ(values.of(traits.index, EngineConstant::kFront),
              values.of(sglang, EngineConstant::kFront));
  }
  EXPECT_FALSE(from.calibration.is_borrowed(shipped().traits("sglang")));
  EXPECT_TRUE(from.calibration.is_borrowed(from.traits[0]));
}

TEST(CalibrationFileTest, BorrowedConstantsMakeWiderIntervals) {
  const Borrowing from("sglang");
  const auto own = from.calibration.interval(Metric::kThroughput, {"dense"}, nullptr);
  const auto wide = from.calibration.interval(Metric::kThroughput, {"dense"}, &from.traits[0]);
  EXPECT_GT(from.calibration.borrowed_width, 1);
  EXPECT_DOUBLE_EQ(wide.high, from.calibration.borrowed_width * own.high);
  EXPECT_DOUBLE_EQ(wide.low, from.calibration.borrowed_width * own.low);
}

TEST(CalibrationFileTest, AGenerationThatIsLikeNoneNeedsItsOwn) {
  const Borrowing from("");
  ASSERT_EQ(from.diagnostics.size(), 2U);
  EXPECT_NE(from.diagnostics.errors()[0].message.find("'next'"), std::string::npos);
}

TEST(CalibrationFileTest, TheNarrowestGroupGivesTheInterval) {
  ServingCalibration calibration;
  calibration.intervals = {{Metric::kThroughput, "", -0.5, 0.5},
                           {Metric::kThroughput, "dense", -0.2, 0.2}};
  EXPECT_EQ(calibration.interval(Metric::kThroughput, {"offline, dense", "dense"}).high, 0.2);
  EXPECT_EQ(calibration.interval(Metric::kThroughput, {"moe"}).high, 0.5);
}

TEST(CalibrationFileTest, AChipThatBorrowsItsTablesIsKnownLess) {
  const auto half = [](const char* chip) {
    const auto step = shipped().step("llama-3.1-8b", chip, "bf16");
    const auto groups = interval_groups(step.deployment(), Metric::kThroughput, LoadKind::kOffline);
    return shipped().calibration.interval(Metric::kThroughput, groups).high;
  };
  EXPECT_EQ(half("h100-sxm"), half("a100-80gb-sxm"));
  EXPECT_EQ(half("mi300x"), half("h100-pcie"));
  EXPECT_GT(half("mi300x"), 1.5 * half("h100-sxm"));
}

// 0.3, 0.5 and 0.4: a chip without results adds 0.5² − 0.4² to the squares of what its class has.
TEST(CalibrationFileTest, AChipWithoutResultsIsKnownLess) {
  const auto step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16");
  ServingCalibration calibration = shipped().calibration;
  calibration.intervals = {{Metric::kThroughput, "", -0.4, 0.4},
                           {Metric::kThroughput, "dense", -0.3, 0.3},
                           {Metric::kThroughput, "anchored", -0.1, 0.1},
                           {Metric::kThroughput, std::string(kChipNotSeen), -0.5, 0.5}};
  const auto half = [&](std::vector<std::string> nearer) {
    const auto width =
        calibration.interval_of(Metric::kThroughput, step.deployment(), LoadKind::kOffline, nearer);
    EXPECT_DOUBLE_EQ(width.low, -width.high);
    return width.high;
  };
  calibration.chips = {"a100-80gb-sxm", "h100-sxm"};
  EXPECT_DOUBLE_EQ(half({}), 0.3);
  calibration.chips = {"a100-80gb-sxm"};
  EXPECT_NEAR(half({}), std::sqrt(0.09 + 0.25 - 0.16), 1e-12);
  EXPECT_DOUBLE_EQ(half({"anchored"}), 0.1);  // What was measured on it leaves no doubt of it.
  calibration.intervals.back().high = 0.35;
  calibration.intervals.back().low = -0.35;
  EXPECT_DOUBLE_EQ(half({}), 0.3);  // Never narrower.
}

// 0.3 for its class; results of the chip lie 0.9 off: neither narrower nor wider than that.
TEST(CalibrationFileTest, AChipWhoseResultsLieFurtherOffIsKnownLess) {
  const auto step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16");
  ServingCalibration calibration = shipped().calibration;
  calibration.chips = {"h100-sxm"};
  calibration.intervals = {{Metric::kThroughput, "", -0.3, 0.3},
                           {Metric::kThroughput, chip_group("h100-sxm"), -0.9, 0.9},
                           {Metric::kThroughput, chip_group("h200-sxm"), -2.0, 2.0},
                           {Metric::kFirstToken, "", -0.4, 0.4}};
  const auto half = [&](Metric metric) {
    return calibration.interval_of(metric, step.deployment(), LoadKind::kOffline, {}).high;
  };
  EXPECT_DOUBLE_EQ(half(Metric::kThroughput), 0.9);
  EXPECT_DOUBLE_EQ(half(Metric::kFirstToken), 0.4);
  calibration.intervals[0].high = 1.1;
  EXPECT_DOUBLE_EQ(half(Metric::kThroughput), 1.1);
}

// Boxes that look alike differ by more than ten times in what eight accelerators get of a bus.
TEST(CalibrationFileTest, ABusOfWhichNobodySaysHowItIsWiredIsKnownLess) {
  ServingCalibration calibration = shipped().calibration;
  calibration.guessed_bus = 0.4;
  calibration.chips.clear();
  calibration.intervals = {{Metric::kThroughput, "", -0.3, 0.3}};
  const auto half = [&](int tp, bool known) {
    ServingDeployment on =
        shipped().step("llama-3.1-70b", "l40s", "fp8", {.tp = tp}, "vllm-v1").deployment();
    collective::Network network = *on.network;
    EXPECT_TRUE(network.domain.bus.has_value());
    network.domain.bus->per_switch = network.domain.bus->per_socket = known ? 4 : 0;
    on.network = &network;
    return calibration.interval_of(Metric::kThroughput, on, LoadKind::kOffline, {}).high;
  };
  EXPECT_DOUBLE_EQ(half(2, false), 0.3);
  EXPECT_DOUBLE_EQ(half(8, false), 0.5);
  EXPECT_DOUBLE_EQ(half(8, true), 0.3);
}

// A pair of cards whose bridge is bought apart is known less than one in a box that has its links.
TEST(CalibrationFileTest, ABridgeOfWhichNobodySaysThatItIsThereIsKnownLess) {
  ServingCalibration calibration = shipped().calibration;
  calibration.guessed_bus = 0.4;
  calibration.chips.clear();
  calibration.intervals = {{Metric::kThroughput, "", -0.3, 0.3}};
  const auto half = [&](const char* chip, int tp) {
    const auto step = shipped().step("llama-3.1-70b", chip, "fp8", {.tp = tp});
    return calibration.interval_of(Metric::kThroughput, step.deployment(), LoadKind::kOffline, {})
        .high;
  };
  EXPECT_DOUBLE_EQ(half("h100-pcie", 1), 0.3);
  EXPECT_DOUBLE_EQ(half("h100-pcie", 2), 0.5);
  EXPECT_DOUBLE_EQ(half("h100-sxm", 2), 0.3);
}

// A ring of two passes every byte once, over 63 GB/s of a bus or faster over links of their own.
TEST(CalibrationFileTest, APairOfCardsMeetsOnTheBusUnlessItIsSoldWithItsLinks) {
  const Bytes message = Bytes::from_base(64e6);
  const Seconds over_bus = message / BytesPerSecond::from_base(63e9);
  const auto time = [&](const char* chip) {
    const auto network =
        shipped().hardware.network(**shipped().catalog.find_accelerator(chip), false);
    if (!network) ADD_FAILURE() << chip;
    return network ? collective::estimate(collective::Operation::kAllReduce, message, {.ranks = 2},
                                          **network)
                         .duration
                   : Seconds();
  };
  EXPECT_GT(time("h100-pcie"), over_bus);
  EXPECT_LT(time("h100-nvl"), over_bus);
}

TEST(CalibrationFileTest, TimesOfUnsteadyLoadsHaveWidthsOfTheirOwn) {
  const auto step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16");
  const auto first = [&](Metric metric, LoadKind kind) {
    return interval_groups(step.deployment(), metric, kind).front();
  };
  EXPECT_EQ(first(Metric::kTimePerToken, LoadKind::kClosedLoop), "dense, tables");
  EXPECT_EQ(first(Metric::kTimePerToken, LoadKind::kOpenLoop), "unsteady");
  EXPECT_EQ(first(Metric::kFirstToken, LoadKind::kBurst), "unsteady");
  EXPECT_EQ(first(Metric::kThroughput, LoadKind::kBurst), "burst");
  EXPECT_EQ(first(Metric::kThroughput, LoadKind::kOpenLoop), "dense, tables");
}

// Figures of the simulator have widths of their own where a class has one, by the kind of load.
TEST(CalibrationFileTest, SimulatedTimesHaveTheWidthsOfSimulatedTimes) {
  const auto step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16");
  ServingCalibration calibration = shipped().calibration;
  calibration.intervals = {{Metric::kFirstToken, "", -0.4, 0.4},
                           {Metric::kFirstToken, "unsteady", -0.6, 0.6},
                           {Metric::kFirstToken, "simulated closed loop", -0.2, 0.2}};
  const auto half = [&](LoadKind kind) {
    return calibration.simulated_interval(Metric::kFirstToken, step.deployment(), kind).high;
  };
  const std::string loop = "simulated " + std::string(name(LoadKind::kClosedLoop));
  calibration.intervals.back().group = loop;
  EXPECT_DOUBLE_EQ(half(LoadKind::kClosedLoop), 0.2);
  EXPECT_DOUBLE_EQ(half(LoadKind::kOpenLoop), 0.6);  // As the closed form has them.
  calibration.intervals.push_back({Metric::kFirstToken, loop + ", dense", -0.1, 0.1});
  EXPECT_DOUBLE_EQ(half(LoadKind::kClosedLoop), 0.1);
  EXPECT_EQ(simulated_groups(step.deployment(), Metric::kThroughput, LoadKind::kClosedLoop),
            interval_groups(step.deployment(), Metric::kThroughput, LoadKind::kClosedLoop));
}

TEST(CalibrationFileTest, IntervalsReachAsFarToBothSides) {
  for (const auto& width : shipped().calibration.intervals) {
    if (width.group == "host-bound step") continue;
    EXPECT_EQ(width.low, -width.high) << width.group;
  }
}

}  // namespace
}  // namespace loadfactor::serving
