// Worked cases of the size of a run, of moving to another chip, and of the machine.
#include "base/calendar.h"
#include "economics/porting.h"
#include "economics/rent.h"
#include "economics/testing/golden_cases.h"
#include "economics/training_size.h"
#include "facility/network.h"
#include "facility/power.h"

namespace loadfactor::economics {
namespace {

using namespace loadfactor::literals;

DollarsPerSecond hourly(double dollars) {
  return Dollars::from_base(dollars) / kHour;
}
double per_hour(DollarsPerSecond cost) {
  return cost * kHour / 1_USD;
}

void add_training(GoldenValues& values) {
  TrainingTerms terms{.work = Gpus::from_base(1e6) * kHour,
                      .serial = 1e-4,
                      .gpu = hourly(3.55),
                      .delay = 50000_USD / kDay};
  values["T7a"] = golden_text(best_training_size(terms));
  for (const int gpus : {512, 1024, 2422, 4096})
    values["T7c_" + std::to_string(gpus)] = golden_text(training_cost(terms, gpus) / 1_USD);
  values["T7d"] = golden_text(next_gpu_value(terms, 1024) / 1_USD);
  terms.delay = 5000_USD / kDay;
  values["T7b"] = golden_text(best_training_size(terms));
}

void add_porting(GoldenValues& values) {
  const Seconds life = kMonth * 36;
  Move move{.incumbent = hourly(2.34), .challenger = hourly(1.90), .performance = 0.95};
  values["T8a"] = golden_text(*break_even_work(move, 900000_USD) / kHour);
  values["T8b"] = golden_text(least_performance(move));
  move.performance = 1;
  values["T8c"] = golden_text(per_hour(price_after_delay(move, kMonth * 6, life)));
  values["T8d"] = golden_text(longest_delay(move, life) / kMonth);
  values["T8e"] = golden_text(longest_delay_discounted(move, life, 0.13) / kMonth);
}

std::string joined(std::initializer_list<std::int64_t> counts) {
  std::string text;
  for (const auto count : counts) text += (text.empty() ? "" : "|") + std::to_string(count);
  return text;
}

void add_network(GoldenValues& values) {
  using facility::count_network;
  using facility::Topology;
  for (const int n : {512, 1024, 2048}) {
    const auto net = *count_network({.endpoints = n});
    values["T10_ft2_" + std::to_string(n)] =
        joined({net.leaves, net.spines, net.switches(), net.cables});
  }
  const auto three = *count_network({.endpoints = 32768});
  values["T10_ft3_32768"] = joined({three.switches(), three.cables});
  const auto rail =
      *count_network({.topology = Topology::kRailOptimised, .endpoints = 1200, .rails = 8});
  values["T10_rail150"] = joined({rail.leaves, rail.spines, rail.switches(), rail.cables});
  const auto planes =
      *count_network({.topology = Topology::kRailOnly, .endpoints = 16384, .rails = 8});
  values["T10_railonly16384"] = joined({planes.switches()});
  values["T10_max2"] = joined({count_network({.endpoints = 2048})->max_endpoints});
  values["T10_max3"] = joined({three.max_endpoints});
  const auto fly = facility::balanced_dragonfly(16);
  values["T10_dfly"] = joined({fly.groups, fly.routers, fly.endpoints});
  const facility::NetworkPrices prices{.per_switch = 36000_USD, .per_link = 1280_USD};
  values["T10_cost1024"] =
      golden_text(network_price(*count_network({.endpoints = 1024}), prices) / 1_USD);
}

void add_blueprint(GoldenValues& values) {
  const Watts megawatt = Watts::from_base(1e6);
  values["T11_rackMW"] =
      golden_text(facility::cluster_power({.rated = 30_kW}, 30, 1).rated / megawatt);
  const auto nodes =
      facility::cluster_power({.rated = 10.2_kW, .typical = 10.2_kW * 0.76}, 150, 1.3);
  values["T11_dgxMW"] = golden_text(nodes.rated / megawatt);
  const Joules energy = facility::site_energy(facility::mean_power(nodes, 1), 1.3, kDay * 30);
  values["T11_energy"] = golden_text(energy / 1000_kWh);
  values["T11_energy_usd"] =
      golden_text(facility::energy_bill(energy, Dollars::from_base(0.0725) / 1_kWh) / 1_USD);
  values["T11_rent_usd"] =
      golden_text(rent_cost({.price = hourly(3.55)}, 1200, 1200).total() * (kHour * 720) / 1_USD);
}

}  // namespace

void add_sizing_cases(GoldenValues& values) {
  add_training(values);
  add_porting(values);
}

void add_machine_cases(GoldenValues& values) {
  add_network(values);
  add_blueprint(values);
}

}  // namespace loadfactor::economics
