/// The one façade: a question in, an answer out. No I/O, no printing, no clock.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loadfactor/ask.h"
#include "loadfactor/result.h"

namespace loadfactor {

/// A file laid over the built-in catalogue. `path` is relative to a data folder.
struct OverlayFile {
  std::string path;
  std::string shown_as;
  std::string text;
};

namespace engine {
class Core;
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
  /// Answers any question; one error has the others as notes.
  Result<Answer> ask(const Question& question, const Progress& progress = {}) const;

 private:
  friend class engine::Core;
  explicit Engine(std::unique_ptr<const engine::Core> core);
  std::unique_ptr<const engine::Core> core_;
};

/// A question, and how to show its answer.
struct StyledQuestion {
  Question question;
  Style style;
};
/// {"verb": "plan", "scenario": "<text>", "files": {"name": "text"}, "set": ["key=value"],
///  "options": {"draws": 256, "reproducible": true}}
/// Options are those of the command line without dashes; positional ones go by their names, so
/// that `"scenario": "a.yaml"` among them is a file of `files`. `search` and `scale` are `train
/// --search` and `--scale`, `simulate` and `size` are `serve --simulate` and `--search`.
/// `settings` hold where the text says nothing, `verb` where it names none. Nothing, and
/// everything that is wrong with its place in the text, where it is no question.
std::optional<StyledQuestion> question_from_json(const std::string& text, const Settings& settings,
                                                 Diagnostics& diagnostics,
                                                 std::string_view verb = {});
/// The question of the text; one error has the others as notes.
Result<StyledQuestion> question_from_json(const std::string& text, const Settings& settings = {});

/// The text that question_from_json reads as the same question: scenarios as they were written,
/// with what was set and edited in them, and every file.
std::string to_json(const Question& question, const Style& style = {});

}  // namespace loadfactor
