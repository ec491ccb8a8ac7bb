// Questions as text: over a wire, with the scenario and files beside them, or from programs whose
// users also name files of their disk.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "facade/forms/form.h"
#include "loadfactor/engine.h"

namespace loadfactor::facade {

struct GivenQuestion {
  std::string json = "{}";  // See question_from_json.
  std::string verb;         // Where the JSON names none.
  Settings settings;
  std::string scenario_name = "scenario";  // How answers and errors call the scenario.
  std::optional<InputFile> scenario;       // Its bytes, where they do not stand in the JSON.
  std::vector<InputFile> files;            // Beside those of the JSON.
  bool may_be_scenario = false;  // An object without a key of questions is a scenario itself.
  bool reproducible = false;     // Unless the options say otherwise.
  // What `{"upload": ID}` among the files stands for; without it nothing can be named so.
  std::function<Result<InputFile>(const std::string& id)> open_upload;
  // Files that the text does not carry, and folders over the catalogue; null: there are none.
  FileSource* outside = nullptr;
};

struct AskedText {
  StyledQuestion asked;
  std::vector<std::string> overlays;  // Folders that the question wants over the catalogue.
};

// Nothing, and everything that is wrong, where it is no question.
std::optional<AskedText> read_question(const GivenQuestion& given, Diagnostics& diagnostics);

// A verb of its own that is a switch of another on the command line.
struct Alias {
  std::string_view name;
  std::string_view verb;
  std::string_view option;
};
std::span<const Alias> verb_aliases();

}  // namespace loadfactor::facade
