// The table itself and its form as Markdown; text for a terminal is in table_text.cc.
#include "base/text/table.h"

#include <utility>

#include "base/check.h"
#include "base/display_width.h"

namespace loadfactor {
namespace {

// Markdown has no cell with a bar or a line break in it.
std::string markdown_field(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    i += c.size;
    if (c.value == '\n') {
      escaped += "<br>";
    } else if (c.value != '\r') {
      if (c.value == '|' || c.value == '\\') escaped += '\\';
      escaped += visible(c);
    }
  }
  return escaped;
}

}  // namespace

void Table::add_row(std::vector<Cell> cells) {
  LF_CHECK(cells.size() == columns_.size(), "a row has another number of cells than its table");
  rows_.push_back({std::move(cells), std::exchange(rule_pending_, false)});
}

void Table::add_rule() {
  rule_pending_ = !rows_.empty();
}

std::string render_markdown(const Table& table) {
  std::string text;
  if (!table.title().empty()) text += "**" + markdown_field(table.title()) + "**\n\n";
  text += '|';
  for (const Column& column : table.columns()) text += " " + markdown_field(column.name) + " |";
  text += "\n|";
  for (const Column& column : table.columns()) {
    text += column.align == Align::kRight ? " ---: |" : " --- |";
  }
  text += '\n';
  for (const Table::Row& row : table.rows()) {
    text += '|';
    for (const Cell& cell : row.cells) text += " " + markdown_field(cell.text) + " |";
    text += '\n';
  }
  for (const std::string& note : table.footnotes()) text += "\n" + markdown_field(note) + "\n";
  return text;
}

}  // namespace loadfactor
