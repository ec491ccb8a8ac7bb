// How long collectives take: latency and bandwidth per tier, hierarchical over nodes.
#pragma once

#include "loadfactor/quantity.h"
#include "training/step/machine.h"

namespace loadfactor::training {

// The ranks of a collective: `size` of them, `stride` apart in rank order.
struct RankGroup {
  int size = 1;
  int stride = 1;
  bool one_axis = false;  // On a torus, confined to one dimension.
};

// All-gather or reduce-scatter of a tensor of `bytes` in all; an all-reduce is two of these.
// Ranks inside a scale-up domain talk at its speed; between domains every rank has a NIC and
// the ranks of a domain share the transfer.
Seconds ring_time(const Machine& machine, const Constants& constants, Bytes bytes,
                  const RankGroup& group);

// Every rank scatters `bytes` of tokens, each bound for `top_k` experts, over `ranks` neighbours.
// A token travels once to each rank (or, between domains, each domain) that it visits.
Seconds all_to_all_time(const Machine& machine, const Constants& constants, Bytes bytes, int ranks,
                        int top_k);

}  // namespace loadfactor::training
