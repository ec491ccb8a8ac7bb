// JSON that no report writes: errors, plain texts, and reading an answer back as a tree.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/result.h"
#include "loadfactor/value.h"

namespace loadfactor::facade {

// {"loadfactor": 1, "verb": …, "answer": {"text": …}, "notices": []}
std::string text_json(std::string_view verb, const std::string& text);

// {"loadfactor": 1, "errors": [{code, message, hint, file, line, column, length, notes}]}
std::string errors_json(const Diagnostics& diagnostics);

// The text must be JSON.
Value value_of_json(const std::string& text);

}  // namespace loadfactor::facade
