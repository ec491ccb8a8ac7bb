// The machines to compare with, what moving to them takes, and how sure the inputs are.
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "economics/porting.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

economics::PortingBill bill_of(const config::PortingSection& ask, Seconds horizon) {
  economics::PortingBill bill;
  if (ask.cost) bill.other = ask.cost->value;
  if (ask.engineers) bill.engineers = ask.engineers->value;
  if (ask.effort) bill.effort = ask.effort->value;
  if (ask.salary) bill.salary = ask.salary->value;
  if (ask.validation) bill.validation = ask.validation->value;
  if (ask.delay) bill.delay = ask.delay->value;
  if (ask.delay_cost) bill.delay_cost = ask.delay_cost->value;
  bill.horizon = horizon;
  return bill;
}

// All-in cost of owning a chip as a published model has it, of the dearer tier.
const catalog::OwnershipCost* published_cost(const CostSetup& setup, std::string_view chip) {
  for (const auto& row : setup.catalog->prices().ownership) {
    if (row.accelerator == chip && row.tier == "neocloud") return &row;
  }
  return nullptr;
}

// Bought on the terms of `own`, but for what it says itself.
void buy_alternative(CostSetup& setup, const config::AlternativeSection& ask,
                     economics::Alternative& other) {
  if (setup.terms.own)
    other.own = *setup.terms.own;
  else
    other.own.emplace();
  auto& capital = other.own->capital;
  capital.price = ask.price->value;
  if (ask.life) capital.life = ask.life->value;
  if (ask.residual) capital.residual = ask.residual->value;
  if (ask.power) other.own->rated = ask.power->value;
  if (capital.life <= Seconds()) capital.life = setup.terms.horizon;
  setup.use_written_price("price/" + ask.name.value, "price of " + ask.name.value,
                          format_display(any(ask.price->value)), ask.price->position, ask.as_of);
}

void price_alternative(CostSetup& setup, const config::AlternativeSection& ask,
                       economics::Alternative& other, Diagnostics& diagnostics) {
  if (ask.all_in) {
    other.all_in = of_one(ask.all_in->value);
    setup.use_written_price("all-in/" + ask.name.value, ask.name.value + ", all in",
                            per_hour_text(*other.all_in), ask.all_in->position, ask.as_of);
    return;
  }
  if (ask.price) return buy_alternative(setup, ask, other);
  if (!ask.hardware) {
    diagnostics.add(setup.error(lf::kPriceNotFound, ask.name.position,
                                fmt::format("'{}' has no price", ask.name.value),
                                "give all_in: 1.9 USD/GPU-hour, price: 40000 USD, or hardware"));
    return;
  }
  const auto chip = setup.catalog->find_accelerator(ask.hardware->value);
  if (!chip) {
    diagnostics.add(setup.error(chip.error().code, ask.hardware->position, chip.error().message,
                                chip.error().hint));
    return;
  }
  if (const auto* row = published_cost(setup, (*chip)->name)) {
    other.all_in = of_one(row->price);
    setup.use_price("all-in/" + row->accelerator,
                    fmt::format("owning {}, all in", row->accelerator),
                    per_hour_text(*other.all_in), row->provenance);
    return;
  }
  if (const auto* row = find_rent(setup, **chip, catalog::RentTerm::kOnDemand)) {
    other.all_in = of_one(row->price);
    setup.use_price(rent_fact_id(name_of(OptionKind::kOnDemand), row->accelerator),
                    fmt::format("rent of {}, on-demand, {}", row->accelerator, row->provider),
                    format_display(any(row->price), 4), row->provenance);
    return;
  }
  setup.unpriced.push_back(
      {ask.name.value, lf::kPriceNotFound,
       fmt::format("neither the cost of owning {} nor a rent is known; give all_in or price",
                   (*chip)->name),
       OptionKind::kAlternative});
}

// A machine that never works before the end of what is counted has no cost of work.
void check_delay(const CostSetup& setup, const config::PortingSection& ask,
                 Diagnostics& diagnostics) {
  if (!ask.delay || ask.delay->value < setup.terms.horizon) return;
  diagnostics.add(setup.error(
      lf::kOutOfRange, ask.delay->position,
      fmt::format("the delay of {} lasts as long as all that is counted, {}",
                  format_display(any(ask.delay->value)), format_display(any(setup.terms.horizon))),
      "give a shorter delay, or a longer money.horizon"));
}

}  // namespace

void read_alternatives(CostSetup& setup, Diagnostics& diagnostics) {
  for (const auto& ask : setup.money().alternatives) {
    economics::Alternative other;
    price_alternative(setup, ask, other, diagnostics);
    if (ask.gpus) other.gpus = static_cast<double>(ask.gpus->value);
    if (ask.performance) other.performance = ask.performance->value;
    if (ask.load_factor) other.load_factor = ask.load_factor->value;
    if (ask.porting) {
      check_delay(setup, *ask.porting, diagnostics);
      other.move = economics::porting_cost(bill_of(*ask.porting, setup.terms.horizon));
      if (ask.porting->upkeep) other.upkeep = ask.porting->upkeep->value;
      if (ask.porting->delay) other.delay = ask.porting->delay->value;
    }
    setup.terms.alternatives.push_back(other);
  }
}

void read_uncertainty(CostSetup& setup) {
  const auto& ask = setup.money().uncertainty;
  const std::array<const config::Given<double>*, economics::kNumFactors> given{
      &ask.rent, &ask.capital, &ask.residual,    &ask.electricity,
      &ask.pue,  &ask.rate,    &ask.load_factor, &ask.api};
  for (const auto& row : economics::factor_rows()) {
    const auto i = static_cast<std::size_t>(row.factor);
    const bool is_predicted = row.factor == economics::Factor::kRate && setup.rate_variation > 0;
    setup.plan.variations[i] = *given[i]      ? (*given[i])->value
                               : is_predicted ? setup.rate_variation
                                              : setup.fact("uncertainty", row.key);
  }
  // One after the other: facts are told in the order in which they were asked for.
  const double api_rate = setup.fact("correlation", "api-price-and-rate");
  const double rent_residual = setup.fact("correlation", "rent-and-residual");
  setup.plan.correlations = economics::usual_correlations(rent_residual, api_rate);
  setup.plan.draws = static_cast<std::size_t>(setup.draws);
  setup.plan.seed = setup.seed;
}

}  // namespace loadfactor::engine
