#include "config/json_mistake.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct WordSlip {
  std::string_view word;
  int code;
  std::string_view message;
  std::string_view hint;
};
constexpr std::string_view kLowerCase = "write true, false or null, in lower case";
constexpr std::string_view kNoSuchNumber = "JSON has no such number";
constexpr std::string_view kLeaveOut = "leave the key out, or write null";
constexpr std::array kWordSlips{
    WordSlip{"NaN", lf::kNotFinite, kNoSuchNumber, kLeaveOut},
    WordSlip{"nan", lf::kNotFinite, kNoSuchNumber, kLeaveOut},
    WordSlip{"Infinity", lf::kNotFinite, kNoSuchNumber, kLeaveOut},
    WordSlip{"-Infinity", lf::kNotFinite, kNoSuchNumber, kLeaveOut},
    WordSlip{"inf", lf::kNotFinite, kNoSuchNumber, kLeaveOut},
    WordSlip{"-inf", lf::kNotFinite, kNoSuchNumber, kLeaveOut},
    WordSlip{"True", lf::kSyntax, "this is Python, not JSON", kLowerCase},
    WordSlip{"False", lf::kSyntax, "this is Python, not JSON", kLowerCase},
    WordSlip{"None", lf::kSyntax, "this is Python, not JSON", kLowerCase},
};

Refusal explain_end(std::string_view text, const TreeBuilder& builder) {
  const std::size_t last = text.find_last_not_of(kJsonBlanks);
  const std::size_t place = last == std::string_view::npos ? 0 : last;
  std::string message = "the file ends too early";
  if (builder.has_open()) {
    const bool is_map = builder.innermost().kind == NodeKind::kMap;
    message += std::string(": the '") + (is_map ? "{" : "[") + "' of line " +
               std::to_string(builder.innermost().position.line) + " is not closed";
  }
  return {lf::kSyntax, {place, place + 1}, message, "is the file complete?"};
}

Refusal explain_text(std::string_view text, std::size_t begin) {
  const auto end = end_of_json_text(text, begin);
  const std::size_t line_end = std::min(text.find('\n', begin), text.size());
  if (!end || line_end < *end)
    return {lf::kSyntax,
            {begin, line_end},
            "this text is not closed on its line",
            "close the quote; write a line break as \\n"};
  return {lf::kSyntax,
          {begin, *end},
          "this text holds an escape that JSON does not know",
          "write '\\\\' for a backslash; \\u takes four hexadecimal digits"};
}

// What stands between the last token and the next one: blanks, commas and colons.
struct Gap {
  int commas = 0;
  int colons = 0;
  std::size_t last_separator = 0;
};
Gap gap_between(std::string_view text, std::size_t from, std::size_t to) {
  Gap gap;
  for (std::size_t i = from; i < to; ++i) {
    if (text[i] == ',') ++gap.commas;
    if (text[i] == ':') ++gap.colons;
    if (text[i] == ',' || text[i] == ':') gap.last_separator = i;
  }
  return gap;
}

bool is_container_started(const TreeBuilder& builder) {
  return !builder.innermost().items.empty() || !builder.innermost().members.empty();
}

bool starts_value(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("\"{[-").find(c) != std::string_view::npos;
}

// After a key: the colon or the value that is not there.
std::optional<Refusal> explain_missing_value(std::size_t begin, const Gap& gap, bool closes) {
  const Extent here{begin, begin + 1};
  if (gap.colons == 0) return Refusal{lf::kSyntax, here, "a ':' is missing after the key", ""};
  if (closes) return Refusal{lf::kSyntax, here, "a value is missing after the ':'", ""};
  return std::nullopt;
}

