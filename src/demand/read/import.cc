#include "demand/read/import.h"

#include <utility>

#include <fmt/format.h>

#include "base/byte_order_mark.h"
#include "base/error_codes.h"
#include "demand/read/cell_text.h"
#include "demand/read/headless_jobs.h"
#include "demand/read/json_line.h"
#include "demand/read/readers.h"
#include "demand/read/request_values.h"

namespace loadfactor::demand {
namespace {

constexpr std::size_t kLargestText = std::size_t{512} << 20U;

Error unknown_kind(const std::string& file, std::string_view header) {
  constexpr std::size_t kShown = 100;
  return Error{.code = lf::kNotDemand,
               .message = fmt::format("'{}' is no demand file we know", file),
               .hint = fmt::format("a request CSV needs a column for the input ({}) and one for "
                                   "the output; a rate CSV one called rate or requests_per_…; a "
                                   "job CSV one for the GPUs ({})",
                                   spellings(Meaning::kInput), spellings(Meaning::kGpus)),
               .where = {.file = file, .line = 1},
               .source_line = std::string(header.substr(0, std::min(kShown, header.find('\n'))))};
}

// What to call a column, where all but that one is there.
Error missing_column(const std::string& file, std::string_view what, Meaning meaning) {
  return Error{.code = lf::kMissingColumn,
               .message = fmt::format("'{}' has no column for {}", file, what),
               .hint = fmt::format("call it one of {}", spellings(meaning)),
               .where = {.file = file, .line = 1}};
}

Error empty_file(const std::string& file) {
  return Error{.code = lf::kEmptyFile,
               .message = fmt::format("'{}' is empty", file),
               .where = {.file = file}};
}

// Whether the first line is a whole JSON object with the lengths of a request.
bool is_json_lines(std::string_view text) {
  const auto values = find_request_values(trimmed(text.substr(0, text.find('\n'))));
  return values && values->has_lengths();
}

// Whole objects on lines of their own, which are not requests as we know them.
bool is_lines_of_something(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || text.substr(end + 1, 1) != "{") return false;
  JsonLine members(trimmed(text.substr(0, end)));
  std::string_view key;
  std::string_view value;
  while (members.next(key, value)) {
  }
  return members.is_sound();
}

Error unknown_lines(const std::string& file) {
  return {.code = lf::kNotDemand,
          .message = fmt::format("the lines of '{}' are JSON objects, but no requests", file),
          .hint =
              "each needs a timestamp and its tokens in and out, such as input_length and "
              "output_length or an API's usage",
          .where = {.file = file, .line = 1}};
}

std::string headless_remark(const std::vector<std::string>& names) {
  std::string text = "no header; the columns are told by what stands in them:";
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty()) text += fmt::format(" {} {}", i + 1, names[i]);
  return text;
}

Result<Import> import_table(const std::string& file, ByteBlocks& blocks, std::string_view block,
                            const ReadOptions& options) {
  const std::size_t mark = block.size() - without_mark(block).size();
  OpenTable table{.file = file, .blocks = &blocks, .block = block, .at = mark};
  const char delimiter = guess_delimiter(block.substr(mark));
  table.rows = CsvRows(delimiter);
  table.has_decimal_commas = delimiter == ';';
  table.line = 1;
  TRY(const auto* header, table.next());
  if (header == nullptr) return empty_file(file);
  std::vector<std::string_view> names;
  for (const std::string_view name : *header) names.push_back(trimmed(name));
  ImportReport report;
  report.was_packed = blocks.is_packed();
  const Columns header_columns(names);
  const bool has_header = header_columns.has(Meaning::kTime) || header_columns.has(Meaning::kGpus);
  const auto headless = has_header ? std::nullopt : headless_job_columns(block.substr(mark));
  if (headless) {
    names.assign(headless->begin(), headless->end());
    table.at = mark;  // The first row is a job, too.
    table.line = 1;
    report.remarks.push_back(headless_remark(*headless));
  }
  const Columns columns(names);
  const bool has_lengths =
      columns.has(Meaning::kInput) && (columns.has(Meaning::kOutput) || !options.needs_answers);
  if (has_lengths) return read_request_table(table, columns, std::move(report), options);
  if (columns.has(Meaning::kGpus))
    return read_job_table(table, columns, std::move(report), options);
  if (columns.has(Meaning::kRate) && columns.has(Meaning::kTime))
    return read_rate_table(table, columns, std::move(report), options);
  if (columns.has(Meaning::kInput) || columns.has(Meaning::kOutput)) {
    const Meaning missing = columns.has(Meaning::kInput) ? Meaning::kOutput : Meaning::kInput;
    return missing_column(
        file, missing == Meaning::kInput ? "the input tokens" : "the output tokens", missing);
  }
  if (columns.has(Meaning::kRate))
    return missing_column(file, "the time at which each window of a rate begins", Meaning::kTime);
  return unknown_kind(file, block.substr(mark));
}

