// One prediction of a training step, over the published runs: at most 20 µs in the median.
#include <vector>

#include <benchmark/benchmark.h>

#include "calibrate/training_fit.h"
#include "catalog/catalog.h"
#include "validation/shipped_training.h"
#include "validation/training_validation.h"

namespace {

using namespace loadfactor;

void predict_published_runs(benchmark::State& state) {
  Diagnostics diagnostics;
  const auto files = catalog::builtin_files();
  const auto catalog = catalog::Catalog::open(files, diagnostics);
  const auto shipped = validation::load_shipped_training(files, diagnostics);
  const auto table = validation::make_runs(shipped.rows, shipped.context(catalog));
  const auto calibration = shipped.calibration.calibration();
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(calibrate::predict(table.runs[next]->job, calibration));
    next = (next + 1) % table.runs.size();
  }
}
BENCHMARK(predict_published_runs);

}  // namespace
