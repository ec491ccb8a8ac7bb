#include "fleet/groups.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace loadfactor::fleet {
namespace {

constexpr double kNothing = 1e-9;
constexpr std::size_t kMostFilled = 60;  // Assignments of one group that are scheduled.
constexpr std::size_t kMostChoices = 20'000;

bool has(Group group, std::size_t workload) {
  return (group >> workload & 1U) != 0;
}

}  // namespace

Groups::Groups(const Problem& problem) : problem_(problem) {
  for (const Pool& pool : problem.pools) prices_.emplace_back(pool, problem.hours);
}

std::vector<int> Groups::online(std::size_t pool, Group group) const {
  std::vector<int> sum(problem_.hours.size(), 0);
  for (std::size_t i = 0; i < problem_.workloads.size(); ++i) {
    if (!has(group, i)) continue;
    const auto& need = problem_.workloads[i].on[pool]->need;
    for (std::size_t t = 0; t < need.size(); ++t) sum[t] += need[t];
  }
  return sum;
}

std::vector<Job> Groups::jobs(std::size_t pool, Group group) const {
  std::vector<Job> all;
  for (std::size_t i = 0; i < problem_.workloads.size(); ++i)
    if (has(group, i))
      for (const Job& job : problem_.workloads[i].on[pool]->jobs) all.push_back(job);
  return all;
}

double Groups::bound(std::size_t pool, Group group) {
  if (group == 0) return 0;
  const auto [found, is_new] = bounds_.try_emplace({pool, group}, 0.0);
  if (!is_new) return found->second;
  if (!problem_.pools[pool].is_shared && std::popcount(group) > 1) {
    double sum = 0;
    for (std::size_t i = 0; i < problem_.workloads.size(); ++i)
      if (has(group, i)) sum += bound(pool, Group{1} << i);
    return bounds_[{pool, group}] = sum;
  }
  return bounds_[{pool, group}] = least_cost(prices_[pool], online(pool, group), jobs(pool, group));
}

const Filled& Groups::filled(std::size_t pool, Group group) {
  const auto [found, is_new] = filled_.try_emplace({pool, group});
  if (is_new)
    found->second =
        fleet::fill(prices_[pool], online(pool, group), jobs(pool, group), problem_.seed);
  return found->second;
}

// A lexicographic weight: a workload of a higher priority outweighs all of lower ones.
double Groups::weight(std::size_t workload) const {
  std::vector<int> priorities;
  for (const Workload& each : problem_.workloads) priorities.push_back(each.priority);
  std::sort(priorities.begin(), priorities.end());
  priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
  const auto rank = std::lower_bound(priorities.begin(), priorities.end(),
                                     problem_.workloads[workload].priority) -
                    priorities.begin();
  return std::pow(static_cast<double>(problem_.workloads.size() + 1), static_cast<double>(rank));
}

double Groups::elsewhere(const std::vector<int>& place) const {
  double sum = 0;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] == kElsewhere) sum += problem_.workloads[i].elsewhere->base();
  return sum;
}

// Every way to put the workloads on pools or elsewhere, workload by workload; of too many, those
// that promise most.
std::vector<Groups::Choice> Groups::choices(Group group) {
  std::vector<Choice> all{{0, 0, std::vector<int>(problem_.workloads.size(), kAbsent)}};
  const auto by_promise = [](const Choice& a, const Choice& b) {
    return std::pair(a.unmet, a.bound) < std::pair(b.unmet, b.bound);
  };
  for (std::size_t i = 0; i < problem_.workloads.size(); ++i) {
    if (!has(group, i)) continue;
    const Workload& workload = problem_.workloads[i];
    std::vector<Choice> more;
    for (const Choice& choice : all) {
      const auto put = [&](int place) {
        Choice next = choice;
        next.place[i] = place;
        if (place == kNoRoom) next.unmet += weight(i);
        next.bound = elsewhere(next.place);
        for (std::size_t pool = 0; pool < problem_.pools.size(); ++pool) {
          Group here = 0;
          for (std::size_t w = 0; w < next.place.size(); ++w)
            if (next.place[w] == static_cast<int>(pool)) here |= Group{1} << w;
          next.bound += bound(pool, here);
        }
        more.push_back(std::move(next));
      };
      for (std::size_t pool = 0; pool < problem_.pools.size(); ++pool)
        if (workload.on[pool]) put(static_cast<int>(pool));
      put(workload.elsewhere ? kElsewhere : kNoRoom);
    }
    std::stable_sort(more.begin(), more.end(), by_promise);
    if (more.size() > kMostChoices) more.resize(kMostChoices);
    all = std::move(more);
  }
  return all;
}

