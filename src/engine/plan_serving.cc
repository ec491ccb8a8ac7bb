// A service: sized over the candidates, filled with its demand, priced every way.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "config/document_text.h"
#include "config/override.h"
#include "engine/fill.h"
#include "engine/plan.h"
#include "engine/plan_close.h"
#include "engine/plan_levers.h"
#include "engine/plan_scenario.h"
#include "engine/serve_search.h"

namespace loadfactor::engine {
namespace {

std::string row_name(const DeploymentRow& row) {
  std::string text =
      fmt::format("{} × {} ({} × tp {}", row.gpus, row.accelerator, row.replicas, row.layout.tp);
  if (row.layout.pp > 1) text += fmt::format(" pp {}", row.layout.pp);
  return text + fmt::format(", {})", row.precision);
}

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
      const double needed = std::ceil(std::max(0.0, share) * full / capacity.at_slo.base() - 1e-9);
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

// One accelerator's cheapest deployment with its fill and its prices.
struct PricedRow {
  const DeploymentRow* row = nullptr;
  FillAnswer fill;
  CostRequest request;
  CostAnswer cost;
};

class ServingPlanner {
 public:
  ServingPlanner(const Engine& engine, const PlanQuestion& question)
      : engine_(engine), question_(question) {}

  // False, with the reasons, where a part has errors.
  bool price(const SearchAnswer& found, Diagnostics& diagnostics) {
    std::map<std::string, bool> seen;
    for (const auto& row : found.rows) {
      if (std::exchange(seen[row.accelerator], true)) continue;
      auto priced = price_row(row, diagnostics);
      if (priced) rows_.push_back(*std::move(priced));
    }
    return !rows_.empty();
  }

  void add_options(PlanAnswer& answer) const {
    bool has_api = false;
    for (const auto& priced : rows_) {
      for (const auto& option : priced.cost.options) {
        const bool api = option.kind == "api";
        if (api && std::exchange(has_api, true)) continue;
        if (is_all_owned(option, priced.cost)) continue;
        answer.options.push_back(
            {option, api ? std::string() : priced.row->accelerator, option.per_month.value(), {}});
      }
    }
    std::stable_sort(answer.options.begin(), answer.options.end(),
                     [](const auto& a, const auto& b) { return a.amount < b.amount; });
    for (std::size_t i = 1; i < answer.options.size(); ++i)
      answer.options[i].why =
          fmt::format("{} more", dollars_text(answer.options[i].amount - answer.options[0].amount));
  }

  // The machines behind the cheapest option that has any.
  const PricedRow& chosen(const PlanAnswer& answer) const {
    for (const auto& option : answer.options)
      for (const auto& priced : rows_)
        if (priced.row->accelerator == option.accelerator) return priced;
    return rows_.front();
  }
  const std::vector<PricedRow>& rows() const { return rows_; }

