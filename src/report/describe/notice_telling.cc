// Puts the arguments of a notice into the register's text.
#include <algorithm>
#include <iterator>

#include "report/describe/notice_register.h"

namespace loadfactor::report {
namespace {

using Arguments = std::vector<Notice::Argument>;

const Notice::Argument* find(const Arguments& arguments, std::string_view name) {
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const auto& each) { return each.name == name; });
  return found != arguments.end() ? &*found : nullptr;
}

// The text without the parts that are said only where their arguments are given.
std::string required_part(std::string_view text) {
  std::string out;
  bool is_optional = false;
  for (const char c : text) {
    if (c == '<' || c == '>') {
      is_optional = c == '<';
    } else if (!is_optional) {
      out += c;
    }
  }
  return out;
}

bool is_given(const Arguments& arguments, std::string_view text) {
  const auto names = argument_names(text);
  return std::all_of(names.begin(), names.end(),
                     [&](auto name) { return find(arguments, name) != nullptr; });
}

bool fits(std::string_view text, const Arguments& arguments) {
  const auto names = argument_names(text);
  const bool is_spoken_of = std::all_of(arguments.begin(), arguments.end(), [&](const auto& each) {
    return each.name == kSubject || std::find(names.begin(), names.end(), each.name) != names.end();
  });
  return is_spoken_of && is_given(arguments, required_part(text));
}

const NoticeText* find_text(std::span<const NoticeText> texts, const Notice& notice) {
  for (const NoticeText& row : texts)
    if (row.id == notice.id && fits(row.text, notice.arguments)) return &row;
  return nullptr;
}

// "1 row" is one of something, and "12 rows" are not.
bool is_one(std::string_view count) {
  return count == "1" || count.starts_with("1 ");
}

std::string filled_text(std::string_view text, const Arguments& arguments);

// An argument's text, or its phrases one after the other.
std::string told_argument(const Notice::Argument& argument) {
  std::string out = argument.text;
  for (const Notice& phrase : argument.phrases) {
    const NoticeText* row = find_text(phrase_texts(), phrase);
    out += (out.empty() ? "" : "; ") +
           (row != nullptr ? filled_text(row->text, phrase.arguments) : phrase.id);
  }
  return out;
}

// What stands for a place such as `name` or `name?row|rows`.
std::string filled(std::string_view place, const Arguments& arguments) {
  const std::size_t question = place.find('?');
  const std::string text = told_argument(*find(arguments, place.substr(0, question)));
  if (question == std::string_view::npos) return text;
  const std::string_view words = place.substr(question + 1);
  const std::size_t bar = words.find('|');
  return std::string(is_one(text) ? words.substr(0, bar) : words.substr(bar + 1));
}

std::string filled_text(std::string_view text, const Arguments& arguments) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find_first_of("{<");
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const bool is_part = text[open] == '<';
    const std::size_t close = text.find(is_part ? '>' : '}', open);
    const auto inside = text.substr(open + 1, close - open - 1);
    if (!is_part) {
      out += filled(inside, arguments);
    } else if (is_given(arguments, inside)) {
      out += filled_text(inside, arguments);
    }
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace

std::vector<std::string_view> argument_names(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const auto name = text.substr(open + 1, text.find_first_of("?}", open) - open - 1);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string text_of(const Notice& notice) {
  if (!notice.text.empty()) return notice.text;
  std::string out;
  if (const auto* subject = find(notice.arguments, kSubject)) out = subject->text + ": ";
  for (const auto& table : notice_texts())
    if (const NoticeText* row = find_text(table, notice))
      return out + filled_text(row->text, notice.arguments);
  const NoticeKind* kind = find_notice(notice.id);
  return out + (kind != nullptr ? std::string(kind->meaning) : notice.id);
}

Severity severity_of(const Notice& notice) {
  const NoticeKind* kind = notice.text.empty() ? find_notice(notice.id) : nullptr;
  return kind != nullptr ? std::max(kind->severity, notice.severity) : notice.severity;
}

Notice told(Notice notice) {
  notice.severity = severity_of(notice);
  notice.text = text_of(notice);
  return notice;
}

}  // namespace loadfactor::report
