#include "sweep/run/verb_form.h"

#include <fmt/format.h>

#include "config/reader.h"

namespace loadfactor::sweep {

const facade::VerbRow* row_of(const std::string& verb) {
  for (const facade::VerbRow& row : facade::verb_rows())
    if (row.name == verb) return &row;
  return nullptr;
}

namespace {

std::string no_switch(const std::string& name) {
  std::string message = fmt::format("'{}' is true or false", name);
  return message;
}

}  // namespace

std::string give(facade::Form& form, const std::string& verb, const std::string& name,
                 const std::vector<std::string>& words) {
  facade::Option* option = form.find(name);
  if (option == nullptr || option->kind == facade::Option::Kind::kOutput) {
    std::vector<std::string> names;
    for (const facade::Option& each : form.options()) names.push_back(each.name);
    const auto nearest = config::suggest(name, names);
    std::string message = fmt::format("'{}' has no option '{}'", verb, name);
    if (nearest) message += fmt::format("; did you mean '{}'?", *nearest);
    return message;
  }
  if (option->kind == facade::Option::Kind::kSwitch) {
    if (words.size() > 1 || (!words.empty() && words.front() != "true" && words.front() != "false"))
      return no_switch(name);
    if (!words.empty() && words.front() == "false") return {};
    option->is_given = true;
    return option->take("");
  }
  option->is_given = true;
  for (const std::string& word : words)
    if (std::string wrong = option->take(word); !wrong.empty()) return wrong;
  return {};
}

}  // namespace loadfactor::sweep
