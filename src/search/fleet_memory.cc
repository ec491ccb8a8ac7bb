#include "search/fleet_memory.h"

#include <algorithm>

#include <fmt/format.h>

namespace loadfactor::search {
namespace {

std::string pool_key(const serving::ReplicaPlan& plan, int replicas) {
  const serving::ReplicaChoice& c = plan.choice;
  return fmt::format("{} {} tp{} pp{} ep{} dp{} cp{} {} {} x{};", c.chip->name, c.precision,
                     c.layout.tp, c.layout.pp, c.layout.ep, c.layout.dp, c.layout.cp, plan.max_seqs,
                     plan.chunk, replicas);
}

std::string key_of(const SizedDeployment& d) {
  std::string key = pool_key(d.plan, d.replicas);
  if (d.prompts) key += pool_key(d.prompts->plan, d.prompts->replicas);
  return key;
}

// A spare stands in for a replica that is out, so that fleets with spares fare otherwise.
std::string fleet_key(const SizedDeployment& d) {
  return key_of(d) + (d.spares > 0 ? "spares" : "");
}

}  // namespace

std::optional<SimulatedRate> FleetMemory::rate(const SizedDeployment& few) const {
  const std::lock_guard lock(mutex_);
  const auto known = rates_.find(key_of(few));
  if (known == rates_.end()) return std::nullopt;
  return known->second;
}

void FleetMemory::keep(const SizedDeployment& few, const SimulatedRate& rate) {
  const std::lock_guard lock(mutex_);
  rates_[key_of(few)] = rate;
}

std::optional<WeekRuns> FleetMemory::weeks(const SizedDeployment& fleet, double mean) const {
  const std::lock_guard lock(mutex_);
  const auto known = judged_.find(fleet_key(fleet));
  if (known == judged_.end()) return std::nullopt;
  const auto decides = [&](const Judged& judged) {
    return keeps_enough(judged.runs.count) ? mean <= judged.mean : mean >= judged.mean;
  };
  const auto judged = std::find_if(known->second.begin(), known->second.end(), decides);
  if (judged == known->second.end()) return std::nullopt;
  return judged->runs;
}

void FleetMemory::keep(const SizedDeployment& fleet, double mean, const WeekRuns& runs) {
  const std::lock_guard lock(mutex_);
  judged_[fleet_key(fleet)].push_back({mean, runs});
}

}  // namespace loadfactor::search
