// What `serve --search` says of the fleet it found.
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::loadfactor;

std::string scenario() {
  std::string path = ::testing::TempDir() + "lf_sizing.yaml";
  std::ofstream(path) << "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n"
                         "  demand: {requests_per_second: 2, tokens_in: 1000, tokens_out: 200, "
                         "shape: global-chat}\n"
                         "  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\n"
                         "  deployment: {tp: 1, pp: 1}\nhardware: [h100-sxm]\n";
  return path;
}

// Lines are broken anywhere.
bool says(std::string text, const std::string& words) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text.find(words) != std::string::npos;
}

TEST(SizingTest, SparesAreSaidWithWhatTheyCostAndWhatTheDemandAloneNeeds) {
  const auto with = loadfactor(
      {"serve", scenario(), "--search", "--spares", "1", "--weeks", "1", "--confirm", "1"});
  ASSERT_EQ(with.status, 0) << with.err;
  EXPECT_TRUE(says(with.out, "1 of them spare")) << with.out;
  EXPECT_TRUE(says(with.out, "stands by for failures")) << with.out;
  EXPECT_TRUE(says(with.out, "--spares 0 leaves it out")) << with.out;
  EXPECT_TRUE(says(with.out + with.err, "+ 1 spare")) << with.out << with.err;
  const auto without = loadfactor(
      {"serve", scenario(), "--search", "--spares", "0", "--weeks", "1", "--confirm", "1"});
  ASSERT_EQ(without.status, 0) << without.err;
  EXPECT_FALSE(says(without.out, "for failures")) << without.out;
  EXPECT_TRUE(says(without.out + without.err, "+ no spare")) << without.out << without.err;
}

TEST(SizingTest, PromisesOutOfReachAreAllNamedWithWhatTheyWouldTake) {
  const auto refused =
      loadfactor({"serve", scenario(), "--set", "serve.slo={ttft_p95: 1 ms, tpot_p95: 100 us}"});
  EXPECT_EQ(refused.status, 3) << refused.err;
  EXPECT_TRUE(says(refused.err, "a first token of 1 ms is out of reach")) << refused.err;
  EXPECT_TRUE(says(refused.err, "a token of 100 µs is out of reach")) << refused.err;
  EXPECT_TRUE(says(refused.err, "raise both")) << refused.err;
}

}  // namespace
}  // namespace loadfactor::cli
