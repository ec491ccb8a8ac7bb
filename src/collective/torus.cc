#include "collective/torus.h"

#include <algorithm>

namespace loadfactor::collective {
namespace {

int axes_of(catalog::Topology topology) {
  if (topology == catalog::Topology::kTorus3d) return 3;
  return topology == catalog::Topology::kTorus2d ? 2 : 1;
}

}  // namespace

std::array<int, 3> torus_sides(int ranks, int axes) {
  std::array<int, 3> sides{1, 1, 1};
  int left = std::max(1, ranks);
  for (int axis = 0; left > 1; axis = (axis + 1) % axes) {
    const int factor = left % 2 == 0 ? 2 : left;
    sides[static_cast<std::size_t>(axis)] *= factor;
    left /= factor;
  }
  std::sort(sides.begin(), sides.end(), [](int a, int b) { return a > b; });
  return sides;
}

CollectiveTime torus_time(Operation operation, Bytes bytes, int ranks, const Domain& domain) {
  const int axes = axes_of(domain.topology);
  const std::array<int, 3> sides = torus_sides(ranks, axes);
  int used = 0;
  double hops = 0.0;
  for (const int side : sides) {
    if (side > 1) ++used;
    hops += side > 1 ? side / 2.0 : 0.0;  // Both ways round.
  }
  const Protocol& protocol = domain.of(operation);
  const BytesPerSecond axis_rate = domain.link / axes;
  if (operation == Operation::kAllToAll) {
    // A byte travels a quarter of each side on average, the short way round, and the links of the
    // longest side are the most crowded: other axes carry its further way, not this one.
    const double longest = sides[0];
    const double odd = sides[0] % 2 == 0 ? 0.0 : 1.0;
    const double mean_hops = (longest * longest - odd) / (4.0 * longest);
    return {protocol.time(bytes * mean_hops, hops, ranks, axis_rate), Algorithm::kTorus};
  }
  if (operation == Operation::kSendReceive) {
    return {protocol.time(bytes, 1.0, ranks, axis_rate), Algorithm::kDirect};
  }
  const double rounds = operation == Operation::kAllReduce ? 2.0 : 1.0;
  return {
      protocol.time(bytes * wire_share(operation, ranks), rounds * hops, ranks, axis_rate * used),
      Algorithm::kTorus};
}

}  // namespace loadfactor::collective
