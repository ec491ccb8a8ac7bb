// Questions as text, for programs whose users also name files of their disk.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "facade/forms/form.h"
#include "loadfactor/engine.h"

namespace loadfactor::facade {

struct AskedText {
  StyledQuestion asked;
  std::vector<std::string> overlays;  // Folders that the question wants over the catalogue.
};

// As question_from_json. Files that the text does not carry come from outside, where there is one.
std::optional<AskedText> read_question(const std::string& text, const Settings& settings,
                                       FileSource* outside, Diagnostics& diagnostics,
                                       std::string_view verb = {});

// A verb of its own that is a switch of another on the command line.
struct Alias {
  std::string_view name;
  std::string_view verb;
  std::string_view option;
};
std::span<const Alias> verb_aliases();

}  // namespace loadfactor::facade
