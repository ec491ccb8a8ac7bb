// What the machine can do and how full it is, and the building it stands in.
#include <string>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/reading/scenario_sections.h"

namespace loadfactor::config {
namespace {

constexpr Range kBusyGpus{0.0, 1e8, false, "GPUs that demand keeps busy"};

void check_ways(MapReader& reader) {
  const auto exclude = [&](const char* one, const char* other) {
    if (reader.has(one) && reader.has(other))
      reader.report(other, lf::kContradictoryKeys,
                    "'" + std::string(one) + "' and '" + other + "' both say how full it is",
                    "keep one of them");
  };
  exclude("load_factor", "demand");
  exclude("load_factor", "hours");
  exclude("load_factor", "mean");
  exclude("demand", "hours");
  exclude("demand", "mean");
  exclude("hours", "mean");
  if (reader.has("demand") && !reader.has("rate"))
    reader.report("demand", lf::kMissingKey, "'demand' in tokens needs the 'rate' of a GPU",
                  "add rate: 1200 tokens/s/GPU");
  if (reader.has("deviation") && !reader.has("mean"))
    reader.report("deviation", lf::kMissingKey, "'deviation' needs a 'mean'");
}

}  // namespace

CapacitySection read_capacity(MapReader& reader) {
  using RatePerGpu = Quantity<Dimension{.time = -1, .token = 1, .gpu = -1}>;
  CapacitySection ask;
  ask.position = reader.position();
  ask.gpus = placed_integer(reader, "gpus", magnitude::kNumGpus);
  ask.rate =
      placed(reader, "rate", reader.maybe_quantity<RatePerGpu>("rate", magnitude::kTokenRate));
  ask.load_factor = placed_ratio(reader, "load_factor", {0.0001, 1.0});
  ask.demand = placed(reader, "demand",
                      reader.maybe_quantity<TokensPerSecond>("demand", magnitude::kTokenRate));
  ask.most_load = placed_ratio(reader, "most_load", {0.0001, 1.0});
  const auto hours = numbers(reader, "hours", kBusyGpus);
  if (!hours.empty()) ask.hours = Placed<std::vector<double>>{hours, reader.position_of("hours")};
  ask.mean = placed(reader, "mean", reader.maybe_count("mean", kBusyGpus));
  ask.deviation = placed(reader, "deviation", reader.maybe_count("deviation", kBusyGpus));
  ask.node = placed_integer(reader, "node", magnitude::kNumGpus);
  check_ways(reader);
  reader.finish();
  return ask;
}

namespace {

HostSection read_host(MapReader& reader) {
  constexpr Range kWrite{0.001, 30 * magnitude::kDay, false, "how long a write may take: '60 s'"};
  HostSection ask;
  ask.checkpoint =
      placed_quantity<Bytes>(reader, "checkpoint", {1e3, 1e18, true, "check the prefix: '5 TB'"});
  ask.checkpoint_within = placed_quantity<Seconds>(reader, "checkpoint_within", kWrite);
  ask.checkpoints_kept = placed_integer(reader, "checkpoints_kept", {1.0, 1e6});
  ask.bytes_per_token = placed_quantity<Bytes>(reader, "bytes_per_token",
                                               {0.1, 1e9, true, "a token is stored in '4 B'"});
  reader.finish();
  return ask;
}

}  // namespace

FacilitySection read_facility(MapReader& reader) {
  FacilitySection ask;
  ask.position = reader.position();
  ask.node = placed_text(reader, "node");
  ask.gpu_power =
      placed(reader, "gpu_power", reader.maybe_quantity<Watts>("gpu_power", magnitude::kChipPower));
  ask.power_cap =
      placed(reader, "power_cap", reader.maybe_quantity<Watts>("power_cap", magnitude::kChipPower));
  ask.cooling = placed_text(reader, "cooling");
  if (auto map = reader.map("network", false)) {
    ask.network.topology = placed_text(*map, "topology");
    ask.network.radix = placed_integer(*map, "radix", magnitude::kRadix);
    ask.network.oversubscription =
        placed_ratio(*map, "oversubscription", magnitude::kOversubscription);
    ask.network.transport = placed_text(*map, "transport");
    map->finish();
  }
  if (auto map = reader.map("host", false)) ask.host = read_host(*map);
  reader.finish();
  return ask;
}

}  // namespace loadfactor::config
