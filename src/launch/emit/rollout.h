// How a deploy of a new version replaces the replicas of a pool, few at a time.
#pragma once

#include "launch/emit/targets.h"

namespace loadfactor::launch {

// `maxUnavailable` and `maxSurge`, with why: replicas that the promises can do without go first;
// else new ones come before old ones go, where there are GPUs for one more.
Tree rolling_update(const Desk& desk, const ReplicaPool& pool);

}  // namespace loadfactor::launch
