// A small run by GRPO, as tests of post-training ask for it.
#pragma once

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/method/answers.h"
#include "engine/method/method.h"
#include "engine/testing/shipped_core.h"

namespace loadfactor::engine::testing {

// Four GPUs write and four learn, unless `method` says otherwise.
inline config::Scenario grpo(const std::string& method = {}, const std::string& train = {}) {
  return config::testing::sound(
      "loadfactor: 1\nname: reasoning\ntrain:\n  model: llama-3.2-1b\n" + train +
      "  method: {kind: grpo, prompts: 8, group: 4, prompt_tokens: 100, answer_tokens: 200, "
      "steps: 100, placement: split, rollout: {gpus: 4, tp: 1}" +
      method + "}\nhardware: [h100-sxm]\nlimits: {gpus: 8}\n");
}

inline MethodAnswer answered(const config::Scenario& scenario) {
  Diagnostics diagnostics;
  const auto answer = train_by_method(shipped(), {.train = {.scenario = scenario}}, diagnostics);
  EXPECT_TRUE(answer && answer->method) << render(diagnostics);
  return answer && answer->method ? *answer->method : MethodAnswer{};
}

inline Seconds time_of(const MethodAnswer& answer, MethodPhase::Kind kind) {
  const auto found = std::find_if(answer.phases.begin(), answer.phases.end(),
                                  [kind](const MethodPhase& phase) { return phase.kind == kind; });
  return found == answer.phases.end() ? Seconds() : found->time.value();
}

inline Error refused(const config::Scenario& scenario) {
  Diagnostics diagnostics;
  EXPECT_FALSE(train_by_method(shipped(), {.train = {.scenario = scenario}}, diagnostics));
  return diagnostics.empty() ? Error{} : diagnostics.errors().front();
}

}  // namespace loadfactor::engine::testing
