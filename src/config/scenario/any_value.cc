// Values and edits as text.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "loadfactor/scenario.h"

namespace loadfactor::config {
namespace {

// The shortest text that reads back to the same bits.
std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto [end, failed] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

// As it is where no reader could take it for something else, in quotes otherwise.
std::string word_text(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '/' || c == '_' || c == '-' || c == '+';
  };
  const bool is_special = word.empty() || word == "true" || word == "false" || word == "null" ||
                          word.front() == '-' || word.front() == '.';
  if (!is_special && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

struct Printer {
  std::string operator()(Blank) const { return {}; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& word) const { return word_text(word); }
  std::string operator()(const AnyQuantity& value) const { return format_exact(value); }
  std::string operator()(const std::vector<std::string>& words) const {
    std::vector<std::string> texts;
    for (const auto& word : words) texts.push_back(word_text(word));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  std::string operator()(const std::vector<double>& numbers) const {
    std::vector<std::string> texts;
    for (const double number : numbers) texts.push_back(number_text(number));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
};

}  // namespace

std::string to_text(const AnyValue& value) {
  return std::visit(Printer(), value);
}

std::string to_set_text(const Edit& edit) {
  return edit.path + "=" + to_text(edit.value);
}

}  // namespace loadfactor::config
