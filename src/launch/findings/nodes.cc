#include "launch/findings/nodes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::launch {

using config::Node;
using config::NodeKind;

const Node* member(const Node& node, std::string_view key) {
  for (const auto& each : node.members)
    if (each.key == key) return &each.value;
  return nullptr;
}

const Node* at(const Node& node, std::string_view path) {
  const Node* here = &node;
  while (here != nullptr && !path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    here = member(*here, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return here;
}

std::string words(const Node& node, std::string_view path) {
  const Node* found = at(node, path);
  return found == nullptr ? std::string() : found->scalar;
}

Place place(const Source& source, const Node* node) {
  if (node == nullptr) return {&source};
  return {&source, node->position.line, node->position.column, node->position.length};
}

bool is_true(const Node& node, std::string_view path) {
  const std::string text = words(node, path);
  return text == "true" || text == "True";
}

void count(const Source& source, const Node& root, std::string_view path, std::string_view key,
           Findings& findings) {
  const Node* node = at(root, path);
  if (node == nullptr || node->kind == NodeKind::kNull) return;
  if (node->scalar == "auto")
    return findings.leave_open(
        key, place(source, node),
        fmt::format("{} is \"auto\", and neither arguments nor GPUs in the files say it", path));
  if (node->scalar.find("${") != std::string::npos)
    return findings.leave_open(key, place(source, node),
                               fmt::format("{} is {}, which is set elsewhere", path, node->scalar));
  if (const auto value = whole_number(plain_number(node->scalar)))
    return findings.set(key, *value, place(source, node));
  findings.error(lf::kWrongType, place(source, node),
                 fmt::format("{}: '{}' is no whole number", path, node->scalar),
                 "digits alone, or leave it out");
}

Word word(const Node& node) {
  return {
      node.scalar, node.position.line, node.position.column,
      node.scalar.find("$(") == std::string::npos && node.scalar.find("${") == std::string::npos};
}

}  // namespace loadfactor::launch
