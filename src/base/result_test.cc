#include "loadfactor/result.h"

#include <string>

#include <gtest/gtest.h>

#include "base/display_width.h"

namespace loadfactor {
namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return Error{.code = 207, .message = "odd number", .hint = "use an even one"};
  return x / 2;
}

Result<int> quarter(int x) {
  TRY(const int once, half(x));
  TRY(const int twice, half(once));
  return twice;
}

Error at(SourceSpan where, std::string line) {
  return Error{.code = 401,
               .message = "no GPU named 'H100-SMX'",
               .hint = "did you mean 'h100-sxm'?",
               .where = std::move(where),
               .source_line = std::move(line)};
}

// The lines of a rendered text.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST(ResultTest, TryHandsTheValueOnOrReturnsTheError) {
  EXPECT_EQ(*quarter(8), 2);
  ASSERT_FALSE(quarter(6));
  EXPECT_EQ(quarter(6).error().message, "odd number");
}

TEST(ResultTest, NotesAreAddedFromInsideOut) {
  const Error error = Error{.code = 207, .message = "bad"}.with("in 'a'").with("in 'b'");
  EXPECT_EQ(render(error), "error[LF207]: bad\n  note: in 'a'\n  note: in 'b'\n");
}

TEST(ResultTest, AnErrorRemembersWhereItWasRaised) {
  const Error error{.code = 207, .message = "bad"};
  EXPECT_TRUE(std::string(error.raised_at.file).ends_with("result_test.cc"));
  EXPECT_GT(error.raised_at.line, 0);
}

TEST(RenderTest, PointsAtTheWord) {
  EXPECT_EQ(render(at({"job.yaml", 4, 8, 8}, "  gpu: H100-SMX")),
            "job.yaml:4:8: error[LF401]: no GPU named 'H100-SMX'\n"
            " 4 |   gpu: H100-SMX\n"
            "   |        ^^^^^^^^\n"
            "  help: did you mean 'h100-sxm'?\n");
}

TEST(RenderTest, SaysNoPlaceWhereThereIsNone) {
  EXPECT_EQ(render(Error{.code = 101, .message = "no plan fits", .hint = "allow more nodes"}),
            "error[LF101]: no plan fits\n  help: allow more nodes\n");
}

TEST(RenderTest, NamesTheFileAloneForTheWholeFile) {
  EXPECT_EQ(render(Error{.code = 512, .message = "empty", .where = {.file = "a.yaml"}}),
            "a.yaml: error[LF512]: empty\n");
}

TEST(RenderTest, KeepsTheGutterAsWideAsTheLineNumber) {
  const auto lines = lines_of(render(at({"job.yaml", 1234, 1, 3}, "gpu: x")));
  EXPECT_EQ(lines[1], " 1234 | gpu: x");
  EXPECT_EQ(lines[2], "      | ^^^");
}

TEST(RenderTest, PutsTheCaretUnderTheWordBehindWideCharacters) {
  // Two wide characters take four columns; the combining accent takes none.
  const auto lines = lines_of(render(at({"a", 1, 6, 2}, "漢字e\u0301 xy")));
  EXPECT_EQ(lines[1], " 1 | 漢字e\u0301 xy");
  EXPECT_EQ(lines[2], "   |       ^^");
  // The marked word itself may be wide.
  EXPECT_EQ(lines_of(render(at({"a", 1, 1, 2}, "漢字 x")))[2], "   | ^^^^");
}

TEST(RenderTest, ShowsTabsAndControlCharactersSafely) {
  const auto lines = lines_of(render(at({"a", 1, 2, 3}, "\tgpu\x1b[31m\xff\r\n")));
  EXPECT_EQ(lines[1], " 1 |     gpu␛[31m�");
  EXPECT_EQ(lines[2], "   |     ^^^");
  EXPECT_EQ(render(Error{.code = 501, .message = "odd \x1b[2J\n"}), "error[LF501]: odd ␛[2J␊\n");
}

TEST(RenderTest, ClipsALongLineAroundTheCaret) {
  const std::string line = std::string(500, 'a') + "WORD" + std::string(500, 'b');
  const auto lines = lines_of(render(at({"a", 7, 501, 4}, line)));
  EXPECT_LE(display_width(lines[1]), 80);
  EXPECT_NE(lines[1].find("aWORDb"), std::string::npos);
  EXPECT_TRUE(lines[1].starts_with(" 7 | …a"));
  EXPECT_TRUE(lines[1].ends_with("b…"));
  // "…" is three bytes but one column.
  EXPECT_EQ(lines[2].find("^^^^") + 2, lines[1].find("WORD"));
}

TEST(RenderTest, ClipsOnlyTheSideThatIsTooLong) {
  const auto front = lines_of(render(at({"a", 7, 1, 4}, "WORD" + std::string(500, 'b'))));
  EXPECT_TRUE(front[1].starts_with(" 7 | WORDb"));
  EXPECT_EQ(front[2], "   | ^^^^");
  const auto back = lines_of(render(at({"a", 7, 501, 4}, std::string(500, 'a') + "WORD")));
  EXPECT_TRUE(back[1].ends_with("aWORD"));
}

TEST(RenderTest, StaysWithin80ColumnsForAnyCaretAndAnyText) {
  const std::vector<std::string> texts{std::string(300, 'x'), std::string(60, '\t'), [] {
                                         std::string wide;
                                         for (int i = 0; i < 100; ++i) wide += "漢";
                                         return wide;
                                       }()};
  for (const std::string& text : texts) {
    for (std::uint32_t column = 1; column < 320; column += 7) {
      for (const std::string& line : lines_of(render(at({"a", 12, column, 9}, text)))) {
        ASSERT_LE(display_width(line), 80) << column;
      }
    }
  }
}

TEST(RenderTest, SurvivesACaretPastTheEndAndAHugeLine) {
  EXPECT_EQ(lines_of(render(at({"a", 1, 9, 5}, "gpu")))[2], "   |    ^");
  const std::string rendered = render(at({"a", 1, 4'000'000, 1}, std::string(8'000'000, 'x')));
  EXPECT_LT(rendered.size(), 500U);
}

TEST(RenderTest, CutsAMessageThatQuotesAWholeFile) {
  const Error error{.code = 501, .message = std::string(100'000, 'x')};
  EXPECT_LT(render(error).size(), 1100U);
}

TEST(RenderDiagnosticsTest, OrdersByPlaceWithABlankLineBetween) {
  Diagnostics diagnostics;
  diagnostics.add(Error{.code = 2, .message = "second", .where = {"a.yaml", 9, 1, 1}});
  diagnostics.add(Error{.code = 1, .message = "first", .where = {"a.yaml", 2, 5, 1}});
  EXPECT_EQ(render(diagnostics),
            "a.yaml:2:5: error[LF001]: first\n\na.yaml:9:1: error[LF002]: second\n");
}

TEST(RenderDiagnosticsTest, CountsWhatIsPastTheFirstFifty) {
  Diagnostics diagnostics;
  for (int i = 0; i < 50; ++i) diagnostics.add(Error{.code = 502, .message = "x"});
  EXPECT_EQ(render(diagnostics).find("more"), std::string::npos);
  diagnostics.add(Error{.code = 502, .message = "x"});
  EXPECT_TRUE(render(diagnostics).ends_with("\n\n… and 1 more error\n"));
  diagnostics.add(Error{.code = 502, .message = "x"});
  EXPECT_TRUE(render(diagnostics).ends_with("\n\n… and 2 more errors\n"));
}

}  // namespace
}  // namespace loadfactor
