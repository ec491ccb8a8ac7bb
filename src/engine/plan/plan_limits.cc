#include "engine/plan/plan_limits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "engine/fill/sizing.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_levers.h"
#include "engine/plan/serving_planner.h"
#include "resolve/model/node_power.h"

namespace loadfactor::engine {

config::ScenarioLimits limits_of(const PlanInputs& question) {
  return question.as_written().limits;
}

namespace {

// A limit that is kept or broken by less than this may be either.
constexpr double kEdge = 0.05;

// GPUs of one chip that the limits allow; 0: no limit, or none at all (`none`).
struct AllowedGpus {
  int gpus = 0;
  bool none = false;
};

AllowedGpus allowed_gpus(const catalog::Catalog& catalog, const config::ScenarioLimits& limits,
                         const std::string& accelerator) {
  AllowedGpus allowed;
  if (limits.gpus) allowed.gpus = static_cast<int>(limits.gpus->value);
  const auto chip = catalog.find_accelerator(accelerator);
  if (!chip) return allowed;
  if (limits.site_power) {
    const Watts each = gpu_power(catalog, **chip).most;
    const int most = static_cast<int>(std::floor(limits.site_power->value / each + 1e-9));
    allowed.gpus = allowed.gpus > 0 ? std::min(allowed.gpus, most) : most;
    allowed.none = most == 0;
  }
  allowed.none =
      allowed.none || power_objection(catalog, **chip, 0, limits).has_value();  // A node alone.
  return allowed;
}

class LimitSearcher {
 public:
  LimitSearcher(const Core& engine, const PlanInputs& question)
      : engine_(engine), limits_(limits_of(question)), result_{.question = question} {
    for (const auto& name : question.scenario().hardware) hardware_.push_back(name.value);
  }

  LimitedSearch run(Diagnostics& diagnostics) && {
    while (true) {
      Diagnostics problems;
      result_.found = search(problems);
      if (!result_.found) {
        if (lifts_gpus(problems)) continue;
        diagnostics.add_all(problems);
        break;
      }
      if (!drops_chips()) break;
    }
    return std::move(result_);
  }

 private:
  std::optional<SizeAnswer> search(Diagnostics& problems) const {
    SizingInputs ask{.serving = result_.question.serving,
                     .confirm = result_.question.confirm,
                     .scaling = true,
                     .frugal = !result_.question.levers,
                     .every_chip = result_.question.levers,
                     .relaxed = result_.question.levers && result_.broken.empty(),
                     .shapes = result_.question.shapes,
                     .memory = result_.question.memory};
    return size_service(ask, engine_.catalog(), problems);
  }

  // Nothing is within the limit of GPUs: it is lifted, once.
  bool lifts_gpus(const Diagnostics& problems) {
    const auto& errors = problems.errors();
    const bool overloaded = !errors.empty() && errors[0].code == lf::kOverloaded;
    if (!overloaded || !limits_.gpus || lifted_gpus_) return false;
    lifted_gpus_ = true;
    result_.broken.push_back(TooFewGpus{.limit = static_cast<int>(limits_.gpus->value)});
    result_.question = result_.question.with({{"limits.gpus"}});
    return true;
  }

  // Within one accelerator the cheapest deployment has the fewest GPUs: if it draws too much, all
  // of them do.
  bool drops_chips() {
    if (lifted_power_) return false;
    std::map<std::string, bool> seen;
    bool dropped = false;
    for (const auto& row : result_.found->rows) {
      if (std::exchange(seen[row.accelerator], true)) continue;
      const auto chip = engine_.catalog().find_accelerator(row.accelerator);
      if (!chip) continue;
      const auto against = power_objection(engine_.catalog(), **chip, row.gpus, limits_);
      if (!against) continue;
      dropped = true;
      result_.excluded.push_back({PowerExcluded{row, *against},
                                  row.per_hour ? *row.per_hour * (kMonth / kHour) : Dollars(),
                                  row.accelerator, row.gpus});
      std::erase_if(hardware_, [&](const std::string& name) {
        const auto other = engine_.catalog().find_accelerator(name);
        return other && *other == *chip;
      });
    }
    if (!dropped) return false;
    if (hardware_.empty()) {
      lift_power();
    } else {
      result_.question = result_.question.with({{"hardware", hardware_}});
    }
    return true;
  }

