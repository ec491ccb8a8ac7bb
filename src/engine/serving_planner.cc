#include "engine/serving_planner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "config/document_text.h"
#include "engine/plan_levers.h"
#include "engine/plan_scenario.h"

namespace loadfactor::engine {
namespace {

// The deployment of a row, as values of the scenario.
std::vector<std::string> overrides_of(const DeploymentRow& row) {
  std::vector<std::string> set{fmt::format("hardware=[{}]", row.accelerator),
                               "capacity=",
                               "serve.deployment.prefill=",
                               "serve.deployment.decode=",
                               fmt::format("serve.deployment.gpu={}", row.accelerator),
                               fmt::format("serve.deployment.tp={}", row.layout.tp),
                               fmt::format("serve.deployment.pp={}", row.layout.pp),
                               fmt::format("serve.deployment.replicas={}", row.replicas)};
  if (row.layout.dp > 1) set.push_back(fmt::format("serve.deployment.dp={}", row.layout.dp));
  if (row.layout.ep > 1) set.push_back(fmt::format("serve.deployment.ep={}", row.layout.ep));
  if (row.max_seqs > 0) set.push_back(fmt::format("serve.deployment.max_seqs={}", row.max_seqs));
  if (row.chunk > 0) set.push_back(fmt::format("serve.deployment.chunk={}", row.chunk));
  if (row.precision != "16 bits") set.push_back(fmt::format("serve.precision={}", row.precision));
  return set;
}

// The mean lengths of a trace, for prices that differ for tokens in and out; none where the
// scenario states lengths itself.
std::vector<std::string> lengths_of(const ServingQuestion& question, const FillAnswer& fill) {
  const auto scenario = scenario_of(question);
  if (!scenario || !scenario->serve || !scenario->serve->demand) return {};
  const auto& demand = *scenario->serve->demand;
  if (demand.tokens_in || demand.tokens_out || !(fill.input > 0 && fill.output > 0)) return {};
  return {fmt::format("serve.demand.tokens_in={:.0f}", std::max(1.0, fill.input)),
          fmt::format("serve.demand.tokens_out={:.0f}", std::max(1.0, fill.output))};
}

// GPUs that must be on, hour by hour: whole replicas that keep the SLO, and never none.
std::vector<double> busy_hours(const FillAnswer& fill) {
  const auto& capacity = fill.replica.capacity;
  const double full = fill.replicas * capacity.saturated.base();
  std::vector<double> hours;
  for (const auto& day : fill.week.rate) {
    for (const double share : day) {
      if (share < 0) continue;  // Nothing is known of that hour.
      const double needed = std::ceil(share * full / capacity.at_slo.base() - 1e-9);
      const double replicas = std::clamp(needed, 1.0, static_cast<double>(fill.replicas));
      hours.push_back(replicas * fill.gpus / fill.replicas);
    }
  }
  return hours;
}

// A mix that rents next to nothing is the owned fleet under another name, where that is no dearer.
bool is_all_owned(const CostOption& option, const CostAnswer& cost) {
  constexpr double kNothing = 0.05;  // GPUs; shown as 0.
  if (!option.kind.starts_with("own+")) return false;
  return std::any_of(cost.options.begin(), cost.options.end(), [&](const CostOption& other) {
    return other.kind == "own" && std::abs(other.gpus - option.gpus) < kNothing &&
           other.per_month.value() <= option.per_month.value();
  });
}

}  // namespace

std::string row_name(const DeploymentRow& row) {
  std::string text =
      fmt::format("{} × {} ({} × tp {}", row.gpus, row.accelerator, row.replicas, row.layout.tp);
  if (row.layout.pp > 1) text += fmt::format(" pp {}", row.layout.pp);
  return text + fmt::format(", {})", row.precision);
}

const CostOption* PricedRow::cheapest() const {
  const auto found = std::find_if(cost.options.begin(), cost.options.end(),
                                  [](const CostOption& option) { return option.kind != "api"; });
  return found == cost.options.end() ? nullptr : &*found;
}

bool ServingPlanner::price(const SearchAnswer& found, Diagnostics& diagnostics) {
  std::map<std::string, bool> seen;
  for (const auto& row : found.rows) {
    if (std::exchange(seen[row.accelerator], true)) continue;
    auto priced = price_row(row, diagnostics);
    if (priced) rows_.push_back(*std::move(priced));
  }
  return !rows_.empty();
}

void ServingPlanner::add_options(PlanAnswer& answer) const {
  bool has_api = false;
  for (const auto& priced : rows_) {
    for (const auto& option : priced.cost.options) {
      const bool api = option.kind == "api";
      if (api && std::exchange(has_api, true)) continue;
      if (is_all_owned(option, priced.cost)) continue;
      answer.options.push_back(
          {option, api ? std::string() : priced.row->accelerator, option.per_month.value(), {}});
      // A mix is named by its numbers alone.
      if (rows_.size() > 1 && option.kind.starts_with("own+"))
        answer.options.back().cost.name += fmt::format(" ({})", priced.row->accelerator);
    }
  }
  std::stable_sort(answer.options.begin(), answer.options.end(),
                   [](const auto& a, const auto& b) { return a.amount < b.amount; });
  for (std::size_t i = 1; i < answer.options.size(); ++i)
    answer.options[i].why =
        fmt::format("{} more", dollars_text(answer.options[i].amount - answer.options[0].amount));
}

const PricedRow& ServingPlanner::chosen(const PlanAnswer& answer) const {
  for (const auto& option : answer.options)
    for (const auto& priced : rows_)
      if (priced.row->accelerator == option.accelerator) return priced;
  return rows_.front();
}

std::optional<PricedRow> ServingPlanner::price_row(const DeploymentRow& row,
                                                   Diagnostics& diagnostics) const {
  const auto set = overrides_of(row);
  PricedRow priced{.row = &row, .fill = {}, .request = {}, .cost = {}};
  FillQuestion ask{.serving = question_.serving, .load_only = true};
  const auto text = config::replaced_text(ask.serving.file, ask.serving.text, set);
  if (!text) return std::nullopt;
  ask.serving.text = *text;
  if (ask.serving.file.ends_with(".json")) ask.serving.file += ".yaml";
  auto fill = fill_fleet(ask, engine_.catalog(), diagnostics);
  if (!fill) return std::nullopt;
  priced.fill = *std::move(fill);
  const double rate = priced.fill.replicas * priced.fill.replica.capacity.saturated.base();
  CostRequest& cost = priced.request;
  cost.file = ask.serving.file;
  cost.text = *text;
  cost.today = question_.today;
  cost.seed = question_.serving.seed;
  cost.draws = question_.draws;
  cost.overrides = lengths_of(ask.serving, priced.fill);
  cost.capacity = KnownCapacity{
      .gpus = static_cast<double>(priced.fill.gpus),
      .full_plane = TokensPerSecond::from_base(rate * (priced.fill.input + priced.fill.output)),
      .load_factor = priced.fill.load_factor.value(),
      .busy_by_hour = busy_hours(priced.fill),
      .source = "fill"};
  auto answer = engine_.cost(cost, diagnostics);
  if (!answer) return std::nullopt;
  priced.cost = *std::move(answer);
  return priced;
}

std::optional<PricedDeployment> price_deployment(const Engine& engine, const PlanQuestion& question,
                                                 const DeploymentRow& row) {
  Diagnostics unread;
  constexpr std::int64_t kFewDraws = 64;  // Only the middle figures are read.
  PlanQuestion quick = question;
  quick.draws = kFewDraws;
  const auto priced = ServingPlanner(engine, quick).price_row(row, unread);
  if (!priced) return std::nullopt;
  PricedDeployment out;
  out.load_factor = priced->fill.load_factor.value();
  for (const auto& option : priced->cost.options) {
    if (option.kind == "api") out.api = option.per_month.value();
    if (option.kind == "api" || !out.option.empty()) continue;
    out.option = option.name;
    out.per_month = option.per_month.value();
  }
  return out.option.empty() ? std::nullopt : std::optional(out);
}

}  // namespace loadfactor::engine
