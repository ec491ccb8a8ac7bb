#include "observe/service_load.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::observe {
namespace {

ServiceBlock mean_of(const std::vector<ServiceBlock>& all) {
  ServiceBlock mean;
  double known = 0;
  for (const ServiceBlock& one : all) {
    if (!one.is_known) continue;
    known += 1;
    mean.load += one.load;
    mean.idle += one.idle;
    mean.unknown += one.unknown;
    mean.few_requests += one.few_requests;
    mean.cache_full += one.cache_full;
    mean.batch_limit += one.batch_limit;
  }
  if (known <= 0) return mean;
  mean.is_known = true;
  for (double* share : {&mean.load, &mean.idle, &mean.unknown, &mean.few_requests, &mean.cache_full,
                        &mean.batch_limit})
    *share /= known;
  return mean;
}

void add_told(const ReplicaTrack& replica, std::vector<bool>& told) {
  if (told.empty()) told.assign(replica.told.size(), false);
  for (std::size_t s = 0; s < replica.told.size(); ++s)
    if (replica.told[s]) told[s] = true;
}

// Slots of a block, by what the gauges of an engine say.
struct SlotCount {
  double told = 0;                     // The part that samples tell of,
  double known = 0, none = 0;          // and the gauges: of those, without any request;
  double cache_full = 0, limited = 0;  // requests wait while the cache is full, or is not.
};

SlotCount count_slots(const ReplicaTrack& replica, int from, int to) {
  SlotCount count;
  for (int s = from; s < to; ++s) {
    const auto at = static_cast<std::size_t>(s);
    if (!replica.is_told(s)) continue;
    count.told += 1;
    if (replica.running.empty() || replica.running[at] < 0) continue;
    count.known += 1;
    count.none += replica.running[at] < 0.5F ? 1 : 0;
    if (replica.waiting.empty() || replica.waiting[at] < 0.5F) continue;
    constexpr float kFull = 0.9F;
    const bool is_full = !replica.cache.empty() && replica.cache[at] >= kFull;
    (is_full ? count.cache_full : count.limited) += 1;
  }
  return count;
}

// What is counted over a gap is in no slot of it.
double tokens_between(const ReplicaTrack& replica, int from, int to) {
  double tokens = 0;
  for (const auto* track : {&replica.tokens_in, &replica.tokens_out})
    for (int s = from; s < to && !track->empty(); ++s)
      if (replica.is_told(s)) tokens += (*track)[static_cast<std::size_t>(s)];
  return tokens;
}

}  // namespace

ServiceLoads::ServiceLoads(const Cluster& cluster, const FullRate& full_rate,
                           const TimeBlocks& blocks)
    : grid_(cluster.grid()),
      blocks_(blocks),
      owners_(cluster.owners().size()),
      told_(cluster.owners().size()) {
  for (std::size_t i = 0; i < cluster.owners().size(); ++i) {
    const Owner& owner = cluster.owners()[i];
    if (owner.replicas.empty()) continue;
    for (const std::size_t r : owner.replicas) add_told(cluster.replicas()[r], told_[i]);
    std::vector<double> full;
    for (const std::size_t r : owner.replicas) {
      const ReplicaTrack& replica = cluster.replicas()[r];
      full.push_back(full_rate(replica).value_or(std::max(1e-9, best_rate(replica, grid_))));
    }
    std::vector<ServiceBlock> each(full.size());
    for (int b = 0; b < blocks_.count; ++b) {
      for (std::size_t k = 0; k < each.size(); ++k)
        each[k] = block_of(cluster.replicas()[owner.replicas[k]], b, full[k]);
      owners_[i].push_back(mean_of(each));
    }
  }
}

ServiceBlock ServiceLoads::block_of(const ReplicaTrack& replica, int block, double full) const {
  ServiceBlock out;
  const int from = block * blocks_.slots;
  const int to = std::min(grid_.slots(), from + blocks_.slots);
  const double tokens = tokens_between(replica, from, to);
  const SlotCount slots = count_slots(replica, from, to);
  out.is_known = slots.told > 0;
  if (!out.is_known) return out;
  if (!replica.tells_tokens()) {
    out.idle = slots.none / slots.known;
    out.unknown = 1 - out.idle;
    return out;
  }
  const double seconds = slots.told * grid_.step;
  out.load = std::min(1.0, tokens / (full * seconds));
  out.idle = slots.known > 0 ? std::min(slots.none / slots.known, 1 - out.load) : 0;
  // Requests may wait where none runs yet.
  const double running =
      std::max({1.0, slots.known - slots.none, slots.cache_full + slots.limited});
  const double rest = std::max(0.0, 1 - out.load - out.idle);
  out.cache_full = rest * slots.cache_full / running;
  out.batch_limit = rest * slots.limited / running;
  out.few_requests = rest - out.cache_full - out.batch_limit;
  return out;
}

double best_rate(const ReplicaTrack& replica, const Grid& grid) {
  constexpr double kWindow = 600;
  // All of a window that is shorter.
  const int width = std::clamp(static_cast<int>(std::lround(kWindow / grid.step)), 1, grid.slots());
  double best = 0;
  for (int from = 0; from + width <= grid.slots(); from += width) {
    double tokens = 0;
    for (int s = from; s < from + width; ++s) {
      const auto at = static_cast<std::size_t>(s);
      if (!replica.tokens_in.empty()) tokens += replica.tokens_in[at];
      if (!replica.tokens_out.empty()) tokens += replica.tokens_out[at];
    }
    best = std::max(best, tokens / (grid.end_of(from + width - 1) - grid.time_of(from)));
  }
  return best;
}

}  // namespace loadfactor::observe
