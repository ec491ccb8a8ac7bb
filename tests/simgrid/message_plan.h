// Who sends what to whom, and in which order: a collective written out as messages.
#pragma once

#include <vector>

namespace loadfactor::simgrid_check {

// One step of one rank: it sends and receives at the same time and goes on when both are done.
// -1: nobody.
struct Step {
  int to = -1;
  int from = -1;
  double bytes = 0;  // Each way.
};

// Ranks that work through their steps in order. Streams run side by side.
struct Stream {
  std::vector<std::vector<Step>> ranks;
};
using Plan = std::vector<Stream>;

Stream empty_stream(int ranks);

// Appends `steps` turns of a ring in which every member passes `bytes` on to the next.
void add_ring(Stream& stream, const std::vector<int>& order, int steps, double bytes);

// `bytes` as in collective::Operation: the buffer of a rank.
Plan ring_all_gather(int ranks, double bytes);
Plan ring_all_reduce(int ranks, double bytes);
Plan all_to_all(int ranks, double bytes);
Plan send_receive(int from, int to, int ranks, double bytes);

// Reduces inside nodes, then over the counterparts of all nodes, then gathers inside.
Plan hierarchical_all_reduce(int nodes, int per_node, double bytes);
// A ring through all ranks on every rail, each leaving the nodes through another rank.
Plan rails_all_reduce(int nodes, int per_node, double bytes);

// Rings both ways along the axes of a torus of `sides`, each share of the bytes starting on
// another axis. Ranks are numbered with the first axis running fastest.
Plan torus_all_gather(const std::vector<int>& sides, double bytes);

}  // namespace loadfactor::simgrid_check
