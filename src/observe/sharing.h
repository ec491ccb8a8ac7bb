// Workloads that the GPUs of one of them could carry together.
#pragma once

#include <vector>

#include "observe/account.h"

namespace loadfactor::observe {

struct SharingPair {
  std::size_t host = 0;   // Whose GPUs would carry both, by its place in the account,
  std::size_t guest = 0;  // and whose would be free.
  double gpus = 0;        // That would be free.
  double most_used = 0;   // GPUs that both computed on in their fullest hour,
  double host_gpus = 0;   // of those of the host.
  double share = 0;       // The guest's GPU time in which the host held its GPUs as well.
};

struct SharingRules {
  double room = 0.9;        // Share of the host's GPUs that both may use in any hour.
  double least_gain = 0.2;  // Share of the guest's time that stood still, at least.
};

// Pairs of batch workloads on the same kind of GPU that in no hour needed more GPUs than the larger
// of them held; the largest saving first, no workload twice. Services are not among them: models do
// not share a GPU's memory for the asking.
std::vector<SharingPair> find_sharers(const Account& account, const SharingRules& rules);

}  // namespace loadfactor::observe
