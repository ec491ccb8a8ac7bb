#include "tests/simgrid/message_plan.h"

#include <algorithm>
#include <numeric>

namespace loadfactor::simgrid_check {

namespace {

std::vector<int> in_order(int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The lines of ranks along one axis.
std::vector<std::vector<int>> lines_along(const std::vector<int>& sides, std::size_t axis) {
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= sides[i];
  int ranks = 1;
  for (const int side : sides) ranks *= side;
  std::vector<std::vector<int>> lines;
  for (int first = 0; first < ranks; ++first) {
    if (first / stride % sides[axis] != 0) continue;
    std::vector<int> line;
    for (int i = 0; i < sides[axis]; ++i) line.push_back(first + i * stride);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

Stream empty_stream(int ranks) {
  return {std::vector<std::vector<Step>>(static_cast<std::size_t>(ranks))};
}

void add_ring(Stream& stream, const std::vector<int>& order, int steps, double bytes) {
  const std::size_t n = order.size();
  for (std::size_t i = 0; i < n; ++i) {
    auto& mine = stream.ranks[static_cast<std::size_t>(order[i])];
    for (int step = 0; step < steps; ++step)
      mine.push_back({order[(i + 1) % n], order[(i + n - 1) % n], bytes});
  }
}

Plan ring_all_gather(int ranks, double bytes) {
  Stream stream = empty_stream(ranks);
  add_ring(stream, in_order(ranks), ranks - 1, bytes / ranks);
  return {stream};
}

Plan ring_all_reduce(int ranks, double bytes) {
  Stream stream = empty_stream(ranks);
  add_ring(stream, in_order(ranks), 2 * (ranks - 1), bytes / ranks);
  return {stream};
}

Plan all_to_all(int ranks, double bytes) {
  Plan plan;
  for (int shift = 1; shift < ranks; ++shift) {
    Stream stream = empty_stream(ranks);
    for (int rank = 0; rank < ranks; ++rank)
      stream.ranks[static_cast<std::size_t>(rank)].push_back(
          {(rank + shift) % ranks, (rank + ranks - shift) % ranks, bytes / ranks});
    plan.push_back(std::move(stream));
  }
  return plan;
}

Plan send_receive(int from, int to, int ranks, double bytes) {
  Stream stream = empty_stream(ranks);
  stream.ranks[static_cast<std::size_t>(from)].push_back({to, -1, bytes});
  stream.ranks[static_cast<std::size_t>(to)].push_back({-1, from, bytes});
  return {stream};
}

Plan hierarchical_all_reduce(int nodes, int per_node, double bytes) {
  Stream stream = empty_stream(nodes * per_node);
  const double share = bytes / per_node;
  const auto inside = [&] {
    for (int node = 0; node < nodes; ++node) {
      std::vector<int> order;
      for (int i = 0; i < per_node; ++i) order.push_back(node * per_node + i);
      add_ring(stream, order, per_node - 1, share);
    }
  };
  inside();
  for (int i = 0; i < per_node; ++i) {
    std::vector<int> order;
    for (int node = 0; node < nodes; ++node) order.push_back(node * per_node + i);
    add_ring(stream, order, 2 * (nodes - 1), share / nodes);
  }
  inside();
  return {stream};
}

Plan rails_all_reduce(int nodes, int per_node, double bytes) {
  Plan plan;
  const int ranks = nodes * per_node;
  for (int rail = 0; rail < per_node; ++rail) {
    std::vector<int> order;
    for (int node = 0; node < nodes; ++node) {
      for (int i = 0; i < per_node; ++i) order.push_back(node * per_node + (rail + i) % per_node);
    }
    Stream stream = empty_stream(ranks);
    add_ring(stream, order, 2 * (ranks - 1), bytes / per_node / ranks);
    plan.push_back(std::move(stream));
  }
  return plan;
}

Plan torus_all_gather(const std::vector<int>& sides, double bytes) {
  const std::size_t axes = sides.size();
  int ranks = 1;
  for (const int side : sides) ranks *= side;
  const double share = bytes / static_cast<double>(2 * axes);  // Two ways round, one per axis.
  Plan plan;
  for (std::size_t first = 0; first < axes; ++first) {
    for (const bool backwards : {false, true}) {
      Stream stream = empty_stream(ranks);
      double piece = share / ranks;  // What a rank holds grows from axis to axis.
      for (std::size_t turn = 0; turn < axes; ++turn) {
        const std::size_t axis = (first + turn) % axes;
        for (auto line : lines_along(sides, axis)) {
          if (backwards) std::reverse(line.begin(), line.end());
          add_ring(stream, line, sides[axis] - 1, piece);
        }
        piece *= sides[axis];
      }
      plan.push_back(std::move(stream));
    }
  }
  return plan;
}

}  // namespace loadfactor::simgrid_check
