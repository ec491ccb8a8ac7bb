// A link technology: what it is sold as, what one direction carries, what was achieved on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catalog/spec/provenance.h"
#include "catalog/spec/topology.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

enum class FabricRole : std::uint8_t { kScaleUp, kScaleOut, kHost, kMemory };

struct FabricSpec {
  std::string name;
  std::string title;
  FabricRole role = FabricRole::kScaleOut;
  BytesPerSecond bandwidth;              // One direction.
  std::optional<BytesPerSecond> quoted;  // As marketing says it.
  std::string quoted_as;
  Provenance bandwidth_provenance;
  std::optional<Seconds> latency;  // One way.
  Provenance latency_provenance;
  std::optional<double>
      achieved_fraction;  // Share of one direction; in-network reduction may pass 1.
  std::string achieved_what;
  Provenance achieved_provenance;
  int max_domain = 0;  // 0 when not bounded.
  std::optional<Topology> topology;
  Provenance domain_provenance;
  int switch_ports = 0;
  Provenance switch_provenance;
  std::optional<Dollars> price_per_link;
  std::optional<Dollars> price_per_switch;
  Provenance price_provenance;
  std::string note;
  Provenance provenance;
};

}  // namespace loadfactor::catalog
