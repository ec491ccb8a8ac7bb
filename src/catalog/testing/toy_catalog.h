// A catalogue small enough to check in the head, for tests: one chip of 1000 TFLOP/s and 80 GB,
// eight of them in a node, one link, one model of two layers, one price of 3.60 USD an hour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/load/data_file.h"

namespace loadfactor::catalog::testing {

inline constexpr std::string_view kToyChip = R"(schema: accelerator/1
name: toy
title: Toy SXM 80GB
vendor: Toymaker
family: toys
aliases: [plaything, toy-original]
form: sxm
stack: [cuda]
lifecycle: {released: 2024, status: current, kind: datasheet, source: toy-sheet, date: 2024-05}
memory: {nominal: 80 GB, usable: 80 GiB, bandwidth: 4 TB/s, type: hbm3,
         kind: datasheet, source: toy-sheet, date: 2024-05}
arithmetic: {fp32: 50 TFLOP/s, bf16: 1000 TFLOP/s, fp16: 1000 TFLOP/s, fp8: 2000 TFLOP/s,
             sparsity: dense, kind: datasheet, source: toy-sheet, date: 2024-05}
measured: {bf16: 800 TFLOP/s, kind: measured, source: toy-lab, date: 2024-06}
compute: {units: 100, l2: 50 MB, clock: 2 GHz, kind: datasheet, source: toy-sheet, date: 2024-05}
scale_up: {link: toylink, bandwidth: 450 GB/s, domain: 8, topology: switch,
           kind: datasheet, source: toy-sheet, date: 2024-05}
host: {link: toybus, bandwidth: 64 GB/s, kind: assumed, source: toy-lab, date: 2024}
power: {rated: 700 W, idle: 70 W, kind: datasheet, source: toy-sheet, date: 2024-05}
node: toybox
)";

inline constexpr std::string_view kToyNode = R"(schema: node/1
name: toybox
title: Toybox 8
accelerator: toy
gpus: 8
host: {cpus: 2x Toy, cores: 96, memory: 2 TB, kind: published, source: toy-lab, date: 2024}
network: {nics: 8, bandwidth: 64 GB/s, fabric: toybus, kind: published, source: toy-lab, date: 2024}
power: {max: 10 kW, typical: 8 kW, idle: 2 kW, cooling: air, units: 8,
        kind: published, source: toy-lab, date: 2024}
price: {capex: 200000 USD, low: 180000 USD, high: 250000 USD,
        kind: published, source: toy-lab, date: 2024}
)";

inline constexpr std::string_view kToyLink = R"(schema: fabric/1
name: toylink
title: Toy Link
role: scale-up
bandwidth: {per_direction: 450 GB/s, quoted: 900 GB/s, quoted_as: bidirectional per GPU,
            kind: datasheet, source: toy-sheet, date: 2024-05}
latency: {one_way: 2 us, kind: assumed, source: toy-lab, date: 2024}
domain: {max: 8, topology: switch, kind: datasheet, source: toy-sheet, date: 2024-05}
achieved: {fraction: 0.8, what: ring all-reduce, kind: measured, source: toy-lab, date: 2024-06}
)";

inline constexpr std::string_view kToyBus = R"(schema: fabric/1
name: toybus
title: Toy Bus
role: host
bandwidth: {per_direction: 64 GB/s, kind: datasheet, source: toy-sheet, date: 2024-05}
)";

inline constexpr std::string_view kToyModel = R"(schema: model/1
name: toy-1b
title: Toy 1B
organisation: toys
family: toy
aliases: [first-toy]
published: {parameters: 1 B, kind: published, source: toy-lab, date: 2024-06}
dtype: bf16
layers: 4
hidden: 1024
vocab: 32000
context: 4096
embedding: {tied: false, positions: 0, norm: false}
norm: {kind: rms, per_layer: 2, final: true}
attention:
  kind: standard
  heads: 16
  kv_heads: 4
  head_dim: 64
  bias: {qkv: false, out: false}
  qk_norm: none
  window: 0
  sinks: false
  gate: false
mlp: {kind: gated, width: 4096, bias: false}
kind: published
source: toy-lab
date: 2024-06
)";

inline constexpr std::string_view kToyRegion = R"(schema: region/1
name: toyland
title: Toyland
electricity: {price: 0.1 USD/kWh, low: 0.05 USD/kWh, high: 0.2 USD/kWh,
              kind: assumed, source: toy-lab, date: 2024}
carbon: {intensity: 100 g/kWh, kind: assumed, source: toy-lab, date: 2024}
climate: {class: mild, mean: 10 C, design: 30 C, kind: assumed, source: toy-lab, date: 2024}
)";

inline constexpr std::string_view kToyRent =
    "provider,accelerator,region,term,usd_per_gpu_hour,low,high,as_of,kind,source,note\n"
    "acme,toy,any,on-demand,3.6,3,4,2024-07,published,toy-lab,\n"
    "acme,toy,any,spot,1.8,,,2024-07,published,toy-lab,may be taken away\n";

inline constexpr std::string_view kToyApi =
    "provider,model_id,model,usd_per_mtok_in,usd_per_mtok_cached,usd_per_mtok_out,"
    "usd_per_mtok_batch_in,context,deprecated,as_of,kind,source\n"
    "acme,acme/toy-1b,toy-1b,1,0.1,4,,4096,,2024-07,published,toy-lab\n"
    "acme,secret,,2,,8,1,,2025-01-01,2024-07,published,toy-lab\n";

inline constexpr std::string_view kToySources =
    "# Sources\n\nProse is passed over.\n\n"
    "| id | document | date |\n|---|---|---|\n"
    "| toy-sheet | Toy data sheet, rev. 2 | 2024-05 |\n"
    "| toy-lab | Toy lab notes | 2024 |\n";

inline DataFile file(std::string_view path, std::string_view text,
                     Origin origin = Origin::kBuiltin) {
  return {std::string(path), std::string(path), std::string(text), origin};
}

inline std::vector<DataFile> toy_files() {
  return {
      file("hardware/accelerators/toy.yaml", kToyChip),
      file("hardware/nodes/toybox.yaml", kToyNode),
      file("hardware/fabrics/toylink.yaml", kToyLink),
      file("hardware/fabrics/toybus.yaml", kToyBus),
      file("models/toy-1b.yaml", kToyModel),
      file("regions/toyland.yaml", kToyRegion),
      file("prices/rent.csv", kToyRent),
      file("prices/api.csv", kToyApi),
      file("SOURCES.md", kToySources),
  };
}

// `text` with the first `from` replaced; a test that replaces nothing would prove nothing.
inline std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const auto at = changed.find(from);
  if (at == std::string::npos) return "the toy has no '" + std::string(from) + "'";
  return changed.replace(at, from.size(), to);
}

}  // namespace loadfactor::catalog::testing
