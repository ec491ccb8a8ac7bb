// The ways to share the GPUs of a run between writing and learning. Limits are bounds: a share may
// leave GPUs of them unused.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// Which layouts of the trainer are looked at.
enum class TrainerLayouts : std::uint8_t { kUsual, kUsualElseAll, kAll };

// Formats of the engine's weights and of its cache; blank: as written, or as usual.
struct RolloutFormats {
  std::string_view precision;
  std::string_view kv;

  friend auto operator<=>(const RolloutFormats&, const RolloutFormats&) = default;
};

// One way to use the GPUs.
struct Share {
  int rollout = 0;   // GPUs that write,
  int training = 0;  // and that learn; all of them twice where both are the same.
  int tp = 1;        // GPUs of one replica of the engine.
  bool colocated = false;
  std::int64_t max_seqs = 0;  // Sequences that a replica writes at once; 0: as written, or usual.
  TrainerLayouts layouts = TrainerLayouts::kUsualElseAll;
  bool spares_memory = false;  // The trainer takes one text at a time, for models beside it.
  RolloutFormats formats;

  int gpus() const { return colocated ? training : rollout + training; }
};

// GPUs of the run, of its trainer and of its engine, as far as they are written.
struct AskedGpus {
  int all = 0;
  int training = 0;
  int rollout = 0;
};
AskedGpus asked_gpus(const config::Scenario& scenario);

// Numbers of GPUs up to `most`: every one of a few, of more those that are four to seven times a
// power of two, and those that share the texts of a step evenly. A larger limit has all of a
// smaller one's, so that it never makes a step longer.
std::vector<int> round_sizes(int most, std::int64_t texts);

// Shares that a table shows, and those that are worth a look where they may be faster: with the
// usual layouts of the trainer, the largest first.
struct Shares {
  std::vector<Share> shown;
  std::vector<Share> others;
};

// For engines of these degrees. A step has so many texts.
Shares shares_of(const config::Scenario& scenario, const std::vector<int>& degrees,
                 std::int64_t texts);

// The same of a run that writes nothing.
Shares learning_shares(const config::Scenario& scenario, std::int64_t texts);

}  // namespace loadfactor::engine
