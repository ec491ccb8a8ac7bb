// All figures a rule may use: what the claim states, and what the catalogue knows of what it names.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "audit/claim.h"
#include "audit/figure.h"
#include "catalog/catalog.h"

namespace loadfactor::audit {

struct Value {
  double value = 0;
  bool stated = false;  // By the claim; else known or assumed.
  std::string source;   // File and line of the claim, or ids of SOURCES.md.
};

class Values {
 public:
  const Value* find(Figure figure) const {
    const auto& value = values_[static_cast<std::size_t>(figure)];
    return value ? &*value : nullptr;
  }
  bool stated(Figure figure) const {
    const Value* value = find(figure);
    return value != nullptr && value->stated;
  }
  void set(Figure figure, Value value) {
    values_[static_cast<std::size_t>(figure)] = std::move(value);
  }

 private:
  std::array<std::optional<Value>, kNumFigures> values_;
};

// Names that the catalogue does not know are reported at their place.
Values gather_values(const Claim& claim, const catalog::Catalog& catalog, Diagnostics& diagnostics);

}  // namespace loadfactor::audit
