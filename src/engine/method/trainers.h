// The trainers of a run: that of the model, and with ppo that of a value model of another size.
// Found once for every number of GPUs and kept.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "engine/core.h"
#include "engine/method/learning.h"
#include "engine/method/method.h"
#include "engine/method/shares.h"

namespace loadfactor::engine {

// The scenario with the value model in place of the model that answers. What is written of the
// layout stays or, `is_open`, is left to be found.
config::Scenario value_scenario(const config::Scenario& scenario, bool is_open);

class Trainers {
 public:
  Trainers(const Core& core, const MethodInputs& inputs, const config::Scenario& scenario)
      : core_(core), inputs_(inputs), scenario_(scenario) {}

  // Nothing, and why, where none of the share's layouts fits.
  const TrainAnswer* model(const Share& share, const Lessons& lessons, Diagnostics& diagnostics);
  // It has the model's size where nothing else is written: then it learns as the model does.
  const TrainAnswer* value(const Share& share, const Lessons& lessons, Diagnostics& diagnostics);

  // Whether none of the layouts that were looked at for this share fits.
  bool has_none(const Share& share) const;
  // Whether no trainer is known to fit, and one of twice the GPUs does not.
  bool is_hopeless(const Share& share) const;

 private:
  // By GPUs, layouts and whether memory is spared.
  using Known = std::map<std::tuple<int, TrainerLayouts, bool>, std::optional<TrainAnswer>>;

  const config::MethodSection& method() const { return *scenario_.train->method; }
  bool has_value_model() const;
  std::optional<TrainAnswer> find_model(const Share& share, const Lessons& lessons,
                                        Diagnostics& diagnostics) const;
  std::optional<TrainAnswer> find_value(const Share& share, const Lessons& lessons,
                                        Diagnostics& diagnostics) const;
  static bool has_none(const Known& known, const Share& share);
  static bool is_hopeless(const Known& known, const Share& share);

  const Core& core_;
  const MethodInputs& inputs_;
  const config::Scenario& scenario_;
  Known models_;
  Known values_;
};

}  // namespace loadfactor::engine
