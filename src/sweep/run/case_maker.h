// A sweep as questions: what is common to its cases is read once, and a case is a copy with edits.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "facade/forms/form.h"
#include "loadfactor/ask.h"
#include "sweep/filter.h"
#include "sweep/run/recorded_files.h"
#include "sweep/run/value_typer.h"
#include "sweep/store/results.h"
#include "sweep/sweep_reader.h"

namespace loadfactor::sweep {

// A case that can be asked, or why it cannot.
struct MadeCase {
  std::int64_t number = 0;
  std::vector<CellValue> axes;  // One for each target.
  std::string edits;            // A JSON object: key or option, and text.
  std::optional<Question> question;
  Diagnostics errors;
};

class CaseMaker {
 public:
  // Reads scenarios, types all values and tries all options; nothing, and everything that is wrong,
  // where one cannot be. `folder` is the sweep's, with its last slash.
  static std::unique_ptr<CaseMaker> prepare(SweepFile file, const std::string& folder,
                                            facade::FileSource& files, Diagnostics& diagnostics);

  const SweepFile& file() const { return file_; }
  std::int64_t cases() const { return file_.sweep.cases(); }
  // That of its scenarios; empty: US dollars.
  std::string currency() const { return scenarios_.currency(); }
  // Whether all filters hold.
  bool counts(std::int64_t number) const;
  // Safe to call from several threads at a time.
  MadeCase make(std::int64_t number) const;
  // Axes with their units.
  std::vector<ResultColumn> axis_columns() const;
  // A case of each verb, to learn what their answers hold.
  std::vector<MadeCase> one_of_each_verb() const;
  // Files that were read, with their digests.
  std::vector<std::pair<std::string, std::string>> inputs() const;

 private:
  struct Asked;
  CaseMaker(SweepFile file, std::string folder, facade::FileSource& files)
      : file_(std::move(file)),
        folder_(std::move(folder)),
        files_(files),
        scenarios_(file_, folder_, files_),
        reads_keys_(reads_keys(file_.sweep)) {}

  static bool reads_keys(const Sweep& sweep);
  bool has_cases(Diagnostics& diagnostics) const;
  bool every_filter_works(Diagnostics& diagnostics) const;
  // Whether columns hold what filters compare them with: a slip inside an `or` would be silent.
  bool filters_fit(Diagnostics& diagnostics) const;
  std::vector<CellValue> values_of(std::size_t target) const;
  bool passes(const Filter& filter, std::int64_t number) const;
  bool names_own_file(const std::string& word) const;
  // Points of a case of each verb with each scenario.
  std::vector<std::vector<std::size_t>> kinds_of_cases() const;
  // Opens every file that a value of an axis names, so that all of them are inputs.
  void open_named_files() const;
  std::set<std::string> verbs() const;
  bool try_keys(Diagnostics& diagnostics) const;
  bool try_options(Diagnostics& diagnostics) const;
  bool try_option_values(Diagnostics& diagnostics) const;
  const WrittenText* verb_of_case(const std::vector<std::size_t>& points) const;
  // A value in a case: where it is the scenario's own, the one that stands there.
  TypedValue value_at(const std::vector<std::size_t>& points, std::size_t block,
                      std::size_t t) const;
  // Whether the keys of a case read together; what is wrong with them where they do not.
  bool agrees(const std::vector<std::size_t>& points, Diagnostics& errors) const;
  Asked asked_of(const std::vector<std::size_t>& points) const;
  // Where a verb reads no scenario, what the case's says of the model and the machine.
  void add_from_scenario(Asked& asked, const std::vector<std::size_t>& points,
                         const std::vector<config::Edit>& edits) const;
  std::shared_ptr<const Question> base_question(const Asked& asked, Diagnostics& errors) const;

  SweepFile file_;
  std::string folder_;
  mutable RecordedFiles files_;
  BaseScenarios scenarios_;
  bool reads_keys_ = false;  // Keys are read with the scenario, not put into it afterwards.
  Unread unread_;
  std::vector<Filter> filters_;
  std::vector<TypedBlock> typed_;  // By block.
  mutable std::mutex mutex_;       // Guards what follows, and reading files.
  mutable std::map<std::string, std::shared_ptr<const Question>> questions_;
};

}  // namespace loadfactor::sweep
