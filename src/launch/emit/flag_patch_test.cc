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

std::string patch(const std::string& before, const std::string& after,
                  const std::string& scenario = "") {
  std::string all;
  const auto said = said_flags(scenario);
  for (const auto& change : flag_patch(arguments(before), arguments(after), "running.yaml", said)) {
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

TEST(FlagPatchTest, WhatRunsIsTakenAwayInItsOwnSpelling) {
  const std::string running =
      "loadfactor: 1\n# flags: --save-interval 500 --recompute-activations\n"
      "# flags: --num-layers-per-virtual-pipeline-stage 5\n";
  EXPECT_EQ(patch("--save-interval 42  # best\n", "--save-interval 38  # best\n", running),
            "- --save-interval 500\n+ --save-interval 38\n");
  EXPECT_EQ(patch("--num-virtual-stages-per-pipeline-rank 2  # running.yaml:4:7\n", "", running),
            "- --num-layers-per-virtual-pipeline-stage 5\n");
  EXPECT_EQ(patch("--recompute-granularity selective  # running.yaml:4:7\n",
                  "--recompute-granularity full  # chosen\n", running),
            "- --recompute-activations \n+ --recompute-granularity full\n");
}

TEST(FlagPatchTest, AFlagIsChangedUnderTheNameThatRuns) {
  const auto engine = [](const std::string& text) {
    return std::vector<EmittedFile>{{.path = "vllm.args", .role = Role::kArguments, .text = text}};
  };
  const auto said = said_flags("# flags: -tp 4 --max-num-seqs 8 --gpu_memory_utilization 0.9\n");
  const auto changes = flag_patch(
      engine(
          "--tensor-parallel-size 4  # running.yaml:4:7\n--gpu-memory-utilization 0.9  # said\n"),
      engine("--tensor-parallel-size 2  # chosen\n--gpu-memory-utilization 0.9  # said\n"),
      "running.yaml", said);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].flag, "-tp");
  EXPECT_EQ(changes[0].before, "4");
  EXPECT_EQ(changes[0].after, "2");
}

TEST(FlagPatchTest, WhatRunsStaysWhereTheAdviceDoesNotDiffer) {
  const std::string running =
      "# flags: --rotary-base 500000 --overlap-grad-reduce --enable-prefix-caching\n";
  EXPECT_EQ(patch("--rotary-base 10000  # default\n", "--rotary-base 10000  # default\n", running),
            "");
  EXPECT_EQ(patch("--overlap-grad-reduce  # as predicted\n",
                  "--overlap-grad-reduce  # as predicted\n", running),
            "");
  EXPECT_EQ(patch("--no-enable-prefix-caching  # no hits\n",
                  "--no-enable-prefix-caching  # no hits\n", running),
            "");
}

// A run of the Trainer whose script leaves the layout in variables.
std::string trainer_patch(const std::string& micro, const std::string& recompute,
                          const std::string& scenario) {
  const auto script = [](const std::string& sequences, const std::string& layers) {
    return std::vector<EmittedFile>{
        {.path = "train.sh",
         .role = Role::kCommand,
         .text = "export LF_MICRO_BATCH=" + sequences + "  # running.yaml:4:7\n" +
                 "export LF_GLOBAL_BATCH=128  # said\nexport LF_PRECISION=bf16  # said\n" +
                 "export LF_RECOMPUTE=" + layers + "  # running.yaml:5:7\n" +
                 "export LF_SAVE_EVERY=" + sequences + "0  # best\n"}};
  };
  std::string all;
  for (const auto& change : flag_patch(script("2", "none"), script(micro, recompute),
                                       "running.yaml", said_flags(scenario))) {
    if (change.is_presumed) continue;
    if (change.was) all += "- " + change.flag + " " + change.before + "\n";
    if (change.is) all += "+ " + change.flag + " " + change.after + "\n";
  }
  return all;
}

TEST(FlagPatchTest, ATrainerIsToldInItsOwnWords) {
  EXPECT_EQ(trainer_patch("4", "full",
                          "# flags: --per_device_train_batch_size 2 --bf16 --save_steps 500\n"),
            "- --per_device_train_batch_size 2\n+ --per_device_train_batch_size 4\n"
            "- --save_steps 500\n+ --save_steps 40\n+ --gradient_checkpointing \n");
  EXPECT_EQ(trainer_patch("4", "none", "# flags: --micro_batch_size 2 --bf16\n"),
            "- --micro_batch_size 2\n+ --micro_batch_size 4\n+ --save_steps 40\n");
}

TEST(FlagPatchTest, AFileOfATrainerIsChangedByItsKeys) {
  EXPECT_EQ(trainer_patch("4", "full",
                          "# flags: per_device_train_batch_size: 2 gradient_checkpointing: false\n"
                          "# flags: save_steps: 40\n"),
            "- per_device_train_batch_size: 2\n+ per_device_train_batch_size: 4\n"
            "- gradient_checkpointing: false\n+ gradient_checkpointing: true\n");
}

TEST(FlagPatchTest, WhatDoesNotRunIsNotTakenAway) {
  EXPECT_EQ(patch("--recompute-granularity full  # running.yaml:4:7\n", "", "# flags: --bf16\n"),
            "");
}

TEST(FlagPatchTest, WhatNobodySaidIsPresumedWhereBothHaveIt) {
  EXPECT_EQ(
      patch("--overlap-grad-reduce  # as predicted\n",
            "--overlap-grad-reduce  # as predicted\n--overlap-param-gather  # as predicted\n"),
      "= --overlap-grad-reduce\n+ --overlap-param-gather \n");
}

}  // namespace
}  // namespace loadfactor::launch
