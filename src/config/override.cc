#include "config/override.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/error_codes.h"
#include "config/currency.h"

namespace loadfactor::config {
namespace {

struct Assignment {
  std::string text;
  std::vector<std::string> path;
  std::string value;
  std::size_t value_at = 0;  // Where the value begins, in characters from 0.
};

Error refuse(const std::string& text, std::string message) {
  return Error{.code = lf::kBadOverride,
               .message = std::move(message),
               .hint = "write a path and a value: money.electricity='0.1 USD/kWh'",
               .where = {.file = "--set", .line = 1, .column = 1, .length = count_characters(text)},
               .source_line = text};
}

Result<Assignment> parse_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return refuse(text, "there is no '=' in '" + text + "'");
  if (text.find('\n') != std::string::npos)
    return refuse(text, "a value to set is written on one line");
  Assignment result{.text = text, .path = {}, .value = text.substr(equals + 1)};
  result.value_at = count_characters(text.substr(0, equals + 1));
  std::size_t begin = 0;
  while (begin <= equals) {
    const std::size_t end = std::min(text.find('.', begin), equals);
    std::string key = text.substr(begin, end - begin);
    if (key.empty()) return refuse(text, "the path has an empty part");
    result.path.push_back(std::move(key));
    begin = end + 1;
  }
  return result;
}

Position shifted(Position position, Position at, std::size_t shift) {
  position.line = at.line;
  position.column += static_cast<std::uint32_t>(shift);
  position.giver = at.giver;
  return position;
}

void place(Node& node, Position at, std::size_t shift) {
  node.position = shifted(node.position, at, shift);
  for (auto& item : node.items) place(item, at, shift);
  for (auto& member : node.members) {
    member.key_position = shifted(member.key_position, at, shift);
    place(member.value, at, shift);
  }
}

Result<Node> value_of(const Assignment& assignment, Position at) {
  Node node;
  node.position = at;
  if (assignment.value.find_first_not_of(' ') == std::string::npos) return node;
  auto parsed = parse_yaml("--set", assignment.value);
  if (!parsed && parsed.error().code == lf::kEmptyFile) return node;  // `null` or `~`.
  if (!parsed) return refuse(assignment.text, parsed.error().message);
  node = std::move(parsed->root);
  place(node, at, assignment.value_at);
  return node;
}

// The child of that name or number; nullptr where there can be none.
Node* step(Node& node, const std::string& key, Position at) {
  if (node.kind == NodeKind::kList) {
    std::size_t index = 0;
    const auto [end, status] = std::from_chars(key.data(), key.data() + key.size(), index);
    const bool whole = status == std::errc() && end == key.data() + key.size();
    return whole && index < node.items.size() ? &node.items[index] : nullptr;
  }
  if (node.kind == NodeKind::kNull) {
    node.kind = NodeKind::kMap;
    node.position = at;
  }
  if (node.kind != NodeKind::kMap) return nullptr;
  for (auto& member : node.members) {
    if (member.key == key) return &member.value;
  }
  Node missing;
  missing.position = at;
  node.members.push_back({key, at, std::move(missing)});
  return &node.members.back().value;
}

std::optional<Error> apply(Document& document, const std::string& text, std::uint32_t index) {
  auto assignment = parse_assignment(text);
  if (!assignment) return std::move(assignment).error();
  const Position at{.line = 1 + index,
                    .column = 1,
                    .length = static_cast<std::uint32_t>(assignment->value_at - 1),
                    .giver = Giver::kSet};
  auto value = value_of(*assignment, at);
  if (!value) return std::move(value).error();
  Node* node = &document.root;
  for (const auto& key : assignment->path) {
    node = step(*node, key, at);
    if (node == nullptr) return refuse(text, "the scenario has no place '" + key + "' there");
  }
  *node = *std::move(value);
  return std::nullopt;
}

}  // namespace

std::optional<Error> apply_overrides(Document& document, std::span<const std::string> assignments) {
  for (const auto& assignment : assignments) {
    const auto index = static_cast<std::uint32_t>(document.overrides.size());
    document.overrides.push_back(assignment);
    if (auto error = apply(document, assignment, index)) return error;
  }
  return std::nullopt;
}

Result<Document> parse_overridden(const std::string& file, const std::string& text,
                                  std::span<const std::string> assignments) {
  TRY(Document document, file.ends_with(".json") ? parse_json(file, text) : parse_yaml(file, text));
  if (auto error = apply_overrides(document, assignments)) return *std::move(error);
  document.currency = currency_of(document.root);
  return document;
}

}  // namespace loadfactor::config
