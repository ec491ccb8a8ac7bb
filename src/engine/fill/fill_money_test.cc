// What `fill` says of money is what `cost` says of the same file.
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "engine/fill/fill.h"

namespace loadfactor::engine {
namespace {

constexpr const char* kService = R"(loadfactor: 1
name: chat
serve:
  model: llama-3.1-8b
  precision: fp8
  demand: {requests_per_second: 20, tokens_in: 1000, tokens_out: 200, shape: global-chat}
  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}
  deployment: {gpu: h100-sxm, tp: 1, replicas: 8}
hardware: [h100-sxm]
money: {options: [on-demand, own, api]}
)";

const CostOption* option_of(const CostAnswer& answer, OptionKind kind) {
  for (const auto& option : answer.options)
    if (option.kind == kind) return &option;
  return nullptr;
}

// Once by rent on demand, once by machines that are owned and pay for energy by their load.
TEST(FillMoney, TheBreakEvenHasTheIntervalThatCostDraws) {
  Diagnostics diagnostics;
  const auto engine = Core::create({}, diagnostics);
  ASSERT_TRUE(engine) << render(diagnostics);
  for (const auto& [options, kind] : {std::pair("[on-demand, own, api]", OptionKind::kOnDemand),
                                      std::pair("[own, api]", OptionKind::kOwn)}) {
    const auto scenario =
        config::testing::sound(kService, {std::string("money.options=") + options});
    FillInputs asked;
    asked.serving.scenario = scenario;
    const auto fill = fill_fleet(asked, engine->catalog(), diagnostics);
    CostInputs priced;
    priced.scenario = scenario;
    const auto cost = engine->cost(priced, diagnostics);
    ASSERT_TRUE(fill && cost) << render(diagnostics);
    ASSERT_EQ(fill->priced, kind);
    const CostOption* option = option_of(*cost, kind);
    ASSERT_TRUE(option != nullptr && option->break_even && fill->break_even);
    EXPECT_LT(fill->break_even->low(), 0.95 * fill->break_even->value());
    EXPECT_NEAR(fill->break_even->value() / option->break_even->value(), 1, 1e-6);
    EXPECT_NEAR(fill->break_even->low() / option->break_even->low(), 1, 1e-6);
    EXPECT_NEAR(fill->break_even->high() / option->break_even->high(), 1, 1e-6);
  }
}

}  // namespace
}  // namespace loadfactor::engine
