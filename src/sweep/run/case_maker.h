// A sweep as questions: what is common to its cases is read once, and a case is a copy with edits.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "facade/forms/form.h"
#include "loadfactor/ask.h"
#include "sweep/filter.h"
#include "sweep/run/recorded_files.h"
#include "sweep/store/results.h"
#include "sweep/sweep_reader.h"

namespace loadfactor::sweep {

// What a value of an axis means to the scenario, and what its column shows.
struct TypedValue {
  config::AnyValue value;
  CellValue cell;
};

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
      : file_(std::move(file)), folder_(std::move(folder)), files_(files) {}

  bool type_all(Diagnostics& diagnostics);
  bool type_block(const Block& block, std::vector<std::vector<TypedValue>>& typed,
                  Diagnostics& diagnostics);
  bool is_told_once(const Block& block, const std::vector<std::vector<TypedValue>>& typed,
                    Diagnostics& diagnostics) const;
  bool has_cases(Diagnostics& diagnostics) const;
  std::optional<TypedValue> type_one(const Block& block, std::size_t point, std::size_t target,
                                     Diagnostics& diagnostics) const;
  std::optional<config::AnyValue> as_written(const std::string& path, const WrittenText& value,
                                             const std::vector<std::string>& assignments,
                                             Diagnostics& diagnostics) const;
  bool is_assignment(const Target& target) const;
  bool names_own_file(const std::string& word) const;
  // Opens every file that a value of an axis names, so that all of them are inputs.
  void open_named_files() const;
  bool read_scenarios(Diagnostics& diagnostics);
  bool try_options(Diagnostics& diagnostics) const;
  const WrittenText* value_of(TargetKind kind, const std::vector<std::size_t>& points) const;
  Asked asked_of(const std::vector<std::size_t>& points) const;
  // Where a verb reads no scenario, what the case's says of the model and the machine.
  void add_from_scenario(Asked& asked, const std::vector<config::Edit>& edits) const;
  std::shared_ptr<const Question> base_question(const Asked& asked, Diagnostics& errors) const;

  SweepFile file_;
  std::string folder_;
  mutable RecordedFiles files_;
  struct BaseScenario {
    std::string path;
    std::string text;
    config::Scenario read;
  };
  std::vector<BaseScenario> scenarios_;
  std::vector<Filter> filters_;
  // By block, point and target of the block.
  std::vector<std::vector<std::vector<TypedValue>>> typed_;
  mutable std::mutex mutex_;  // Guards what follows, and reading files.
  mutable std::map<std::string, std::shared_ptr<const Question>> questions_;
};

}  // namespace loadfactor::sweep
