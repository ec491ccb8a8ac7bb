// What a search says of narrower numbers for the engine that writes.
#include "engine/method/formats.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/method/candidates.h"

namespace loadfactor::engine {
namespace {

const Core& core_of_formats() {
  static const auto kCore = [] {
    Diagnostics diagnostics;
    return Core::create({}, diagnostics);
  }();
  return *kCore;
}

config::Scenario long_answers(const std::string& rollout, const std::string& hardware) {
  return config::testing::sound(
      "loadfactor: 1\nname: formats\ntrain:\n  model: llama-3.1-8b\n"
      "  method: {kind: grpo, prompts: 64, group: 8, prompt_tokens: 400, answer_tokens: 2000, "
      "placement: split, rollout: {gpus: 4, tp: 1" +
      rollout + "}}\n  layout: {gpus: 4}\nhardware: [" + hardware + "]\nlimits: {gpus: 8}\n");
}

std::optional<TrainAnswer> searched(const config::Scenario& scenario) {
  const SearchInputs search;
  Diagnostics diagnostics;
  auto answer = best_candidate(core_of_formats(),
                               {.train = {.scenario = scenario}, .search = &search}, diagnostics);
  EXPECT_TRUE(answer && answer->method) << render(diagnostics);
  return answer;
}

const Notice* narrower(const TrainAnswer& answer) {
  const auto found =
      std::find_if(answer.notices.begin(), answer.notices.end(),
                   [](const Notice& notice) { return notice.id == "narrower-rollout"; });
  return found == answer.notices.end() ? nullptr : &*found;
}

TEST(FormatsTest, ASearchSaysWhatNarrowerNumbersSaveAndTakesNone) {
  const auto answer = searched(long_answers("", "h100-sxm"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->method->rollout_precision, "bf16");
  const Notice* notice = narrower(*answer);
  ASSERT_NE(notice, nullptr);
  EXPECT_NE(notice->arguments.front().text.find("train.method.rollout."), std::string::npos);
}

TEST(FormatsTest, FormatsThatAreWrittenAreNotQuestioned) {
  const auto answer = searched(long_answers(", precision: fp8, kv: fp8", "h100-sxm"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->method->rollout_precision, "fp8");
  EXPECT_EQ(narrower(*answer), nullptr);
}

// What is said is what the edit gives.
TEST(FormatsTest, TheStepThatIsSaidIsThatOfTheEdit) {
  const auto usual = searched(long_answers("", "h100-sxm"));
  const auto narrow = searched(long_answers(", precision: fp8, kv: fp8", "h100-sxm"));
  ASSERT_TRUE(usual && narrow);
  EXPECT_LT(narrow->method->step.value(), usual->method->step.value());
}

TEST(FormatsTest, ASearchTakesTheBestOfTheCandidates) {
  const auto step = [](const std::string& hardware) {
    const auto answer = searched(long_answers("", hardware));
    return answer ? answer->method->step.value() : Seconds();
  };
  EXPECT_EQ(step("a100-80gb-sxm, h200-sxm"), step("h200-sxm"));
  EXPECT_LT(step("h200-sxm"), step("a100-80gb-sxm"));
}

}  // namespace
}  // namespace loadfactor::engine
