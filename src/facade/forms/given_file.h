// A file of a question in JSON: its text alone, or an object where there is more to say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/ask.h"
#include "loadfactor/value.h"

namespace loadfactor::facade {

// A text, or {"text" or "base64", "shown_as", "size", "set"}: bytes that are no text are base64,
// `set` is what is replaced in a scenario. `key` is the name that it stands under.
Value value_of(const InputFile& file, const std::string& key, const std::vector<std::string>& set);

std::string to_base64(std::string_view bytes);
// Nothing where it is none.
std::optional<std::string> from_base64(std::string_view text);

// What turns a scenario as it was written and set into this one.
std::vector<config::Edit> edits_of(const config::Scenario& scenario);

}  // namespace loadfactor::facade
