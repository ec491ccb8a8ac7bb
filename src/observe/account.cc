#include "observe/account.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/calendar.h"
#include "base/statistics.h"

namespace loadfactor::observe {
namespace {

constexpr double kActiveTensor = 0.01;
constexpr double kActiveDram = 0.02;
constexpr double kActiveBusy = 0.05;
constexpr double kSpinningBusy = 0.5;
// No layout that keeps a chip full shows less than this; what does is not full by its own measure.
constexpr double kLeastTensor = 0.10;
constexpr double kLeastDram = 0.20;
// What full layouts usually show: by it the axis is chosen on which a workload is measured.
constexpr double kUsualTensor = 0.5;
constexpr double kUsualDram = 0.7;
constexpr int kMostBlocks = 336;

double share(const std::vector<Share16>& track, int slot) {
  if (track.empty()) return 0;
  const Share16 value = track[static_cast<std::size_t>(slot)];
  return value == kNoShare ? 0 : value * kShareStep;
}

bool has_share(const std::vector<Share16>& track, int slot) {
  return !track.empty() && track[static_cast<std::size_t>(slot)] != kNoShare;
}

// 1970-01-01 was a Thursday.
std::size_t hour_of_week(double time) {
  constexpr int kThursday = 3;
  const auto hours = static_cast<std::int64_t>(std::floor(time / kHour.base())) + kThursday * 24;
  return static_cast<std::size_t>(((hours % 168) + 168) % 168);
}

enum class Axis : std::uint8_t { kTensor, kDram, kBusy };

// What the sensors of a workload show in its full hours, and the one that it is measured by. A
// sensor that no GPU has leaves its level at 0.
struct Saturation {
  Axis axis = Axis::kBusy;
  double tensor = 0, dram = 0;

  double level() const {
    if (axis == Axis::kBusy) return 1;
    return axis == Axis::kTensor ? tensor : dram;
  }
};

// A sensor over the slots in which it told something while its GPU worked.
struct Reading {
  double sum = 0, count = 0;

  double mean() const { return count > 0 ? sum / count : 0; }
  void add(const std::vector<Share16>& track, int slot) {
    if (!has_share(track, slot)) return;
    sum += share(track, slot);
    count += 1;
  }
  Reading& operator+=(const Reading& other) {
    sum += other.sum;
    count += other.count;
    return *this;
  }
};

struct BlockMean {
  Reading tensor, dram;
};

class Accountant {
 public:
  Accountant(const Cluster& cluster, const FullRate& full_rate, const AccountRules& rules)
      : cluster_(cluster), full_rate_(full_rate), rules_(rules), grid_(cluster.grid()) {
    const int slots = grid_.slots();
    block_slots_ = std::max({1, static_cast<int>(std::lround(kHour.base() / grid_.step)),
                             (slots + kMostBlocks - 1) / kMostBlocks});
    blocks_ = (slots + block_slots_ - 1) / block_slots_;
    for (const Owner& owner : cluster.owners())
      workloads_ = std::max(workloads_, owner.workload + 1);
  }

  Account make() {
    find_saturation();
    find_service_loads();
    for (const GpuTrack& gpu : cluster_.gpus()) add_gpu(gpu);
    for (const auto& [kind, counts] : slots_) {
      KindPeak& peak = account_.peaks[kind];
      peak.paid = *std::max_element(counts.paid.begin(), counts.paid.end());
      peak.held = *std::max_element(counts.held.begin(), counts.held.end());
    }
    account_.gpus = account_.all.total() / std::max(1.0, cluster_.told_seconds());
    collect();
    return std::move(account_);
  }

 private:
  struct UseKey {
    int workload;
    std::string accelerator;
    auto operator<=>(const UseKey&) const = default;
  };
  // One owner's part of one GPU, before what was not seen is filled in.
  struct Part {
    CauseSeconds use;
    CauseSeconds now;  // What of it lies in the last hour.
    double active = 0;
    double busy_only = 0, busy_now = 0;  // Work of which only is known that a kernel ran.
    SensorMean busy, tensor, dram;
  };

  // Means of a workload by block of time, for the blocks in which it worked.
  using BlockMeans = std::map<int, BlockMean>;

