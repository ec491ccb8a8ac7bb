#include "engine/method/learning.h"

#include <algorithm>
#include <utility>

namespace loadfactor::engine {
namespace {

constexpr config::Position kPlannerPosition{.giver = config::Giver::kPlanner};

// Texts of the mean length that have as many tokens as the longest, in micro-batches that share out
// all texts of a step: the least such number, or the next below where that is far more.
std::int64_t texts_at_once(const Lessons& lessons) {
  constexpr std::int64_t kFarMore = 2;
  const std::int64_t each = std::max<std::int64_t>(1, lessons.tokens);
  const std::int64_t needed = std::min(lessons.texts, (lessons.longest + each - 1) / each);
  for (std::int64_t texts = needed; texts <= kFarMore * needed; ++texts)
    if (lessons.texts % texts == 0) return texts;
  std::int64_t below = needed;
  while (below > 1 && lessons.texts % below != 0) --below;
  return below;
}

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
  if (lessons.longest > lessons.tokens && !train.layout->micro_batch)
    train.layout->micro_batch =
        config::Placed<std::int64_t>{texts_at_once(lessons), kPlannerPosition};
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
