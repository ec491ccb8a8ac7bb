#include "base/display_width.h"

#include <string>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(DisplayWidthTest, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("µs ±3 …"), 7);
  EXPECT_EQ(display_width("漢字"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("🚀"), 2);
  EXPECT_EQ(display_width("▕██▏"), 4);
  EXPECT_EQ(display_width(""), 0);
}

TEST(DisplayWidthTest, CountsCharactersForColumnsOfAFile) {
  EXPECT_EQ(count_code_points("漢字e\u0301"), 4U);
  EXPECT_EQ(count_code_points("\xff\xfe"), 2U);
}

TEST(DecodeUtf8Test, ReadsBackEveryCharacter) {
  for (char32_t c = 1; c <= 0x10FFFF; c += 37) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, c);
    const CodePoint read = decode_utf8(text, 0);
    ASSERT_TRUE(read.valid);
    ASSERT_EQ(read.value, c);
    ASSERT_EQ(read.size, text.size());
  }
}

TEST(DecodeUtf8Test, RefusesWhatIsNotUtf8) {
  // A lone continuation, an overlong slash, a surrogate, past the last character, a cut sequence.
  for (const std::string text :
       {"\x80", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xE2(\xA1"}) {
    const CodePoint read = decode_utf8(text, 0);
    EXPECT_FALSE(read.valid);
    EXPECT_EQ(read.value, 0xFFFDU);
    EXPECT_EQ(read.size, 1U);
  }
}

TEST(VisibleTest, ReplacesWhatWouldChangeTheTerminalOrTheOrder) {
  EXPECT_EQ(visible("a\tb"), "a    b");
  EXPECT_EQ(visible("\x1b[31m"), "␛[31m");
  EXPECT_EQ(visible("a\nb\x7f"), "a␊b␡");
  EXPECT_EQ(visible("\u202Eevil\u2066"), "�evil�");
  EXPECT_EQ(visible("\u0085"), "�");
  EXPECT_EQ(visible("Žluťoučký kůň"), "Žluťoučký kůň");
  EXPECT_EQ(visible(std::string_view("\0", 1)), "␀");
}

TEST(PadTest, FillsToTheGivenColumns) {
  EXPECT_EQ(pad_right("漢", 4), "漢  ");
  EXPECT_EQ(pad_right("long", 2), "long");
}

}  // namespace
}  // namespace loadfactor
