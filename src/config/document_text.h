// A document as YAML again: what a scenario says after values were replaced.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "config/document.h"

namespace loadfactor::config {

// Block style; comments are gone, and so are members without a value.
std::string text_of(const Node& root);

// A scenario's text with values replaced, as YAML whatever it was. Nothing if it cannot be read.
std::optional<std::string> replaced_text(const std::string& file, const std::string& text,
                                         std::span<const std::string> assignments);

}  // namespace loadfactor::config
