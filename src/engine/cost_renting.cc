// The terms of renting and of paying per token, and the machines to compare with.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/name_rule.h"
#include "economics/periods.h"
#include "engine/cost_setup.h"

namespace loadfactor::engine {
namespace {

using economics::bit;
using economics::kYear;
using economics::OptionKind;
using economics::RentTerms;

struct TermRow {
  OptionKind kind;
  catalog::RentTerm term;
  std::string_view name;
};
constexpr std::array kTerms{
    TermRow{OptionKind::kOnDemand, catalog::RentTerm::kOnDemand, "on-demand"},
    TermRow{OptionKind::kReserved1y, catalog::RentTerm::kReserved1y, "reserved-1y"},
    TermRow{OptionKind::kReserved3y, catalog::RentTerm::kReserved3y, "reserved-3y"},
    TermRow{OptionKind::kSpot, catalog::RentTerm::kSpot, "spot"},
};

const config::Given<DollarsPerGpuSecond>& written(const config::RentAsk& rent, OptionKind kind) {
  switch (kind) {
    case OptionKind::kReserved1y:
      return rent.reserved_1y;
    case OptionKind::kReserved3y:
      return rent.reserved_3y;
    case OptionKind::kSpot:
      return rent.spot;
    default:
      return rent.on_demand;
  }
}

// The row of the provider asked for, else of the market as a whole, else the middle one.
const catalog::RentPrice* find_rent(const CostSetup& setup, catalog::RentTerm term) {
  const auto& asked = setup.money().rent.provider;
  std::vector<const catalog::RentPrice*> rows;
  for (const auto& row : setup.catalog->prices().rent) {
    const bool same = setup.chip != nullptr && row.accelerator == setup.chip->name;
    if (!same || row.term != term) continue;
    if (asked && row.provider != asked->value) continue;
    if (!asked && row.provider == "market") return &row;
    rows.push_back(&row);
  }
  if (rows.empty()) return nullptr;
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end(),
                   [](const auto* a, const auto* b) { return a->price < b->price; });
  return *middle;
}

RentTerms terms_of(const CostSetup& setup, DollarsPerSecond price) {
  const auto& ask = setup.money().rent;
  const auto ratio = [](const config::Given<double>& given) { return given ? given->value : 0.0; };
  const auto running = [](const config::Given<DollarsPerSecond>& given) {
    return given ? given->value : DollarsPerSecond();
  };
  RentTerms terms;
  terms.price = price;
  terms.commit_floor = ratio(ask.commit);
  terms.support = ratio(ask.support);
  terms.goodput_loss = ratio(ask.goodput);
  terms.storage = running(ask.storage);
  terms.egress = running(ask.egress);
  terms.debugging = running(ask.debugging);
  if (ask.setup) terms.setup = ask.setup->value;
  terms.term = setup.terms.horizon;
  return terms;
}

void read_term(CostSetup& setup, const TermRow& row) {
  const bool needed = row.kind == OptionKind::kOnDemand || (setup.asked & bit(row.kind)) != 0;
  if (!needed) return;
  auto& slot = setup.terms.rent[static_cast<std::size_t>(row.kind)];
  const auto& price = written(setup.money().rent, row.kind);
  if (price) {
    slot = terms_of(setup, of_one(price->value));
    setup.use_written_price(fmt::format("rent, {}", row.name), format_display(any(price->value), 4),
                            price->position, setup.money().rent.as_of);
    return;
  }
  if (const auto* found = find_rent(setup, row.term)) {
    slot = terms_of(setup, of_one(found->price));
    setup.use_price(
        fmt::format("rent of {}, {}, {}", found->accelerator, row.name, found->provider),
        format_display(any(found->price), 4), found->provenance);
    return;
  }
  if ((setup.asked & bit(row.kind)) != 0)
    setup.unpriced.push_back(
        {std::string(row.name), lf::kPriceNotFound,
         fmt::format("no {} price of {} is known; give rent.{}", row.name,
                     setup.chip != nullptr ? setup.chip->name : "the chip",
                     row.kind == OptionKind::kOnDemand ? "on_demand" : std::string(row.name))});
}

void read_spot_terms(CostSetup& setup) {
  const auto& ask = setup.money().spot;
  auto& spot = setup.terms.spot;
  if (!setup.terms.rent[static_cast<std::size_t>(OptionKind::kSpot)]) return;
  const double share =
      ask.interrupted ? ask.interrupted->value : setup.fact("spot_interruption", "aws-h100");
  spot.hazard = economics::interruption_hazard(share, economics::kDay * 30.0);
  spot.loss = ask.loss ? ask.loss->value
                       : economics::kHour * setup.fact("spot_loss", "checkpoint-and-restart");
  if (ask.wait) spot.wait = ask.wait->value;
  const int per_node = setup.node != nullptr && setup.node->gpus > 0 ? setup.node->gpus : 8;
  const bool trains = setup.scenario.train.has_value();
  const double nodes = std::ceil(setup.terms.capacity.gpus / per_node - 1e-9);
  // Replicas of a service stop one by one; a training run stops as a whole.
  spot.gang = ask.gang ? static_cast<double>(ask.gang->value) : (trains ? nodes : 1.0);
}

std::vector<const catalog::ApiPrice*> api_rows(const CostSetup& setup, std::string_view model) {
  const auto& ask = setup.money().api;
  std::vector<const catalog::ApiPrice*> rows;
  for (const auto& row : setup.catalog->prices().api) {
    if (row.model_id != model && row.model != model) continue;
    if (ask && ask->provider && row.provider != ask->provider->value) continue;
    if (row.input && row.output) rows.push_back(&row);
  }
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return *a->input + *a->output < *b->input + *b->output;
  });
  return rows;
}

