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

#include "loadfactor/result.h"

namespace loadfactor::config {

enum class NodeKind : std::uint8_t { kNull, kScalar, kList, kMap };

struct Node;

struct Position {
  std::uint32_t line = 0;    // From 1.
  std::uint32_t column = 0;  // From 1, in characters.
  std::uint32_t length = 1;  // Of the word as written, in characters.
};

// What a scalar was in a JSON file; in YAML a plain (unquoted) scalar is kPlain.
enum class ScalarStyle : std::uint8_t { kPlain, kQuoted, kNumber, kBoolean };

struct Member;

struct Node {
  NodeKind kind = NodeKind::kNull;
  ScalarStyle style = ScalarStyle::kPlain;
  Position position;
  std::string scalar;           // The text of a scalar, unescaped.
  std::vector<Node> items;      // Of a list.
  std::vector<Member> members;  // Of a map, in file order, duplicates kept.
};

struct Member {
  std::string key;
  Position key_position;
  Node value;
};

// How much input is believed before it is refused.
struct Limits {
  std::size_t bytes = std::size_t{64} << 20U;
  int depth = 64;
  std::size_t nodes = 4'000'000;
  std::size_t scalar_bytes = std::size_t{1} << 20U;
};

struct Document {
  std::string file;  // As the user named it.
  std::string text;
  Node root;

  // An error that points into this document, with its source line filled in (clipped when long).
  Error error(int code, Position position, std::string message, std::string hint = {}) const;
};

// Both return LF501 syntax, LF507 too deep, LF508 too large, LF509 not UTF-8 (or a NUL or
// other control byte), LF512 empty, LF516 anchor/alias/tag/several documents.
Result<Document> parse_yaml(std::string file, std::string text, const Limits& limits = {});
Result<Document> parse_json(std::string file, std::string text, const Limits& limits = {});

}  // namespace loadfactor::config