  void find_saturation() {
    std::map<std::size_t, BlockMeans> means;
    for (const GpuTrack& gpu : cluster_.gpus()) {
      if (gpu.first < 0) continue;
      BlockMean* mean = nullptr;
      int block = -1;
      OwnerIndex owner = kNoOwner;
      for (int s = gpu.first; s <= gpu.last; ++s) {
        if (!gpu.is_known(s) || !is_active(gpu, s)) continue;
        if (mean == nullptr || block != s / block_slots_ || owner != gpu.owner.at(s)) {
          block = s / block_slots_;
          owner = gpu.owner.at(s);
          mean = &means[index_of(owner)][block];
        }
        mean->tensor.add(gpu.tensor, s);
        mean->dram.add(gpu.dram, s);
      }
    }
    saturation_.resize(static_cast<std::size_t>(workloads_ + 1));
    for (const auto& [workload, blocks] : means)
      saturation_[workload] = saturation_of(blocks, blocks_);
  }

  static Saturation saturation_of(const BlockMeans& blocks, int of_blocks) {
    BlockMean all;
    for (const auto& [at, block] : blocks) {
      all.tensor += block.tensor;
      all.dram += block.dram;
    }
    Saturation out;
    if (all.tensor.sum + all.dram.sum == 0) return out;
    out.axis = all.tensor.mean() / kUsualTensor >= all.dram.mean() / kUsualDram ? Axis::kTensor
                                                                                : Axis::kDram;
    out.tensor = full_level(blocks, &BlockMean::tensor, all.tensor, of_blocks, kLeastTensor);
    out.dram = full_level(blocks, &BlockMean::dram, all.dram, of_blocks, kLeastDram);
    return out;
  }

  // What a sensor shows in full hours, by the GPUs that have it.
  static double full_level(const BlockMeans& blocks, Reading BlockMean::*sensor, const Reading& all,
                           int of_blocks, double least_level) {
    if (all.count == 0) return 0;
    std::vector<double> levels, weights;
    // Blocks that hardly anybody worked in say little.
    const double least = 0.1 * all.count / static_cast<double>(of_blocks);
    for (const auto& [at, block] : blocks) {
      const Reading& reading = block.*sensor;
      if (reading.count < std::max(1.0, least)) continue;
      levels.push_back(reading.mean());
      weights.push_back(reading.count);
    }
    constexpr double kFullHours = 0.9;
    const double best = levels.empty() ? 0 : quantile_weighted(levels, weights, kFullHours);
    return std::max(best, least_level);
  }

  std::size_t index_of(OwnerIndex owner) const {
    const int workload = owner == kNoOwner ? -1 : cluster_.owners()[owner].workload;
    return static_cast<std::size_t>(workload < 0 ? workloads_ : workload);
  }

  // For each replica and block: how much of the time nothing ran, and how full it was.
  struct ServiceBlock {
    double idle = 0;
    double load = 0;
    double unknown = 0;                      // Requests run, and nothing tells at which rate.
    double cache_full = 0, batch_limit = 0;  // Shares of what is below saturation.
    bool is_known = false;
  };
  void find_service_loads() {
    for (const ReplicaTrack& replica : cluster_.replicas()) {
      const double full = full_rate_(replica).value_or(std::max(1e-9, best_rate(replica, grid_)));
      std::vector<ServiceBlock> blocks(static_cast<std::size_t>(blocks_));
      for (int b = 0; b < blocks_; ++b)
        blocks[static_cast<std::size_t>(b)] = service_block(replica, b, full);
      services_.push_back(std::move(blocks));
    }
  }
  ServiceBlock service_block(const ReplicaTrack& replica, int block, double full) const {
    ServiceBlock out;
    const int from = block * block_slots_;
    const int to = std::min(grid_.slots(), from + block_slots_);
    double tokens = 0, known = 0, none = 0, cache_full = 0, limited = 0;
    for (int s = from; s < to; ++s) {
      const auto at = static_cast<std::size_t>(s);
      if (!replica.tokens_in.empty()) tokens += replica.tokens_in[at];
      if (!replica.tokens_out.empty()) tokens += replica.tokens_out[at];
      if (replica.running.empty() || replica.running[at] < 0) continue;
      known += 1;
      none += replica.running[at] < 0.5F ? 1 : 0;
      if (replica.waiting.empty() || replica.waiting[at] < 0.5F) continue;
      constexpr float kFull = 0.9F;
      const bool is_full = !replica.cache.empty() && replica.cache[at] >= kFull;
      (is_full ? cache_full : limited) += 1;
    }
    out.is_known = known > 0 || tokens > 0;
    if (!out.is_known) return out;
    if (!replica.tells_tokens()) {
      out.idle = none / known;
      out.unknown = 1 - out.idle;
      return out;
    }
    const double seconds = (known > 0 ? known : to - from) * grid_.step;
    out.load = std::min(1.0, tokens / (full * seconds));
    out.idle = known > 0 ? std::min(none / known, 1 - out.load) : 0;
    const double running = std::max(1.0, known - none);
    out.cache_full = cache_full / running;
    out.batch_limit = limited / running;
    return out;
  }

