#include "calibrate/site/site_kernels.h"

#include <cmath>

#include <gtest/gtest.h>

#include "calibrate/site/site_clocks.h"
#include "catalog/load/calibration_loader.h"
#include "cost/attention.h"
#include "cost/gemm.h"

namespace loadfactor::calibrate {
namespace {

using namespace literals;
using catalog::Dtype;
using cost::KernelClass;
using cost::KernelVariant;

catalog::AcceleratorSpec toy_chip() {
  catalog::AcceleratorSpec chip;
  chip.name = "toy";
  chip.vendor = "maker";
  chip.family = "toys";
  for (auto& rate : chip.arithmetic.dense) rate = 1000_TFLOPps;
  chip.memory.bandwidth = 4_TBps;
  chip.compute.units = 128;
  chip.power.rated = 700_W;
  return chip;
}

catalog::CalibratedKernel kernel(const std::string& name, const std::string& variant) {
  catalog::CalibratedKernel kernel;
  kernel.kernel = name;
  kernel.dtype = "bf16";
  kernel.variant = variant;
  kernel.parameters = {.sustained = 0.7,
                       .half = 100,
                       .tile_cost = 20,
                       .wave_paid = 0.3,
                       .split = 0.3,
                       .memory = 0.8,
                       .fixed = 3_us};
  kernel.points = 100;
  kernel.provenance = {catalog::SourceKind::kMeasured, {"a-table"}, "2026"};
  return kernel;
}

catalog::CalibrationTable toy_table() {
  catalog::CalibrationTable table;
  table.chip = "toy";
  table.kernels = {kernel("gemm", "plain"), kernel("memory", "stream")};
  return table;
}

struct Toy {
  catalog::AcceleratorSpec chip = toy_chip();
  catalog::CalibrationTable table = toy_table();

