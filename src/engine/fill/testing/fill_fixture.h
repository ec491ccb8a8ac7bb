// A service of one chip, and what `fill` and `serve --search` answer of it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "engine/fill/fill.h"
#include "engine/fill/sizing.h"

namespace loadfactor::engine::testing {

inline constexpr const char* kChat =
    "{requests_per_second: 20, tokens_in: 1000, tokens_out: 200, shape: global-chat}";

class FillTest : public ::testing::Test {
 protected:
  FillTest() : engine_(Core::create({}, diagnostics_)) {}

  FillInputs question(const std::string& demand, int gpus) const {
    FillInputs asked;
    asked.serving.scenario = config::testing::sound(
        "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n  demand: " + demand +
        "\n  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\nhardware: [h100-sxm]\n");
    asked.gpus = gpus;
    return asked;
  }
  std::optional<FillAnswer> fill(const std::string& demand, int gpus) {
    auto answer = fill_fleet(question(demand, gpus), engine_->catalog(), diagnostics_);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics_);
    return answer;
  }

  static ServeInputs plain_request(const FillInputs& asked) {
    ServeInputs request;
    request.scenario = asked.serving.scenario;
    return request;
  }
  static SizingInputs search_question(const FillInputs& asked) {
    SizingInputs question;
    question.serving = asked.serving;
    question.confirm = 1;
    return question;
  }

  Diagnostics diagnostics_;
  std::unique_ptr<Core> engine_;
};

}  // namespace loadfactor::engine::testing
