// The bill of one option: quantity × unit price, what carried work apart from what flew empty.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "engine/cost/cost_answer.h"

namespace loadfactor::engine {
namespace {

using economics::OptionFigures;

constexpr double kHoursPerMonth = kMonth / kHour;

class Bill {
 public:
  Bill(const CostSetup& setup, CostAnswer& answer) : setup_(setup), answer_(answer) {}

  // An amount of GPU-hours, split by the load.
  void gpu_hours(const std::string& name, DollarsPerSecond price, double gpus, double load) {
    const Dollars hour = price * kHour;
    const double hours = gpus * kHoursPerMonth;
    add(name, 0, hours, "GPU-hours", hour);
    add("carrying work", 1, hours * load, "GPU-hours", hour);
    add("flying empty", 1, hours * (1 - load), "GPU-hours", hour);
  }

  void add(const std::string& name, int depth, double quantity, const std::string& unit,
           Dollars price) {
    answer_.lines.push_back({name, depth, quantity, unit, price, price * quantity, false});
    if (depth == 0) answer_.total += price * quantity;
  }

  void flat(const std::string& name, DollarsPerSecond cost, bool assumed) {
    if (cost <= DollarsPerSecond()) return;
    answer_.lines.push_back({name, 0, std::nullopt, "", std::nullopt, monthly(cost), assumed});
    answer_.total += monthly(cost);
  }

  void owned(const OptionFigures& figures) {
    const auto cost = *economics::owner_cost_of(setup_.terms);
    const double load = figures.load_factor;
    const double gpus = figures.gpus;
    if (setup_.terms.own_all_in) {
      gpu_hours("owning, all in", cost.capital, gpus, load);
      return;
    }
    gpu_hours(fmt::format("capital over {:.0f} months", setup_.terms.own->capital.life / kMonth),
              cost.capital, gpus, load);
    energy(cost, gpus, load);
    flat("space and power rating", cost.space * gpus, false);
    flat("maintenance", cost.maintenance * gpus, false);
    flat("insurance", cost.insurance * gpus, false);
    flat("staff", cost.staff * gpus, false);
    flat("software", cost.software * gpus, false);
    flat("hours out of order", cost.unavailable * gpus, false);
  }

  // What the option costs beyond its lines.
  void rest_of(const OptionFigures& figures) {
    beside(figures.cost - setup_.terms.people - answer_.total / kMonth);
  }

  // What is owned and reserved is paid around the clock; what is rented on top carries work.
  void mixed(const OptionFigures& figures) {
    const auto& terms = setup_.terms;
    const double busy = terms.capacity.gpus * terms.capacity.load_factor;
    const double base = figures.owned + figures.reserved;
    const double burst = figures.gpus - base;
    const double load = base > 0 ? std::clamp((busy - burst) / base, 0.0, 1.0) : 0.0;
    DollarsPerSecond rest = figures.cost - terms.people;
    if (figures.owned > 0) {
      const auto owner = *economics::owner_cost_of(terms);
      const double owned_load = figures.at_work / figures.owned;
      gpu_hours("owning the base, all in", owner.at(owned_load), figures.owned, owned_load);
      rest = rest - owner.at(owned_load) * figures.owned;
    }
    if (figures.reserved > 0) {
      const auto price = *economics::effective_rent(terms, figures.reserved_as);
      const bool is_long = figures.reserved_as == OptionKind::kReserved3y;
      gpu_hours(is_long ? "reserved for three years" : "reserved for a year", price,
                figures.reserved, load);
      rest = rest - price * figures.reserved;
    }
    if (burst > 0) {
      const auto kind =
          figures.kind == OptionKind::kOwnSpotBurst ? OptionKind::kSpot : OptionKind::kOnDemand;
      const auto price = *economics::effective_rent(terms, kind);
      gpu_hours(kind == OptionKind::kSpot ? "burst on spot" : "burst on demand", price, burst, 1.0);
      rest = rest - price * burst;
    }
    beside(rest);
  }

  void rented(const OptionFigures& figures) {
    const auto& rent = setup_.terms.rent[static_cast<std::size_t>(figures.kind)];
    const auto cost = economics::rent_cost(*rent, figures.gpus, figures.gpus);
    const auto chip = setup_.chip != nullptr ? setup_.chip->name : std::string("GPU");
    gpu_hours(fmt::format("rent of {}, {}", chip, name_of(figures.kind)), rent->price, figures.gpus,
              figures.load_factor);
    if (figures.kind == OptionKind::kSpot) {
      flat("work lost to interruptions",
           cost.total() * (economics::spot_multiplier(setup_.terms.spot) - 1.0), false);
      flat("waiting for capacity",
           setup_.terms.delay * economics::spot_waiting_share(setup_.terms.spot), true);
    }
    flat("surcharge of the platform", cost.surcharge, false);
    flat("support", cost.support, false);
    flat("hours lost to the provider", cost.goodput, false);
    flat("storage", cost.storage, true);
    flat("egress", cost.egress, true);
    flat("debugging", cost.debugging, true);
    flat("set-up, spread", cost.setup, true);
  }

