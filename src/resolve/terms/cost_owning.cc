// The terms of owning: what the scenario says, and for the rest what the catalogue has.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "resolve/model/sold_alone.h"
#include "resolve/terms/cost_setup.h"
#include "resolve/terms/machine_draw.h"

namespace loadfactor::engine {
namespace {

using economics::bit;
using economics::OwnerTerms;

constexpr DollarsPerJoule per_kwh(double dollars) {
  return DollarsPerJoule::from_base(dollars / 3.6e6);
}

struct AgeRow {
  double years;
  std::string_view variant;
};
// The ages at which the catalogue knows what hardware fetches.
constexpr std::array kAges{AgeRow{1, "h100-year-1"}, AgeRow{2, "h100-year-2"},
                           AgeRow{3, "h100-year-3"}, AgeRow{5, "year-5-and-later"}};

// The residual of hardware of some age, where none is written; between known ages in proportion.
double usual_residual(CostSetup& setup, Seconds life) {
  const double years = life / kYear;
  double age = 0;
  double left = 1;
  for (const auto& row : kAges) {
    const double next = setup.fact("residual", row.variant);
    if (years <= row.years) return left * std::pow(next / left, (years - age) / (row.years - age));
    age = row.years;
    left = next;
  }
  return left;
}

struct DebtRow {
  config::Offtake offtake;
  std::string_view variant;
};
constexpr std::array kDebts{DebtRow{config::Offtake::kInvestmentGrade, "coreweave-ddtl-4-a3"},
                            DebtRow{config::Offtake::kSpeculative, "coreweave-ddtl-5-ba2"},
                            DebtRow{config::Offtake::kMerchant, "coreweave-ddtl-2"}};

// The cost of capital: as written, or weighted from debt and equity, or the usual one.
double read_discount(CostSetup& setup) {
  const auto& own = setup.money().own;
  if (own.discount) {
    setup.discount_basis = DiscountBasis::kStated;
    return own.discount->value;
  }
  if (!own.financing) {
    const auto* usual = setup.find_fact("wacc", "neocloud");
    setup.discount_basis = DiscountBasis::kUsual;
    return usual != nullptr ? usual->value : setup.fact("wacc", "neocloud");
  }
  const auto& ask = *own.financing;
  economics::Financing terms;
  terms.debt_share = ask.debt_share.value;
  terms.equity_rate = ask.equity_rate.value;
  if (ask.tax) terms.tax = ask.tax->value;
  const auto offtake = ask.offtake ? ask.offtake->value : config::Offtake::kMerchant;
  const auto row = std::find_if(kDebts.begin(), kDebts.end(),
                                [&](const DebtRow& debt) { return debt.offtake == offtake; });
  terms.debt_rate = ask.debt_rate ? ask.debt_rate->value : setup.fact("debt_rate", row->variant);
  setup.financing = terms;
  setup.discount_basis = DiscountBasis::kWeighted;
  return economics::weighted_cost_of_capital(terms);
}

// What a GPU costs as a part of its server, over its price alone: the middle of the catalogue's
// servers whose price and whose GPU's price are known.
std::optional<double> server_over_chip(const catalog::Catalog& catalog) {
  std::vector<double> ratios;
  for (const auto& row : catalog.prices().capex) {
    const auto chip = catalog.find_accelerator(row.accelerator);
    const auto node =
        chip ? catalog.find_node((*chip)->node) : Result<const catalog::NodeSpec*>(chip.error());
    if (!node || !(*node)->price || (*node)->gpus < 2 || row.price <= Dollars()) continue;
    const double ratio = (*node)->price->capex / (*node)->gpus / row.price;
    if (ratio > 1) ratios.push_back(ratio);
  }
  if (ratios.empty()) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2];
}

// The price of a chip alone becomes that of a part of a server.
Dollars with_server(CostSetup& setup, const catalog::CapexPrice& row) {
  const bool is_board = setup.node != nullptr && setup.node->gpus > 1 && setup.chip != nullptr &&
                        !is_sold_alone(*setup.chip);
  // A card, for a server that is there. Modules run in none but their own, however few are counted.
  if (setup.terms.capacity.machine <= 1 && !is_board) return row.price;
  const auto ratio = server_over_chip(*setup.catalog);
  if (!ratio) return row.price;
  setup.note({.id = "server-added",
              .arguments = {{"accelerator", row.accelerator},
                            {"share", fmt::format("{:.0f} %", 100 * (*ratio - 1))}}});
  return row.price * *ratio;
}

// Price of one GPU with its node, and what a cluster needs beside it.
std::optional<Dollars> installed_price(CostSetup& setup) {
  const auto& own = setup.money().own;
  if (own.price) {
    setup.use_written_price("price", "price of one GPU, installed",
                            format_display(any(own.price->value)), own.price->position, own.as_of);
    return own.price->value;
  }
  const double beside = 1.0 + setup.fact("hidden_capex", "optics-cables-switches-insurance");
  if (setup.node != nullptr && setup.node->price && setup.node->gpus > 0) {
    const Dollars share = setup.node->price->capex / setup.node->gpus;
    setup.use_price("price", fmt::format("price of {}, per GPU", setup.node->name),
                    format_display(any(share)), setup.node->price->provenance);
    return share * beside;
  }
  for (const auto& row : setup.catalog->prices().capex) {
    if (setup.chip == nullptr || row.accelerator != setup.chip->name) continue;
    setup.use_price("price", fmt::format("price of {}", row.accelerator),
                    format_display(any(row.price)), row.provenance);
    return with_server(setup, row) * beside;
  }
  return std::nullopt;
}

Watts rated_power(CostSetup& setup) {
  const auto& own = setup.money().own;
  if (own.power) return own.power->value;
  if (setup.node != nullptr && setup.node->power && setup.node->gpus > 0)
    return setup.node->power->max / setup.node->gpus;
  if (setup.chip == nullptr) return Watts();
  setup.note({.id = "power-of-chip-alone", .arguments = {{"accelerator", setup.chip->name}}});
  return setup.chip->power.rated;
}

// Share of the working draw that an idle node takes.
double idle_share(CostSetup& setup) {
  const auto& own = setup.money().own;
  if (own.idle_power) return own.idle_power->value;
  const bool known = setup.node != nullptr && setup.node->power && setup.node->power->idle &&
                     setup.node->power->typical;
  return known ? *setup.node->power->idle / *setup.node->power->typical
               : setup.fact("idle_power", "node-over-typical");
}

}  // namespace

