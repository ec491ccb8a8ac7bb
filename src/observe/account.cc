#include "observe/account.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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
  // What all GPUs of one kind did for one workload.
  struct Total {
    CauseSeconds use;
    SeenSeconds seen;
    double active = 0;
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
    if (part.is_unseen()) {
      account_.unseen_seconds += part.window.paid * gpu.weight;
      account_.now.unseen_seconds += part.hour.paid * gpu.weight;
      return;
    }
    for (std::size_t h = 0; h < part.week_load.size(); ++h) {
      account_.week_load[h] += part.week_load[h] * gpu.weight;
      account_.week_known[h] += part.week_known[h] * gpu.weight;
    }
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
    account_.peaks[gpu.model].nodes[gpu.node] += gpu.weight;
    if (gpu.is_uncut) return;
    SlotCounts& counts = slots_[gpu.model];
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
  struct SlotCounts {
    std::vector<double> paid, held;
  };
  std::map<std::string, SlotCounts> slots_;  // GPUs by slot, of each kind.
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