 private:
  // Storage, egress and minimum of what is rented, less the idle hours that are sold.
  void beside(DollarsPerSecond rest) {
    constexpr double kCent = 0.005;
    if (std::abs(monthly(rest).base()) < kCent) return;
    const char* name = rest > DollarsPerSecond() ? "beside the hours" : "idle hours sold";
    answer_.lines.push_back({name, 0, std::nullopt, "", std::nullopt, monthly(rest), false});
    answer_.total += monthly(rest);
  }

  void energy(const economics::OwnerCost& cost, double gpus, double load) {
    const auto& own = *setup_.terms.own;
    const DollarsPerSecond busy = cost.energy * gpus * load;
    const DollarsPerSecond idle = cost.energy_idle * gpus * (1 - load);
    const Dollars kwh = own.electricity * Joules::from_base(3.6e6);
    const auto amount = [&](DollarsPerSecond part) { return monthly(part) / kwh; };
    add("electricity", 0, amount(busy + idle), "kWh", kwh);
    add("carrying work", 1, amount(busy), "kWh", kwh);
    add("flying empty", 1, amount(idle), "kWh", kwh);
  }

  const CostSetup& setup_;
  CostAnswer& answer_;
};

void bill_api(const CostSetup& setup, Bill& bill) {
  const auto& capacity = setup.terms.capacity;
  const auto& api = *setup.terms.api;
  const double millions =
      capacity.full_plane * capacity.load_factor * kMonth / Tokens::from_base(1e6);
  const Tokens million = Tokens::from_base(1e6);
  const double in = millions * api.input_share;
  if (api.input == api.output) {
    bill.add("tokens", 0, millions, "M tokens", api.output * million);
    return;
  }
  bill.add("tokens in", 0, in * (1 - api.cached_share), "M tokens", api.input * million);
  if (api.cached_share > 0)
    bill.add("tokens in, cached", 0, in * api.cached_share, "M tokens", api.cached * million);
  bill.add("tokens out", 0, millions - in, "M tokens", api.output * million);
}

void bill_of(const CostSetup& setup, const OptionFigures& figures, Bill& bill) {
  switch (figures.kind) {
    case OptionKind::kApi:
      return bill_api(setup, bill);
    case OptionKind::kOwn:
      bill.owned(figures);
      bill.rest_of(figures);
      break;
    case OptionKind::kOnDemand:
    case OptionKind::kReserved1y:
    case OptionKind::kReserved3y:
    case OptionKind::kSpot:
      bill.rented(figures);
      break;
    case OptionKind::kOwnBurst:
    case OptionKind::kOwnSpotBurst:
    case OptionKind::kThreeTier:
      bill.mixed(figures);
      break;
    default:
      bill.gpu_hours(option_name(setup, figures),
                     (figures.cost - setup.terms.people) / figures.gpus, figures.gpus,
                     figures.load_factor);
  }
  bill.flat("people", setup.terms.people, true);
}

// The option asked for by its kind, else the machine as it stands: owned if it is asked for, else
// rented.
const OptionFigures* shown(const CostSetup& setup, const economics::CostFigures& figures) {
  for (const auto& option : figures.all()) {
    if (!setup.bill_of.empty() && name_of(option.kind) == setup.bill_of) return &option;
  }
  for (const OptionKind kind : {OptionKind::kOwn, OptionKind::kOnDemand, OptionKind::kReserved1y,
                                OptionKind::kReserved3y, OptionKind::kSpot}) {
    if (const auto* found = figures.find(kind)) return found;
  }
  return figures.count > 0 ? &figures.options[figures.cheapest] : nullptr;
}

}  // namespace

void add_bill(const CostSetup& setup, const economics::CostFigures& figures, CostAnswer& answer) {
  const auto* option = shown(setup, figures);
  if (option == nullptr) return;
  answer.bill_of = option_name(setup, *option);
  Bill bill(setup, answer);
  bill_of(setup, *option, bill);
  const auto& capacity = setup.terms.capacity;
  if (capacity.full_plane <= TokensPerSecond() || option->kind == OptionKind::kApi) return;
  answer.full_plane_per_mtoken =
      (option->fixed + option->working) / option->full_plane * Tokens::from_base(1e6);
}

}  // namespace loadfactor::engine
