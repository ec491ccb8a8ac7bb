#include "observe/straggler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "observe/activity.h"
#include "observe/peers/low_values.h"
#include "observe/thresholds.h"

namespace loadfactor::observe {
namespace {

constexpr int kMostBlocks = 168;

struct Sum {
  double value = 0;
  double count = 0;

  double mean() const { return value / count; }
};

// A GPU's logarithm of its ratio to its peers, on average over the time that they worked together.
struct Residual {
  int gpu = 0;
  int workload = 0;
  double value = 0;
  double weight = 0;  // Samples that it rests on.
};

// Residuals that are judged by each other.
using Family = std::vector<Residual>;

double reading(const GpuTrack& gpu, StragglerSign sign, std::size_t s) {
  switch (sign) {
    case StragglerSign::kTensor:
      return gpu.tensor.empty() || gpu.tensor[s] == kNoShare ? 0 : gpu.tensor[s];
    case StragglerSign::kClock:
      return gpu.clock.empty() || gpu.clock[s] == kNoByte ? 0 : gpu.clock[s];
    case StragglerSign::kSteps:
      return 0;
    case StragglerSign::kPower:
      break;
  }
  return gpu.power.empty() || gpu.power[s] == kNoByte ? 0 : gpu.power[s];
}

bool has_sign(const GpuTrack& gpu, StragglerSign sign) {
  switch (sign) {
    case StragglerSign::kTensor:
      return !gpu.tensor.empty();
    case StragglerSign::kClock:
      return !gpu.clock.empty();
    case StragglerSign::kSteps:
      return false;
    case StragglerSign::kPower:
      break;
  }
  return !gpu.power.empty();
}

// Sums of a sign by block of time, in the order of time; blocks without any are left out.
struct Block {
  int number = 0;
  Sum sum;
};
using Blocks = std::vector<Block>;

// GPUs that do the same work at the same time.
struct Group {
  int workload = -1;
  std::map<int, Blocks> gpus;  // While they work.
};

// Jobs of one name may train different models: a job that is large enough is a group of its own.
// Pods and small jobs stand together with others of their workload.
class Groups {
 public:
  explicit Groups(const Cluster& cluster) : cluster_(cluster) {
    std::vector<int> held(cluster.owners().size());
    for (const GpuTrack& gpu : cluster.gpus())
      for (const OwnerIndex owner : gpu.owner.owners()) ++held[owner];
    for (std::size_t i = 0; i < held.size(); ++i)
      is_alone_.push_back(cluster.owners()[i].is_job && held[i] > static_cast<int>(kFewestPeers));
  }

  std::vector<Group> means_of(StragglerSign sign) const {
    const int slots = cluster_.grid().slots();
    const int width = std::max(1, (slots + kMostBlocks - 1) / kMostBlocks);
    std::map<std::pair<int, OwnerIndex>, Group> groups;
    for (std::size_t g = 0; g < cluster_.gpus().size(); ++g) {
      const GpuTrack& gpu = cluster_.gpus()[g];
      if (gpu.first < 0 || gpu.weight < 1 || !has_sign(gpu, sign)) continue;
      Blocks* last = nullptr;  // Those of whom the slot before belongs to.
      OwnerIndex of = kNoOwner;
      for (int s = gpu.first; s <= gpu.last; ++s) {
        const OwnerIndex index = gpu.owner.at(s);
        const Owner& owner = cluster_.owners()[index];
        // Replicas of a service differ by what they are asked, not by what they can do.
        if (owner.workload < 0 || owner.is_service) continue;
        if (!gpu.is_known(s) || !is_active(gpu, s)) continue;
        const double value = reading(gpu, sign, static_cast<std::size_t>(s));
        if (value <= 0) continue;
        if (last == nullptr || of != index) {
          of = index;
          Group& group = groups[{owner.workload, is_alone_[index] ? index : kNoOwner}];
          group.workload = owner.workload;
          last = &group.gpus[static_cast<int>(g)];
        }
        if (last->empty() || last->back().number != s / width) last->push_back({s / width, {}});
        last->back().sum.value += value;
        last->back().sum.count += 1;
      }
    }
    std::vector<Group> all;
    for (auto& [key, group] : groups) all.push_back(std::move(group));
    return all;
  }

