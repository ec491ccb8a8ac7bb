// GPUs that are cut into instances (MIG) or partitions, or shared in time: what of them is paid,
// and what nobody made an instance of.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "observe/cluster.h"

namespace loadfactor::observe {

InstanceKind instance_kind(std::string_view text) {
  const auto mark = text.find("g.");
  if (mark == std::string_view::npos || mark == 0) return {};
  const int slices = text[mark - 1] - '0';
  const bool is_profile = mark == 1 || text[mark - 2] == '_' || text[mark - 2] == '-';
  if (!is_profile || slices < 1 || slices > kMigSlices) return {};
  return {std::string(text.substr(0, mark > 1 ? mark - 2 : 0)),
          static_cast<double>(slices) / kMigSlices};
}

// Instances stand for the GPU that they are cut from.
void Cluster::drop_cut_gpus() {
  struct Cut {
    double sum = 0;  // Parts of instances whose profile is told,
    int others = 0;  // beside so many.
  };
  std::map<std::string, Cut> cuts;
  for (const GpuTrack& gpu : gpus_) {
    if (!gpu.is_instance() || gpu.first < 0) continue;
    cuts[gpu.cut_from].sum += gpu.weight;
    cuts[gpu.cut_from].others += gpu.weight > 0 ? 0 : 1;
  }
  std::erase_if(gpus_, [&](const GpuTrack& gpu) {
    return gpu.first < 0 || (!gpu.is_instance() && cuts.contains(gpu.key));
  });
  // Instances without a profile share what the others leave.
  for (GpuTrack& gpu : gpus_)
    if (gpu.weight <= 0) {
      const Cut& cut = cuts[gpu.cut_from];
      const double least = gpu.is_equal_part ? 0 : 1.0 / kMigSlices;
      gpu.weight = std::max(least, (1 - cut.sum) / cut.others);
    }
}

// Pods that share a GPU in time each hold their part of it.
void Cluster::share_gpus() {
  const std::size_t told = gpus_.size();
  for (std::size_t g = 0; g < told; ++g)
    if (!gpus_[g].sharers.empty()) share_gpu(g);
}

void Cluster::share_gpu(std::size_t g) {
  // Where one pod follows another both may be named once.
  constexpr int kHandOver = 2;
  std::vector<OwnerTrack> tracks;
  for (OwnerTrack& sharer : gpus_[g].sharers) {
    int longest = 0;
    int run = 0;
    for (int s = 0; s < grid_.slots(); ++s) {
      if (!gpus_[g].is_known(s)) continue;
      run = sharer.at(s) == kNoOwner ? 0 : run + 1;
      longest = std::max(longest, run);
    }
    if (longest <= kHandOver || !has_room()) continue;
    // Alone on a GPU, one has all of it.
    for (int s = 0; s < grid_.slots(); ++s)
      if (gpus_[g].is_known(s) && sharer.at(s) == kNoOwner)
        sharer.set(s, gpus_[g].label.at(s), grid_.slots());
    tracks.push_back(std::move(sharer));
  }
  gpus_[g].sharers.clear();
  if (tracks.empty()) return;
  gpus_[g].cut_from = gpus_[g].whole_key();
  gpus_[g].weight /= static_cast<double>(tracks.size() + 1);
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    GpuTrack part = gpus_[g];
    part.key += "/shared " + std::to_string(i + 2);
    part.label = std::move(tracks[i]);
    part.faults = {};
    gpus_.push_back(std::move(part));
  }
}

// A GPU may be cut anew: an instance is paid until it is gone, and the GPU as long as any is there.
// What is left of the GPU beside its instances is paid, too, and nobody can hold it.
void Cluster::bound_parts() {
  std::map<std::string, std::vector<std::size_t>> cut;
  for (std::size_t g = 0; g < gpus_.size(); ++g)
    if (gpus_[g].is_instance()) cut[gpus_[g].whole_key()].push_back(g);
  for (const auto& [key, parts] : cut) {
    int first = grid_.slots(), last = -1;
    for (const std::size_t g : parts) {
      first = std::min(first, gpus_[g].first);
      last = std::max(last, gpus_[g].last);
    }
    for (const std::size_t g : parts) {
      GpuTrack& part = gpus_[g];
      const int edge = held_slots();
      if (part.first > first + edge) part.paid_from = part.first;
      if (part.last < last - edge) part.paid_to = part.last + 1;
    }
    add_rest(key, parts);
  }
}

void Cluster::add_rest(const std::string& key, const std::vector<std::size_t>& parts) {
  std::map<int, double> changes;  // Weight of instances that come less those that go, by slot.
  int end = 0;
  for (const std::size_t g : parts) {
    changes[gpus_[g].paid_from] += gpus_[g].weight;
    changes[gpus_[g].paid_to] -= gpus_[g].weight;
    end = std::max(end, gpus_[g].paid_to);
  }
  double sum = 0;
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    sum += change->second;
    const auto next = std::next(change);
    constexpr double kNothing = 1e-9;
    if (next == changes.end() || 1 - sum < kNothing || change->first >= end) continue;
    GpuTrack rest;
    rest.key = key + "/rest";
    rest.node = gpus_[parts.front()].node;
    rest.model = gpus_[parts.front()].model;
    rest.cut_from = key;
    rest.weight = 1 - sum;
    rest.is_uncut = true;
    rest.paid_from = change->first;
    rest.paid_to = next->first;
    gpus_.push_back(std::move(rest));
  }
}

int Cluster::whole_gpus() const {
  std::set<std::string> whole;
  for (const GpuTrack& gpu : gpus_) whole.insert(gpu.whole_key());
  return static_cast<int>(whole.size());
}

}  // namespace loadfactor::observe
