#include "observe/account.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/calendar.h"
#include "observe/activity.h"
#include "observe/full_level.h"
#include "observe/gpu_use.h"
#include "observe/time_blocks.h"

namespace loadfactor::observe {
namespace {

class Accountant {
 public:
  Accountant(const Cluster& cluster, const FullRate& full_rate, const AccountRules& rules)
      : cluster_(cluster),
        rules_(rules),
        grid_(cluster.grid()),
        blocks_(cluster.grid()),
        full_(cluster, blocks_),
        services_(cluster, full_rate, blocks_) {}

  Account make() {
    for (const GpuTrack& gpu : cluster_.gpus()) add_gpu(gpu);
    for (const auto& [pool, counts] : slots_) {
      KindPeak peak{.cluster = pool.first, .kind = pool.second, .nodes = counts.nodes};
      if (!counts.paid.empty())
        peak.paid = *std::max_element(counts.paid.begin(), counts.paid.end());
      if (!counts.held.empty())
        peak.held = *std::max_element(counts.held.begin(), counts.held.end());
      account_.peaks.push_back(std::move(peak));
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
  // What all GPUs of one kind did for one workload.
  struct Total {
    CauseSeconds use;
    SeenSeconds seen;
    double active = 0;
    bool is_busy_only = false;
    SensorMean busy, tensor, dram;
  };

  void add_gpu(const GpuTrack& gpu) {
    const GpuUse use(cluster_, full_, services_, rules_, gpu);
    account_.known_seconds += use.window().known * gpu.weight;
    account_.now.known_seconds += use.hour().known * gpu.weight;
    account_.now.paid_seconds += use.hour().paid * gpu.weight;
    bool is_busy_only = false;
    for (const auto& [owner, part] : use.owners()) {
      add_part(gpu, owner, part);
      is_busy_only = is_busy_only || part.busy_only > 0;
    }
    account_.busy_gpus += is_busy_only ? gpu.weight : 0;
    account_.load_is_busy = account_.load_is_busy || is_busy_only;
    count_slots(gpu, use.spans());
  }

  void add_part(const GpuTrack& gpu, OwnerIndex index, const OwnerUse& part) {
    Total& sum = uses_[{cluster_.owners()[index].workload, gpu.model}];
    const CauseSeconds use = part.use.scaled(gpu.weight);
    sum.use += use;
    account_.all += use;
    account_.now.kinds[gpu.model] += part.now.scaled(gpu.weight);
    account_.now.load_is_busy = account_.now.load_is_busy || part.busy_now > 0;
    OwnerSum& own = own_[{index, gpu.model}];
    own.held += use.total();
    own.idle += use[Cause::kIdle];
    own.longest = std::max(own.longest, part.window.paid);
    const bool is_at_end = part.held_to >= grid_.to - grid_.step;
    own.at_end += is_at_end ? gpu.weight : 0;
    if (part.is_unseen()) {
      account_.unseen_seconds += part.window.paid * gpu.weight;
      account_.now.unseen_seconds += part.hour.paid * gpu.weight;
      return;
    }
    for (std::size_t h = 0; h < part.week_load.size(); ++h) {
      account_.week_load[h] += part.week_load[h] * gpu.weight;
      account_.week_known[h] += part.week_known[h] * gpu.weight;
    }
    sum.is_busy_only = sum.is_busy_only || part.busy_only > 0;
    sum.seen.paid += part.window.paid * gpu.weight;
    sum.seen.known += part.window.known * gpu.weight;
    add_sensors(gpu, part, sum);
  }

  static void add_sensors(const GpuTrack& gpu, const OwnerUse& part, Total& sum) {
    const double weight = part.window.scale() * gpu.weight;
    sum.active += part.active * weight;
    sum.busy += part.busy.scaled(weight);
    sum.tensor += part.tensor.scaled(weight);
    sum.dram += part.dram.scaled(weight);
  }

  // Who holds any part of a slot holds a GPU then.
  void count_slots(const GpuTrack& gpu, const std::vector<Span>& spans) {
    SlotCounts& counts = slots_[{cluster_.is_of_many() ? gpu.cluster : std::string(), gpu.model}];
    counts.nodes[gpu.node] += gpu.weight;
    if (gpu.is_uncut) return;
    counts.paid.resize(static_cast<std::size_t>(grid_.slots()));
    counts.held.resize(static_cast<std::size_t>(grid_.slots()));
    int paid = -1;
    int held = -1;
    for (const Span& span : spans) {
      if (std::exchange(paid, span.slot) != span.slot)
        counts.paid[static_cast<std::size_t>(span.slot)] += gpu.weight;
      if (span.owner != kNoOwner && std::exchange(held, span.slot) != span.slot)
        counts.held[static_cast<std::size_t>(span.slot)] += gpu.weight;
    }
  }

  void collect() {
    for (const auto& [key, total] : uses_) {
      WorkloadUse use;
      use.workload = key.workload;
      use.accelerator = key.accelerator;
      use.use = total.use;
      use.seen = total.seen;
      use.active_seconds = total.active;
      use.is_busy_only = total.is_busy_only;
      use.busy_counter = cluster_.metric_of(Role::kBusy);
      use.busy = total.busy;
      use.tensor = total.tensor;
      use.dram = total.dram;
      use.mean_gpus = total.use.total() / std::max(1.0, cluster_.told_seconds());
      const FullLevel& full = full_.of_workload(key.workload);
      if (key.workload >= 0) use.saturation = full.level();
      use.is_full_guessed = full.is_guessed && total.use[Cause::kLoad] > 0;
      account_.uses.push_back(std::move(use));
    }
    std::stable_partition(account_.uses.begin(), account_.uses.end(),
                          [](const WorkloadUse& use) { return use.workload >= 0; });
    name_uses();
    find_idle_owners();
    find_hours();
    find_holds();
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
    if (owner.replicas.empty()) return;
    const ReplicaTrack& replica = cluster_.replicas()[owner.replicas.front()];
    use.is_service = true;
    use.is_full_guessed = false;
    use.model = replica.model;
    use.engine = replica.engine;
  }

  // A workload may have pods that work beside others that stand still.
  void find_idle_owners() {
    const Thresholds limits;
    const double window = grid_.to - grid_.from;
    const double long_enough = std::min(limits["advice_least_days"] * kDay.base(), window / 2);
    std::map<UseKey, WorkloadUse*> by_key;
    for (WorkloadUse& use : account_.uses) by_key[{use.workload, use.accelerator}] = &use;
    for (const auto& [key, sum] : own_) {
      const Owner& owner = cluster_.owners()[key.first];
      const auto found = by_key.find({owner.workload, key.second});
      if (found == by_key.end() || owner.workload < 0 || sum.held <= 0 ||
          sum.idle < limits["reclaim_idle"] * sum.held)
        continue;
      const bool is_long = sum.longest >= long_enough;
      const bool is_there = sum.at_end > 0 || is_long;
      const double mean = sum.held / std::max(1.0, cluster_.told_seconds());
      const double gpus = is_long && sum.at_end > 0 ? sum.at_end : mean;
      const auto add = [&](IdleOwners& to) {
        to.held += sum.held, to.idle += sum.idle, to.gpus += gpus;
      };
      add(found->second->idle_owners);
      if (is_there) add(found->second->idle_to_give);
    }
  }

  // Hours of workloads that compute: by them it is judged who can share GPUs.
  void find_hours() {
    std::map<UseKey, WorkloadUse*> by_key;
    for (WorkloadUse& use : account_.uses) {
      if (use.workload < 0 || use.active_seconds <= 0) continue;
      use.held.assign(static_cast<std::size_t>(blocks_.count), 0);
      use.working.assign(static_cast<std::size_t>(blocks_.count), 0);
      by_key[{use.workload, use.accelerator}] = &use;
    }
    for (const GpuTrack& gpu : cluster_.gpus())
      for (int b = 0; b < blocks_.count; ++b) add_block(gpu, b, by_key);
  }
  // How long each held any GPU, and who still does when the window ends.
  void find_holds() {
    std::map<UseKey, std::vector<bool>> blocks;
    std::set<UseKey> last;
    const auto key_of = [&](const GpuTrack& gpu, int slot) {
      return UseKey{cluster_.owners()[gpu.owner.at(slot)].workload, gpu.model};
    };
    for (const GpuTrack& gpu : cluster_.gpus()) {
      if (gpu.owner.at(grid_.slots() - 1) != kNoOwner) last.insert(key_of(gpu, grid_.slots() - 1));
      for (int b = 0; b < blocks_.count; ++b) {
        const int middle = std::min(grid_.slots() - 1, b * blocks_.slots + blocks_.slots / 2);
        if (gpu.owner.at(middle) == kNoOwner) continue;
        auto& held = blocks[key_of(gpu, middle)];
        held.resize(static_cast<std::size_t>(blocks_.count));
        held[static_cast<std::size_t>(b)] = true;
      }
    }
    for (WorkloadUse& use : account_.uses) {
      const UseKey key{use.workload, use.accelerator};
      const auto& held = blocks[key];
      use.held_seconds = static_cast<double>(std::count(held.begin(), held.end(), true)) *
                         blocks_.slots * grid_.step;
      use.holds_at_end = last.contains(key);
    }
  }
  // A block belongs to who holds the GPU in its middle.
  void add_block(const GpuTrack& gpu, int block, std::map<UseKey, WorkloadUse*>& by_key) {
    const int from = block * blocks_.slots;
    const int to = std::min(grid_.slots(), from + blocks_.slots);
    const OwnerIndex owner = gpu.owner.at(std::min(grid_.slots() - 1, from + blocks_.slots / 2));
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
  const AccountRules& rules_;
  const Grid& grid_;
  TimeBlocks blocks_;
  FullLevels full_;
  ServiceLoads services_;
  std::map<UseKey, Total> uses_;
  // What one owner had of GPUs of one kind.
  struct OwnerSum {
    double held = 0, idle = 0;
    double longest = 0;  // Seconds for which it held one of them,
    double at_end = 0;   // and how many it holds when the window ends.
  };
  std::map<std::pair<OwnerIndex, std::string>, OwnerSum> own_;
  struct SlotCounts {
    std::vector<double> paid, held;
    std::map<std::string, double> nodes;
  };
  // GPUs by slot, of each cluster and kind.
  std::map<std::pair<std::string, std::string>, SlotCounts> slots_;
  Account account_;
};

}  // namespace

double seen_share(const Account& account) {
  const double paid = account.all.total() - account.unseen_seconds;
  return paid > 0 ? std::min(1.0, account.known_seconds / paid) : 1;
}

double seen_share(const HourUse& hour) {
  const double paid = hour.paid_seconds - hour.unseen_seconds;
  return paid > 0 ? std::min(1.0, hour.known_seconds / paid) : 1;
}

Account make_account(const Cluster& cluster, const FullRate& full_rate, const AccountRules& rules) {
  return Accountant(cluster, full_rate, rules).make();
}

}  // namespace loadfactor::observe