 private:
  const Cluster& cluster_;
  std::vector<bool> is_alone_;  // By owner.
};

Family residuals_of(const Group& group) {
  Family out;
  if (group.gpus.size() < kFewestPeers) return out;
  std::map<int, std::vector<double>> values;  // By block.
  for (const auto& [gpu, blocks] : group.gpus)
    for (const Block& block : blocks) values[block.number].push_back(block.sum.mean());
  std::map<int, double> typical;
  for (auto& [number, means] : values)
    if (means.size() >= kFewestPeers) typical[number] = middle(std::move(means));
  std::map<int, Sum> logs;
  for (const auto& [gpu, blocks] : group.gpus)
    for (const Block& block : blocks) {
      const auto found = typical.find(block.number);
      if (found == typical.end()) continue;
      Sum& sum = logs[gpu];
      sum.value += std::log(block.sum.mean() / found->second) * block.sum.count;
      sum.count += block.sum.count;
    }
  for (const auto& [gpu, sum] : logs) out.push_back({gpu, group.workload, sum.mean(), sum.count});
  return out;
}

// Every GPU once, on average over its groups: what is slow in many short jobs shows in none of
// them.
Family residuals_of_all(const std::vector<Family>& families) {
  std::map<int, std::vector<Residual>> by_gpu;
  for (const Family& family : families)
    for (const Residual& residual : family) by_gpu[residual.gpu].push_back(residual);
  Family out;
  for (const auto& [gpu, parts] : by_gpu) {
    Residual mean = *std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return a.weight < b.weight;
    });
    double sum = 0;
    mean.weight = 0;
    for (const Residual& part : parts) {
      sum += part.value * part.weight;
      mean.weight += part.weight;
    }
    mean.value = sum / mean.weight;
    out.push_back(mean);
  }
  return out;
}

void test_family(Family family, StragglerSign sign, const LowTest& rules, StragglerTest& test) {
  std::sort(family.begin(), family.end(),
            [](const Residual& a, const Residual& b) { return a.value < b.value; });
  std::vector<double> values;
  for (const Residual& residual : family) values.push_back(residual.value);
  const std::vector<Low> lows = lows_of(values, rules);
  for (std::size_t i = 0; i < lows.size(); ++i) {
    const Residual& low = family[i];
    test.found.push_back(
        {low.gpu, low.workload, sign, std::exp(low.value), lows[i].statistic, lows[i].probability});
  }
}

// Every GPU beside its peers in each group, and beside all others over all of its groups.
void test_sign(const Groups& groups, StragglerSign sign, double least_effect, StragglerTest& test) {
  std::vector<Family> families;
  for (const Group& group : groups.means_of(sign))
    if (Family family = residuals_of(group); !family.empty()) families.push_back(std::move(family));
  Family all = residuals_of_all(families);
  test.tested = std::max(test.tested, static_cast<int>(all.size()));
  if (families.size() > 1) families.push_back(std::move(all));
  double looks = 0;
  for (const Family& family : families) looks += static_cast<double>(family.size()) * kSigns;
  const LowTest rules{looks, test.false_alarms, least_effect};
  for (Family& family : families) test_family(std::move(family), sign, rules, test);
}

// Whether a pod is named as those of a deployment are, by its set and itself:
// `chat-6f7d9c8b5-x2x7q` stands for itself, while `train-0` and `train-1` work on one thing.
bool stands_alone(const Owner& owner) {
  const std::string name = workload_of_pod(owner.pod);
  const std::string_view tail = std::string_view(owner.pod).substr(name.size());
  return std::count(tail.begin(), tail.end(), '-') == 2 &&
         tail.substr(tail.rfind('-') + 1).find_first_not_of("0123456789") != std::string_view::npos;
}

