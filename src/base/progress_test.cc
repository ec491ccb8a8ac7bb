#include "base/progress.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/display_width.h"

namespace loadfactor {
namespace {

using namespace loadfactor::literals;  // NOLINT(google-build-using-namespace): literals only.

// A progress whose clock is set by hand and whose writing is kept.
struct Stage {
  Seconds now = 100_s;
  std::vector<std::string> written;

  Progress progress(bool is_terminal, int width = 80) {
    return Progress({.write = [this](std::string_view text) { written.emplace_back(text); },
                     .now = [this] { return now; },
                     .is_terminal = is_terminal,
                     .width = width});
  }
};

TEST(ProgressLineTest, SaysHowFarAndHowLongStill) {
  // A quarter took 2 s, so three quarters take 6 s.
  EXPECT_EQ(progress_line({.label = "simulate", .fraction = 0.25, .detail = "2.4 M req"}, 2_s),
            "simulate  25 %  2.4 M req · 0:06 left");
  EXPECT_EQ(progress_line({.label = "search", .fraction = 0.5}, 3_s), "search  50 %  0:03 left");
}

TEST(ProgressLineTest, ForecastsNothingAtTheStartAndAtTheEnd) {
  EXPECT_EQ(progress_line({.label = "search", .fraction = 0.001}, 1_s), "search  0 %");
  EXPECT_EQ(progress_line({.label = "search", .fraction = 1.0}, 1_s), "search  100 %");
}

TEST(ProgressLineTest, SaysAHundredOnlyWhenDone) {
  EXPECT_EQ(progress_line({.label = "search", .fraction = 0.9999}, 1_s), "search  99 %  0:01 left");
  EXPECT_EQ(progress_line({.label = "search", .fraction = 7.0}, 1_s), "search  100 %");
}

TEST(ClockTextTest, ReadsLikeAClock) {
  EXPECT_EQ(clock_text(4_s), "0:04");
  EXPECT_EQ(clock_text(750_s), "12:30");
  EXPECT_EQ(clock_text(3723_s), "1:02:03");
  EXPECT_EQ(clock_text(-1 * 1_s), "0:00");
}

TEST(ProgressTest, RedrawsOneLineOnATerminalTenTimesASecondAtMost) {
  Stage stage;
  Progress progress = stage.progress(true);
  for (int i = 0; i < 100; ++i) {
    progress.update({.label = "search", .fraction = i / 100.0});
    stage.now += 10_ms;
  }
  // One second of work: drawn at the start and then every tenth of a second.
  EXPECT_EQ(stage.written.size(), 10U);
  for (const std::string& text : stage.written) {
    EXPECT_TRUE(text.starts_with("\r\x1b[K"));
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_NE(stage.written[0].substr(4), stage.written[1].substr(4));  // The spinner turns.
}

TEST(ProgressTest, LogsALineEveryTenSecondsElsewhere) {
  Stage stage;
  Progress progress = stage.progress(false);
  for (int second = 0; second <= 25; ++second) {
    progress.update({.label = "search", .fraction = second / 40.0});
    stage.now += 1_s;
  }
  ASSERT_EQ(stage.written.size(), 2U);
  EXPECT_EQ(stage.written[0], "search  25 %  0:30 left\n");
  EXPECT_EQ(stage.written[1], "search  50 %  0:20 left\n");
}

TEST(ProgressTest, LeavesNothingBehind) {
  Stage stage;
  Progress progress = stage.progress(true);
  progress.finish();
  EXPECT_TRUE(stage.written.empty());
  progress.update({.label = "search"});
  progress.finish();
  EXPECT_EQ(stage.written.back(), "\r\x1b[K");
  Stage log;
  Progress quiet = log.progress(false);
  quiet.update({.label = "search"});
  quiet.finish();
  EXPECT_TRUE(log.written.empty());
}

TEST(ProgressTest, NeverWrapsInTheTerminal) {
  Stage stage;
  Progress progress = stage.progress(true, 20);
  progress.update({.label = "simulate", .fraction = 0.3, .detail = std::string(100, 'x')});
  EXPECT_LT(display_width(stage.written[0].substr(4)), 20);
}

}  // namespace
}  // namespace loadfactor
