// A YAML or JSON file as a tree that remembers where every word stood.
//
// The two readers build the same tree. They keep duplicate keys (so that a caller can refuse
// them), refuse anchors, aliases, tags, several documents, deep nesting and oversized input,
// and never throw. yaml-cpp and nlohmann::json stop here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/source_text.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

enum class NodeKind : std::uint8_t { kNull, kScalar, kList, kMap };

// What a scalar was in a JSON file; in YAML a plain (unquoted) scalar is kPlain.
enum class ScalarStyle : std::uint8_t { kPlain, kQuoted, kNumber, kBoolean };

struct Member;

struct Node {
  NodeKind kind = NodeKind::kNull;
  ScalarStyle style = ScalarStyle::kPlain;
  Position position;
  std::string scalar;           // The text of a scalar, unescaped.
  std::vector<Node> items;      // What a list holds.
  std::vector<Member> members;  // What a map holds, in file order, duplicates kept.
};

struct Member {
  std::string key;
  Position key_position;
  Node value;
};

// The currency that a file's `money.currency` asks for.
struct Currency {
  std::string code;
  double per_usd = 1;
};

struct Document {
  std::string file;  // As the user named it.
  std::string text;
  Node root;
  LineIndex lines;
  std::vector<std::string> overrides;  // Assignments that were applied; see override.h.
  std::optional<Currency> currency;    // Amounts of money are read into it; none: US dollars.

  // An error that points into this document, with its source line filled in (clipped when long).
  Error error(int code, Position position, std::string message, std::string hint = {}) const;
};

// Both return LF501 syntax, LF507 too deep, LF508 too large, LF509 not UTF-8 (or a NUL or
// other control byte), LF512 empty, LF516 anchor/alias/tag/several documents; JSON also LF206
// for NaN and infinities and LF208 for numbers that JSON cannot write (`0x10`, `01`, `1.`).
Result<Document> parse_yaml(std::string file, std::string text, const Limits& limits = kYamlLimits);
Result<Document> parse_json(std::string file, std::string text, const Limits& limits = {});

}  // namespace loadfactor::config
