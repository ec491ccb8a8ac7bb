#include "web/yaml_text.h"

#include <algorithm>
#include <variant>

#include "report/describe/tree.h"

namespace loadfactor::web {
namespace {

// Whether YAML reads the word as itself, a text.
bool is_plain(const std::string& text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !is_letter(text.front())) return false;
  for (const std::string_view word : {"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
    if (text.size() == word.size() && std::equal(text.begin(), text.end(), word.begin(),
                                                 [](char a, char b) { return (a | ' ') == b; }))
      return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '/';
  });
}

std::string scalar(const Value& value) {
  if (const auto* text = value.text(); text != nullptr && is_plain(*text)) return *text;
  std::string text = report::print_compact_json(value);  // Which is YAML, too.
  // Some read a number as such only where it has a point.
  const bool is_number = std::holds_alternative<double>(value.data);
  if (const auto mark = text.find('e');
      is_number && mark != std::string::npos && text.find('.') == std::string::npos)
    text.insert(mark, ".0");
  return text;
}

bool is_leaf(const Value& value) {
  const auto* list = value.list();
  const auto* object = value.object();
  return (list == nullptr && object == nullptr) || (list != nullptr && list->empty()) ||
         (object != nullptr && object->empty());
}

void write(const Value& value, int depth, std::string& out);

void write_member(const std::string& key, const Value& value, int depth, std::string& out) {
  out += is_plain(key) ? key : report::print_compact_json(Value(key));
  out += ':';
  if (is_leaf(value)) {
    out += " " + scalar(value) + "\n";
    return;
  }
  out += '\n';
  write(value, depth + 1, out);
}

void write(const Value& value, int depth, std::string& out) {
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  if (const auto* list = value.list()) {
    for (const Value& item : *list) {
      if (is_leaf(item)) {
        out += indent + "- " + scalar(item) + "\n";
      } else {
        out += indent + "-\n";
        write(item, depth + 1, out);
      }
    }
    return;
  }
  if (value.object() == nullptr) {
    out += indent + scalar(value) + "\n";
    return;
  }
  for (const Member& member : *value.object()) {
    out += indent;
    write_member(member.key, member.value, depth, out);
  }
}

}  // namespace

std::string yaml_text(const Value& value) {
  std::string out;
  write(value, 0, out);
  return out;
}

}  // namespace loadfactor::web
