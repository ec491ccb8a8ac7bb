#include "config/source_text.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

TEST(SourceTextTest, FindsLinesWithAndWithoutCarriageReturns) {
  const std::string_view text = "one\ntwo\r\n\nfour";
  const LineIndex lines(text);
  EXPECT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines.line(text, 2), "two");
  EXPECT_EQ(lines.line(text, 3), "");
  EXPECT_EQ(lines.line(text, 4), "four");
  EXPECT_EQ(lines.line(text, 5), "");
  EXPECT_EQ(lines.line(text, 0), "");
  EXPECT_EQ(lines.line_of(0), 1U);
  EXPECT_EQ(lines.line_of(3), 1U);  // The line break belongs to its line.
  EXPECT_EQ(lines.line_of(4), 2U);
}

TEST(SourceTextTest, ACursorGivesTheSamePlacesInAnyOrder) {
  const std::string_view text = "aé\n€ b\r\nlast";
  const LineIndex lines(text);
  std::mt19937 random(7);
  PositionCursor wandering(text, lines);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t begin = random() % (text.size() + 1);
    PositionCursor fresh(text, lines);
    EXPECT_EQ(wandering.at(begin, begin + 2), fresh.at(begin, begin + 2)) << begin;
  }
}

TEST(SourceTextTest, ALengthEndsWithItsLine) {
  const std::string_view text = "ab\ncd";
  const LineIndex lines(text);
  PositionCursor cursor(text, lines);
  EXPECT_EQ(cursor.at(1, 5), (Position{1, 2, 1}));
  EXPECT_EQ(cursor.at(3, 100), (Position{2, 1, 2}));
  EXPECT_EQ(cursor.at(99, 100), (Position{2, 3, 1}));
}

int refusal(std::string text, const Limits& limits = {}) {
  const auto error = refuse_unreadable("t", text, limits);
  return error ? error->code : 0;
}

TEST(SourceTextTest, AcceptsTextOfEveryLanguage) {
  EXPECT_EQ(refusal("tab\t é € 😀 \r\n"), 0);
  EXPECT_EQ(refusal("\xEF\xBB\xBFx"), 0);
}

TEST(SourceTextTest, RefusesBrokenUtf8AndControlBytes) {
  for (const std::string_view bad : {"\x80", "\xC3", "\xC0\xAF", "\xE2\x82", "\xED\xA0\x80",
                                     "\xF5\x80\x80\x80", "\xC2\x85", "\x7F", "\x1B[0m", "a\rb"}) {
    EXPECT_EQ(refusal("x" + std::string(bad)), lf::kBadEncoding);
  }
}

TEST(SourceTextTest, RefusesTooMuchAndNothing) {
  EXPECT_EQ(refusal("12345", {.bytes = 4}), lf::kTooLarge);
  EXPECT_EQ(refusal(" \n\t"), lf::kEmptyFile);
}

}  // namespace
}  // namespace loadfactor::config
