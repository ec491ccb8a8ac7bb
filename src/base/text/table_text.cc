// Lays a table out for a terminal.
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/display_width.h"
#include "base/text/table.h"
#include "base/wrap.h"

namespace loadfactor {
namespace {

constexpr int kMargin = 1;          // Before the first column.
constexpr int kGap = 2;             // Between columns.
constexpr int kWideTerminal = 100;  // A terminal this wide wraps text before it leaves out columns.

// The columns to show, by index, and how wide each is.
struct Layout {
  std::vector<std::size_t> columns;
  std::vector<int> widths;
};

// What a text may hold on screen: line breaks stay, everything else is made safe.
std::string visible_lines(const std::string& text) {
  std::string result;
  for (const std::string_view line : lines_of(text)) result += visible(line) + "\n";
  result.pop_back();
  return result;
}

int widest_line(const std::string& text) {
  int widest = 0;
  for (const std::string_view line : lines_of(text)) widest = std::max(widest, display_width(line));
  return widest;
}

// The width that a column would like.
int natural_width(const Table& table, std::size_t index) {
  const Column& column = table.columns()[index];
  int width = std::max(column.min_width, widest_line(visible_lines(column.name)));
  for (const Table::Row& row : table.rows()) {
    width = std::max(width, widest_line(visible_lines(row.cells[index].text)));
  }
  return width;
}

// The width that a column cannot do without.
int least_width(const Table& table, std::size_t index) {
  const Column& column = table.columns()[index];
  if (!column.wraps) return natural_width(table, index);
  constexpr int kLongWord = 24;  // Longer words are broken.
  int width = std::max(column.min_width, widest_word(visible_lines(column.name)));
  for (const Table::Row& row : table.rows()) {
    width = std::max(width, std::min(kLongWord, widest_word(visible_lines(row.cells[index].text))));
  }
  return width;
}

int total_width(const std::vector<int>& widths) {
  const int gaps = kGap * (static_cast<int>(widths.size()) - 1);
  return kMargin + std::accumulate(widths.begin(), widths.end(), 0) + std::max(gaps, 0);
}

// Sets the width of every shown column to what `measure` says.
void set_widths(const Table& table, Layout& layout, int (*measure)(const Table&, std::size_t)) {
  layout.widths.clear();
  for (const std::size_t index : layout.columns) layout.widths.push_back(measure(table, index));
}

// Drops columns that are not essential, last first, until the rest fits.
void drop_columns(const Table& table, int width, Layout& layout) {
  while (total_width(layout.widths) > width) {
    const auto last = std::find_if(layout.columns.rbegin(), layout.columns.rend(),
                                   [&](auto i) { return !table.columns()[i].essential; });
    if (last == layout.columns.rend()) return;
    const auto at = std::distance(last, layout.columns.rend()) - 1;
    layout.columns.erase(layout.columns.begin() + at);
    layout.widths.erase(layout.widths.begin() + at);
  }
}

// Hands the columns that are left between least and natural width to those that can use them,
// one at a time to the one that lacks most.
void widen_columns(const Table& table, int width, Layout& layout) {
  std::vector<int> wanted;
  for (const std::size_t index : layout.columns) wanted.push_back(natural_width(table, index));
  for (int spare = width - total_width(layout.widths); spare > 0; --spare) {
    std::size_t neediest = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] - layout.widths[i] > wanted[neediest] - layout.widths[neediest]) neediest = i;
    }
    if (wanted.empty() || layout.widths[neediest] >= wanted[neediest]) return;
    ++layout.widths[neediest];
  }
}

Layout layout_for(const Table& table, int width) {
  Layout layout;
  layout.columns.resize(table.columns().size());
  std::iota(layout.columns.begin(), layout.columns.end(), 0U);
  set_widths(table, layout, natural_width);
  if (width == 0 || total_width(layout.widths) <= width) return layout;
  // A narrow terminal rather loses a column than squeezes the others; a wide one wraps first.
  if (width >= kWideTerminal) set_widths(table, layout, least_width);
  drop_columns(table, width, layout);
  set_widths(table, layout, least_width);
  widen_columns(table, width, layout);
  return layout;
}

// One row of cells, which takes as many lines as its tallest cell.
class RowWriter {
 public:
  RowWriter(const Table& table, const Layout& layout, bool colour)
      : table_(table), layout_(layout), colour_(colour) {}

  std::string write(const std::vector<Cell>& cells) const {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 1;
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) {
      wrapped.push_back(wrap(visible_lines(cells[layout_.columns[i]].text), layout_.widths[i]));
      height = std::max(height, wrapped.back().size());
    }
    std::string text;
    for (std::size_t line = 0; line < height; ++line) text += write_line(cells, wrapped, line);
    return text;
  }

 private:
  std::string write_line(const std::vector<Cell>& cells,
                         const std::vector<std::vector<std::string>>& wrapped,
                         std::size_t line) const {
    std::string text;
    std::string pending(kMargin, ' ');  // Blanks are written only before something.
    for (std::size_t i = 0; i < wrapped.size(); ++i) {
      const std::string cell = line < wrapped[i].size() ? wrapped[i][line] : std::string();
      const auto missing =
          static_cast<std::size_t>(std::max(0, layout_.widths[i] - display_width(cell)));
      const std::size_t index = layout_.columns[i];
      const bool right = table_.columns()[index].align == Align::kRight;
      if (right) pending.append(missing, ' ');
      if (!cell.empty()) {
        text += pending + paint(cell, cells[index].tone, colour_);
        pending.clear();
      }
      if (!right) pending.append(missing, ' ');
      pending.append(kGap, ' ');
    }
    return text + "\n";
  }

  const Table& table_;
  const Layout& layout_;
  bool colour_;
};

std::string rule_of(const Layout& layout) {
  std::string text(kMargin, ' ');
  for (int i = kMargin; i < total_width(layout.widths); ++i) text += "─";
  return text + "\n";
}

}  // namespace

std::string render_text(const Table& table, const TextOptions& options) {
  const Layout layout = layout_for(table, options.width);
  const RowWriter writer(table, layout, options.colour);
  std::string text;
  if (!table.title().empty()) {
    text += paint(visible_lines(table.title()), Tone::kStrong, options.colour) + "\n";
  }
  std::vector<Cell> header;
  for (const Column& column : table.columns())
    header.push_back(Cell(column.name).in(Tone::kStrong));
  text += writer.write(header);
  for (const Table::Row& row : table.rows()) {
    if (row.rule_before) text += rule_of(layout);
    text += writer.write(row.cells);
  }
  const int note_width =
      options.width > 0 ? options.width - kMargin : std::numeric_limits<int>::max();
  for (const std::string& note : table.footnotes()) {
    for (const std::string& line : wrap(visible_lines(note), note_width)) {
      text += std::string(kMargin, ' ') + line + "\n";
    }
  }
  return text;
}

std::vector<std::string> hidden_columns(const Table& table, int width) {
  const Layout layout = layout_for(table, width);
  std::vector<std::string> hidden;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const auto& shown = layout.columns;
    if (std::find(shown.begin(), shown.end(), i) == shown.end()) {
      hidden.push_back(table.columns()[i].name);
    }
  }
  return hidden;
}

}  // namespace loadfactor
