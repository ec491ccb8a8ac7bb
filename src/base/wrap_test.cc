#include "base/wrap.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/display_width.h"

namespace loadfactor {
namespace {

using Lines = std::vector<std::string>;

TEST(WrapTest, BreaksAtBlanks) {
  EXPECT_EQ(wrap("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("one two three", 100), (Lines{"one two three"}));
  EXPECT_EQ(wrap("one  two", 3), (Lines{"one", "two"}));
}

TEST(WrapTest, BreaksAWordOnlyIfItIsTooWide) {
  EXPECT_EQ(wrap("a abcdef b", 4), (Lines{"a", "abcd", "ef b"}));
  EXPECT_EQ(wrap("漢字漢", 4), (Lines{"漢字", "漢"}));
  EXPECT_EQ(wrap("漢字", 1), (Lines{"漢", "字"}));
}

TEST(WrapTest, KeepsLineBreaks) {
  EXPECT_EQ(wrap("one\ntwo\n\nthree", 80), (Lines{"one", "two", "", "three"}));
}

TEST(WrapTest, KeepsTheBlanksOfALineThatFits) {
  EXPECT_EQ(wrap("  ├─ GPU  rent", 20), Lines{"  ├─ GPU  rent"});
}

TEST(WrapTest, AnEmptyTextIsOneEmptyLine) {
  EXPECT_EQ(wrap("", 10), Lines{""});
}

TEST(WrapTest, NeverExceedsTheWidthAndLosesNothing) {
  const std::string text = "fp8 linears + bf16 embeddings and head, exact from config.json µs 漢字";
  for (int width = 2; width < 90; ++width) {
    std::string joined;
    for (const std::string& line : wrap(text, width)) {
      EXPECT_LE(display_width(line), width);
      joined += line;
    }
    std::erase(joined, ' ');
    std::string plain = text;
    std::erase(plain, ' ');
    EXPECT_EQ(joined, plain);
  }
}

TEST(WidestWordTest, IsTheLeastWidthWithoutBreakingWords) {
  EXPECT_EQ(widest_word("a abc\nab"), 3);
  EXPECT_EQ(widest_word("漢字 abc"), 4);
  EXPECT_EQ(widest_word(""), 0);
}

TEST(WrapTest, ANumberAndItsSignStayTogether) {
  EXPECT_EQ(wrap("it is 19.9 % full", 10), (std::vector<std::string>{"it is", "19.9 %", "full"}));
  EXPECT_EQ(wrap("it is 19.9 %, full", 12), (std::vector<std::string>{"it is", "19.9 %, full"}));
}

}  // namespace
}  // namespace loadfactor
