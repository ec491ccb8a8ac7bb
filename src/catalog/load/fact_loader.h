// Reads the tables of plain facts: facility/facility.csv and reliability/hazards.csv.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "catalog/load/data_file.h"
#include "catalog/spec/fact_table.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Both add to `facts`; a later file replaces facts of the same name and variant. Within one file
// a fact may stand once (LF515).
void load_facility(const DataFile& file, std::vector<Fact>& facts, Diagnostics& diagnostics);
void load_hazards(const DataFile& file, std::vector<Fact>& facts, Diagnostics& diagnostics);

// The fact, or nullptr. Facts are sorted by name and variant.
const Fact* find_fact(const std::vector<Fact>& facts, std::string_view name,
                      std::string_view variant = {});

}  // namespace loadfactor::catalog
