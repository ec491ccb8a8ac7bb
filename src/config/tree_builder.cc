#include "config/tree_builder.h"

#include "base/error_codes.h"

namespace loadfactor::config {

Refusal too_deep(Extent extent, const Limits& limits) {
  return {lf::kTooDeep, extent, "nested deeper than " + std::to_string(limits.depth) + " levels",
          "no file of ours needs that; is a bracket repeated?"};
}

bool TreeBuilder::expects_key() const {
  return !open_.empty() && open_.back().node.kind == NodeKind::kMap && !open_.back().has_key;
}

bool TreeBuilder::add_key(std::string key, Extent extent) {
  if (!count_node(extent)) return false;
  Container& map = open_.back();
  map.key = std::move(key);
  map.key_position = cursor_.at(extent.begin, extent.end);
  map.has_key = true;
  return true;
}

bool TreeBuilder::add_scalar(std::string value, ScalarStyle style, Extent extent) {
  if (value.size() > limits_.scalar_bytes)
    return refuse({lf::kTooLarge, extent,
                   "a text of " + std::to_string(value.size()) + " bytes; at most " +
                       std::to_string(limits_.scalar_bytes) + " are read",
                   "is a quote missing?"});
  if (!count_node(extent)) return false;
  Node node{.kind = NodeKind::kScalar, .style = style};
  node.position = cursor_.at(extent.begin, extent.end);
  node.scalar = std::move(value);
  return add(std::move(node));
}

bool TreeBuilder::add_null(Position position) {
  Node node{.kind = NodeKind::kNull};
  node.position = position;
  return count_node({}) && add(std::move(node));
}

bool TreeBuilder::open(NodeKind kind, Extent extent) {
  if (open_.size() >= static_cast<std::size_t>(limits_.depth))
    return refuse(too_deep(extent, limits_));
  if (!count_node(extent)) return false;
  Container container;
  container.node.kind = kind;
  container.node.position = cursor_.at(extent.begin, extent.end);
  container.extent = extent;
  open_.push_back(std::move(container));
  return true;
}

bool TreeBuilder::close() {
  Node node = std::move(open_.back().node);
  open_.pop_back();
  return add(std::move(node));
}

bool TreeBuilder::refuse(Refusal refusal) {
  if (!refusal_) refusal_ = std::move(refusal);
  return false;
}

bool TreeBuilder::count_node(Extent extent) {
  if (extent.end > extent.begin) last_ = extent;
  if (++nodes_ <= limits_.nodes) return true;
  return refuse({lf::kTooLarge, last_,
                 "more than " + std::to_string(limits_.nodes) + " keys and values",
                 "is this the right file?"});
}

bool TreeBuilder::add(Node node) {
  if (open_.empty()) {
    root_ = std::move(node);
    has_root_ = true;
    return true;
  }
  Container& parent = open_.back();
  if (parent.node.kind == NodeKind::kList) {
    parent.node.items.push_back(std::move(node));
  } else {
    parent.node.members.push_back({std::move(parent.key), parent.key_position, std::move(node)});
    parent.key.clear();
    parent.has_key = false;
  }
  return true;
}

}  // namespace loadfactor::config
