// Which flags of `serve` belong to which of its questions.
#pragma once

#include <optional>

#include <CLI/CLI.hpp>

#include "loadfactor/result.h"

namespace loadfactor::cli {

// LF603 where a flag was given that this question would not look at.
std::optional<Error> find_idle_flag(const CLI::App& verb);

}  // namespace loadfactor::cli
