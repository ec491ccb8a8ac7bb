// Requests per CPU-second of the serving simulator with the real step model and every metric on.
//
// The two loads that peers were measured on: Llama-2-7B on one A100 with 512 tokens in and 128
// out at 8 requests per second, and conversation lengths at 2 per second.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "catalog/catalog.h"
#include "serving/calibration_file.h"
#include "serving/hardware.h"
#include "serving/precision.h"
#include "serving/simulator/simulation.h"
#include "serving/simulator/tabulate.h"
#include "sim/poisson_arrivals.h"

namespace {

using namespace loadfactor;
using sim::RequestLength;

// The step table of Llama-2-7B in bf16 on one A100 under vLLM.
class Deployment {
 public:
  Deployment() : catalog_(catalog::Catalog::open(catalog::builtin_files(), diagnostics_)) {
    const auto files = catalog::builtin_files();
    calibration_ = serving::find_serving_calibration(files, catalog_.generations(), diagnostics_);
    shelf_ = std::make_unique<serving::HardwareShelf>(catalog_, files, diagnostics_);
    const auto* model = *catalog_.find_model("llama-2-7b");
    const auto* chip = *catalog_.find_accelerator("a100-80gb-sxm");
    const auto& traits = *catalog_.find_generation("vllm-v1");
    const serving::StepModel steps(
        serving::ServingDeployment{model,
                                   chip,
                                   *shelf_->kernels(*chip),
                                   *shelf_->network(*chip, traits.one_shot),
                                   &traits,
                                   serving::choose_precision("bf16", *model, *chip).kernels,
                                   {},
                                   false});
    table_ = serving::tabulate_steps(steps, calibration_.values(), kSequences, kTokens);
  }

  serving::ClusterRules rules(int replicas) const {
    serving::GroupRules group;
    group.scheduler = {.token_budget = kTokens, .max_seqs = kSequences, .kv_blocks = 7'000};
    group.steps = &table_;
    group.replicas = replicas;
    serving::ClusterRules rules;
    rules.groups.push_back(group);
    return rules;
  }

 private:
  static constexpr int kSequences = 256;
  static constexpr int kTokens = 512;

  Diagnostics diagnostics_;
  catalog::Catalog catalog_;
  serving::ServingCalibration calibration_;
  std::unique_ptr<serving::HardwareShelf> shelf_;
  sim::StepTable table_;
};

const Deployment& deployment() {
  static const Deployment kDeployment;
  return kDeployment;
}

// Lengths of the Azure 2023 conversation trace where it lies beside the project; else a spread
// of lengths with about its means (1,155 in, 211 out).
std::vector<RequestLength> conversation() {
  std::vector<RequestLength> lengths;
  std::filesystem::path folder = std::filesystem::current_path();
  for (int up = 0; up < 6 && lengths.empty(); ++up, folder = folder.parent_path()) {
    std::ifstream file(folder / "shared/data/traces/azure-2023/AzureLLMInferenceTrace_conv.csv");
    std::string line;
    for (std::getline(file, line); std::getline(file, line);) {
      const auto comma = line.find(',');
      const auto second = line.find(',', comma + 1);
      if (second == std::string::npos) continue;
      const RequestLength length{std::stoi(line.substr(comma + 1)),
                                 std::stoi(line.substr(second + 1))};
      if (length.tokens_in > 0 && length.tokens_out > 0) lengths.push_back(length);
    }
  }
  if (!lengths.empty()) return lengths;
  for (std::int32_t i = 1; i < 2'000; ++i)
    lengths.push_back({(i * 7919) % 2'300 + 5, (i * 104'729) % 420 + 1});
  return lengths;
}

void run(benchmark::State& state, const std::vector<RequestLength>& lengths, double rate,
         std::int64_t count, int replicas, bool keeps_all = true) {
  const serving::ClusterRules rules = deployment().rules(replicas);
  serving::SimulationResult result;
  for (auto _ : state) {
    sim::PoissonArrivals arrivals({lengths, rate, count, 1});
    result = serving::simulate(rules, arrivals,
                               {.limits = {sim::kSecond, 50 * sim::kMillisecond},
                                .sample_interval = keeps_all ? 60 * sim::kSecond : sim::kNever,
                                .keeps_all = keeps_all});
    benchmark::DoNotOptimize(result.end);
  }
  const auto total = static_cast<double>(count) * static_cast<double>(state.iterations());
  state.counters["requests/s"] = benchmark::Counter(total, benchmark::Counter::kIsRate);
  state.counters["events/request"] =
      static_cast<double>(result.work.events) / static_cast<double>(count);
  state.counters["ttft_p50_ms"] =
      result.ttft.quantile(0.5) / static_cast<double>(sim::kMillisecond);
  state.counters["tpot_p50_ms"] =
      result.tpot.quantile(0.5) / static_cast<double>(sim::kMillisecond);
  state.counters["most_live"] = static_cast<double>(result.most_live);
}

void fixed_lengths_4000(benchmark::State& state) {
  run(state, {{512, 128}}, 8, 4'000, 1);
}
void fixed_lengths_million(benchmark::State& state) {
  run(state, {{512, 128}}, 8, 1'000'000, 1);
}
void conversation_million(benchmark::State& state) {
  run(state, conversation(), 2, 1'000'000, 1);
}
void conversation_8_replicas(benchmark::State& state) {
  run(state, conversation(), 16, 1'000'000, 8);
}
// As a search simulates a week of a fleet.
void conversation_8_replicas_for_bounds(benchmark::State& state) {
  run(state, conversation(), 16, 1'000'000, 8, false);
}
void fixed_lengths_8_replicas(benchmark::State& state) {
  run(state, {{512, 128}}, 64, 1'000'000, 8);
}
// 27 million requests of a week over 64 replicas: 44.6 per second.
void week_64_replicas(benchmark::State& state) {
  run(state, conversation(), 27e6 / 604'800, 27'000'000, 64);
}

void token_by_token(benchmark::State& state) {
  const serving::ClusterRules rules = deployment().rules(1);
  constexpr std::int64_t kCount = 50'000;
  for (auto _ : state) {
    sim::PoissonArrivals arrivals({{{512, 128}}, 8, kCount, 1});
    benchmark::DoNotOptimize(
        serving::simulate(rules, arrivals, {.engine = serving::SimulatorKind::kPlain}).end);
  }
  const auto total = static_cast<double>(kCount) * static_cast<double>(state.iterations());
  state.counters["requests/s"] = benchmark::Counter(total, benchmark::Counter::kIsRate);
}

BENCHMARK(fixed_lengths_4000);
BENCHMARK(fixed_lengths_million)->Unit(benchmark::kMillisecond);
BENCHMARK(conversation_million)->Unit(benchmark::kMillisecond);
BENCHMARK(fixed_lengths_8_replicas)->Unit(benchmark::kMillisecond);
BENCHMARK(conversation_8_replicas)->Unit(benchmark::kMillisecond);
BENCHMARK(conversation_8_replicas_for_bounds)->Unit(benchmark::kMillisecond);
BENCHMARK(week_64_replicas)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(token_by_token)->Unit(benchmark::kMillisecond);

}  // namespace
