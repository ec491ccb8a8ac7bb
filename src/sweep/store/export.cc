// Rows as CSV and as one JSON object a line.
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/text/csv_text.h"
#include "base/text/json_text.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {
namespace {

std::string plain(const CellValue& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return json_number(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

std::string as_json(const CellValue& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return json_string(*text);
  return std::holds_alternative<std::monostate>(cell) ? "null" : plain(cell);
}

std::string csv_header(const Identity& identity) {
  std::vector<std::string> names{"case_number"};
  for (const ResultColumn& column : identity.columns)
    names.push_back(column.unit.empty() ? column.name
                                        : fmt::format("{} [{}]", column.name, column.unit));
  for (const char* name : {"status", "code", "error", "edits"}) names.emplace_back(name);
  return csv_line(names);
}

std::string csv_row(const CaseRow& row) {
  std::vector<std::string> fields{std::to_string(row.number)};
  for (const CellValue& cell : row.cells) fields.push_back(plain(cell));
  fields.emplace_back(name_of(row.status));
  fields.push_back(row.code == 0 ? "" : fmt::format("LF{:03}", row.code));
  fields.push_back(row.error);
  fields.push_back(row.edits);
  return csv_line(fields);
}

// JSON whose lines were broken and indented for people; inside strings it has no line breaks.
std::string on_one_line(std::string_view json) {
  std::string out;
  bool is_indent = false;
  for (const char c : json) {
    if (c == '\n') is_indent = true;
    if (c == '\n' || (is_indent && c == ' ')) continue;
    is_indent = false;
    out += c;
  }
  return out;
}

std::string json_row(const Identity& identity, const CaseRow& row) {
  std::string out = fmt::format("{{\"case_number\": {}", row.number);
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    out += fmt::format(", {}: {}", json_string(identity.columns[i].name), as_json(row.cells[i]));
  out += fmt::format(", \"status\": {}", json_string(name_of(row.status)));
  if (row.code != 0) out += fmt::format(", \"code\": \"LF{:03}\"", row.code);
  if (row.code != 0 || !row.error.empty())
    out += fmt::format(", \"error\": {}", json_string(row.error));
  out += fmt::format(", \"edits\": {}", row.edits);
  if (!row.answer.empty()) out += ", \"answer\": " + on_one_line(row.answer);
  return out + "}\n";
}

}  // namespace

Result<bool> export_rows(const Results& results, ExportFormat format,
                         const std::function<bool(const std::string&)>& write) {
  const Error broken{.code = lf::kCannotWrite, .message = "the rows cannot be written"};
  const Identity& identity = results.identity();
  if (format == ExportFormat::kCsv && !write(csv_header(identity))) return broken;
  return results.for_each([&](const CaseRow& row) -> Result<bool> {
    const bool done = write(format == ExportFormat::kCsv ? csv_row(row) : json_row(identity, row));
    if (!done) return broken;
    return true;
  });
}

}  // namespace loadfactor::sweep