  std::optional<PricedRow> price_row(const DeploymentRow& row, Diagnostics& diagnostics) const {
    const auto set = overrides_of(row);
    PricedRow priced{.row = &row, .fill = {}, .request = {}, .cost = {}};
    FillQuestion ask{.serving = question_.serving};
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

 private:
  const Engine& engine_;
  const PlanQuestion& question_;
  std::vector<PricedRow> rows_;
};

PlanMachine machine_of(const PricedRow& priced, const catalog::Catalog& catalog) {
  const DeploymentRow& row = *priced.row;
  PlanMachine machine;
  machine.accelerator = row.accelerator;
  machine.title = priced.fill.accelerator_title;
  machine.precision = row.precision;
  machine.layout =
      fmt::format("{} {} of tp {}, pp {}", row.replicas, row.replicas == 1 ? "replica" : "replicas",
                  row.layout.tp, row.layout.pp);
  machine.gpus = row.gpus;
  machine.replicas = row.replicas;
  machine.tp = row.layout.tp;
  machine.pp = row.layout.pp;
  const auto chip = catalog.find_accelerator(row.accelerator);
  if (chip) {
    machine.gpus_per_node = std::clamp((*chip)->scale_up.domain, 1, 8);
    machine.link = (*chip)->scale_up.link;
    const auto node = catalog.find_node((*chip)->node);
    if (node && (*node)->gpus > 0) machine.gpus_per_node = (*node)->gpus;
  }
  machine.nodes = (row.gpus + machine.gpus_per_node - 1) / machine.gpus_per_node;
  add_building(priced.cost, machine);
  add_links(catalog, machine);
  return machine;
}

void add_fill(const FillAnswer& fill, PlanAnswer& answer) {
  answer.load_factor = fill.load_factor;
  for (const auto& day : fill.week.rate)
    for (const double share : day) answer.week.push_back(std::max(0.0, share));
  const auto& losses = fill.load.losses;
  answer.losses = {{"demand", losses.demand},
                   {"shape", losses.shape},
                   {"headroom", losses.headroom},
                   {"slo", losses.slo},
                   {"rounding", losses.rounding}};
  for (const auto& point : fill.curve) {
    answer.curve.push_back({point.gpus, point.load_factor, point.within_slo});
    if (point.is_knee) answer.knee = point.gpus;
  }
}

// What one GPU of a replica holds, and what a step of it does.
void add_replica(const Engine& engine, const PricedRow& priced, const PlanQuestion& question,
                 PlanAnswer& answer) {
  ServeRequest request;
  request.file = priced.request.file;
  request.text = priced.request.text;
  request.model_files = question.serving.model_files;
  Diagnostics unread;
  const auto serve = engine.serve(request, unread);
  const auto chip = engine.catalog().find_accelerator(priced.row->accelerator);
  if (!serve || !chip) return;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  const double weights = serve->weights_per_gpu.value().base() / kGib;
  const double cache = serve->kv_per_gpu.value().base() / kGib;
  const double all = (*chip)->memory.usable.base() / kGib;
  answer.memory = {{"", "weights", weights},
                   {"", "KV cache", cache},
                   {"", "engine, activations and free", std::max(0.0, all - weights - cache)}};
  for (const auto& part : serve->parts) {
    if (part.decode > Seconds())
      answer.steps.push_back({"decode", part.name, 1e3 * part.decode.base()});
    if (part.prompt > Seconds())
      answer.steps.push_back({"with a prompt", part.name, 1e3 * part.prompt.base()});
  }
  for (const auto& fact : serve->facts) answer.facts.push_back(fact);
}

// GPUs of the fleet the scenario says is there; 0: none.
int present_gpus(const PlanQuestion& question, const catalog::Catalog& catalog) {
  const auto scenario = scenario_of(question.serving);
  if (!scenario || !scenario->serve->deployment) return 0;
  const auto& deployment = *scenario->serve->deployment;
  if (!deployment.pool.replicas) return 0;
  Diagnostics unread;
  const auto fill = fill_fleet({.serving = question.serving}, catalog, unread);
  return fill ? fill->gpus : 0;
}

// The accelerators' cheapest ways, the answer's first.
std::vector<ServingCandidate> candidates_of(const ServingPlanner& planner,
                                            const PlanAnswer& answer) {
  std::vector<ServingCandidate> found;
  for (const auto& priced : planner.rows()) {
    const auto cheapest = std::find_if(priced.cost.options.begin(), priced.cost.options.end(),
                                       [](const auto& option) { return option.kind != "api"; });
    if (cheapest == priced.cost.options.end()) continue;
    const bool ours = priced.row->accelerator == answer.machine->accelerator;
    found.insert(ours ? found.begin() : found.end(),
                 {priced.row->accelerator, priced.row->gpus, cheapest->per_month});
  }
  return found;
}

void add_runners(const ServingPlanner& planner, const SearchAnswer& found, PlanAnswer& answer) {
  for (const auto& priced : planner.rows()) {
    if (priced.row->accelerator == answer.machine->accelerator || priced.cost.options.empty())
      continue;
    const auto cheapest = std::find_if(priced.cost.options.begin(), priced.cost.options.end(),
                                       [](const auto& option) { return option.kind != "api"; });
    if (cheapest == priced.cost.options.end()) continue;
    answer.runners.push_back(
        {row_name(*priced.row), cheapest->per_month.value(),
         fmt::format("{} full at {} GPUs, cheapest {}: {} above the answer",
                     percent_text(priced.fill.load_factor.value()), priced.row->gpus,
                     cheapest->kind,
                     dollars_text(cheapest->per_month.value() - answer.options[0].amount))});
  }
  for (const auto& row : found.rows) {
    if (answer.runners.size() >= 5) break;
    if (row.accelerator != answer.machine->accelerator || row.gpus == answer.machine->gpus)
      continue;
    if (!row.per_hour) continue;
    answer.runners.push_back({row_name(row), *row.per_hour * 730.0,
                              fmt::format("{} GPUs against {} for the same promise (on demand)",
                                          row.gpus, answer.machine->gpus)});
  }
  for (const auto& row : found.pareto) {
    if (!row.per_mtoken) continue;
    answer.front.push_back(
        {row_name(row), 1e3 * row.tpot.base(), row.per_mtoken->base(),
         row.gpus == answer.machine->gpus && row.accelerator == answer.machine->accelerator});
  }
  answer.front_x = "TPOT (ms)";
  answer.front_y = found.has_prices ? "$/M tokens" : "GPU-hours/M tokens";
}

// What the scenario limits and no plan of a service looks at.
void note_unused_limits(const PlanQuestion& question, PlanAnswer& answer) {
  const auto scenario = scenario_of(question.serving);
  if (!scenario) return;
  std::vector<std::string> unused;
  if (scenario->limits.budget && !scenario->train) unused.emplace_back("limits.budget");
  if (scenario->limits.site_power) unused.emplace_back("limits.site_power");
  if (scenario->limits.rack_power) unused.emplace_back("limits.rack_power");
  if (unused.empty()) return;
  answer.notices.push_back({"not-considered", Severity::kCaution,
                            fmt::format("not looked at when a service is planned: {}; compare "
                                        "them with the cost and power above",
                                        fmt::join(unused, ", "))});
}

void merge_notices(const std::vector<Notice>& from, PlanAnswer& answer) {
  for (const auto& notice : from) {
    // What the plan itself settles needs no confession.
    const bool settled = notice.id == "chosen-fleet" || notice.id == "first-accelerator";
    const bool known = std::any_of(answer.notices.begin(), answer.notices.end(),
                                   [&](const Notice& other) { return other.text == notice.text; });
    if (!settled && !known) answer.notices.push_back(notice);
  }
}

// Nothing keeps the promise: that is the answer, with what comes closest.
std::optional<PlanAnswer> not_feasible(const PlanQuestion& question, const Diagnostics& problems) {
  if (problems.errors().empty() || problems.errors()[0].code != lf::kSloOutOfReach)
    return std::nullopt;
  const Error& error = problems.errors()[0];
  PlanAnswer answer;
  answer.scenario = question.serving.file;
  answer.decision = PlanDecision::kNotFeasible;
  answer.verdict = fmt::format("Not feasible: {}; {}.", error.message, error.hint);
  answer.commands = {command_text(question, "serve")};
  return answer;
}

}  // namespace

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

std::optional<PlanAnswer> plan_serving(const Engine& engine, const PlanQuestion& question,
                                       Diagnostics& diagnostics) {
  Diagnostics sizing;
  const auto found = search_deployment(
      {.serving = question.serving, .confirm = question.confirm, .relaxed = question.levers},
      engine.catalog(), sizing);
  if (!found) {
    if (auto answer = not_feasible(question, sizing)) {
      if (nearly_feasible(engine, question))
        call_close(*answer, "a promise 5 % looser can be kept");
      answer->verdict += close_words(*answer);
      return answer;
    }
    diagnostics.add_all(sizing);
    return std::nullopt;
  }
  ServingPlanner planner(engine, question);
  Diagnostics pricing;
  if (!planner.price(*found, pricing)) {
    diagnostics.add_all(pricing);
    return std::nullopt;
  }
  PlanAnswer answer;
  answer.scenario = found->scenario;
  answer.title = fmt::format("{} · {:.0f} tokens in, {:.0f} out · {:.3g} requests/s",
                             found->model_title, found->input, found->output, found->mean.base());
  planner.add_options(answer);
  const PricedRow& chosen = planner.chosen(answer);
  answer.machine = machine_of(chosen, engine.catalog());
  answer.cost = chosen.cost;
  answer.priced = chosen.request;
  answer.fill = PlanFill{chosen.fill.replicas, chosen.fill.replica.capacity.saturated,
                         chosen.fill.mean, chosen.fill.input, chosen.fill.output};
  answer.full_plane = chosen.cost.full_plane.value_or(TokensPerSecond());
  add_sliders(engine, chosen.request, answer);
  add_fill(chosen.fill, answer);
  add_pair(answer);
  const int present = present_gpus(question, engine.catalog());
  answer.decision = answer.options[0].cost.kind == "api"
                        ? PlanDecision::kUseApi
                        : serving_decision(answer.machine->gpus, present, *found);
  add_runners(planner, *found, answer);
  const ServingFacts facts{question, *found, chosen.fill, *chosen.row, present};
  add_serving_close_calls(facts, candidates_of(planner, answer), answer);
  add_serving_verdict(facts, answer);
  if (question.levers) add_serving_levers(engine, facts, answer);
  merge_notices(found->notices, answer);
  merge_notices(chosen.fill.notices, answer);
  merge_notices(chosen.cost.notices, answer);
  note_unused_limits(question, answer);
  for (const auto& fact : chosen.cost.facts) answer.facts.push_back(fact);
  for (const auto& fact : chosen.fill.facts) answer.facts.push_back(fact);
  add_replica(engine, chosen, question, answer);
  add_assumptions(engine.catalog(), question, answer);
  answer.commands = {command_text(question, "serve --search"), command_text(question, "fill"),
                     command_text(question, "plan") + " -o report.html"};
  return answer;
}

}  // namespace loadfactor::engine