std::string model_asked(const CostSetup& setup) {
  const auto& ask = setup.money().api;
  if (ask && ask->model) return ask->model->value;
  if (!setup.scenario.serve) return {};
  const auto* named = std::get_if<config::CatalogModel>(&setup.scenario.serve->model.model);
  if (named == nullptr) return {};
  const auto found = setup.catalog->find_model(named->name.value);
  return found ? (*found)->name : std::string();
}

void read_api_shares(CostSetup& setup, economics::ApiTerms& terms) {
  const auto& ask = setup.money().api;
  if (ask && ask->input_share) {
    terms.input_share = ask->input_share->value;
  } else if (setup.scenario.serve && setup.scenario.serve->demand &&
             setup.scenario.serve->demand->tokens_in && setup.scenario.serve->demand->tokens_out) {
    const Tokens in = setup.scenario.serve->demand->tokens_in->value;
    const Tokens out = setup.scenario.serve->demand->tokens_out->value;
    terms.input_share = in / (in + out);
  } else if (terms.input != terms.output) {
    terms.input_share = 0.75;
    setup.note("assumed-token-mix",
               "three tokens in for one out are assumed; api.input_share sets it",
               Severity::kCaution);
  }
  if (ask && ask->cached_share) terms.cached_share = ask->cached_share->value;
  if (ask && ask->half_life) terms.half_life = ask->half_life->value;
  if (ask && ask->limit) terms.limit = ask->limit->value;
}

bool read_written_api(CostSetup& setup, economics::ApiTerms& terms) {
  const auto& ask = setup.money().api;
  if (!ask) return false;
  const auto use = [&](const char* what, const config::Given<DollarsPerToken>& given) {
    if (given)
      setup.use_written_price(what, format_display(any(given->value), 4), given->position,
                              ask->as_of);
  };
  setup.api_name = ask->model ? ask->model->value : "at your price";
  if (ask->price) {
    use("API, per token", ask->price);
    terms.input = terms.cached = terms.output = ask->price->value;
    return true;
  }
  if (!ask->input || !ask->output) return false;
  use("API, input", ask->input);
  use("API, output", ask->output);
  use("API, cached input", ask->cached);
  terms.input = ask->input->value;
  terms.output = ask->output->value;
  terms.cached = ask->cached ? ask->cached->value : terms.input;
  return true;
}

