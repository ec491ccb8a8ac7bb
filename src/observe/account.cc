#include "observe/account.h"

#include <algorithm>
#include <cmath>
#include <map>

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

// 1970-01-01 was a Thursday.
std::size_t hour_of_week(double time) {
  constexpr int kThursday = 3;
  const auto hours = static_cast<std::int64_t>(std::floor(time / kHour.base())) + kThursday * 24;
  return static_cast<std::size_t>(((hours % 168) + 168) % 168);
}

enum class Axis : std::uint8_t { kTensor, kDram, kBusy };

struct Saturation {
  Axis axis = Axis::kBusy;
  double level = 1;
};

struct BlockMean {
  double tensor = 0, dram = 0, busy = 0, count = 0;
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
    account_.held.assign(static_cast<std::size_t>(blocks_), 0);
    std::vector<double> paid(static_cast<std::size_t>(blocks_), 0);
    for (const GpuTrack& gpu : cluster_.gpus()) add_gpu(gpu, paid);
    const double block = block_slots_ * grid_.step;
    for (double& held : account_.held) held /= block;
    for (double& gpus : paid) gpus /= block;
    account_.most_gpus = paid.empty() ? 0 : *std::max_element(paid.begin(), paid.end());
    account_.gpus = account_.all.total() / std::max(1.0, cluster_.told_seconds());
    if (now_paid_ > 0) account_.load_now = now_load_ / now_paid_;
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
    double active = 0;
    SensorMean busy, tensor, dram;
  };

  void find_saturation() {
    std::vector<std::vector<BlockMean>> means(
        static_cast<std::size_t>(workloads_ + 1),
        std::vector<BlockMean>(static_cast<std::size_t>(blocks_)));
    for (const GpuTrack& gpu : cluster_.gpus()) {
      if (gpu.first < 0) continue;
      for (int s = gpu.first; s <= gpu.last; ++s) {
        if (!gpu.is_known(s) || !is_active(gpu, s)) continue;
        BlockMean& mean = means[index_of(gpu, s)][static_cast<std::size_t>(s / block_slots_)];
        mean.tensor += share(gpu.tensor, s);
        mean.dram += share(gpu.dram, s);
        mean.busy += share(gpu.busy, s);
        mean.count += 1;
      }
    }
    for (const auto& blocks : means) saturation_.push_back(saturation_of(blocks));
  }

  static Saturation saturation_of(const std::vector<BlockMean>& blocks) {
    BlockMean all;
    for (const BlockMean& block : blocks) {
      all.tensor += block.tensor;
      all.dram += block.dram;
      all.busy += block.busy;
      all.count += block.count;
    }
    Saturation out;
    if (all.count == 0 || all.tensor + all.dram == 0) return out;
    out.axis = all.tensor / kUsualTensor >= all.dram / kUsualDram ? Axis::kTensor : Axis::kDram;
    std::vector<double> levels, weights;
    // Blocks that hardly anybody worked in say little.
    const double least = 0.1 * all.count / static_cast<double>(blocks.size());
    for (const BlockMean& block : blocks) {
      if (block.count < std::max(1.0, least)) continue;
      levels.push_back((out.axis == Axis::kTensor ? block.tensor : block.dram) / block.count);
      weights.push_back(block.count);
    }
    constexpr double kFullHours = 0.9;
    const double best = levels.empty() ? 0 : quantile_weighted(levels, weights, kFullHours);
    out.level = std::max(best, out.axis == Axis::kTensor ? kLeastTensor : kLeastDram);
    return out;
  }

  std::size_t index_of(const GpuTrack& gpu, int slot) const {
    const auto owner = gpu.owner[static_cast<std::size_t>(slot)];
    const int workload = owner == kNoOwner ? -1 : cluster_.owners()[owner].workload;
    return static_cast<std::size_t>(workload < 0 ? workloads_ : workload);
  }

  // For each replica and block: how much of the time nothing ran, and how full it was.
  struct ServiceBlock {
    double idle = 0;
    double load = 0;
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
    const double seconds = (known > 0 ? known : to - from) * grid_.step;
    out.load = std::min(1.0, tokens / (full * seconds));
    out.idle = known > 0 ? std::min(none / known, 1 - out.load) : 0;
    const double running = std::max(1.0, known - none);
    out.cache_full = cache_full / running;
    out.batch_limit = limited / running;
    return out;
  }

  void add_gpu(const GpuTrack& gpu, std::vector<double>& paid) {
    std::map<std::uint16_t, Part> parts;
    std::array<double, 168> week_load{};
    double known = 0;
    double now_load = 0;
    const double now_from = grid_.to - kHour.base();
    const auto put = [&](int slot, std::uint16_t owner, Cause cause, double seconds) {
      parts[owner].use[cause] += seconds;
      if (loss_of(cause) != Loss::kLoad || cluster_.owners()[owner].is_failed) return;
      week_load[hour_of_week(grid_.time_of(slot))] += seconds;
      if (grid_.time_of(slot) >= now_from) now_load += seconds;
    };
    for (int s = gpu.paid_from; s < gpu.paid_to;) s = add_run(gpu, s, parts, known, put);
    const double all = (gpu.paid_to - gpu.paid_from) * grid_.step;
    if (known <= 0) return add_unseen(gpu);
    const double factor = all / known;
    account_.known_seconds += known * gpu.weight;
    for (auto& [owner, part] : parts) add_part(gpu, owner, part, factor);
    for (std::size_t h = 0; h < week_load.size(); ++h)
      account_.week_load[h] += week_load[h] * factor * gpu.weight;
    double now_paid = 0;
    for (int s = gpu.paid_from; s < gpu.paid_to; ++s) {
      account_.week_paid[hour_of_week(grid_.time_of(s))] += grid_.step * gpu.weight;
      paid[static_cast<std::size_t>(s / block_slots_)] += grid_.step * gpu.weight;
      if (gpu.owner[static_cast<std::size_t>(s)] != kNoOwner)
        account_.held[static_cast<std::size_t>(s / block_slots_)] += grid_.step * gpu.weight;
      if (grid_.time_of(s) >= now_from && is_told(gpu, s)) now_paid += grid_.step;
    }
    now_paid_ += now_paid * gpu.weight;
    now_load_ += now_load * gpu.weight;
  }

  // Metrics tell what a GPU does; without any, a batch system tells who holds it.
  bool is_told(const GpuTrack& gpu, int slot) const {
    if (gpu.first < 0) return !cluster_.jobs().empty() || cluster_.is_held_by_nodes();
    return gpu.is_known(slot) || is_served(gpu, slot);
  }
  // An engine goes on telling of its replica when the exporter of its GPUs is dead.
  bool is_served(const GpuTrack& gpu, int slot) const {
    const Owner& owner = cluster_.owners()[gpu.owner[static_cast<std::size_t>(slot)]];
    return owner.is_service && owner.replica >= 0 &&
           services_[static_cast<std::size_t>(owner.replica)]
                    [static_cast<std::size_t>(slot / block_slots_)]
                        .is_known;
  }

  // Slots from `s` on that are alike; returns the first behind them.
  template <typename Put>
  int add_run(const GpuTrack& gpu, int s, std::map<std::uint16_t, Part>& parts, double& known,
              const Put& put) {
    if (!is_told(gpu, s)) return s + 1;
    const std::uint16_t index = gpu.owner[static_cast<std::size_t>(s)];
    const Owner& owner = cluster_.owners()[index];
    if (gpu.first < 0) {
      known += grid_.step;
      if (index == kNoOwner) return put(s, index, Cause::kUnallocated, grid_.step), s + 1;
      if (!owner.busy) return put(s, index, Cause::kHeldUnseen, grid_.step), s + 1;
      put(s, index, Cause::kLoad, *owner.busy * grid_.step);
      put(s, index, Cause::kIdle, (1 - *owner.busy) * grid_.step);
      parts[index].busy.add(*owner.busy, grid_.step);
      return s + 1;
    }
    if (owner.is_service && owner.replica >= 0) {
      const int block = s / block_slots_;
      const ServiceBlock& service =
          services_[static_cast<std::size_t>(owner.replica)][static_cast<std::size_t>(block)];
      if (!service.is_known) return s + 1;
      known += grid_.step;
      put_service(s, index, service, put);
      note_activity(gpu, s, parts[index]);
      return s + 1;
    }
    if (is_active(gpu, s)) {
      known += grid_.step;
      put_active(gpu, s, index, put);
      note_activity(gpu, s, parts[index]);
      return s + 1;
    }
    int end = s;
    while (end < gpu.paid_to && gpu.owner[static_cast<std::size_t>(end)] == index &&
           (!is_told(gpu, end) || !is_active(gpu, end)))
      ++end;
    const Cause cause = stop_cause(gpu, s, end, index);
    for (int at = s; at < end; ++at) {
      if (!is_told(gpu, at)) continue;
      known += grid_.step;
      const bool spins =
          index != kNoOwner && gpu.has_activity(at) && share(gpu.busy, at) >= kSpinningBusy;
      put(at, index, spins ? Cause::kSpinning : cause, grid_.step);
    }
    return end;
  }

  template <typename Put>
  void put_service(int s, std::uint16_t owner, const ServiceBlock& block, const Put& put) {
    put(s, owner, Cause::kLoad, block.load * grid_.step);
    put(s, owner, Cause::kIdle, block.idle * grid_.step);
    const double rest = std::max(0.0, 1 - block.load - block.idle) * grid_.step;
    put(s, owner, Cause::kCacheFull, rest * block.cache_full);
    put(s, owner, Cause::kBatchLimit, rest * block.batch_limit);
    put(s, owner, Cause::kFewRequests, rest * (1 - block.cache_full - block.batch_limit));
  }

  template <typename Put>
  void put_active(const GpuTrack& gpu, int s, std::uint16_t owner, const Put& put) {
    const Saturation& full = saturation_[index_of(gpu, s)];
    double level = share(gpu.busy, s);
    const bool has_activity = gpu.has_activity(s) && full.axis != Axis::kBusy;
    if (has_activity) level = share(full.axis == Axis::kTensor ? gpu.tensor : gpu.dram, s);
    account_.load_is_busy = account_.load_is_busy || !has_activity;
    const double fullness = has_activity ? level / full.level : level;
    // Samples scatter about their mean: what one has above the full level another has below it.
    put(s, owner, Cause::kLoad, fullness * grid_.step);
    put(s, owner, Cause::kBelowBest, (1 - fullness) * grid_.step);
  }

  void note_activity(const GpuTrack& gpu, int s, Part& part) const {
    if (!is_active(gpu, s)) return;
    part.active += grid_.step;
    const auto note = [&](const std::vector<Share16>& track, SensorMean& mean) {
      if (!track.empty() && track[static_cast<std::size_t>(s)] != kNoShare)
        mean.add(share(track, s), grid_.step);
    };
    note(gpu.busy, part.busy);
    note(gpu.tensor, part.tensor);
    note(gpu.dram, part.dram);
  }

  Cause stop_cause(const GpuTrack& gpu, int from, int to, std::uint16_t owner) const {
    if (owner == kNoOwner) return cluster_.knows_owners() ? Cause::kUnallocated : Cause::kIdle;
    const auto same = [&](int s) {
      return s >= gpu.paid_from && s < gpu.paid_to &&
             gpu.owner[static_cast<std::size_t>(s)] == owner;
    };
    const double seconds = (to - from) * grid_.step;
    if (!same(to)) return Cause::kIdle;  // It never computes again.
    const bool began = from > 0 && from > gpu.paid_from && !same(from - 1);
    if (began && seconds <= rules_.start_up_seconds) return Cause::kStartUp;
    return seconds <= rules_.pause_seconds ? Cause::kPause : Cause::kIdle;
  }

  void add_part(const GpuTrack& gpu, std::uint16_t index, Part part, double factor) {
    const Owner& owner = cluster_.owners()[index];
    // On the whole nobody is fuller than full.
    if (part.use[Cause::kBelowBest] < 0) {
      part.use[Cause::kLoad] += part.use[Cause::kBelowBest];
      part.use[Cause::kBelowBest] = 0;
    }
    if (owner.is_failed) lose(part.use);
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
  void lose(CauseSeconds& use) const {
    double left = rules_.checkpoint_seconds > 0 ? rules_.checkpoint_seconds / 2 : use.total();
    for (const Cause cause : {Cause::kLoad, Cause::kHeldUnseen}) {
      const double lost = std::min(use[cause], left);
      use[cause] -= lost;
      use[Cause::kFailed] += lost;
      left -= lost;
    }
  }

  // Nothing is known of it but that it is there, and who held it.
  void add_unseen(const GpuTrack& gpu) {
    for (int s = gpu.paid_from; s < gpu.paid_to; ++s) {
      const std::uint16_t index = gpu.owner[static_cast<std::size_t>(s)];
      const bool is_free = index == kNoOwner && cluster_.knows_owners();
      const Cause cause = is_free ? Cause::kUnallocated : Cause::kHeldUnseen;
      const double seconds = grid_.step * gpu.weight;
      uses_[{index == kNoOwner ? -1 : cluster_.owners()[index].workload, gpu.model}].use[cause] +=
          seconds;
      account_.all[cause] += seconds;
      account_.unseen_seconds += seconds;
    }
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
        use.saturation = saturation_[static_cast<std::size_t>(key.workload)].level;
        name_use(use);
      }
      account_.uses.push_back(std::move(use));
    }
    std::stable_partition(account_.uses.begin(), account_.uses.end(),
                          [](const WorkloadUse& use) { return use.workload >= 0; });
    find_peaks();
  }

  void name_use(WorkloadUse& use) const {
    for (const Owner& owner : cluster_.owners()) {
      if (owner.workload != use.workload || owner.key.empty()) continue;
      use.team = owner.team;
      use.name = owner.name;
      if (!owner.is_service || owner.replica < 0) continue;
      const ReplicaTrack& replica = cluster_.replicas()[static_cast<std::size_t>(owner.replica)];
      use.is_service = true;
      use.model = replica.model;
      use.engine = replica.engine;
    }
  }

  void find_peaks() {
    std::map<UseKey, WorkloadUse*> by_key;
    for (WorkloadUse& use : account_.uses) {
      use.held.assign(static_cast<std::size_t>(blocks_), 0);
      use.working.assign(static_cast<std::size_t>(blocks_), 0);
      if (use.workload >= 0) by_key[{use.workload, use.accelerator}] = &use;
    }
    for (const GpuTrack& gpu : cluster_.gpus())
      for (int b = 0; b < blocks_; ++b) add_block(gpu, b, by_key);
    for (WorkloadUse& use : account_.uses)
      use.peak_gpus = use.held.empty() ? 0 : *std::max_element(use.held.begin(), use.held.end());
  }
  // A block belongs to who holds the GPU in its middle.
  void add_block(const GpuTrack& gpu, int block, std::map<UseKey, WorkloadUse*>& by_key) {
    const int from = block * block_slots_;
    const int to = std::min(grid_.slots(), from + block_slots_);
    const auto middle =
        static_cast<std::size_t>(std::min(grid_.slots() - 1, from + block_slots_ / 2));
    const auto owner = gpu.owner[middle];
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
  Account account_;
  double now_load_ = 0;
  double now_paid_ = 0;
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

bool is_active(const GpuTrack& gpu, int slot) {
  if (gpu.has_activity(slot))
    return share(gpu.tensor, slot) >= kActiveTensor || share(gpu.dram, slot) >= kActiveDram;
  return share(gpu.busy, slot) >= kActiveBusy;
}

double best_rate(const ReplicaTrack& replica, const Grid& grid) {
  constexpr double kWindow = 600;
  const int width = std::max(1, static_cast<int>(std::lround(kWindow / grid.step)));
  double best = 0;
  for (int from = 0; from + width <= grid.slots(); from += width) {
    double tokens = 0;
    for (int s = from; s < from + width; ++s) {
      const auto at = static_cast<std::size_t>(s);
      if (!replica.tokens_in.empty()) tokens += replica.tokens_in[at];
      if (!replica.tokens_out.empty()) tokens += replica.tokens_out[at];
    }
    best = std::max(best, tokens / (width * grid.step));
  }
  return best;
}

Account make_account(const Cluster& cluster, const FullRate& full_rate, const AccountRules& rules) {
  return Accountant(cluster, full_rate, rules).make();
}

}  // namespace loadfactor::observe
