#include "engine/plan/serving_planner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/cost/cost_answer.h"
#include "engine/plan/plan_levers.h"

namespace loadfactor::engine {
namespace {

void add_pool(const std::string& path, const serving::ServingLayout& layout, int replicas,
              std::vector<config::Edit>& edits) {
  const auto set = [&](const char* key, int degree) {
    edits.push_back({path + key, std::int64_t{degree}});
  };
  set(".tp", layout.tp);
  set(".pp", layout.pp);
  set(".replicas", replicas);
  if (layout.dp > 1) set(".dp", layout.dp);
  if (layout.ep > 1) set(".ep", layout.ep);
  if (layout.cp > 1) set(".cp", layout.cp);
}

// The deployment of a row, as values of the scenario.
std::vector<config::Edit> edits_of(const DeploymentRow& row) {
  std::vector<config::Edit> edits{{"hardware", std::vector<std::string>{row.accelerator}},
                                  {"capacity"},
                                  {"serve.deployment.gpu", row.accelerator},
                                  {"serve.precision", row.precision}};
  if (row.prompt_replicas > 0) {
    add_pool("serve.deployment.prefill", row.prompt_layout, row.prompt_replicas, edits);
    add_pool("serve.deployment.decode", row.layout, row.replicas, edits);
    return edits;
  }
  add_pool("serve.deployment", row.layout, row.replicas, edits);
  if (row.max_seqs > 0) edits.push_back({"serve.deployment.max_seqs", row.max_seqs});
  if (row.chunk > 0) edits.push_back({"serve.deployment.chunk", row.chunk});
  return edits;
}

bool is_mix(const std::string& kind) {
  return kind.starts_with("own+");
}

// An option that another one of the same machines is already, under another name and no dearer: a
// mix that rents nothing, machines by the hour that are never let go.
bool is_twin(const CostOption& option, const CostAnswer& cost, int gpus) {
  constexpr double kNothing = 0.05;  // GPUs; shown as 0.
  const bool by_hour = option.kind == "autoscaled" && option.gpus > gpus - kNothing;
  const bool base_alone = option.kind == "own+on-demand" && option.owned + option.reserved <= 0;
  if (!is_mix(option.kind) && !by_hour) return false;
  const std::string_view twin = by_hour ? "on-demand" : base_alone ? "autoscaled" : "own";
  return std::any_of(cost.options.begin(), cost.options.end(), [&](const CostOption& other) {
    return other.kind == twin && std::abs(other.gpus - option.gpus) < kNothing &&
           other.per_month.value() <= option.per_month.value() * (1 + 1e-9);
  });
}

}  // namespace

std::string procurement_name(const Procurement& how, const std::string& accelerator, int gpus) {
  constexpr double kNothing = 0.05;
  const bool by_hour = how.kind == "autoscaled";
  if (!by_hour && !is_mix(how.kind)) return how.name;
  if (by_hour)
    return how.paid > gpus - kNothing
               ? how.name
               : fmt::format("up to {} × {}, rented by the hour", gpus, accelerator);
  const auto owned = std::llround(how.owned);
  const auto reserved = std::llround(how.reserved);
  const auto rest = std::max<std::int64_t>(0, gpus - owned - reserved);
  std::vector<std::string> parts;
  const auto add = [&](const char* before, std::int64_t count, const char* after) {
    if (count <= 0) return;
    const std::string chip = parts.empty() ? fmt::format(" × {}", accelerator) : "";
    parts.push_back(fmt::format("{}{}{}{}", before, count, chip, after));
  };
  add("own ", owned, "");
  add("reserve ", reserved, "");
  add("up to ", rest, how.kind == "own+spot" ? " on spot" : " on demand");
  return fmt::format("{}", fmt::join(parts, ", "));
}

const CostOption* PricedRow::cheapest() const {
  const auto found = std::find_if(cost.options.begin(), cost.options.end(),
                                  [](const CostOption& option) { return option.kind != "api"; });
  return found == cost.options.end() ? nullptr : &*found;
}

namespace {

std::string name_of(const CostOption& option, const DeploymentRow& row) {
  return procurement_name({.kind = option.kind,
                           .name = option.name,
                           .paid = option.gpus,
                           .owned = option.owned,
                           .reserved = option.reserved},
                          row.accelerator, row.gpus);
}

}  // namespace

namespace {

// Why a price that is lower by the hour costs more by the month.
std::string dear_spot_words(const PricedRow& priced) {
  const CostOption* spot = nullptr;
  const CostOption* rent = nullptr;
  for (const auto& option : priced.cost.options) {
    if (option.kind == "spot") spot = &option;
    if (option.kind == "on-demand") rent = &option;
  }
  if (spot == nullptr || rent == nullptr || !priced.cost.spot) return {};
  if (spot->per_month.value() <= rent->per_month.value()) return {};
  return fmt::format(
      "{} on spot costs more than on demand: it pays {:.2f} hours for each useful "
      "one, being taken away every {:.0f} h",
      priced.row->accelerator, priced.cost.spot->multiplier,
      priced.cost.spot->between_interruptions.base() / 3600);
}

}  // namespace

bool ServingPlanner::price(const SearchAnswer& found, Diagnostics& diagnostics) {
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
  std::vector<std::string> texts;
  if (!question_.scenario().money.options.empty())
    for (const auto& priced : rows_)
      for (const auto& option : priced.cost.unpriced)
        texts.push_back(fmt::format("{} is left out: {}", option.name, option.why));
  for (const auto& [accelerator, why] : unpriced_)
    texts.push_back(fmt::format("{} is left out: {}", accelerator, why));
  for (const auto& priced : rows_)
    if (std::string words = dear_spot_words(priced); !words.empty())
      answer.notices.push_back({"dear-spot", Severity::kNote, std::move(words)});
  for (auto text = texts.begin(); text != texts.end(); ++text)
    if (std::find(texts.begin(), text, *text) == text)
      answer.notices.push_back({"no-price", Severity::kCaution, *text});
}

void ServingPlanner::add_options(PlanAnswer& answer) const {
  bool has_api = false;
  for (const auto& priced : rows_) {
    for (const auto& option : priced.cost.options) {
      const bool api = option.kind == "api";
      if (api && std::exchange(has_api, true)) continue;
      if (is_twin(option, priced.cost, priced.row->gpus)) continue;
      answer.options.push_back({option,
                                api ? std::string() : priced.row->accelerator,
                                option.per_month.value(),
                                {},
                                api ? 0 : priced.row->gpus});
      answer.options.back().cost.name = name_of(option, *priced.row);
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
  PricedRow priced{.row = &row, .fill = {}, .request = {}, .cost = {}};
  FillQuestion ask{.serving = question_.serving, .load_only = true};
  ask.serving.scenario = question_.scenario().with(edits_of(row));
  auto fill = fill_fleet(ask, engine_.catalog(), diagnostics);
  if (!fill) return std::nullopt;
  priced.fill = *std::move(fill);
  const double rate = priced.fill.replicas * priced.fill.replica.capacity.saturated.base();
  CostRequest& cost = priced.request;
  cost.scenario = ask.serving.scenario;
  cost.today = question_.today;
  cost.seed = question_.serving.seed;
  cost.draws = question_.draws;
  cost.demand = KnownDemand{.requests = priced.fill.mean,
                            .tokens_in = Tokens::from_base(priced.fill.input),
                            .tokens_out = Tokens::from_base(priced.fill.output)};
  cost.capacity = KnownCapacity{
      .gpus = static_cast<double>(priced.fill.gpus),
      .full_plane = TokensPerSecond::from_base(rate * (priced.fill.input + priced.fill.output)),
      .load_factor = priced.fill.load_factor.value(),
      .busy_by_hour =
          busy_hours(priced.fill.week, priced.fill.replica.capacity, priced.fill.replicas),
      .source = "fill"};
  auto answer = answer_cost(cost, engine_.catalog(), diagnostics);
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
    const bool lets_go = option.kind == "autoscaled" || is_mix(option.kind);
    if (option.kind == "api" || lets_go || !out.option.empty()) continue;
    out.option = option.name;
    out.per_month = option.per_month.value();
  }
  return out.option.empty() ? std::nullopt : std::optional(out);
}

}  // namespace loadfactor::engine
