// The machine-readable envelope of every answer: one shape, one order of keys.
//
// nlohmann::json stays inside report/: only .cc files of this module include this header.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "loadfactor/estimate.h"

namespace loadfactor::report {

using Json = nlohmann::ordered_json;

// {"value":…,"low":…,"high":…,"unit":…,"basis":…,"source":…}.
Json quantity(const Estimate& estimate);

// The whole document, pretty-printed, ending in a newline.
std::string envelope(const std::string& verb, Json question, Json answer,
                     const std::vector<Notice>& notices, const std::vector<UsedFact>& facts);

}  // namespace loadfactor::report
