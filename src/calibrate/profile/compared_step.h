// A profiled step beside what was predicted of it, class by class.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/profile/account.h"

namespace loadfactor::calibrate {

// What a profile is taken to be of.
enum class StepKind : std::uint8_t { kUnknown, kTraining, kDecode, kPrompt };

struct ComparedStep {
  std::string file;
  std::string tool;
  std::string device;  // The driver's name for it; empty where the file does not say.
  StepKind kind = StepKind::kUnknown;
  bool kind_guessed = false;  // The nearer of a step that decodes and one that computes a prompt.
  double sequences = 0;       // Sequences of a decode step,
  double tokens = 0;          // and their mean length; or the tokens of a prompt.
  bool whole_graphs = false;  // Kernels inside graphs were not recorded.
  ProfileAccount measured;
  std::optional<WorkTimes> predicted;  // Nothing where no scenario says what ran.

  Seconds gap(WorkClass work) const {
    return predicted ? measured.times[work] - (*predicted)[work] : Seconds();
  }
  // The classes furthest from their prediction, the furthest first; those that differ by less than
  // a thousandth of the step are none.
  std::vector<WorkClass> largest_gaps(std::size_t most) const;
  // How many times as long as predicted the device worked; 1 where nothing is predicted.
  double times_predicted() const;
  // So far off that neither clocks nor kernels explain it: another kind of step, or another model.
  bool is_another_step() const;
};

}  // namespace loadfactor::calibrate
