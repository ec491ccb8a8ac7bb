// The line of every option that is linear in GPUs, load and price, and the cash it takes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/calendar.h"
#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {
namespace {

using economics::CostCase;
using economics::CostFigures;
using economics::OptionFigures;

bool is_rented(OptionKind kind) {
  return static_cast<std::size_t>(kind) < economics::kNumTerms;
}

bool is_linear(OptionKind kind) {
  return is_rented(kind) || kind == OptionKind::kOwn;
}

// The same case with every rent doubled, and with twice the machines.
CostCase with_twice_the_rent(CostCase terms) {
  for (auto& rent : terms.rent)
    if (rent) rent->price = rent->price * 2.0;
  return terms;
}
CostCase with_gpus(CostCase terms, double gpus) {
  terms.capacity.full_plane = terms.capacity.full_plane * (gpus / terms.capacity.gpus);
  terms.capacity.gpus = gpus;
  return terms;
}

// All but the base are of one GPU of those that are paid for.
PlanSlider slider_of(const CostSetup& setup, const OptionFigures& here, const CostFigures& dear) {
  const double gpus = here.gpus;
  const CostFigures twice =
      economics::evaluate(with_gpus(setup.terms, 2 * gpus), economics::bit(here.kind));
  const Dollars fixed = monthly(here.fixed);
  const Dollars of_all = monthly(twice.find(here.kind)->fixed) - fixed;
  PlanSlider slider{.name = option_name(setup, here), .kind = here.kind};
  slider.base = fixed - of_all;
  slider.fixed = of_all / gpus;
  slider.working = monthly(here.working) / gpus;
  slider.rent = (monthly(dear.find(here.kind)->fixed) - fixed) / gpus;
  slider.machine = economics::gpus_paid(setup.terms.capacity.machine, 1, here.kind);
  if (is_rented(here.kind))
    slider.price = setup.terms.rent[static_cast<std::size_t>(here.kind)]->price * kHour;
  return slider;
}

// A purchase is paid at the start and its remains come back at the end; all else by the month.
PlanCash cash_of(const CostSetup& setup, const OptionFigures& option) {
  const CostCase& terms = setup.terms;
  const int months = std::clamp(static_cast<int>(std::lround(terms.horizon / kMonth)), 1, 120);
  PlanCash cash{.name = option_name(setup, option), .spent = {}};
  Dollars start;
  Dollars end;
  Dollars by_month = monthly(option.cost);
  if (option.kind == OptionKind::kOwn && terms.own) {
    const auto owner = *economics::owner_cost_of(terms);
    start = terms.own->capital.price * option.gpus;
    end = start * terms.own->capital.residual;
    by_month = by_month - monthly(owner.capital * option.gpus);
  }
  for (int month = 0; month <= months; ++month)
    cash.spent.push_back(start + by_month * static_cast<double>(month));
  cash.spent.back() = cash.spent.back() - end;
  return cash;
}

}  // namespace

void add_sliders(const Core& engine, const CostInputs& request, PlanAnswer& answer) {
  Diagnostics unread;
  const auto setup = make_cost_setup(request, engine.catalog(), unread);
  if (!setup || setup->terms.capacity.gpus <= 0 || !answer.machine) return;
  const CostCase& terms = setup->terms;
  const CostFigures here = economics::evaluate(terms, setup->asked);
  const CostFigures dear = economics::evaluate(with_twice_the_rent(terms), setup->asked);
  PlanSliders sliders{.gpus = terms.capacity.gpus, .load = terms.capacity.load_factor};
  sliders.gpus_per_replica =
      answer.machine->layout.gpus / std::max(1.0, 1.0 * answer.machine->layout.replicas);
  sliders.rate = terms.capacity.full_plane / terms.capacity.gpus;
  sliders.people = monthly(terms.people);
  if (terms.api) sliders.api = economics::blended_price(*terms.api) * Tokens::from_base(1e6);
  if (const auto rent = economics::effective_rent(terms, OptionKind::kOnDemand))
    sliders.hourly = monthly(*rent);
  if (answer.training) sliders.run = answer.training->tokens;
  std::vector<OptionFigures> options(here.all().begin(), here.all().end());
  std::stable_sort(options.begin(), options.end(),
                   [](const auto& a, const auto& b) { return a.cost < b.cost; });
  for (const auto& option : options) {
    const bool api = option.kind == OptionKind::kApi;
    if (is_linear(option.kind)) sliders.options.push_back(slider_of(*setup, option, dear));
    if (api)
      sliders.options.push_back({.name = option_name(*setup, option), .kind = OptionKind::kApi});
    if (api || is_linear(option.kind)) answer.cash.push_back(cash_of(*setup, option));
  }
  if (!sliders.options.empty()) answer.sliders = std::move(sliders);
}

}  // namespace loadfactor::engine
