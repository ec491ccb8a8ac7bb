#pragma once

#include <string>
#include <string_view>

#include "calibrate/measurement/measurement.h"
#include "config/document.h"

namespace loadfactor::calibrate {

// The collective that a text names as nccl-tests do; empty if none.
std::string nccl_operation(std::string_view text);

// Whether the tree is what nccl-tests write with `-J`: rows of a size and a time.
bool is_nccl_json(const config::Node& root);
// LF541 where it does not say what ran, or nothing in it is right.
Result<CollectiveFile> read_nccl_json(const config::Document& document);

}  // namespace loadfactor::calibrate
