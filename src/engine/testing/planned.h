// Plans of the shipped scenarios, for tests.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/plan/plan.h"
#include "engine/testing/shipped_core.h"

namespace loadfactor::engine::testing {

// `chatbot-spiky`, with or without its suffix.
inline std::string scenario(std::string name) {
  if (!name.ends_with(".yaml")) name += ".yaml";
  std::stringstream text;
  text << std::ifstream(std::string(LF_SOURCE_DIR) + "/data/scenarios/" + name).rdbuf();
  return text.str();
}

// Few draws and no simulation: what is asked is whether answers hang together.
inline PlanInputs asked(const std::string& text, const std::vector<std::string>& set = {}) {
  PlanInputs question;
  question.serving.scenario = config::testing::sound(text, set, "a.yaml");
  question.today = "2026-11-15";
  question.draws = 256;
  question.confirm = 0;
  return question;
}

inline PlanAnswer planned(const PlanInputs& question, const Core& engine = shipped()) {
  Diagnostics diagnostics;
  auto answer = make_plan(engine, question, diagnostics);
  EXPECT_TRUE(answer) << render(diagnostics);
  return answer.value_or(PlanAnswer());
}

inline PlanAnswer plan(const std::string& text, const std::vector<std::string>& set = {}) {
  return planned(asked(text, set));
}

// The same without levers, which laws over many plans do not look at.
inline PlanAnswer verdict(const std::string& text, const std::vector<std::string>& set = {},
                          const Core& engine = shipped()) {
  PlanInputs question = asked(text, set);
  question.levers = false;
  return planned(question, engine);
}

// The first of a kind, or nothing.
template <typename Detail>
const Detail* lever(const PlanAnswer& answer) {
  for (const auto& each : answer.levers)
    if (const auto* found = std::get_if<Detail>(&each.detail)) return found;
  return nullptr;
}

inline const Notice* notice(const PlanAnswer& answer, const std::string& id) {
  for (const auto& each : answer.notices)
    if (each.id == id) return &each;
  return nullptr;
}

inline std::string argument(const Notice& notice, const std::string& name) {
  for (const auto& each : notice.arguments)
    if (each.name == name) return each.text;
  return {};
}

inline bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace loadfactor::engine::testing
