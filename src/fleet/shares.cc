// Who pays how much of what all cost together.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "base/random.h"
#include "fleet/groups.h"

namespace loadfactor::fleet {
namespace {

constexpr std::size_t kMostForAllOrders = 8;
constexpr int kSampledOrders = 24;

std::vector<std::vector<std::size_t>> sampled_orders(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, "fleet/orders");
  std::vector<std::vector<std::size_t>> orders;
  for (int i = 0; i < kSampledOrders; i += 2) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = count; k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    orders.push_back(order);
    std::reverse(order.begin(), order.end());  // Who came first comes last as well.
    orders.push_back(order);
  }
  return orders;
}

std::vector<Group> groups_of(const std::vector<std::vector<std::size_t>>& orders) {
  std::set<Group> all;
  for (const auto& order : orders) {
    Group group = 0;
    for (const std::size_t i : order) all.insert(group |= Group{1} << i);
  }
  return {all.begin(), all.end()};
}

std::vector<double> by_all_orders(Groups& groups, std::size_t count) {
  std::vector<double> fair(count, 0.0);
  for (Group group = 0; group <= groups.everyone(); ++group) {
    for (std::size_t i = 0; i < count; ++i) {
      if ((group >> i & 1U) != 0) continue;
      const double size = std::popcount(group);
      double ways = static_cast<double>(count);  // Orders in which exactly these come before.
      for (double k = 0; k < size; ++k) ways *= (static_cast<double>(count) - 1 - k) / (k + 1);
      fair[i] += (groups.cheapest(group | Group{1} << i).cost - groups.cheapest(group).cost) / ways;
    }
  }
  return fair;
}

std::vector<double> by_orders(Groups& groups, const std::vector<std::vector<std::size_t>>& orders) {
  std::vector<double> fair(orders.front().size(), 0.0);
  for (const auto& order : orders) {
    Group group = 0;
    for (const std::size_t i : order) {
      const double before = groups.cheapest(group).cost;
      group |= Group{1} << i;
      fair[i] += (groups.cheapest(group).cost - before) / static_cast<double>(orders.size());
    }
  }
  return fair;
}

// Where machines are scarce a share may exceed what its workload alone would cost: the rest is
// borne by those who still gain.
void cap_at_alone(const std::vector<double>& alone, std::vector<double>& fair) {
  double excess = 0, slack = 0;
  for (std::size_t i = 0; i < fair.size(); ++i) {
    excess += std::max(0.0, fair[i] - alone[i]);
    slack += std::max(0.0, alone[i] - fair[i]);
  }
  if (excess <= 0 || slack < excess) return;
  for (std::size_t i = 0; i < fair.size(); ++i)
    fair[i] = fair[i] > alone[i] ? alone[i] : fair[i] + (alone[i] - fair[i]) * excess / slack;
}

}  // namespace

Shares share_out(Groups& groups, std::size_t workloads, std::uint64_t seed) {
  Shares shares;
  const Group everyone = groups.everyone();
  std::vector<Group> asked{everyone};
  for (std::size_t i = 0; i < workloads; ++i) {
    asked.push_back(Group{1} << i);
    asked.push_back(everyone ^ Group{1} << i);
  }
  std::vector<std::vector<std::size_t>> orders;
  shares.is_sampled = workloads > kMostForAllOrders;
  if (shares.is_sampled) {
    orders = sampled_orders(workloads, seed);
    for (const Group group : groups_of(orders)) asked.push_back(group);
  } else {
    asked.clear();
    for (Group group = 0; group <= everyone; ++group) asked.push_back(group);
  }
  groups.settle(asked);
  for (std::size_t i = 0; i < workloads; ++i) {
    shares.alone.push_back(groups.cheapest(Group{1} << i).cost);
    shares.marginal.push_back(groups.cheapest(everyone).cost -
                              groups.cheapest(everyone ^ Group{1} << i).cost);
  }
  shares.fair = shares.is_sampled ? by_orders(groups, orders) : by_all_orders(groups, workloads);
  cap_at_alone(shares.alone, shares.fair);
  return shares;
}

}  // namespace loadfactor::fleet
