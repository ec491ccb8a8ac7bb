// The parts of a fleet's answers in words.
#pragma once

#include <string>
#include <string_view>

#include "engine/fill/fill.h"
#include "engine/fill/serve_search.h"

namespace loadfactor::report {

std::string crowd_words(engine::Crowd crowd);
// What is different in a row of thresholds.
std::string change_words(const engine::ThresholdRow& row);
// How a fleet is paid: "on demand".
std::string_view way_words(OptionKind way);
std::string relaxation_words(engine::Relaxation what);

}  // namespace loadfactor::report
