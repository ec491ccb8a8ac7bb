// Everything that phases of one run are made of, found once and kept: engines by their degree,
// trainers by their size, readers by their model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "engine/method/answers.h"
#include "engine/method/learning.h"
#include "engine/method/method.h"
#include "engine/method/passes.h"
#include "engine/method/rollouts.h"
#include "engine/method/shares.h"
#include "engine/method/trainers.h"

namespace loadfactor::engine {

// A share with its phases.
struct Worked {
  Share share;
  std::vector<MethodPhase> phases;
  Seconds rollout;   // Until the last answer; of one of several steps' where they overlap.
  Seconds learning;  // All other phases.
  EstimateOf<Seconds> step;
  Bytes beside;   // What models beside the trainer's take of its GPUs, each,
  Bytes on_host;  // and what waits in host memory while others work.
  const TrainAnswer* trainer = nullptr;
  const TrainAnswer* value = nullptr;  // That of the value model, where there is one.
  RolloutTime written;
  std::int64_t max_seqs = 0;  // Sequences that a replica writes at once.
  int together = 1;           // Steps whose answers are written at once.
};

class Workshop {
 public:
  // Nothing, and the reasons, where the scenario has errors.
  static std::unique_ptr<Workshop> open(const Core& core, const MethodInputs& inputs,
                                        Diagnostics& diagnostics);

  const config::MethodSection& method() const { return *scenario_.train->method; }
  const config::Scenario& scenario() const { return scenario_; }
  const Answers& answers() const { return answers_; }
  const catalog::AcceleratorSpec& chip() const { return *chip_; }
  bool writes() const;
  Lessons lessons() const;
  // What is to be said of a teacher whose tokens are not those of the model.
  std::optional<Notice> note_other_vocabulary() const;
  // Degrees of the engine that hold the model and an answer, the smallest first: all within a
  // scale-up domain, or the first beyond it. The fault of the widest is reported where there is
  // none.
  std::vector<int> degrees(Diagnostics& diagnostics);
  // What the resolution of the engine of a share has to say.
  std::vector<Notice> engine_notices(const Share& share) const;
  // Nothing where the engine has no such settings.
  RolloutBench* bench(const Share& share);
  // Bounds what a question simulates: each of so many rollouts gets its part of a fixed number.
  void prepare(std::int64_t rollouts);

  // The phases of a share with answers that may be `off_policy` steps old. Nothing where the
  // trainer has no layout that fits, or a model that reads has no room; why is reported.
  std::optional<Worked> work(const Share& share, int off_policy, Diagnostics& diagnostics);
  // Less than a step of this share can take, by what is known of others: fewer GPUs write no sooner
  // than more of the same degree, and learn with few GPU-seconds less.
  Seconds least_step(const Share& share, int off_policy) const;
  const Trainers& trainers() const { return trainers_; }

 private:
  Workshop(const Core& core, const MethodInputs& inputs)
      : core_(core),
        inputs_(inputs),
        scenario_(inputs.train.scenario),
        trainers_(core, inputs_, scenario_) {}

  std::vector<int> wanted_degrees() const;
  bool trains_value() const { return method().kind.value == config::MethodWord::kPpo; }
  // False, and why, where the model has no room for a prompt and a mean answer.
  bool check_answers(Diagnostics& diagnostics) const;
  bool check_judges(Diagnostics& diagnostics) const;
  bool check_value_model(Diagnostics& diagnostics) const;
  // The weights of frozen models on each GPU; nothing where one has no room.
  std::optional<Bytes> add_readers(const Share& share, std::vector<MethodPhase>& phases,
                                   Diagnostics& diagnostics);
  const ReadingTime* add_reader(MethodPhase::Kind kind, const ReadingTask& task, int gpus,
                                std::vector<MethodPhase>& phases, Diagnostics& diagnostics);
  void add_learning(const Worked& worked, std::vector<MethodPhase>& phases) const;
  void add_transfer(const Share& share, std::vector<MethodPhase>& phases);
  // False, and why, where the host has no room for what waits there.
  bool add_swap(Bytes frozen, Worked& worked, std::vector<MethodPhase>& phases,
                Diagnostics& diagnostics) const;
  BytesPerSecond host_link(int gpus) const;
  bool fits_on_host(Bytes waiting, Diagnostics& diagnostics) const;

  const Core& core_;
  const MethodInputs& inputs_;
  config::Scenario scenario_;
  const catalog::AcceleratorSpec* chip_ = nullptr;
  const catalog::ModelSpec* model_ = nullptr;
  std::shared_ptr<const catalog::ModelSpec> described_;
  std::shared_ptr<ServingModels> models_;
  Answers answers_;
  std::int64_t most_simulated_ = kMostDrawn;  // Answers, in one rollout.
  // Degree, sequences at once, formats of the weights and of the cache.
  using BenchKey = std::tuple<int, std::int64_t, std::string_view, std::string_view>;
  std::map<BenchKey, std::unique_ptr<RolloutBench>> benches_;
  Trainers trainers_;
  std::map<int, Seconds> learned_;  // The least that GPUs that learn took, by their number,
  // and those that write, in replicas of each degree.
  std::map<int, std::map<int, Seconds>> written_;
  std::map<std::pair<int, int>, std::optional<ReadingTime>> readers_;  // By kind and GPUs.
};

}  // namespace loadfactor::engine
