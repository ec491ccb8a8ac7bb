#include "config/override.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/error_codes.h"

namespace loadfactor::config {
namespace {

// Between a text and the assignments behind it: a control character, which YAML and JSON refuse.
constexpr char kSeparator = '\x1e';

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

void place(Node& node, Position at, std::size_t shift) {
  node.position.line = at.line;
  node.position.column += static_cast<std::uint32_t>(shift);
  for (auto& item : node.items) place(item, at, shift);
  for (auto& member : node.members) {
    member.key_position.line = at.line;
    member.key_position.column += static_cast<std::uint32_t>(shift);
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
  const Position at{.line = kFirstOverrideLine + index,
                    .column = 1,
                    .length = static_cast<std::uint32_t>(assignment->value_at - 1)};
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

std::string with_overrides(std::string text, std::span<const std::string> assignments) {
  for (const auto& assignment : assignments) {
    text += kSeparator;
    text += assignment;
  }
  return text;
}

std::vector<std::string> overrides_in(std::string_view text) {
  std::vector<std::string> found;
  for (auto at = text.find(kSeparator); at != std::string_view::npos;) {
    const auto next = text.find(kSeparator, at + 1);
    found.emplace_back(text.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
    at = next;
  }
  return found;
}

std::optional<Document> parse_scenario(const std::string& file, const std::string& text,
                                       std::span<const std::string> assignments,
                                       Diagnostics& diagnostics) {
  const std::string plain = text.substr(0, text.find(kSeparator));
  auto document = file.ends_with(".json") ? parse_json(file, plain) : parse_yaml(file, plain);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  const auto carried = overrides_in(text);
  for (const std::span<const std::string> each : {std::span(carried), assignments}) {
    if (auto error = apply_overrides(*document, each)) {
      diagnostics.add(*std::move(error));
      return std::nullopt;
    }
  }
  return *std::move(document);
}

}  // namespace loadfactor::config