// Who waits for a GPU: the others of its job; of pods, all of a workload, unless each has one GPU
// and stands alone.
class Gangs {
 public:
  explicit Gangs(const Cluster& cluster) : cluster_(cluster), held_(cluster.owners().size()) {
    for (const GpuTrack& gpu : cluster.gpus()) {
      std::set<int> workloads;
      for (const OwnerIndex owner : gpu.owner.owners()) {
        ++held_[owner];
        workloads.insert(cluster.owners()[owner].workload);
      }
      for (const int workload : workloads) ++of_workload_[workload];
    }
  }

  void find(Straggler& found) const {
    const GpuTrack& gpu = cluster_.gpus()[static_cast<std::size_t>(found.gpu)];
    OwnerIndex largest = kNoOwner;
    for (const OwnerIndex index : gpu.owner.owners())
      if (cluster_.owners()[index].workload == found.workload &&
          (largest == kNoOwner || held_[index] > held_[largest]))
        largest = index;
    const Owner& owner = cluster_.owners()[largest];
    const bool is_own = owner.is_job || (held_[largest] == 1 && stands_alone(owner));
    found.gang_of = is_own ? static_cast<int>(largest) : -1;
    found.gang = is_own ? held_[largest] : of_workload_.at(found.workload);
  }

 private:
  const Cluster& cluster_;
  std::vector<int> held_;  // GPUs, by owner.
  std::map<int, int> of_workload_;
};

}  // namespace

// Each slower pace is shared by those that are as slow.
std::vector<double> gpus_lost(const std::vector<Straggler>& found) {
  std::map<std::pair<int, int>, std::vector<std::size_t>> gangs;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].sign != StragglerSign::kPower)
      gangs[{found[i].workload, found[i].gang_of}].push_back(i);
  std::vector<double> lost(found.size(), 0);
  for (auto& [gang, slow] : gangs) {
    std::sort(slow.begin(), slow.end(),
              [&](std::size_t a, std::size_t b) { return found[a].ratio < found[b].ratio; });
    for (std::size_t k = 0; k < slow.size(); ++k) {
      const double next = k + 1 < slow.size() ? found[slow[k + 1]].ratio : 1.0;
      const double each = std::max(0.0, next - found[slow[k]].ratio) * found[slow[k]].gang /
                          static_cast<double>(k + 1);
      for (std::size_t i = 0; i <= k; ++i) lost[slow[i]] += each;
    }
  }
  return lost;
}

StragglerTest find_stragglers(const Cluster& cluster) {
  StragglerTest test;
  const Thresholds limits;
  test.false_alarms = limits["straggler_false_alarms"];
  const Groups groups(cluster);
  for (const auto sign : {StragglerSign::kTensor, StragglerSign::kClock, StragglerSign::kPower})
    test_sign(groups, sign, limits["straggler_effect"], test);
  // A GPU is named once, by the sign that tells most of its speed: power falls faster than it.
  std::sort(test.found.begin(), test.found.end(), [](const Straggler& a, const Straggler& b) {
    return std::tie(a.gpu, a.sign, a.probability) < std::tie(b.gpu, b.sign, b.probability);
  });
  test.found.erase(
      std::unique(test.found.begin(), test.found.end(),
                  [](const Straggler& a, const Straggler& b) { return a.gpu == b.gpu; }),
      test.found.end());
  std::sort(test.found.begin(), test.found.end(),
            [](const Straggler& a, const Straggler& b) { return a.ratio < b.ratio; });
  const Gangs gangs(cluster);
  for (Straggler& found : test.found) gangs.find(found);
  return test;
}

}  // namespace loadfactor::observe
