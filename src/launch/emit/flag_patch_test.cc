// The patch between two launches takes away only what runs, and says what it presumes.
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
    if (change.is_presumed) {
      all += (change.is ? "= " : "! ") + change.flag + "\n";
      continue;
    }
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
  EXPECT_EQ(patch("--save-interval 42  # the best by the goodput model\n", ""),
            "! --save-interval\n");
  EXPECT_EQ(patch("--save-interval 42  # the best by the goodput model\n",
                  "--save-interval 50  # the best by the goodput model\n"),
            "+ --save-interval 50\n");
}

TEST(FlagPatchTest, WhatNobodySaidIsPresumedWhereBothHaveIt) {
  EXPECT_EQ(
      patch("--overlap-grad-reduce  # as predicted\n",
            "--overlap-grad-reduce  # as predicted\n--overlap-param-gather  # as predicted\n"),
      "= --overlap-grad-reduce\n+ --overlap-param-gather \n");
}

}  // namespace
}  // namespace loadfactor::launch
