// How fast traffic is read and made: rows per second of plain and packed tables, requests made.
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include "demand/generate.h"
#include "demand/read/import.h"
#include "serving/arrival_tape.h"
#include "serving/arrivals_from_demand.h"

namespace {

using namespace loadfactor;

std::string table(int rows) {
  std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  for (int i = 0; i < rows; ++i)
    text += "2023-11-16 18:" + std::to_string(10 + i / 60000 % 50) + ":" +
            std::to_string(10 + i / 1000 % 50) + "." + std::to_string(1000000 + i % 1000) + "," +
            std::to_string(100 + i % 900) + "," + std::to_string(10 + i % 90) + "\n";
  return text;
}

void BM_ReadPlainTable(benchmark::State& state) {
  const std::string text = table(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(demand::import_demand("bench.csv", text));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ReadPlainTable)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

demand::TrafficModel busy_hours() {
  demand::TrafficModel model;
  model.base = Hertz::from_base(100);
  model.slow = {0.1, Seconds::from_base(7200)};
  model.cv = 1.06;
  model.input = demand::lengths_of_mean(1000, 1, 100'000);
  model.output = demand::lengths_of_mean(200, 1, 10'000);
  return model;
}

void BM_MakeRequests(benchmark::State& state) {
  const demand::TrafficModel model = busy_hours();
  std::int64_t made = 0;
  for (auto _ : state)
    made += static_cast<std::int64_t>(demand::generate(model, 1, Seconds::from_base(3600)).size());
  state.SetItemsProcessed(made);
}
BENCHMARK(BM_MakeRequests)->Unit(benchmark::kMillisecond);

// As a search records a week: drawn for it alone, or from the draws of another mean.
void record(benchmark::State& state, demand::DrawStore* store) {
  const Seconds hour = Seconds::from_base(3600);
  std::int64_t made = 0;
  for (auto _ : state) {
    const auto arrivals = serving::arrivals_of(busy_hours(), 1, hour, store);
    made += serving::ArrivalTape(*arrivals).size();
  }
  state.SetItemsProcessed(made);
}
void BM_RecordRequests(benchmark::State& state) {
  record(state, nullptr);
}
BENCHMARK(BM_RecordRequests)->Unit(benchmark::kMillisecond);
void BM_RecordKeptDraws(benchmark::State& state) {
  demand::DrawStore store;
  record(state, &store);
}
BENCHMARK(BM_RecordKeptDraws)->Unit(benchmark::kMillisecond);

// A week as a search ranks it, in windows of ten minutes.
void BM_RatesOfAWeek(benchmark::State& state) {
  demand::TrafficModel model = busy_hours();
  model.fast = {0.05, Seconds::from_base(223)};
  std::uint64_t seed = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(demand::generate_rates(model, ++seed, Seconds::from_base(604'800),
                                                    Seconds::from_base(600)));
}
BENCHMARK(BM_RatesOfAWeek)->Unit(benchmark::kMillisecond);

}  // namespace
