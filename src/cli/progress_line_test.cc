#include "cli/progress_line.h"

#include <sstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace loadfactor::cli {
namespace {

// What stands on stderr after work of a tenth of a second.
std::string shown(bool is_terminal, bool quiet, ProgressLine::Duration patience) {
  std::ostringstream out;
  std::ostringstream err;
  Environment environment;
  environment.out = &out;
  environment.err = &err;
  environment.err_is_terminal = is_terminal;
  Session session(environment);
  session.options().quiet = quiet;
  {
    ProgressLine line(session, "planning", " (Ctrl-C stops)", patience);
    line.report(0.25);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(out.str(), "");
  return err.str();
}

constexpr ProgressLine::Duration kAtOnce{1};

TEST(ProgressLine, SaysWhatTakesLongAndIsErased) {
  const std::string text = shown(true, false, kAtOnce);
  EXPECT_NE(text.find("planning, 0 s, 25 % (Ctrl-C stops)"), text.npos) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
  EXPECT_EQ(text.find('\n'), text.npos) << "a line that scrolls cannot be erased";
}

TEST(ProgressLine, IsNotInPipes) {
  EXPECT_EQ(shown(false, false, kAtOnce), "");
}

TEST(ProgressLine, IsQuietWhenAsked) {
  EXPECT_EQ(shown(true, true, kAtOnce), "");
}

TEST(ProgressLine, WhatIsQuickShowsNone) {
  EXPECT_EQ(shown(true, false, std::chrono::seconds(60)), "");
}

}  // namespace
}  // namespace loadfactor::cli
