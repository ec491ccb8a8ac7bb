// `validate` with published serving results, and with measured inference steps.
#pragma once

#include <optional>
#include <string>

#include "config/csv.h"
#include "facade/verbs.h"

namespace loadfactor::facade {

// Without rows: what is known about the constants that ship.
std::optional<Answer> validate_inference(const Desk& desk, const ValidateQuestion& question);

std::optional<Answer> validate_inference_steps(const Desk& desk, const config::CsvTable& table,
                                               const std::string& gpu);

}  // namespace loadfactor::facade
