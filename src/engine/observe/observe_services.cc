// What services delivered, beside what the model predicts of the same deployment and load.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/calendar.h"
#include "engine/observe/observe.h"

namespace loadfactor::engine {
namespace {

using observe::Cluster;
using observe::EngineCounts;
using observe::ReplicaTrack;

double total_of(const std::vector<float>& track) {
  double sum = 0;
  for (const float value : track) sum += value;
  return sum;
}

// Within the bucket that holds the quantile, as Prometheus interpolates; nothing where that has no
// end.
std::optional<double> quantile_of(const std::map<double, double>& buckets, double q) {
  const double wanted = q * buckets.rbegin()->second;
  double below = 0;
  double bound = 0;
  for (const auto& [upto, count] : buckets) {
    if (count >= wanted) {
      if (!std::isfinite(upto)) return std::nullopt;
      const double inside = count - below;
      return bound + (upto - bound) * (inside > 0 ? (wanted - below) / inside : 1);
    }
    below = count;
    bound = upto;
  }
  return std::nullopt;
}

std::optional<LatencyPair> latencies_of(const std::map<double, double>& buckets) {
  if (buckets.empty() || buckets.rbegin()->second <= 0) return std::nullopt;
  constexpr double kHalf = 0.5, kTail = 0.95;
  LatencyPair pair{quantile_of(buckets, kHalf), quantile_of(buckets, kTail)};
  for (const auto& [bound, count] : buckets)
    if (std::isfinite(bound)) pair.last_bound = bound;
  return pair;
}

void add_buckets(const std::map<double, double>& from, std::map<double, double>& to) {
  for (const auto& [bound, count] : from) to[bound] += count;
}

// The replicas of one workload.
struct Gathered {
  std::vector<std::size_t> replicas;
};

// One process may answer for several copies of the model.
std::size_t processes_of(const Cluster& cluster, const std::vector<std::size_t>& replicas) {
  std::set<std::string_view> processes;
  for (const std::size_t r : replicas) processes.insert(cluster.replicas()[r].process);
  return processes.size();
}

bool has_rates(const Cluster& cluster, const Gathered& gathered) {
  return std::any_of(gathered.replicas.begin(), gathered.replicas.end(),
                     [&](std::size_t r) { return cluster.replicas()[r].has_rates(); });
}

// Increases in the window, or the values that counters had when they were first seen.
EngineCounts sum_of(const Cluster& cluster, const Gathered& gathered, bool of_window) {
  EngineCounts sum;
  for (const std::size_t r : gathered.replicas) {
    const ReplicaTrack& replica = cluster.replicas()[r];
    const EngineCounts& counts = of_window ? replica.counts : replica.begun;
    sum.tokens_in += of_window ? total_of(replica.tokens_in) : counts.tokens_in;
    sum.tokens_out += of_window ? total_of(replica.tokens_out) : counts.tokens_out;
    sum.requests += of_window ? total_of(replica.requests) : counts.requests;
    sum.prefix_hits += counts.prefix_hits;
    sum.prefix_queries += counts.prefix_queries;
    sum.preemptions += counts.preemptions;
    add_buckets(counts.first_token, sum.first_token);
    add_buckets(counts.next_token, sum.next_token);
  }
  return sum;
}

// How many of some replicas stood in each slot: pods that replace each other never stood together.
// Where nothing says of any when it stood, all have been there all the time.
std::vector<int> standing_of(const Cluster& cluster, const std::vector<std::size_t>& replicas) {
  std::vector<int> standing(static_cast<std::size_t>(cluster.grid().slots()), 0);
  bool is_known = false;
  for (const std::size_t r : replicas) {
    const std::vector<bool>& told = cluster.replicas()[r].told;
    const auto first = std::find(told.begin(), told.end(), true);
    if (first == told.end()) continue;
    is_known = true;
    const auto last = std::find(told.rbegin(), told.rend(), true);
    const auto end = static_cast<std::size_t>(told.rend() - last);
    for (auto s = static_cast<std::size_t>(first - told.begin()); s < end; ++s) ++standing[s];
  }
  if (!is_known) std::fill(standing.begin(), standing.end(), static_cast<int>(replicas.size()));
  return standing;
}

// Their mean while any stood.
double mean_standing(const std::vector<int>& standing) {
  double sum = 0, slots = 0;
  for (const int count : standing) sum += count, slots += count > 0 ? 1 : 0;
  return slots > 0 ? sum / slots : 0;
}

double standing_seconds(const std::vector<int>& standing, const observe::Grid& grid) {
  double seconds = 0;
  for (int s = 0; s < grid.slots(); ++s)
    seconds += standing[static_cast<std::size_t>(s)] * (grid.end_of(s) - grid.time_of(s));
  return seconds;
}

struct Means {
  double running = 0;  // Requests of one replica, while any runs.
  std::optional<double> cache;
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
  if (slots > 0) means.running = running / slots;
  if (cached > 0) means.cache = cache / cached;
  return means;
}

bool is_held_by(const observe::GpuTrack& gpu, const ReplicaTrack& replica) {
  return replica.owner >= 0 && gpu.owner.contains(static_cast<observe::OwnerIndex>(replica.owner));
}

// GPUs of a replica: those of its pod, which the copies in it divide.
int gpus_of(const Cluster& cluster, const ReplicaTrack& replica) {
  if (replica.owner < 0) return 0;
  std::size_t count = 0;
  for (const auto& gpu : cluster.gpus()) count += is_held_by(gpu, replica) ? 1 : 0;
  const auto& owner = cluster.owners()[static_cast<std::size_t>(replica.owner)];
  return static_cast<int>(count / owner.replicas.size());
}

std::string accelerator_of(const Cluster& cluster, const ReplicaTrack& replica) {
  for (const auto& gpu : cluster.gpus())
    if (is_held_by(gpu, replica)) return gpu.model;
  return {};
}

// Whose it is: that of its GPUs, which metrics of engines may not name, or by another name.
std::string team_of(const Cluster& cluster, const ReplicaTrack& replica) {
  return replica.owner >= 0 ? cluster.owners()[static_cast<std::size_t>(replica.owner)].team
                            : replica.team;
}

ServiceRow measure(const Cluster& cluster, const Gathered& gathered) {
  ServiceRow row;
  const auto& first = cluster.replicas()[gathered.replicas.front()];
  row.model = first.model;
  row.engine = first.engine;
  const double standing = mean_standing(standing_of(cluster, gathered.replicas));
  row.replicas = std::max(1, static_cast<int>(std::lround(standing)));
  row.gpus_each = gpus_of(cluster, first);
  row.accelerator = accelerator_of(cluster, first);
  row.team = team_of(cluster, first);
  row.name = first.owner >= 0 ? cluster.owners()[static_cast<std::size_t>(first.owner)].name
                              : observe::workload_of_pod(first.pod);
  if (row.name.empty()) row.name = first.model;
  row.has_rates = has_rates(cluster, gathered);
  const auto any_of = [&](auto is_told) {
    return std::any_of(gathered.replicas.begin(), gathered.replicas.end(),
                       [&](std::size_t r) { return is_told(cluster.replicas()[r]); });
  };
  row.knows_requests = any_of([](const ReplicaTrack& each) { return each.has_requests; });
  row.knows_tokens = any_of([](const ReplicaTrack& each) {
    return each.tells_tokens() || each.begun.tokens_in + each.begun.tokens_out > 0;
  });
  // Counters that were seen once tell what came since the engine was started, and not when.
  const EngineCounts sum = sum_of(cluster, gathered, row.has_rates);
  row.preemptions = sum.preemptions;
  if (row.has_rates) {
    const double seconds = cluster.told_seconds();
    row.requests_rate = sum.requests / seconds;
    row.tokens_in_rate = sum.tokens_in / seconds;
    row.tokens_out_rate = sum.tokens_out / seconds;
  }
  if (sum.requests > 0) {
    row.tokens_in = sum.tokens_in / sum.requests;
    row.tokens_out = sum.tokens_out / sum.requests;
  }
  if (sum.prefix_queries > 0) row.prefix_hit_rate = sum.prefix_hits / sum.prefix_queries;
  const Means means = means_of(cluster, gathered.replicas);
  row.running = means.running * row.replicas;
  row.cache = means.cache;
  row.ttft = latencies_of(sum.first_token);
  row.tpot = latencies_of(sum.next_token);
  return row;
}

// The last part of a path or of a name with its publisher, in lower case.
std::string last_name(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  std::string name(path.substr(path.rfind('/') + 1));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string known_model(const std::string& name, const Core& engine) {
  for (const std::string& each : {name, last_name(name)})
    if (const auto model = engine.catalog().find_model(each)) return (*model)->name;
  return {};
}

// How the model of a scenario is named, and by which folder; empty where it has figures alone.
std::string planned_model(const ServeInputs& planned) {
  const auto& model = planned.scenario.serve->model.model;
  if (const auto* named = std::get_if<config::CatalogModel>(&model)) return named->name.value;
  const auto* file = std::get_if<config::ModelConfigFile>(&model);
  if (file == nullptr) return {};
  std::string_view path = file->path.value;
  constexpr std::string_view kConfig = "/config.json";
  if (path.ends_with(kConfig)) path.remove_suffix(kConfig.size());
  return std::string(path);
}

// Whether a scenario is of what a service serves: the same model of the catalogue, the same name or
// folder, or a service that is called like the scenario.
bool is_of(const ServeInputs& planned, const ServiceRow& row, const Core& engine) {
  const std::string model = planned_model(planned);
  const std::string served = last_name(row.model);
  const std::string wanted = known_model(model, engine);
  if (!wanted.empty() && !row.known_model.empty()) return wanted == row.known_model;
  if (!served.empty() && served == last_name(model)) return true;
  const std::string scenario = last_name(planned.scenario.name.value);
  return !scenario.empty() && (scenario == served || scenario == last_name(row.name));
}

}  // namespace

const ServeInputs* scenario_of(const ServiceRow& row, const ObserveInputs& inputs,
                               const Core& engine) {
  for (const ServeInputs& planned : inputs.services)
    if (is_of(planned, row, engine)) return &planned;
  return nullptr;
}

namespace {

// Scenarios that no service was found of.
void note_others(const std::vector<ServiceRow>& rows, const ObserveInputs& inputs,
                 const Core& engine, std::vector<Notice>& notices) {
  for (const ServeInputs& planned : inputs.services) {
    const auto is_its = [&](const ServiceRow& row) { return is_of(planned, row, engine); };
    if (rows.empty() || std::any_of(rows.begin(), rows.end(), is_its)) continue;
    notices.push_back({.id = "other-model",
                       .arguments = {{"scenario", planned.scenario.name.value},
                                     {"model", planned_model(planned)},
                                     {"served", rows.front().model}}});
  }
}

std::vector<TrafficHour> traffic_of(const Cluster& cluster,
                                    const std::vector<std::size_t>& replicas) {
  const auto& grid = cluster.grid();
  const int width = std::max(1, static_cast<int>(std::lround(kHour.base() / grid.step)));
  std::vector<TrafficHour> hours;
  const int first = std::max(0, grid.slot_of(cluster.told_from()));
  for (int from = first; from < grid.slots(); from += width) {
    const int last = std::min(grid.slots(), from + width) - 1;
    // What comes in an hour that nobody saw is not known.
    const auto is_told = [&](std::size_t r) {
      for (int s = from; s <= last; ++s)
        if (cluster.replicas()[r].is_told(s)) return true;
      return false;
    };
    if (std::none_of(replicas.begin(), replicas.end(), is_told)) continue;
    TrafficHour hour{.time = grid.time_of(from), .seconds = grid.end_of(last) - grid.time_of(from)};
    for (const std::size_t r : replicas) {
      const ReplicaTrack& replica = cluster.replicas()[r];
      const auto add = [&](const std::vector<float>& track, double& sum) {
        for (int s = from; s <= last && !track.empty(); ++s)
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

// The mean of those that stood in an hour.
double standing_in(const TrafficHour& hour, const std::vector<int>& standing,
                   const observe::Grid& grid) {
  double sum = 0, slots = 0;
  for (int s = grid.slot_of(hour.time);
       s < grid.slots() && grid.time_of(s) < hour.time + hour.seconds - grid.step / 2; ++s)
    sum += standing[static_cast<std::size_t>(s)], slots += 1;
  return slots > 0 ? sum / slots : 0;
}

// The hour with the most tokens.
void find_busiest(const Cluster& cluster, const std::vector<std::size_t>& replicas, double full,
                  ServiceRow& row) {
  const auto hours = traffic_of(cluster, replicas);
  const auto standing = standing_of(cluster, replicas);
  double most = 0;
  for (const TrafficHour& hour : hours) {
    // A short rest of an hour says little of what an hour brings.
    if (hour.seconds < kHour.base() / 2 && hours.size() > 1) continue;
    const double rate = (hour.tokens_in + hour.tokens_out) / hour.seconds;
    const double stood = standing_in(hour, standing, cluster.grid());
    if (rate <= most || stood <= 0) continue;
    most = rate;
    row.busiest_hour = rate / (full * stood);
    row.busiest_replicas = stood;
  }
}

}  // namespace

namespace {

// Tokens per second of one copy when it is full: as predicted, else those of its fullest minutes.
double full_rate_of(const Cluster& cluster, const Gathered& gathered, const ServiceRow& row) {
  if (row.predicted && row.tokens_out > 0)
    return row.predicted->full_rate.value().base() / row.replicas *
           (row.tokens_in + row.tokens_out) / row.tokens_out;
  double full = 0;
  for (const std::size_t r : gathered.replicas)
    full = std::max(full, best_rate(cluster.replicas()[r], cluster.grid()));
  return full;
}

void note_service(const Cluster& cluster, const Gathered& gathered, const ServiceRow& row,
                  std::vector<Notice>& notices) {
  const auto note = [&](const char* id) {
    notices.push_back({.id = id, .arguments = {{"service", row.name}}});
  };
  if (!row.has_rates)
    note("one-scrape");
  else if (!row.knows_tokens)
    note("no-tokens");
  else if (!row.predicted && !row.is_unasked())
    note("full-by-peak");
  if (!row.knows_requests) note("no-requests");
  const bool is_joined =
      std::any_of(gathered.replicas.begin(), gathered.replicas.end(),
                  [&](std::size_t r) { return cluster.replicas()[r].owner >= 0; });
  if (!is_joined && !cluster.gpus().empty()) note("unjoined-service");
  const std::size_t all = gathered.replicas.size();
  const std::size_t processes =
      processes_of(cluster, gathered.replicas) * static_cast<std::size_t>(row.replicas) / all;
  if (processes_of(cluster, gathered.replicas) < all)
    notices.push_back({.id = "data-parallel",
                       .arguments = {{"service", row.name},
                                     {"copies", std::to_string(row.replicas)},
                                     {"processes", std::to_string(processes)}}});
  std::set<std::string> kinds;
  for (const std::size_t r : gathered.replicas)
    if (const auto kind = accelerator_of(cluster, cluster.replicas()[r]); !kind.empty())
      kinds.insert(kind);
  if (kinds.size() > 1)
    notices.push_back({.id = "mixed-service",
                       .arguments = {{"service", row.name},
                                     {"kinds", std::to_string(kinds.size())},
                                     {"first", row.accelerator}}});
}

}  // namespace

ObservedServices measure_services(const Cluster& cluster, const ObserveInputs& inputs,
                                  const Core& engine, std::vector<Notice>& notices) {
  std::map<std::pair<std::string, std::string>, Gathered> services;
  for (std::size_t r = 0; r < cluster.replicas().size(); ++r) {
    const ReplicaTrack& replica = cluster.replicas()[r];
    const EngineCounts& begun = replica.begun;
    const bool has_counts =
        replica.has_rates() || begun.requests + begun.tokens_in + begun.tokens_out > 0;
    if (!has_counts && replica.running.empty()) continue;
    const std::string name = replica.owner >= 0
                                 ? cluster.owners()[static_cast<std::size_t>(replica.owner)].name
                                 : observe::workload_of_pod(replica.pod);
    Gathered& gathered = services[{team_of(cluster, replica), name.empty() ? replica.model : name}];
    gathered.replicas.push_back(r);
  }
  ObservedServices out;
  out.full_rates.assign(cluster.replicas().size(), 0);
  out.full_ranges.assign(cluster.replicas().size(), {.low = 1, .high = 1});
  double most = 0;
  for (const auto& [key, gathered] : services) {
    ServiceRow row = measure(cluster, gathered);
    row.known_model = known_model(row.model, engine);
    row.is_known_engine = engine.catalog().find_engine(row.engine).has_value();
    if (const auto* planned = scenario_of(row, inputs, engine))
      predict_service(*planned, engine, row, notices);
    // Its fullest minutes may not have been full.
    if (!row.predicted && !row.is_unasked())
      row.full_range.high = std::numeric_limits<double>::infinity();
    const double full = full_rate_of(cluster, gathered, row);
    for (const std::size_t r : gathered.replicas) {
      out.full_rates[r] = full;
      if (row.predicted) out.full_ranges[r] = row.full_range;
    }
    note_service(cluster, gathered, row, notices);
    if (full > 0) {
      const auto standing = standing_of(cluster, gathered.replicas);
      row.load_factor = (row.tokens_in_rate + row.tokens_out_rate) * cluster.told_seconds() /
                        (full * std::max(1.0, standing_seconds(standing, cluster.grid())));
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
  note_others(out.rows, inputs, engine, notices);
  return out;
}

}  // namespace loadfactor::engine
