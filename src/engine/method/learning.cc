#include "engine/method/learning.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace loadfactor::engine {
namespace {

constexpr config::Position kPlannerPosition{.giver = config::Giver::kPlanner};

}  // namespace

config::Scenario learning_scenario(const config::Scenario& scenario, const Lessons& lessons,
                                   int gpus) {
  config::Scenario plain = scenario;
  plain.serve.reset();
  config::TrainSection& train = *plain.train;
  train.method.reset();
  train.examples.reset();  // Steps and texts have their filling.
  train.sequence = config::Placed<std::int64_t>{lessons.tokens, kPlannerPosition};
  train.global_batch = config::Placed<std::int64_t>{lessons.texts, kPlannerPosition};
  if (lessons.steps)
    train.tokens = config::Placed<Tokens>{
        Tokens::from_base(static_cast<double>(*lessons.steps) *
                          static_cast<double>(lessons.texts * lessons.tokens)),
        kPlannerPosition};
  if (!train.layout) train.layout = config::Layout{.position = train.position};
  train.layout->gpus = config::Placed<int>{gpus, kPlannerPosition};
  if (lessons.longest <= lessons.tokens) return plain;
  const auto together = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(lessons.longest / std::max<std::int64_t>(1, lessons.tokens), 1,
                               std::max<std::int64_t>(1, lessons.texts / gpus)));
  if (!train.layout->micro_batch)
    train.layout->micro_batch = config::Placed<std::int64_t>{
        static_cast<std::int64_t>(std::bit_floor(together)), kPlannerPosition};
  return plain;
}

std::optional<TrainAnswer> learn(const Core& core, const config::Scenario& scenario,
                                 const LearningInputs& inputs, Diagnostics& diagnostics) {
  TrainInputs train{.scenario = scenario, .model_files = inputs.model_files};
  if (inputs.layouts != TrainerLayouts::kAll) {
    auto usual = core.train(train, diagnostics);
    if (!usual || usual->fits || inputs.layouts == TrainerLayouts::kUsual) return usual;
  }
  SearchInputs search;
  if (inputs.search != nullptr) search = *inputs.search;
  search.train = std::move(train);
  auto found = core.search(search, diagnostics);
  if (!found) return std::nullopt;
  if (inputs.counts != nullptr) {
    inputs.counts->legal += found->enumerated;
    inputs.counts->evaluated += found->evaluated;
  }
  if (!found->plans.empty()) return found->plans.front().train;
  return core.train(search.train, diagnostics);
}

Bytes state_of(const TrainAnswer& answer) {
  Bytes state;
  for (const MemoryLine& line : answer.lines)
    if (line.use == MemoryUse::kWeights || line.use == MemoryUse::kGradients ||
        line.use == MemoryUse::kOptimizer)
      state += line.bytes.value();
  return state;
}

}  // namespace loadfactor::engine
