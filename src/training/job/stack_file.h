// data/stacks: the stacks, and the rules that find the stack of a run from what is said of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/load/data_file.h"
#include "loadfactor/result.h"
#include "training/job/stack_traits.h"

namespace loadfactor::training {

// What a report says of the software it ran.
struct StackQuery {
  std::string framework;  // As written, with its release.
  std::string notes;
  std::string recompute;
  std::string chip_family;
  int year = 0;  // 0 when not known.
};

// Holds when every condition that is set does.
struct StackRule {
  std::string framework;  // Words found anywhere, lower case; empty: any.
  std::string notes;
  std::string recompute;
  std::string chip;  // Catalogue family.
  double release_low = 0;
  double release_high = 0;  // 0: any release, or none.
  int year_low = 0;
  int year_high = 0;  // 0: any year.
  std::string stack;
};

struct StackShelf {
  std::vector<StackTraits> stacks;
  std::vector<StackRule> rules;

  const StackTraits* find(std::string_view name) const;
  // The stack of the first rule that holds.
  const StackTraits* match(const StackQuery& query) const;
};

// Reads every file under stacks/; others are passed over.
StackShelf load_stacks(const std::vector<catalog::DataFile>& files, Diagnostics& diagnostics);

// The release written in a framework's name: 25.09 of `NeMo 25.09`; 0 when there is none.
double release_of(std::string_view framework);

}  // namespace loadfactor::training