bool read_listed_api(CostSetup& setup, economics::ApiTerms& terms) {
  const std::string model = model_asked(setup);
  if (model.empty()) return false;
  const auto rows = api_rows(setup, model);
  if (rows.empty()) return false;
  const catalog::ApiPrice& row = *rows[rows.size() / 2];
  terms.input = *row.input;
  terms.output = *row.output;
  terms.cached = row.cached.value_or(*row.input);
  setup.api_name = fmt::format("{} {}", row.provider, row.model_id);
  setup.use_price(fmt::format("API {} {}", row.provider, row.model_id),
                  fmt::format("{:.4g} in, {:.4g} out USD/M tokens", row.input->base() * 1e6,
                              row.output->base() * 1e6),
                  row.provenance);
  if (rows.size() > 1)
    setup.note("median-api",
               fmt::format("{} providers sell it; the middle one is taken: {} (api.provider sets "
                           "another)",
                           rows.size(), row.provider));
  return true;
}

}  // namespace

void read_renting(CostSetup& setup) {
  for (const auto& row : kTerms) read_term(setup, row);
  read_spot_terms(setup);
  const auto& ask = setup.money().rent;
  if (ask.surcharge) setup.terms.managed_surcharge = ask.surcharge->value;
}

void read_api(CostSetup& setup) {
  if ((setup.asked & bit(OptionKind::kApi)) == 0) return;
  economics::ApiTerms terms;
  const bool priced = read_written_api(setup, terms) || read_listed_api(setup, terms);
  const bool has_rate = setup.terms.capacity.full_plane > TokensPerSecond();
  if (priced && has_rate) {
    read_api_shares(setup, terms);
    setup.terms.api = terms;
    const TokensPerSecond needed =
        setup.terms.capacity.full_plane * setup.terms.capacity.load_factor;
    if (terms.limit > TokensPerSecond() && terms.limit < needed)
      setup.note("rate-limit",
                 fmt::format("the API's limit of {} is below the {} that are carried",
                             format_display(any(terms.limit)), format_display(any(needed))),
                 Severity::kCaution);
    return;
  }
  const bool named = setup.money().api.has_value() || !setup.money().options.empty();
  if (!named) return;
  setup.unpriced.push_back(
      {"api", lf::kPriceNotFound,
       priced ? "tokens have a price, but how many a GPU makes is not said; give capacity.rate"
              : "no price per token is known; give api.price, or api.model as `loadfactor catalog "
                "api` lists it"});
}

namespace {

economics::PortingBill bill_of(const config::PortingAsk& ask, Seconds horizon) {
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

void price_alternative(CostSetup& setup, const config::AlternativeAsk& ask,
                       economics::Alternative& other, Diagnostics& diagnostics) {
  if (ask.all_in) {
    other.all_in = of_one(ask.all_in->value);
    setup.use_written_price(ask.name.value + ", all in", per_hour_text(*other.all_in),
                            ask.all_in->position, std::nullopt);
    return;
  }
  if (ask.price) {
    if (setup.terms.own)
      other.own = *setup.terms.own;
    else
      other.own.emplace();
    other.own->capital.price = ask.price->value;
    if (other.own->capital.life <= Seconds()) other.own->capital.life = setup.terms.horizon;
    setup.use_written_price("price of " + ask.name.value, format_display(any(ask.price->value)),
                            ask.price->position, std::nullopt);
    return;
  }
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
    setup.use_price(fmt::format("owning {}, all in", row->accelerator),
                    per_hour_text(*other.all_in), row->provenance);
    return;
  }
  setup.unpriced.push_back(
      {ask.name.value, lf::kPriceNotFound,
       fmt::format("no cost of owning {} is known; give all_in or price", (*chip)->name)});
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
    setup.plan.variations[i] = *given[i] ? (*given[i])->value : setup.fact("uncertainty", row.key);
  }
  setup.plan.correlations =
      economics::usual_correlations(setup.fact("correlation", "rent-and-residual"),
                                    setup.fact("correlation", "api-price-and-rate"));
  setup.plan.draws = static_cast<std::size_t>(setup.draws);
  setup.plan.seed = setup.seed;
}

}  // namespace loadfactor::engine
