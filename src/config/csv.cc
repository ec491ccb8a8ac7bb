#include "config/csv.h"

#include <algorithm>
#include <utility>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

// Walks a CSV text cell by cell.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const LineIndex& lines) : text_(text), cursor_(text, lines) {}

  bool at_end() const { return offset_ >= text_.size(); }
  const std::optional<Position>& open_quote() const { return open_quote_; }
  const std::optional<Position>& after_quote() const { return after_quote_; }

  std::vector<CsvCell> row() {
    std::vector<CsvCell> cells;
    do {
      cells.push_back(cell());
    } while (take(','));
    take('\r');
    take('\n');
    return cells;
  }

 private:
  bool take(char wanted) {
    if (at_end() || text_[offset_] != wanted) return false;
    ++offset_;
    return true;
  }

  CsvCell cell() {
    const std::size_t begin = offset_;
    CsvCell cell;
    if (take('"')) {
      cell.text = quoted(begin);
    } else {
      std::size_t end = std::min(text_.find_first_of(",\n", begin), text_.size());
      if (end > begin && end < text_.size() && text_[end] == '\n' && text_[end - 1] == '\r') --end;
      cell.text = text_.substr(begin, end - begin);
      offset_ = end;
    }
    cell.position = cursor_.at(begin, offset_);
    return cell;
  }

  // The text of a quoted cell whose opening quote has been taken.
  std::string quoted(std::size_t begin) {
    std::string cell;
    while (!at_end()) {
      const std::size_t quote = std::min(text_.find('"', offset_), text_.size());
      cell += text_.substr(offset_, quote - offset_);
      offset_ = quote;
      if (!take('"')) break;
      if (!take('"')) {
        skip_after_quote();
        return cell;
      }
      cell += '"';
    }
    if (!open_quote_) open_quote_ = cursor_.at(begin, begin + 1);
    return cell;
  }

  void skip_after_quote() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", offset_), text_.size());
    if (end > offset_ && !after_quote_) after_quote_ = cursor_.at(offset_, end);
    offset_ = end;
  }

  std::string_view text_;
  PositionCursor cursor_;
  std::size_t offset_ = 0;
  std::optional<Position> open_quote_;   // Where the first quote that is never closed stands.
  std::optional<Position> after_quote_;  // Where text first follows a closing quote.
};

bool is_blank(const std::vector<CsvCell>& row) {
  return row.size() == 1 && row[0].text.empty();
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t end = text.find_last_not_of(" \t");
  return std::string(text.substr(begin, end == text.npos ? 0 : end + 1 - begin));
}

// Trims the names of the columns and reports those that stand twice.
void check_header(CsvTable& table, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    CsvCell& cell = table.header[i];
    cell.text = trimmed(cell.text);
    const auto first = table.column(cell.text);
    if (!cell.text.empty() && first && *first < i)
      diagnostics.add(table.error(lf::kDuplicateKey, cell,
                                  "the column '" + cell.text + "' is named twice",
                                  "rename or remove one of them"));
  }
}

void add_row(std::vector<CsvCell> row, CsvTable& table, Diagnostics& diagnostics) {
  if (row.size() == table.header.size()) {
    table.rows.push_back(std::move(row));
    return;
  }
  constexpr std::size_t kMostErrors = 100;
  if (diagnostics.size() >= kMostErrors) return;
  diagnostics.add(table.error(lf::kRaggedRow, row[0],
                              "this row has " + std::to_string(row.size()) +
                                  " cells; the header has " + std::to_string(table.header.size()),
                              "quote a cell that holds a comma"));
}

std::optional<Error> refuse_quotes(const CsvScanner& scanner, const CsvTable& table) {
  const std::string hint = "write \"\" for a quote inside a quoted cell";
  if (const auto& place = scanner.open_quote())
    return table.error(lf::kSyntax, {.position = *place}, "this quote is never closed", hint);
  if (const auto& place = scanner.after_quote())
    return table.error(lf::kSyntax, {.position = *place}, "text after a closing quote", hint);
  return std::nullopt;
}

std::optional<Error> refuse_large(const std::vector<CsvCell>& row, std::size_t cells,
                                  const CsvTable& table, const Limits& limits) {
  if (cells > limits.nodes)
    return table.error(lf::kTooLarge, row[0],
                       "more than " + std::to_string(limits.nodes) + " cells");
  for (const CsvCell& cell : row) {
    if (cell.text.size() > limits.scalar_bytes)
      return table.error(lf::kTooLarge, cell,
                         "a cell of more than " + std::to_string(limits.scalar_bytes) + " bytes",
                         "is a quote missing?");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
  const auto found = std::find_if(header.begin(), header.end(),
                                  [name](const CsvCell& cell) { return cell.text == name; });
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

Error CsvTable::error(int code, const CsvCell& cell, std::string message, std::string hint) const {
  return error_at({file, text, &lines}, code, cell.position, std::move(message), std::move(hint));
}

Result<CsvTable> parse_csv(std::string file, std::string text, Diagnostics& diagnostics,
                           const Limits& limits) {
  if (auto error = refuse_unreadable(file, text, limits)) return *std::move(error);
  CsvTable table{.file = std::move(file), .text = std::move(text)};
  table.lines = LineIndex(table.text);
  CsvScanner scanner(table.text, table.lines);
  table.header = scanner.row();
  while (is_blank(table.header) && !scanner.at_end()) table.header = scanner.row();
  constexpr std::size_t kMostColumns = 4096;
  if (table.header.size() > kMostColumns)
    return table.error(lf::kTooLarge, table.header[kMostColumns],
                       "more than " + std::to_string(kMostColumns) + " columns");
  check_header(table, diagnostics);
  std::size_t cells = table.header.size();
  while (!scanner.at_end()) {
    std::vector<CsvCell> row = scanner.row();
    cells += row.size();
    if (auto error = refuse_quotes(scanner, table)) return *std::move(error);
    if (auto error = refuse_large(row, cells, table, limits)) return *std::move(error);
    if (!is_blank(row)) add_row(std::move(row), table, diagnostics);
  }
  if (auto error = refuse_quotes(scanner, table)) return *std::move(error);
  return table;
}

}  // namespace loadfactor::config
