// What services delivered, beside what the model predicts of the same deployment and load.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/calendar.h"
#include "engine/observe/observe.h"

namespace loadfactor::engine {
namespace {

using observe::Cluster;
using observe::ReplicaTrack;

double total_of(const std::vector<float>& track) {
  double sum = 0;
  for (const float value : track) sum += value;
  return sum;
}

// Within the bucket that holds the quantile, as Prometheus interpolates.
std::optional<double> quantile_of(const std::map<double, double>& buckets, double q) {
  if (buckets.empty() || buckets.rbegin()->second <= 0) return std::nullopt;
  const double wanted = q * buckets.rbegin()->second;
  double below = 0;
  double bound = 0;
  for (const auto& [upto, count] : buckets) {
    if (count >= wanted) {
      if (!std::isfinite(upto)) return bound;
      const double inside = count - below;
      return bound + (upto - bound) * (inside > 0 ? (wanted - below) / inside : 1);
    }
    below = count;
    bound = upto;
  }
  return bound;
}

void add_buckets(const std::map<double, double>& from, std::map<double, double>& to) {
  for (const auto& [bound, count] : from) to[bound] += count;
}

// The replicas of one workload.
struct Gathered {
  std::vector<std::size_t> replicas;
  std::map<double, double> first_token, next_token;
};

struct Means {
  double running = 0, cache = 0;
};

Means means_of(const Cluster& cluster, const std::vector<std::size_t>& replicas) {
  Means means;
  double running = 0, slots = 0, cache = 0, cached = 0;
  for (const std::size_t r : replicas) {
    const ReplicaTrack& replica = cluster.replicas()[r];
    for (const float value : replica.running)
      if (value > 0) running += value, slots += 1;
    for (const float value : replica.cache)
      if (value >= 0) cache += value, cached += 1;
  }
  if (slots > 0) means.running = running / slots * static_cast<double>(replicas.size());
  if (cached > 0) means.cache = cache / cached;
  return means;
}

// GPUs that a pod holds, while it holds any.
int gpus_of(const Cluster& cluster, const ReplicaTrack& replica) {
  if (replica.owner < 0) return 0;
  int count = 0;
  for (const auto& gpu : cluster.gpus())
    count +=
        std::find(gpu.owner.begin(), gpu.owner.end(), replica.owner) != gpu.owner.end() ? 1 : 0;
  return count;
}

std::string accelerator_of(const Cluster& cluster, const ReplicaTrack& replica) {
  for (const auto& gpu : cluster.gpus())
    if (std::find(gpu.owner.begin(), gpu.owner.end(), replica.owner) != gpu.owner.end())
      return gpu.model;
  return {};
}

ServiceRow measure(const Cluster& cluster, const Gathered& gathered) {
  ServiceRow row;
  const auto& first = cluster.replicas()[gathered.replicas.front()];
  row.model = first.model;
  row.engine = first.engine;
  row.replicas = static_cast<int>(gathered.replicas.size());
  row.gpus_each = gpus_of(cluster, first);
  row.accelerator = accelerator_of(cluster, first);
  row.team = first.team;
  row.name = first.owner >= 0 ? cluster.owners()[static_cast<std::size_t>(first.owner)].name
                              : observe::workload_of_pod(first.pod);
  if (row.name.empty()) row.name = first.model;
  double in = 0, out = 0, requests = 0, hits = 0, queries = 0;
  for (const std::size_t r : gathered.replicas) {
    const ReplicaTrack& replica = cluster.replicas()[r];
    in += total_of(replica.tokens_in);
    out += total_of(replica.tokens_out);
    requests += total_of(replica.requests);
    hits += replica.prefix_hits;
    queries += replica.prefix_queries;
    row.preemptions += replica.preemptions;
  }
  const double seconds = cluster.told_seconds();
  row.requests_rate = requests / seconds;
  row.tokens_in_rate = in / seconds;
  row.tokens_out_rate = out / seconds;
  if (requests > 0) row.tokens_in = in / requests, row.tokens_out = out / requests;
  if (queries > 0) row.prefix_hit_rate = hits / queries;
  const Means means = means_of(cluster, gathered.replicas);
  row.running = means.running;
  row.cache = means.cache;
  const auto pair_of = [](const std::map<double, double>& buckets) -> std::optional<LatencyPair> {
    const auto p50 = quantile_of(buckets, 0.5);
    const auto p95 = quantile_of(buckets, 0.95);
    if (!p50 || !p95) return std::nullopt;
    return LatencyPair{*p50, *p95};
  };
  row.ttft = pair_of(gathered.first_token);
  row.tpot = pair_of(gathered.next_token);
  return row;
}

// The scenario of this model; the only one where there is one of each.
const ServeInputs* scenario_of(const ServiceRow& row, const ObserveInputs& inputs,
                               const Core& engine, std::size_t services) {
  const auto served = engine.catalog().find_model(row.model);
  for (const ServeInputs& inputs_of : inputs.services) {
    const auto* named = std::get_if<config::CatalogModel>(&inputs_of.scenario.serve->model.model);
    if (named == nullptr || !served) continue;
    const auto planned = engine.catalog().find_model(named->name.value);
    if (planned && *planned == *served) return &inputs_of;
  }
  return inputs.services.size() == 1 && services == 1 ? &inputs.services.front() : nullptr;
}

// The deployment of a scenario under the load that was found.
void predict(ServiceRow& row, const ServeInputs& planned, const Core& engine,
             std::vector<Notice>& notices) {
  if (row.requests_rate <= 0 || row.tokens_out <= 0) return;
  ServeInputs inputs = planned;
  constexpr double kLeast = 1;
  inputs.trace_bytes = {};
  inputs.scenario = planned.scenario.with(
      {{"serve.demand.trace"},
       {"serve.demand.scale"},
       {"serve.demand.shape"},
       {"serve.demand.requests_per_second", row.requests_rate},
       {"serve.demand.tokens_in", any(Tokens::from_base(std::max(kLeast, row.tokens_in)))},
       {"serve.demand.tokens_out", any(Tokens::from_base(std::max(kLeast, row.tokens_out)))},
       {"serve.deployment.replicas", static_cast<std::int64_t>(row.replicas)}});
  Diagnostics refused;
  const auto answer = engine.serve(inputs, refused);
  if (!answer) {
    const std::string why = refused.empty() ? std::string() : refused.errors().front().message;
    notices.push_back({.id = "not-predicted", .arguments = {{"service", row.name}, {"why", why}}});
    return;
  }
  PredictedService predicted;
  predicted.scenario = answer->scenario;
  predicted.tokens_out_rate = answer->saturated.value().base();
  predicted.ttft = answer->ttft.value().base();
  predicted.tpot = answer->tpot.value().base();
  predicted.running = answer->running;
  predicted.is_feasible = answer->feasible;
  if (predicted.tokens_out_rate > 0)
    predicted.load_factor = row.tokens_out_rate / predicted.tokens_out_rate;
  row.predicted = predicted;
  if (row.tpot && predicted.tpot > 0 && answer->feasible)
    row.error = row.tpot->p50 / predicted.tpot - 1;
}

std::vector<TrafficHour> traffic_of(const Cluster& cluster,
                                    const std::vector<std::size_t>& replicas) {
  const auto& grid = cluster.grid();
  const int width = std::max(1, static_cast<int>(std::lround(kHour.base() / grid.step)));
  std::vector<TrafficHour> hours;
  const int first = std::max(0, grid.slot_of(cluster.told_from()));
  for (int from = first; from < grid.slots(); from += width) {
    TrafficHour hour{.time = grid.time_of(from)};
    for (const std::size_t r : replicas) {
      const ReplicaTrack& replica = cluster.replicas()[r];
      const auto add = [&](const std::vector<float>& track, double& sum) {
        for (int s = from; s < std::min(grid.slots(), from + width) && !track.empty(); ++s)
          sum += track[static_cast<std::size_t>(s)];
      };
      add(replica.requests, hour.requests);
      add(replica.tokens_in, hour.tokens_in);
      add(replica.tokens_out, hour.tokens_out);
    }
    hours.push_back(hour);
  }
  return hours;
}

void find_busiest(const Cluster& cluster, const std::vector<std::size_t>& replicas, double full,
                  ServiceRow& row) {
  for (const TrafficHour& hour : traffic_of(cluster, replicas))
    row.busiest_hour = std::max(row.busiest_hour,
                                (hour.tokens_in + hour.tokens_out) /
                                    (kHour.base() * full * static_cast<double>(replicas.size())));
}

}  // namespace

ObservedServices measure_services(const Cluster& cluster, const ObserveInputs& inputs,
                                  const Core& engine, std::vector<Notice>& notices) {
  std::map<std::pair<std::string, std::string>, Gathered> services;
  for (std::size_t r = 0; r < cluster.replicas().size(); ++r) {
    const ReplicaTrack& replica = cluster.replicas()[r];
    if (replica.tokens_out.empty() && replica.running.empty()) continue;
    const std::string name = replica.owner >= 0
                                 ? cluster.owners()[static_cast<std::size_t>(replica.owner)].name
                                 : observe::workload_of_pod(replica.pod);
    Gathered& gathered = services[{replica.team, name.empty() ? replica.model : name}];
    gathered.replicas.push_back(r);
    add_buckets(replica.first_token, gathered.first_token);
    add_buckets(replica.next_token, gathered.next_token);
  }
  ObservedServices out;
  out.full_rates.assign(cluster.replicas().size(), 0);
  double most = 0;
  for (const auto& [key, gathered] : services) {
    ServiceRow row = measure(cluster, gathered);
    if (const auto* planned = scenario_of(row, inputs, engine, services.size()))
      predict(row, *planned, engine, notices);
    double full = 0;
    if (row.predicted && row.tokens_out > 0) {
      full = row.predicted->tokens_out_rate / row.replicas * (row.tokens_in + row.tokens_out) /
             row.tokens_out;
      for (const std::size_t r : gathered.replicas) out.full_rates[r] = full;
    } else {
      for (const std::size_t r : gathered.replicas)
        full = std::max(full, best_rate(cluster.replicas()[r], cluster.grid()));
      for (const std::size_t r : gathered.replicas) out.full_rates[r] = full;
      notices.push_back({.id = "full-by-peak", .arguments = {{"service", row.name}}});
    }
    if (full > 0) {
      row.load_factor =
          (row.tokens_in_rate + row.tokens_out_rate) / (full * static_cast<double>(row.replicas));
      find_busiest(cluster, gathered.replicas, full, row);
    }
    if (row.tokens_out_rate >= most && row.requests_rate > 0) {
      most = row.tokens_out_rate;
      out.traffic = traffic_of(cluster, gathered.replicas);
      out.rows.insert(out.rows.begin(), std::move(row));
    } else {
      out.rows.push_back(std::move(row));
    }
  }
  return out;
}

}  // namespace loadfactor::engine
