// Our estimates against a flow-level simulation of the same messages on the same links.
//
// Efficiencies are neutral (whole line rate, no start), so that both sides count the same bytes
// over the same links. Where algorithms are the same the two must agree within 2 %; an all-to-all
// on a torus within what its test states.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collective/estimate.h"
#include "tests/simgrid/flow_world.h"

namespace loadfactor::simgrid_check {
namespace {

using catalog::Topology;
using collective::Domain;
using collective::Fabric;
using collective::Group;
using collective::Network;
using collective::Operation;

constexpr double kBytes = 256e6;
constexpr double kLink = 450e9;
constexpr double kNic = 50e9;
constexpr double kAgreement = 0.02;

Domain neutral_domain(int size, Topology topology = Topology::kSwitch, double link = kLink) {
  Domain domain;
  domain.topology = topology;
  domain.size = size;
  domain.link = BytesPerSecond::from_base(link);
  domain.joined = domain.size;
  domain.ring.fill({.low = 1.0, .fraction = 1.0});
  return domain;
}

Fabric neutral_fabric(double node_rate, int node_ranks) {
  Fabric fabric;
  fabric.node_rate = BytesPerSecond::from_base(node_rate);
  fabric.node_ranks = node_ranks;
  fabric.fraction = 1.0;
  fabric.tree_share = 1.0;
  fabric.halving_share = 1.0;
  return fabric;
}

double inside(Operation operation, int ranks, const Domain& domain) {
  return estimate_inside(operation, Bytes::from_base(kBytes), ranks, domain).duration.base();
}

double across(Operation operation, const Group& group, const Network& network) {
  return estimate(operation, Bytes::from_base(kBytes), group, network).duration.base();
}

void expect_agreement(double ours, double simulated, const std::string& what) {
  ASSERT_GT(simulated, 0.0) << what;
  EXPECT_NEAR(ours / simulated, 1.0, kAgreement) << what;
}

TEST(SimGridCollectives, RingsInsideASwitchedDomainAgree) {
  for (const int ranks : {2, 4, 8, 16}) {
    const World world = switched(ranks, kLink);
    const Domain domain = neutral_domain(ranks);
    const std::string what = std::to_string(ranks) + " ranks";
    expect_agreement(inside(Operation::kAllReduce, ranks, domain),
                     simulate(world, ring_all_reduce(ranks, kBytes)), "all-reduce, " + what);
    expect_agreement(inside(Operation::kAllGather, ranks, domain),
                     simulate(world, ring_all_gather(ranks, kBytes)), "all-gather, " + what);
    expect_agreement(inside(Operation::kAllToAll, ranks, domain),
                     simulate(world, all_to_all(ranks, kBytes)), "all-to-all, " + what);
    expect_agreement(inside(Operation::kSendReceive, 2, domain),
                     simulate(world, send_receive(0, 1, ranks, kBytes)), "send, " + what);
  }
}

// The simulation also pays for the latency of every hop; ours counts one step more in a ring.
TEST(SimGridCollectives, LatencyAddsAStepAtATime) {
  constexpr double kHop = 1e-6;
  for (const int ranks : {4, 8, 16}) {
    World world = switched(ranks, kLink);
    world.latency = kHop / 2;
    Domain domain = neutral_domain(ranks);
    for (auto& protocol : domain.ring) protocol.per_rank = Seconds::from_base(kHop);
    const double simulated = simulate(world, ring_all_gather(ranks, kBytes));
    EXPECT_NEAR(inside(Operation::kAllGather, ranks, domain) - simulated, kHop, 0.02 * simulated);
  }
}

TEST(SimGridCollectives, NodesThatShareTheirNicsAgreeWithTheBetterOfTwoAlgorithms) {
  for (const int nodes : {2, 4}) {
    for (const int per_node : {2, 4}) {
      const double nics = kNic * per_node;
      const World world = nodes_with_nics(nodes, per_node, kLink, nics);
      const Network network{neutral_domain(per_node), neutral_fabric(nics, per_node)};
      const Group group{.ranks = nodes * per_node};
      const double simulated =
          std::min(simulate(world, hierarchical_all_reduce(nodes, per_node, kBytes)),
                   simulate(world, rails_all_reduce(nodes, per_node, kBytes)));
      const std::string what = std::to_string(nodes) + " nodes of " + std::to_string(per_node);
      expect_agreement(across(Operation::kAllReduce, group, network), simulated, what);
      expect_agreement(across(Operation::kAllToAll, group, network),
                       simulate(world, all_to_all(nodes * per_node, kBytes)),
                       "all-to-all, " + what);
    }
  }
}

TEST(SimGridCollectives, ARingOverAFullFatTreeAgrees) {
  const World world = fat_tree(2, 4, kNic, 1.0);
  const Network network{neutral_domain(1), neutral_fabric(kNic, 1)};
  const Group group{.ranks = 8, .per_domain = 1};
  expect_agreement(across(Operation::kAllReduce, group, network),
                   simulate(world, ring_all_reduce(8, kBytes)), "all-reduce");
  expect_agreement(across(Operation::kAllToAll, group, network),
                   simulate(world, all_to_all(8, kBytes)), "all-to-all");
}

// Only bytes that leave a leaf are slowed: those of an all-to-all by the ratio, those of a ring not
// before the ratio passes the nodes of a leaf.
TEST(SimGridCollectives, AnOversubscribedTreeAgrees) {
  for (const double ratio : {1.5, 2.0, 4.0, 8.0}) {
    const World world = fat_tree(2, 4, kNic, ratio);
    Network network{neutral_domain(1), neutral_fabric(kNic, 1)};
    network.fabric->oversubscription = ratio;
    network.fabric->leaf_nodes = 4;
    const Group group{.ranks = 8, .per_domain = 1};
    const std::string what = "ratio " + std::to_string(ratio);
    expect_agreement(across(Operation::kAllToAll, group, network),
                     simulate(world, all_to_all(8, kBytes)), "all-to-all, " + what);
    expect_agreement(across(Operation::kAllGather, group, network),
                     simulate(world, ring_all_gather(8, kBytes)), "all-gather, " + what);
  }
}

TEST(SimGridCollectives, RingsAlongTheAxesOfATorusAgree) {
  struct Shape {
    std::vector<int> sides;
    Topology topology;
  };
  for (const Shape& shape : {Shape{{8}, Topology::kRing}, Shape{{4, 4}, Topology::kTorus2d},
                             Shape{{2, 2}, Topology::kTorus2d}}) {
    int ranks = 1;
    for (const int side : shape.sides) ranks *= side;
    const auto axes = static_cast<double>(shape.sides.size());
    const World world = torus(shape.sides, kLink / (2.0 * axes));
    const Domain domain = neutral_domain(ranks, shape.topology);
    const std::string what = std::to_string(ranks) + " ranks";
    expect_agreement(inside(Operation::kAllGather, ranks, domain),
                     simulate(world, torus_all_gather(shape.sides, kBytes)), what);
  }
}

// Messages that turn corners crowd some links more than the mean that we count.
TEST(SimGridCollectives, AnAllToAllOnATorusAgreesRoughly) {
  for (const auto& sides : {std::vector<int>{4, 4}, std::vector<int>{8}, std::vector<int>{4, 2},
                            std::vector<int>{2, 2}}) {
    int ranks = 1;
    for (const int side : sides) ranks *= side;
    const auto axes = static_cast<double>(sides.size());
    const World world = torus(sides, kLink / (2.0 * axes));
    const Domain domain = neutral_domain(ranks, axes > 1 ? Topology::kTorus2d : Topology::kRing);
    const double ratio =
        inside(Operation::kAllToAll, ranks, domain) / simulate(world, all_to_all(ranks, kBytes));
    EXPECT_NEAR(ratio, 1.0, 0.15) << ranks;
  }
}

TEST(SimGridCollectives, ASlowerLinkIsNeverFasterInEitherWorld) {
  const Plan plan = ring_all_reduce(8, kBytes);
  const double whole = simulate(switched(8, kLink), plan);
  for (std::size_t slowed = 0; slowed < 16; slowed += 5) {
    World world = switched(8, kLink);
    world.links[slowed] /= 2;
    EXPECT_GE(simulate(world, plan), whole) << slowed;
  }
  double before = 0;
  for (const double nics : {400e9, 200e9, 100e9, 50e9}) {
    const Network network{neutral_domain(4), neutral_fabric(nics, 4)};
    const double ours = across(Operation::kAllReduce, {.ranks = 8}, network);
    EXPECT_GE(ours, before);
    before = ours;
    EXPECT_GE(
        simulate(nodes_with_nics(2, 4, kLink, nics / 2), hierarchical_all_reduce(2, 4, kBytes)),
        simulate(nodes_with_nics(2, 4, kLink, nics), hierarchical_all_reduce(2, 4, kBytes)));
  }
}

}  // namespace
}  // namespace loadfactor::simgrid_check
