// One reader per format; import_demand() chooses among them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_order_mark.h"
#include "demand/read/byte_blocks.h"
#include "demand/read/cell_text.h"
#include "demand/read/columns.h"
#include "demand/read/csv_rows.h"
#include "demand/read/import.h"

namespace loadfactor::demand {

// A delimited file whose header has been read and resolved.
struct OpenTable {
  std::string file;
  ByteBlocks* blocks = nullptr;
  std::string_view block;
  std::size_t at = 0;  // Where the first row begins in the block.
  CsvRows rows{','};
  std::int64_t line = 2;  // Line of the first row.

  // The next row's cells, skipping blank lines; nullptr at the end. Where semicolons part the
  // cells, a comma in a number is its decimal point.
  Result<const std::vector<std::string_view>*> next();

  bool has_decimal_commas = false;
  std::vector<std::string_view> pointed_row;  // The row with points for commas.
  std::vector<std::string> pointed_cells;
};

Result<Import> read_request_table(OpenTable& table, const Columns& columns, ImportReport report,
                                  const ReadOptions& options);
Result<Import> read_rate_table(OpenTable& table, const Columns& columns, ImportReport report,
                               const ReadOptions& options);
Result<Import> read_job_table(OpenTable& table, const Columns& columns, ImportReport report,
                              const ReadOptions& options);

// One JSON object per line, as Mooncake, Qwen-Bailian and the replay tools write them.
Result<Import> read_request_lines(const std::string& file, ByteBlocks& blocks,
                                  std::string_view block, const ReadOptions& options);

// Hands every line that is not blank to `take(text, line)`, the line counted from 1.
template <typename Take>
Result<bool> each_line(ByteBlocks& blocks, std::string_view block, const Take& take) {
  std::size_t at = 0;
  std::int64_t line = 0;
  while (true) {
    const std::size_t end = block.find('\n', at);
    if (end == std::string_view::npos && !blocks.is_last()) {
      TRY(block, blocks.next(at));
      at = 0;
      continue;
    }
    if (at >= block.size()) return true;
    const std::string_view text =
        trimmed(end == std::string_view::npos ? block.substr(at) : block.substr(at, end - at));
    ++line;
    if (!text.empty()) take(line == 1 ? without_mark(text) : text, line);
    if (end == std::string_view::npos) return true;
    at = end + 1;
  }
}

// An access log in the common or combined format, as rates.
bool looks_like_access_log(std::string_view text);
Result<Import> read_access_log(const std::string& file, ByteBlocks& blocks, std::string_view block);

// A vLLM, SGLang, GuideLLM or AIPerf result, or an answer of Prometheus' `query_range`.
Result<Import> read_json_file(const std::string& file, std::string text);

}  // namespace loadfactor::demand
