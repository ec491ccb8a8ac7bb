// What the tests of the step model share: the shipped constants, a chip, and plain models.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "training/job/calibration_file.h"
#include "training/job/job.h"
#include "training/step/step_time.h"

namespace loadfactor::training {

inline std::string read_data(const std::string& path) {
  std::ifstream file(std::string(LF_SOURCE_DIR) + "/data/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline CalibrationFile shipped_calibration() {
  catalog::DataFile file;
  file.path = "calibration/training.yaml";
  file.shown_as = file.path;
  file.text = read_data(file.path);
  Diagnostics diagnostics;
  CalibrationFile result = load_calibration(file, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return result;
}

// 1 PFLOP/s in 16 bit, 2 in fp8, 4 TB/s of memory, eight chips at 400 GB/s, 50 GB/s outside.
inline catalog::AcceleratorSpec round_chip() {
  using catalog::Dtype;
  catalog::AcceleratorSpec chip;
  chip.name = "h100-sxm";
  chip.family = "hopper";
  const auto set = [&](Dtype dtype, double tflops) {
    chip.arithmetic.dense[static_cast<std::size_t>(dtype)] =
        FlopsPerSecond::from_base(tflops * 1e12);
  };
  set(Dtype::kBf16, 1000);
  set(Dtype::kFp16, 1000);
  set(Dtype::kFp8, 2000);
  chip.compute.units = 128;
  chip.memory.bandwidth = BytesPerSecond::from_base(4e12);
  chip.memory.nominal = Bytes::from_base(80e9);
  chip.scale_up.bandwidth = BytesPerSecond::from_base(400e9);
  chip.scale_up.domain = 8;
  chip.scale_up.topology = catalog::Topology::kSwitch;
  chip.scale_out = catalog::Link{};
  chip.scale_out->bandwidth = BytesPerSecond::from_base(50e9);
  return chip;
}

inline catalog::ModelSpec plain_transformer(int layers, int hidden) {
  catalog::ModelSpec model;
  catalog::LayerSpec layer;
  layer.attention.heads = hidden / 128;
  layer.attention.kv_heads = hidden / 128;
  layer.attention.head_dim = 128;
  layer.mlp.width = 4 * hidden;
  model.hidden = hidden;
  model.embedding.vocab = 32000;
  model.kinds = {layer};
  model.layers.assign(static_cast<std::size_t>(layers), 0);
  return model;
}

inline catalog::ModelSpec sparse_transformer(int layers, int hidden) {
  catalog::ModelSpec model = plain_transformer(layers, hidden);
  model.kinds[0].mlp.width = 0;
  model.kinds[0].moe.experts = 64;
  model.kinds[0].moe.top_k = 4;
  model.kinds[0].moe.width = hidden / 2;
  return model;
}

// A job on shipped constants; change what a test is about.
struct StepFixture : ::testing::Test {
  CalibrationFile file = shipped_calibration();
  Calibration calibration = file.calibration();
  catalog::AcceleratorSpec chip = round_chip();
  catalog::ModelSpec model = plain_transformer(32, 4096);
  StackTraits stack;
  TrainingJob job;

  StepFixture() {
    job.model = &model;
    job.chip = &chip;
    job.stack = &stack;
    job.sequence = 4096;
    job.global_batch = 64;
    job.layout.gpus = 1;
  }

  StepTime step() const { return step(job); }
  StepTime step(const TrainingJob& other) const {
    const ChipConstants* constants = calibration.find(*other.chip);
    return step_time(other, calibration.shared, *constants,
                     calibration.families[constants->family]);
  }
};

}  // namespace loadfactor::training