  // A slot, or the part of one that one owner holds.
  struct Span {
    int slot = 0;
    OwnerIndex owner = kNoOwner;
    double from = 0;  // Seconds since 1970.
    double seconds = 0;
  };

  // The paid time of a GPU, cut where slots end and where jobs begin and end.
  void find_spans(const GpuTrack& gpu) {
    spans_.clear();
    auto hold = gpu.holds.begin();
    for (int s = gpu.paid_from; s < gpu.paid_to; ++s) {
      const double end = grid_.end_of(s);
      double at = grid_.time_of(s);
      const auto add = [&](double to, OwnerIndex owner) {
        if (to > at) spans_.push_back({s, owner, at, to - at});
        at = std::max(at, to);
      };
      while (hold != gpu.holds.end() && hold->to <= at) ++hold;
      if (hold == gpu.holds.end() || hold->from >= end) {
        add(end, gpu.owner.at(s));
        continue;
      }
      for (auto each = hold; each != gpu.holds.end() && each->from < end; ++each) {
        add(each->from, kNoOwner);
        add(std::min(end, each->to), each->owner);
      }
      add(end, kNoOwner);
    }
  }

  // What of a span lies in the last hour, as a share of it.
  double share_now(const Span& span) const {
    const double late = span.from + span.seconds - (grid_.to - kHour.base());
    return late <= 0 ? 0 : std::min(1.0, late / span.seconds);
  }

  void add_gpu(const GpuTrack& gpu) {
    find_spans(gpu);
    std::map<OwnerIndex, Part> parts;
    std::array<double, 168> week_load{};
    double known = 0;
    const auto put = [&](const Span& span, Cause cause, double share) {
      const double seconds = share * span.seconds;
      Part& part = parts[span.owner];
      part.use[cause] += seconds;
      part.now[cause] += seconds * share_now(span);
      if (loss_of(cause) != Loss::kLoad || cluster_.owners()[span.owner].is_failed) return;
      week_load[hour_of_week(span.from)] += seconds;
    };
    for (std::size_t i = 0; i < spans_.size();) i = add_run(gpu, i, parts, known, put);
    if (known <= 0) return add_unseen(gpu);
    double all = 0;
    for (const Span& span : spans_) all += span.seconds;
    const double factor = all / known;
    account_.known_seconds += known * gpu.weight;
    const double now_factor = gpu.weight * pay_hour(gpu);
    double busy = 0;
    for (auto& [owner, part] : parts) {
      settle(part, cluster_.owners()[owner]);
      add_part(gpu, owner, part, factor);
      account_.now.kinds[gpu.model] += part.now.scaled(now_factor);
      account_.now.load_is_busy = account_.now.load_is_busy || part.busy_now > 0;
      busy += part.busy_only;
    }
    account_.busy_gpus += busy > 0 ? gpu.weight : 0;
    account_.load_is_busy = account_.load_is_busy || busy > 0;
    for (std::size_t h = 0; h < week_load.size(); ++h)
      account_.week_load[h] += week_load[h] * factor * gpu.weight;
    for (const Span& span : spans_)
      account_.week_paid[hour_of_week(span.from)] += span.seconds * gpu.weight;
    count_slots(gpu);
  }

  // Counts the last hour of a GPU; returns its paid time over the one that samples tell of.
  double pay_hour(const GpuTrack& gpu) {
    double paid = 0;
    double known = 0;
    for (const Span& span : spans_) {
      const double seconds = span.seconds * share_now(span);
      paid += seconds;
      if (seconds > 0 && is_told(gpu, span)) known += seconds;
    }
    account_.now.paid_seconds += paid * gpu.weight;
    account_.now.known_seconds += known * gpu.weight;
    return known > 0 ? paid / known : 0;
  }

