#include "config/tree_builder.h"

#include <algorithm>
#include <set>

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
  return add(std::move(node), std::exchange(next_number_, 0));
}

bool TreeBuilder::add_null(Position position) {
  Node node{.kind = NodeKind::kNull};
  node.position = position;
  return count_node({}) && add(std::move(node), std::exchange(next_number_, 0));
}

bool TreeBuilder::open(NodeKind kind, Extent extent) {
  if (open_.size() >= static_cast<std::size_t>(limits_.depth))
    return refuse(too_deep(extent, limits_));
  if (!count_node(extent)) return false;
  Container container;
  container.node.kind = kind;
  container.node.position = cursor_.at(extent.begin, extent.end);
  container.extent = extent;
  container.number = std::exchange(next_number_, 0);
  open_.push_back(std::move(container));
  return true;
}

bool TreeBuilder::close() {
  Node node = std::move(open_.back().node);
  const std::size_t number = open_.back().number;
  const Extent extent = open_.back().extent;
  open_.pop_back();
  if (merges_ && !merge(node))
    return refuse({lf::kAnchorRefused, extent, "'<<' of this map names something that is no map",
                   "a map, or a list of maps, as in `<<: *defaults`"});
  return add(std::move(node), number);
}

bool TreeBuilder::repeat(std::size_t number, Extent extent) {
  const auto found = kept_.find(number);
  if (found == kept_.end())
    return refuse({lf::kAnchorRefused, extent, "this alias stands within what it names",
                   "no value can hold itself"});
  const Size& size = found->second.size;
  if (open_.size() + size.depth > static_cast<std::size_t>(limits_.depth))
    return refuse(too_deep(extent, limits_));
  if (!count_copy(size, extent)) return false;
  Node copy = found->second.node;
  return add(std::move(copy), 0);
}

bool TreeBuilder::count_copy(const Size& size, Extent extent) {
  nodes_ += size.nodes;
  repeated_bytes_ += size.bytes;
  if (nodes_ <= limits_.nodes && repeated_bytes_ <= limits_.bytes) return true;
  return refuse({lf::kTooLarge, extent,
                 "anchors and aliases repeat more than " + std::to_string(limits_.nodes) +
                     " keys and values, or " + std::to_string(limits_.bytes) + " bytes of text",
                 "write out what is meant"});
}

// What a map says itself comes first, then what it names first. False where that is no map.
bool TreeBuilder::merge(Node& map) {
  const auto is_merge = [](const Member& member) { return member.key == "<<"; };
  if (std::none_of(map.members.begin(), map.members.end(), is_merge)) return true;
  std::vector<Member> merged;
  std::set<std::string> own;
  for (Member& member : map.members) {
    if (is_merge(member)) continue;
    own.insert(member.key);
    merged.push_back(std::move(member));
  }
  for (Member& member : map.members) {
    if (!is_merge(member)) continue;
    std::vector<Node> others = std::move(member.value.items);
    if (member.value.kind != NodeKind::kList) others.push_back(std::move(member.value));
    for (Node& other : others) {
      if (other.kind != NodeKind::kMap) return false;
      for (Member& each : other.members)
        if (own.insert(each.key).second) merged.push_back(std::move(each));
    }
  }
  map.members = std::move(merged);
  return true;
}

TreeBuilder::Size TreeBuilder::size_of(const Node& node) {
  Size size{.nodes = 1, .bytes = node.scalar.size()};
  const auto take = [&size](const Node& inner) {
    const Size more = size_of(inner);
    size.nodes += more.nodes;
    size.bytes += more.bytes;
    size.depth = std::max(size.depth, more.depth);
  };
  for (const Node& item : node.items) take(item);
  for (const Member& member : node.members) {
    take(member.value);
    ++size.nodes;
    size.bytes += member.key.size();
  }
  if (node.kind == NodeKind::kList || node.kind == NodeKind::kMap) ++size.depth;
  return size;
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

bool TreeBuilder::add(Node node, std::size_t number) {
  if (number != 0) {
    const Size size = size_of(node);
    if (!count_copy(size, last_)) return false;
    kept_.insert_or_assign(number, Kept{node, size});
  }
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
