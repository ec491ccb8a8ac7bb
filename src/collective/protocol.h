// One algorithm of one operation over one kind of link: bytes to seconds by two straight lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "loadfactor/quantity.h"

namespace loadfactor::collective {

enum class Operation : std::uint8_t {
  kAllReduce,      // `bytes` is every rank's buffer.
  kReduceScatter,  // `bytes` goes in at every rank.
  kAllGather,      // `bytes` comes out at every rank.
  kAllToAll,       // `bytes` is what every rank holds, its own share included.
  kBroadcast,
  kSendReceive,
};
inline constexpr std::array<std::string_view, 6> kOperations{
    "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "send-receive"};

enum class Algorithm : std::uint8_t {
  kNone,  // A group of one.
  kRing,
  kTree,
  kInSwitch,  // The switch sums the buffers (NVLS, SHARP).
  kDirect,    // Every rank talks to every other at once.
  kOneShot,   // A kernel reads all peers' buffers; for small messages, where a stack has it.
  kTwoShot,   // The same, each rank summing its share first and reading the others' sums after.
  kTorus,     // Rings along every axis at once.
  kHierarchical,
};
inline constexpr std::array<std::string_view, 9> kAlgorithms{
    "none", "ring", "tree", "in-switch", "direct", "one-shot", "two-shot", "torus", "hierarchical"};

struct Protocol {
  Seconds start;
  Seconds per_rank;
  Seconds extra;     // Time by which the protocol that reaches `fraction` starts later.
  double low = 0.3;  // Share of the link's rate that the fast starter reaches.
  double fraction = 0.75;
  double loss = 0.0;
  bool fitted = false;

  // `wire` bytes pass through the busiest rank; `steps` hops follow one another.
  Seconds time(Bytes wire, double steps, int ranks, BytesPerSecond link) const {
    const double share = std::max(0.05, 1.0 - loss / ranks);
    const Seconds begin = start + per_rank * steps;
    return begin + std::min(wire / (link * low * share), extra + wire / (link * fraction * share));
  }
};

// Bytes through the busiest rank of a group of n, over the operation's `bytes`.
constexpr double wire_share(Operation operation, int ranks) {
  const double others = ranks > 0 ? (ranks - 1.0) / ranks : 0.0;
  switch (operation) {
    case Operation::kAllReduce:
      return 2.0 * others;
    case Operation::kReduceScatter:
    case Operation::kAllGather:
    case Operation::kAllToAll:
      return others;
    case Operation::kBroadcast:
    case Operation::kSendReceive:
      return ranks > 1 ? 1.0 : 0.0;
  }
  return 1.0;
}

// Bytes through every rank of a group of n that reads all of its peers' buffers.
constexpr double one_shot_share(int ranks) {
  return ranks > 0 ? ranks - 1.0 : 0.0;
}

}  // namespace loadfactor::collective