  // Who holds any part of a slot holds a GPU then.
  void count_slots(const GpuTrack& gpu) {
    account_.peaks[gpu.model].nodes[gpu.node] += gpu.weight;
    if (gpu.is_uncut) return;
    SlotCounts& counts = slots_[gpu.model];
    counts.paid.resize(static_cast<std::size_t>(grid_.slots()));
    counts.held.resize(static_cast<std::size_t>(grid_.slots()));
    int paid = -1;
    int held = -1;
    for (const Span& span : spans_) {
      if (std::exchange(paid, span.slot) != span.slot)
        counts.paid[static_cast<std::size_t>(span.slot)] += gpu.weight;
      if (span.owner != kNoOwner && std::exchange(held, span.slot) != span.slot)
        counts.held[static_cast<std::size_t>(span.slot)] += gpu.weight;
    }
  }

  // Metrics tell what a GPU does; without any, a batch system tells who holds it.
  bool is_told(const GpuTrack& gpu, const Span& span) const {
    if (gpu.first < 0)
      return gpu.is_uncut || !cluster_.jobs().empty() || cluster_.is_held_by_nodes();
    return gpu.is_known(span.slot) || is_served(span);
  }
  // An engine goes on telling of its replica when the exporter of its GPUs is dead.
  bool is_served(const Span& span) const {
    const Owner& owner = cluster_.owners()[span.owner];
    return owner.is_service && owner.replica >= 0 && service_of(owner, span).is_known;
  }
  const ServiceBlock& service_of(const Owner& owner, const Span& span) const {
    return services_[static_cast<std::size_t>(owner.replica)]
                    [static_cast<std::size_t>(span.slot / block_slots_)];
  }

  // Where an engine tells no rate, sensors of the GPU say more of it.
  bool is_better_told(const GpuTrack& gpu, const Owner& owner, const Span& span) const {
    const ServiceBlock& block = service_of(owner, span);
    const ReplicaTrack& replica = cluster_.replicas()[static_cast<std::size_t>(owner.replica)];
    const bool is_silent = !block.is_known && !replica.tells_tokens();
    return (block.unknown > 0 || is_silent) && gpu.is_known(span.slot);
  }

  // Spans from `i` on that are alike; returns the first behind them.
  template <typename Put>
  std::size_t add_run(const GpuTrack& gpu, std::size_t i, std::map<OwnerIndex, Part>& parts,
                      double& known, const Put& put) {
    const Span& span = spans_[i];
    if (!is_told(gpu, span)) return i + 1;
    const Owner& owner = cluster_.owners()[span.owner];
    if (gpu.first < 0) {
      known += span.seconds;
      put_silent(span, owner, put);
      if (owner.busy) parts[span.owner].busy.add(*owner.busy, span.seconds);
      return i + 1;
    }
    if (owner.is_service && owner.replica >= 0 && !is_better_told(gpu, owner, span)) {
      const ServiceBlock& service = service_of(owner, span);
      if (!service.is_known) return i + 1;
      known += span.seconds;
      put_service(span, service, put);
      note_activity(gpu, span, parts[span.owner]);
      return i + 1;
    }
    if (is_active(gpu, span.slot)) {
      known += span.seconds;
      put_active(gpu, span, parts[span.owner], put);
      note_activity(gpu, span, parts[span.owner]);
      return i + 1;
    }
    return add_stop(gpu, i, known, put);
  }

  // What only a batch system tells of.
  template <typename Put>
  void put_silent(const Span& span, const Owner& owner, const Put& put) {
    if (span.owner == kNoOwner) return put(span, Cause::kUnallocated, 1);
    if (!owner.busy) return put(span, Cause::kHeldUnseen, 1);
    put(span, Cause::kLoad, *owner.busy);
    put(span, Cause::kIdle, 1 - *owner.busy);
  }

