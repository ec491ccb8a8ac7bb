#include "facade/forms/form.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "config/source_text.h"
#include "facade/files.h"

namespace loadfactor::facade {
namespace {

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

}  // namespace

Error usage(std::string message, std::string hint) {
  return {.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

std::string range_fault(const std::string& text, double value, double least, double most) {
  if (!std::isfinite(value)) return fmt::format("'{}' is no number", text);
  if (value < least && most >= std::numeric_limits<double>::max())
    return fmt::format("{} is below {}", text, least);
  if (value < least || value > most)
    return fmt::format("{} is not from {} to {}", text, least, most);
  return {};
}

Error at_option(Error error, std::string_view option, const std::string& word) {
  error.where = {.file = fmt::format("--{}", option),
                 .line = 1,
                 .column = 1,
                 .length = config::count_characters(word)};
  error.source_line = word;
  return error;
}

bool is_at_option(const Error& error, std::string_view option, std::string_view word) {
  return error.where.file == fmt::format("--{}", option) && error.source_line == word;
}

Result<std::optional<Seconds>> read_time(std::string_view option, const std::string& text) {
  if (text.empty()) return std::optional<Seconds>();
  auto time = parse_as<Dimension{.time = 1}>(text);
  if (!time) return at_option(std::move(time).error(), option, text);
  return std::optional(*time);
}

Option* Flags::find(std::string_view name) {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

bool Flags::is_given(std::string_view name) const {
  return std::any_of(options_.begin(), options_.end(),
                     [&](const Option& option) { return option.name == name && option.is_given; });
}

Option& Flags::add(std::string name, Option::Kind kind, std::string help, std::string value_name) {
  Option& option = options_.emplace_back();
  option.name = std::move(name);
  option.kind = kind;
  option.help = std::move(help);
  option.value_name = std::move(value_name);
  return option;
}

Option& Flags::flag(std::string name, bool& to, std::string help) {
  Option& option = add(std::move(name), Option::Kind::kSwitch, std::move(help), "");
  option.take = [&to](const std::string&) {
    to = true;
    return std::string();
  };
  return option;
}

Option& Flags::word(std::string name, std::string& to, std::string help, std::string value_name) {
  Option& option =
      add(std::move(name), Option::Kind::kWord, std::move(help), std::move(value_name));
  option.take = [&to](const std::string& text) {
    to = text;
    return std::string();
  };
  return option;
}

Option& Flags::words(std::string name, std::vector<std::string>& to, std::string help,
                     std::string value_name) {
  Option& option =
      add(std::move(name), Option::Kind::kWords, std::move(help), std::move(value_name));
  option.take = [&to](const std::string& text) {
    to.push_back(text);
    return std::string();
  };
  return option;
}

Option& Flags::list(std::string name, std::string help, std::string value_name,
                    std::function<std::string(const std::string&)> take) {
  Option& option =
      add(std::move(name), Option::Kind::kWords, std::move(help), std::move(value_name));
  option.take = [take = std::move(take)](const std::string& text) -> std::string {
    std::size_t from = 0;
    for (int items = 1;; ++items) {
      const std::size_t comma = text.find(',', from);
      const std::size_t length = comma == std::string::npos ? comma : comma - from;
      const std::string item = trimmed(text.substr(from, length));
      if (item.empty())
        return fmt::format("item {} of '{}' is empty: write values with one comma between two",
                           items, text);
      if (std::string wrong = take(item); !wrong.empty()) return wrong;
      if (comma == std::string::npos) return {};
      from = comma + 1;
    }
  };
  return option;
}

Option& Form::output(std::string name, std::string& to, std::string help, std::string value_name,
                     Format format, std::string remark) {
  Option& option = word(std::move(name), to, std::move(help), std::move(value_name));
  option.kind = Option::Kind::kOutput;
  extras.push_back({option.name, format, &to, std::move(remark)});
  return option;
}

Option& Flags::positional(Option& option, bool required) {
  option.is_positional = true;
  option.is_required = required;
  return option;
}

bool Form::take_scenario(const std::string& name) {
  for (Option& option : options()) {
    const bool takes_files = option.is_positional && option.kind == Option::Kind::kWords;
    if (!takes_files && !option.is_scenario) continue;
    option.is_given = true;
    static_cast<void>(option.take(name));
    return true;
  }
  return false;
}

bool Form::writes(const Option& option) const {
  return std::any_of(extras.begin(), extras.end(),
                     [&](const Extra& extra) { return extra.option == option.name; });
}

Option& Form::scenario_at(std::string name, std::string help, std::string value_name,
                          bool required) {
  Option& option = word(std::move(name), path_, std::move(help), std::move(value_name));
  option.is_scenario = true;
  return positional(option, required);
}

Option& Form::scenario(std::string help, bool required) {
  set_help = kSetHelp;
  return scenario_at("scenario", std::move(help), "SCENARIO", required);
}

Option& Form::gates(std::vector<std::string>& to, std::string help) {
  return words("gate", to, std::move(help), "COMPARISON");
}

std::optional<ScenarioWithFiles> Form::read_scenario(const Reading& reading,
                                                     std::string_view verb) {
  return read_scenario_from(reading, path_, verb);
}

std::optional<ScenarioWithFiles> read_scenario_from(const Reading& reading, const std::string& path,
                                                    std::string_view verb) {
  const auto file = reading.files.open(path);
  if (!file) return reading.refuse(file.error());
  return read_scenario_at(reading, path, std::string(file->bytes), verb);
}

std::optional<ScenarioWithFiles> read_scenario_at(const Reading& reading, const std::string& path,
                                                  const std::string& text, std::string_view verb) {
  auto scenario = reading.files.parse(path, text, reading.set, reading.diagnostics);
  if (!scenario) return std::nullopt;
  ScenarioWithFiles about{*std::move(scenario), {}};
  const auto refuse = [&](const Error& fault, const config::Name& name) {
    if (fault.where.line > 0) return reading.refuse(fault);  // Inside of the file.
    Error placed = about.scenario.error(fault.code, name.position, fault.message, fault.hint);
    placed.notes = fault.notes;
    return reading.refuse(placed);
  };
  for (const NamedFile& named : files_named_by(about.scenario, verb)) {
    if (named.is_model) {
      auto files = reading.files.open_model_beside(path, named.name.value);
      if (!files) return refuse(files.error(), named.name);
      std::move(files->begin(), files->end(), std::back_inserter(about.files));
    } else {
      auto file = reading.files.open_beside(path, named.name.value);
      if (!file) return refuse(file.error(), named.name);
      about.files.push_back(*std::move(file));
    }
  }
  return about;
}

// An address may hold a secret, and is not repeated.
Result<std::shared_ptr<MetricFeed>> FileSource::connect(const std::string& /*address*/,
                                                        const ServerAccess& /*access*/) {
  return usage("no server can be asked from here", "give its answers as files");
}

}  // namespace loadfactor::facade
