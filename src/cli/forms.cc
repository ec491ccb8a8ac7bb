// Options of a form as flags, and nothing else: what they mean is the form's business.
#include "cli/forms.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/ask.h"
#include "cli/session/scenario_files.h"
#include "cli/session/session.h"
#include "facade/forms/form.h"

namespace loadfactor::cli {
namespace {

using facade::Form;
using facade::Option;
using Words = std::vector<std::string>;

// CLI11 tells the user what is wrong with a word.
void take(Option& option, const std::string& flag, const std::string& word) {
  option.is_given = true;
  const std::string wrong = option.take(word);
  if (!wrong.empty()) throw CLI::ValidationError(flag, wrong);
}

CLI::Option* add_flag(CLI::App& verb, Option& option) {
  const std::string flag = option.is_positional ? option.name : "--" + option.name;
  switch (option.kind) {
    case Option::Kind::kSwitch:
      return verb.add_flag_callback(
          flag, [&option, flag] { take(option, flag, ""); }, option.help);
    case Option::Kind::kWords:
      return verb
          .add_option_function<Words>(
              flag,
              [&option, flag](const Words& words) {
                for (const auto& word : words) take(option, flag, word);
              },
              option.help)
          ->allow_extra_args(option.is_positional);
    default:
      return verb.add_option_function<std::string>(
          flag, [&option, flag](const std::string& word) { take(option, flag, word); },
          option.help);
  }
}

void add_option(CLI::App& verb, Option& option) {
  CLI::Option* flag = add_flag(verb, option);
  if (option.kind != Option::Kind::kSwitch) flag->type_name(option.value_name);
  if (option.kind == Option::Kind::kMaybeWord) flag->expected(0, 1);
  if (!option.group.empty()) flag->group(option.group);
  if (!option.shown_default.empty()) flag->default_str(option.shown_default);
  flag->required(option.is_required);
}

const facade::VerbRow& row_of(std::string_view name) {
  for (const auto& row : facade::verb_rows())
    if (row.name == name) return row;
  throw std::logic_error("no form for the verb " + std::string(name));
}

}  // namespace

void add_form(CLI::App& app, Session& session, std::string_view name) {
  const facade::VerbRow& row = row_of(name);
  CLI::App* verb = app.add_subcommand(std::string(row.name), std::string(row.help));
  session.add_common_options(*verb);
  const std::shared_ptr<Form> form = row.form();
  if (form->has_comment)
    verb->get_option("--format")
        ->description("table, json, csv, md or github-comment")
        ->group("Options");
  for (Option& option : form->options())
    if (option.is_positional) add_option(*verb, option);
  if (form->takes_set) {
    add_set_option(*verb, session);
    verb->get_option("--set")->description(form->set_help);
  }
  for (Option& option : form->options())
    if (!option.is_positional) add_option(*verb, option);
  verb->callback([form, &session] { ask_and_write(session, *form); });
}

}  // namespace loadfactor::cli