// A separator that is missing, doubled or trailing, if that is the mistake.
std::optional<Refusal> explain_separator(std::string_view text, std::size_t cursor,
                                         std::size_t begin, const TreeBuilder& builder) {
  const Gap gap = gap_between(text, cursor, begin);
  const Extent separator{gap.last_separator, gap.last_separator + 1};
  const bool closes = text[begin] == ']' || text[begin] == '}';
  const bool lonely_comma =
      gap.commas > 0 && (builder.expects_value() || !is_container_started(builder));
  if (gap.commas + gap.colons > 1 || lonely_comma)
    return Refusal{lf::kSyntax, separator, "a value is missing before this separator", ""};
  if (gap.commas > 0 && closes)
    return Refusal{lf::kSyntax, separator, "a comma before a closing bracket", "remove the comma"};
  if (gap.colons > 0 && !builder.expects_value())
    return Refusal{lf::kSyntax, separator, "a ':' is not allowed here", ""};
  if (builder.expects_value()) return explain_missing_value(begin, gap, closes);
  if (gap.commas == 0 && is_container_started(builder) && starts_value(text[begin]))
    return Refusal{lf::kSyntax,
                   {begin, begin + 1},
                   "a ',' is missing before this",
                   is_letter(text[begin]) ? "put a value with a unit in double quotes" : ""};
  return std::nullopt;
}

Refusal explain_token(std::string_view text, std::size_t begin, const TreeBuilder& builder) {
  const char first = text[begin];
  if (first == '"') return explain_text(text, begin);
  if (first == ']' || first == '}')
    return {lf::kSyntax, {begin, begin + 1}, "this bracket does not fit the one it closes", ""};
  if (builder.expects_key() && (first == '[' || first == '{'))
    return {lf::kSyntax, {begin, begin + 1}, "a key must be a quoted text", ""};
  const std::size_t end = std::min(text.find_first_of(kJsonAfterWord, begin + 1), text.size());
  if (builder.expects_key() && is_digit(first))
    return {lf::kSyntax, {begin, end}, "a key must be a quoted text", "put it in double quotes"};
  return explain_json_word(text, {begin, end});
}

}  // namespace

std::optional<std::size_t> end_of_json_text(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return std::nullopt;
}

Refusal explain_json_word(std::string_view text, Extent extent) {
  const std::string_view word = text.substr(extent.begin, extent.end - extent.begin);
  for (const WordSlip& slip : kWordSlips) {
    if (word == slip.word)
      return {slip.code, extent, std::string(slip.message), std::string(slip.hint)};
  }
  const std::string shown(word.substr(0, 40));
  if (is_digit(word[0]) || word[0] == '-' || word[0] == '+' || word[0] == '.')
    return {lf::kNotANumber, extent, "'" + shown + "' is not a number in JSON",
            "write 10, 0.5 or 1e3; put a value with a unit in double quotes"};
  if (word[0] == '/' || word[0] == '#')
    return {lf::kSyntax, extent, "JSON has no comments", "remove it"};
  if (word[0] == '\'')
    return {lf::kSyntax, extent, "single quotes are not JSON", "use double quotes"};
  if (is_letter(word[0]))
    return {lf::kSyntax, extent, "'" + shown + "' is not quoted", "put it in double quotes"};
  return {lf::kSyntax, extent, "'" + shown + "' is not allowed here", ""};
}

Refusal find_json_mistake(std::string_view text, std::size_t cursor, const TreeBuilder& builder,
                          bool overflow) {
  const std::size_t begin = text.find_first_not_of(kJsonBetween, cursor);
  if (begin == std::string_view::npos) return explain_end(text, builder);
  if (overflow) {
    const std::size_t end = std::min(text.find_first_of(kJsonAfterWord, begin), text.size());
    return {lf::kNotFinite, {begin, end}, "this number is too large to be held", ""};
  }
  const bool is_comment = text[begin] == '/' || text[begin] == '#';
  if (builder.has_root() && !is_comment)
    return {lf::kSyntax, {begin, begin + 1}, "the JSON value ended before this", ""};
  if (builder.has_open() && !is_comment) {
    if (auto refusal = explain_separator(text, cursor, begin, builder)) return *refusal;
  }
  return explain_token(text, begin, builder);
}

}  // namespace loadfactor::config
