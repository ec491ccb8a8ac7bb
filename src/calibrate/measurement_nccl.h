#pragma once

#include <string>
#include <string_view>

#include "calibrate/measurement.h"
#include "config/document.h"

namespace loadfactor::calibrate {

// The collective that a text names as nccl-tests do; empty if none.
std::string nccl_operation(std::string_view text);

// No points where the tree is not that of nccl-tests.
CollectiveFile read_nccl_json(const config::Node& root, const std::string& file);

}  // namespace loadfactor::calibrate
