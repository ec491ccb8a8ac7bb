// What was fitted to measured collectives, per link technology, and what transports cost.
#pragma once

#include <string>
#include <vector>

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

struct CollectiveTable {
  std::vector<CollectiveRow> rows;
  std::vector<TransportRow> transports;
};

}  // namespace loadfactor::catalog
