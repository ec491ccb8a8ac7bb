// What values of axes mean to the scenarios.
//
// A value is sound where it reads alone with a scenario, or where some case does that has it: a key
// may be legal only together with another one, and whether it is in a case at hand is found when
// the case is made.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sweep/run/base_scenarios.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {

// What a value of an axis means to the scenario, and what its column shows.
struct TypedValue {
  config::AnyValue value;
  CellValue cell;
};
// By point and target of a block.
using TypedBlock = std::vector<std::vector<TypedValue>>;

class ValueTyper {
 public:
  ValueTyper(const SweepFile& file, const BaseScenarios& scenarios)
      : file_(file), scenarios_(scenarios) {}

  // By block; nothing, and everything that is wrong, where a value cannot be read.
  std::optional<std::vector<TypedBlock>> type_all(Diagnostics& diagnostics) const;

 private:
  bool type_block(std::size_t block, TypedBlock& typed, Diagnostics& diagnostics) const;
  bool type_point(std::size_t block, std::size_t point, std::vector<TypedValue>& typed,
                  Diagnostics& diagnostics) const;
  bool says_nothing(const Block& block, std::size_t point, Diagnostics& diagnostics) const;
  bool is_told_once(const Block& block, const TypedBlock& typed, Diagnostics& diagnostics) const;
  std::optional<config::Scenario> read_alone(std::size_t block, std::size_t point,
                                             Diagnostics& found) const;
  std::optional<config::Scenario> read_in_a_case(std::size_t block, std::size_t point) const;
  void refuse(const Block& block, std::size_t point, const Diagnostics& found,
              Diagnostics& diagnostics) const;

  const SweepFile& file_;
  const BaseScenarios& scenarios_;
};

// What of a case was not read before it is made.
struct Unread {
  bool pairs = false;  // Keys of several blocks, or of one whose points were not read one by one.
  bool scenarios = false;  // Keys with a scenario that another block chooses.
};
Unread unread_in(const SweepFile& file, const BaseScenarios& scenarios);

// Points of cases that have one point of a block: the first values of all others, then each other
// value of one of them, then their combinations. Ends where `visit` is true, or after `most`.
bool visit_cases_with(const Sweep& sweep, std::size_t block, std::size_t point, std::size_t most,
                      const std::function<bool(const std::vector<std::size_t>&)>& visit);

}  // namespace loadfactor::sweep
