// What tests and benchmarks of the search share: scenes of the shipped catalogue and random ones.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "catalog/catalog.h"
#include "search/layout_search.h"
#include "training/job/calibration_file.h"
#include "training/job/stack_file.h"
#include "training/memory/memory_plan.h"
#include "training/step/step_time.h"

namespace loadfactor::search {

// Owns what scenes point at.
struct Library {
  Diagnostics diagnostics;
  std::vector<catalog::DataFile> files = catalog::builtin_files();
  catalog::Catalog catalog = catalog::Catalog::open(files, diagnostics);
  training::StackShelf stacks = training::load_stacks(files, diagnostics);
  training::CalibrationFile calibration_file;
  training::Calibration calibration;

  Library() {
    for (const auto& file : files)
      if (file.path == "calibration/training.yaml")
        calibration_file = training::load_calibration(file, diagnostics);
    calibration = calibration_file.calibration();
  }

  training::TrainingJob job(const std::string& model, const std::string& chip,
                            const std::string& stack) const {
    training::TrainingJob job;
    job.model = *catalog.find_model(model);
    job.chip = *catalog.find_accelerator(chip);
    job.stack = stacks.find(stack);
    return job;
  }
  SearchScene scene(const training::TrainingJob& job) const {
    const auto* chip = calibration.find(*job.chip);
    SearchScene out;
    out.scene =
        training::make_scene(job, calibration.shared, *chip, calibration.families[chip->family]);
    return out;
  }
  training::StepTime step(const training::TrainingJob& job) const {
    const auto* chip = calibration.find(*job.chip);
    return training::step_time(job, calibration.shared, *chip, calibration.families[chip->family]);
  }
};

// A small job of random shape on a chip whose memory may not suffice.
struct RandomProblem {
  catalog::ModelSpec model;
  catalog::AcceleratorSpec chip;
  training::TrainingJob job;
};

inline std::unique_ptr<RandomProblem> random_problem(const Library& library, RandomStream& draw) {
  const auto one_of = [&draw](const auto& list) { return list[draw.below(std::size(list))]; };
  auto problem = std::make_unique<RandomProblem>();
  static constexpr const char* kChips[] = {"h100-sxm", "a100-80gb-sxm", "b200", "l40s", "h200-sxm"};
  static constexpr const char* kStacks[] = {"megatron-core-2026", "torchtitan-2025", "deepspeed",
                                            "megatron-2021", "fsdp-compiled"};
  problem->job = library.job("llama-3.1-8b", one_of(kChips), one_of(kStacks));
  problem->chip = *problem->job.chip;
  auto& model = problem->model;
  catalog::LayerSpec layer;
  const int heads = one_of(std::vector{4, 8, 12});
  const int hidden = heads * 128;
  layer.attention.heads = heads;
  layer.attention.kv_heads = one_of(std::vector{heads, 4});
  layer.attention.head_dim = 128;
  layer.mlp.width = 4 * hidden;
  model.hidden = hidden;
  model.embedding.vocab = 32000;
  model.kinds = {layer};
  if (draw.below(3) == 0) {
    model.kinds[0].mlp.width = 0;
    model.kinds[0].moe.experts = 8;
    model.kinds[0].moe.top_k = 2;
    model.kinds[0].moe.width = hidden;
  }
  model.layers.assign(4 + draw.below(9), 0);
  auto& job = problem->job;
  job.model = &model;
  job.chip = &problem->chip;
  job.sequence = one_of(std::vector{1024, 2048, 4096});
  job.layout.gpus = one_of(std::vector{4, 8, 16, 24, 32});
  job.global_batch = job.layout.gpus * one_of(std::vector{1, 2, 3, 4});
  const bool narrow = problem->chip.arithmetic.rate(catalog::Dtype::kFp8) > FlopsPerSecond();
  if (narrow && draw.below(3) == 0) job.precision.compute = catalog::Dtype::kFp8;
  // From scarce to plenty, so that memory decides in some and time in others.
  const double share = 0.02 + 0.3 * draw.uniform() * draw.uniform();
  problem->chip.memory.usable = problem->chip.memory.usable * share;
  return problem;
}

// Every legal layout by the functions that `train` calls, from nothing.
inline SearchResult brute_force(const Library& library, const SearchScene& scene,
                                std::size_t keep) {
  SearchResult out;
  std::vector<FoundPlan> all;
  visit_layouts(scene, [&](const training::Layout& layout) {
    training::TrainingJob job = scene.scene.job;
    job.layout = layout;
    const auto plan = training::plan_memory(training::memory_question(job));
    const Seconds time = library.step(job).total();
    ++out.enumerated;
    ++out.evaluated;
    if (plan.verdict == training::Verdict::kDoesNotFit) return;
    const bool tight = plan.verdict == training::Verdict::kTight;
    all.push_back(
        {time.base() * scene.weight * handicap(layout, tight), layout, time, plan.needed, tight});
  });
  std::sort(all.begin(), all.end(), is_before);
  all.resize(std::min(all.size(), keep));
  out.best = std::move(all);
  return out;
}

}  // namespace loadfactor::search