Result<Import> import_metrics(const std::string& file, std::string_view bytes) {
  TRY(const std::string text, whole_text(file, bytes, kLargestText));
  Import import;
  import.report.was_packed = is_gzip(bytes);
  TRY(auto snapshot, read_metrics(file, text, import.report));
  import.data = std::move(snapshot);
  return import;
}

Result<Import> import_once(const std::string& file, std::string_view bytes,
                           const ReadOptions& options) {
  ByteBlocks blocks(file, bytes);
  TRY(const std::string_view block, blocks.next(0));
  std::string_view text = without_mark(block);
  while (!text.empty() && (text.front() == '\n' || text.front() == '\r' || text.front() == ' '))
    text.remove_prefix(1);
  if (text.empty()) return empty_file(file);
  constexpr std::size_t kBytesForFormat = 4096;
  if (text.substr(0, kBytesForFormat).find('\0') != std::string_view::npos) {
    return Error{.code = lf::kBadEncoding,
                 .message = fmt::format("'{}' holds NUL bytes: it is no text, or UTF-16", file),
                 .hint = "save it as UTF-8: `iconv -f UTF-16 -t UTF-8 FILE`",
                 .where = {.file = file}};
  }
  if (text.front() == '{' || text.front() == '[') {
    if (is_json_lines(text)) return read_request_lines(file, blocks, block, options);
    if (is_lines_of_something(text)) return unknown_lines(file);
    TRY(std::string whole, whole_text(file, bytes, kLargestText));
    TRY(Import import, read_json_file(file, std::move(whole)));
    import.report.was_packed = is_gzip(bytes);
    return import;
  }
  if (looks_like_access_log(text)) return read_access_log(file, blocks, block);
  if (looks_like_metrics(text)) return import_metrics(file, bytes);
  return import_table(file, blocks, block, options);
}

Error ambiguous_dates(const std::string& file, bool both) {
  return Error{
      .code = lf::kAmbiguousDates,
      .message =
          both ? fmt::format("some dates of '{}' have the month first, others the day", file)
               : fmt::format("'{}' does not tell whether its dates have the month or the day first",
                             file),
      .hint =
          "write them as 2026-12-31, or say it: `loadfactor demand FILE --dates month-first`; with "
          "--convert it writes a file that needs no saying",
      .where = {.file = file}};
}

}  // namespace

namespace {

// Whether the cell is a number with a decimal comma: `0,5`.
bool is_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  return comma != std::string_view::npos && comma + 1 < cell.size() &&
         cell.find_first_not_of("-0123456789") == comma &&
         cell.find_first_not_of("0123456789", comma + 1) == std::string_view::npos;
}

Error too_wide(const std::string& file, std::int64_t line) {
  return {
      .code = lf::kNotDemand,
      .message = fmt::format("a row of '{}' has more than {} columns", file, CsvRows::kMostCells),
      .hint = "one request, job or window a line",
      .where = {.file = file, .line = static_cast<std::uint32_t>(line)}};
}

const std::vector<std::string_view>* with_points(OpenTable& table) {
  table.pointed_row = table.rows.cells();
  table.pointed_cells.clear();
  table.pointed_cells.reserve(table.pointed_row.size());  // Views into it must hold.
  for (std::string_view& cell : table.pointed_row) {
    if (!is_decimal_comma(trimmed(cell))) continue;
    std::string& pointed = table.pointed_cells.emplace_back(trimmed(cell));
    pointed[pointed.find(',')] = '.';
    cell = pointed;
  }
  return &table.pointed_row;
}

}  // namespace

Result<const std::vector<std::string_view>*> OpenTable::next() {
  using Row = const std::vector<std::string_view>*;
  while (true) {
    if (at < block.size()) {
      const std::size_t size = rows.read(block.substr(at), blocks->is_last());
      if (rows.is_too_wide()) return too_wide(file, line);
      if (size > 0) {
        at += size;
        line += static_cast<std::int64_t>(rows.lines());
        if (rows.cells().empty()) continue;
        return has_decimal_commas ? with_points(*this) : Row(&rows.cells());
      }
    }
    if (blocks->is_last()) return Row(nullptr);
    TRY(block, blocks->next(at));
    at = 0;
  }
}

Result<Import> import_demand(const std::string& file, std::string_view bytes,
                             const ReadOptions& options) {
  TRY(Import import, import_once(file, bytes, options));
  const DateEvidence dates = import.report.dates;
  if (!dates.has_short_dates || options.stamps.date_order) return import;
  if (dates.month_first == dates.day_first) return ambiguous_dates(file, dates.day_first);
  if (dates.day_first) {  // Earlier rows may have been read with the month first.
    ReadOptions known = options;
    known.stamps.date_order = DateOrder::kDayFirst;
    TRY(import, import_once(file, bytes, known));
  }
  import.report.remarks.emplace_back(dates.day_first ? "dates are read with the day first"
                                                     : "dates are read with the month first");
  return import;
}

}  // namespace loadfactor::demand
