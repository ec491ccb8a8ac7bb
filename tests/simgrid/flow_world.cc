#include "tests/simgrid/flow_world.h"

#include <cmath>
#include <string>

#include <simgrid/s4u.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace loadfactor::simgrid_check {

namespace {

namespace s4u = simgrid::s4u;

std::string name(const char* what, std::size_t number) {
  return what + std::to_string(number);
}

std::string mailbox(std::size_t stream, int from, int to) {
  return name("s", stream) + name(":", static_cast<std::size_t>(from)) +
         name(":", static_cast<std::size_t>(to));
}

void build(s4u::Engine& engine, const World& world) {
  auto* zone = s4u::create_full_zone("world");
  std::vector<s4u::Host*> hosts;
  for (int rank = 0; rank < world.ranks; ++rank)
    hosts.push_back(zone->create_host(name("h", static_cast<std::size_t>(rank)), 1e9)->seal());
  std::vector<s4u::Link*> links;
  for (std::size_t i = 0; i < world.links.size(); ++i) {
    auto* link = zone->create_link(name("l", i), world.links[i]);
    links.push_back(link->set_latency(world.latency)->seal());
  }
  for (int from = 0; from < world.ranks; ++from) {
    for (int to = 0; to < world.ranks; ++to) {
      if (from == to) continue;
      std::vector<s4u::LinkInRoute> way;
      for (const std::size_t i : world.route(from, to)) way.emplace_back(links[i]);
      zone->add_route(hosts[static_cast<std::size_t>(from)]->get_netpoint(),
                      hosts[static_cast<std::size_t>(to)]->get_netpoint(), nullptr, nullptr, way,
                      false);
    }
  }
  zone->seal();
  engine.get_netzone_root();
}

void work_through(std::size_t stream, int rank, const std::vector<Step>& steps) {
  static int token = 0;
  for (const Step& step : steps) {
    std::vector<s4u::CommPtr> pending;
    int* received = nullptr;
    const auto size = static_cast<std::uint64_t>(std::llround(step.bytes));
    if (step.from >= 0)
      pending.push_back(
          s4u::Mailbox::by_name(mailbox(stream, step.from, rank))->get_async<int>(&received));
    if (step.to >= 0)
      pending.push_back(
          s4u::Mailbox::by_name(mailbox(stream, rank, step.to))->put_async(&token, size));
    for (auto& comm : pending) comm->wait();
  }
}

double run_here(const World& world, const Plan& plan) {
  // Plain max-min sharing: no factors of a protocol, no traffic of acknowledgements.
  std::vector<std::string> words{"simgrid_test", "--cfg=network/model:CM02",
                                 "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:1e18",
                                 "--log=root.thresh:critical"};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  s4u::Engine engine(&count, arguments.data());
  build(engine, world);
  for (std::size_t stream = 0; stream < plan.size(); ++stream) {
    for (int rank = 0; rank < world.ranks; ++rank) {
      const auto& steps = plan[stream].ranks[static_cast<std::size_t>(rank)];
      if (steps.empty()) continue;
      s4u::Actor::create(name("a", static_cast<std::size_t>(rank)),
                         engine.host_by_name(name("h", static_cast<std::size_t>(rank))),
                         [stream, rank, &steps] { work_through(stream, rank, steps); });
    }
  }
  engine.run();
  return s4u::Engine::get_clock();
}

}  // namespace

World switched(int ranks, double link) {
  World world{.ranks = ranks,
              .links = std::vector<double>(2 * static_cast<std::size_t>(ranks), link)};
  world.route = [ranks](int from, int to) {
    return std::vector<std::size_t>{static_cast<std::size_t>(from),
                                    static_cast<std::size_t>(ranks + to)};
  };
  return world;
}

World nodes_with_nics(int nodes, int per_node, double link, double nics) {
  World world = switched(nodes * per_node, link);
  const auto ranks = static_cast<std::size_t>(nodes * per_node);
  world.links.insert(world.links.end(), 2 * static_cast<std::size_t>(nodes), nics);
  world.route = [=](int from, int to) {
    const int source = from / per_node;
    const int target = to / per_node;
    if (source == target)
      return std::vector<std::size_t>{static_cast<std::size_t>(from),
                                      ranks + static_cast<std::size_t>(to)};
    return std::vector<std::size_t>{2 * ranks + static_cast<std::size_t>(source),
                                    2 * ranks + static_cast<std::size_t>(nodes + target)};
  };
  return world;
}

World fat_tree(int leaves, int per_leaf, double nic, double oversubscription) {
  const int ranks = leaves * per_leaf;
  World world = switched(ranks, nic);
  const auto ways = 2 * static_cast<std::size_t>(ranks);
  world.links.insert(world.links.end(), 2 * static_cast<std::size_t>(leaves),
                     nic * per_leaf / oversubscription);
  world.route = [=](int from, int to) {
    std::vector<std::size_t> way{static_cast<std::size_t>(from)};
    if (from / per_leaf != to / per_leaf) {
      way.push_back(ways + static_cast<std::size_t>(from / per_leaf));
      way.push_back(ways + static_cast<std::size_t>(leaves + to / per_leaf));
    }
    way.push_back(static_cast<std::size_t>(ranks + to));
    return way;
  };
  return world;
}

World torus(const std::vector<int>& sides, double link_each_way) {
  int ranks = 1;
  for (const int side : sides) ranks *= side;
  const std::size_t axes = sides.size();
  World world{
      .ranks = ranks,
      .links = std::vector<double>(2 * axes * static_cast<std::size_t>(ranks), link_each_way)};
  world.route = [sides, axes](int from, int to) {
    std::vector<std::size_t> way;
    int here = from;
    int stride = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const int side = sides[axis];
      const int target = to / stride % side;
      while (here / stride % side != target) {
        const int place = here / stride % side;
        const int ahead = (target - place + side) % side;
        // The even half-way is split: odd ranks go back, so that neither way is favoured.
        const bool up = 2 * ahead < side || (2 * ahead == side && place % 2 == 0);
        way.push_back((static_cast<std::size_t>(here) * axes + axis) * 2 + (up ? 0U : 1U));
        const int next = (place + (up ? 1 : side - 1)) % side;
        here += (next - place) * stride;
      }
      stride *= side;
    }
    return way;
  };
  return world;
}

double simulate(const World& world, const Plan& plan) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    const double seconds = run_here(world, plan);
    const bool told = write(ends[1], &seconds, sizeof seconds) == sizeof seconds;
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  double seconds = -1;
  if (read(ends[0], &seconds, sizeof seconds) != sizeof seconds) seconds = -1;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return seconds;
}

}  // namespace loadfactor::simgrid_check
