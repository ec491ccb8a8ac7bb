// Whether a sized fleet keeps its promise: the search's answer and the next cheaper fleet, both
// simulated over 20 weeks of seeds that the search never saw. Counters: weeks kept of 20.
//
// Services differ in model, chip, lengths, promises and the shape of their week.
#include <array>
#include <cstddef>

#include <benchmark/benchmark.h>

#include "search/serving_sizing.h"
#include "search/serving_weeks.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor {
namespace {

constexpr int kFreshWeeks = 20;
constexpr std::uint64_t kFresh = 770'000;

// A service with a day of its own.
struct Service {
  const char* model;
  const char* chip;
  const char* precision;
  int tp;
  double input, output;
  double ttft, tpot;  // Seconds, of 95 in 100.
  double wave;        // How far the day moves it.
  double noise;       // Slow, of the logarithm of the rate.
};
constexpr std::array kServices{
    Service{"llama-3.1-8b", "l4", "fp8", 1, 2000, 400, 5, 0.2, 0.6, 0.15},
    Service{"llama-3.3-70b", "h100-sxm", "fp8", 2, 2000, 400, 1.5, 0.04, 0.2, 0.13},
    Service{"qwen2.5-32b", "h100-sxm", "fp8", 1, 6000, 150, 3, 0.06, 0.9, 0.3},
    Service{"mixtral-8x7b", "a100-80gb-sxm", "bf16", 2, 500, 500, 1, 0.05, 0.5, 0.2},
    Service{"llama-3.1-8b", "h200-sxm", "bf16", 1, 800, 250, 0.5, 0.02, 0.3, 0.4},
};

search::SizingProblem problem_of(const Service& service, double rate) {
  auto& shipped = serving::shipped();
  const auto* model = *shipped.catalog.find_model(service.model);
  const auto* chip = *shipped.catalog.find_accelerator(service.chip);
  serving::ReplicaChoice choice{.model = model,
                                .chip = chip,
                                .engine = *shipped.catalog.find_engine("vllm"),
                                .traits = &shipped.traits("vllm-v1"),
                                .precision = service.precision};
  choice.formats = serving::choose_precision(service.precision, *model, *chip);
  search::SizingProblem problem;
  problem.constants = &shipped.constants;
  problem.hardware = &shipped.hardware;
  problem.ask = {.input = service.input,
                 .output = service.output,
                 .ttft = Seconds::from_base(service.ttft),
                 .tpot = Seconds::from_base(service.tpot)};
  choice.layout.tp = service.tp;
  problem.space.choices = {choice};
  problem.space.own_settings = true;
  problem.thorough = true;
  problem.confirm = 1;
  demand::TrafficModel traffic;
  traffic.base = Hertz::from_base(1);
  traffic.day = {service.wave, 14};
  traffic.weekend = 0.6;
  traffic.slow = {service.noise, Seconds::from_base(7200)};
  traffic.input = demand::lengths_of_mean(service.input, 0.5, static_cast<int>(4 * service.input));
  traffic.output =
      demand::lengths_of_mean(service.output, 0.5, static_cast<int>(5 * service.output));
  problem.model = demand::scaled_to(traffic, Hertz::from_base(rate));
  return problem;
}

void report(benchmark::State& state, const search::SizingProblem& problem) {
  search::SizingAnswer answer;
  for (auto _ : state) answer = search::size_deployment(problem);
  if (answer.best.empty()) return state.SkipWithError("nothing keeps the SLO");
  const search::SizedDeployment& best = answer.best.front();
  state.counters["replicas"] = best.replicas;
  state.counters["spares"] = best.spares;
  state.counters["confirmed"] = best.is_confirmed ? 1 : 0;
  state.counters["kept"] = search::count_weeks(problem, best, kFresh, kFreshWeeks).kept;
  if (!answer.next_cheaper) return;
  const search::SizedDeployment& next = answer.next_cheaper->fleet;
  state.counters["next_replicas"] = next.replicas;
  state.counters["next_kept"] = search::count_weeks(problem, next, kFresh, kFreshWeeks).kept;
}

// The service's number, and requests per 1,000 s on average.
void fresh_weeks(benchmark::State& state) {
  const Service& service = kServices[static_cast<std::size_t>(state.range(0))];
  state.SetLabel(std::string(service.model) + " on " + service.chip);
  report(state, problem_of(service, 1e-3 * static_cast<double>(state.range(1))));
}
// The same with GPUs that fail, so that spares stand by, and with maintenance where none do.
void fresh_weeks_with_outages(benchmark::State& state) {
  auto problem = problem_of(kServices[static_cast<std::size_t>(state.range(0))],
                            1e-3 * static_cast<double>(state.range(1)));
  problem.outages = {.per_gpu_hour = 5e-5, .repair_hours = 24, .maintenance = 7200};
  report(state, problem);
}
BENCHMARK(fresh_weeks)
    ->Args({0, 400})
    ->Args({0, 1200})
    ->Args({0, 3000})
    ->Args({1, 1500})
    ->Args({1, 3650})
    ->Args({2, 1000})
    ->Args({3, 1500})
    ->Args({4, 3000})
    ->Unit(benchmark::kSecond)
    ->Iterations(1);
BENCHMARK(fresh_weeks_with_outages)->Args({0, 1200})->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace loadfactor
