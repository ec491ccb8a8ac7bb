#include "engine/train/bus_doubt.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "training/step/step_time.h"

namespace loadfactor::engine {
namespace {

Seconds step_with(const TrainSetup& setup, const ChosenLayout& chosen,
                  const training::HostBus& bus) {
  training::TrainingJob job = chosen.job;
  job.fabric.bus = bus;
  const auto& constants = setup.data->calibration;
  return training::step_time(job, constants.shared, *setup.chip_constants,
                             constants.families[setup.chip_constants->family])
      .total();
}

}  // namespace

BusDoubt doubt_of_bus(const TrainSetup& setup, const ChosenLayout& chosen) {
  BusDoubt out;
  const auto& fabric = chosen.job.fabric;
  if (!fabric.bus || fabric.scale_up_domain || chosen.job.chip->staged) return out;
  const training::HostBus& bus = *fabric.bus;
  const int meeting = std::min(chosen.job.layout.gpus, fabric.host_gpus);
  const Seconds predicted = chosen.time.total();
  const auto longer = [&](const training::HostBus& other) {
    return std::log(step_with(setup, chosen, other) / predicted);
  };
  constexpr int kPair = 2;  // Neighbours on every box.
  const catalog::NodeBus* slowest = setup.data->collectives.slowest_bus();
  if (bus.is_guessed() && meeting > kPair && slowest != nullptr) {
    training::HostBus slow = bus;
    slow.lies = *slowest;
    out.slower = std::max(0.0, longer(slow));
  }
  if (bus.may_be_bridged && bus.joined == 1 && meeting > 1) {
    training::HostBus bridged = bus;
    bridged.joined = chosen.job.chip->scale_up.domain;
    out.faster = std::max(0.0, -longer(bridged));
  }
  return out;
}

void note_bus(const TrainSetup& setup, const BusDoubt& doubt, TrainAnswer& answer) {
  constexpr double kWorthSaying = 0.02;
  const auto factor = [](double log) { return fmt::format("{:.2g}", std::exp(log)); };
  if (doubt.slower > kWorthSaying)
    answer.notices.push_back(
        {.id = "bus-not-known",
         .arguments = {{"node", setup.job.chip->node}, {"factor", factor(doubt.slower)}}});
  if (doubt.faster > kWorthSaying)
    answer.notices.push_back(
        {.id = "bridge-not-known", .arguments = {{"factor", factor(-doubt.faster)}}});
}

}  // namespace loadfactor::engine
