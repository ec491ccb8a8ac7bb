// What to do about it, where the data can carry it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/calendar.h"
#include "engine/observe/observe.h"
#include "observe/read/batch_flag.h"
#include "observe/sharing.h"
#include "observe/thresholds.h"

namespace loadfactor::engine {
namespace {

using observe::Cause;
using observe::Loss;
using observe::WorkloadUse;

using observe::Thresholds;

double share_of(const WorkloadUse& use, double seconds) {
  const double all = use.use.total();
  return all > 0 ? seconds / all : 0;
}

Dollars per_month(const ObserveAnswer& answer, Dollars in_window) {
  return in_window * (kMonth.base() / std::max(1.0, answer.to - answer.from));
}

// What GPUs of one kind cost in a month.
Dollars price_of(const ObserveAnswer& answer, const std::string& kind, double gpus) {
  for (const PaidPrice& price : answer.prices)
    if (price.accelerator == kind) return price.price * Gpus::from_base(gpus) * kMonth;
  return {};
}

// What of spare GPUs stands in whole machines, the largest ones first.
double whole_machines(const observe::KindPeak& peak, double spare) {
  std::vector<double> sizes;
  for (const auto& [node, gpus] : peak.nodes) sizes.push_back(std::round(gpus));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  double given = 0;
  for (const double size : sizes)
    if (size >= 1 && given + size <= spare) given += size;
  return given;
}

// GPUs of a kind that were not held when most of it were, in whole machines, of each cluster.
void give_back(const observe::Account& account, ObserveAnswer& answer) {
  const auto is_held = [](const observe::KindPeak& peak) { return peak.held > 0; };
  if (answer.gpus == 0 || std::none_of(account.peaks.begin(), account.peaks.end(), is_held)) return;
  std::set<std::string> kinds;
  for (const observe::KindPeak& peak : account.peaks) kinds.insert(peak.kind);
  for (const observe::KindPeak& peak : account.peaks) {
    const double spare = std::floor(peak.paid - std::ceil(peak.held - 0.01) + 0.01);
    const double given = whole_machines(peak, spare);
    if (given < 1) continue;
    AdviceRow row{AdviceRow::Kind::kGiveBack, kinds.size() > 1 ? peak.kind : std::string(), "",
                  given, peak.held};
    row.saves = price_of(answer, peak.kind, given);
    row.other = peak.cluster;
    answer.advice.push_back(std::move(row));
  }
}

// A service that is idle between requests is no idle service.
bool is_asked(const ObserveAnswer& answer, const WorkloadUse& use) {
  return use.is_service &&
         std::none_of(answer.services.begin(), answer.services.end(), [&](const ServiceRow& row) {
           return row.team == use.team && row.name == use.name && row.is_unasked();
         });
}

// What holds GPUs no longer has none to give; one that held them for long may come again.
bool is_there(const WorkloadUse& use, const Thresholds& limits, double window) {
  const double long_enough = std::min(limits["advice_least_days"] * kDay.base(), window / 2);
  return use.holds_at_end || use.held_seconds >= long_enough;
}

// Those of a workload that are idle: of one that is idle as a whole, all that are; of another one
// the pods and jobs that still have something to give.
observe::IdleOwners idle_of(const WorkloadUse& use, const Thresholds& limits, double window) {
  const double idle = share_of(use, use.use[Cause::kIdle]);
  if (idle < limits["reclaim_idle"])
    return use.is_service ? observe::IdleOwners() : use.idle_to_give;
  if (!is_there(use, limits, window)) return {};
  if (use.is_service) return {use.use.total(), use.use[Cause::kIdle], use.mean_gpus};
  return use.idle_owners;
}

void reclaim(const observe::Account& account, const Thresholds& limits, ObserveAnswer& answer) {
  for (const WorkloadUse& use : account.uses) {
    if (use.workload < 0 || is_asked(answer, use) || use.is_guessed) continue;
    const observe::IdleOwners asked = idle_of(use, limits, answer.to - answer.from);
    if (asked.held <= 0) continue;
    const double others = use.use.total() - asked.held;
    AdviceRow row{AdviceRow::Kind::kReclaim,
                  use.team + "/" + use.name,
                  "",
                  asked.gpus,
                  asked.idle / asked.held,
                  price_of(answer, use.accelerator, asked.gpus)};
    row.of = asked.gpus + use.mean_gpus * std::max(0.0, others / use.use.total());
    answer.advice.push_back(std::move(row));
  }
}

// Replicas that the busiest hour leaves empty, with a fifth to spare.
void shrink(const Thresholds& limits, ObserveAnswer& answer) {
  for (const ServiceRow& row : answer.services) {
    if (!row.predicted || row.replicas < 2 || row.busiest_hour <= 0) continue;
    const double needed = std::max(
        1.0, std::ceil(row.busiest_hour * row.busiest_replicas / limits["shrink_fullness"] - 1e-9));
    const double fewer = row.replicas - needed;
    if (fewer < 1) continue;
    answer.advice.push_back({AdviceRow::Kind::kShrink, row.team + "/" + row.name,
                             fmt::format("serve.deployment.replicas={:.0f}", needed), fewer,
                             row.busiest_hour,
                             per_month(answer, row.cost * (fewer / row.replicas))});
  }
}

void move_to_api(const Thresholds& limits, ObserveAnswer& answer) {
  for (const ServiceRow& row : answer.services) {
    if (!row.api_cost || row.cost <= Dollars() ||
        *row.api_cost >= row.cost * limits["api_price_share"])
      continue;
    AdviceRow advice{AdviceRow::Kind::kMoveToApi, row.team + "/" + row.name,
                     "money.options=[api]",       static_cast<double>(row.replicas),
                     *row.api_cost / row.cost,    per_month(answer, row.cost - *row.api_cost)};
    advice.seller = row.api_name;
    answer.advice.push_back(std::move(advice));
  }
}

// Twice as many requests at once as a replica runs today.
double wider_batch(const ServiceRow& row) {
  return 2 * std::max(1.0, std::ceil(row.running / std::max(1, row.replicas) - 1e-9));
}

void raise_batch(const observe::Account& account, const Thresholds& limits, ObserveAnswer& answer) {
  for (const WorkloadUse& use : account.uses) {
    const double limited = share_of(use, use.use[Cause::kBatchLimit]);
    if (!use.is_service || limited < limits["raise_batch_share"]) continue;
    for (const ServiceRow& row : answer.services) {
      if (row.team != use.team || row.name != use.name) continue;
      AdviceRow advice{AdviceRow::Kind::kRaiseBatch,
                       row.team + "/" + row.name,
                       fmt::format("serve.deployment.max_seqs={:.0f}", wider_batch(row)),
                       row.running,
                       limited,
                       per_month(answer, row.cost * limited)};
      advice.flag = observe::batch_flag(row.engine);
      answer.advice.push_back(std::move(advice));
    }
  }
}

void mend(ObserveAnswer& answer) {
  for (const StragglerRow& row : answer.stragglers) {
    const bool is_rank = row.sign == observe::StragglerSign::kSteps;
    answer.advice.push_back({is_rank ? AdviceRow::Kind::kMendRank : AdviceRow::Kind::kMendNode,
                             is_rank ? row.gpu : row.node, "", 1, row.ratio, row.per_month});
  }
}

// Batch workloads that the GPUs of one could carry; those that hardly compute are reclaimed.
void consolidate(const observe::Account& account, const Thresholds& limits, ObserveAnswer& answer) {
  const observe::SharingRules rules{limits["share_room"], limits["share_least_gain"]};
  for (const auto& pair : find_sharers(account, rules)) {
    const WorkloadUse& host = account.uses[pair.host];
    const WorkloadUse& guest = account.uses[pair.guest];
    const double reclaimed = limits["reclaim_idle"];
    if (share_of(host, host.use[Cause::kIdle]) >= reclaimed ||
        share_of(guest, guest.use[Cause::kIdle]) >= reclaimed)
      continue;
    AdviceRow row{AdviceRow::Kind::kConsolidate,
                  guest.team + "/" + guest.name,
                  "",
                  pair.gpus,
                  pair.most_used,
                  price_of(answer, guest.accelerator, guest.mean_gpus * pair.share)};
    row.other = host.team + "/" + host.name;
    row.of = pair.host_gpus;
    answer.advice.push_back(std::move(row));
  }
}

void space_saves(const Thresholds& limits, ObserveAnswer& answer) {
  for (const TrainingRow& run : answer.training) {
    if (!run.best_save_every || run.save_gain < limits["save_least_gain"]) continue;
    const Dollars paid = price_of(answer, run.accelerator, run.gpus);
    AdviceRow row{AdviceRow::Kind::kSaveEvery,
                  run.scenario.empty() ? run.log : run.scenario,
                  "",
                  static_cast<double>(run.gpus),
                  run.best_save_every->base(),
                  paid * run.save_gain};
    row.of = run.save_every->base();
    answer.advice.push_back(std::move(row));
  }
}

}  // namespace

void add_advice(const observe::Account& account, ObserveAnswer& answer) {
  const Thresholds limits;
  if (answer.to - answer.from < limits["advice_least_days"] * kDay.base() ||
      answer.seen_share < limits["advice_least_seen"]) {
    answer.notices.push_back({.id = "too-little-seen"});
    return;
  }
  give_back(account, answer);
  reclaim(account, limits, answer);
  consolidate(account, limits, answer);
  shrink(limits, answer);
  move_to_api(limits, answer);
  raise_batch(account, limits, answer);
  mend(answer);
  space_saves(limits, answer);
  std::stable_sort(answer.advice.begin(), answer.advice.end(),
                   [](const AdviceRow& a, const AdviceRow& b) { return a.saves > b.saves; });
}

}  // namespace loadfactor::engine
