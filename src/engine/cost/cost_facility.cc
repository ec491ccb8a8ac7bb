// The building behind the bill: power, racks, network, host, carbon.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "engine/cost/cost_answer.h"
#include "facility/network.h"
#include "facility/power.h"
#include "facility/power_cap.h"
#include "facility/racks.h"
#include "resolve/model/sold_alone.h"

namespace loadfactor::engine {
namespace {

struct CoolingKind {
  std::string_view name;
  std::string_view pue;  // The variant of the fact.
  bool liquid;
};
constexpr std::array kCooling{
    CoolingKind{"air-perimeter", "air-enterprise-colo", false},
    CoolingKind{"air-contained-aisle", "new-large-site", false},
    CoolingKind{"rear-door", "rear-door", false},
    CoolingKind{"direct-liquid", "direct-liquid", true},
    CoolingKind{"immersion", "immersion", true},
};

std::vector<facility::Cooling> ways_to_cool(CostSetup& setup) {
  std::vector<facility::Cooling> ways;
  for (const auto& kind : kCooling) {
    facility::Cooling way;
    way.name = kind.name;
    way.rack_limit = Watts::from_base(1e3 * setup.fact("rack_power_limit", kind.name));
    way.pue = setup.fact("pue", kind.pue);
    way.liquid = kind.liquid;
    ways.push_back(std::move(way));
  }
  return ways;
}

Watts idle_chip(CostSetup& setup) {
  const auto& power = setup.chip->power;
  return power.idle ? *power.idle : power.rated * setup.fact("idle_power", "chip-over-rating");
}

facility::NodeDraw draw_of(CostSetup& setup) {
  facility::NodeDraw draw;
  if (setup.node != nullptr && setup.node->power) {
    const auto& power = *setup.node->power;
    draw.rated = power.max;
    draw.typical =
        power.typical ? *power.typical : power.max * setup.fact("electrical_load", "training-node");
    draw.idle =
        power.idle ? *power.idle : draw.typical * setup.fact("idle_power", "node-over-typical");
    return draw;
  }
  draw.rated = setup.chip->power.rated;
  draw.typical = draw.rated;
  draw.idle = idle_chip(setup);
  return draw;
}

facility::SpacePrices space_prices(CostSetup& setup) {
  facility::SpacePrices prices;
  prices.space = Dollars::from_base(setup.fact("colo_price", "us-tier-2-wholesale")) /
                 (Watts::from_base(1e3) * kMonth);
  if (setup.terms.own) prices.space = setup.terms.own->space;
  prices.electricity = setup.terms.own ? setup.terms.own->electricity : electricity_price(setup);
  prices.dense_premium = setup.fact("colo_premium", "rack-above-50kw");
  prices.dense_above = Watts::from_base(1e3 * setup.fact("colo_premium_above", "rack"));
  prices.electrical_load = setup.fact("electrical_load", "training-node");
  return prices;
}

facility::RackQuestion rack_ask(CostSetup& setup, Watts rated, std::int64_t nodes) {
  facility::RackQuestion ask;
  ask.rack_units = static_cast<int>(setup.fact("rack_height", "usual"));
  ask.node_rated = rated;
  ask.nodes = static_cast<double>(nodes);
  if (setup.node != nullptr && setup.node->power) {
    ask.node_units = setup.node->power->rack_units;
    ask.needs_liquid = setup.node->power->cooling == "liquid";
  }
  if (setup.scenario.limits.rack_power) ask.site_limit = setup.scenario.limits.rack_power->value;
  return ask;
}

// Machines that are built for air are cooled by air wherever a rack allows it.
std::optional<facility::RackPlan> usual_cooling(bool needs_liquid,
                                                const std::vector<facility::RackPlan>& plans) {
  if (needs_liquid) return facility::cheapest_legal(plans);
  std::vector<facility::RackPlan> by_air;
  for (const auto& plan : plans) {
    const auto kind = std::find_if(kCooling.begin(), kCooling.end(),
                                   [&](const CoolingKind& k) { return k.name == plan.cooling; });
    if (kind != kCooling.end() && !kind->liquid) by_air.push_back(plan);
  }
  const auto best = facility::cheapest_legal(by_air);
  return best ? best : facility::cheapest_legal(plans);
}

std::optional<CoolingObjection> objection_of(const facility::RackPlan& plan, Watts node) {
  switch (plan.obstacle) {
    case facility::RackObstacle::kNothing:
      return std::nullopt;
    case facility::RackObstacle::kLiquidOnly:
      return CoolingObjection{CoolingObjection::Kind::kLiquidOnly, node, plan.rack_limit};
    case facility::RackObstacle::kPower:
      return CoolingObjection{CoolingObjection::Kind::kTooMuchPower, node, plan.rack_limit};
  }
  return std::nullopt;
}

// A way of cooling that the scenario asks for and that takes no node.
Error illegal_cooling(const CostSetup& setup, const facility::RackPlan& wanted, Watts node,
                      const std::optional<facility::RackPlan>& best) {
  const bool is_dry = wanted.obstacle == facility::RackObstacle::kLiquidOnly;
  return setup.error(
      lf::kNoLegalCooling, setup.scenario.facility->cooling->position,
      is_dry ? "the node is cooled by liquid only"
             : fmt::format("a node of {} exceeds the {} of a rack", format_display(any(node)),
                           format_display(any(wanted.rack_limit))),
      best ? "take " + best->cooling + ", or leave it out" : "raise limits.rack_power");
}

void add_cooling(CostSetup& setup, const facility::NodeDraw& draw,
                 const facility::SpacePrices& prices, FacilityAnswer& answer,
                 Diagnostics& diagnostics) {
  const facility::RackQuestion ask = rack_ask(setup, draw.rated, answer.nodes);
  const auto plans = facility::plan_racks(ask, ways_to_cool(setup), prices);
  auto best = usual_cooling(ask.needs_liquid, plans);
  const auto& wanted =
      setup.scenario.facility ? setup.scenario.facility->cooling : config::Given<std::string>();
  if (wanted) {
    const auto found = std::find_if(plans.begin(), plans.end(), [&](const auto& plan) {
      return plan.cooling == wanted->value;
    });
    if (found == plans.end())
      return diagnostics.add(setup.error(
          lf::kUnknownWord, wanted->position, fmt::format("no cooling '{}'", wanted->value),
          "one of: air-perimeter, air-contained-aisle, rear-door, direct-liquid, immersion"));
    if (!found->legal) return diagnostics.add(illegal_cooling(setup, *found, draw.rated, best));
    best = *found;
  }
  if (!best)
    setup.note({.id = "no-legal-cooling",
                .arguments = {{"code", fmt::format("LF{}", lf::kNoLegalCooling)}}});
  for (const auto& plan : plans)
    answer.cooling.push_back({plan.cooling, plan.legal, objection_of(plan, draw.rated),
                              plan.nodes_per_rack, plan.racks, plan.pue, plan.site_power,
                              plan.cost * kMonth, best && best->cooling == plan.cooling});
  if (best)
    answer.floor_area =
        facility::floor_area(best->racks, setup.fact("floor_area", "rack-with-aisles"));
  const auto& site = setup.scenario.limits.site_power;
  if (site && best && best->site_power > site->value)
    setup.note({.id = "site-power",
                .arguments = {{"drawn", format_display(any(best->site_power))},
                              {"allowed", format_display(any(site->value))}}});
}

facility::NetworkQuestion network_ask(CostSetup& setup) {
  facility::NetworkQuestion ask;
  const bool known = setup.node != nullptr && setup.node->network && setup.node->gpus > 0;
  ask.rails = known ? std::max(1, setup.node->network->nics)
                    : static_cast<int>(setup.fact("node_size", "usual"));
  const double nics_per_gpu = known ? static_cast<double>(ask.rails) / setup.node->gpus : 1.0;
  ask.endpoints = std::max<std::int64_t>(1, std::llround(setup.terms.capacity.gpus * nics_per_gpu));
  ask.radix = static_cast<int>(setup.fact("switch_radix", "quantum-2-64-ports"));
  if (!setup.scenario.facility) return ask;
  const auto& given = setup.scenario.facility->network;
  if (given.radix) ask.radix = static_cast<int>(given.radix->value);
  if (given.oversubscription) ask.oversubscription = given.oversubscription->value;
  return ask;
}

void add_networks(CostSetup& setup, FacilityAnswer& answer, Diagnostics& diagnostics) {
  facility::NetworkQuestion ask = network_ask(setup);
  const facility::NetworkPrices prices{
      .per_switch = Dollars::from_base(setup.fact("switch_price", "quantum-2-64-ports")),
      .per_link = Dollars::from_base(setup.fact("link_price", "ndr-cable-and-optics")),
      .switch_power = Watts::from_base(setup.fact("switch_power", "quantum-2-64-ports")),
      .optic_power = Watts::from_base(setup.fact("optic_power", "400g-end"))};
  const auto& wanted = setup.scenario.facility ? setup.scenario.facility->network.topology
                                               : config::Given<std::string>();
  bool known = !wanted;
  for (const auto& row : facility::topologies()) {
    if (wanted && wanted->value != row.name) continue;
    known = true;
    ask.topology = row.topology;
    NetworkRow out;
    out.topology = row.name;
    const auto network = facility::count_network(ask);
    if (network) {
      out.possible = true;
      out.levels = network->levels;
      out.switches = network->switches();
      out.leaves = network->leaves;
      out.cables = network->cables;
      out.optics = network->optics();
      if (network->groups == 0) out.oversubscription = network->oversubscription;
      out.hops = network->hops;
      out.failure_domain = network->failure_domain;
      out.price = facility::network_price(*network, prices);
      out.power = facility::network_power(*network, prices);
    } else if (wanted) {
      diagnostics.add(setup.error(lf::kNetworkTooLarge, wanted->position,
                                  fmt::format("a {} of {}-port switches cannot join {} endpoints",
                                              row.name, ask.radix, ask.endpoints),
                                  "take larger switches (network.radix) or another topology"));
    }
    answer.networks.push_back(std::move(out));
  }
  if (!known)
    diagnostics.add(setup.error(lf::kUnknownWord, wanted->position,
                                fmt::format("no topology '{}'", wanted->value),
                                "one of: fat-tree, rail-optimised, rail-only, dragonfly"));
}

// Caps from the rating down in steps of a tenth, and the one asked for.
void add_caps(CostSetup& setup, const facility::NodeDraw& draw, FacilityAnswer& answer) {
  if (setup.chip == nullptr || answer.nodes == 0) return;
  const Watts rated = setup.chip->power.rated;
  const int gpus = setup.node != nullptr && setup.node->gpus > 0 ? setup.node->gpus : 1;
  facility::CapTerms terms;
  terms.uncapped = rated;
  terms.idle = idle_chip(setup);
  terms.exponent = setup.fact("power_cap", "exponent-clock-bound");
  terms.rest_of_node = std::max(Watts(), draw.rated / gpus - rated);
  std::vector<Watts> caps;
  for (const double share : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5}) caps.push_back(rated * share);
  const auto asked =
      setup.scenario.facility ? setup.scenario.facility->power_cap : config::Given<Watts>();
  if (asked) caps.push_back(asked->value);
  std::sort(caps.begin(), caps.end(), std::greater<>());
  caps.erase(std::unique(caps.begin(), caps.end()), caps.end());
  const auto chosen = std::find_if(answer.cooling.begin(), answer.cooling.end(),
                                   [](const CoolingRow& row) { return row.chosen; });
  const auto ways = ways_to_cool(setup);
  for (const Watts cap : caps) {
    const auto point = facility::at_cap(terms, cap);
    CapRow row{cap, point.rate, point.work_per_joule, 0, asked && asked->value == cap};
    const Watts node = point.power * static_cast<double>(gpus);
    for (const auto& plan : facility::plan_racks(rack_ask(setup, node, answer.nodes), ways, {})) {
      if (chosen != answer.cooling.end() && plan.cooling == chosen->cooling) row.racks = plan.racks;
    }
    answer.caps.push_back(row);
  }
}

}  // namespace

