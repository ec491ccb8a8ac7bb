// Edits of every key of a scenario, and the arguments of --set that they print.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"

namespace loadfactor::config {
namespace {

using testing::sound;

// Together they write every key; keys that exclude each other stand in different ones.
const std::vector<std::string>& scenarios() {
  static const std::vector<std::string> kAll{
      R"(
loadfactor: 1
name: answers that are learned from
train:
  model: llama-3.1-8b
  method:
    kind: grpo
    prompts: 64
    group: 8
    prompt_tokens: 400
    answer_tokens: 1500
    answer_spread: 0.8
    answer_most: 8192
    steps: 300
    epochs: 2
    reference: true
    reward: {model: llama-3.1-8b, precision: bf16}
    placement: split
    off_policy: 1
    rollout: {engine: vllm, release: "0.10", gpus: 4, tp: 1, precision: fp8, kv: fp8, max_seqs: 64}
hardware: [h100-sxm]
)",
      R"(
loadfactor: 1
name: a value model
train:
  model: llama-3.1-8b
  method: {kind: ppo, prompts: 64, answer_tokens: 500, value: {model: llama-3.2-1b, precision: bf16}}
hardware: [h100-sxm]
)",
      R"(
loadfactor: 1
name: a teacher
train:
  model: llama-3.1-8b
  method: {kind: distillation, teacher: {model: llama-3.3-70b, precision: fp8}}
  tokens: 1 B
  sequence: 4096
  global_batch: 128
hardware: [h100-sxm]
)",
      R"(
loadfactor: 1
name: examples in a row
train:
  model: llama-3.1-8b
  method: lora
  lora: 16
  lora_targets: all-linear
  tokens: 20 M
  sequence: 2048
  global_batch: 16
  examples: {tokens: 600, packing: true}
hardware: [h100-sxm]
)",
      R"(
loadfactor: 1
name: pictures
serve:
  model: qwen2.5-vl-7b
  demand: {requests_per_hour: 100, tokens_in: 200, tokens_out: 100, images: 2}
hardware: [h100-sxm]
)",
      R"(
loadfactor: 1
name: all of serving
serve:
  model: llama-3.3-70b
  precision: fp8
  demand: {requests_per_month: 9.6 M, tokens_in: 2000, tokens_out: 400, shape: global-chat}
  slo: {ttft_p50: 1 s, ttft_p90: 2 s, ttft_p95: 3 s, ttft_p99: 4 s, tpot_p50: 10 ms,
        tpot_p90: 20 ms, tpot_p95: 30 ms, tpot_p99: 40 ms, e2e_p50: 10 s, e2e_p90: 20 s,
        e2e_p95: 30 s, e2e_p99: 40 s}
  deployment:
    gpu: h100-sxm
    tp: 2
    pp: 1
    ep: 1
    dp: 1
    cp: 1
    replicas: 3
    max_seqs: 256
    chunk: 2048
    kv: fp8
    engine: vllm
    release: "0.11"
    memory_fraction: 92 %
    prefix_hits: 30 %
    urgent: 10 %
    preemption: swap
    swap_space: 16 GB
    router: least-loaded
    timeout: 60 s
    first_token_timeout: 10 s
    max_waiting: 100
    speculation: {tokens: 3, acceptance: 70 %, draft: 4 %}
    lora: {rank: 32, active: 4}
    moe: {imbalance: 1.2}
    scaling: {most: 8, least: 2, target: 20, interval: 15 s, seen_after: 30 s, cooldown: 60 s,
              start: 180 s}
    failures: [{at: 10 min, repair: 5 min, replica: 2}]
  others:
    - model: {config: ./other/config.json}
      precision: bf16
      demand: {requests_per_second: 2, tokens_in: 500, tokens_out: 100}
      slo: {ttft_p95: 2 s}
      deployment:
        gpu: h100-sxm
        tp: 1
        scaling: {most: 4, above: 30, below: 10, provision: 60 s, load: 30 s}
