// What to do about it, where the data can carry it.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/calendar.h"
#include "engine/observe/observe.h"

namespace loadfactor::engine {
namespace {

using observe::Cause;
using observe::Loss;
using observe::WorkloadUse;

constexpr Seconds kShortest = kDay;  // Less than a day says nothing of a week.
constexpr double kLeastSeen = 0.5;

double share_of(const WorkloadUse& use, double seconds) {
  const double all = use.use.total();
  return all > 0 ? seconds / all : 0;
}

Dollars per_month(const ObserveAnswer& answer, Dollars in_window) {
  return in_window * (kMonth.base() / std::max(1.0, answer.to - answer.from));
}

// GPUs that were never held, in whole machines where there are any.
void give_back(const observe::Account& account, ObserveAnswer& answer) {
  if (account.held.empty() || answer.gpus == 0) return;
  const double most = *std::max_element(account.held.begin(), account.held.end());
  double spare = std::floor(account.most_gpus - std::ceil(most - 0.01) + 0.01);
  const double each =
      answer.nodes > 0 ? std::round(static_cast<double>(answer.gpus) / answer.nodes) : 1;
  if (each > 1) spare = std::floor(spare / each) * each;
  if (spare < 1 || most <= 0) return;
  const double share = spare / std::max(1.0, account.gpus);
  answer.advice.push_back({AdviceRow::Kind::kGiveBack, "", "", spare, most,
                           answer.per_hour * (kMonth / kHour * share)});
}

void reclaim(const observe::Account& account, ObserveAnswer& answer) {
  constexpr double kMostlyIdle = 0.8;
  for (const WorkloadUse& use : account.uses) {
    const double idle = share_of(use, use.use[Cause::kIdle]);
    if (use.workload < 0 || use.is_service || idle < kMostlyIdle) continue;
    Dollars cost;
    for (const UseGroup& group : answer.groups)
      if (group.by == GroupBy::kWorkload && group.name == use.team + "/" + use.name)
        cost = group.cost;
    answer.advice.push_back({AdviceRow::Kind::kReclaim, use.team + "/" + use.name, "",
                             use.mean_gpus, idle, per_month(answer, cost)});
  }
}

// Replicas that the busiest hour leaves empty, with a fifth to spare.
void shrink(ObserveAnswer& answer) {
  constexpr double kFullEnough = 0.8;
  for (const ServiceRow& row : answer.services) {
    if (!row.predicted || row.replicas < 2 || row.busiest_hour <= 0) continue;
    const double needed =
        std::max(1.0, std::ceil(row.busiest_hour * row.replicas / kFullEnough - 1e-9));
    const double fewer = row.replicas - needed;
    if (fewer < 1) continue;
    answer.advice.push_back({AdviceRow::Kind::kShrink, row.team + "/" + row.name,
                             fmt::format("serve.deployment.replicas={:.0f}", needed), fewer,
                             row.busiest_hour,
                             per_month(answer, row.cost * (fewer / row.replicas))});
  }
}

void move_to_api(ObserveAnswer& answer) {
  constexpr double kClearly = 0.8;
  for (const ServiceRow& row : answer.services) {
    if (!row.api_cost || row.cost <= Dollars() || *row.api_cost >= row.cost * kClearly) continue;
    answer.advice.push_back({AdviceRow::Kind::kMoveToApi, row.team + "/" + row.name,
                             "money.options=[api]", static_cast<double>(row.replicas),
                             *row.api_cost / row.cost,
                             per_month(answer, row.cost - *row.api_cost)});
  }
}

void raise_batch(const observe::Account& account, ObserveAnswer& answer) {
  constexpr double kWorthIt = 0.1;
  for (const WorkloadUse& use : account.uses) {
    const double limited = share_of(use, use.use[Cause::kBatchLimit]);
    if (!use.is_service || limited < kWorthIt) continue;
    for (const ServiceRow& row : answer.services)
      if (row.team == use.team && row.name == use.name)
        answer.advice.push_back({AdviceRow::Kind::kRaiseBatch, row.team + "/" + row.name,
                                 "serve.deployment.max_seqs", row.running, limited,
                                 per_month(answer, row.cost * limited)});
  }
}

void mend(ObserveAnswer& answer) {
  for (const StragglerRow& row : answer.stragglers)
    answer.advice.push_back(
        {AdviceRow::Kind::kMendNode, row.node, "", 1, row.ratio, row.per_month});
}

}  // namespace

void add_advice(const observe::Account& account, ObserveAnswer& answer) {
  if (answer.to - answer.from < kShortest.base() || answer.seen_share < kLeastSeen) {
    answer.notices.push_back({.id = "too-little-seen"});
    return;
  }
  give_back(account, answer);
  reclaim(account, answer);
  shrink(answer);
  move_to_api(answer);
  raise_batch(account, answer);
  mend(answer);
  std::stable_sort(answer.advice.begin(), answer.advice.end(),
                   [](const AdviceRow& a, const AdviceRow& b) { return a.saves > b.saves; });
}

}  // namespace loadfactor::engine
