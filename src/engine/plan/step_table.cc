#include "engine/plan/step_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/plan/plan_steps.h"
#include "engine/plan/step_money.h"
#include "resolve/model/node_power.h"

namespace loadfactor::engine {
namespace {

constexpr double kLeastWidth = 2.5;  // The table reaches so many times today's traffic…
constexpr double kBeyond = 1.35;   // …or so far beyond the place where another way becomes best.
constexpr double kFarthest = 100;  // Such a place is looked for up to this multiple.
constexpr double kStride = 1.25;   // Between the multiples at which it is looked for.
constexpr int kGrid = 24;          // Places at which fleets are counted.
constexpr double kLeastLoad = 1e-3;  // Share of a step's load at which its line begins.
constexpr int kHalvings = 6;         // How near the end of a step is then found.

// One accelerator's fleet and terms at one volume.
struct FleetTerms {
  const PricedRow* priced = nullptr;
  int gpus = 0;
  std::unique_ptr<CostSetup> setup;
};

class TableMaker {
 public:
  TableMaker(const Core& engine, const config::ScenarioLimits& limits, const SizeAnswer& found,
             const ServingPlanner& planner)
      : engine_(engine), limits_(limits), found_(found), planner_(planner) {}

  StepTable make() {
    StepTable table{.most = widest()};
    add_terms(table);
    double from = 0;
    for (const double to : ends(table.most)) {
      add_piece(from, to, table);
      from = to;
    }
    return table;
  }

  // A volume at which the GPUs of every accelerator are counted.
  std::vector<FleetTerms> fleets(double traffic) {
    std::vector<FleetTerms> fleets;
    for (const auto& priced : planner_.rows()) {
      const ResizedRow* row = resized(priced, traffic);
      if (row == nullptr && traffic != 1) continue;
      FleetTerms fleet{.priced = &priced};
      CostInputs request = priced.request;
      if (traffic != 1) request.capacity = capacity(*priced.request.capacity, *row, traffic);
      fleet.gpus = static_cast<int>(std::lround(request.capacity->gpus));
      Diagnostics unread;
      fleet.setup = make_cost_setup(request, engine_.catalog(), unread);
      if (fleet.setup) fleets.push_back(std::move(fleet));
    }
    return fleets;
  }

 private:
  void add_terms(StepTable& table) {
    for (const auto& fleet : fleets(1)) {
      const auto& terms = fleet.setup->terms;
      table.tokens = terms.capacity.full_plane * terms.capacity.load_factor * kMonth;
      if (add_prices(terms, table)) return;
    }
  }

  // Nothing where a limit rules it out.
  const ResizedRow* resized(const PricedRow& priced, double traffic) {
    auto [known, is_new] = counted_.try_emplace(traffic);
    if (is_new) known->second = found_.at_traffic(traffic);
    for (const auto& row : known->second) {
      if (row.accelerator != priced.row->accelerator) continue;
      const auto chip = engine_.catalog().find_accelerator(row.accelerator);
      const bool is_beyond =
          (limits_.gpus && row.gpus > limits_.gpus->value) ||
          (chip && power_objection(engine_.catalog(), **chip, row.gpus, limits_));
      return is_beyond ? nullptr : &row;
    }
    return nullptr;
  }

  // As full as so many times the work makes the fleet of that work.
  static KnownCapacity capacity(const KnownCapacity& today, const ResizedRow& row, double traffic) {
    const TokensPerSecond work = today.full_plane * (today.load_factor * traffic);
    const double slower = (today.full_plane / today.gpus) / (row.full_plane / row.gpus);
    KnownCapacity then{.gpus = static_cast<double>(row.gpus),
                       .full_plane = row.full_plane,
                       .load_factor = std::min(1.0, work / row.full_plane),
                       .busy_by_hour = today.busy_by_hour,
                       .source = today.source};
    for (double& busy : then.busy_by_hour) busy = std::min(then.gpus, busy * traffic * slower);
    return then;
  }

  std::optional<OptionKind> cheapest(double traffic) {
    std::optional<OptionKind> best;
    DollarsPerSecond least;
    for (const auto& fleet : fleets(traffic))
      for (const auto& option : economics::evaluate(fleet.setup->terms, fleet.setup->asked).all()) {
        if (best && option.cost >= least) continue;
        best = option.kind;
        least = option.cost;
      }
    return best;
  }

