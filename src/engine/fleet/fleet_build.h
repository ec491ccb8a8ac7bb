// The problem that the scheduler solves, made of what the workloads need.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/instances.h"
#include "engine/fleet/fleet_needs.h"
#include "fleet/problem.h"
#include "resolve/terms/machine_draw.h"

namespace loadfactor::engine {

// A pool with its chip and prices.
struct BuiltPool {
  std::string accelerator;
  std::string title;
  const catalog::RegionSpec* place = nullptr;      // Nothing where it is not said.
  std::map<OptionKind, FleetSpread> spreads = {};  // A GPU-hour's, by way to pay.
  FleetSpread power = {};                          // That of what a GPU-hour at work adds.
  MachineDraw draw = {};                           // A GPU with its share of the site.
  FleetSpread of_draw = {};                        // How sure that is.
  DollarsPerJoule electricity = {};
  InstanceSizes instances = {};  // What is rented by the hour is sold in these.
};

struct BuiltFleet {
  config::FleetHorizon horizon = config::FleetHorizon::kWeek;
  fleet::Problem problem;
  std::vector<BuiltPool> pools;
  std::vector<std::vector<std::optional<FleetNeed>>> needs;  // By workload and pool.
  std::vector<bool> is_preemptible;                          // By workload.
  std::vector<std::optional<Dollars>> api;    // What tokens would cost over the horizon,
  std::vector<std::optional<Dollars>> value;  // and what is lost without it.
  FleetSpread api_spread = {};                // That of what tokens cost.
  std::vector<Notice> notices;

  double hours() const { return horizon_hours(horizon); }
};

std::optional<BuiltFleet> build_fleet(const Core& engine, const FleetInputs& inputs,
                                      Diagnostics& diagnostics);

}  // namespace loadfactor::engine
