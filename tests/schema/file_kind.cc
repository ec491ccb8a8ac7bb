#include "tests/schema/file_kind.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <gtest/gtest.h>

#include "audit/claim.h"
#include "calibrate/profile/kernel_rules.h"
#include "calibrate/site/site_file.h"
#include "calibrate/site/site_serving.h"
#include "catalog/index/lineup.h"
#include "catalog/load/accelerator_loader.h"
#include "catalog/load/calibration_loader.h"
#include "catalog/load/collective_loader.h"
#include "catalog/load/engine_loader.h"
#include "catalog/load/fabric_loader.h"
#include "catalog/load/glossary_loader.h"
#include "catalog/load/model_loader.h"
#include "catalog/load/node_loader.h"
#include "catalog/load/region_loader.h"
#include "config/document.h"
#include "config/reading/scenario_reader.h"
#include "demand/traffic_file.h"
#include "serving/calibration_file.h"
#include "tests/broken/broken_inputs.h"
#include "training/job/calibration_file.h"
#include "training/job/stack_file.h"

namespace loadfactor::schema {
namespace {

template <auto Load>
Diagnostics read_entry(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  static_cast<void>(Load({path, path, text}, diagnostics));
  return diagnostics;
}

template <auto Load, typename Table>
Diagnostics read_table(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  Table table;
  Load({path, path, text}, table, diagnostics);
  return diagnostics;
}

// Constants of engines are checked by their kind alone: which engines there are is the catalogue's.
Diagnostics read_serving_calibration(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  static_cast<void>(serving::load_serving_calibration({path, path, text}, {}, diagnostics));
  return diagnostics;
}

Diagnostics read_scenario_text(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  const auto document = config::parse_yaml(path, text);
  if (document)
    static_cast<void>(config::read_scenario(*document, diagnostics));
  else
    diagnostics.add(document.error());
  return diagnostics;
}

Diagnostics read_stack_text(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  static_cast<void>(training::load_stacks({{path, path, text}}, diagnostics));
  return diagnostics;
}

Diagnostics read_claim_text(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  const auto document = config::parse_yaml(path, text);
  if (document)
    static_cast<void>(audit::read_claims(*document, diagnostics));
  else
    diagnostics.add(document.error());
  return diagnostics;
}

Diagnostics read_traffic_text(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  static_cast<void>(demand::read_traffic(path, text, diagnostics));
  return diagnostics;
}

// Scenarios come last.
constexpr std::array kKinds{
    FileKind{"accelerator", read_entry<catalog::load_accelerator>},
    FileKind{"node", read_entry<catalog::load_node>},
    FileKind{"fabric", read_entry<catalog::load_fabric>},
    FileKind{"model", read_entry<catalog::load_model>},
    FileKind{"region", read_entry<catalog::load_region>},
    FileKind{"engine", read_entry<catalog::load_engine>},
    FileKind{"glossary", read_table<catalog::load_glossary, std::vector<catalog::GlossaryTerm>>},
    FileKind{"lineup", read_table<catalog::load_lineup, catalog::Lineup>},
    FileKind{"stack", read_stack_text},
    FileKind{"stack-rules", read_stack_text},
    FileKind{"calibration", read_entry<catalog::load_calibration>},
    FileKind{"collectives", read_entry<catalog::load_collectives>},
    FileKind{"training-calibration", read_entry<training::load_calibration>},
    FileKind{"traffic", read_traffic_text},
    FileKind{"claim", read_claim_text},
    FileKind{"claims", read_claim_text},
    FileKind{"serving-calibration", read_serving_calibration},
    FileKind{"site", read_entry<calibrate::load_site>},
    FileKind{"site-serving", read_entry<calibrate::load_serving_site>},
    FileKind{"kernels", read_entry<calibrate::load_kernel_rules>},
    FileKind{"scenario", read_scenario_text},
};

Sample sample_of(std::string path, std::string text) {
  const auto document = config::parse_yaml(path, text);
  EXPECT_TRUE(document.has_value()) << path;
  Json tree = document ? to_json(document->root) : Json();
  return {std::move(path), std::move(text), std::move(tree)};
}

std::vector<Sample> read_all_files() {
  const auto data = std::filesystem::path(LF_SOURCE_DIR) / "data";
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Sample> samples;
  for (const auto& path : paths) {
    samples.push_back(
        sample_of(std::filesystem::relative(path, data).generic_string(), broken::read_file(path)));
  }
  return samples;
}

const std::vector<Sample>& all_files() {
  static const std::vector<Sample> files = read_all_files();
  return files;
}

constexpr std::string_view kEverything = R"(
loadfactor: 1
name: everything
serve:
  model: {config: ./config.json}
  precision: fp8
  demand: {requests_per_day: 300 K, tokens_in: 2 K tokens, tokens_out: 400, shape: office}
  slo: {ttft_p50: 1 s, ttft_p90: 1.2 s, ttft_p95: 1.5 s, ttft_p99: 3 s,
        tpot_p50: 20 ms, tpot_p90: 30 ms, tpot_p95: 40 ms, tpot_p99: 0.1 s}
  deployment: {gpu: h100-sxm, kv: fp8, engine: vllm, release: 0.9,
    prefill: {gpu: h100-sxm, tp: 8, pp: 1, ep: 1, dp: 1, replicas: 2, max_seqs: 64, chunk: 8192,
              kv: fp8},
    decode: {gpu: h200-sxm, tp: 4, pp: 1, ep: 1, dp: 1, replicas: 4, max_seqs: 256, chunk: 1024,
             kv: fp8},
    transfer: {link: 50 GB/s, shared: 400 GB/s, latency: 1 ms}}
train:
  model: {params: 500 B, active: 32 B}
  precision: bf16
  tokens: 10 T
  deadline: 30 days
  sequence: 8192
  global_batch: 2048
  stages: [{sequence: 131072, tokens: 800 B, global_batch: 128}]
  layout: {gpus: 512, tp: 8, pp: 4, vp: 2, cp: 1, ep: 8, etp: 1, dp: 16, zero: 1, micro_batch: 1,
           recompute: selective, schedule: interleaved, sequence_parallel: true,
           offload: [optimizer, activations], moments: bf16, kept: fp8,
           moe: {imbalance: 1.3, spread: 0.2, capacity_factor: 1.5, padded: true, dispatch: fp8}}
  stack: {framework: megatron, release: core-0.12, year: 2025}
hardware: [h100-sxm, h200-sxm]
limits: {gpus: 4096, rack_power: 40 kW, site_power: 5 MW, budget: 20 M USD}
money:
  options: [on-demand, reserved-1y, reserved-3y, spot, own, api]
  currency: {code: EUR, per_usd: 0.92, date: 2026-11-01}
  own: {life: 4 years, residual: 10 %, discount: 0.08, price: 40 K USD, power: 1.275 kW,
        electrical_load: 76 %, idle_power: 0.2, pue: 1.3, space: 125 USD/kW/month,
        maintenance: 3 %, insurance: 1 %, staff: 0.05 USD/GPU-hour, software: 0.01 USD/GPU-hour,
        availability: 98 %, resale: 0.8 USD/GPU-hour, most: 64, as_of: 2026-08-22}
  rent: {on_demand: 3.55 USD/GPU-hour, reserved_1y: 2.35 USD/GPU-hour,
         reserved_3y: 1.3 USD/GPU-hour, spot: 2 USD/GPU-hour, provider: lambda, instance: 8, as_of: 2026-08,
         commit: 80 %, support: 5 %, goodput_loss: 2 %, surcharge: 25 %, platform: sagemaker,
         storage: 100 USD/month, egress: 50 USD/month, debugging: 10 USD/day, setup: 1000 USD}
  spot: {interrupted: 17.5 %, loss: 0.75 h, wait: 1 h, gang: 8}
  api: {model: gpt-4o, provider: openai, input: 2.5 USD/M tokens, cached: 1.25 USD/M tokens,
        output: 10 USD/M tokens, input_share: 75 %, cached_share: 50 %, half_life: 1.1 years,
        limit: 50000 tokens/s, as_of: 2026-08-08}
  training: {work: 1e6 GPU-hours, serial: 0.0001, delay_cost: 50000 USD/day}
  waiting: {gain: 1.5, wait: 9 months}
  uncertainty: {rent: 20 %, capital: 10 %, residual: 30 %, electricity: 15 %, pue: 5 %,
                rate: 15 %, load_factor: 30 %, api: 20 %}
  alternatives:
    - {name: other, hardware: mi355x, all_in: 1.9 USD/GPU-hour, gpus: 8, performance: 0.95,
       load_factor: 50 %, life: 3 years, residual: 5 %, power: 1.6 kW, as_of: 2026-08,
       porting: {cost: 1 M USD, engineers: 4, effort: 9 months, salary: 20000 USD/month,
                 validation: 180 K USD, upkeep: 10000 USD/month, delay: 6 months,
                 delay_cost: 1000 USD/day}}
  region: us-texas
  electricity: $0.09/kWh
  people: 7500 USD/month
  horizon: 3 years
  path: [0.9, 0.8]
  rent_process: {drift: -10 %, volatility: 25 %, reversion: 0.5, jumps: 0.5, jump_down: -0.44,
                 jump_up: 30 %}
  as_of: 2026-08
  claimed_break_even: 50 %
capacity: {gpus: 8, rate: 1200 tokens/s/GPU, load_factor: 40 %, most_load: 90 %, node: 8}
facility: {node: dgx-h100, gpu_power: 700 W, power_cap: 500 W, cooling: direct-liquid,
           network: {topology: fat-tree, radix: 64, oversubscription: 1, transport: staged},
           host: {checkpoint: 5.67 TB, checkpoint_within: 60 s, checkpoints_kept: 2,
                  bytes_per_token: 4 B}}
)";

constexpr std::string_view kTraceAndDimensions = R"(
loadfactor: 1
name: trace-and-dimensions
serve:
  model: {layers: 2, hidden: 64, heads: 8, vocab: 100, kv_heads: 2, head_dim: 8, mlp: 256,
          gated: true, tied: false, experts: 8, top_k: 2, expert_width: 32, shared_width: 32}
  demand: {trace: requests.csv}
  deployment: {gpu: l4, tp: 8, pp: 1, ep: 1, dp: 1, replicas: 2, max_seqs: 64, chunk: 8192,
    memory_fraction: 0.9, prefix_hits: 30 %, urgent: 10 %, preemption: swap, swap_space: 64 GB,
    router: round-robin, timeout: 60 s, first_token_timeout: 10 s, max_waiting: 100,
    speculation: {tokens: 2, acceptance: 70 %, draft: 5 %}, lora: {rank: 16, active: 4}, moe: {imbalance: 1.2, skew: 0.8},
    scaling: {most: 8, least: 0, target: 32, interval: 15 s, seen_after: 30 s, cooldown: 60 s,
              start: 180 s},
    failures: [{at: 1 h, repair: 10 min, replica: 2}]}
  others:
    - {model: llama-3.1-8b, precision: fp8, demand: {trace: other.csv}, slo: {tpot_p95: 50 ms},
       deployment: {gpu: l4, scaling: {most: 2, provision: 2 min, load: 1 min}}}
  regions: [{name: germany, share: 40 %}, {name: us-virginia, share: 0.6}]
train:
  model: {layers: 2, hidden: 64, heads: 8, vocab: 100, mlp: 256}
  layout: {offload: none, recompute: {layers: 2}, zero: 0, compression: {kind: powersgd, rank: 8}}
  failures: {checkpoint: in-memory, interval: 10 min, storage: 100 GB/s, restart: 5 min,
             detection: 1 min, repair: 24 h, spares: 2, elastic: true}
hardware: l4
money:
  options: spot
  own: {financing: {debt_share: 70 %, offtake: merchant, equity_rate: 0.2, tax: 21 %}}
)";

