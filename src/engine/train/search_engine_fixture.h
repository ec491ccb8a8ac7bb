// A search asked through the engine, for tests.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "engine/testing/planned.h"

namespace loadfactor {

class SearchEngineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { engine_ = &engine::testing::shipped(); }

  static SearchInputs request(const std::string& train, const std::string& rest) {
    SearchInputs out;
    out.train.scenario = config::testing::sound("loadfactor: 1\nname: t\ntrain:\n" + train + rest);
    out.keep = 10;
    return out;
  }
  static SearchAnswer search(const SearchInputs& request) {
    Diagnostics diagnostics;
    auto answer = engine_->search(request, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics);
    return answer.value_or(SearchAnswer{});
  }

  static inline const engine::Core* engine_ = nullptr;
};

inline constexpr const char* kJob =
    "  model: llama-3.1-8b\n  sequence: 4096\n  global_batch: 128\n  tokens: 1 T\n";

}  // namespace loadfactor
