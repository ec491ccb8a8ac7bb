// Scenarios of tests, from text.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/reading/scenario_reader.h"

namespace loadfactor::config::testing {

// A scenario without errors; a test that hands in another one fails.
inline Scenario sound(const std::string& text, const std::vector<std::string>& set = {},
                      const std::string& file = "t.yaml") {
  Diagnostics diagnostics;
  auto scenario = parse_scenario(file, text, set, diagnostics);
  EXPECT_TRUE(scenario) << render(diagnostics);
  return scenario.value_or(Scenario());
}

}  // namespace loadfactor::config::testing