std::optional<GroupAnswer> Groups::fill(const Choice& choice, Group group) {
  GroupAnswer answer;
  answer.schedule.place = choice.place;
  answer.schedule.plans.resize(problem_.workloads.size());
  answer.unmet = choice.unmet;
  answer.bound = elsewhere(choice.place);
  const auto take = [&](std::size_t pool, Group here) {
    const Filled& found = filled(pool, here);
    if (found.cost >= kFar) return false;
    answer.bound += found.bound;
    auto plan = found.plans.begin();
    for (std::size_t i = 0; i < problem_.workloads.size(); ++i) {
      if (!has(here, i)) continue;
      const auto jobs = static_cast<std::ptrdiff_t>(problem_.workloads[i].on[pool]->jobs.size());
      answer.schedule.plans[i].assign(plan, plan + jobs);
      plan += jobs;
    }
    return true;
  };
  for (std::size_t pool = 0; pool < problem_.pools.size(); ++pool) {
    Group here = 0;
    for (std::size_t i = 0; i < choice.place.size(); ++i)
      if (has(group, i) && choice.place[i] == static_cast<int>(pool)) here |= Group{1} << i;
    if (here == 0) continue;
    if (problem_.pools[pool].is_shared) {
      if (!take(pool, here)) return std::nullopt;
      continue;
    }
    for (std::size_t i = 0; i < choice.place.size(); ++i)
      if (has(here, i) && !take(pool, Group{1} << i)) return std::nullopt;
  }
  const auto cost = price(answer.schedule);
  if (!cost) return std::nullopt;
  answer.cost = *cost;
  return answer;
}

const GroupAnswer& Groups::cheapest(Group group) {
  const auto [found, is_new] = answers_.try_emplace(group);
  GroupAnswer& best = found->second;
  if (!is_new) return best;
  best.schedule.place.assign(problem_.workloads.size(), kAbsent);
  best.schedule.plans.resize(problem_.workloads.size());
  if (group == 0) return best;
  bool has_any = false;
  double bound = 0;
  std::size_t filled = 0;
  for (const Choice& choice : choices(group)) {
    const bool is_open =
        std::pair(choice.unmet, choice.bound) < std::pair(best.unmet, best.cost - kNothing);
    if (has_any && (!is_open || filled >= kMostFilled)) {
      if (is_open) bound = std::min(bound, choice.bound);
      break;
    }
    auto answer = fill(choice, group);
    if (!answer) continue;
    ++filled;
    bound = has_any ? std::min(bound, answer->bound) : answer->bound;
    if (has_any && std::pair(answer->unmet, answer->cost) >= std::pair(best.unmet, best.cost))
      continue;
    best = *std::move(answer);
    has_any = true;
  }
  best.bound = std::min(bound, best.cost);
  return best;
}

std::vector<int> Groups::load(const Schedule& schedule, std::size_t pool) const {
  std::vector<int> sum(problem_.hours.size(), 0);
  for (std::size_t i = 0; i < schedule.place.size(); ++i) {
    if (schedule.place[i] != static_cast<int>(pool)) continue;
    const Task& task = *problem_.workloads[i].on[pool];
    for (std::size_t t = 0; t < task.need.size(); ++t) sum[t] += task.need[t];
    for (std::size_t j = 0; j < task.jobs.size(); ++j) {
      const Plan& plan = schedule.plans[i][j];
      for (std::size_t t = 0; t < plan.size(); ++t)
        sum[task.jobs[j].from + t] += task.jobs[j].gang * plan[t];
    }
  }
  return sum;
}

