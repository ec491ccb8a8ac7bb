// Laws of steps with more answers than are simulated.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/method/method.h"

namespace loadfactor::engine {
namespace {

MethodAnswer step_of_many(const Core& core, int off_policy) {
  const auto scenario = config::testing::sound(fmt::format(
      "loadfactor: 1\nname: many\ntrain:\n  model: llama-3.1-8b\n"
      "  method: {{kind: grpo, prompts: 100000, group: 16, prompt_tokens: 100, answer_tokens: 500, "
      "off_policy: {}}}\nhardware: [h100-sxm]\nlimits: {{gpus: 16}}\n",
      off_policy));
  Diagnostics diagnostics;
  const auto answer = train_by_method(core, {.train = {.scenario = scenario}}, diagnostics);
  EXPECT_TRUE(answer && answer->method) << render(diagnostics);
  return answer && answer->method ? *answer->method : MethodAnswer{};
}

// All have the same samples, so that no sample makes leave for older answers look like a loss or a
// gain.
TEST(ManyAnswersTest, LeaveForOlderAnswersChangesNoSample) {
  Diagnostics diagnostics;
  const auto core = Core::create({}, diagnostics);
  ASSERT_TRUE(core) << render(diagnostics);
  const MethodAnswer synchronous = step_of_many(*core, 0);
  for (const int steps : {1, 8}) {
    const MethodAnswer older = step_of_many(*core, steps);
    EXPECT_LE(older.step.value(), synchronous.step.value() * (1 + 1e-9)) << steps;
    const bool alike = older.colocated && synchronous.colocated;
    EXPECT_TRUE(!alike || older.simulated_answers == synchronous.simulated_answers) << steps;
  }
}

}  // namespace
}  // namespace loadfactor::engine
