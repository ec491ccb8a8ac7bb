// Worked fleets with their answers, random small ones, and what they cost by trying everything.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/calendar.h"
#include "config/document.h"
#include "fleet/bill.h"
#include "fleet/placing.h"
#include "fleet/problem.h"

namespace loadfactor::fleet {

struct FleetCase {
  std::string name;
  Problem problem;
  double cost = 0;
  std::vector<std::string> places;
  std::vector<double> alone, marginal, shares;
};

namespace cases {

inline const config::Node* find(const config::Node& node, std::string_view key) {
  for (const auto& member : node.members)
    if (member.key == key) return &member.value;
  return nullptr;
}
inline double number(const config::Node& node) {
  return std::strtod(node.scalar.c_str(), nullptr);
}
inline double number(const config::Node& node, std::string_view key, double otherwise = 0) {
  const config::Node* found = find(node, key);
  return found != nullptr && found->kind == config::NodeKind::kScalar ? number(*found) : otherwise;
}
inline bool is_given(const config::Node& node, std::string_view key) {
  const config::Node* found = find(node, key);
  return found != nullptr && found->kind != config::NodeKind::kNull;
}
inline std::vector<double> numbers(const config::Node& node, std::string_view key) {
  std::vector<double> all;
  for (const auto& item : find(node, key)->items) all.push_back(number(item));
  return all;
}

inline DollarsPerGpuSecond per_gpu(double dollars, double gpu_hours) {
  return Dollars::from_base(dollars / gpu_hours) / (Gpus::from_base(1) * kHour);
}

// A pool of nodes with a price for all the time and one for an hour.
inline Pool node_pool(std::string name, int node, double cost, double all_hours) {
  Pool pool{.name = std::move(name), .machine = node, .rented_by = node};
  pool.committed.push_back(
      {.kind = OptionKind::kReserved1y, .fixed = per_gpu(cost, node * all_hours)});
  return pool;
}

inline Task task_of(const config::Node& work) {
  Task task;
  if (find(work, "kind")->scalar == "online") {
    for (const double gpus : numbers(work, "need")) task.need.push_back(static_cast<int>(gpus));
    return task;
  }
  task.jobs.push_back({.gang = static_cast<int>(number(work, "gang")),
                       .most = static_cast<int>(number(work, "most")),
                       .work = number(work, "work"),
                       .reload = number(work, "reload"),
                       .from = static_cast<std::size_t>(number(work, "start")),
                       .to = static_cast<std::size_t>(number(work, "end")),
                       .is_preemptible = find(work, "preemptible")->scalar == "true"});
  return task;
}

inline Problem problem_of(const config::Node& node) {
  Problem problem;
  problem.hours = numbers(node, "hours");
  double all = 0;
  for (const double hours : problem.hours) all += hours;
  for (const auto& pool : find(node, "pools")->items) {
    const int size = static_cast<int>(number(pool, "node"));
    problem.pools.push_back(node_pool(find(pool, "name")->scalar, size, number(pool, "cost"), all));
    if (is_given(pool, "hourly"))
      problem.pools.back().hourly.push_back(
          {.kind = OptionKind::kOnDemand, .price = per_gpu(number(pool, "hourly"), size)});
    if (is_given(pool, "most"))
      problem.pools.back().most = static_cast<int>(number(pool, "most")) * size;
  }
  for (const auto& work : find(node, "work")->items) {
    Workload workload{.name = find(work, "name")->scalar};
    workload.on.assign(problem.pools.size(), task_of(work));
    if (is_given(work, "api")) workload.elsewhere = Dollars::from_base(number(work, "api"));
    problem.workloads.push_back(std::move(workload));
  }
  return problem;
}

}  // namespace cases

inline std::vector<FleetCase> golden_fleets() {
  std::ifstream file(LF_SOURCE_DIR "/src/fleet/testing/golden_fleet.json");
  std::ostringstream text;
  text << file.rdbuf();
  const auto document = config::parse_json("golden_fleet.json", text.str());
  std::vector<FleetCase> all;
  if (!document) return all;
  for (const auto& node : document->root.items) {
    const config::Node& best = *cases::find(node, "best");
    FleetCase known{.name = cases::find(node, "name")->scalar,
                    .problem = cases::problem_of(node),
                    .cost = cases::number(best, "cost"),
                    .alone = cases::numbers(best, "alone"),
                    .marginal = cases::numbers(best, "marginal"),
                    .shares = cases::numbers(best, "shares")};
    for (const auto& place : cases::find(best, "places")->items)
      known.places.push_back(place.scalar);
    all.push_back(std::move(known));
  }
  return all;
}

// Few slots, pools and workloads, so that everything can be tried.
inline Problem random_fleet(std::uint32_t seed, std::size_t most_workloads = 3) {
  std::mt19937 random(seed);
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  Problem problem;
  problem.seed = seed;
  problem.hours.assign(5, 1.0);
  const int pools = 1 + below(2);
  for (int p = 0; p < pools; ++p) {
    problem.pools.push_back(cases::node_pool("p" + std::to_string(p), 8, 40 + below(60), 5.0));
    Pool& pool = problem.pools.back();
    if (below(4) > 0)
      pool.hourly.push_back(
          {.kind = OptionKind::kOnDemand, .price = cases::per_gpu(10 + below(20), 8)});
    if (below(2) == 0) pool.rented_by = 1;
    if (below(5) == 0) pool.most = 16;
  }
  const auto count = 2 + static_cast<std::size_t>(below(static_cast<int>(most_workloads) - 1));
  for (std::size_t w = 0; w < count; ++w) {
    Workload workload{.name = "w" + std::to_string(w), .priority = below(3)};
    Task task;
    if (below(5) < 2) {
      for (std::size_t t = 0; t < problem.hours.size(); ++t) task.need.push_back(4 * below(5));
    } else {
      const int from = below(3);
      task.jobs.push_back({.gang = 1 << below(4),
                           .most = 1 + below(2) * below(2),
                           .work = 0.5 * (1 + below(5)),
                           .reload = 0.25 * below(3),
                           .from = static_cast<std::size_t>(from),
                           .to = static_cast<std::size_t>(from + 2 + below(4 - from)),
                           .is_preemptible = below(4) > 0});
      if (!task.jobs[0].is_preemptible) task.jobs[0].most = 1;
    }
    workload.on.assign(problem.pools.size(), task);
    if (problem.pools.size() > 1 && below(3) == 0) workload.on[0].reset();
    if (below(2) == 0) workload.elsewhere = Dollars::from_base(20 + below(150));
    problem.workloads.push_back(std::move(workload));
  }
  return problem;
}

// Everything is tried: places, plans of every job slot by slot, machines.
class TryEverything {
 public:
  explicit TryEverything(const Problem& problem) : problem_(problem) {}

