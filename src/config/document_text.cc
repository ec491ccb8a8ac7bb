#include "config/document_text.h"

#include "config/override.h"

namespace loadfactor::config {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  return out + "\"";
}

void write(const Node& node, std::size_t depth, std::string& out);

void write_members(const Node& node, std::size_t depth, std::string& out) {
  for (const auto& member : node.members) {
    if (member.value.kind == NodeKind::kNull) continue;
    out += std::string(2 * depth, ' ') + quoted(member.key) + ":";
    write(member.value, depth + 1, out);
  }
}

// What follows a key or a dash, up to and with the end of the line.
void write(const Node& node, std::size_t depth, std::string& out) {
  switch (node.kind) {
    case NodeKind::kNull:
      out += " ~\n";
      return;
    case NodeKind::kScalar:
      out += " " + (node.style == ScalarStyle::kQuoted ? quoted(node.scalar) : node.scalar) + "\n";
      return;
    case NodeKind::kList:
      out += node.items.empty() ? " []\n" : "\n";
      for (const auto& item : node.items) {
        out += std::string(2 * depth, ' ') + "-";
        write(item, depth + 1, out);
      }
      return;
    case NodeKind::kMap:
      out += node.members.empty() ? " {}\n" : "\n";
      write_members(node, depth, out);
      return;
  }
}

}  // namespace

std::string text_of(const Node& root) {
  std::string out;
  write_members(root, 0, out);
  return out;
}

std::optional<std::string> replaced_text(const std::string& file, const std::string& text,
                                         std::span<const std::string> assignments) {
  Diagnostics unread;
  const auto document = parse_scenario(file, text, assignments, unread);
  if (!document) return std::nullopt;
  return text_of(document->root);
}

}  // namespace loadfactor::config
