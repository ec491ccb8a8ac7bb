#include "observe/full_level.h"

#include <algorithm>
#include <map>

#include "base/statistics.h"
#include "observe/activity.h"

namespace loadfactor::observe {
namespace {

// No layout that keeps a chip full shows less than this; what does is not full by its own measure.
constexpr double kLeastTensor = 0.10;
constexpr double kLeastDram = 0.20;
// What full layouts usually show: by it the axis is chosen on which a workload is measured.
constexpr double kUsualTensor = 0.5;
constexpr double kUsualDram = 0.7;
// The share of its hours that a workload is not fuller than: of ten hours one is above it.
constexpr double kFullHours = 0.9;
constexpr std::size_t kFewestHours = 10;

// A sensor over the slots in which it told something while its GPU worked.
struct Reading {
  double sum = 0, count = 0;

  double mean() const { return count > 0 ? sum / count : 0; }
  void add(const std::vector<Share16>& track, int slot) {
    if (!has_share(track, slot)) return;
    sum += share_at(track, slot);
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
// Means of a workload by block of time, for the blocks in which it worked.
using BlockMeans = std::map<int, BlockMean>;

struct Level {
  double value = 0;
  bool is_guessed = false;
};

// What a sensor shows in full hours, by the GPUs that have it.
Level level_of(const BlockMeans& blocks, Reading BlockMean::*sensor, const Reading& all,
               int of_blocks, double least_level) {
  if (all.count == 0) return {};
  std::vector<double> levels, weights;
  // Blocks that hardly anybody worked in say little.
  const double least = 0.1 * all.count / static_cast<double>(of_blocks);
  for (const auto& [at, block] : blocks) {
    const Reading& reading = block.*sensor;
    if (reading.count < std::max(1.0, least)) continue;
    levels.push_back(reading.mean());
    weights.push_back(reading.count);
  }
  const double best = levels.empty() ? 0 : quantile_weighted(levels, weights, kFullHours);
  return {std::max(best, least_level), levels.size() < kFewestHours && best > least_level};
}

FullLevel full_level_of(const BlockMeans& blocks, int of_blocks) {
  BlockMean all;
  for (const auto& [at, block] : blocks) {
    all.tensor += block.tensor;
    all.dram += block.dram;
  }
  FullLevel out;
  if (all.tensor.sum + all.dram.sum == 0) return out;
  out.axis = all.tensor.mean() / kUsualTensor >= all.dram.mean() / kUsualDram ? Axis::kTensor
                                                                              : Axis::kDram;
  const Level tensor = level_of(blocks, &BlockMean::tensor, all.tensor, of_blocks, kLeastTensor);
  const Level dram = level_of(blocks, &BlockMean::dram, all.dram, of_blocks, kLeastDram);
  out.tensor = tensor.value;
  out.dram = dram.value;
  out.is_guessed = out.axis == Axis::kTensor ? tensor.is_guessed : dram.is_guessed;
  return out;
}

}  // namespace

FullLevels::FullLevels(const Cluster& cluster, const TimeBlocks& blocks) : cluster_(cluster) {
  int workloads = 0;
  for (const Owner& owner : cluster.owners()) workloads = std::max(workloads, owner.workload + 1);
  std::map<int, BlockMeans> means;
  for (const GpuTrack& gpu : cluster.gpus()) {
    if (gpu.first < 0) continue;
    BlockMean* mean = nullptr;
    int block = -1;
    OwnerIndex owner = kNoOwner;
    for (int s = gpu.first; s <= gpu.last; ++s) {
      if (!gpu.is_known(s) || !is_active(gpu, s)) continue;
      if (mean == nullptr || block != blocks.of(s) || owner != gpu.owner.at(s)) {
        block = blocks.of(s);
        owner = gpu.owner.at(s);
        mean = &means[workload_of(owner)][block];
      }
      mean->tensor.add(gpu.tensor, s);
      mean->dram.add(gpu.dram, s);
    }
  }
  levels_.resize(static_cast<std::size_t>(workloads + 1));
  for (const auto& [workload, of_blocks] : means) {
    const std::size_t at = workload < 0 ? levels_.size() - 1 : static_cast<std::size_t>(workload);
    levels_[at] = full_level_of(of_blocks, blocks.count);
  }
}

const FullLevel& FullLevels::of_workload(int workload) const {
  return workload < 0 ? levels_.back() : levels_[static_cast<std::size_t>(workload)];
}

std::optional<double> FullLevels::fullness(const GpuTrack& gpu, int slot, OwnerIndex owner) const {
  const FullLevel& full = of_workload(workload_of(owner));
  const bool has_tensor = full.tensor > 0 && has_share(gpu.tensor, slot);
  const bool has_dram = full.dram > 0 && has_share(gpu.dram, slot);
  if (has_tensor && (full.axis == Axis::kTensor || !has_dram))
    return share_at(gpu.tensor, slot) / full.tensor;
  if (has_dram) return share_at(gpu.dram, slot) / full.dram;
  return std::nullopt;
}

}  // namespace loadfactor::observe
