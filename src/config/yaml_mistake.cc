#include "config/yaml_mistake.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

constexpr std::string_view kMissingColonHint = "write 'key: value'";

struct Wording {
  std::string_view theirs;
  std::string_view ours;
  std::string_view hint;
};

// yaml-cpp's words for what a person sees.
constexpr std::array kWordings{
    Wording{"illegal map value", "a ':' is not allowed here",
            "check the indentation of this line; quote text that holds ': '"},
    Wording{"end of map not found", "this does not line up with the lines before it",
            "keys of one map start in the same column; quote text with odd characters"},
    Wording{"end of sequence not found", "this does not line up with the list before it",
            "items of one list start with '- ' in the same column"},
    Wording{"illegal block entry", "a list item ('- ') is not allowed here",
            "start the list on its own line, or write it as [a, b]"},
    Wording{"illegal map key", "a key is not allowed here", "check the indentation of this line"},
    Wording{"illegal flow end", "this bracket closes nothing", "remove it, or open it first"},
    Wording{"illegal EOF in scalar", "the file ends inside a quoted text", "close the quote"},
    Wording{"illegal document indicator in scalar", "a '---' stands inside a quoted text",
            "close the quote"},
    Wording{"unknown token", "a value cannot start with this character", "put it in quotes"},
    Wording{"unknown escape character", "this escape is not known",
            "write '\\\\' for a backslash, or use single quotes"},
};

std::size_t line_start(std::string_view text, std::size_t offset) {
  return offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
}

// The first byte of the line at `start` that is not a space.
std::size_t indent_end(std::string_view text, std::size_t start) {
  return std::min(text.find_first_not_of(' ', start), text.size());
}

// A line as deep as this one, just above it and without a colon: the key that lost it.
std::optional<Extent> line_without_colon(std::string_view text, std::size_t offset) {
  const std::size_t start = line_start(text, offset);
  if (start == 0) return std::nullopt;
  const std::size_t above = line_start(text, start - 1);
  const Extent line{indent_end(text, above), start - 1};
  const bool level = line.begin - above == indent_end(text, start) - start;
  if (!level || line.begin >= line.end) return std::nullopt;
  const std::string_view words = text.substr(line.begin, line.end - line.begin);
  const bool is_key = words.find(':') == words.npos && words[0] != '#' && words[0] != '-';
  return is_key ? std::optional(line) : std::nullopt;
}

}  // namespace

Extent yaml_word(std::string_view text, std::size_t begin) {
  return {begin, std::min(text.find_first_of(" \t\r\n,]}", begin), text.size())};
}

Refusal refuse_alias(std::string_view text, std::size_t begin) {
  return {lf::kAnchorRefused, yaml_word(text, begin), "aliases ('*name') are not read",
          "write the value out; quote it if it is meant as text"};
}

Refusal find_yaml_mistake(std::string_view text, std::size_t offset, std::string_view complaint,
                          const TreeBuilder& builder) {
  const std::size_t begin = std::min(offset, text.size());
  const std::size_t first = indent_end(text, line_start(text, begin));
  if (first < text.size() && text[first] == '\t' && first <= begin)
    return {lf::kSyntax, {first, first + 1}, "a tab is used for indentation", "indent with spaces"};
  if (begin < text.size() && text[begin] == '*') return refuse_alias(text, begin);
  if (complaint.find("flow not found") != complaint.npos && builder.has_open())
    return {lf::kSyntax, builder.innermost_extent(), "this bracket is never closed",
            "close it; quote text that begins with '[' or '{'"};
  if (complaint == "end of map not found" && first < begin)
    return {lf::kSyntax,
            {begin, begin + 1},
            "this does not belong behind the value",
            "quote text with odd characters; start a comment with ' #'"};
  if (complaint == "illegal map value") {
    if (const auto line = line_without_colon(text, begin))
      return {lf::kSyntax, *line, "there is no ':' after this key", std::string(kMissingColonHint)};
  }
  for (const Wording& wording : kWordings) {
    if (complaint.find(wording.theirs) == complaint.npos) continue;
    return {lf::kSyntax, {begin, begin + 1}, std::string(wording.ours), std::string(wording.hint)};
  }
  return {lf::kSyntax, {begin, begin + 1}, std::string(complaint), ""};
}

}  // namespace loadfactor::config
