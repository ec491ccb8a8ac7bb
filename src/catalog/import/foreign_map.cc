#include "catalog/import/foreign_map.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

using config::Member;
using config::Node;
using config::NodeKind;
using config::ScalarStyle;

constexpr std::size_t kLongestKey = 4096;

// How a value reads to a person: "a list", "text".
std::string_view kind_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
      return "null";
    case NodeKind::kList:
      return "a list";
    case NodeKind::kMap:
      return "an object";
    case NodeKind::kScalar:
      break;
  }
  if (node.style == ScalarStyle::kNumber) return "a number";
  if (node.style == ScalarStyle::kBoolean) return "true or false";
  return "text";
}

bool is_number(const Node& node) {
  return node.kind == NodeKind::kScalar && node.style == ScalarStyle::kNumber;
}

bool same_value(const Node& a, const Node& b) {
  return a.kind == b.kind && a.scalar == b.scalar;
}

void check_keys_in(const config::Document& document, const Node& node, Diagnostics& diagnostics) {
  std::set<std::string_view> seen;
  for (const Member& member : node.members) {
    if (!seen.insert(member.key).second) {
      diagnostics.add(document.error(lf::kDuplicateKey, member.key_position,
                                     fmt::format("'{}' is given twice", member.key),
                                     "delete one of the two"));
    }
    if (member.key.size() > kLongestKey) {
      diagnostics.add(document.error(lf::kTooLarge, member.key_position,
                                     fmt::format("a key of {} bytes", member.key.size())));
    }
    check_keys_in(document, member.value, diagnostics);
  }
  for (const Node& item : node.items) check_keys_in(document, item, diagnostics);
}

}  // namespace

double json_number(std::string_view text) {
  return std::strtod(std::string(text).c_str(), nullptr);
}

ForeignMap::ForeignMap(const config::Document& document, const Node& node, std::string what,
                       Diagnostics& diagnostics)
    : document_(&document), node_(&node), what_(std::move(what)), diagnostics_(&diagnostics) {}

const Member* ForeignMap::find(std::string_view key) const {
  const auto found = std::find_if(node_->members.begin(), node_->members.end(),
                                  [key](const Member& member) { return member.key == key; });
  return found == node_->members.end() ? nullptr : &*found;
}

bool ForeignMap::has(std::string_view key) const {
  const Member* member = find(key);
  return member != nullptr && member->value.kind != NodeKind::kNull;
}

bool ForeignMap::is_null(std::string_view key) const {
  const Member* member = find(key);
  return member != nullptr && member->value.kind == NodeKind::kNull;
}

bool ForeignMap::is_list(std::string_view key) const {
  const Member* member = find(key);
  return member != nullptr && member->value.kind == NodeKind::kList;
}

const Member* ForeignMap::first_set(Keys keys) {
  const Member* first = nullptr;
  for (const std::string_view key : keys) {
    read_.emplace(key);
    if (!has(key)) continue;
    const Member* member = find(key);
    if (first == nullptr) {
      first = member;
    } else if (!same_value(first->value, member->value)) {
      report_at(*member, lf::kInconsistentFigures,
                fmt::format("{} is {} but {} is {}", member->key, member->value.scalar, first->key,
                            first->value.scalar),
                "they name the same thing; keep one");
    }
  }
  return first;
}

void ForeignMap::report_at(const Member& member, int code, std::string message, std::string hint) {
  diagnostics_->add(
      document_->error(code, member.value.position, std::move(message), std::move(hint)));
}

void ForeignMap::report(std::string_view key, int code, std::string message, std::string hint) {
  const Member* member = find(key);
  const config::Position position = member == nullptr ? node_->position : member->value.position;
  diagnostics_->add(document_->error(code, position, std::move(message), std::move(hint)));
}

void ForeignMap::report_missing(std::string_view key, std::string hint) {
  diagnostics_->add(document_->error(lf::kMissingKey, node_->position,
                                     fmt::format("{} has no '{}'", what_, key), std::move(hint)));
}

std::optional<std::int64_t> ForeignMap::whole_item(std::string_view key, const Node& value,
                                                   WholeRange range) {
  const auto fail = [&](int code, std::string message) {
    diagnostics_->add(document_->error(code, value.position, std::move(message)));
    return std::nullopt;
  };
  if (!is_number(value)) {
    return fail(lf::kWrongType,
                fmt::format("{} must be a whole number, not {}", key, kind_of(value)));
  }
  const double approximate = json_number(value.scalar);
  if (!std::isfinite(approximate)) {
    return fail(lf::kNotFinite, fmt::format("{} is not a finite number", key));
  }
  if (approximate != std::floor(approximate)) {
    return fail(lf::kWrongType,
                fmt::format("{} must be a whole number, not {}", key, value.scalar));
  }
  if (approximate < static_cast<double>(range.low)) {
    return fail(lf::kOutOfRange,
                fmt::format("{} is {}, but must be at least {}", key, value.scalar, range.low));
  }
  // The largest int64 is not a double; anything from 2^63 on is too large in any case.
  if (approximate >= 9.2e18 || approximate > static_cast<double>(range.high)) {
    return fail(lf::kAbsurdMagnitude, fmt::format("{} is {}, more than {} is not believed", key,
                                                  value.scalar, range.high));
  }
  std::int64_t exact = 0;
  const char* end = value.scalar.data() + value.scalar.size();
  const auto parsed = std::from_chars(value.scalar.data(), end, exact);
  if (parsed.ec == std::errc() && parsed.ptr == end) return exact;
  return static_cast<std::int64_t>(approximate);  // 4096.0 and 1e3.
}

