// The scenario of a plan's question, read again where its words are needed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/override.h"
#include "config/scenario.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {

// Nothing where it has errors: whoever read it first has said them.
inline std::optional<config::Scenario> scenario_of(const ServingQuestion& question) {
  Diagnostics unread;
  const auto document = config::parse_scenario(question.file, question.text, {}, unread);
  return document ? config::read_scenario(*document, unread) : std::nullopt;
}

// The same question with values of its scenario replaced. What the user wrote stays known.
inline PlanQuestion with_values(PlanQuestion question, const std::vector<std::string>& set) {
  if (!question.written) question.written = question.serving;
  question.serving.text = config::with_overrides(std::move(question.serving.text), set);
  return question;
}

}  // namespace loadfactor::engine