hardware: [h100-sxm, b200]
)",
      R"(
loadfactor: 1
name: two pools
serve:
  model: {params: 70 B, active: 12 B}
  demand: {requests_per_hour: 3600, tokens_in: 2000, tokens_out: 400}
  deployment:
    gpu: h200-sxm
    kv: bf16
    scaling: {most: 4, above: 30, below: 10, provision: 60 s, load: 30 s}
    prefill: {gpu: h200-sxm, tp: 2, pp: 1, ep: 1, dp: 1, cp: 1, replicas: 2, max_seqs: 8,
              chunk: 8192, kv: fp8}
    decode: {gpu: h200-sxm, tp: 4, pp: 1, ep: 1, dp: 1, cp: 1, replicas: 1, max_seqs: 64,
             chunk: 512, kv: fp8}
    transfer: {link: 50 GB/s, shared: 400 GB/s, latency: 20 us}
)",
      R"(
loadfactor: 1
name: dimensions
serve:
  model: {layers: 32, hidden: 4096, heads: 32, vocab: 128256, kv_heads: 8, head_dim: 128,
          gated: true, tied: false, experts: 64, top_k: 8, expert_width: 1024, shared_width: 2048}
  demand: {requests_per_day: 90000, tokens_in: 2000, tokens_out: 400}
train:
  model: llama-3.1-8b
  precision: [bf16, fp8]
  tokens: 15 T
  deadline: 30 days
  sequence: 8192
  global_batch: 1024
  lora: 16
  lora_targets: attention
  data_rate: 20 M tokens/s
  critical_batch: 16 M
  failures: {checkpoint: in-memory, elastic: true, interval: 30 min, storage: 100 GB/s, restart: 5 min,
             detection: 1 min, repair: 2 h, spares: 3}
  layout: {gpus: 64, tp: 2, pp: 4, vp: 2, first_layers: 7, last_layers: 9, cp: 1, ep: 1, etp: 1,
           dp: 8, zero: 3, shard_group: 4, micro_batch: 2, recompute: [norms, mlp],
           schedule: interleaved, sequence_parallel: true, offload: [optimizer, activations],
           offload_layers: 2, offload_link: 50 GB/s, gradients: bf16}
  stack: {framework: megatron, release: "0.12", year: 2025}
capacity: {gpus: 64, rate: 1200 tokens/s/GPU, load_factor: 40 %, most_load: 80 %, node: 8}
facility:
  node: dgx-h100
  gpu_power: 700 W
  power_cap: 600 W
  cooling: air
  network: {topology: fat-tree, radix: 64, oversubscription: 2, transport: staged}
  host: {checkpoint: 5 TB, checkpoint_within: 60 s, checkpoints_kept: 4, bytes_per_token: 4 B}
limits: {gpus: 512, rack_power: 40 kW, site_power: 5 MW, budget: 20 M USD, headroom: 5 %}
)",
      R"(
loadfactor: 1
name: money
train:
  model: {params: 500 B, active: 40 B}
  precision: bf16
  layout: {recompute: {layers: 4}, moments: bf16, kept: fp8,
           moe: {imbalance: 1.3, spread: 0.2, capacity_factor: 1.5, padded: true, dispatch: fp8},
           compression: {kind: powersgd, rank: 8}}
serve:
  model: {layers: 32, hidden: 4096, heads: 32, vocab: 128256, mlp: 14336}
  demand: {trace: requests.csv}
