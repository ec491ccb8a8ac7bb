#include "launch/emit/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "launch/emit/shell_text.h"

namespace loadfactor::launch {

void Arguments::add(std::string_view name, std::string_view remark) {
  add(name, std::vector<std::string>{}, remark);
}

void Arguments::add(std::string_view name, std::string_view value, std::string_view remark) {
  add(name, std::vector<std::string>{std::string(value)}, remark);
}

void Arguments::add(std::string_view name, double value, std::string_view remark) {
  add(name, std::string_view(fmt::format("{:.10g}", value)), remark);
}

void Arguments::add(std::string_view name, const std::vector<std::string>& values,
                    std::string_view remark) {
  if (!program_.flags().empty()) {
    const auto match = program_.find(name);
    if (!match) return desk_->fault(fmt::format("{} has no {}", program_.name(), name));
    const Flag& flag = *match->flag;
    const std::string wrong = value_fault(flag, values.empty() ? "" : values.front());
    if (!wrong.empty()) return desk_->fault(fmt::format("{} {}: {}", program_.name(), name, wrong));
    if (values.size() > 1 && flag.kind != FlagKind::kList)
      return desk_->fault(fmt::format("{} {} takes one value", program_.name(), name));
  }
  arguments_.push_back({std::string(name), values, std::string(remark)});
}

void Arguments::toggle(std::string_view name, bool is_on, std::string_view remark) {
  if (is_on) return add(name, remark);
  const auto match = program_.find(name);
  if (!match) return desk_->fault(fmt::format("{} has no {}", program_.name(), name));
  for (const auto& other : match->flag->other_names)
    if (program_.find(other)->says_no) return add(other, remark);
  desk_->fault(fmt::format("{} has no name for the opposite of {}", program_.name(), name));
}

std::vector<std::string> Arguments::words() const {
  std::vector<std::string> words;
  for (const Argument& argument : arguments_) {
    words.push_back(argument.name);
    words.insert(words.end(), argument.values.begin(), argument.values.end());
  }
  return words;
}

std::string Arguments::as_rows(std::string_view indent) const {
  std::vector<std::string> rows;
  std::size_t width = 0;
  for (const Argument& argument : arguments_) {
    std::string row = std::string(indent) + argument.name;
    for (const auto& value : argument.values) row += " " + shell_word(value);
    width = std::max(width, std::min<std::size_t>(row.size(), 56));
    rows.push_back(std::move(row));
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& remark = arguments_[i].remark;
    text += remark.empty() ? rows[i] + "\n" : fmt::format("{:<{}}  # {}\n", rows[i], width, remark);
  }
  return text;
}

std::string Arguments::as_array(std::string_view name) const {
  return fmt::format("{}=(\n{})\n", name, as_rows("  "));
}

std::string Arguments::as_lines() const {
  return as_rows("");
}

}  // namespace loadfactor::launch
