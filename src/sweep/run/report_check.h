// What `report:` of a sweep names, held to the columns of its results before a case runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/value.h"
#include "sweep/store/results.h"
#include "sweep/sweep_reader.h"

namespace loadfactor::sweep {

// What a verb answers.
struct VerbSchema {
  std::string verb;  // The answer's: `search` where train searches.
  Value answer;
};

// `options.0.cost` as a schema has it: without the numbers of items.
std::string without_items(std::string_view path);

// Adds LF506 for every name that is no column, or no column of the kind that its place needs: a
// word is neither least nor most, and a map is over axes.
void check_report(const SweepFile& file, const std::vector<ResultColumn>& columns,
                  const std::vector<VerbSchema>& schemas, Diagnostics& diagnostics);

}  // namespace loadfactor::sweep