capacity: {gpus: 64, rate: 1200 tokens/s/GPU, demand: 50 K tokens/s}
money:
  options: [own, on-demand, api]
  own: {life: 4 years, residual: 20 %, discount: 13 %, price: 30 K USD, power: 1.2 kW,
        electrical_load: 80 %, idle_power: 20 %, pue: 1.3, space: 150 USD/kW/month,
        maintenance: 5 %, insurance: 1 %, staff: 0.1 USD/GPU/h, software: 0.2 USD/GPU/h,
        availability: 97 %, resale: 0.5 USD/GPU/h, most: 1000, as_of: 2026-10}
  rent: {on_demand: 3 USD/GPU/h, reserved_1y: 2.5 USD/GPU/h, reserved_3y: 2 USD/GPU/h,
         spot: 1 USD/GPU/h, provider: lambda, instance: 8, as_of: 2026-09, commit: 60 %,
         support: 10 %, goodput_loss: 2 %, surcharge: 15 %, platform: vertex, storage: 500 USD/month,
         egress: 200 USD/month, debugging: 1000 USD/month, setup: 5000 USD}
  spot: {interrupted: 10 %, loss: 0.75 h, wait: 2 h, gang: 4}
  api: {model: gpt-oss-120b, provider: together, input: 1 USD/M tokens, cached: 0.5 USD/M tokens,
        output: 3 USD/M tokens, input_share: 80 %, cached_share: 20 %, half_life: 1 years,
        limit: 1 M tokens/s, as_of: 2026-08}
  region: us-east
  electricity: 0.09 USD/kWh
  people: 7500 USD/month
  horizon: 3 years
  path: [0.9, 0.8]
  as_of: 2026-11
  claimed_break_even: 45 %
  training: {work: 1 M GPU-hours, serial: 5 %, delay_cost: 10000 USD/month}
  waiting: {gain: 2, wait: 6 months}
  rent_process: {drift: -10 %, volatility: 0.3, reversion: 0.5, jumps: 0.5, jump_down: -44 %,
                 jump_up: 30 %}
  uncertainty: {rent: 10 %, capital: 11 %, residual: 12 %, electricity: 13 %, pue: 14 %,
                rate: 15 %, load_factor: 16 %, api: 17 %}
  alternatives:
    - {name: other, hardware: mi300x, price: 15 K USD, gpus: 48, performance: 0.95,
       load_factor: 40 %, life: 3 years, residual: 10 %, power: 1 kW, as_of: 2026-07,
       porting: {cost: 1 M USD, engineers: 4, effort: 3 months, salary: 20000 USD/month,
                 validation: 50 K USD, upkeep: 3000 USD/month, delay: 2 months,
                 delay_cost: 9000 USD/month}}
)",
      R"(
loadfactor: 1
name: the rest
capacity: {hours: [1, 2.5, 3]}
serve: {model: {config: ./config.json}}
train: {model: {config: ./config.json}, layout: {recompute: selective}}
money:
  own: {all_in: 2 USD/GPU/h, build: true,
        financing: {debt_share: 70 %, debt_rate: 9 %, equity_rate: 15 %, tax: 21 %}}
  api: {price: 2 USD/M tokens}
  alternatives: [{name: rented, all_in: 1.5 USD/GPU/h}]
)",
      R"(
loadfactor: 1
name: traffic that was recorded
serve: {model: llama-3.1-8b, demand: {trace: requests.csv, scale: 1.5}}
)",
      R"(
loadfactor: 1
name: batch work that grows, with a shape in numbers
serve:
  model: llama-3.1-8b
  demand: {requests_per_day: 1 M, tokens_in: 900, tokens_out: 60, growth: 8 %/month,
           shape: {daily_peak: 3, peak_hour: 15, weekend: 0.6}}
  slo: {availability: 99.9 %, zones: 3, spare: 2}
  deadline: 8 h
  deployment: {gpu: l4, filler: {tokens_in: 2000, tokens_out: 300}, moe: {skew: 0.8, dispatch: fp8}}
  regions: [{name: germany, share: 100 %}]
money:
  own: {lead_time: 3 months, depreciation: macrs}
  tax: 21 %
  revenue: 2 USD/M tokens
)",
      R"(
loadfactor: 1
name: another currency
serve: {model: llama-3.1-8b, demand: {requests_per_day: 1 M, tokens_in: 900, tokens_out: 60}}
money: {currency: {code: EUR, per_usd: 0.92, date: 2026-11-01}}
)",
      R"(
