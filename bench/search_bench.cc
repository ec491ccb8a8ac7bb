// The search over layouts: GPT-3 175B on 4,096 A100-80GB at a batch of 4,096 on one core.
//
// Counters: legal layouts enumerated and steps evaluated in full per second and core.
#include <algorithm>
#include <string>

#include <benchmark/benchmark.h>

#include "search/layout_search.h"
#include "search/search_fixture.h"

namespace {

using namespace loadfactor;

const search::Library& library() {
  static const search::Library kLibrary;
  return kLibrary;
}

search::SearchScene scene_of(const std::string& model, const std::string& chip, int gpus) {
  auto job = library().job(model, chip, "megatron-core-2026");
  job.sequence = model == "gpt3-175b" ? 2048 : 4096;
  job.global_batch = 4096;
  job.layout.gpus = gpus;
  return library().scene(job);
}

void report(benchmark::State& state, std::int64_t enumerated, std::int64_t evaluated) {
  using benchmark::Counter;
  // Counters are shown with six digits; these are exact.
  state.SetLabel(std::to_string(enumerated) + " enumerated, " + std::to_string(evaluated) +
                 " evaluated");
  state.counters["enumerated"] = static_cast<double>(enumerated);
  state.counters["evaluated"] = static_cast<double>(evaluated);
  state.counters["enumerated/s"] =
      Counter(static_cast<double>(enumerated), Counter::kIsIterationInvariantRate);
  state.counters["evaluated/s"] =
      Counter(static_cast<double>(evaluated), Counter::kIsIterationInvariantRate);
}

void search_pruned(benchmark::State& state) {
  const auto scene = scene_of("gpt3-175b", "a100-80gb-sxm", 4096);
  search::SearchResult found;
  for (auto _ : state) found = search::search_layouts(scene, {});
  report(state, found.enumerated, found.evaluated);
}
BENCHMARK(search_pruned)->Unit(benchmark::kMillisecond);

void search_every_layout(benchmark::State& state) {
  const auto scene = scene_of("gpt3-175b", "a100-80gb-sxm", 4096);
  search::SearchOptions options;
  options.prune = false;
  search::SearchResult found;
  for (auto _ : state) found = search::search_layouts(scene, options);
  report(state, found.enumerated, found.evaluated);
}
BENCHMARK(search_every_layout)->Unit(benchmark::kMillisecond)->Iterations(1);

// As `train --search` does: the best 40, and where none of them leaves a quarter or half of the
// memory free, the fastest that does.
void add_machine(const search::SearchScene& scene, bool front, std::int64_t& enumerated,
                 std::int64_t& evaluated) {
  const auto found = search::search_layouts(scene, {});
  enumerated += found.enumerated;
  evaluated += found.evaluated;
  const Bytes capacity = training::memory_question(scene.scene.job).capacity;
  search::SearchOptions one;
  for (const double share : {0.75, 0.5}) {
    const bool held = std::any_of(found.best.begin(), found.best.end(), [&](const auto& plan) {
      return plan.needed <= capacity * share;
    });
    if (!held) one.shares.push_back(share);
  }
  if (!front || one.shares.empty() || found.best.empty()) return;
  search::SearchScene lean = scene;
  lean.fullest = one.shares[0];
  one.keep = 1;
  benchmark::DoNotOptimize(search::search_layouts(lean, one));
}

void search_machines(benchmark::State& state, const std::string& model, bool front) {
  std::int64_t enumerated = 0;
  std::int64_t evaluated = 0;
  for (auto _ : state) {
    enumerated = evaluated = 0;
    for (const char* chip :
         {"a100-80gb-sxm", "h100-sxm", "h200-sxm", "b200", "mi300x", "gb200-nvl72"}) {
      for (int gpus = 1024; gpus <= 16384; gpus *= 2) {
        add_machine(scene_of(model, chip, gpus), front, enumerated, evaluated);
      }
    }
  }
  report(state, enumerated, evaluated);
}
BENCHMARK_CAPTURE(search_machines, dense_405b, "llama-3.1-405b", false)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(search_machines, experts_671b, "deepseek-v3", false)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(search_machines, experts_671b_front, "deepseek-v3", true)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
