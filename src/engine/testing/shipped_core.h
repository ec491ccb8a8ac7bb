// The engine over the shipped catalogue, made once for all tests of a program.
#pragma once

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "engine/core.h"

namespace loadfactor::engine::testing {

inline std::unique_ptr<Core> engine_with(const std::vector<OverlayFile>& overlays) {
  Diagnostics diagnostics;
  auto engine = Core::create(overlays, diagnostics);
  EXPECT_TRUE(engine) << render(diagnostics);
  return engine;
}

inline const Core& shipped() {
  static const auto kEngine = engine_with({});
  return *kEngine;
}

}  // namespace loadfactor::engine::testing
