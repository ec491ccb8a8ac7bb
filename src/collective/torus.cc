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
  double capacity = 0.0;  // In axes.
  double crowd = 0.0;     // Bytes over the busiest axis, in rates of one.
  double hops = 0.0;
  for (const int side : sides) {
    if (side <= 1) continue;
    // Two chips have one link between them, not one each way round.
    const double links = side > 2 ? 1.0 : 0.5;
    // A byte travels a quarter of a side on average, the short way round.
    const double odd = side % 2 == 0 ? 0.0 : 1.0;
    const double mean_hops = (static_cast<double>(side) * side - odd) / (4.0 * side);
    capacity += links;
    crowd = std::max(crowd, mean_hops / links);
    hops += side / 2.0;  // Both ways round.
  }
  const Protocol& protocol = domain.of(operation);
  const BytesPerSecond axis_rate = domain.link / axes;
  if (operation == Operation::kAllToAll) {
    return {protocol.time(bytes * crowd, hops, ranks, axis_rate), Algorithm::kTorus};
  }
  if (operation == Operation::kSendReceive) {
    return {protocol.time(bytes, 1.0, ranks, axis_rate), Algorithm::kDirect};
  }
  const double rounds = operation == Operation::kAllReduce ? 2.0 : 1.0;
  return {protocol.time(bytes * wire_share(operation, ranks), rounds * hops, ranks,
                        axis_rate * capacity),
          Algorithm::kTorus};
}

}  // namespace loadfactor::collective
