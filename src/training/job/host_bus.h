// What accelerators of a host meet on where no link of their own joins them.
#pragma once

#include <algorithm>

#include "catalog/spec/node_spec.h"
#include "loadfactor/quantity.h"

namespace loadfactor::training {

struct HostBus {
  BytesPerSecond link;    // To a neighbour, one direction.
  double fraction = 1.0;  // Share of it that is reached, of which a group of n loses loss / n.
  double loss = 0.0;
  int joined = 1;               // Accelerators that links of their own join.
  bool may_be_bridged = false;  // Pairs have a link where a bridge was bought.
  catalog::NodeBus lies;        // None behind one switch: nobody says how they lie.

  bool is_guessed() const { return lies.per_switch == 0; }

  // What each of a group reaches whose first and last lie so many accelerators apart.
  BytesPerSecond rate(int ranks, int span) const {
    constexpr double kLeast = 0.05;
    const double reached = fraction * std::max(kLeast, 1.0 - loss / std::max(1, ranks));
    if (lies.per_socket > 0 && span > lies.per_socket) return link * (reached * lies.beyond_socket);
    const bool leaves = lies.per_switch > 0 && span > lies.per_switch;
    return link * (leaves ? reached * lies.beyond_switch : reached);
  }

  // The bus as ranks see it of which each has `stride` accelerators.
  HostBus seen_every(int stride) const {
    const auto share = [stride](int count) { return std::max(1, count / std::max(1, stride)); };
    HostBus out = *this;
    out.joined = share(joined);
    if (is_guessed()) return out;
    out.lies.per_switch = share(lies.per_switch);
    out.lies.per_socket = share(lies.per_socket);
    return out;
  }
};

}  // namespace loadfactor::training
