// The keys at the top of a scenario, of its limits, of a known capacity and of the building.
#include "config/scenario/slot_table.h"

namespace loadfactor::config {
namespace {

void add_capacity(SlotTable& table, const Section<Scenario>& root) {
  const auto capacity =
      table.section(root, "capacity", "what the machine can do", &Scenario::capacity);
  table.add(capacity, "gpus", "number of GPUs", &CapacitySection::gpus);
  table.add(capacity, "rate", "tokens a second of a full GPU", &CapacitySection::rate);
  table.add(capacity, "load_factor", "how full they are", &CapacitySection::load_factor);
  table.add(capacity, "demand", "tokens a second that are asked for", &CapacitySection::demand);
  table.add(capacity, "most_load", "how full they can be at all", &CapacitySection::most_load);
  table.add(capacity, "hours", "GPUs kept busy, by hour", &CapacitySection::hours);
  table.add(capacity, "mean", "GPUs kept busy on average", &CapacitySection::mean);
  table.add(capacity, "deviation", "how much they vary", &CapacitySection::deviation);
  table.add(capacity, "node", "GPUs that come together", &CapacitySection::node);
}

void add_facility(SlotTable& table, const Section<Scenario>& root) {
  const auto facility = table.section(root, "facility", "the building", &Scenario::facility);
  table.add(facility, "node", "the node of the catalogue", &FacilitySection::node);
  table.add(facility, "gpu_power", "power of a chip alone", &FacilitySection::gpu_power);
  table.add(facility, "power_cap", "power that a chip is held to", &FacilitySection::power_cap);
  table.add(facility, "cooling", "how it is cooled", &FacilitySection::cooling);
  const auto network =
      table.section(facility, "network", "links between nodes", &FacilitySection::network);
  table.add(network, "topology", "its shape", &NetworkSection::topology);
  table.add(network, "radix", "ports of a switch", &NetworkSection::radix);
  table.add(network, "oversubscription", "down over up at the leaf",
            &NetworkSection::oversubscription);
  table.add(network, "transport", "what carries collectives between nodes",
            &NetworkSection::transport);
  const auto host = table.section(facility, "host", "what the hosts keep", &FacilitySection::host);
  table.add(host, "checkpoint", "size of a checkpoint", &HostSection::checkpoint);
  table.add(host, "checkpoint_within", "how long a write may take",
            &HostSection::checkpoint_within);
  table.add(host, "checkpoints_kept", "checkpoints that are kept", &HostSection::checkpoints_kept);
  table.add(host, "bytes_per_token", "bytes of a training token", &HostSection::bytes_per_token);
}

}  // namespace

void add_place_slots(SlotTable& table, const Section<Scenario>& root) {
  table.add(root, "name", "how to call it", &Scenario::name);
  table.add(root, "hardware", "candidate chips", &Scenario::hardware);
  const auto limits = table.section(root, "limits", "what may not be exceeded", &Scenario::limits);
  table.add(limits, "gpus", "GPUs at most", &ScenarioLimits::gpus);
  table.add(limits, "rack_power", "power of a rack", &ScenarioLimits::rack_power);
  table.add(limits, "site_power", "power of the site", &ScenarioLimits::site_power);
  table.add(limits, "budget", "money a month, or for a run", &ScenarioLimits::budget);
  table.add(limits, "headroom", "share of every GPU's memory that stays free",
            &ScenarioLimits::headroom);
  add_capacity(table, root);
  add_facility(table, root);
}

}  // namespace loadfactor::config
