// One reader per format; import_demand() chooses among them.
#pragma once

#include <string>
#include <string_view>

#include "demand/read/byte_blocks.h"
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

  // The next row's cells, skipping blank lines; nullptr at the end.
  Result<const std::vector<std::string_view>*> next();
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

// A vLLM, SGLang, GuideLLM or AIPerf result, or an answer of Prometheus' `query_range`.
Result<Import> read_json_file(const std::string& file, std::string text);

}  // namespace loadfactor::demand