  // Time in which a GPU does not compute, until it does or belongs to somebody else.
  template <typename Put>
  std::size_t add_stop(const GpuTrack& gpu, std::size_t i, double& known, const Put& put) {
    const OwnerIndex owner = spans_[i].owner;
    std::size_t end = i;
    while (end < spans_.size() && spans_[end].owner == owner &&
           (!is_told(gpu, spans_[end]) || !is_active(gpu, spans_[end].slot)))
      ++end;
    const Cause cause = stop_cause(i, end);
    for (; i < end; ++i) {
      const Span& span = spans_[i];
      if (!is_told(gpu, span)) continue;
      known += span.seconds;
      const bool spins = owner != kNoOwner && gpu.has_activity(span.slot) &&
                         share(gpu.busy, span.slot) >= kSpinningBusy;
      put(span, spins ? Cause::kSpinning : cause, 1);
    }
    return end;
  }

  template <typename Put>
  void put_service(const Span& span, const ServiceBlock& block, const Put& put) {
    put(span, Cause::kHeldUnseen, block.unknown);
    put(span, Cause::kLoad, block.load);
    put(span, Cause::kIdle, block.idle);
    const double rest = std::max(0.0, 1 - block.load - block.idle - block.unknown);
    put(span, Cause::kCacheFull, rest * block.cache_full);
    put(span, Cause::kBatchLimit, rest * block.batch_limit);
    put(span, Cause::kFewRequests, rest * (1 - block.cache_full - block.batch_limit));
  }

  // By the sensor that the workload is measured by, else by the other one of this GPU.
  std::optional<double> fullness_of(const GpuTrack& gpu, const Span& span) const {
    const Saturation& full = saturation_[index_of(span.owner)];
    const bool has_tensor = full.tensor > 0 && has_share(gpu.tensor, span.slot);
    const bool has_dram = full.dram > 0 && has_share(gpu.dram, span.slot);
    if (has_tensor && (full.axis == Axis::kTensor || !has_dram))
      return share(gpu.tensor, span.slot) / full.tensor;
    if (has_dram) return share(gpu.dram, span.slot) / full.dram;
    return std::nullopt;
  }

  template <typename Put>
  void put_active(const GpuTrack& gpu, const Span& span, Part& part, const Put& put) {
    const auto known = fullness_of(gpu, span);
    // Otherwise a kernel runs, which may be full or not.
    const double fullness = known.value_or(share(gpu.busy, span.slot));
    if (!known) {
      part.busy_only += span.seconds;
      part.busy_now += span.seconds * share_now(span);
    }
    // Samples scatter about their mean: what one has above the full level another has below it.
    put(span, Cause::kLoad, fullness);
    put(span, Cause::kBelowBest, 1 - fullness);
  }

  void note_activity(const GpuTrack& gpu, const Span& span, Part& part) const {
    if (!is_active(gpu, span.slot)) return;
    part.active += span.seconds;
    const auto note = [&](const std::vector<Share16>& track, SensorMean& mean) {
      if (!track.empty() && track[static_cast<std::size_t>(span.slot)] != kNoShare)
        mean.add(share(track, span.slot), span.seconds);
    };
    note(gpu.busy, part.busy);
    note(gpu.tensor, part.tensor);
    note(gpu.dram, part.dram);
  }

  Cause stop_cause(std::size_t from, std::size_t to) const {
    const OwnerIndex owner = spans_[from].owner;
    if (owner == kNoOwner) return cluster_.knows_owners() ? Cause::kUnallocated : Cause::kIdle;
    if (to == spans_.size() || spans_[to].owner != owner)
      return Cause::kIdle;  // It never computes again.
    double seconds = 0;
    for (std::size_t i = from; i < to; ++i) seconds += spans_[i].seconds;
    const bool began = from > 0 && spans_[from - 1].owner != owner;
    if (began && seconds <= rules_.start_up_seconds) return Cause::kStartUp;
    return seconds <= rules_.pause_seconds ? Cause::kPause : Cause::kIdle;
  }

  // On the whole nobody is fuller than full, and what failed is lost.
  void settle(Part& part, const Owner& owner) const {
    for (CauseSeconds* use : {&part.use, &part.now}) {
      const double above = std::min(0.0, (*use)[Cause::kBelowBest]);
      (*use)[Cause::kLoad] += above;
      (*use)[Cause::kBelowBest] -= above;
    }
    if (!owner.is_failed) return;
    const double before = part.use.of(Loss::kLoad);
    lose(part.use, rules_.checkpoint_seconds > 0 ? rules_.checkpoint_seconds / 2 : before);
    // The last hour is told as all of it is.
    const double lost = before > 0 ? 1 - part.use.of(Loss::kLoad) / before : 0;
    lose(part.now, lost * part.now.of(Loss::kLoad));
  }

