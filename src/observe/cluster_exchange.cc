// Jobs that share a node, of which nothing says who holds which GPU: a job that began first may
// have been given the GPU of one that came later.
#include <algorithm>
#include <vector>

#include "observe/activity.h"
#include "observe/cluster.h"

namespace loadfactor::observe {

// How much of its work a GPU begins with a job and ends with it, from 0 to 2.
double Cluster::borders_seen(const GpuTrack& gpu, const Hold& hold) const {
  constexpr int kAround = 2;
  const auto work = [&](int from, int to) {
    double active = 0, known = 0;
    for (int s = std::max(0, from); s < std::min(grid_.slots(), to); ++s) {
      if (!gpu.is_known(s)) continue;
      known += 1;
      active += is_active(gpu, s) ? 1 : 0;
    }
    return known > 0 ? active / known : 0;
  };
  // A slot that a job shares with another tells of neither.
  const int first = grid_.slot_of(hold.from);
  const int last = hold.to >= grid_.to ? grid_.slots() : grid_.slot_of(hold.to);
  const double begins = work(first + 1, first + 1 + kAround) - work(first - kAround, first);
  const double ends = work(last - kAround, last) - work(last + 1, last + 1 + kAround);
  return std::max(0.0, begins) + std::max(0.0, ends);
}

// Takes a GPU from the job that was given it last.
void Cluster::release_last(GpuTrack& gpu) {
  const Hold last = gpu.holds.back();
  gpu.holds.pop_back();
  const OwnerIndex before = gpu.holds.empty() ? kNoOwner : gpu.holds.back().owner;
  for (int s = grid_.slot_of(last.from); s < grid_.slots() && grid_.time_of(s) < last.to; ++s) {
    const bool is_shared = !gpu.holds.empty() && gpu.holds.back().to > grid_.time_of(s);
    if (gpu.owner.at(s) == last.owner)
      gpu.owner.set(s, is_shared ? before : kNoOwner, grid_.slots());
  }
}

std::size_t Cluster::exchange_gpu(std::size_t free, const Hold& hold,
                                  const std::vector<std::size_t>& gpus) {
  const double seen = borders_seen(gpus_[free], hold);
  if (!gpus_[free].label.is_empty() || !gpus_[free].is_ever_known()) return free;
  std::size_t best = free;
  double most = 0.5;  // The most at one border: less may be chance.
  for (const std::size_t g : gpus) {
    const GpuTrack& gpu = gpus_[g];
    if (g == free || gpu.holds.empty() || !gpu.label.is_empty() || !gpu.is_ever_known()) continue;
    const Hold& other = gpu.holds.back();
    const bool is_free_for_other =
        gpus_[free].holds.empty() || gpus_[free].holds.back().to <= other.from;
    if (other.owner == hold.owner || other.to <= hold.from || !is_free_for_other) continue;
    // What the job before it loses by the exchange counts, too.
    const double gain = borders_seen(gpu, hold) - seen + borders_seen(gpus_[free], other) -
                        borders_seen(gpu, other);
    const bool is_its_before =
        gpu.holds.size() < 2 || gpu.holds[gpu.holds.size() - 2].to <= hold.from;
    if (gain <= most || !is_its_before) continue;
    most = gain;
    best = g;
  }
  if (best == free) return free;
  const Hold other = gpus_[best].holds.back();
  release_last(gpus_[best]);
  hold_gpu(gpus_[free], other, other.owner);
  return best;
}

}  // namespace loadfactor::observe
