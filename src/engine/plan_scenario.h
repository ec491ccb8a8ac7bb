// The scenario of a plan's question, read again where its words are needed.
#pragma once

#include <optional>

#include "config/override.h"
#include "config/scenario.h"
#include "engine/plan.h"

namespace loadfactor::engine {

// Nothing where it has errors: whoever read it first has said them.
inline std::optional<config::Scenario> scenario_of(const ServingQuestion& question) {
  Diagnostics unread;
  const auto document = config::parse_scenario(question.file, question.text, {}, unread);
  return document ? config::read_scenario(*document, unread) : std::nullopt;
}

}  // namespace loadfactor::engine
