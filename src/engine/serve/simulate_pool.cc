#include "engine/serve/simulate_pool.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/serve/simulate_answer.h"
#include "engine/serve/simulate_estimate.h"
#include "sim/merged_arrivals.h"

namespace loadfactor::engine {
namespace {

using serving::SimulationResult;

// A share of each model's capacity as a share of the pool's.
template <typename Member>
EstimateOf<double> weighted(const SimulateAnswer& pool, Member member) {
  EstimateOf<double> sum = EstimateOf<double>::exact(0, Basis::kCalibrated, "");
  for (const SimulateAnswer& model : pool.models) {
    const double weight = model.paid_gpu_time.base() / std::max(1e-12, pool.paid_gpu_time.base());
    sum = EstimateOf<double>(
        add(sum.erased(), scale(member(model).erased(), weight), Errors::kCorrelated));
  }
  return sum;
}

// GPUs of the pool that no model ever had are paid for as well.
void add_shares(double pool_gpus, SimulateAnswer& pool) {
  for (const SimulateAnswer& model : pool.models) pool.paid_gpu_time += model.paid_gpu_time;
  const Seconds whole = pool.duration * pool_gpus;
  const double unused =
      whole > pool.paid_gpu_time ? (whole - pool.paid_gpu_time).base() / whole.base() : 0.0;
  pool.paid_gpu_time = std::max(whole, pool.paid_gpu_time);
  pool.load_factor = weighted(pool, [](const auto& m) { return m.load_factor; });
  LoadLosses& losses = pool.losses;
  losses.demand = weighted(pool, [](const auto& m) { return m.losses.demand; });
  losses.demand =
      losses.demand + EstimateOf<double>::exact(unused, Basis::kModelled, "unused-gpus");
  losses.shape = weighted(pool, [](const auto& m) { return m.losses.shape; });
  losses.headroom = weighted(pool, [](const auto& m) { return m.losses.headroom; });
  losses.slo = weighted(pool, [](const auto& m) { return m.losses.slo; });
  losses.rounding = weighted(pool, [](const auto& m) { return m.losses.rounding; });
  losses.downtime = weighted(pool, [](const auto& m) { return m.losses.downtime; });
  pool.mfu = weighted(pool, [](const auto& m) { return m.mfu; });
  pool.mbu = weighted(pool, [](const auto& m) { return m.mbu; });
}

void add_sums(SimulateAnswer& pool) {
  double good = 0;
  for (const SimulateAnswer& model : pool.models) {
    pool.layout.replicas += model.layout.replicas;
    pool.layout.gpus += model.layout.gpus;
    pool.mean_replicas += model.mean_replicas;
    pool.most_replicas += model.most_replicas;
    pool.mean_gpus += model.mean_gpus;
    pool.scales = pool.scales || model.scales;
    pool.demand_rate += model.demand_rate;
    pool.dropped_rows += model.dropped_rows;
    pool.paid_replica_time += model.paid_replica_time;
    pool.energy =
        EstimateOf<Joules>(add(pool.energy.erased(), model.energy.erased(), Errors::kCorrelated));
    good += model.goodput * static_cast<double>(model.requests);
    pool.title += (pool.title.empty() ? "" : " + ") + model.title;
    pool.model += (pool.model.empty() ? "" : " + ") + model.model;
    for (const SloVerdict& verdict : model.slo) {
      pool.slo.push_back(verdict);
      pool.slo.back().name = model.model + " " + verdict.name;
    }
    for (const std::string& name : model.replica_names)
      pool.replica_names.push_back(model.model + " " + name);
    for (const Notice& notice : model.notices) {
      Notice named = notice;
      named.arguments.push_back({"subject", model.title});
      pool.notices.push_back(std::move(named));
    }
  }
  pool.goodput = pool.requests > 0 ? good / static_cast<double>(pool.requests) : 1;
}

// Models differ in how many ranks are a replica.
void count_replicas(SimulateAnswer& pool) {
  for (std::size_t i = 0; i < pool.series.size(); ++i) {
    pool.series[i].replicas = 0;
    for (const SimulateAnswer& model : pool.models)
      if (i < model.series.size()) pool.series[i].replicas += model.series[i].replicas;
  }
}

// Each hour of the pool is the sum of its models'.
void add_delivered(SimulateAnswer& pool) {
  for (const SimulateAnswer& model : pool.models) {
    const double weight = model.paid_gpu_time.base() / std::max(1e-12, pool.paid_gpu_time.base());
    for (std::size_t i = 0; i < model.delivered.size(); ++i) {
      if (i == pool.delivered.size()) pool.delivered.push_back({.start = model.delivered[i].start});
      DeliveredPoint& hour = pool.delivered[i];
      hour.requests += model.delivered[i].requests;
      hour.tokens_in += model.delivered[i].tokens_in;
      hour.tokens_out += model.delivered[i].tokens_out;
      hour.load_factor += weight * model.delivered[i].load_factor;
    }
  }
}

}  // namespace

void share_duration(const SimulateSetups& setups, std::int64_t requests) {
  if (setups.size() == 1) return;
  double rates = 0;
  double shortest = 0, recorded = 0;
  for (const auto& setup : setups) {
    rates += setup->rate;
    if (setup->has_trace()) {
      recorded = std::max(recorded, sim::seconds_of(setup->trace.time.back()).base());
      continue;
    }
    const double own = static_cast<double>(setup->poisson.count) / setup->rate;
    shortest = shortest > 0 ? std::min(shortest, own) : own;
  }
  const double seconds = recorded > 0   ? recorded
                         : requests > 0 ? static_cast<double>(requests) / rates
                                        : shortest;
  for (const auto& setup : setups)
    if (!setup->has_trace())
      setup->poisson.count = std::max<std::int64_t>(1, std::llround(setup->rate * seconds));
}

serving::ClusterRules pool_rules(const SimulateSetups& setups) {
  const auto& limit = setups.front()->scenario.limits.gpus;
  const int most = limit ? static_cast<int>(limit->value) : 0;
  if (setups.size() == 1) {
    serving::ClusterRules rules = setups.front()->rules;
    rules.pool_gpus = most;
    return rules;
  }
  serving::ClusterRules rules;
  rules.group_of_model.clear();
  for (const auto& setup : setups) {
    const auto first = static_cast<int>(rules.groups.size());
    rules.group_of_model.push_back(first);
    for (serving::GroupRules group : setup->rules.groups) {
      if (group.decode_group >= 0) group.decode_group += first;
      rules.groups.push_back(std::move(group));
    }
  }
  rules.pool_gpus = most;
  return rules;
}

std::unique_ptr<sim::ArrivalStream> pool_stream(const SimulateSetups& setups) {
  if (setups.size() == 1) return setups.front()->stream();
  std::vector<std::unique_ptr<sim::ArrivalStream>> streams;
  for (const auto& setup : setups) streams.push_back(setup->stream());
  return std::make_unique<sim::MergedArrivals>(std::move(streams));
}

SimulateAnswer describe_pool(const SimulateSetups& setups, const SimulationResult& result,
                             std::vector<SimulateAnswer> models) {
  const SimulateSetup& first = *setups.front();
  SimulateAnswer pool;
  pool.models = std::move(models);
  pool.scenario = first.scenario.name.value;
  pool.accelerator = first.chip->name;
  pool.accelerator_title = first.chip->title;
  for (const SimulateAnswer& model : pool.models)
    if (pool.why_plain == WhyPlain::kNothing) pool.why_plain = model.why_plain;
  pool.layout.replicas = pool.layout.gpus = pool.most_replicas = 0;
  pool.mean_replicas = pool.mean_gpus = 0;
  describe_counts(result, pool);
  describe_latencies(first, result, pool);
  add_sums(pool);
  describe_rates(first, result, pool);
  const auto& limit = first.scenario.limits.gpus;
  const int gpus = std::max(pool.layout.gpus, limit ? static_cast<int>(limit->value) : 0);
  add_points(first, result, pool);
  count_replicas(pool);
  add_shares(limit ? gpus : 0, pool);
  add_delivered(pool);
  double busy = 0;
  for (const SimulateAnswer& model : pool.models)
    busy += model.busy * model.paid_replica_time.base();
  pool.busy = busy / std::max(1e-12, pool.paid_replica_time.base());
  const auto fullest =
      std::max_element(pool.models.begin(), pool.models.end(),
                       [](const auto& a, const auto& b) { return a.busy < b.busy; });
  pool.binding = fullest->binding;
  pool.binding.model = fullest->title;
  return pool;
}

}  // namespace loadfactor::engine
