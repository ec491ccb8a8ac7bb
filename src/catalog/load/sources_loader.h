// Reads the tables of SOURCES.md: every row `| id | document | date |` is a source.
#pragma once

#include <vector>

#include "catalog/load/data_file.h"
#include "catalog/spec/source.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Adds the sources of one file; a later file replaces sources of the same id. Text outside
// tables is prose and is passed over. A row that has not three cells is LF514, an id that is not
// lower case with hyphens LF506, one that stands twice in the file LF515, a broken date LF510.
// The result is sorted by id.
void load_sources(const DataFile& file, std::vector<Source>& sources, Diagnostics& diagnostics);

const Source* find_source(const std::vector<Source>& sources, std::string_view id);

}  // namespace loadfactor::catalog
