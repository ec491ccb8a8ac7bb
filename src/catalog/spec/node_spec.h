// A server (or rack) that accelerators come in.
#pragma once

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
  Provenance provenance;
};

struct NodeNetwork {
  int nics = 0;
  BytesPerSecond bandwidth;  // Per NIC, one direction.
  std::string fabric;
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
  std::optional<NodePower> power;
  std::optional<NodePrice> price;
  std::string note;
  Provenance provenance;
};

}  // namespace loadfactor::catalog
