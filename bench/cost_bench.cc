// How long one kernel and one collective take to estimate, on a chip that was measured.
#include <vector>

#include <benchmark/benchmark.h>

#include "catalog/catalog.h"
#include "catalog/load/calibration_loader.h"
#include "catalog/load/collective_loader.h"
#include "collective/estimate.h"
#include "cost/attention.h"
#include "cost/chip_model.h"
#include "cost/gemm.h"

namespace loadfactor {
namespace {

using namespace literals;

// The chip whose tables are the fullest.
constexpr const char* kChip = "h200-sxm";

struct Bench {
  Diagnostics diagnostics;
  std::vector<catalog::DataFile> files = catalog::builtin_files();
  catalog::Catalog data = catalog::Catalog::load(files, diagnostics);
  std::vector<catalog::CalibrationTable> tables = catalog::load_calibrations(files, diagnostics);
  catalog::CollectiveTable collectives = catalog::find_collectives(files, diagnostics);
  const catalog::AcceleratorSpec& chip = **data.find_accelerator(kChip);

  cost::ChipModel model() const {
    std::vector<cost::MeasuredChip> measured;
    for (const auto& table : tables) {
      measured.push_back({*data.find_accelerator(table.chip), &table});
    }
    return *cost::ChipModel::make(chip, measured);
  }
};

void estimate_one_gemm(benchmark::State& state) {
  const cost::ChipModel model = Bench().model();
  const cost::KernelFit& fit = model.fit({});
  cost::GemmCall call{.shape = {state.range(0), 4096, 4096}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(call);
    benchmark::DoNotOptimize(cost::estimate_gemm(call, model.rates(), fit));
  }
}
BENCHMARK(estimate_one_gemm)->Arg(1)->Arg(4096);

void estimate_one_attention(benchmark::State& state) {
  const cost::ChipModel model = Bench().model();
  const cost::KernelFit& fit = model.fit({.kernel = cost::KernelClass::kAttention});
  cost::AttentionCall call{.heads = 32, .kv_heads = 8, .queries = 4096, .context = 4096};
  for (auto _ : state) {
    benchmark::DoNotOptimize(call);
    benchmark::DoNotOptimize(cost::estimate_attention(call, model.rates(), fit));
  }
}
BENCHMARK(estimate_one_attention);

void estimate_one_all_reduce(benchmark::State& state) {
  const Bench bench;
  const auto network = *collective::make_network({.chip = &bench.chip}, bench.collectives);
  collective::Group group{.ranks = static_cast<int>(state.range(0))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(group);
    benchmark::DoNotOptimize(
        collective::estimate(collective::Operation::kAllReduce, 100_MB, group, network));
  }
}
BENCHMARK(estimate_one_all_reduce)->Arg(8)->Arg(1024);

void build_one_chip_model(benchmark::State& state) {
  const Bench bench;
  for (auto _ : state) benchmark::DoNotOptimize(bench.model());
}
BENCHMARK(build_one_chip_model)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace loadfactor
