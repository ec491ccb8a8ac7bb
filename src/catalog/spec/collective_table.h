// What was fitted to measured collectives, per link technology, and what transports cost.
#pragma once

#include <string>
#include <vector>

#include "catalog/spec/node_spec.h"
#include "catalog/spec/provenance.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

// One algorithm of one operation over one link. Words are checked by whoever builds a model.
//
// A message takes the cheaper of two protocols, as the libraries have them: one that starts fast
// and carries `low` of the link's rate, and one that starts `extra` later and carries `fraction`.
struct CollectiveRow {
  std::string link;  // A fabric's name, or a wiring where no fabric has a row.
  std::string algorithm;
  std::string operation;
  Seconds start;
  Seconds per_rank;
  Seconds extra;
  double low = 0.0;
  double fraction = 0.0;
  double loss = 0.0;  // Small groups lose loss / n of the rate; negative: large groups lose.
  int points = 0;     // 0 where the row is assumed.
  double median = 0.0;
  double p90 = 0.0;
  Provenance provenance;
};

// How bytes leave a node.
struct TransportRow {
  std::string transport;
  Seconds start;            // Time before an operation moves its first byte.
  Seconds latency;          // Time that each step adds.
  double fraction = 0.0;    // Share of the line rate that is reached.
  double host_share = 0.0;  // Share of the host link's rate that staging leaves; 0: not staged.
  BytesPerSecond ceiling;   // Highest rate of one process; 0: no limit.
  Provenance provenance;
};

// A box that was measured: what groups on its bus keep of the rate of a pair.
struct BusRow {
  std::string accelerator;
  NodeBus bus;
};

struct CollectiveTable {
  std::vector<CollectiveRow> rows;
  std::vector<TransportRow> transports;
  std::vector<BusRow> buses;

  // The box that keeps least, for boxes of which nobody says how they are built; nothing if none
  // was measured.
  const NodeBus* slowest_bus() const {
    const BusRow* least = nullptr;
    for (const BusRow& row : buses)
      if (least == nullptr || row.bus.beyond_socket < least->bus.beyond_socket) least = &row;
    return least == nullptr ? nullptr : &least->bus;
  }
};

}  // namespace loadfactor::catalog