  // Every candidate draws too much: the cheapest of all comes nearest.
  void lift_power() {
    lifted_power_ = true;
    const auto& first = std::get<PowerExcluded>(result_.excluded.front().reason);
    result_.broken.push_back(TooLittlePower{first.machines, first.objection});
    std::vector<std::string> names;
    for (const auto& name : result_.question.as_written().hardware) names.push_back(name.value);
    if (!names.empty()) result_.question = result_.question.with({{"hardware", names}});
    result_.excluded.clear();
  }

  const Core& engine_;
  config::ScenarioLimits limits_;
  std::vector<std::string> hardware_;  // That is left.
  LimitedSearch result_;
  bool lifted_gpus_ = false;
  bool lifted_power_ = false;
};

// The share of the traffic that the GPUs which are allowed would carry; nothing where these alone
// are over the budget.
std::optional<PartOnMachines> part_of_traffic(const Core& engine, const LimitedSearch& search,
                                              const PlanAnswer& answer) {
  const auto allowed =
      allowed_gpus(engine.catalog(), limits_of(search.question), answer.machine->accelerator);
  if (allowed.none || allowed.gpus < 1) return std::nullopt;
  const PlanInputs one =
      search.question.with({{"hardware", std::vector<std::string>{answer.machine->accelerator}}});
  Diagnostics unread;
  const auto found = search_deployment(
      {.serving = one.serving, .confirm = 0, .gpus = allowed.gpus, .relaxed = false},
      engine.catalog(), unread);
  if (!found || !found->most || found->most->most_mean <= Hertz()) return std::nullopt;
  const auto& budget = limits_of(search.question).budget;
  const auto& hour = found->most->per_hour;
  if (budget && hour && *hour * (kMonth / kHour) > budget->value) return std::nullopt;
  const double share = std::min(1.0, found->most->most_mean / found->mean);
  return PartOnMachines{share, found->most->gpus, found->most->accelerator};
}

// The key of the limit that was lifted.
std::string key_of(const BrokenLimit& broken) {
  const auto* power = std::get_if<TooLittlePower>(&broken);
  if (power == nullptr) return "limits.gpus";
  return power->objection.is_of_rack ? "limits.rack_power" : "limits.site_power";
}

std::vector<NearestWay> nearest_ways(const Core& engine, const LimitedSearch& search,
                                     const std::optional<TooSmallBudget>& budget,
                                     const PlanAnswer& answer) {
  std::vector<NearestWay> nearest;
  const PlanOption* api = cheapest_api(answer);
  if (!search.broken.empty()) {
    if (auto part = part_of_traffic(engine, search, answer)) nearest.push_back(*std::move(part));
    if (api != nullptr) nearest.push_back(AllByApi{api->amount});
  }
  if (budget && api != nullptr) nearest.push_back(PartByApi{budget->budget / api->amount});
  // A larger budget alone lifts no other limit, and that alone pays for nothing.
  const auto& broken = search.broken;
  const bool by_both = budget && !broken.empty() && answer.machine;
  if (budget && !by_both) nearest.push_back(LargerBudget{answer.options[0].amount});
  if (!broken.empty() && answer.machine)
    nearest.push_back(
        WithoutLimit{answer.machine->layout.gpus, answer.machine->accelerator, key_of(broken[0]),
                     by_both ? std::optional(answer.options[0].amount) : std::nullopt});
  return nearest;
}

// A fleet that a slower replica, or a little more power, would push beyond a limit.
void add_limit_calls(const Core& engine, const PlanInputs& question, PlanAnswer& answer) {
  const auto limits = limits_of(question);
  const auto& machine = *answer.machine;
  if (limits.gpus && machine.layout.replicas > 0 && answer.load_factor &&
      answer.load_factor->value() > 0) {
    const int each = machine.layout.gpus / machine.layout.replicas;
    // A fuller fleet is a slower replica.
    const auto gpus_at = [&](double load) {
      const double times = load / answer.load_factor->value();
      return each * static_cast<int>(std::ceil(machine.layout.replicas * times - 1e-9));
    };
    const int fewest = gpus_at(answer.load_factor->low());
    const int most = gpus_at(answer.load_factor->high());
    if (fewest <= limits.gpus->value && most > limits.gpus->value)
      add_close_call(answer, NearGpuLimit{fewest, most, static_cast<int>(limits.gpus->value)});
  }
  const auto chip = engine.catalog().find_accelerator(machine.accelerator);
  if (!limits.site_power || !chip) return;
  const Watts all = gpu_power(engine.catalog(), **chip).most * machine.layout.gpus;
  if (std::abs(all / limits.site_power->value - 1) < kEdge)
    add_close_call(answer, NearSitePower{all, limits.site_power->value});
}

void add_budget_call(const PlanInputs& question, PlanAnswer& answer) {
  const auto limits = limits_of(question);
  if (!limits.budget || answer.options.empty()) return;
  const auto& cost = answer.options[0].cost.per_month;
  const bool within = cost.low() <= limits.budget->value && cost.high() >= limits.budget->value;
  const bool edge = std::abs(cost.value() / limits.budget->value - 1) < kEdge;
  if (within || edge)
    add_close_call(answer, NearBudget{cost.low(), cost.high(), limits.budget->value});
}

// Limits that GPUs would break, where the API does the work.
Notice beyond_limits(const BrokenLimit& broken) {
  if (const auto* power = std::get_if<TooLittlePower>(&broken)) {
    Notice notice{.id = "beyond-limits", .arguments = arguments_of(power->objection)};
    notice.arguments.push_back({"machines", row_words(power->machines)});
    return notice;
  }
  const auto& few = std::get<TooFewGpus>(broken);
  return {.id = "beyond-limits",
          .arguments = {{"gpus_needed", format_count(few.needed)},
                        {"gpus_allowed", format_count(few.limit)}}};
}

// Machines are beyond limits that the API does not know: it does the work, and comes first.
bool takes_api(const PlanInputs& question, PlanAnswer& answer) {
  const auto limits = limits_of(question);
  const auto api =
      std::find_if(answer.options.begin(), answer.options.end(),
                   [](const PlanOption& option) { return option.cost.kind == OptionKind::kApi; });
  if (api == answer.options.end()) return false;
  if (limits.budget && api->amount > limits.budget->value) return false;
  std::rotate(answer.options.begin(), api, api + 1);
  for (auto& option : answer.options) {
    const Dollars more = option.amount - answer.options[0].amount;
    option.more = more > Dollars() ? std::optional(more) : std::nullopt;
  }
  answer.decision = PlanDecision::kUseApi;
  return true;
}

// The fleet that comes nearest, which was simulated, says how many GPUs are needed.
LimitedSearch with_needed_gpus(LimitedSearch search, const PlanAnswer& answer) {
  for (auto& broken : search.broken)
    if (auto* few = std::get_if<TooFewGpus>(&broken); few != nullptr && answer.machine)
      few->needed = answer.machine->layout.gpus;
  return search;
}

void mark_dear_options(const PlanInputs& question, PlanAnswer& answer) {
  const auto limits = limits_of(question);
  if (!limits.budget) return;
  for (auto& option : answer.options) option.is_over_budget = option.amount > limits.budget->value;
}

// Where nothing is within the limits, no way to have machines is.
void mark_machines_beyond(const LimitedSearch& search, PlanAnswer& answer) {
  if (search.broken.empty()) return;
  for (auto& option : answer.options)
    option.is_beyond_limits = option.cost.kind != OptionKind::kApi;
}

}  // namespace

LimitedSearch search_within(const Core& engine, const PlanInputs& question,
                            Diagnostics& diagnostics) {
  return LimitSearcher(engine, question).run(diagnostics);
}

std::optional<TooSmallBudget> broken_budget(const PlanInputs& question, const PlanAnswer& answer) {
  const auto limits = limits_of(question);
  if (!limits.budget || answer.options.empty()) return std::nullopt;
  const auto& best = answer.options[0];
  if (best.amount <= limits.budget->value) return std::nullopt;
  return TooSmallBudget{best.machines(), best.amount, limits.budget->value};
}

void apply_limits(const Core& engine, const LimitedSearch& searched, PlanAnswer& answer) {
  const LimitedSearch search = with_needed_gpus(searched, answer);
  mark_dear_options(search.question, answer);
  mark_machines_beyond(search, answer);
  add_budget_call(search.question, answer);
  const bool needs_machines = answer.decision != PlanDecision::kUseApi;
  if (needs_machines) add_limit_calls(engine, search.question, answer);
  const auto budget = broken_budget(search.question, answer);
  if (needs_machines && !search.broken.empty() && takes_api(search.question, answer)) {
    answer.broken = search.broken;
    return;
  }
  if (!needs_machines && !budget) {
    for (const auto& broken : search.broken) answer.notices.push_back(beyond_limits(broken));
    return;
  }
  answer.broken = search.broken;
  if (budget) answer.broken.push_back(*budget);
  if (answer.broken.empty()) return;
  answer.decision = PlanDecision::kNotFeasible;
  answer.nearest = nearest_ways(engine, search, budget, answer);
}

}  // namespace loadfactor::engine
