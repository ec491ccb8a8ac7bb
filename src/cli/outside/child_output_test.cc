#include "cli/outside/child_output.h"

#include <chrono>

#include <gtest/gtest.h>

namespace loadfactor::cli {
namespace {

TEST(ChildOutput, IsReadFromBothStreams) {
  const auto done = run_child({"sh", "-c", "echo out; echo err >&2; exit 3"}, {});
  EXPECT_EQ(done.status, 3);
  EXPECT_EQ(done.out, "out\n");
  EXPECT_EQ(done.err, "err\n");
  EXPECT_FALSE(done.succeeded());
}

TEST(ChildOutput, WordsAreTakenAsTheyAre) {
  const std::string word = "$(echo no); `echo no` | 'quoted' \"twice\"";
  const auto done = run_child({"printf", "%s", word}, {});
  EXPECT_TRUE(done.succeeded());
  EXPECT_EQ(done.out, word);
}

TEST(ChildOutput, SettingsReplaceThoseOfTheEnvironment) {
  const auto done = run_child({"sh", "-c", "env | grep -c ^PATH=; echo $PATH"}, {}, {"PATH=/bin"});
  EXPECT_EQ(done.out, "1\n/bin\n");
}

TEST(ChildOutput, OfNoProgramIsMissing) {
  EXPECT_TRUE(run_child({"no-program-of-this-name"}, {}).is_missing);
}

TEST(ChildOutput, OfAProgramThatDoesNotEndIsBoundedInTime) {
  using Clock = std::chrono::steady_clock;
  for (const char* script : {"exec sleep 60", "exec > /dev/null 2>&1; exec sleep 60",
                             "while :; do echo more; sleep 0.01; done"}) {
    const auto began = Clock::now();
    const auto done = run_child({"sh", "-c", script}, {.seconds = 0.3});
    EXPECT_TRUE(done.is_too_slow) << script;
    EXPECT_FALSE(done.succeeded()) << script;
    EXPECT_LT(Clock::now() - began, std::chrono::seconds(20)) << script;
  }
}

TEST(ChildOutput, WithoutEndIsBoundedInMemory) {
  constexpr std::size_t kMost = 1 << 20;
  const auto done = run_child({"yes"}, {.seconds = 60, .bytes = kMost});
  EXPECT_TRUE(done.is_too_large);
  EXPECT_LT(done.out.size(), 2 * kMost);
}

}  // namespace
}  // namespace loadfactor::cli
