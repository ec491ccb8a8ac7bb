// Whether a sized fleet keeps its promise: the search's answer and the next cheaper fleet, both
// simulated over 20 weeks of seeds that the search never saw. Counters: weeks kept of 20.
#include <benchmark/benchmark.h>

#include "search/serving_sizing.h"
#include "search/serving_weeks.h"
#include "serving/serving_fixture.h"

namespace loadfactor {
namespace {

constexpr int kFreshWeeks = 20;
constexpr std::uint64_t kFresh = 770'000;

search::SizingProblem problem_of(const char* model_name, const char* chip_name, double rate) {
  auto& shipped = serving::shipped();
  const auto* model = *shipped.catalog.find_model(model_name);
  const auto* chip = *shipped.catalog.find_accelerator(chip_name);
  serving::ReplicaChoice choice{
      .model = model,
      .chip = chip,
      .engine = *shipped.catalog.find_engine("vllm"),
      .traits = &shipped.calibration.engines[static_cast<std::size_t>(serving::EngineEra::kVllmV1)],
      .precision = "fp8"};
  choice.formats = serving::choose_precision("fp8", *model, *chip);
  search::SizingProblem problem;
  problem.constants = &shipped.constants;
  problem.hardware = &shipped.hardware;
  problem.ask = {.input = 2000, .output = 400, .ttft = 5, .tpot = 0.2};
  problem.space.choices = {choice};
  problem.space.tp = {1};
  problem.space.pp = {1};
  problem.space.own_settings = true;
  problem.thorough = true;
  problem.confirm = 1;
  demand::TrafficModel traffic;
  traffic.base = Hertz::from_base(1);
  traffic.day = {0.6, 14};
  traffic.weekend = 0.6;
  traffic.slow = {0.15, Seconds::from_base(7200)};
  traffic.input = demand::lengths_of_mean(2000, 0.5, 6000);
  traffic.output = demand::lengths_of_mean(400, 0.5, 2000);
  problem.model = demand::scaled_to(traffic, Hertz::from_base(rate));
  return problem;
}

void report(benchmark::State& state, const search::SizingProblem& problem) {
  search::SizingAnswer answer;
  for (auto _ : state) answer = search::size_deployment(problem);
  if (answer.best.empty()) return;
  const search::SizedDeployment& best = answer.best.front();
  state.counters["replicas"] = best.replicas;
  state.counters["spares"] = best.spares;
  state.counters["kept"] = search::count_weeks(problem, best, kFresh, kFreshWeeks).kept;
  if (!answer.next_cheaper) return;
  const search::SizedDeployment& next = answer.next_cheaper->fleet;
  state.counters["next_replicas"] = next.replicas;
  state.counters["next_kept"] = search::count_weeks(problem, next, kFresh, kFreshWeeks).kept;
}

// Requests per 1,000 s on average, of an 8B model on small GPUs: about 2, 5 and 12 replicas.
void fresh_weeks(benchmark::State& state) {
  report(state, problem_of("llama-3.1-8b", "l4", 1e-3 * static_cast<double>(state.range(0))));
}
// The same with GPUs that fail, so that spares stand by, and with maintenance where none do.
void fresh_weeks_with_outages(benchmark::State& state) {
  auto problem = problem_of("llama-3.1-8b", "l4", 1e-3 * static_cast<double>(state.range(0)));
  problem.outages = {.per_gpu_hour = 5e-5, .repair_hours = 24, .maintenance = 7200};
  report(state, problem);
}
BENCHMARK(fresh_weeks)->Arg(400)->Arg(1200)->Arg(3000)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK(fresh_weeks_with_outages)->Arg(1200)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace loadfactor
