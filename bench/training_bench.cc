// One prediction of a training step, over the published runs, with a workspace that has seen them:
// at most 20 µs in the median and 200 µs for the worst.
#include <algorithm>
#include <chrono>
#include <vector>

#include <benchmark/benchmark.h>

#include "catalog/catalog.h"
#include "training/step/step_time.h"
#include "validation/training/shipped_training.h"
#include "validation/training/training_validation.h"

namespace {

using namespace loadfactor;

struct Published {
  Diagnostics diagnostics;
  std::vector<catalog::DataFile> files = catalog::builtin_files();
  catalog::Catalog catalog = catalog::Catalog::open(files, diagnostics);
  validation::ShippedTraining shipped = validation::load_shipped_training(files, diagnostics);
  validation::PublishedTable table = validation::make_runs(shipped.rows, shipped.context(catalog));
  training::Calibration calibration = shipped.calibration.calibration();
  training::PipelineWorkspace workspace;

  Seconds predict(std::size_t run) {
    const training::TrainingJob& job = table.runs[run]->job;
    const auto* chip = calibration.find(*job.chip);
    if (chip == nullptr) return {};
    const auto scene =
        training::make_scene(job, calibration.shared, *chip, calibration.families[chip->family]);
    return training::step_time(scene, {job.layout, job.global_batch}, workspace).total();
  }
};

void predict_published_runs(benchmark::State& state) {
  Published published;
  const std::size_t count = published.table.runs.size();
  for (std::size_t i = 0; i < count; ++i) published.predict(i);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(published.predict(next));
    next = (next + 1) % count;
  }
}
BENCHMARK(predict_published_runs);

// The best of five of every run; the counters say the median and the worst run.
void predict_each_run(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  Published published;
  const std::size_t count = published.table.runs.size();
  std::vector<double> best(count, 1e9);
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) {
      published.predict(i);
      for (int again = 0; again < 5; ++again) {
        const auto start = Clock::now();
        benchmark::DoNotOptimize(published.predict(i));
        const std::chrono::duration<double, std::micro> took = Clock::now() - start;
        best[i] = std::min(best[i], took.count());
      }
    }
  }
  std::sort(best.begin(), best.end());
  state.counters["median_us"] = best[count / 2];
  state.counters["worst_us"] = best.back();
}
BENCHMARK(predict_each_run)->Iterations(1);

}  // namespace