  // As wide as it takes to show where another way becomes the best, and stays it for a while.
  double widest() {
    const auto now = cheapest(1);
    double changed = 0;
    for (double traffic = kStride; traffic <= kFarthest; traffic *= kStride) {
      const auto then = cheapest(traffic);
      if (!then || then == now) {
        changed = 0;
        continue;
      }
      if (changed > 0) return std::max(kLeastWidth, kBeyond * changed);
      changed = traffic;
    }
    return kLeastWidth;
  }

  int gpus_at(const PricedRow& priced, double traffic) {
    const ResizedRow* row = resized(priced, traffic);
    return row == nullptr ? 0 : row->gpus;
  }

  // Volumes at which some accelerator's fleet ends to suffice; today's among them.
  std::vector<double> ends(double most) {
    std::vector<double> found{1, most};
    for (const auto& priced : planner_.rows()) {
      double near = most / kGrid / 8;
      for (int i = 1; i <= kGrid; ++i) {
        const double far = most * i / kGrid;
        if (gpus_at(priced, near) != gpus_at(priced, far))
          found.push_back(last_of(priced, near, far));
        near = far;
      }
    }
    std::sort(found.begin(), found.end());
    const auto same = [&](double a, double b) { return b - a < 1e-6 * most; };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    return found;
  }

  double last_of(const PricedRow& priced, double near, double far) {
    const int gpus = gpus_at(priced, near);
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (near + far) / 2;
      (gpus_at(priced, middle) == gpus ? near : far) = middle;
    }
    return near;
  }

  void add_piece(double from, double to, StepTable& table) {
    std::map<OptionKind, WayStep> cheapest;
    for (const auto& fleet : fleets(to)) {
      const auto figures = economics::evaluate(fleet.setup->terms, fleet.setup->asked);
      for (const auto& option : figures.all()) {
        if (option.kind == OptionKind::kAlternative) continue;
        const auto step = step_of(fleet, option, from, to);
        if (!step) continue;
        const auto known = cheapest.find(option.kind);
        const double middle = (from + to) / 2;
        if (known == cheapest.end() ||
            step->cost(middle, false) < known->second.cost(middle, false))
          cheapest.insert_or_assign(option.kind, *step);
        machines_[option.kind] = economics::gpus_paid(fleet.setup->terms.capacity, 1, option.kind);
      }
    }
    for (auto& [kind, step] : cheapest) add_step(kind, std::move(step), table);
  }

  std::optional<WayStep> step_of(const FleetTerms& fleet, const economics::OptionFigures& option,
                                 double from, double to) const {
    const auto& terms = fleet.setup->terms;
    const double start = std::max(from / to, kLeastLoad);
    const auto low = money_parts(terms, option.kind, start);
    const auto high = money_parts(terms, option.kind, 1);
    if (!low || !high) return std::nullopt;
    WayStep step{.to = to};
    for (std::size_t i = 0; i < kNumMoneyParts; ++i) {
      step.moving[i] = ((*high)[i] - (*low)[i]) / (to - start * to);
      step.fixed[i] = (*low)[i] - step.moving[i] * (start * to);
    }
    if (option.kind == OptionKind::kApi) return step;
    step.needed = fleet.gpus;
    step.gpus = static_cast<int>(
        std::ceil(economics::gpus_paid(terms.capacity, fleet.gpus, option.kind) - 1e-9));
    step.accelerator = fleet.priced->row->accelerator;
    step.rate = terms.capacity.full_plane / terms.capacity.gpus;
    step.unit = unit_price(terms, option.kind);
    return step;
  }

  // A step that is as the one before only makes that longer.
  void add_step(OptionKind kind, WayStep step, StepTable& table) const {
    auto way = std::find_if(table.ways.begin(), table.ways.end(),
                            [&](const PayingWay& each) { return each.kind == kind; });
    if (way == table.ways.end())
      way = table.ways.insert(way, {.kind = kind, .machine = machines_.at(kind)});
    if (!way->steps.empty()) {
      WayStep& last = way->steps.back();
      const bool is_linear = !economics::comes_and_goes(kind);
      if (is_linear && last.needed == step.needed && last.accelerator == step.accelerator) {
        last.to = step.to;
        return;
      }
    }
    way->steps.push_back(std::move(step));
  }

