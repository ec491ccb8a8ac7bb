#include "described.h"

#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "facade/forms/read_question.h"

namespace loadfactor::python {
namespace {

using Json = nlohmann::ordered_json;
using facade::Option;

// Options that name a folder to write into belong to the command line, and a switch that makes
// another question of it is a function of its own.
bool is_for_programs(std::string_view verb, const facade::Form& form, const Option& option) {
  for (const facade::Alias& alias : facade::verb_aliases())
    if (alias.verb == verb && alias.option == option.name) return false;
  if (option.kind == Option::Kind::kOutput) return form.writes(option);
  return option.value_name != "DIR";
}

const char* kind_of(const Option& option) {
  switch (option.kind) {
    case Option::Kind::kSwitch:
    case Option::Kind::kOutput:
      return "switch";
    case Option::Kind::kWords:
      return "words";
    case Option::Kind::kMaybeWord:
      return "maybe";
    case Option::Kind::kWord:
      break;
  }
  return "word";
}

// `row` is the verb of the command line, and `name` that of the façade.
Json verb_value(const facade::VerbRow& row, std::string_view name, std::string_view help) {
  const auto form = row.form();
  Json options = Json::array();
  for (const Option& option : form->options()) {
    if (!is_for_programs(row.name, *form, option)) continue;
    options.push_back({{"name", option.name},
                       {"kind", kind_of(option)},
                       {"value_name", option.value_name},
                       {"help", option.help},
                       {"positional", option.is_positional},
                       {"required", option.is_required}});
  }
  return {{"verb", name},
          {"help", help},
          {"takes_set", !form->set_help.empty()},
          {"options", std::move(options)}};
}

}  // namespace

std::string verbs_json() {
  Json verbs = Json::array();
  for (const facade::VerbRow& row : facade::verb_rows()) {
    verbs.push_back(verb_value(row, row.name, row.help));
    for (const facade::Alias& alias : facade::verb_aliases())
      if (alias.verb == row.name)
        verbs.push_back(verb_value(row, alias.name, row.form()->find(alias.option)->help));
  }
  return verbs.dump();
}

std::optional<UnitInBase> unit_in_base(const std::string& unit) {
  const UnitExpression parsed = parse_unit(unit);
  if (parsed.error) return std::nullopt;
  const UnitScale& scale = parsed.unit.scale;
  const Dimension& of = parsed.unit.dimension;
  return UnitInBase{std::pow(10.0, scale.exponent) * scale.factor / scale.divisor,
                    {of.time, of.data, of.work, of.energy, of.money, of.token, of.gpu}};
}

}  // namespace loadfactor::python