std::vector<Bill> Groups::bills(const Schedule& schedule, std::size_t pool) const {
  const Pool& terms = problem_.pools[pool];
  if (terms.is_shared) {
    const auto bill = cheapest_bill(terms, problem_.hours, load(schedule, pool));
    return bill ? std::vector<Bill>{*bill} : std::vector<Bill>{};
  }
  std::vector<Bill> all;
  for (std::size_t i = 0; i < schedule.place.size(); ++i) {
    if (schedule.place[i] != static_cast<int>(pool)) continue;
    Schedule one = schedule;
    for (std::size_t w = 0; w < one.place.size(); ++w)
      if (w != i) one.place[w] = kAbsent;
    const auto bill = cheapest_bill(terms, problem_.hours, load(one, pool));
    if (!bill) return {};
    all.push_back(*bill);
  }
  return all;
}

std::optional<double> Groups::price(const Schedule& schedule) const {
  double cost = elsewhere(schedule.place);
  for (std::size_t pool = 0; pool < problem_.pools.size(); ++pool) {
    const bool is_used = std::find(schedule.place.begin(), schedule.place.end(),
                                   static_cast<int>(pool)) != schedule.place.end();
    if (!is_used) continue;
    const auto load_here = load(schedule, pool);
    const auto& most = problem_.pools[pool].most;
    if (most && *std::max_element(load_here.begin(), load_here.end()) > *most) return std::nullopt;
    const auto all = bills(schedule, pool);
    if (all.empty()) return std::nullopt;
    for (const Bill& bill : all) cost += bill.cost.base();
  }
  return cost;
}

// The group without a workload, and that one as it is alone, side by side.
void Groups::put_together(Group group, std::size_t workload, GroupAnswer& answer) {
  const Group alone = Group{1} << workload;
  const auto rest = answers_.find(group ^ alone);
  const auto own = answers_.find(alone);
  if (rest == answers_.end() || own == answers_.end()) return;
  const double unmet = rest->second.unmet + own->second.unmet;
  const double cost = rest->second.cost + own->second.cost;
  if (std::pair(unmet, cost) >= std::pair(answer.unmet, answer.cost - kNothing)) return;
  Schedule both = rest->second.schedule;
  both.place[workload] = own->second.schedule.place[workload];
  both.plans[workload] = own->second.schedule.plans[workload];
  const auto priced = price(both);
  if (!priced) return;
  answer = {std::move(both), *priced, std::min(answer.bound, *priced), unmet};
}

bool Groups::improve(Group group) {
  GroupAnswer& answer = answers_.at(group);
  const auto before = std::pair(answer.unmet, answer.cost);
  for (std::size_t i = 0; i < problem_.workloads.size(); ++i) {
    if (has(group, i)) {
      if (std::popcount(group) > 1) put_together(group, i, answer);
      continue;
    }
    const auto larger = answers_.find(group | Group{1} << i);
    if (larger == answers_.end()) continue;
    Schedule without = larger->second.schedule;
    const bool has_room = without.place[i] != kNoRoom;
    const double unmet = larger->second.unmet - (has_room ? 0.0 : weight(i));
    if (std::pair(unmet, larger->second.cost) >= std::pair(answer.unmet, answer.cost - kNothing))
      continue;
    without.place[i] = kAbsent;
    without.plans[i].clear();
    const auto priced = price(without);
    if (!priced) continue;
    answer = {std::move(without), *priced, std::min(answer.bound, *priced), unmet};
  }
  return std::pair(answer.unmet, answer.cost) < before;
}

void Groups::settle(const std::vector<Group>& asked) {
  for (const Group group : asked) cheapest(group);
  constexpr int kRounds = 20;
  bool is_better = true;
  for (int round = 0; round < kRounds && is_better; ++round) {
    is_better = false;
    for (auto each = answers_.rbegin(); each != answers_.rend(); ++each)
      if (each->first != 0 && improve(each->first)) is_better = true;
    for (const auto& [group, answer] : answers_)
      if (group != 0 && improve(group)) is_better = true;
  }
}

}  // namespace loadfactor::fleet
