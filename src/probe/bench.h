// What every section of the probe is handed.
#pragma once

#include <cstdint>
#include <string>

#include "gpu_memory.h"
#include "record.h"
#include "shapes.h"
#include "timing.h"

namespace loadfactor::probe {

struct Bench {
  const Stream& stream;
  Record& record;
  const ShapePlan& shapes;
  TimingPlan plan;
  double cache_bytes = 0;    // L2.
  double memory_budget = 0;  // Bytes that one section may hold.
  double load_seconds = 20;  // Time that each load is held to read its power.
  int processors = 0;
  std::uint64_t seed = 1;
  bool quick = false;

  void add(const std::string& section, Row row) const {
    record.sections[section].push_back(std::move(row));
  }
};

// Sections. Each throws GpuFailure when the device refuses; what it had measured stays.
void probe_memory(const Bench& bench);
void probe_cache(const Bench& bench);
void probe_gemm(const Bench& bench);
void probe_attention(const Bench& bench);
void probe_pointwise(const Bench& bench);
void probe_optimizer(const Bench& bench);
void probe_launch(const Bench& bench);
void probe_copies(const Bench& bench);

}  // namespace loadfactor::probe
