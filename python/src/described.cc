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

// Options that name a folder to write into belong to the command line.
bool is_for_programs(const facade::Form& form, const Option& option) {
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
    case Option::Kind::kWord:
    case Option::Kind::kMaybeWord:
      break;
  }
  return "word";
}

Json verb_value(std::string_view name, std::string_view help, const facade::Form& form,
                std::string_view without) {
  Json options = Json::array();
  for (const Option& option : form.options()) {
    if (option.name == without || !is_for_programs(form, option)) continue;
    options.push_back({{"name", option.name},
                       {"kind", kind_of(option)},
                       {"value_name", option.value_name},
                       {"help", option.help},
                       {"positional", option.is_positional},
                       {"required", option.is_required}});
  }
  return {{"verb", name},
          {"help", help},
          {"takes_set", !form.set_help.empty()},
          {"options", std::move(options)}};
}

}  // namespace

std::string verbs_json() {
  Json verbs = Json::array();
  for (const facade::VerbRow& row : facade::verb_rows()) {
    verbs.push_back(verb_value(row.name, row.help, *row.form(), ""));
    for (const facade::Alias& alias : facade::verb_aliases()) {
      if (alias.verb != row.name) continue;
      const auto form = row.form();
      verbs.push_back(verb_value(alias.name, form->find(alias.option)->help, *form, alias.option));
    }
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
