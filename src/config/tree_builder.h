// Grows a Node tree from the events of a parser, within limits.
//
// Each call answers whether parsing may go on; after the first refusal the tree is not used.
// A container joins its parent when it closes, so that no pointer into a growing vector is kept.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/document.h"
#include "config/source_text.h"

namespace loadfactor::config {

// The bytes [begin, end) of the text.
struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Why a text is not accepted, and where.
struct Refusal {
  int code = 0;
  Extent extent;
  std::string message;
  std::string hint;
};

// LF507 at the first bracket that is one too many.
Refusal too_deep(Extent extent, const Limits& limits);

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const LineIndex& lines, const Limits& limits)
      : cursor_(text, lines), limits_(limits) {}

  // True where the next scalar is the key of a map.
  bool expects_key() const;
  bool expects_value() const { return !open_.empty() && open_.back().has_key; }
  bool has_open() const { return !open_.empty(); }
  bool has_root() const { return has_root_; }
  // The innermost container that is still open.
  const Node& innermost() const { return open_.back().node; }
  Extent innermost_extent() const { return open_.back().extent; }
  // Where the key stands whose value is read now.
  Position key_position() const { return open_.back().key_position; }

  bool add_key(std::string key, Extent extent);
  bool add_scalar(std::string value, ScalarStyle style, Extent extent);
  bool add_null(Extent extent) { return add_null(cursor_.at(extent.begin, extent.end)); }
  bool add_null(Position position);
  bool open(NodeKind kind, Extent extent);
  bool close();

  // The next node is kept under a number, and stands once more wherever `repeat` names it.
  void keep_next(std::size_t number) { next_number_ = number; }
  bool repeat(std::size_t number, Extent extent);
  // Maps that close from now on take the keys of what `<<` names, where they have none of their
  // own.
  void merge_maps() { merges_ = true; }

  // Records the first reason and answers false.
  bool refuse(Refusal refusal);
  const std::optional<Refusal>& refusal() const { return refusal_; }

  Node take_root() { return std::move(root_); }

 private:
  struct Container {
    Node node;
    Extent extent;
    std::string key;
    Position key_position;
    bool has_key = false;
    std::size_t number = 0;  // What it is kept under; 0: it is not kept.
  };
  // What a tree adds wherever it is repeated.
  struct Size {
    std::size_t nodes = 0;
    std::size_t bytes = 0;
    std::size_t depth = 0;
  };
  struct Kept {
    Node node;
    Size size;
  };

  bool count_node(Extent extent);
  bool count_copy(const Size& size, Extent extent);
  bool add(Node node, std::size_t number);
  bool merge(Node& map);
  static Size size_of(const Node& node);

  PositionCursor cursor_;
  Limits limits_;
  std::vector<Container> open_;
  Node root_;
  bool has_root_ = false;
  std::size_t nodes_ = 0;
  std::size_t repeated_bytes_ = 0;
  std::size_t next_number_ = 0;
  bool merges_ = false;
  std::map<std::size_t, Kept> kept_;
  Extent last_;  // The last node's that has one of its own.
  std::optional<Refusal> refusal_;
};

}  // namespace loadfactor::config
