#include "engine/cost/run_capacity.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace loadfactor::engine {

KnownCapacity capacity_of_run(const TrainAnswer& train, const config::Scenario& scenario) {
  KnownCapacity capacity{.gpus = static_cast<double>(train.layout.gpus),
                         .full_plane = train.rate_of_run(),
                         .load_factor = train.paid_share(),
                         .load = train.whole ? std::optional(train.whole->share) : std::nullopt,
                         .variation = train.duration ? variation_of(*train.duration)
                                                     : variation_of(train.tokens_per_s),
                         .busy_by_hour = {},
                         .source = "train",
                         .run = KnownRun{.tokens = train.tokens.value_or(Tokens())}};
  const auto& layout = scenario.train->layout;
  if (layout && layout->gpus) capacity.run->there = static_cast<double>(layout->gpus->value);
  for (const RunOption& way : train.options)
    capacity.run->ways.push_back({way.kind, way.gpus, way.share, way.duration, way.cost});
  return capacity;
}

std::optional<EstimateOf<double>> load_of(const ServeAnswer& serve) {
  if (!serve.utilisation) return std::nullopt;
  const auto& full = serve.saturated_requests;
  const auto asked =
      EstimateOf<Hertz>::exact(full.value() * *serve.utilisation, full.basis(), full.source()) /
      full;
  return EstimateOf<double>{std::min(1.0, asked.value()), std::min(1.0, asked.low()),
                            std::min(1.0, asked.high()), asked.basis(), asked.source()};
}

config::Scenario with_every_way(const config::Scenario& scenario) {
  std::vector<std::string> ways;
  for (const OptionKind kind : {OptionKind::kOnDemand, OptionKind::kReserved1y,
                                OptionKind::kReserved3y, OptionKind::kSpot, OptionKind::kOwn})
    ways.emplace_back(name_of(kind));
  return scenario.with({{"money.options", std::move(ways)}});
}

}  // namespace loadfactor::engine
