// `validate --runs`: whole pre-training runs as they were paid for.
#pragma once

#include <optional>

#include "facade/verbs.h"
#include "validation/training/shipped_training.h"

namespace loadfactor::facade {

std::optional<Answer> validate_whole_runs(const Desk& desk, const ValidateQuestion& question,
                                          const validation::ShippedTraining& shipped);

}  // namespace loadfactor::facade