  const Core& engine_;
  const config::ScenarioLimits limits_;
  const SizeAnswer& found_;
  const ServingPlanner& planner_;
  std::map<double, std::vector<ResizedRow>> counted_;
  std::map<OptionKind, double> machines_;
};

// What the ways of a training run cost: rents are of the run as it is; what is bought is spread
// over the hours of its life in which it works.
WayStep run_step(const economics::CostCase& terms, const PlanOption& option, double months,
                 double here) {
  // Spare machines are paid for like the others.
  WayStep step{.to = 1, .needed = option.gpus, .gpus = option.gpus};
  step.accelerator = option.accelerator;
  step.rate = terms.capacity.full_plane / terms.capacity.gpus;
  step.unit = unit_price(terms, option.cost.kind);
  const auto idle = money_parts(terms, option.cost.kind, 0);
  const auto full = money_parts(terms, option.cost.kind, 1);
  if (!idle || !full) return step;
  const bool is_bought = option.cost.kind == OptionKind::kOwn;
  Dollars sum;
  for (std::size_t i = 0; i < kNumMoneyParts; ++i) {
    step.fixed[i] = ((*full)[i] - (is_bought ? (*idle)[i] : Dollars())) * months;
    step.moving[i] = is_bought ? (*idle)[i] * months : Dollars();
    sum = sum + step.fixed[i] + step.moving[i] / here;
  }
  // Commitments that outlast the run, and terms that are renewed.
  const double times = sum > Dollars() ? option.amount / sum : 1.0;
  for (std::size_t i = 0; i < kNumMoneyParts; ++i) {
    step.fixed[i] = step.fixed[i] * times;
    step.moving[i] = step.moving[i] * times;
  }
  return step;
}

}  // namespace

bool add_prices(const economics::CostCase& terms, StepTable& table) {
  table.people = terms.people;
  table.working = terms.capacity.load_factor * terms.capacity.gpus;
  if (terms.api) table.api = economics::blended_price(*terms.api) * Tokens::from_base(1e6);
  if (!terms.own || terms.own_all_in) return false;
  const auto& capital = terms.own->capital;
  table.own = OwningTerms{.years = capital.life / kYear,
                          .interest = capital.discount,
                          .left = capital.residual,
                          .staff = terms.own->staff * kHour,
                          .electricity = terms.own->electricity};
  return true;
}

std::optional<Dollars> unit_price(const economics::CostCase& terms, OptionKind kind) {
  if (kind == OptionKind::kOwn)
    return terms.own && !terms.own_all_in ? std::optional(terms.own->capital.price) : std::nullopt;
  const auto term =
      static_cast<std::size_t>(kind == OptionKind::kAutoscaled ? OptionKind::kOnDemand : kind);
  if (term >= economics::kNumTerms || !terms.rent[term]) return std::nullopt;
  return terms.rent[term]->price * kHour;
}

StepTable steps_of_service(const Core& engine, const config::ScenarioLimits& limits,
                           const SizeAnswer& found, const ServingPlanner& planner) {
  return TableMaker(engine, limits, found, planner).make();
}

std::optional<StepTable> steps_of_run(const Core& engine, const PlanAnswer& answer) {
  Diagnostics unread;
  const auto setup = make_cost_setup(*answer.priced, engine.catalog(), unread);
  if (!setup || !answer.training || !answer.training->tokens || setup->terms.capacity.gpus <= 0)
    return std::nullopt;
  const auto& terms = setup->terms;
  const Tokens tokens = *answer.training->tokens;
  const double months = tokens / (terms.capacity.full_plane * terms.capacity.load_factor * kMonth);
  StepTable table{.is_run = true, .here = 1, .most = 1};
  add_prices(terms, table);
  table.tokens = tokens;
  for (const auto& option : answer.options)
    if (option.cost.kind == OptionKind::kOwn && option.cost.term && !option.cost.term->is_renewed)
      table.here = option.cost.term->run / option.cost.term->commitment;
  for (const auto& option : answer.options) {
    if (table.find(option.cost.kind) != nullptr || option.cost.kind == OptionKind::kAlternative)
      continue;
    table.ways.push_back({.kind = option.cost.kind,
                          .machine = economics::gpus_paid(terms.capacity, 1, option.cost.kind),
                          .steps = {run_step(terms, option, months, table.here)}});
  }
  return table;
}

Dollars WayStep::cost(double x, bool is_run) const {
  Dollars sum;
  for (std::size_t i = 0; i < kNumMoneyParts; ++i)
    sum = sum + fixed[i] + moving[i] * (is_run ? 1 / x : x);
  return sum;
}

const PayingWay* StepTable::find(OptionKind kind) const {
  for (const auto& way : ways)
    if (way.kind == kind) return &way;
  return nullptr;
}

}  // namespace loadfactor::engine
