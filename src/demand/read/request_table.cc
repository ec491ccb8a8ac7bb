// Requests one by one from a delimited file: Azure, BurstGPT, Vidur, Splitwise, ours.
#include <algorithm>
#include <utility>

#include "demand/read/cell_text.h"
#include "demand/read/readers.h"
#include "demand/read/stamp_reader.h"
#include "demand/read/trace_builder.h"

namespace loadfactor::demand {
namespace {

using Row = std::vector<std::string_view>;

struct RequestColumns {
  std::optional<std::size_t> time;
  std::size_t input = 0;
  std::optional<std::size_t> output;  // None where nothing is written.
  std::optional<std::size_t> client;
  std::optional<std::size_t> session;
  std::size_t least_cells = 0;  // A row with fewer is broken.
};

RequestColumns resolve(const Columns& columns) {
  RequestColumns found{.time = columns.find(Meaning::kTime),
                       .input = *columns.find(Meaning::kInput),
                       .output = columns.find(Meaning::kOutput),
                       .client = columns.find(Meaning::kClient),
                       .session = columns.find(Meaning::kSession)};
  found.least_cells = std::max({found.input, found.output.value_or(0), found.time.value_or(0)}) + 1;
  return found;
}

std::string_view cell(const Row& row, std::size_t index) {
  return index < row.size() ? trimmed(row[index]) : std::string_view();
}

class RequestRows {
 public:
  RequestRows(const Columns& columns, ImportReport& report, const ReadOptions& options)
      : columns_(resolve(columns)),
        stamps_(columns_.time ? columns.name(*columns_.time) : "", options.stamps,
                TimeUnit::kSeconds),
        builder_(report) {
    builder_.trace().is_timed = columns_.time.has_value();
  }

  void add(const Row& row, bool is_broken, std::int64_t line) {
    ImportReport& report = builder_.report();
    ++report.rows_read;
    if (is_broken || row.size() < columns_.least_cells)
      return report.drop(DropReason::kBadCells, line);
    Nanoseconds at = 0;
    if (columns_.time) {
      const auto stamp = stamps_.read(cell(row, *columns_.time));
      if (!stamp) return builder_.drop_stamp(stamps_.has_mixed_kinds(), line);
      at = *stamp;
    }
    const auto input = count_of(cell(row, columns_.input));
    const auto output = columns_.output ? count_of(cell(row, *columns_.output)) : 0;
    if (!input || !output) return report.drop(DropReason::kBadTokens, line);
    if (!builder_.add(at, *input, *output, line)) return;
    Trace& trace = builder_.trace();
    if (columns_.client)
      trace.clients.push_back(client_numbers_.number(cell(row, *columns_.client)));
    if (columns_.session)
      trace.sessions.push_back(session_numbers_.number(cell(row, *columns_.session)));
  }

  Result<Import> finish(const std::string& file) && {
    builder_.trace().has_calendar = stamps_.has_calendar();
    if (columns_.time) stamps_.report_into(builder_.report());
    return std::move(builder_).finish(file);
  }

 private:
  RequestColumns columns_;
  StampReader stamps_;
  TraceBuilder builder_;
  NameNumbers client_numbers_;
  NameNumbers session_numbers_;
};

}  // namespace

Result<Import> read_request_table(OpenTable& table, const Columns& columns, ImportReport report,
                                  const ReadOptions& options) {
  RequestRows rows(columns, report, options);
  report.format = columns.has(Meaning::kTime) ? "request table" : "table of lengths";
  while (true) {
    const std::int64_t line = table.line;
    TRY(const Row* row, table.next());
    if (row == nullptr) break;
    rows.add(*row, table.rows.is_broken(), line);
  }
  return std::move(rows).finish(table.file);
}

}  // namespace loadfactor::demand
