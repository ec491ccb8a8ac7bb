// The one door: a question in, an answer out, or everything that is wrong.
#pragma once

#include <optional>

#include "loadfactor/answer.h"
#include "loadfactor/engine.h"
#include "loadfactor/progress.h"

namespace loadfactor::facade {

std::optional<Answer> answer_to(const Engine& engine, const Question& question,
                                const Progress& progress, Diagnostics& diagnostics);

}  // namespace loadfactor::facade