std::optional<std::int64_t> ForeignMap::integer(Keys keys, WholeRange range) {
  const Member* member = first_set(keys);
  if (member == nullptr) return std::nullopt;
  return whole_item(member->key, member->value, range);
}

std::optional<int> ForeignMap::count(Keys keys, int low, int high) {
  const auto value = integer(keys, {low, high});
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<double> ForeignMap::number(Keys keys) {
  const Member* member = first_set(keys);
  if (member == nullptr) return std::nullopt;
  if (!is_number(member->value)) {
    report_at(*member, lf::kWrongType,
              fmt::format("{} must be a number, not {}", member->key, kind_of(member->value)));
    return std::nullopt;
  }
  const double value = json_number(member->value.scalar);
  if (!std::isfinite(value)) {
    report_at(*member, lf::kNotFinite, fmt::format("{} is not a finite number", member->key));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> ForeignMap::boolean(Keys keys) {
  const Member* member = first_set(keys);
  if (member == nullptr) return std::nullopt;
  const Node& value = member->value;
  if (value.kind == NodeKind::kScalar && value.style == ScalarStyle::kBoolean) {
    return value.scalar == "true";
  }
  report_at(*member, lf::kWrongType,
            fmt::format("{} must be true or false, not {}", member->key, kind_of(value)));
  return std::nullopt;
}

std::optional<std::string> ForeignMap::text(Keys keys) {
  const Member* member = first_set(keys);
  return member == nullptr ? std::nullopt : text_at(*member);
}

std::optional<std::string> ForeignMap::text_at(const Member& member) {
  const Node& value = member.value;
  if (value.kind == NodeKind::kScalar && value.style == ScalarStyle::kQuoted) return value.scalar;
  report_at(member, lf::kWrongType,
            fmt::format("{} must be text, not {}", member.key, kind_of(value)));
  return std::nullopt;
}

std::optional<ForeignMap> ForeignMap::map(Keys keys) {
  const Member* member = first_set(keys);
  return member == nullptr ? std::nullopt : map_at(*member);
}

std::optional<ForeignMap> ForeignMap::map_at(const Member& member) {
  if (member.value.kind == NodeKind::kMap) {
    return ForeignMap(*document_, member.value, member.key, *diagnostics_);
  }
  report_at(member, lf::kWrongType,
            fmt::format("{} must be an object, not {}", member.key, kind_of(member.value)));
  return std::nullopt;
}

const Node* ForeignMap::list(Keys keys) {
  const Member* member = first_set(keys);
  if (member == nullptr) return nullptr;
  if (member->value.kind == NodeKind::kList) return &member->value;
  report_at(*member, lf::kWrongType,
            fmt::format("{} must be a list, not {}", member->key, kind_of(member->value)));
  return nullptr;
}

std::vector<std::string> ForeignMap::texts(Keys keys) {
  std::vector<std::string> found;
  const Node* items = list(keys);
  if (items == nullptr) return found;
  for (const Node& item : items->items) {
    if (item.kind == NodeKind::kScalar && item.style == ScalarStyle::kQuoted) {
      found.push_back(item.scalar);
      continue;
    }
    diagnostics_->add(
        document_->error(lf::kWrongType, item.position,
                         fmt::format("{} must hold texts, not {}", *keys.begin(), kind_of(item))));
  }
  return found;
}

std::vector<int> ForeignMap::counts(Keys keys, int low, int high) {
  std::vector<int> found;
  const Node* items = list(keys);
  if (items == nullptr) return found;
  for (const Node& item : items->items) {
    if (const auto value = whole_item(*keys.begin(), item, {low, high})) {
      found.push_back(static_cast<int>(*value));
    }
  }
  return found;
}

std::vector<std::string> ForeignMap::unread() const {
  std::vector<std::string> names;
  for (const Member& member : node_->members) {
    if (!read_.contains(member.key)) names.push_back(member.key);
  }
  return names;
}

std::optional<ForeignMap> as_map(const config::Document& document, std::string what,
                                 Diagnostics& diagnostics) {
  if (document.root.kind == NodeKind::kMap) {
    return ForeignMap(document, document.root, std::move(what), diagnostics);
  }
  diagnostics.add(
      document.error(lf::kWrongType, document.root.position,
                     fmt::format("{} must be an object, not {}", what, kind_of(document.root))));
  return std::nullopt;
}

void check_keys(const config::Document& document, Diagnostics& diagnostics) {
  check_keys_in(document, document.root, diagnostics);
}

}  // namespace loadfactor::catalog