constexpr std::string_view kGrowing = R"(
loadfactor: 1
name: growing
serve:
  model: gpt2
  demand: {requests_per_month: 3 M, tokens_in: 100, tokens_out: 100, growth: 8 %/month,
           shape: {daily_peak: 3, peak_hour: 14, weekend: 0.6}}
  slo: {ttft_p95: 1 s, availability: 99.9 %}
  deployment: {gpu: l4, filler: {tokens_in: 200, tokens_out: 50}}
hardware: l4
money: {tax: 21 %, own: {depreciation: macrs, lead_time: 6 months}}
)";

constexpr std::string_view kBlank = R"(
loadfactor: 1
name: blank
serve:
  model: gpt2
  precision:
  demand:
  slo:
  deployment: {engine: , kv: , tp: }
train:
hardware:
limits: {gpus: , budget: }
capacity: {gpus: , hours: , mean: }
facility: {network: , cooling: , host: }
money: {options: , own: {financing: }, rent_process: , rent: , spot: , api: , training: , waiting: , alternatives: ,
        uncertainty: , path: , electricity: }
)";

// A server whose accelerators meet on the buses of two processors.
constexpr std::string_view kTwoSockets = R"(
schema: node/1
name: two-sockets
title: Eight L40S behind four switches
accelerator: l40s
gpus: 8
bus: {per_switch: 2, per_socket: 4, beyond_switch: 0.9, beyond_socket: 0.6,
      kind: assumed, source: general-knowledge, date: 2026}
)";

}  // namespace

std::span<const FileKind> file_kinds() {
  return kKinds;
}

std::vector<Sample> shipped_files(const FileKind& kind) {
  std::vector<Sample> samples;
  for (const Sample& sample : all_files()) {
    const bool is_scenario = sample.tree.contains("loadfactor") && !sample.tree.contains("pools");
    const std::string wanted = std::string(kind.schema) + "/1";
    const bool is_meant =
        is_scenario ? kind.schema == "scenario" : sample.tree.value("schema", Json()) == wanted;
    if (is_meant) samples.push_back(sample);
  }
  return samples;
}

std::vector<Sample> odd_nodes() {
  return {sample_of("hardware/nodes/two-sockets.yaml", std::string(kTwoSockets))};
}

std::vector<Sample> odd_scenarios() {
  return {sample_of("scenarios/everything.yaml", std::string(kEverything)),
          sample_of("scenarios/trace-and-dimensions.yaml", std::string(kTraceAndDimensions)),
          sample_of("scenarios/growing.yaml", std::string(kGrowing)),
          sample_of("scenarios/blank.yaml", std::string(kBlank))};
}

}  // namespace loadfactor::schema
