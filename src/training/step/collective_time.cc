#include "training/step/collective_time.h"

#include <algorithm>
#include <cmath>

#include "collective/estimate.h"

namespace loadfactor::training {

namespace {

using collective::Operation;

// What long runs achieve of the links, for one kind of traffic.
struct Shares {
  double up = 1;
  double out = 1;
};

// The network as a training run sees it: fitted shares and starts in the formulas of all
// collectives. Every chip has its own share of the NICs.
collective::Network network_of(const Machine& machine, const Constants& constants,
                               BytesPerSecond link, const Shares& shares) {
  collective::Protocol protocol;
  protocol.start = Seconds::from_base(constants[Constant::kStartUp]);
  protocol.low = protocol.fraction = shares.up;
  collective::Network network;
  network.domain.size = machine.domain;
  network.domain.link = link;
  network.domain.ring.fill(protocol);
  collective::Fabric fabric;
  fabric.node_rate = machine.scale_out;
  fabric.node_ranks = 1;
  fabric.fraction = shares.out * machine.transport_share;
  fabric.start = protocol.start;
  fabric.latency = Seconds::from_base(constants[Constant::kStartOut]) + machine.transport_latency;
  fabric.oversubscription = machine.oversubscription;
  fabric.leaf_nodes = machine.leaf_domains;
  network.fabric = fabric;
  return network;
}

// Share of a token's `top_k` copies that travel where copies bound for the same one of `places`
// travel as one.
double deduplicated(double places, double top_k) {
  return std::min(1.0, places * (1.0 - std::pow(1.0 - 1.0 / places, top_k)) / top_k);
}

}  // namespace

Seconds ring_time(const Machine& machine, const Constants& constants, Bytes bytes,
                  const RankGroup& group) {
  if (group.size <= 1) return {};
  const int stride = std::clamp(group.stride, 1, machine.domain);
  const int inside = std::max(1, std::min(group.size, machine.domain / stride));
  const BytesPerSecond link =
      machine.rate_inside(inside, inside * stride) / (group.one_axis ? machine.axes : 1);
  const auto network =
      network_of(machine, constants, link, {1.0, constants[Constant::kNicEfficiency]});
  return estimate(Operation::kAllGather, bytes, {group.size, inside}, network).duration;
}

Seconds all_to_all_time(const Machine& machine, const Constants& constants, Bytes bytes, int ranks,
                        int top_k) {
  if (ranks <= 1) return {};
  const double choices = std::max(1, top_k);
  const int near = std::min(ranks, machine.domain);
  const auto network =
      network_of(machine, constants, machine.rate_inside(near, near),
                 {constants[Constant::kAllToAllUp], constants[Constant::kAllToAllOut]});
  if (ranks <= machine.domain) {
    const Bytes sent = bytes * deduplicated(ranks, choices);
    return estimate_inside(Operation::kAllToAll, sent, ranks, network.domain).duration;
  }
  // Between domains one copy travels per domain; inside, one per expert.
  const Bytes sent = bytes * deduplicated(double(ranks) / machine.domain, choices);
  const Seconds out =
      estimate(Operation::kAllToAll, sent, {ranks, machine.domain}, network).duration;
  return std::max(
      out, estimate_inside(Operation::kAllToAll, bytes, machine.domain, network.domain).duration);
}

}  // namespace loadfactor::training
