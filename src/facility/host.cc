#include "facility/host.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::facility {

HostSize size_host(const HostQuestion& ask, const HostRules& rules) {
  HostSize size;
  size.cores = ask.gpus * rules.cores_per_gpu;
  const Bytes of_gpus = ask.gpu_memory * (ask.gpus * rules.memory_over_gpus);
  const Bytes of_weights = ask.parameters * (rules.memory_over_weights / ask.nodes);
  size.memory = std::max(of_gpus, of_weights);
  const Bytes share = ask.checkpoint / ask.nodes;
  if (ask.checkpoint_within > Seconds()) size.checkpoint_bandwidth = share / ask.checkpoint_within;
  size.nvme = share * ask.checkpoints_kept;
  if (ask.drive > BytesPerSecond())
    size.drives = std::max(1, static_cast<int>(std::ceil(size.checkpoint_bandwidth / ask.drive)));
  size.loading = ask.tokens * (ask.per_token / Tokens::from_base(1.0));
  size.nics = rules.nics;
  return size;
}

}  // namespace loadfactor::facility
