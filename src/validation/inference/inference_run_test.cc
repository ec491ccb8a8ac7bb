#include "validation/inference/inference_run.h"

#include <string>

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace loadfactor::validation {
namespace {

struct Shelf {
  Diagnostics diagnostics;
  std::vector<catalog::DataFile> files = catalog::builtin_files();
  catalog::Catalog catalog = catalog::Catalog::open(files, diagnostics);
  serving::ServingCalibration calibration =
      serving::find_serving_calibration(files, catalog.generations(), diagnostics);
  serving::HardwareShelf hardware{catalog, files, diagnostics};
  RunMaker maker{catalog, hardware, calibration};
};

InferenceRow benchmark(const char* scenario) {
  InferenceRow row;
  row.id = "bench-1";
  row.model = "llama-2-70b";
  row.accelerator = "h200-sxm";
  row.precision = "fp8";
  row.engine = "TensorRT-LLM";
  row.year = 2025;
  row.gpus = 8;
  row.output = 294;
  row.metric = "total_output_tok_s";
  row.value = 20000;
  row.notes =
      std::string("MLPerf closed ") + scenario + " by X; OpenOrca; SLO TTFT 450ms TPOT 40ms";
  return row;
}

TEST(InferenceRunTest, ALayoutThatNobodyStatesIsTheOneWithTheMostTokensUnderTheBound) {
  Shelf shelf;
  ASSERT_TRUE(shelf.diagnostics.empty());
  const auto constants = shelf.calibration.values();
  for (const char* scenario : {"Offline", "Server", "Interactive"}) {
    const auto chosen = shelf.maker.make(benchmark(scenario));
    ASSERT_TRUE(chosen);
    for (const double tp : {1.0, 2.0, 4.0, 8.0}) {
      InferenceRow stated = benchmark(scenario);
      stated.tp = tp;
      const auto other = shelf.maker.make(stated);
      ASSERT_TRUE(other);
      EXPECT_GE((*chosen)->predict(constants), (*other)->predict(constants)) << scenario << tp;
    }
  }
}

// A card with a table of its own, taken with all of its power, is a slower one with less.
TEST(InferenceRunTest, LessPowerIsNeverFasterAndSurelySlowerWhereALoadDrawsItAll) {
  Shelf shelf;
  const auto constants = shelf.calibration.values();
  for (const char* chip : {"h100-sxm", "h200-sxm", "h100-pcie", "a100-80gb-sxm"}) {
    InferenceRow row = benchmark("Offline");
    row.accelerator = chip;
    row.tp = 8;
    const auto rated = shelf.maker.make(row);
    ASSERT_TRUE(rated) << chip;
    double last = (*rated)->predict(constants);
    for (const double watts : {600.0, 450.0, 300.0}) {
      row.power_limit_w = watts;
      const auto limited = shelf.maker.make(row);
      ASSERT_TRUE(limited) << chip << watts;
      const double now = (*limited)->predict(constants);
      EXPECT_LE(now, last * (1 + 1e-9)) << chip << ' ' << watts;
      last = now;
    }
    if (std::string(chip) == "h100-sxm" || std::string(chip) == "h200-sxm") {
      EXPECT_LT(last, 0.9 * (*rated)->predict(constants)) << chip;
    }
  }
}

}  // namespace
}  // namespace loadfactor::validation