  // The least weight of what has no room, and the least cost of that.
  std::pair<double, double> best() {
    place_.assign(problem_.workloads.size(), kAbsent);
    choose(0, 0.0, 0.0);
    return best_;
  }

 private:
  void choose(std::size_t workload, double unmet, double elsewhere) {
    if (workload == problem_.workloads.size()) {
      double cost = elsewhere;
      for (std::size_t pool = 0; pool < problem_.pools.size(); ++pool) cost += cheapest_on(pool);
      if (cost < kFar) best_ = std::min(best_, {unmet, cost});
      return;
    }
    const Workload& each = problem_.workloads[workload];
    for (std::size_t pool = 0; pool < problem_.pools.size(); ++pool) {
      if (!each.on[pool]) continue;
      place_[workload] = static_cast<int>(pool);
      choose(workload + 1, unmet, elsewhere);
    }
    place_[workload] = kAbsent;
    if (each.elsewhere)
      choose(workload + 1, unmet, elsewhere + each.elsewhere->base());
    else
      choose(workload + 1, unmet + weight(each.priority), elsewhere);
  }

  double weight(int priority) const {
    std::vector<int> all;
    for (const Workload& each : problem_.workloads) all.push_back(each.priority);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const auto rank = std::find(all.begin(), all.end(), priority) - all.begin();
    return std::pow(static_cast<double>(problem_.workloads.size() + 1), static_cast<double>(rank));
  }

  double cheapest_on(std::size_t pool) const {
    std::vector<int> load(problem_.hours.size(), 0);
    std::vector<const Job*> jobs;
    bool is_used = false;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      if (place_[i] != static_cast<int>(pool)) continue;
      is_used = true;
      const Task& task = *problem_.workloads[i].on[pool];
      for (std::size_t t = 0; t < task.need.size(); ++t) load[t] += task.need[t];
      for (const Job& job : task.jobs) jobs.push_back(&job);
    }
    return is_used ? cheapest_with(pool, jobs, 0, load) : 0.0;
  }

  // All plans of the jobs from one on, slot by slot.
  double cheapest_with(std::size_t pool, const std::vector<const Job*>& jobs, std::size_t at,
                       std::vector<int>& load) const {
    if (at == jobs.size()) return bill(problem_.pools[pool], load);
    const Job& job = *jobs[at];
    const std::size_t slots = job.to - job.from;
    Plan plan(slots, 0);
    double best = 2 * kFar;
    const std::function<void(std::size_t)> fill = [&](std::size_t t) {
      if (t == slots) {
        if (!ends(job, plan)) return;
        for (std::size_t i = 0; i < slots; ++i) load[job.from + i] += job.gang * plan[i];
        best = std::min(best, cheapest_with(pool, jobs, at + 1, load));
        for (std::size_t i = 0; i < slots; ++i) load[job.from + i] -= job.gang * plan[i];
        return;
      }
      for (int a = 0; a <= job.most; ++a) {
        plan[t] = static_cast<std::uint8_t>(a);
        fill(t + 1);
      }
    };
    fill(0);
    return best;
  }

  bool ends(const Job& job, const Plan& plan) const {
    double work = 0;
    int before = 0, starts = 0;
    for (std::size_t t = 0; t < plan.size(); ++t) {
      const int started = std::max(0, plan[t] - before);
      starts += started;
      work += std::max(0.0, problem_.hours[job.from + t] * plan[t] - job.reload * started);
      before = plan[t];
    }
    return work >= job.work - 1e-9 && (job.is_preemptible || starts <= 1);
  }

  double bill(const Pool& pool, const std::vector<int>& load) const {
    const PoolPrices prices(pool, problem_.hours);
    const int peak = *std::max_element(load.begin(), load.end());
    if (!prices.may_hold(peak)) return 2 * kFar;
    double best = 2 * kFar;
    for (int machines = 0; machines <= (peak + pool.machine - 1) / pool.machine; ++machines)
      best = std::min(best, prices.cost(load, machines));
    return best;
  }

  const Problem& problem_;
  std::vector<int> place_;
  std::pair<double, double> best_{1e9, 1e18};
};

}  // namespace loadfactor::fleet