loadfactor: 1
name: sequences that grow
train:
  model: llama-3.1-8b
  sequence: 8192
  tokens: 1 T
  global_batch: 512
  stages: [{sequence: 32768, tokens: 50 B, global_batch: 128}]
)",
      R"(
loadfactor: 1
name: a shape from a file
serve:
  model: llama-3.1-8b
  demand: {requests_per_day: 1 M, tokens_in: 900, tokens_out: 60, growth: [1.1, 1.3],
           shape: {file: week.csv}}
)",
      R"(
loadfactor: 1
name: and what is left
capacity: {gpus: 16, mean: 10, deviation: 3}
train:
  model: {layers: 32, hidden: 4096, heads: 32, vocab: 128256, kv_heads: 8, head_dim: 128,
          gated: true, tied: false, mlp: 14336, experts: 64, top_k: 8, expert_width: 1024,
          shared_width: 2048}
serve: {model: ./config.json, demand: {requests_per_second: 2, tokens_in: 5,
                                                 tokens_out: 6}}
money:
  own: {financing: {debt_share: 70 %, offtake: merchant, equity_rate: 15 %}}
)",
  };
  return kAll;
}

bool is_written(const Scenario& scenario, const std::string& path) {
  const auto& values = scenario.source->values;
  return std::any_of(values.begin(), values.end(), [&](const WrittenValue& value) {
    return value.path == path || value.path.starts_with(path + ".");
  });
}

std::string with_numbers(std::string path) {
  for (auto at = path.find('#'); at != std::string::npos; at = path.find('#')) path[at] = '0';
  return path;
}

// A number with many digits beside the one that is written.
AnyValue nudged(const AnyValue& value) {
  constexpr double kNudge = 1 - 1.0 / 1048573;
  if (const auto* number = std::get_if<double>(&value)) return *number * kNudge;
  if (const auto* quantity = std::get_if<AnyQuantity>(&value))
    return AnyQuantity{quantity->value * kNudge, quantity->dimension};
  return value;
}

// Keys of `serve.others` repeat those of `serve`, and a model of its own those of `train.model`.
bool repeats(const std::string& path) {
  return path.starts_with("serve.others.#.") || path.starts_with("train.method.reward.model.") ||
         path.starts_with("train.method.teacher.model.") ||
         path.starts_with("train.method.value.model.");
}

TEST(EditTest, EveryKeyRoundTripsThroughItsSetText) {
  std::set<std::string> missed;
  for (const ScenarioKey& key : scenario_keys())
    if (!key.is_section && !repeats(key.path)) missed.insert(key.path);
  for (const std::string& text : scenarios()) {
    const Scenario base = sound(text);
    for (const ScenarioKey& key : scenario_keys()) {
      const std::string path = with_numbers(key.path);
      const AnyValue value = base.value(path);
      if (key.is_section || !is_written(base, path) || std::holds_alternative<Blank>(value))
        continue;
      missed.erase(key.path);
      for (const Edit& edit : {Edit{path, value}, Edit{path, nudged(value)}}) {
        EXPECT_EQ(base.with(edit).value(path), edit.value) << to_set_text(edit);
        EXPECT_EQ(sound(text, {to_set_text(edit)}).value(path), edit.value) << to_set_text(edit);
      }
    }
  }
  for (const std::string& path : missed) ADD_FAILURE() << "no scenario here writes " << path;
}

TEST(EditTest, ABlankTakesAwayWhatAnEmptySetTakesAway) {
  for (const std::string& text : scenarios()) {
    const Scenario base = sound(text);
    for (const ScenarioKey& key : scenario_keys()) {
      const std::string path = with_numbers(key.path);
      Diagnostics refused;
      const std::vector<std::string> set{to_set_text({path})};
      const auto read = parse_scenario("t.yaml", text, set, refused);
      if (!read || !is_written(base, path)) continue;
      const Scenario without = base.with({path});
      for (const ScenarioKey& other : scenario_keys()) {
        const std::string part = with_numbers(other.path);
        if (part != path && !part.starts_with(path + ".")) continue;
        EXPECT_EQ(without.value(part), read->value(part)) << "without " << path << ": " << part;
      }
    }
  }
}

