#include "engine/plan/serving_planner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/fill/sizing.h"
#include "engine/plan/plan_levers.h"

namespace loadfactor::engine {
namespace {

// Machines by the hour that are never let go are machines on demand under another name.
bool is_twin(const CostOption& option, const CostAnswer& cost, int gpus) {
  constexpr double kNothing = 0.05;  // GPUs; shown as 0.
  if (option.kind != OptionKind::kAutoscaled || option.gpus <= gpus - kNothing) return false;
  return std::any_of(cost.options.begin(), cost.options.end(), [&](const CostOption& other) {
    return other.kind == OptionKind::kOnDemand &&
           other.per_month.value() <= option.per_month.value() * (1 + 1e-9);
  });
}

}  // namespace

const CostOption* PricedRow::cheapest() const {
  const auto found =
      std::find_if(cost.options.begin(), cost.options.end(),
                   [](const CostOption& option) { return option.kind != OptionKind::kApi; });
  return found == cost.options.end() ? nullptr : &*found;
}

namespace {

// A price that is lower by the hour and costs more by the month; nothing where it does not.
std::optional<Notice> note_dear_spot(const PricedRow& priced) {
  const CostOption* spot = nullptr;
  const CostOption* rent = nullptr;
  for (const auto& option : priced.cost.options) {
    if (option.kind == OptionKind::kSpot) spot = &option;
    if (option.kind == OptionKind::kOnDemand) rent = &option;
  }
  if (spot == nullptr || rent == nullptr || !priced.cost.spot) return std::nullopt;
  if (spot->per_month.value() <= rent->per_month.value()) return std::nullopt;
  const double hours = priced.cost.spot->between_interruptions.base() / 3600;
  return Notice{.id = "dear-spot",
                .arguments = {{"accelerator", priced.row->accelerator},
                              {"hours_paid", fmt::format("{:.2f}", priced.cost.spot->multiplier)},
                              {"interval", fmt::format("{:.0f} h", hours)}}};
}

}  // namespace

bool ServingPlanner::price(const SizeAnswer& found, Diagnostics& diagnostics) {
  std::map<std::string, bool> seen;
  for (const auto& row : found.rows) {
    if (std::exchange(seen[row.accelerator], true)) continue;
    Diagnostics problems;
    auto priced = price_row(row, problems);
    if (priced) {
      rows_.push_back(*std::move(priced));
      continue;
    }
    if (!problems.errors().empty()) {
      const Error& error = problems.errors()[0];
      unpriced_.emplace_back(row.accelerator,
                             error.message + (error.hint.empty() ? "" : ": " + error.hint));
    }
    diagnostics.add_all(problems);
  }
  return !rows_.empty();
}

void ServingPlanner::add_unpriced(PlanAnswer& answer) const {
  std::vector<Notice> left_out;
  const auto leave_out = [&](const std::string& what, const std::string& why) {
    left_out.push_back({.id = "no-price", .arguments = {{"what", what}, {"why", why}}});
  };
  if (!question_.scenario().money.options.empty())
    for (const auto& priced : rows_)
      for (const auto& option : priced.cost.unpriced) leave_out(option.name, option.why);
  for (const auto& [accelerator, why] : unpriced_) leave_out(accelerator, why);
  for (const auto& priced : rows_)
    if (auto dear = note_dear_spot(priced)) answer.notices.push_back(*std::move(dear));
  for (auto notice = left_out.begin(); notice != left_out.end(); ++notice)
    if (std::find(left_out.begin(), notice, *notice) == notice) answer.notices.push_back(*notice);
}

void ServingPlanner::add_options(const PricedRow& chosen, PlanAnswer& answer) const {
  for (const auto& priced : rows_) {
    for (const auto& option : priced.cost.options) {
      const bool api = option.kind == OptionKind::kApi;
      if (api && &priced != &chosen) continue;
      if (is_twin(option, priced.cost, priced.row->gpus)) continue;
      const double always =
          is_mix(option.kind) ? option.owned + option.reserved : std::ceil(option.gpus - 1e-9);
      const int paid = static_cast<int>(always);
      answer.options.push_back({option, api ? std::string() : priced.row->accelerator,
                                option.per_month.value(),
                                api ? 0 : std::max(priced.row->gpus, paid)});
    }
  }
  std::stable_sort(answer.options.begin(), answer.options.end(),
                   [](const auto& a, const auto& b) { return a.amount < b.amount; });
  for (std::size_t i = 1; i < answer.options.size(); ++i)
    answer.options[i].more = answer.options[i].amount - answer.options[0].amount;
}

const PricedRow& ServingPlanner::chosen(const SizeAnswer& found) const {
  const std::string& accelerator = found.rows[found.chosen].accelerator;
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const PricedRow& priced) {
    return priced.row->accelerator == accelerator;
  });
  return row == rows_.end() ? rows_.front() : *row;
}

std::optional<PricedRow> ServingPlanner::price_row(const DeploymentRow& row,
                                                   Diagnostics& diagnostics) const {
  auto filled = fill_row(question_.serving, row, engine_.catalog(), diagnostics);
  if (!filled) return std::nullopt;
  CostInputs& request = filled->cost;
  request.today = question_.today;
  request.draws = question_.draws;
  auto answer = answer_cost(request, engine_.catalog(), diagnostics);
  if (!answer) return std::nullopt;
  return PricedRow{.row = &row,
                   .fill = std::move(filled->fill),
                   .request = std::move(request),
                   .cost = *std::move(answer)};
}

std::optional<PricedDeployment> price_deployment(const Core& engine, const PlanInputs& question,
                                                 const DeploymentRow& row) {
  Diagnostics unread;
  constexpr std::int64_t kFewDraws = 64;  // Only the middle figures are read.
  PlanInputs quick = question;
  quick.draws = kFewDraws;
  const auto priced = ServingPlanner(engine, quick).price_row(row, unread);
  if (!priced) return std::nullopt;
  PricedDeployment out;
  bool is_priced = false;
  out.load_factor = priced->fill.load_factor.value();
  for (const auto& option : priced->cost.options) {
    const bool by_api = option.kind == OptionKind::kApi;
    if (by_api) out.api = option.per_month.value();
    const bool lets_go = economics::comes_and_goes(option.kind);
    if (by_api || lets_go || is_priced) continue;
    is_priced = true;
    out.option = option.name;
    out.per_month = option.per_month.value();
  }
  return is_priced ? std::optional(out) : std::nullopt;
}

}  // namespace loadfactor::engine
