// The bill of one option: quantity × unit price, what carried work apart from what flew empty.
#include <algorithm>
#include <cmath>

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
  void gpu_hours(BillItem item, DollarsPerSecond price, double gpus, double load) {
    const Dollars hour = price * kHour;
    const double hours = gpus * kHoursPerMonth;
    add(item, 0, hours, BillUnit::kGpuHours, hour);
    add(BillItem::kCarryingWork, 1, hours * load, BillUnit::kGpuHours, hour);
    add(BillItem::kFlyingEmpty, 1, hours * (1 - load), BillUnit::kGpuHours, hour);
  }

  void add(BillItem item, int depth, double quantity, BillUnit unit, Dollars price) {
    CostLine line{.item = item,
                  .depth = depth,
                  .quantity = quantity,
                  .unit = unit,
                  .unit_price = price,
                  .monthly = price * quantity};
    if (item == BillItem::kCapital) line.life = setup_.terms.own->capital.life;
    answer_.lines.push_back(line);
    if (depth == 0) answer_.total += price * quantity;
  }

  void flat(BillItem item, DollarsPerSecond cost, bool assumed) {
    if (cost <= DollarsPerSecond()) return;
    answer_.lines.push_back({.item = item, .monthly = monthly(cost), .assumed = assumed});
    answer_.total += monthly(cost);
  }

  void owned(const OptionFigures& figures) {
    const auto cost = *economics::owner_cost_of(setup_.terms);
    const double load = figures.load_factor;
    const double gpus = figures.gpus;
    if (setup_.terms.own_all_in) {
      gpu_hours(BillItem::kOwnAllIn, cost.capital, gpus, load);
      return;
    }
    gpu_hours(BillItem::kCapital, cost.capital, gpus, load);
    energy(cost, gpus, load);
    flat(BillItem::kSpace, cost.space * gpus, false);
    flat(BillItem::kMaintenance, cost.maintenance * gpus, false);
    flat(BillItem::kInsurance, cost.insurance * gpus, false);
    flat(BillItem::kStaff, cost.staff * gpus, false);
    flat(BillItem::kSoftware, cost.software * gpus, false);
    flat(BillItem::kOutOfOrder, cost.unavailable * gpus, false);
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
      gpu_hours(BillItem::kOwnedBase, owner.at(owned_load), figures.owned, owned_load);
      rest = rest - owner.at(owned_load) * figures.owned;
    }
    if (figures.reserved > 0) {
      const auto price = *economics::effective_rent(terms, figures.reserved_as);
      const bool is_long = figures.reserved_as == OptionKind::kReserved3y;
      gpu_hours(is_long ? BillItem::kLongReservedBase : BillItem::kReservedBase, price,
                figures.reserved, load);
      rest = rest - price * figures.reserved;
    }
    if (burst > 0) {
      const auto kind =
          figures.kind == OptionKind::kOwnSpotBurst ? OptionKind::kSpot : OptionKind::kOnDemand;
      const auto price = *economics::effective_rent(terms, kind);
      gpu_hours(kind == OptionKind::kSpot ? BillItem::kSpotBurst : BillItem::kOnDemandBurst, price,
                burst, 1.0);
      rest = rest - price * burst;
    }
    beside(rest);
  }

  void rented(const OptionFigures& figures) {
    const auto& rent = setup_.terms.rent[static_cast<std::size_t>(figures.kind)];
    const auto cost = economics::rent_cost(*rent, figures.gpus, figures.gpus);
    gpu_hours(BillItem::kRent, rent->price, figures.gpus, figures.load_factor);
    if (figures.kind == OptionKind::kSpot) {
      const double hours = setup_.terms.capacity.run
                               ? 1.0  // What a run loses is in its time.
                               : economics::spot_multiplier(setup_.terms.spot);
      flat(BillItem::kInterruptions, cost.total() * (hours - 1.0), false);
      flat(BillItem::kWaiting,
           setup_.terms.delay * economics::spot_waiting_share(setup_.terms.spot), true);
    }
    flat(BillItem::kPlatform, cost.surcharge, false);
    flat(BillItem::kSupport, cost.support, false);
    flat(BillItem::kLostHours, cost.goodput, false);
    flat(BillItem::kStorage, cost.storage, true);
    flat(BillItem::kEgress, cost.egress, true);
    flat(BillItem::kDebugging, cost.debugging, true);
    flat(BillItem::kSetUp, cost.setup, true);
  }

 private:
  // Storage, egress and minimum of what is rented, less the idle hours that are sold.
  void beside(DollarsPerSecond rest) {
    constexpr double kCent = 0.005;
    if (std::abs(monthly(rest).base()) < kCent) return;
    const bool is_paid = rest > DollarsPerSecond();
    answer_.lines.push_back({.item = is_paid ? BillItem::kBesideHours : BillItem::kSoldHours,
                             .monthly = monthly(rest)});
    answer_.total += monthly(rest);
  }

  void energy(const economics::OwnerCost& cost, double gpus, double load) {
    const auto& own = *setup_.terms.own;
    const DollarsPerSecond busy = cost.energy * gpus * load;
    const DollarsPerSecond idle = cost.energy_idle * gpus * (1 - load);
    const Dollars kwh = own.electricity * Joules::from_base(3.6e6);
    const auto amount = [&](DollarsPerSecond part) { return monthly(part) / kwh; };
    add(BillItem::kElectricity, 0, amount(busy + idle), BillUnit::kKilowattHours, kwh);
    add(BillItem::kCarryingWork, 1, amount(busy), BillUnit::kKilowattHours, kwh);
    add(BillItem::kFlyingEmpty, 1, amount(idle), BillUnit::kKilowattHours, kwh);
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
    bill.add(BillItem::kTokens, 0, millions, BillUnit::kMillionTokens, api.output * million);
    return;
  }
  bill.add(BillItem::kTokensIn, 0, in * (1 - api.cached_share), BillUnit::kMillionTokens,
           api.input * million);
  if (api.cached_share > 0)
    bill.add(BillItem::kTokensCached, 0, in * api.cached_share, BillUnit::kMillionTokens,
             api.cached * million);
  bill.add(BillItem::kTokensOut, 0, millions - in, BillUnit::kMillionTokens, api.output * million);
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
      bill.gpu_hours(BillItem::kOption, (figures.cost - setup.terms.people) / figures.gpus,
                     figures.gpus, figures.load_factor);
  }
  bill.flat(BillItem::kPeople, setup.terms.people, true);
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
