// Who pays how much of what all cost together.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "base/random.h"
#include "fleet/groups.h"

namespace loadfactor::fleet {
namespace {

constexpr std::size_t kMostForAllOrders = 8;
constexpr int kSampledOrders = 24;

using Members = std::vector<std::size_t>;

// Who has a place when all come; the others get nothing, and pay nothing.
Members served_of(Groups& groups, std::size_t workloads) {
  Members served;
  const auto& place = groups.cheapest(groups.everyone()).schedule.place;
  for (std::size_t i = 0; i < workloads; ++i)
    if (place[i] != kNoRoom) served.push_back(i);
  return served;
}

Group group_of(const Members& members, Group picked) {
  Group group = 0;
  for (std::size_t k = 0; k < members.size(); ++k)
    if ((picked >> k & 1U) != 0) group |= Group{1} << members[k];
  return group;
}
Group all_of(const Members& members) {
  return group_of(members, (Group{1} << members.size()) - 1);
}

std::vector<Members> sampled_orders(const Members& members, std::uint64_t seed) {
  RandomStream random(seed, "fleet/orders");
  std::vector<Members> orders;
  for (int i = 0; i < kSampledOrders; i += 2) {
    Members order = members;
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    orders.push_back(order);
    std::reverse(order.begin(), order.end());  // Who came first comes last as well.
    orders.push_back(order);
  }
  return orders;
}

std::vector<Group> groups_of(const std::vector<Members>& orders) {
  std::set<Group> all;
  for (const auto& order : orders) {
    Group group = 0;
    for (const std::size_t i : order) all.insert(group |= Group{1} << i);
  }
  return {all.begin(), all.end()};
}

void by_all_orders(Groups& groups, const Members& members, std::vector<double>& fair) {
  const std::size_t count = members.size();
  for (Group picked = 0; picked < Group{1} << count; ++picked) {
    const double size = std::popcount(picked);
    double ways = static_cast<double>(count);  // Orders in which exactly these come before.
    for (double k = 0; k < size; ++k) ways *= (static_cast<double>(count) - 1 - k) / (k + 1);
    const Group group = group_of(members, picked);
    for (std::size_t k = 0; k < count; ++k) {
      if ((picked >> k & 1U) != 0) continue;
      const double with = groups.cheapest(group | Group{1} << members[k]).cost;
      fair[members[k]] += (with - groups.cheapest(group).cost) / ways;
    }
  }
}

void by_orders(Groups& groups, const std::vector<Members>& orders, std::vector<double>& fair) {
  for (const Members& order : orders) {
    Group group = 0;
    for (const std::size_t i : order) {
      const double before = groups.cheapest(group).cost;
      group |= Group{1} << i;
      fair[i] += (groups.cheapest(group).cost - before) / static_cast<double>(orders.size());
    }
  }
}

// Where machines are scarce a share may exceed what its workload alone would cost: the rest is
// borne by those who still gain.
void cap_at_alone(const std::vector<double>& alone, const Members& members,
                  std::vector<double>& fair) {
  double excess = 0, slack = 0;
  for (const std::size_t i : members) {
    excess += std::max(0.0, fair[i] - alone[i]);
    slack += std::max(0.0, alone[i] - fair[i]);
  }
  if (excess <= 0 || slack < excess) return;
  for (const std::size_t i : members)
    fair[i] = fair[i] > alone[i] ? alone[i] : fair[i] + (alone[i] - fair[i]) * excess / slack;
}

}  // namespace

Shares share_out(Groups& groups, std::size_t workloads, std::uint64_t seed) {
  Shares shares;
  const Members served = served_of(groups, workloads);
  const Group together = all_of(served);
  std::vector<Group> asked{groups.everyone(), together};
  for (std::size_t i = 0; i < workloads; ++i) asked.push_back(Group{1} << i);
  for (const std::size_t i : served) asked.push_back(together ^ Group{1} << i);
  std::vector<Members> orders;
  shares.is_sampled = served.size() > kMostForAllOrders;
  if (shares.is_sampled) {
    orders = sampled_orders(served, seed);
    for (const Group group : groups_of(orders)) asked.push_back(group);
  } else {
    for (Group picked = 0; picked < Group{1} << served.size(); ++picked)
      asked.push_back(group_of(served, picked));
  }
  groups.settle(asked);
  shares.marginal.assign(workloads, 0.0);
  shares.fair.assign(workloads, 0.0);
  for (std::size_t i = 0; i < workloads; ++i)
    shares.alone.push_back(groups.cheapest(Group{1} << i).cost);
  for (const std::size_t i : served)
    shares.marginal[i] =
        groups.cheapest(together).cost - groups.cheapest(together ^ Group{1} << i).cost;
  if (shares.is_sampled)
    by_orders(groups, orders, shares.fair);
  else
    by_all_orders(groups, served, shares.fair);
  cap_at_alone(shares.alone, served, shares.fair);
  return shares;
}

}  // namespace loadfactor::fleet
