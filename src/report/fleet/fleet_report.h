// A fleet of many workloads, for people and for programs.
#pragma once

#include <string>

#include "engine/fleet/fleet.h"
#include "loadfactor/value.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct FleetTextOptions {
  int width = 80;
  bool colour = false;
  bool explain = false;  // Adds when jobs run, what starts lose, and the bound.
};

std::string fleet_text(const engine::FleetAnswer& answer, const FleetTextOptions& options);
std::string fleet_markdown(const engine::FleetAnswer& answer);
// A row for each workload.
std::string fleet_csv(const engine::FleetAnswer& answer);
std::string fleet_json(const engine::FleetAnswer& answer, const std::string& file,
                       bool is_reproducible);
AnswerSchema fleet_schema();

// One sentence.
std::string fleet_verdict(const engine::FleetAnswer& answer);
// What hours that nobody needs are worth on a pool, and what one more costs.
std::string fleet_idle_words(const engine::FleetPoolAnswer& pool);
// What the machines of a pool and their site draw, and its carbon; empty where nothing runs.
std::string fleet_energy_words(const engine::FleetPoolAnswer& pool);
// A mass of CO2.
double carbon_tonnes(Joules energy, double grams_per_kwh);
// How far the answer may be from the best, and what the simulation says of its promises.
std::string fleet_trust_words(const engine::FleetAnswer& answer);

// One self-contained page.
std::string fleet_page(const engine::FleetAnswer& answer, const std::string& file);

}  // namespace loadfactor::report
