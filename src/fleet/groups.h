// What any group of the workloads costs, and who pays how much.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "fleet/bill.h"
#include "fleet/filling.h"
#include "fleet/problem.h"

namespace loadfactor::fleet {

using Group = std::uint32_t;  // A bit for each workload.

// Places and plans of a group with what they cost.
struct GroupAnswer {
  Schedule schedule;
  double cost = 0;   // USD: machines by every way to pay, and what is elsewhere.
  double bound = 0;  // No schedule costs less.
  double unmet =
      0;  // Weight of workloads that have no room; the lower the better, before all cost.
};

class Groups {
 public:
  explicit Groups(const Problem& problem);

  // Best first by bounds, so that few groups are filled. Kept.
  const GroupAnswer& cheapest(Group group);
  Group everyone() const { return (Group{1} << problem_.workloads.size()) - 1; }

  // GPUs of a schedule on a pool, slot by slot.
  std::vector<int> load(const Schedule& schedule, std::size_t pool) const;
  // The bills of a pool: one, or one for each workload where it is not shared.
  std::vector<Bill> bills(const Schedule& schedule, std::size_t pool) const;
  // The cost of a schedule; nothing where a pool cannot hold it.
  std::optional<double> price(const Schedule& schedule) const;

  // Makes two laws hold among groups: none costs more than a part of it and the rest alone side by
  // side, and none costs more than a larger one. Where the search missed that, the schedules are
  // put together, or a workload is taken out.
  void settle(const std::vector<Group>& asked);

 private:
  struct Choice {
    double bound = 0;
    double unmet = 0;
    std::vector<int> place;
  };
  std::vector<Job> jobs(std::size_t pool, Group group) const;
  std::vector<int> online(std::size_t pool, Group group) const;
  double bound(std::size_t pool, Group group);
  const Filled& filled(std::size_t pool, Group group);
  std::vector<Choice> choices(Group group);
  std::optional<GroupAnswer> fill(const Choice& choice, Group group);
  double elsewhere(const std::vector<int>& place) const;
  double weight(std::size_t workload) const;
  void put_together(Group group, std::size_t workload, GroupAnswer& answer);
  bool improve(Group group);

  const Problem& problem_;
  std::vector<PoolPrices> prices_;
  std::map<std::pair<std::size_t, Group>, double> bounds_;
  std::map<std::pair<std::size_t, Group>, Filled> filled_;
  std::map<Group, GroupAnswer> answers_;
};

// What each workload pays.
struct Shares {
  std::vector<double> alone;     // By itself.
  std::vector<double> marginal;  // What the bill falls by without it.
  std::vector<double> fair;      // What it adds on average over the orders in which they may come.
  bool is_sampled = false;       // Not all orders: there are too many.
};
// Who has no room pays nothing. Fair shares sum to the cost of everyone, and none is more than its
// workload alone costs, unless all alone together cost less than everyone.
Shares share_out(Groups& groups, std::size_t workloads, std::uint64_t seed);

}  // namespace loadfactor::fleet
