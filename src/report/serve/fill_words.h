// The parts of a fleet's answers in words.
#pragma once

#include <optional>
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
// What holds the rate of a replica: "ttft".
std::string_view binding_words(serving::RateBinding binding);
std::string relaxation_words(engine::Relaxation what);
// What replicas stand by for, as promised: "an availability of 99.9 % and deploys of 1 replica at
// once"; an availability that is not asked, zones and replicas of none are left out.
std::string promised_words(const std::optional<double>& availability, int zones, int deployed);

}  // namespace loadfactor::report
