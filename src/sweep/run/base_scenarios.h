// The scenarios that cases start from, and what becomes of one with values of the axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loadfactor/scenario.h"
#include "sweep/filter.h"
#include "sweep/run/recorded_files.h"
#include "sweep/sweep_reader.h"

namespace loadfactor::sweep {

struct BaseScenario {
  std::string path;
  std::string text;
  config::Scenario read;    // Alone, or in some case of the sweep.
  bool reads_alone = true;  // Not where keys are legal only as axes set them.
};

// What may be wrong with a key only because another has the value that it has.
bool is_about_several(const Error& error);

// A path that the sweep writes, relative to it.
std::string beside(const std::string& folder, const std::string& path);

class BaseScenarios {
 public:
  BaseScenarios(const SweepFile& file, std::string folder, RecordedFiles& files)
      : file_(file), folder_(std::move(folder)), files_(files) {}

  // Reads all that the sweep names; false, and everything that is wrong, where one cannot be.
  bool read(Diagnostics& diagnostics);

  // The currency that all of them have; empty: US dollars.
  std::string currency() const;
  // In which currency their amounts are, and its rate.
  FilterMoney money() const;
  const std::vector<BaseScenario>& all() const { return all_; }
  // The path of the scenario of a case; empty where it has none.
  std::string path_of(const std::vector<std::size_t>& points) const;
  // Nothing where a case has none.
  const BaseScenario* of(const std::vector<std::size_t>& points) const;
  // What `--set` would say of a point of a block, one for each of its keys that changes.
  std::vector<std::string> assignments(const Block& block, std::size_t point) const;
  // All of a case.
  std::vector<std::string> assignments(const std::vector<std::size_t>& points) const;
  // Safe to call from several threads at a time.
  std::optional<config::Scenario> with(const BaseScenario& base,
                                       const std::vector<std::string>& assignments,
                                       Diagnostics& diagnostics) const;
  // The scenario before a case's edits; with them where it does not read without. Nothing where the
  // case contradicts itself.
  std::optional<config::Scenario> before_edits(const BaseScenario& base,
                                               const std::vector<std::size_t>& points) const;

 private:
  std::optional<config::Scenario> read_in_a_case(const std::string& path,
                                                 const std::string& text) const;

  const SweepFile& file_;
  std::string folder_;
  RecordedFiles& files_;
  std::vector<BaseScenario> all_;
};

}  // namespace loadfactor::sweep