TEST(EditTest, EveryWrittenValueHasAKey) {
  std::set<std::string> keys{"loadfactor"};
  for (const ScenarioKey& key : scenario_keys()) keys.insert(with_numbers(key.path));
  for (const std::string& text : scenarios()) {
    const Scenario base = sound(text);
    for (const WrittenValue& value : base.source->values) {
      std::string path = value.path;
      const auto last = path.rfind('.');  // Items of a list are written one by one.
      const bool is_item = last != std::string::npos && std::isdigit(path[last + 1]) != 0;
      if (is_item) path.resize(last);
      EXPECT_TRUE(keys.contains(path)) << path;
    }
  }
}

TEST(EditTest, SectionsAreMadeForAValueAndNeverForABlank) {
  const Scenario base = sound("loadfactor: 1\nname: x\nserve: {model: gpt2}\n");
  EXPECT_EQ(base.with({"serve.deployment.tp", std::int64_t{4}}).serve->deployment->pool.tp->value,
            4);
  EXPECT_FALSE(base.with({"serve.deployment.tp"}).serve->deployment);
  EXPECT_FALSE(base.with({"train.layout.tp"}).train);
  EXPECT_FALSE(base.with({"serve"}).serve);
}

TEST(EditTest, ASectionIsReplacedByABlankAndItsKeys) {
  const Scenario base = sound(
      "loadfactor: 1\nname: x\ntrain: {model: gpt2, layout: {tp: 8, schedule: 1f1b, pp: 2}}\n");
  const Scenario other = base.with({{"train.layout"},
                                    {"train.layout.pp", std::int64_t{4}},
                                    {"train.layout.recompute.layers", std::int64_t{3}}});
  EXPECT_FALSE(other.train->layout->tp);
  EXPECT_FALSE(other.train->layout->schedule);
  EXPECT_EQ(other.train->layout->pp->value, 4);
  EXPECT_EQ(other.train->layout->recompute_layers, 3);
  EXPECT_EQ(base.train->layout->tp->value, 8);  // A copy was changed.
}

TEST(EditTest, AnEditPrintsItselfAsAPersonWouldWriteIt) {
  EXPECT_EQ(to_set_text({"limits.gpus", std::int64_t{64}}), "limits.gpus=64");
  EXPECT_EQ(to_set_text({"limits.gpus"}), "limits.gpus=");
  EXPECT_EQ(to_set_text({"hardware", std::vector<std::string>{"h100-sxm", "b200"}}),
            "hardware=[h100-sxm, b200]");
  EXPECT_EQ(to_set_text({"serve.precision", "fp8"}), "serve.precision=fp8");
  EXPECT_EQ(to_set_text({"name", "a: b"}), "name=\"a: b\"");
  EXPECT_EQ(to_set_text({"money.spot.interrupted", 0.0}), "money.spot.interrupted=0");
  EXPECT_EQ(to_set_text({"train.deadline", any(Seconds::from_base(30 * 86400.0))}),
            "train.deadline=30 days");
}

TEST(OriginTest, EveryValueKnowsWhoGaveIt) {
  const Scenario base = sound("loadfactor: 1\nname: x\nserve:\n  model: gpt2\n  precision: fp8\n",
                              {"serve.deployment.tp=2", "limits.gpus=8"}, "chat.yaml");
  const Scenario other = base.with({"limits.gpus", std::int64_t{4}});
  EXPECT_EQ(to_text(base.origin(base.serve->precision->position)), "chat.yaml:5:14");
  const auto& tp = base.serve->deployment->pool.tp->position;
  EXPECT_EQ(to_text(base.origin(tp)), "--set");
  EXPECT_EQ(base.origin(tp).where.file, "serve.deployment.tp=2");
  EXPECT_EQ(to_text(other.origin(other.limits.gpus->position)), "planner");
  EXPECT_EQ(to_text(base.origin(base.limits.gpus->position)), "--set");
}

