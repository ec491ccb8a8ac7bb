/// The one façade: a question in, an answer out. No I/O, no printing, no clock.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loadfactor/ask.h"
#include "loadfactor/cost.h"
#include "loadfactor/fit.h"
#include "loadfactor/result.h"
#include "loadfactor/search.h"
#include "loadfactor/serve.h"
#include "loadfactor/train.h"

namespace loadfactor {

/// A file laid over the built-in catalogue. `path` is relative to a data folder.
struct OverlayFile {
  std::string path;
  std::string shown_as;
  std::string text;
};

namespace catalog {
class Catalog;
}

/// The code of the error that a cancelled question ends with, where nothing useful was found yet.
inline constexpr int kCancelled = 605;

/// A handle on a question that takes long: how far it is, and a way to stop it. Copies share one
/// flag, so that a copy kept by the caller stops the question it was asked with.
class Progress {
 public:
  Progress() = default;
  /// `report` gets the share that is done, now and then, from one thread at a time.
  explicit Progress(std::function<void(double share)> report) : report_(std::move(report)) {}

  /// May be called from any thread.
  void cancel() const { own_->store(true); }
  bool is_cancelled() const { return flag()->load(); }
  void report(double share) const {
    if (report_) report_(share);
  }

  /// Stops when `flag` is set, as a signal handler can; it must outlive the question.
  Progress& stop_by(const std::atomic<bool>* flag) {
    given_ = flag;
    return *this;
  }
  /// A clock of CPU seconds by which answers say how long they took; without one they do not.
  Progress& time_by(std::function<double()> cpu_seconds) {
    cpu_seconds_ = std::move(cpu_seconds);
    return *this;
  }

  const std::atomic<bool>* flag() const { return given_ != nullptr ? given_ : own_.get(); }
  const std::function<double()>& cpu_seconds() const { return cpu_seconds_; }

 private:
  std::shared_ptr<std::atomic<bool>> own_ = std::make_shared<std::atomic<bool>>(false);
  const std::atomic<bool>* given_ = nullptr;
  std::function<void(double)> report_;
  std::function<double()> cpu_seconds_;
};

/// Immutable after creation; safe to share between threads.
class Engine {
 public:
  /// Lays the files, in order, over the built-in catalogue. Nothing if they have errors.
  static std::unique_ptr<Engine> create(const std::vector<OverlayFile>& overlays,
                                        Diagnostics& diagnostics);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Answers any question. Everything that is wrong with it goes to the diagnostics, and then
  /// there is no answer; a cancelled one ends with the best so far, or with kCancelled.
  std::optional<Answer> ask(const Question& question, Diagnostics& diagnostics,
                            const Progress& progress = {}) const;
  /// The same, with one error that has the others as notes.
  Result<Answer> ask(const Question& question, const Progress& progress = {}) const;

  Result<FitAnswer> fit(const FitRequest& request) const;

  /// One layout of the scenario's training job. Nothing if the scenario has errors; a job that
  /// does not fit is an answer.
  std::optional<TrainAnswer> train(const TrainRequest& request, Diagnostics& diagnostics) const;

  /// The best layouts of the scenario's training job, over all its accelerators.
  std::optional<SearchAnswer> search(const SearchRequest& request, Diagnostics& diagnostics) const;

  /// How the job scales over numbers of GPUs, and what the next dollar is best spent on.
  std::optional<ScaleAnswer> scale(const ScaleRequest& request, Diagnostics& diagnostics) const;

  /// One deployment of the scenario's serving job: capacity, speed under a load, what limits it.
  /// Nothing if the scenario has errors or nothing fits.
  std::optional<ServeAnswer> serve(const ServeRequest& request, Diagnostics& diagnostics) const;

  /// The scenario's demand through its deployment, request by request. Nothing if the scenario
  /// has errors or nothing of it can be served.
  std::optional<SimulateAnswer> simulate(const SimulateRequest& request,
                                         Diagnostics& diagnostics) const;

  /// Every way to pay for the scenario's work. Nothing if the scenario has errors; an option
  /// without a price is part of the answer.
  std::optional<CostAnswer> cost(const CostRequest& request, Diagnostics& diagnostics) const;

  const catalog::Catalog& catalog() const { return *catalog_; }

 private:
  explicit Engine(std::unique_ptr<catalog::Catalog> catalog);
  std::unique_ptr<catalog::Catalog> catalog_;
};

}  // namespace loadfactor
