#include "resolve/model/node_power.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "resolve/model/sold_alone.h"

namespace loadfactor::engine {
namespace {

// How much more a node draws than its accelerators: the median of the catalogue's nodes.
double node_overhead(const catalog::Catalog& catalog) {
  std::vector<double> ratios;
  for (const auto& node : catalog.nodes()) {
    const auto chip = catalog.find_accelerator(node.accelerator);
    if (!chip || !node.power || node.gpus <= 0 || (*chip)->power.rated <= Watts()) continue;
    ratios.push_back(node.power->max / ((*chip)->power.rated * node.gpus));
  }
  if (ratios.empty()) return 1.0;
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2];
}

}  // namespace

GpuPower gpu_power(const catalog::Catalog& catalog, const catalog::AcceleratorSpec& chip) {
  if (!chip.node.empty()) {
    const auto node = catalog.find_node(chip.node);
    if (node && (*node)->power && (*node)->gpus > 0) {
      const auto& power = *(*node)->power;
      return {power.typical.value_or(power.max) / (*node)->gpus, power.max / (*node)->gpus};
    }
  }
  const Watts most = chip.power.rated * node_overhead(catalog);
  return {most, most};
}

EstimateOf<Watts> drawn_power(const catalog::AcceleratorSpec& chip, double running) {
  constexpr double kIdle = 0.2;  // Share of the rated power, where the catalogue is silent.
  const Watts rated = chip.power.rated;
  const Watts idle = chip.power.idle.value_or(rated * kIdle);
  const auto at = [&](double share) {
    return idle + std::max(Watts(), rated * share - idle) * std::clamp(running, 0.0, 1.0);
  };
  return {at(0.75), at(0.5), at(1.0), Basis::kModelled, chip.name};
}

std::vector<Notice::Argument> arguments_of(const PowerObjection& objection) {
  const std::string drawn = format_display(any(objection.drawn));
  const std::string limit = format_display(any(objection.limit));
  if (objection.is_of_rack) return {{"node_drawn", drawn}, {"rack", limit}};
  std::vector<Notice::Argument> arguments{
      {"drawn", drawn}, {"site", limit}, {"fed", format_count(objection.fed)}};
  if (objection.has_spares)
    arguments.push_back({"gpus_with_spares", format_count(std::llround(objection.gpus))});
  return arguments;
}

std::optional<PowerObjection> power_objection(const catalog::Catalog& catalog,
                                              const catalog::AcceleratorSpec& chip, double gpus,
                                              const config::ScenarioLimits& limits, double spares) {
  if (!limits.site_power && !limits.rack_power) return std::nullopt;
  const Watts each = gpu_power(catalog, chip).most;
  const Watts all = each * gpus;
  if (limits.site_power && all > limits.site_power->value)
    return PowerObjection{.drawn = all,
                          .limit = limits.site_power->value,
                          .gpus = gpus,
                          .has_spares = spares > 0,
                          .fed = static_cast<std::int64_t>(limits.site_power->value / each)};
  const Watts one = each * gpus_of_node(catalog, chip);
  if (limits.rack_power && one > limits.rack_power->value)
    return PowerObjection{.is_of_rack = true, .drawn = one, .limit = limits.rack_power->value};
  return std::nullopt;
}

}  // namespace loadfactor::engine
