// The law of `emit` and `read` over the scenarios that are shipped, each with every target whose
// files `read` reads: what comes back resolves to the same.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "engine/launch/launch_plan.h"
#include "engine/launch/testing/round_trip.h"
#include "engine/testing/shipped_core.h"
#include "launch/emit/emission.h"

namespace loadfactor::engine {
namespace {

// Bills, proxies and what watches a launch start nothing that could be read.
bool is_read(std::string_view target) {
  constexpr std::string_view kOthers[] = {"litellm", "prometheus", "prometheus-rules",
                                          "grafana", "focus",      "infracost"};
  return std::find(std::begin(kOthers), std::end(kOthers), target) == std::end(kOthers);
}

std::vector<std::filesystem::path> shipped_files() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(LF_SOURCE_DIR) / "data" / "scenarios";
  for (const auto& each : std::filesystem::directory_iterator(folder))
    if (each.path().extension() == ".yaml") files.push_back(each.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  int emitted = 0;
  int refused = 0;  // With the key that the target cannot express.
};

// One scenario and one target.
void keep_law(const std::string& name, const config::Scenario& scenario, const std::string& target,
              Outcome& outcome) {
  Diagnostics diagnostics;
  const auto plan =
      make_launch_plan(testing::shipped(), {.scenario = scenario, .target = target}, diagnostics);
  const auto files = plan ? launch::emit(target, *plan, diagnostics) : std::nullopt;
  if (!files) {
    EXPECT_FALSE(diagnostics.empty()) << name << " as " << target;
    ++outcome.refused;
    return;
  }
  ++outcome.emitted;
  const std::string read = testing::read_back(*files);
  const auto again = read.empty() ? std::nullopt : testing::parse(read);
  if (!again) return;
  EXPECT_EQ(testing::resolved(*again), testing::resolved(plan->scenario))
      << name << " as " << target << "\n"
      << read;
}

TEST(ShippedRoundtripTest, WhatIsShippedReadsAsItWasEmittedByEveryTarget) {
  std::map<std::string, Outcome> outcomes;
  for (const auto& path : shipped_files()) {
    Diagnostics diagnostics;
    const auto scenario =
        config::parse_scenario(path.filename().string(), text_of(path), {}, diagnostics);
    ASSERT_TRUE(scenario) << path << render(diagnostics);
    for (const launch::TargetRow& target : launch::targets())
      if (is_read(target.name))
        keep_law(path.stem().string(), *scenario, std::string(target.name),
                 outcomes[path.stem().string()]);
  }
  EXPECT_GE(outcomes.size(), 22U);
  int emitted = 0;
  for (const auto& [name, outcome] : outcomes) emitted += outcome.emitted;
  EXPECT_GE(emitted, 60);
}

}  // namespace
}  // namespace loadfactor::engine