MachineDraw machine_draw(CostSetup& setup) {
  const auto& own = setup.money().own;
  MachineDraw draw;
  draw.rated = rated_power(setup);
  draw.electrical_load = own.electrical_load ? own.electrical_load->value
                                             : setup.fact("electrical_load", "training-node");
  draw.idle_share = idle_share(setup);
  draw.pue = own.pue ? own.pue->value : setup.fact("pue", "new-large-site");
  return draw;
}

DollarsPerJoule electricity_price(CostSetup& setup) {
  const auto& money = setup.money();
  if (money.electricity) {
    setup.use_written_price("electricity", "electricity",
                            format_display(any(money.electricity->value)),
                            money.electricity->position, std::nullopt);
    return money.electricity->value;
  }
  if (setup.region != nullptr) {
    setup.use_price("electricity", fmt::format("electricity in {}", setup.region->title),
                    format_display(any(setup.region->electricity)),
                    setup.region->electricity_provenance);
    return setup.region->electricity;
  }
  setup.note({.id = "default-electricity"});
  return per_kwh(setup.fact("electricity_price", "us-texas-industrial"));
}

namespace {

DollarsPerJoule space_price(CostSetup& setup, double discount) {
  const auto& own = setup.money().own;
  if (own.space) return own.space->value;
  if (own.build && own.build->value) {
    const double millions = setup.fact("build_cost", "us-average");
    const double years = setup.fact("build_life", "site");
    return economics::built_space(Dollars::from_base(millions * 1e6), discount, kYear * years);
  }
  const double per_kw_month = setup.fact("colo_price", "us-tier-2-wholesale");
  return Dollars::from_base(per_kw_month) / (Watts::from_base(1e3) * kMonth);
}

void read_capital(CostSetup& setup, Dollars price, OwnerTerms& terms) {
  const auto& own = setup.money().own;
  auto& capital = terms.capital;
  capital.price = price;
  capital.life = own.life ? own.life->value : kYear * setup.fact("book_life", "neocloud");
  if (!own.discount && !own.financing) setup.fact("wacc", "neocloud");
  capital.discount = setup.terms.discount;
  capital.residual = own.residual ? own.residual->value : usual_residual(setup, capital.life);
}

DollarsPerSecond staff_price(CostSetup& setup) {
  const auto& own = setup.money().own;
  if (own.staff) return of_one(own.staff->value);
  return Dollars::from_base(setup.fact("staff_price", "per-gpu")) / kHour;
}

OwnerTerms owner_terms(CostSetup& setup, Dollars price) {
  const auto& own = setup.money().own;
  OwnerTerms terms;
  read_capital(setup, price, terms);
  const MachineDraw draw = machine_draw(setup);
  terms.rated = draw.rated;
  terms.electrical_load = draw.electrical_load;
  terms.idle_share = draw.idle_share;
  terms.pue = draw.pue;
  terms.electricity = electricity_price(setup);
  terms.space = space_price(setup, terms.capital.discount);
  terms.maintenance =
      own.maintenance ? own.maintenance->value : setup.fact("maintenance", "hardware");
  if (own.insurance) terms.insurance = own.insurance->value;
  terms.staff = staff_price(setup);
  if (own.software) terms.software = of_one(own.software->value);
  if (own.availability) terms.availability = own.availability->value;
  return terms;
}

}  // namespace

void read_owning(CostSetup& setup) {
  const auto& own = setup.money().own;
  auto& terms = setup.terms;
  const bool asked = (setup.asked & bit(OptionKind::kOwn)) != 0;
  terms.discount = read_discount(setup);
  if (setup.money().people) terms.people = setup.money().people->value;
  if (own.resale) terms.resale = of_one(own.resale->value);
  if (own.most) terms.max_owned = static_cast<double>(own.most->value);
  if (own.all_in) {
    terms.own_all_in = of_one(own.all_in->value);
    setup.use_written_price("all-in", "owning one GPU, all in", per_hour_text(*terms.own_all_in),
                            own.all_in->position, own.as_of);
  } else if (asked) {
    if (const auto price = installed_price(setup))
      terms.own = owner_terms(setup, *price);
    else
      setup.unpriced.push_back({"own", lf::kPriceNotFound,
                                fmt::format("no price of {} is known; give own.price",
                                            setup.chip != nullptr ? setup.chip->name : "the chip"),
                                OptionKind::kOwn});
  }
  if (setup.money().horizon)
    terms.horizon = setup.money().horizon->value;
  else if (own.life || terms.own)
    terms.horizon = own.life ? own.life->value : terms.own->capital.life;
  else
    terms.horizon = kYear * setup.fact("horizon", "usual");
}

}  // namespace loadfactor::engine
