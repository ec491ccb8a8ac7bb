// How long the catalogue takes to load, a YAML file to parse and a fit to answer.
#include <string>

#include <benchmark/benchmark.h>

#include "catalog/catalog.h"
#include "config/document.h"
#include "engine/core.h"

namespace loadfactor {
namespace {

void parse_one_model(benchmark::State& state) {
  const auto files = catalog::builtin_files();
  std::string text;
  for (const auto& file : files) {
    if (file.path == "models/llama-3.1-8b.yaml") text = file.text;
  }
  for (auto _ : state) {
    auto document = config::parse_yaml("model.yaml", text);
    benchmark::DoNotOptimize(document);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(parse_one_model)->Unit(benchmark::kMicrosecond);

void load_whole_catalogue(benchmark::State& state) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    const auto engine = engine::Core::create({}, diagnostics);
    benchmark::DoNotOptimize(engine->catalog().models().size() +
                             engine->catalog().accelerators().size() +
                             engine->catalog().prices().rent.size());
  }
}
BENCHMARK(load_whole_catalogue)->Unit(benchmark::kMillisecond);

void fit_from_a_cold_catalogue(benchmark::State& state) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    const auto engine = engine::Core::create({}, diagnostics);
    const auto answer = engine->fit({.model = "llama-3.1-8b"});
    benchmark::DoNotOptimize(answer.has_value());
  }
}
BENCHMARK(fit_from_a_cold_catalogue)->Unit(benchmark::kMillisecond);

void fit_from_a_warm_catalogue(benchmark::State& state) {
  Diagnostics diagnostics;
  const auto engine = engine::Core::create({}, diagnostics);
  for (auto _ : state) {
    const auto answer = engine->fit({.model = "llama-3.1-8b", .accelerator = "h100-sxm"});
    benchmark::DoNotOptimize(answer.has_value());
  }
}
BENCHMARK(fit_from_a_warm_catalogue)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace loadfactor
