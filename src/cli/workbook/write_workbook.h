// A workbook of cells as a file that spreadsheets open. No other file sees the library that writes
// it.
#pragma once

#include <string>

#include "loadfactor/result.h"

namespace loadfactor::cli {

// Cells are JSON as `Format::kWorkbook` writes it. LF602 where the file cannot be written, and
// where this program was built without libxlsxwriter.
bool can_write_workbooks();  // Built with libxlsxwriter.
Result<bool> write_workbook(const std::string& cells, const std::string& path);

}  // namespace loadfactor::cli
