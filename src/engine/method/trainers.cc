#include "engine/method/trainers.h"

#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"

namespace loadfactor::engine {
namespace {

constexpr config::Position kPlannerPosition{.giver = config::Giver::kPlanner};

// The scenario of one trainer's learning on the GPUs of a share.
config::Scenario shared_learning(const config::Scenario& scenario, const Lessons& lessons,
                                 const Share& share) {
  config::Scenario plain = learning_scenario(scenario, lessons, share.training);
  if (auto& micro_batch = plain.train->layout->micro_batch; share.spares_memory && !micro_batch)
    micro_batch = config::Placed<std::int64_t>{1, kPlannerPosition};
  return plain;
}

}  // namespace

config::Scenario value_scenario(const config::Scenario& scenario, bool is_open) {
  config::Scenario valued = scenario;
  config::TrainSection& train = *valued.train;
  const config::JudgeSection& value = *scenario.train->method->value;
  train.model = value.model;
  if (value.precision) {
    train.precision = value.precision;
    train.precisions = {*value.precision};
  }
  if (is_open) train.layout.reset();
  return valued;
}

bool Trainers::has_value_model() const {
  return method().kind.value == config::MethodWord::kPpo && method().value;
}

const TrainAnswer* Trainers::model(const Share& share, const Lessons& lessons,
                                   Diagnostics& diagnostics) {
  const auto key = std::make_tuple(share.training, share.layouts, share.spares_memory);
  auto known = models_.find(key);
  if (known == models_.end())
    known = models_.emplace(key, find_model(share, lessons, diagnostics)).first;
  return known->second ? &*known->second : nullptr;
}

const TrainAnswer* Trainers::value(const Share& share, const Lessons& lessons,
                                   Diagnostics& diagnostics) {
  if (!has_value_model()) return model(share, lessons, diagnostics);
  const auto key = std::make_tuple(share.training, share.layouts, share.spares_memory);
  auto known = values_.find(key);
  if (known == values_.end())
    known = values_.emplace(key, find_value(share, lessons, diagnostics)).first;
  return known->second ? &*known->second : nullptr;
}

std::optional<TrainAnswer> Trainers::find_model(const Share& share, const Lessons& lessons,
                                                Diagnostics& diagnostics) const {
  auto found = learn(core_, shared_learning(scenario_, lessons, share),
                     {share.layouts, inputs_.search, inputs_.train.model_files, inputs_.counts},
                     diagnostics);
  if (!found || found->fits) return found;
  diagnostics.add(scenario_.error(
      lf::kDoesNotFit, scenario_.train->position,
      fmt::format("the trainer does not fit on {}", counted(share.training, "GPU")),
      "give it more GPUs, train adapters (train.lora: 16), or leave more of the layout open"));
  return std::nullopt;
}

// As the scenario lays out the model, and in a layout of its own where that holds no such model.
std::optional<TrainAnswer> Trainers::find_value(const Share& share, const Lessons& lessons,
                                                Diagnostics& diagnostics) const {
  Diagnostics problems;
  const LearningInputs inputs{share.layouts, inputs_.search, inputs_.value_files, inputs_.counts};
  for (const bool is_open : {false, true}) {
    if (is_open && !scenario_.train->layout) continue;
    problems = {};
    auto found = learn(core_, shared_learning(value_scenario(scenario_, is_open), lessons, share),
                       inputs, problems);
    if (found && found->fits) return found;
  }
  diagnostics.add_all(problems);
  if (problems.empty())
    diagnostics.add(scenario_.error(lf::kDoesNotFit, method().value->position,
                                    fmt::format("the trainer of the value model does not fit on {}",
                                                counted(share.training, "GPU")),
                                    "give the run more GPUs, or name a smaller value model"));
  return std::nullopt;
}

bool Trainers::has_none(const Known& known, const Share& share) {
  const auto found = known.find({share.training, share.layouts, share.spares_memory});
  return found != known.end() && !found->second;
}

bool Trainers::is_hopeless(const Known& known, const Share& share) {
  bool failed = false;
  for (const auto& [key, found] : known) {
    if (found) return false;
    const auto& [gpus, layouts, spares] = key;
    failed = failed || (gpus >= 2 * share.training && layouts >= share.layouts);
  }
  return failed;
}

bool Trainers::has_none(const Share& share) const {
  return has_none(models_, share) || has_none(values_, share);
}

bool Trainers::is_hopeless(const Share& share) const {
  return is_hopeless(models_, share) || is_hopeless(values_, share);
}

}  // namespace loadfactor::engine
