#include "observe/cluster.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "observe/cluster_labels.h"

namespace loadfactor::observe {
namespace {

std::string key_of(std::string_view metric, const Labels& labels) {
  std::string key(metric);
  for (const Label& label : labels) {
    if (label.name == "__name__") continue;
    key += '\x1f';
    key += label.name;
    key += '\x1e';
    key += label.value;
  }
  return key;
}

Share16 share16(double value) {
  const double steps = std::clamp(value, 0.0, 1.0) / kShareStep;
  return static_cast<Share16>(std::lround(steps));
}
// A ratio, or what may turn out to be a percentage under the name of a ratio.
bool is_ratio(double value) {
  constexpr double kMostRatio = 1.5;
  return value <= kMostRatio;
}
Share16 marked16(double value) {
  if (is_ratio(value)) return share16(value);
  constexpr double kPercent = 0.01;
  return static_cast<Share16>(kPercentMark + share16(value * kPercent));
}
std::uint8_t byte_of(double value, double step) {
  constexpr double kMaxStep = 254;
  return static_cast<std::uint8_t>(std::lround(std::clamp(value / step, 0.0, kMaxStep)));
}

void count(Role role, double bound, double increase, EngineCounts& counts) {
  if (role == Role::kTokensIn) counts.tokens_in += increase;
  if (role == Role::kTokensOut) counts.tokens_out += increase;
  if (role == Role::kRequests) counts.requests += increase;
  if (role == Role::kRequestsElse) counts.requests_else += increase;
  if (role == Role::kPrefixHits) counts.prefix_hits += increase;
  if (role == Role::kPrefixQueries) counts.prefix_queries += increase;
  if (role == Role::kPreemptions) counts.preemptions += increase;
  if (role == Role::kFirstToken) counts.first_token[bound] += increase;
  if (role == Role::kNextToken) counts.next_token[bound] += increase;
  if (role == Role::kQueue) counts.queue[bound] += increase;
}

}  // namespace

bool GpuTrack::has_activity(int slot) const {
  const auto s = static_cast<std::size_t>(slot);
  return (!tensor.empty() && tensor[s] != kNoShare) || (!dram.empty() && dram[s] != kNoShare);
}

// A slot in which one owner follows another is of the last; where slots are short, two that name a
// GPU again and again share it.
void GpuTrack::set_label(int slot, OwnerIndex named, const Grid& grid) {
  constexpr double kShort = 300;
  constexpr std::size_t kMostSharers = 16;
  const OwnerIndex known = label.at(slot);
  if (known == kNoOwner || known == named || grid.step > kShort)
    return label.set(slot, named, grid.slots());
  for (OwnerTrack& sharer : sharers) {
    const OwnerIndex other = sharer.at(slot);
    if (other == named) return;
    if (other == kNoOwner) return sharer.set(slot, named, grid.slots());
  }
  if (sharers.size() >= kMostSharers) return;
  sharers.emplace_back().set(slot, named, grid.slots());
}

bool GpuTrack::is_known(int slot) const {
  const auto s = static_cast<std::size_t>(slot);
  return has_activity(slot) || (!busy.empty() && busy[s] != kNoShare);
}

int Cluster::series(std::string_view metric, const Labels& labels) {
  const Signal* signal = signals_.find(metric);
  if (signal == nullptr) {
    note_renamed(metric);
    return -1;
  }
  const std::string key = key_of(metric, labels);
  if (const auto found = series_by_key_.find(key); found != series_by_key_.end())
    return found->second;
  if (is_of_another_clock(*signal, labels)) return -1;
  SeriesState state;
  state.signal = signal;
  if (is_gpu_role(signal->role)) {
    state.entity = find_gpu(labels);
    gpu_programs_.insert(signal->program);
    if (state.entity >= 0) {
      state.owner = find_owner(labels);
      state.place = place_of(gpus_[static_cast<std::size_t>(state.entity)], labels);
    }
  } else if (is_replica_role(signal->role)) {
    state.entity = find_replica(*signal, labels);
    if (signal->kind == SignalKind::kGauge && state.entity >= 0)
      state.gauge = gauge_of(signal->role, state.entity, labels);
  } else if (!find_fact(*signal, labels, state)) {
    return -1;
  }
  if (signal->kind != SignalKind::kGauge) begin_series(labels, state);
  const int index = static_cast<int>(states_.size());
  states_.push_back(std::move(state));
  series_by_key_.emplace(key, index);
  return index;
}

void Cluster::note_renamed(std::string_view metric) {
  if (const Signal* known = signals_.find_renamed(metric))
    renamed_.emplace(std::string(metric), known->metric);
}

// A counter: where its bucket ends, and which others tell the same.
void Cluster::begin_series(const Labels& labels, SeriesState& state) {
  const Signal& signal = *state.signal;
  const auto bound = find_label(labels, "le");
  if (bound == "+Inf")
    state.bound = std::numeric_limits<double>::infinity();
  else
    std::from_chars(bound.data(), bound.data() + bound.size(), state.bound);
  if (signal.kind == SignalKind::kHistogram) state.bound *= signal.factor;
  state.cover = cover_of(std::to_string(static_cast<int>(signal.role)) + "#" +
                         std::to_string(is_gpu_role(signal.role) ? signal.rank : 0) + "#" +
                         std::to_string(state.entity) + "#" + part_of(labels));
}

int Cluster::cover_of(const std::string& key) {
  const auto [found, is_new] = cover_by_key_.emplace(key, static_cast<int>(covered_.size()));
  if (is_new) covered_.emplace_back();
  return found->second;
}

bool Cluster::has_room() {
  // As many as a week of minutes of ten thousand GPUs has.
  constexpr double kMostCells = 120e6;
  const double slots = grid_.slots();
  const auto tracks = static_cast<double>(gpus_.size() + replicas_.size() + 1);
  is_too_fine_ = is_too_fine_ || (slots > kMostSlots && slots * tracks > kMostCells);
  return !is_too_fine_;
}

void Cluster::sample(int index, double time, double value) {
  SeriesState& series = states_[static_cast<std::size_t>(index)];
  const Role role = series.signal->role;
  if (std::isfinite(time)) {
    gaps_.first = std::min(gaps_.first, time);
    gaps_.last = std::max(gaps_.last, time);
  }
  if (is_absent(value) || value < 0) {
    ++gaps_.absent_samples;
    const int slot = grid_.slot_of(time);
    if (series.entity >= 0 && is_gpu_role(role) && slot >= 0) see_gpu(series, slot);
    return;
  }
  if (role >= Role::kPodInfo) return add_fact(series, time, value);
  if (series.entity < 0) return;
  if (series.signal->kind != SignalKind::kGauge) return add_counter(series, time, value);
  const int slot = grid_.slot_of(time);
  if (slot < 0) {
    ++gaps_.late_samples;
    return;
  }
  ++seen_[static_cast<std::size_t>(role)];
  if (is_gpu_role(role))
    add_gpu_sample(series, slot, value);
  else
    add_gauge(series, slot, value);
}

void Cluster::add_gauge(SeriesState& series, int slot, double value) {
  if (series.signal->role == Role::kCache) {
    ScaleSeen& seen = scales_[static_cast<std::size_t>(series.signal->rank)];
    if (value > 0) ++seen.all;
    if (!is_ratio(value)) ++seen.above;
  }
  (*series.gauge)[static_cast<std::size_t>(slot)] =
      static_cast<float>(value * series.signal->factor);
}

void Cluster::add_gpu_sample(SeriesState& series, int slot, double value) {
  GpuTrack& gpu = gpus_[static_cast<std::size_t>(series.entity)];
  const Role role = series.signal->role;
  scales_[static_cast<std::size_t>(series.signal->rank)].is_told = true;
  if (role == Role::kXid) {
    constexpr double kMostCode = 1e6;
    const int code = value < kMostCode ? static_cast<int>(value) : 0;
    auto& codes = gpu.faults.xids;
    if (code > 0 && std::find(codes.begin(), codes.end(), code) == codes.end())
      codes.push_back(code);
    return;
  }
  if (role == Role::kRemapFailure) {
    gpu.faults.remap_failure = gpu.faults.remap_failure || value > 0;
    return;
  }
  const auto slots = static_cast<std::size_t>(grid_.slots());
  const auto s = static_cast<std::size_t>(slot);
  int& best = gpu.best[static_cast<std::size_t>(role)];
  const int rank = series.signal->rank;
  if (best < 0 || rank < best) best = rank;
  const bool is_best = rank == best;
  const auto put = [&](auto& track, auto none, auto written) {
    if (track.empty()) track.assign(slots, none);
    if (is_best || track[s] == none) track[s] = written;
  };
  const double shown = value * series.signal->factor;
  const bool is_percent = series.signal->factor < 1;
  if (role <= Role::kDram) {
    ScaleSeen& seen = scales_[static_cast<std::size_t>(rank)];
    seen.largest = std::max(seen.largest, value);
    if (value > 0) ++seen.all;
    if (!is_percent && !is_ratio(value)) ++seen.above;
    const Share16 written = is_percent ? share16(shown) : marked16(shown);
    put(role == Role::kBusy     ? gpu.busy
        : role == Role::kTensor ? gpu.tensor
                                : gpu.dram,
        kNoShare, written);
  }
  if (role == Role::kPower) put(gpu.power, kNoByte, byte_of(shown, kWattStep));
  if (role == Role::kClock) put(gpu.clock, kNoByte, byte_of(shown, kMegahertzStep));
  see_gpu(series, slot);
}

void Cluster::see_gpu(const SeriesState& series, int slot) {
  GpuTrack& gpu = gpus_[static_cast<std::size_t>(series.entity)];
  // A pod wins over a series that names none: some fields are told without one.
  if (series.owner != kNoOwner) gpu.set_label(slot, series.owner, grid_);
  const auto widen = [slot](auto& seen) {
    seen.first = seen.first < 0 ? slot : std::min(seen.first, slot);
    seen.last = std::max(seen.last, slot);
  };
  widen(gpu);
  if (series.place >= 0) widen(gpu.places[static_cast<std::size_t>(series.place)]);
}

void Cluster::add_counter(SeriesState& series, double time, double value) {
  // A clock that was set back tells nothing until it has caught up.
  if (series.has_value && time <= series.time) return;
  const double before = series.time;
  const double last = series.value;
  const bool had = series.has_value;
  series.time = time;
  series.value = value;
  series.has_value = true;
  if (!had) return begin_counter(series, value);
  // A counter below its last value was started anew.
  const double increase = value >= last ? value - last : value;
  const Role role = series.signal->role;
  double told = 0;
  for (const auto& [from, to] :
       covered_[static_cast<std::size_t>(series.cover)].take(before, time)) {
    told += to - from;
    add_increase(series, from, to, increase * (to - from) / (time - before));
    if (role == Role::kTokensIn || role == Role::kTokensOut)
      replicas_[static_cast<std::size_t>(series.entity)].looks.add(from, to, grid_);
  }
  if (told < time - before && !std::exchange(series.is_repeat, true)) ++gaps_.duplicates;
  if (told <= 0) return;
  if (value < last) note_restart(series, time);
  ++seen_[static_cast<std::size_t>(role)];
}

std::vector<Cluster::Presence> Cluster::Cover::take(double from, double to) {
  std::vector<Presence> free;
  auto next = std::lower_bound(told.begin(), told.end(), from,
                               [](const Presence& part, double time) { return part.last < time; });
  const auto first = next;
  Presence all{from, to};
  for (double at = from; at < to;) {
    const double end = next == told.end() ? to : std::min(to, next->first);
    if (end > at) free.push_back({at, end});
    if (next == told.end() || next->first > to) break;
    all = {std::min(all.first, next->first), std::max(all.last, next->last)};
    at = std::max(at, next->last);
    ++next;
  }
  *told.insert(told.erase(first, next), all);
  return free;
}

// Counters of one program begin anew together, whenever each of them is looked at.
void Cluster::note_restart(const SeriesState& series, double time) {
  constexpr double kTogether = 900;
  const auto at = static_cast<std::size_t>(series.entity);
  const bool is_gpu = is_gpu_role(series.signal->role);
  const std::string whose = is_gpu                      ? gpus_[at].key
                            : replicas_[at].pod.empty() ? replicas_[at].instance
                                                        : replicas_[at].pod;
  std::set<double>& times = restarts_[whose];
  const auto next = times.lower_bound(time - kTogether);
  if (next != times.end() && *next <= time + kTogether) return;
  times.insert(time);
  if (gaps_.restarts++ == 0) gaps_.first_restart = whose;
}

void Cluster::add_increase(const SeriesState& series, double from, double to, double increase) {
  const Role role = series.signal->role;
  if (series.signal->kind == SignalKind::kCounter) increase *= series.signal->factor;
  if (is_gpu_role(role)) {
    GpuFaults& faults = gpus_[static_cast<std::size_t>(series.entity)].faults;
    if (role == Role::kEcc) faults.ecc += increase;
    if (role == Role::kRemappedRows) faults.remapped_rows += increase;
    if (role == Role::kNvlinkErrors) faults.nvlink_errors += increase;
    if (role == Role::kThermalThrottle) faults.thermal_seconds += increase;
    if (role == Role::kPowerThrottle) faults.power_seconds += increase;
    return;
  }
  ReplicaTrack& replica = replicas_[static_cast<std::size_t>(series.entity)];
  const auto spread = [&](std::vector<float>& track) {
    if (track.empty()) track.assign(static_cast<std::size_t>(grid_.slots()), 0.0F);
    const double inside_from = std::max(from, grid_.from);
    const double inside_to = std::min(to, grid_.to);
    if (inside_to <= inside_from) return;
    const double rate = increase / (to - from);
    int slot = grid_.slot_of(inside_from);
    for (double at = inside_from; at < inside_to && slot < grid_.slots(); ++slot) {
      const double end = std::min(inside_to, grid_.time_of(slot + 1));
      track[static_cast<std::size_t>(slot)] += static_cast<float>(rate * (end - at));
      at = end;
    }
  };
  if (role == Role::kTokensIn) spread(replica.tokens_in);
  if (role == Role::kTokensOut) spread(replica.tokens_out);
  if (role == Role::kRequests) spread(replica.requests);
  if (role == Role::kRequestsElse) spread(replica.requests_else);
  count(role, series.bound, increase, replica.counts);
}

void Cluster::begin_counter(const SeriesState& series, double value) {
  const Role role = series.signal->role;
  const double factor = series.signal->kind == SignalKind::kCounter ? series.signal->factor : 1;
  if (is_replica_role(role))
    count(role, series.bound, value * factor,
          replicas_[static_cast<std::size_t>(series.entity)].begun);
}

void Cluster::add_fact(SeriesState& series, double time, double value) {
  ++seen_[static_cast<std::size_t>(series.signal->role)];
  if (series.signal->role == Role::kPodPhase) {
    if (value <= 0) return;
    PodFacts& pod = pods_[series.pod];
    pod.failed_first = pod.is_failed ? std::min(pod.failed_first, time) : time;
    pod.failed_last = pod.is_failed ? std::max(pod.failed_last, time) : time;
    pod.is_failed = true;
    return;
  }
  if (series.signal->role != Role::kUp && series.signal->role != Role::kNodeInfo) return;
  const auto [found, is_new] = presence_.emplace(series.pod, Presence{time, time});
  found->second.first = std::min(found->second.first, time);
  found->second.last = std::max(found->second.last, time);
}

std::string Cluster::metric_of(Role role) const {
  const Signal* best = nullptr;
  for (const Signal& signal : signals_.signals())
    if (signal.role == role && scales_[static_cast<std::size_t>(signal.rank)].is_told &&
        (best == nullptr || signal.rank < best->rank))
      best = &signal;
  return best == nullptr ? std::string() : best->metric;
}

bool Cluster::is_told_by(std::string_view program) const {
  const auto& signals = signals_.signals();
  return std::any_of(signals.begin(), signals.end(), [&](const Signal& signal) {
    return signal.program == program && scales_[static_cast<std::size_t>(signal.rank)].is_told;
  });
}

bool Cluster::is_of_nvidia() const {
  return std::any_of(gpu_programs_.begin(), gpu_programs_.end(), [](const std::string& program) {
    return program.starts_with("nvidia") || program.starts_with("dcgm");
  });
}

void Cluster::add_jobs(std::vector<JobRecord> jobs) {
  // A try of a job that several files tell of, or one file twice, stands once, as it ended last.
  using Try = std::tuple<std::string, std::string, double>;
  std::map<Try, std::size_t> known;
  const auto try_of = [](const JobRecord& job) { return Try{job.cluster, job.id, job.start}; };
  for (std::size_t i = 0; i < jobs_.size(); ++i) known[try_of(jobs_[i])] = i;
  for (JobRecord& job : jobs) {
    const auto [found, is_new] = known.try_emplace(try_of(job), jobs_.size());
    if (is_new || job.id.empty())
      jobs_.push_back(std::move(job));
    else if (job.end > jobs_[found->second].end)
      jobs_[found->second] = std::move(job);
  }
}

void Cluster::add_nodes(std::vector<NodeRecord> nodes) {
  for (NodeRecord& node : nodes) nodes_.push_back(std::move(node));
}

}  // namespace loadfactor::observe
