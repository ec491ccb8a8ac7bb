// GPUs that are slower than others doing the same work, by a test that says how often it errs.
#pragma once

#include <string>
#include <vector>

#include "observe/cluster.h"

namespace loadfactor::observe {

// In the order in which they tell of speed; power says that a GPU is slow, and not by how much.
// Steps are those that logs of training runs tell of their ranks.
enum class StragglerSign : std::uint8_t { kTensor, kClock, kPower, kSteps };

struct Straggler {
  int gpu = 0;  // Into the GPUs of the cluster.
  int workload = -1;
  StragglerSign sign = StragglerSign::kTensor;
  double ratio = 1;  // To the middle of its peers.
  double statistic =
      0;  // Student's t of the logarithm of the ratio against GPUs that are not slow.
  double probability = 1;  // The chance of one so low, over all GPUs and signs that were looked at.
  double gang = 1;         // GPUs that run at its pace, itself among them:
  int gang_of = -1;        // those of this owner, or of all of the workload.
};

// What each of these costs, in GPUs: a gang runs at the pace of its slowest, so that the losses of
// several that are slow in one add up to that of the slowest alone.
std::vector<double> gpus_lost(const std::vector<Straggler>& found);

struct StragglerTest {
  std::vector<Straggler> found;  // Slowest first.
  int tested = 0;                // GPUs with peers.
  double false_alarms = 0.01;    // Chance that one is named in a cluster without any.
};

StragglerTest find_stragglers(const Cluster& cluster);

}  // namespace loadfactor::observe
