// The patch between two launches takes away only what runs.
#include "launch/emit/flag_patch.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::launch {
namespace {

std::vector<EmittedFile> arguments(const std::string& text) {
  return {{.path = "megatron.args", .role = Role::kArguments, .text = text}};
}

std::string patch(const std::string& before, const std::string& after) {
  std::string all;
  for (const auto& change : flag_patch(arguments(before), arguments(after), "running.yaml")) {
    if (change.was) all += "- " + change.flag + " " + change.before + "\n";
    if (change.is) all += "+ " + change.flag + " " + change.after + "\n";
  }
  return all;
}

TEST(FlagPatchTest, WhatTheScenarioSaysIsReplaced) {
  EXPECT_EQ(patch("--tp 8  # running.yaml:4:7\n", "--tp 4  # chosen\n"), "- --tp 8\n+ --tp 4\n");
  EXPECT_EQ(patch("--tp 8  # running.yaml:4:7\n", ""), "- --tp 8\n");
  EXPECT_EQ(patch("--tp 8  # running.yaml:4:7\n", "--tp 8  # chosen\n"), "");
}

TEST(FlagPatchTest, WhatNobodySaidIsNotTakenAway) {
  EXPECT_EQ(patch("--save-interval 42  # the best by the goodput model\n", ""), "");
  EXPECT_EQ(patch("--save-interval 42  # the best by the goodput model\n",
                  "--save-interval 50  # the best by the goodput model\n"),
            "+ --save-interval 50\n");
}

}  // namespace
}  // namespace loadfactor::launch
