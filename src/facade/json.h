// JSON that no report writes: plain texts, and reading an answer back as a tree.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/value.h"

namespace loadfactor::facade {

// {"loadfactor": 1, "verb": …, "answer": {"text": …}, "notices": []}
std::string text_json(std::string_view verb, const std::string& text);

// The text must be JSON.
Value value_of_json(const std::string& text);

}  // namespace loadfactor::facade
