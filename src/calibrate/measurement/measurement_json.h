// Looks things up in a JSON tree whose shape belongs to somebody else: what is not there is
// nothing, never an error.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "config/document.h"

namespace loadfactor::calibrate {

inline const config::Node* member(const config::Node* node, std::string_view key) {
  if (node == nullptr || node->kind != config::NodeKind::kMap) return nullptr;
  for (const config::Member& m : node->members) {
    if (m.key == key) return &m.value;
  }
  return nullptr;
}

// The value at a path of keys.
template <class... Keys>
const config::Node* member(const config::Node* node, std::string_view key, Keys... rest) {
  return member(member(node, key), rest...);
}

std::optional<double> finite_number(const config::Node* node);

// The number, or zero; negative numbers are nobody's time or rate and count as none.
inline double number_or_zero(const config::Node* node) {
  const auto value = finite_number(node);
  return value && *value > 0 ? *value : 0.0;
}

inline std::string text_or_empty(const config::Node* node) {
  return node != nullptr && node->kind == config::NodeKind::kScalar ? node->scalar : std::string();
}

}  // namespace loadfactor::calibrate
