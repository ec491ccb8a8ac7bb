#include "engine/serve/simulate_binding.h"

#include <algorithm>

namespace loadfactor::engine {
namespace {

using Kind = SimulateBinding::Kind;
using serving::GroupPressure;
using serving::SimulationResult;

constexpr double kPressed = 0.9;  // Share of what replicas deliver when never idle.

bool keeps_bounds(const SimulateAnswer& answer) {
  return std::all_of(answer.slo.begin(), answer.slo.end(), [](const auto& s) { return s.met; });
}

// Replicas that broke during the run, and for how long in all.
struct Outage {
  int count = 0;
  Seconds time;
};
Outage outage_of(const SimulateSetup& setup, const SimulationResult& result) {
  Outage outage;
  for (std::size_t g = 0; g < setup.rules.groups.size(); ++g) {
    const int ranks = setup.pools[g]->ranks();  // They fail together.
    for (const serving::Failure& failure : setup.rules.groups[g].failures) {
      if (failure.time >= result.end || failure.replica % ranks != 0) continue;
      ++outage.count;
      outage.time += sim::seconds_of(std::min(failure.repair, result.end - failure.time));
    }
  }
  return outage;
}

// Whether replicas that never break would have carried the demand as it was asked.
bool carries_without_failures(const SimulateAnswer& answer, double units) {
  const double most =
      answer.slo_rate ? answer.slo_rate->value().base() : answer.saturated_rate.value().base();
  return answer.demand_rate <= most * units;
}

// KV is full where a mean request more would not fit.
bool has_full_cache(const SimulateSetup& setup, const SimulatedPool& pool,
                    const GroupPressure& pressure) {
  const double one = (setup.mean_in + setup.mean_out) / std::max(1.0, pool.room);
  return pressure.most_kv > std::min(0.95, 1 - one);
}

// The pool where requests wait; the last one where they wait nowhere.
std::size_t slowest_pool(const SimulationResult& result) {
  std::size_t slowest = result.groups.size() - 1;
  for (std::size_t g = 0; g < result.groups.size(); ++g)
    if (result.groups[g].pressure.mean_waiting() > result.groups[slowest].pressure.mean_waiting())
      slowest = g;
  return slowest;
}

SimulateBinding::Pool pool_of(const SimulateSetup& setup, std::size_t group) {
  if (!setup.is_split()) return SimulateBinding::Pool::kOnly;
  return group == 0 ? SimulateBinding::Pool::kPrefill : SimulateBinding::Pool::kDecode;
}

Kind resource_kind(const SimulateSetup& setup, const SimulationResult& result, double peak,
                   const SimulateAnswer& answer) {
  const std::size_t slowest = slowest_pool(result);
  const GroupPressure& pressure = result.groups[slowest].pressure;
  if (answer.preemptions > answer.requests / 100) return Kind::kPreemptions;
  if (pressure.most_slots >= 1) return Kind::kSlots;
  const bool waits = pressure.mean_waiting() > 0;
  if (waits && has_full_cache(setup, *setup.pools[slowest], pressure)) return Kind::kKvCache;
  if (setup.is_split() && slowest == 0 && waits) return Kind::kPrefillGpus;
  return peak <= kPressed ? Kind::kLatency : Kind::kGpus;
}

}  // namespace

SimulateBinding find_binding(const SimulateSetup& setup, const SimulationResult& result,
                             double peak, const SimulateAnswer& answer) {
  const bool kept = keeps_bounds(answer);
  const double seconds = std::max(1e-12, answer.duration.base());
  const Outage outage = outage_of(setup, result);
  const double units =
      setup.is_split() ? 1 : setup.rules.groups.front().replicas / setup.pools.front()->ranks();
  const bool has_queue = answer.ttft.p95.value() > Seconds::from_base(0.05 * seconds);
  SimulateBinding binding{.pool = pool_of(setup, slowest_pool(result)), .peak = peak};
  if (outage.count > 0 && (!kept || (answer.slo.empty() && has_queue)) &&
      carries_without_failures(answer, units)) {
    binding.kind = Kind::kFailures;
    binding.count = outage.count;
    binding.time = outage.time;
    return binding;
  }
  if (answer.turned_away * 1000 > answer.requests) {
    const bool has_bound = setup.pools.front()->scheduler.max_waiting > 0;
    binding.kind = has_bound ? Kind::kQueueBound : Kind::kTooLong;
    binding.count = answer.turned_away;
    return binding;
  }
  const bool waits = result.groups[slowest_pool(result)].pressure.mean_waiting() >= 1;
  if (answer.cancelled * 100 > answer.requests && !waits && peak <= kPressed) {
    binding.kind = Kind::kTimeouts;
    binding.count = answer.cancelled;
    return binding;
  }
  const bool preempts = answer.preemptions > answer.requests / 100;
  if (!kept || peak > kPressed || preempts)
    binding.kind = resource_kind(setup, result, peak, answer);
  return binding;
}

}  // namespace loadfactor::engine
