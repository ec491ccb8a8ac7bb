// A server (or rack) that accelerators come in.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "catalog/spec/provenance.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

struct NodeHost {
  std::string cpus;
  int cores = 0;  // 0 when not known.
  Bytes memory;
  Bytes nvme;
  std::optional<BytesPerSecond> bandwidth;  // The memory's, which all accelerators share.
  int uplink_gpus = 1;                      // Accelerators behind one link to the host.
  Provenance provenance;
};

struct NodeNetwork {
  int nics = 0;
  BytesPerSecond bandwidth;  // Per NIC, one direction.
  std::string fabric;
  Provenance provenance;
};

// How accelerators without a link of their own lie on the bus of the host.
struct NodeBus {
  int per_switch = 0;          // Accelerators behind one switch, or one root port pair.
  int per_socket = 0;          // Accelerators of one processor.
  double beyond_switch = 1.0;  // Share of the rate of neighbours that is left to a group which
  double beyond_socket = 1.0;  // leaves a switch, and to one which leaves a processor.
  Provenance provenance;
};

struct NodePower {
  Watts max;
  std::optional<Watts> typical;
  std::optional<Watts> idle;
  std::string cooling;  // air | liquid.
  int rack_units = 0;   // 0 when not known.
  Provenance provenance;
};

struct NodePrice {
  Dollars capex;
  Dollars low;
  Dollars high;
  Provenance provenance;
};

struct NodeSpec {
  std::string name;
  std::string title;
  std::string accelerator;
  int gpus = 0;
  std::optional<NodeHost> host;
  std::optional<NodeNetwork> network;
  std::optional<NodeBus> bus;  // Absent: not known.
  std::optional<NodePower> power;
  std::optional<NodePrice> price;
  std::string note;
  Provenance provenance;

  // What each of `active` accelerators gets of a link to the host while all of them move data.
  BytesPerSecond shared_link(BytesPerSecond link, int active) const {
    if (!host) return link;
    const int here = std::clamp(active, 1, std::max(1, gpus));
    const int behind_one = std::min(here, std::max(1, host->uplink_gpus));
    const BytesPerSecond rate = link / static_cast<double>(behind_one);
    return host->bandwidth ? std::min(rate, *host->bandwidth / static_cast<double>(here)) : rate;
  }
};

}  // namespace loadfactor::catalog
