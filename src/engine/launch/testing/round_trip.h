// What the law of `emit` and `read` compares: a scenario as it resolves, and as its files are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/reading/scenario_reader.h"
#include "engine/launch/launch_plan.h"
#include "engine/testing/shipped_core.h"
#include "launch/emit/emission.h"

namespace loadfactor::engine::testing {

inline std::optional<config::Scenario> parse(const std::string& text) {
  Diagnostics diagnostics;
  auto scenario = config::parse_scenario("case.yaml", text, {}, diagnostics);
  EXPECT_TRUE(scenario) << render(diagnostics) << "\n" << text;
  return scenario;
}

inline std::string read_back(const std::vector<launch::EmittedFile>& files) {
  std::vector<launch::LaunchFile> given;
  for (const auto& file : files) given.push_back({file.path, file.text});
  Diagnostics diagnostics;
  const auto reading = launch::read_launch(given, names_of(shipped().catalog()), diagnostics);
  EXPECT_TRUE(reading) << render(diagnostics);
  return reading ? reading->scenario : std::string();
}

inline std::string words(const TrainAnswer& a) {
  const TrainLayout& l = a.layout;
  return fmt::format(
      "{} on {} batch {} x {} in {}: gpus {} tp {} pp {} vp {} ends {}/{} cp {} ep {} etp {} dp {} "
      "{} group {} micro {} recompute {} schedule {} sp {} offload {} {}",
      a.model, a.accelerator, a.global_batch, a.sequence, a.precision, l.gpus, l.tp, l.pp, l.vp,
      l.first_layers, l.last_layers, l.cp, l.ep, l.etp, l.dp, l.sharding, l.shard_group,
      l.micro_batch, l.recompute, l.schedule, l.tp > 1 && l.sequence_parallel,
      fmt::join(l.offload, "+"), l.offload_layers);
}

inline std::string words(const ServeAnswer& a) {
  return fmt::format(
      "{} on {} by {} in {} kv {}: tp {} pp {} ep {} dp {} replicas {} prompts {} "
      "chunk {} sequences {}",
      a.model, a.accelerator, a.engine, a.precision, a.kv_format, a.layout.tp, a.layout.pp,
      a.layout.ep, a.layout.dp, a.layout.replicas, a.prompt_gpus, a.chunk, a.max_sequences);
}

inline std::string resolved(const config::Scenario& scenario) {
  Diagnostics diagnostics;
  std::string said;
  if (scenario.train) {
    const auto answer = shipped().train({.scenario = scenario}, diagnostics);
    said = answer ? words(*answer) : "";
  } else {
    const auto answer = shipped().serve({.scenario = scenario, .seeks_others = false}, diagnostics);
    said = answer ? words(*answer) : "";
  }
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return said;
}

}  // namespace loadfactor::engine::testing
