/// What comes back from a question, and how to show it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/question.h"
#include "loadfactor/result.h"
#include "loadfactor/value.h"

namespace loadfactor {

enum class Outcome : std::uint8_t {
  kAnswer,      ///< Exit status 0.
  kNo,          ///< A gate that was asked for does not hold: exit status 1.
  kInfeasible,  ///< A valid question without a feasible answer: exit status 3.
};
int exit_status(Outcome outcome);

/// The forms of an answer. Every answer has the first two; `to_text` says which others it lacks.
enum class Format : std::uint8_t {
  kTable,
  kJson,
  kCsv,
  kMarkdown,
  kPage,       ///< A plan as one HTML page.
  kTrace,      ///< Steps of training or of a simulation, for ui.perfetto.dev.
  kSeries,     ///< A simulation over time, as CSV.
  kFocus,      ///< A bill as FOCUS rows.
  kInfracost,  ///< A bill as an Infracost breakdown.
  kComment,    ///< A difference as a comment on a pull request.
};
/// `table`, `json`, `csv`, `md`, …; nothing for a word that is none.
std::string_view name_of(Format format);
std::optional<Format> find_format(std::string_view name);

struct Style {
  int width = 80;
  bool colour = false;
  bool explain = false;       ///< Adds the sums and sources behind the figures.
  bool quiet = false;         ///< Leaves out the notices.
  bool reproducible = false;  ///< Leaves out run times.
  bool tornado = false;       ///< Of a cost, as a table: adds what would change it,
  bool facility = false;      ///< and the building.
  std::string report;         ///< Of a plan, in JSON: where its page was written.
};

/// A file that an answer proposes to write, by a path below a folder that the user chooses.
struct OutputFile {
  std::string path;
  std::string text;
};

struct GateVerdict {
  bool holds = false;
  std::string words;  ///< With the figures.
};

/// What an answer holds; of no use outside the library.
class AnswerBody;

/// A value: cheap to copy, immutable, safe to share between threads.
class Answer {
 public:
  explicit Answer(std::shared_ptr<const AnswerBody> body) : body_(std::move(body)) {}

  std::string_view verb() const;
  Outcome outcome() const;
  int exit_status() const { return loadfactor::exit_status(outcome()); }
  const std::vector<Notice>& notices() const;
  const std::vector<GateVerdict>& gates() const;
  /// Sentences for people that stand in no form of the answer.
  const std::vector<std::string>& remarks() const;
  const std::vector<OutputFile>& files() const;

  /// Field `answer` of its JSON.
  Value value(const Style& style = {}) const;

  /// The answer as a struct, nullptr where it is of another kind:
  /// `answer.as<ServeAnswer>()`, `FitAnswer`, `TrainAnswer`, `SearchAnswer`, `ScaleAnswer`,
  /// `SimulateAnswer`, `CostAnswer`.
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(find(typeid(T)));
  }
  const AnswerBody& body() const { return *body_; }

 private:
  const void* find(const std::type_info& type) const;
  std::shared_ptr<const AnswerBody> body_;
};

/// LF603 where the answer has no such form.
Result<std::string> to_text(const Answer& answer, Format format, const Style& style = {});
std::string to_json(const Answer& answer, const Style& style = {});
/// {"loadfactor": 1, "errors": [{code, message, hint, file, line, column, …}]}
std::string to_json(const Error& error);

}  // namespace loadfactor