void add_facility(CostSetup& setup, CostAnswer& answer, Diagnostics& diagnostics) {
  const bool is_priced = setup.money().electricity || setup.money().region;
  const bool wanted = setup.scenario.facility || setup.scenario.limits.rack_power ||
                      setup.scenario.limits.site_power || setup.terms.own || is_priced;
  if (!wanted || setup.chip == nullptr) return;
  FacilityAnswer facility;
  const int per_node = setup.node != nullptr && setup.node->gpus > 0 ? setup.node->gpus : 1;
  const double gpus = setup.terms.capacity.gpus;
  facility.node = setup.node != nullptr ? setup.node->name : setup.chip->name;
  facility.nodes = static_cast<std::int64_t>(std::ceil(gpus / per_node - 1e-9));
  const bool is_part = fills_part_of_node(*setup.chip, gpus, per_node);
  const double nodes = is_part ? gpus / per_node : static_cast<double>(facility.nodes);
  const auto draw = draw_of(setup);
  const bool given = setup.scenario.facility && setup.scenario.facility->gpu_power;
  const Watts chip = given ? setup.scenario.facility->gpu_power->value : setup.chip->power.rated;
  facility.gpus_only = facility::cluster_power({.rated = chip}, gpus, 1.0).rated;
  const auto power = facility::cluster_power(draw, nodes, 1.0);
  facility.rated = power.rated;
  facility.typical = power.typical;
  facility.idle = power.idle;
  const facility::SpacePrices prices = space_prices(setup);
  const bool is_cooled = setup.scenario.facility && setup.scenario.facility->cooling;
  if (!is_part || is_cooled) {
    add_cooling(setup, draw, prices, facility, diagnostics);
    add_networks(setup, facility, diagnostics);
  }
  add_caps(setup, draw, facility);
  facility.host = host_of(setup, facility.nodes);
  const auto chosen = std::find_if(facility.cooling.begin(), facility.cooling.end(),
                                   [](const CoolingRow& row) { return row.chosen; });
  facility.pue = setup.terms.own                    ? setup.terms.own->pue
                 : chosen != facility.cooling.end() ? chosen->pue
                                                    : 1.0;
  facility.energy_per_month = facility::site_energy(
      facility::mean_power(power, setup.terms.capacity.load_factor), facility.pue, kMonth);
  facility.energy_cost_per_month =
      facility::energy_bill(facility.energy_per_month, prices.electricity);
  if (setup.region != nullptr && setup.region->carbon_grams_per_kwh)
    facility.carbon_kg_per_month =
        facility::carbon_kilograms(facility.energy_per_month, *setup.region->carbon_grams_per_kwh);
  facility.assumed = take_assumed(setup);
  answer.facility = std::move(facility);
}

}  // namespace loadfactor::engine
