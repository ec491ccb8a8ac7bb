#include "base/text/table.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/display_width.h"

namespace loadfactor {
namespace {

Table memory_table() {
  Table table({{.name = "Per GPU"},
               {.name = "GiB", .align = Align::kRight},
               {.name = "basis", .essential = false, .wraps = true}});
  table.add_row({"weights", "16.9", "fp8 linears + bf16 embeddings and head"});
  table.add_row({"KV cache", "51.6", "1,353,283 tokens"});
  table.add_rule();
  table.add_row({"total", "68.6", ""});
  return table;
}

// A table that needs more than 80 columns for everything.
Table plan_table() {
  Table table({{.name = "#", .align = Align::kRight},
               {.name = "layout"},
               {.name = "recompute", .essential = false},
               {.name = "memory", .align = Align::kRight},
               {.name = "bubble", .align = Align::kRight, .essential = false},
               {.name = "why", .wraps = true, .min_width = 12}});
  table.add_row({"1", "tp 8, pp 4, dp 16, micro-batch 1", "selective", "61.2 GiB", "4.1 %",
                 "chosen: the cheapest that fits and keeps the links idle"});
  table.add_row({"2", "tp 8, pp 8, dp 8", "none", "58.9 GiB", "8.2 %", "bubble"});
  return table;
}

int widest_line_of(const std::string& text) {
  int widest = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    widest = std::max(widest, display_width(line));
  }
  return widest;
}

TEST(TableTextTest, AlignsColumnsAndDrawsRules) {
  EXPECT_EQ(render_text(memory_table(), {.width = 80}),
            " Per GPU    GiB  basis\n"
            " weights   16.9  fp8 linears + bf16 embeddings and head\n"
            " KV cache  51.6  1,353,283 tokens\n"
            " ──────────────────────────────────────────────────────\n"
            " total     68.6\n");
}

TEST(TableTextTest, DropsWhatIsNotEssentialInANarrowTerminal) {
  EXPECT_EQ(render_text(memory_table(), {.width = 50}),
            " Per GPU    GiB\n"
            " weights   16.9\n"
            " KV cache  51.6\n"
            " ──────────────\n"
            " total     68.6\n");
  EXPECT_EQ(hidden_columns(memory_table(), 50), std::vector<std::string>{"basis"});
  EXPECT_TRUE(hidden_columns(memory_table(), 80).empty());
  EXPECT_TRUE(hidden_columns(memory_table(), 0).empty());
}

TEST(TableTextTest, WrapsLongTextWhereTheTerminalIsWide) {
  // Everything in one line takes 122 columns: 11 blanks and 1 + 32 + 9 + 8 + 6 + 55 of text.
  EXPECT_EQ(widest_line_of(render_text(plan_table(), {.width = 200})), 122);
  EXPECT_TRUE(hidden_columns(plan_table(), 100).empty());
  EXPECT_NE(render_text(plan_table(), {.width = 100}).find("chosen: the cheapest that fits\n"),
            std::string::npos);
}

TEST(TableTextTest, WrapsAnEssentialTextInANarrowTerminal) {
  Table table({{.name = "n"}, {.name = "why", .wraps = true}});
  table.add_row({"1", "one two three"});
  EXPECT_EQ(render_text(table, {.width = 12}), " n  why\n 1  one two\n    three\n");
}

TEST(TableTextTest, DropsTheLastInessentialColumnFirst) {
  const Table table({{.name = "aaaa"},
                     {.name = "bbbb", .essential = false},
                     {.name = "cccc", .essential = false}});
  // 17 columns for all, 11 for two, 5 for one.
  EXPECT_TRUE(hidden_columns(table, 17).empty());
  EXPECT_EQ(hidden_columns(table, 16), std::vector<std::string>{"cccc"});
  EXPECT_EQ(hidden_columns(table, 10), (std::vector<std::string>{"bbbb", "cccc"}));
}

TEST(TableTextTest, NeverPassesTheWidthOnceTheEssentialsFit) {
  // The essential columns at their least: 1 + 1 + 2 + 32 + 2 + 8 + 2 + 12.
  for (int width = 60; width < 160; ++width) {
    EXPECT_LE(widest_line_of(render_text(plan_table(), {.width = width})), width);
  }
}

TEST(TableTextTest, IsOverlongRatherThanCut) {
  const std::string text = render_text(memory_table(), {.width = 5});
  EXPECT_NE(text.find(" KV cache  51.6\n"), std::string::npos);
}

TEST(TableTextTest, AlignsWideAndCombiningCharacters) {
  Table table({{.name = "name"}, {.name = "n", .align = Align::kRight}});
  table.add_row({"漢字", "1"});
  table.add_row({"e\u0301", "22"});
  EXPECT_EQ(render_text(table, {.width = 80}), " name   n\n 漢字   1\n e\u0301     22\n");
}

TEST(TableTextTest, ShowsForeignTextSafelyAndKeepsIndentation) {
  Table table({{.name = "name"}, {.name = "b"}});
  table.add_row({"  ├─ \x1b[2J", "two\nlines"});
  EXPECT_EQ(render_text(table, {.width = 80}),
            " name       b\n   ├─ ␛[2J  two\n            lines\n");
}

TEST(TableTextTest, PutsTitleAboveAndNotesBelow) {
  Table table({{.name = "a"}});
  table.set_title("Title");
  table.add_row({"1"});
  table.add_footnote("* assumed, from a file");
  EXPECT_EQ(render_text(table, {.width = 80}), "Title\n a\n 1\n * assumed, from a file\n");
  EXPECT_EQ(render_text(table, {.width = 14}), "Title\n a\n 1\n * assumed,\n from a file\n");
}

TEST(TableTextTest, PaintsWithoutMovingAnything) {
  Table table({{.name = "a"}, {.name = "b"}});
  table.add_row({Cell("yes").in(Tone::kGood), "x"});
  EXPECT_EQ(render_text(table, {.width = 80, .colour = true}),
            " \x1b[1ma\x1b[0m    \x1b[1mb\x1b[0m\n \x1b[32myes\x1b[0m  x\n");
}

TEST(TableMarkdownTest, EscapesBarsAndBreaks) {
  Table table({{.name = "a|b"}, {.name = "n", .align = Align::kRight}});
  table.set_title("T");
  table.add_row({"x|y\nz µ", "1"});
  table.add_footnote("note");
  EXPECT_EQ(render_markdown(table),
            "**T**\n\n| a\\|b | n |\n| --- | ---: |\n| x\\|y<br>z µ | 1 |\n\nnote\n");
}

TEST(TableDeathTest, ARowMustFitItsTable) {
  Table table({{.name = "a"}});
  EXPECT_DEATH(table.add_row({"1", "2"}), "another number of cells");
}

}  // namespace
}  // namespace loadfactor
