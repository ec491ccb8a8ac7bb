// A table of data/integrations, as it was built into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::launch {

// Rows below the header, each with as many cells as the header has; nothing where there is no such
// table. The tables are ours and simple: cells hold no line breaks.
std::vector<std::vector<std::string>> read_table(std::string_view path);

// The parts of a cell.
std::vector<std::string> split_cell(std::string_view cell, char mark);

}  // namespace loadfactor::launch
