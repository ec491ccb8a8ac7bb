// Answers about many workloads that other verbs than `fleet` give.
#pragma once

#include <optional>
#include <string_view>

#include "facade/verbs.h"

namespace loadfactor::facade {

// The pool that `plan` and `serve --search` size for a scenario with `serve.others`. The verb is
// `plan` or `size`.
std::optional<Answer> ask_shared_pool(const Desk& desk, std::string_view verb,
                                      const ScenarioWithFiles& about, const Settings& settings);

}  // namespace loadfactor::facade