  void add_part(const GpuTrack& gpu, OwnerIndex index, Part part, double factor) {
    const Owner& owner = cluster_.owners()[index];
    UseKey key{owner.workload, gpu.model};
    if (index == kNoOwner && part.use[Cause::kLoad] + part.use[Cause::kBelowBest] > 0)
      key.workload = -1;
    Part& sum = uses_[key];
    part.use = part.use.scaled(factor * gpu.weight);
    sum.use += part.use;
    account_.all += part.use;
    const double weight = factor * gpu.weight;
    sum.active += part.active * weight;
    const auto add = [&](SensorMean& all, const SensorMean& mean, const auto& track) {
      all += mean.scaled(weight);
      all.is_seen = all.is_seen || !track.empty();
    };
    add(sum.busy, part.busy, gpu.busy);
    add(sum.tensor, part.tensor, gpu.tensor);
    add(sum.dram, part.dram, gpu.dram);
  }

  // What a failed job did since its last checkpoint is done again.
  static void lose(CauseSeconds& use, double left) {
    for (const Cause cause : {Cause::kLoad, Cause::kHeldUnseen}) {
      const double lost = std::min(use[cause], left);
      use[cause] -= lost;
      use[Cause::kFailed] += lost;
      left -= lost;
    }
  }

  // Nothing is known of it but that it is there, and who held it.
  void add_unseen(const GpuTrack& gpu) {
    for (const Span& span : spans_) {
      const bool is_free = span.owner == kNoOwner && cluster_.knows_owners();
      const Cause cause = is_free ? Cause::kUnallocated : Cause::kHeldUnseen;
      const double seconds = span.seconds * gpu.weight;
      const int workload = span.owner == kNoOwner ? -1 : cluster_.owners()[span.owner].workload;
      uses_[{workload, gpu.model}].use[cause] += seconds;
      account_.all[cause] += seconds;
      account_.unseen_seconds += seconds;
      const double now = seconds * share_now(span);
      account_.now.kinds[gpu.model][cause] += now;
      account_.now.paid_seconds += now;
      account_.now.unseen_seconds += now;
    }
    count_slots(gpu);
  }

  void collect() {
    for (const auto& [key, part] : uses_) {
      WorkloadUse use;
      use.workload = key.workload;
      use.accelerator = key.accelerator;
      use.use = part.use;
      use.active_seconds = part.active;
      use.busy = part.busy;
      use.tensor = part.tensor;
      use.dram = part.dram;
      use.mean_gpus = part.use.total() / std::max(1.0, cluster_.told_seconds());
      if (key.workload >= 0) {
        use.saturation = saturation_[static_cast<std::size_t>(key.workload)].level();
      }
      account_.uses.push_back(std::move(use));
    }
    std::stable_partition(account_.uses.begin(), account_.uses.end(),
                          [](const WorkloadUse& use) { return use.workload >= 0; });
    name_uses();
    find_hours();
  }

  void name_uses() {
    std::map<int, std::vector<WorkloadUse*>> by_workload;
    for (WorkloadUse& use : account_.uses)
      if (use.workload >= 0) by_workload[use.workload].push_back(&use);
    for (const Owner& owner : cluster_.owners()) {
      const auto found = by_workload.find(owner.workload);
      if (found == by_workload.end() || owner.key.empty()) continue;
      for (WorkloadUse* use : found->second) name_use(owner, *use);
    }
  }
  void name_use(const Owner& owner, WorkloadUse& use) const {
    use.team = owner.team;
    use.name = owner.name;
    use.is_guessed = use.is_guessed || owner.is_guessed;
    if (!owner.is_service || owner.replica < 0) return;
    const ReplicaTrack& replica = cluster_.replicas()[static_cast<std::size_t>(owner.replica)];
    use.is_service = true;
    use.model = replica.model;
    use.engine = replica.engine;
  }