  cost::ChipModel model() const {
    const cost::MeasuredChip measured{&chip, &table};
    return *cost::ChipModel::make(chip, {&measured, 1});
  }
};

ProbeRow row_of(std::vector<std::pair<std::string, double>> numbers,
                std::vector<std::pair<std::string, std::string>> words) {
  return {std::move(numbers), std::move(words)};
}

// Products of a machine whose arithmetic is `faster` than the toy's and whose memory is not.
ProbeFile probe_of(const Toy& toy, double faster, double held_tflops, double held_mhz) {
  cost::KernelFit fit = toy.model().fit({KernelClass::kGemm, Dtype::kBf16});
  fit.parameters.sustained *= faster;
  ProbeFile probe{"Toy", "2026-11-15", 700, {}};
  std::vector<ProbeRow> products;
  for (const double m : {1.0, 16.0, 512.0, 2048.0, 4096.0, 8192.0}) {
    for (const double n : {2048.0, 4096.0, 8192.0, 16384.0}) {
      for (const double k : {4096.0, 8192.0}) {
        const cost::GemmCall call{.shape = {static_cast<std::int64_t>(m),
                                            static_cast<std::int64_t>(n),
                                            static_cast<std::int64_t>(k)}};
        const auto time = cost::estimate_gemm(call, toy.model().rates(), fit).duration;
        products.push_back(
            row_of({{"m", m}, {"n", n}, {"k", k}, {"seconds", time.base()}}, {{"dtype", "bf16"}}));
      }
    }
  }
  probe.sections.emplace_back("gemm", std::move(products));
  probe.sections.emplace_back(
      "power",
      std::vector<ProbeRow>{
          row_of({{"power_w_mean", 100}, {"sm_mhz", 2000}, {"rate", 0}}, {{"load", "idle"}}),
          row_of({{"power_w_mean", 700}, {"sm_mhz", held_mhz}, {"rate", held_tflops}},
                 {{"load", "gemm_bf16_8192"}}),
          row_of({{"power_w_mean", 600}, {"sm_mhz", 2000}, {"rate", 3.4}},
                 {{"load", "stream_add"}})});
  return probe;
}

TEST(SiteKernelsTest, AKnownRateIsRecoveredAndTheRestStays) {
  const Toy toy;
  Diagnostics diagnostics;
  const auto site =
      refit_kernels(probe_of(toy, 1.1, 700, 1600), toy.chip, toy.model(), diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(site.groups.size(), 1u);
  const KernelRefit& products = site.groups[0];
  EXPECT_NEAR(products.fitted.sustained, 0.77, 0.002);
  EXPECT_DOUBLE_EQ(products.fitted.memory, 0.8);
  EXPECT_EQ(products.fitted.fixed, 3_us);
  EXPECT_GT(products.before.median, 0.07);
  EXPECT_LT(products.left_out.median, 0.01);
  EXPECT_TRUE(products.helps());
}

void halve_time(ProbeRow& row) {
  for (auto& [name, value] : row.numbers) value *= name == "seconds" ? 0.5 : 1.0;
}

TEST(SiteKernelsTest, KernelsFasterThanThePeakAreRefusedOrLeftOut) {
  const Toy toy;
  // 70 % of 1000 TFLOP/s lasts: half as long is 40 % beyond the peak.
  ProbeFile probe = probe_of(toy, 1.0, 700, 1600);
  halve_time(probe.sections[0].second.back());
  Diagnostics none;
  const auto site = refit_kernels(probe, toy.chip, toy.model(), none);
  EXPECT_TRUE(none.empty()) << render(none);
  ASSERT_EQ(site.notices.size(), 1u);
  EXPECT_NE(site.notices[0].text.find("1 of 48 kernels 'gemm bf16'"), std::string::npos)
      << site.notices[0].text;
  EXPECT_NEAR(site.groups.at(0).fitted.sustained, 0.7, 1e-6);
  probe = probe_of(toy, 1.0, 700, 1600);
  for (ProbeRow& row : probe.sections[0].second) halve_time(row);
  Diagnostics diagnostics;
  static_cast<void>(refit_kernels(probe, toy.chip, toy.model(), diagnostics));
  ASSERT_EQ(diagnostics.errors().size(), 1u);
  EXPECT_NE(diagnostics.errors()[0].message.find("faster than the peak of 'toy'"),
            std::string::npos);
}

TEST(SiteKernelsTest, AMachineLikeTheTableMovesNothing) {
  const Toy toy;
  Diagnostics diagnostics;
  const auto site =
      refit_kernels(probe_of(toy, 1.0, 700, 1600), toy.chip, toy.model(), diagnostics);
  ASSERT_EQ(site.groups.size(), 1u);
  EXPECT_NEAR(site.groups[0].fitted.sustained, 0.7, 1e-6);
}

TEST(SiteKernelsTest, AHeldLoadSaysHowFarABurstIsAboveWhatLasts) {
  const Toy toy;
  Diagnostics diagnostics;
  const ProbeFile probe = probe_of(toy, 1.0, 600, 1600);
  const auto site = refit_kernels(probe, toy.chip, toy.model(), diagnostics);
  // Nothing was refitted that helps, so nothing is said of the clock of products.
  ASSERT_EQ(site.clocks.size(), 1u);
  EXPECT_EQ(site.clocks[0].kernel, KernelClass::kMemory);
  const auto faster =
      refit_kernels(probe_of(toy, 1.1, 600, 1600), toy.chip, toy.model(), diagnostics);
  ASSERT_EQ(faster.clocks.size(), 2u);
  EXPECT_DOUBLE_EQ(faster.clocks[0].settled, 0.8);
  EXPECT_GT(faster.clocks[0].burst, 0.9);  // About 0.8 · 0.75 / 0.6.
  EXPECT_LE(faster.clocks[0].burst, 1.0);
}

TEST(SiteKernelsTest, TheTableIsReadBackAsItWasWritten) {
  const Toy toy;
  Diagnostics diagnostics;
  const auto site =
      refit_kernels(probe_of(toy, 1.1, 600, 1600), toy.chip, toy.model(), diagnostics);
  const auto table = updated_table(toy.table, site, "site", "2026-11-15");
  const std::string text = calibration_yaml(table);
  const auto read =
      catalog::load_calibration({"calibration/toy/fit.yaml", "fit.yaml", text}, diagnostics);
  ASSERT_TRUE(read && diagnostics.empty()) << render(diagnostics) << text;
  EXPECT_EQ(calibration_yaml(*read), text);
  ASSERT_EQ(read->kernels.size(), 2u);
  EXPECT_NEAR(read->kernels[0].parameters.sustained, 0.77, 0.002);
  EXPECT_EQ(read->kernels[0].provenance.sources, (std::vector<std::string>{"a-table", "site"}));
  // What was not measured stays, its source too.
  EXPECT_DOUBLE_EQ(read->kernels[1].parameters.memory, 0.8);
  EXPECT_EQ(read->kernels[1].provenance.sources, (std::vector<std::string>{"a-table"}));
  ASSERT_TRUE(read->power.has_value());
  ASSERT_EQ(read->power->loads.size(), 2u);
  EXPECT_TRUE(read->power->loads[0].bursts);
  // 600 W above idle at 0.8 of the clock: 600 / 0.512 at all of it.
  EXPECT_NEAR(read->power->loads[0].compute.base(), 1172, 1);
  EXPECT_FALSE(read->power->loads[1].bursts);
}

// Prompts and decoding of a machine 20 % slower than the toy's table.
ProbeFile attention_probe(const Toy& toy, const std::string& instructions) {
  ProbeFile probe{"Toy", "2026-11-15", 700, {}};
  std::vector<ProbeRow> rows;
  const auto add = [&](const cost::AttentionCall& call, const std::string& phase) {
    const bool prompt = phase != "decode";
    const auto model = toy.model();
    const auto time =
        prompt ? cost::estimate_attention(call, model.rates(),
                                          model.fit({KernelClass::kAttention, Dtype::kBf16}))
               : cost::estimate_decode_attention(
                     call, model.rates(), model.fit({KernelClass::kDecodeAttention, Dtype::kBf16}));
    rows.push_back(row_of({{"batch", static_cast<double>(call.batch)},
                           {"heads", 32},
                           {"kv_heads", 8},
                           {"q_len", static_cast<double>(call.queries)},
                           {"kv_len", static_cast<double>(call.context)},
                           {"head_dim", 128},
                           {"seconds", 1.2 * time.duration.base()}},
                          {{"phase", phase},
                           {"implementation", "own"},
                           {"instructions", prompt ? instructions : "mma"}}));
  };
  for (const std::int64_t length : {1024, 2048, 3072, 4096, 6144, 8192}) {
    add({.batch = 4,
         .heads = 32,
         .kv_heads = 8,
         .head_dim = 128,
         .queries = length,
         .context = length},
        "prefill");
    add({.batch = 64, .heads = 32, .kv_heads = 8, .head_dim = 128, .queries = 1, .context = length},
        "decode");
  }
  probe.sections.emplace_back("attention", std::move(rows));
  return probe;
}

TEST(SiteKernelsTest, TheProbesOwnAttentionCountsOnlyWhereItReachesTheLibraries) {
  Toy toy;
  toy.table.kernels.push_back(kernel("attention", "plain"));
  toy.table.kernels.push_back(kernel("decode-attention", "plain"));
  Diagnostics diagnostics;
  const auto old = refit_kernels(attention_probe(toy, "mma"), toy.chip, toy.model(), diagnostics);
  EXPECT_TRUE(old.groups.empty());
  const auto fast =
      refit_kernels(attention_probe(toy, "wgmma"), toy.chip, toy.model(), diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(fast.groups.size(), 2u);  // Prompts, and decoding on the same machine.
  for (const KernelRefit& group : fast.groups) {
    EXPECT_NEAR(group.before.median, 0.167, 0.02);  // 1 − 1 / 1.2, or its logarithm, 0.182.
    EXPECT_LT(group.after.median, 0.9 * group.before.median);  // As far as the prior lets go.
    EXPECT_TRUE(group.helps());
  }
}

TEST(SiteKernelsTest, MemoryTakesItsShareOfAStreamAndTheClockTheRest) {
  const Toy toy;
  Diagnostics diagnostics;
  auto site = refit_kernels(probe_of(toy, 1.1, 600, 1600), toy.chip, toy.model(), diagnostics);
  const auto stream = [&] { return updated_power(toy.table, site, "site", "2026").loads[1]; };
  EXPECT_EQ(stream().memory, 0_W);
  EXPECT_EQ(stream().compute, 500_W);  // 600 W less 100 W of idling.
  site.energy_of_bit = Joules::from_base(5e-12);
  EXPECT_NEAR(stream().memory.base(), 136.0, 1e-9);  // 3.4 TB/s · 8 · 5 pJ.
  EXPECT_NEAR(stream().compute.base(), 364.0, 1e-9);
}

TEST(SiteKernelsTest, TooFewShapesChangeNothing) {
  const Toy toy;
  Diagnostics diagnostics;
  ProbeFile probe{"Toy", "2026-11-15", 700, {}};
  probe.sections.emplace_back(
      "gemm",
      std::vector<ProbeRow>{
          row_of({{"m", 8192}, {"n", 8192}, {"k", 8192}, {"seconds", 1e-3}}, {{"dtype", "bf16"}})});
  const auto site = refit_kernels(probe, toy.chip, toy.model(), diagnostics);
  EXPECT_TRUE(site.groups.empty());
  EXPECT_TRUE(site.clocks.empty());
  EXPECT_EQ(calibration_yaml(updated_table(toy.table, site, "site", "2026")),
            calibration_yaml(toy.table));
}

}  // namespace
}  // namespace loadfactor::calibrate