TEST(OriginTest, AKeyIsAskedByItsPath) {
  const Scenario base = sound(
      "loadfactor: 1\nname: x\nserve:\n  model: gpt2\n  slo: {ttft_p95: 1 s}\n"
      "  deployment: {speculation: {tokens: 3, acceptance: 70 %}}\nmoney: {path: [0.9, 0.8]}\n",
      {"serve.precision=fp8"}, "chat.yaml");
  const auto said = [&](const char* path) { return to_text(base.origin(path)); };
  EXPECT_EQ(said("serve.model"), "chat.yaml:4:10");
  EXPECT_EQ(said("serve.slo.ttft_p95"), "chat.yaml:5:19");
  EXPECT_EQ(said("serve.slo.tpot_p95"), "default");
  EXPECT_EQ(said("serve.deployment.speculation.tokens"), "chat.yaml:6:38");
  EXPECT_EQ(said("money.path"), "chat.yaml:7:16");
  EXPECT_EQ(said("serve.precision"), "--set");
  EXPECT_EQ(said("hardware"), "default");
  const Scenario other = base.with({"serve.slo.ttft_p95", any(Seconds::from_base(2))});
  EXPECT_EQ(to_text(other.origin("serve.slo.ttft_p95")), "planner");
}

TEST(OriginTest, ComplaintsAboutAnyOfThemCanBeShown) {
  const Scenario base = sound("loadfactor: 1\nname: x\nserve:\n  model: gpt2\n  precision: fp8\n",
                              {"limits.gpus=8"}, "chat.yaml");
  const Error in_file = base.error(lf::kOutOfRange, base.serve->precision->position, "no");
  EXPECT_EQ(in_file.where.line, 5U);
  EXPECT_EQ(in_file.source_line, "  precision: fp8");
  const Error set = base.error(lf::kOutOfRange, base.limits.gpus->position, "no");
  EXPECT_EQ(set.where.file, "--set");
  EXPECT_EQ(set.source_line, "limits.gpus=8");
  const Scenario other = base.with({"limits.gpus", std::int64_t{4}});
  const Error made = other.error(lf::kOutOfRange, other.limits.gpus->position, "no");
  EXPECT_EQ(made.where.file, "chat.yaml");
  EXPECT_EQ(made.where.line, 0U);
}

TEST(ScenarioReaderTest, YamlAndJsonAreEqual) {
  const Scenario yaml = sound(
      "loadfactor: 1\nname: x\nserve: {model: gpt2, slo: {ttft_p95: 1 s}}\nhardware: [b200]\n",
      {"limits.gpus=8"});
  const Scenario json = sound(R"({"loadfactor": 1, "name": "x", "serve": {"model": "gpt2", "slo": )"
                              R"({"ttft_p95": "1 s"}}, "hardware": ["b200"]})",
                              {"limits.gpus=8"}, "t.json");
  for (const ScenarioKey& key : scenario_keys()) {
    if (key.path.find('#') != std::string::npos) continue;
    EXPECT_EQ(yaml.value(key.path), json.value(key.path)) << key.path;
  }
}

TEST(ScenarioReaderTest, ItCountsWhatItParses) {
  ScenarioReader reader;
  Diagnostics diagnostics;
  EXPECT_TRUE(
      reader.parse("x.yaml", "loadfactor: 1\nname: x\ncapacity: {gpus: 1}\n", {}, diagnostics));
  EXPECT_FALSE(reader.parse("x.yaml", "what?", {}, diagnostics));
  EXPECT_EQ(reader.parses(), 2);
}

}  // namespace
}  // namespace loadfactor::config