  // Hours of workloads that compute: by them it is judged who can share GPUs.
  void find_hours() {
    std::map<UseKey, WorkloadUse*> by_key;
    for (WorkloadUse& use : account_.uses) {
      if (use.workload < 0 || use.active_seconds <= 0) continue;
      use.held.assign(static_cast<std::size_t>(blocks_), 0);
      use.working.assign(static_cast<std::size_t>(blocks_), 0);
      by_key[{use.workload, use.accelerator}] = &use;
    }
    for (const GpuTrack& gpu : cluster_.gpus())
      for (int b = 0; b < blocks_; ++b) add_block(gpu, b, by_key);
  }
  // A block belongs to who holds the GPU in its middle.
  void add_block(const GpuTrack& gpu, int block, std::map<UseKey, WorkloadUse*>& by_key) {
    const int from = block * block_slots_;
    const int to = std::min(grid_.slots(), from + block_slots_);
    const OwnerIndex owner = gpu.owner.at(std::min(grid_.slots() - 1, from + block_slots_ / 2));
    if (owner == kNoOwner) return;
    const auto found = by_key.find({cluster_.owners()[owner].workload, gpu.model});
    if (found == by_key.end()) return;
    int active = 0;
    for (int s = from; s < to; ++s) active += is_active(gpu, s) ? 1 : 0;
    const auto at = static_cast<std::size_t>(block);
    found->second->held[at] += gpu.weight;
    found->second->working[at] += gpu.weight * active / std::max(1, to - from);
  }

  const Cluster& cluster_;
  const FullRate& full_rate_;
  const AccountRules& rules_;
  const Grid& grid_;
  int block_slots_ = 60;
  int blocks_ = 1;
  int workloads_ = 0;
  std::vector<Saturation> saturation_;
  std::vector<std::vector<ServiceBlock>> services_;
  std::map<UseKey, Part> uses_;
  std::vector<Span> spans_;  // The GPU's that is looked at.
  struct SlotCounts {
    std::vector<double> paid, held;
  };
  std::map<std::string, SlotCounts> slots_;  // GPUs by slot, of each kind.
  Account account_;
};

}  // namespace

Loss loss_of(Cause cause) {
  switch (cause) {
    case Cause::kLoad:
    case Cause::kHeldUnseen:
      return Loss::kLoad;
    case Cause::kUnallocated:
      return Loss::kUnallocated;
    case Cause::kIdle:
      return Loss::kIdle;
    case Cause::kStartUp:
    case Cause::kPause:
    case Cause::kSpinning:
      return Loss::kWaiting;
    case Cause::kFailed:
      return Loss::kFailed;
    default:
      return Loss::kUnsaturated;
  }
}

std::optional<double> SensorMean::mean() const {
  if (seconds > 0) return sum / seconds;
  return is_seen ? std::optional(0.0) : std::nullopt;
}

void SensorMean::add(double share, double of_seconds) {
  sum += share * of_seconds;
  seconds += of_seconds;
  is_seen = true;
}

SensorMean& SensorMean::operator+=(const SensorMean& other) {
  sum += other.sum;
  seconds += other.seconds;
  is_seen = is_seen || other.is_seen;
  return *this;
}

double CauseSeconds::total() const {
  double sum = 0;
  for (const double value : seconds) sum += value;
  return sum;
}

double CauseSeconds::of(Loss loss) const {
  double sum = 0;
  for (std::size_t i = 0; i < kCauses; ++i)
    if (loss_of(static_cast<Cause>(i)) == loss) sum += seconds[i];
  return sum;
}

CauseSeconds& CauseSeconds::operator+=(const CauseSeconds& other) {
  for (std::size_t i = 0; i < kCauses; ++i) seconds[i] += other.seconds[i];
  return *this;
}

CauseSeconds CauseSeconds::scaled(double factor) const {
  CauseSeconds out = *this;
  for (double& value : out.seconds) value *= factor;
  return out;
}

double seen_share(const Account& account) {
  const double paid = account.all.total() - account.unseen_seconds;
  return paid > 0 ? std::min(1.0, account.known_seconds / paid) : 1;
}

double seen_share(const HourUse& hour) {
  const double paid = hour.paid_seconds - hour.unseen_seconds;
  return paid > 0 ? std::min(1.0, hour.known_seconds / paid) : 1;
}

bool is_active(const GpuTrack& gpu, int slot) {
  if (gpu.has_activity(slot))
    return share(gpu.tensor, slot) >= kActiveTensor || share(gpu.dram, slot) >= kActiveDram;
  return share(gpu.busy, slot) >= kActiveBusy;
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

Account make_account(const Cluster& cluster, const FullRate& full_rate, const AccountRules& rules) {
  return Accountant(cluster, full_rate, rules).make();
}

}  // namespace loadfactor::observe
