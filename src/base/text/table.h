// Tables as every verb prints them: aligned text and Markdown.
//
// Text is laid out for a terminal: all columns where they fit. Where they do not, a terminal of
// 100 columns or more wraps long text cells and then leaves out what is not essential, last
// first; a narrower one leaves out first and then wraps. A table never cuts a cell: where even
// the essential columns do not fit, lines are longer than the terminal. Cells are made safe to
// print, for they may quote a user's file.
#pragma once

#include <string>
#include <vector>

#include "base/text/tone.h"

namespace loadfactor {

enum class Align { kLeft, kRight };

struct Column {
  std::string name;  // As people read it: `mem/GPU (GiB)`.
  Align align = Align::kLeft;
  bool essential = true;  // Shown in 80 columns too.
  bool wraps = false;     // Long text may be broken into lines.
  int min_width = 0;      // Never narrower than this.
};

// A text, and the tone that it is shown in.
struct Cell {
  // NOLINTBEGIN(google-explicit-constructor): rows are written as {"weights", "16.9"}.
  Cell(std::string shown) : text(std::move(shown)) {}
  Cell(const char* shown) : text(shown) {}
  // NOLINTEND(google-explicit-constructor)

  Cell&& in(Tone wanted) && {
    tone = wanted;
    return std::move(*this);
  }

  std::string text;
  Tone tone = Tone::kPlain;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // The row must have a cell for every column.
  void add_row(std::vector<Cell> cells);
  // Draws a line between the rows before and after.
  void add_rule();
  void set_title(std::string title) { title_ = std::move(title); }
  void add_footnote(std::string note) { footnotes_.push_back(std::move(note)); }

  struct Row {
    std::vector<Cell> cells;
    bool rule_before = false;
  };

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::string& title() const { return title_; }
  const std::vector<std::string>& footnotes() const { return footnotes_; }

 private:
  std::vector<Column> columns_;
  std::vector<Row> rows_;
  std::string title_;
  std::vector<std::string> footnotes_;
  bool rule_pending_ = false;
};

struct TextOptions {
  int width = 80;  // Columns of the terminal; 0 for no limit.
  bool colour = false;
};

std::string render_text(const Table& table, const TextOptions& options);

// GitHub's tables; every column, since a page scrolls.
std::string render_markdown(const Table& table);

// The names of the columns that render_text() leaves out at this width.
std::vector<std::string> hidden_columns(const Table& table, int width);

}  // namespace loadfactor
