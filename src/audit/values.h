// All figures a rule may use: what the claim states, what follows from that at once, and what the
// catalogue knows of what it names.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "audit/claim.h"
#include "audit/figure.h"
#include "catalog/catalog.h"

namespace loadfactor::audit {

struct Value {
  double value = 0;
  bool stated = false;            // By the claim; else known, assumed or derived.
  std::string source;             // File and line of the claim, or ids of SOURCES.md.
  std::vector<Figure> from = {};  // The stated figures that it was derived from.

  bool is_claimed() const { return stated || !from.empty(); }
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
  double value_or(Figure figure, double otherwise) const {
    const Value* value = find(figure);
    return value == nullptr ? otherwise : value->value;
  }
  void set(Figure figure, Value value) {
    values_[static_cast<std::size_t>(figure)] = std::move(value);
  }

 private:
  std::array<std::optional<Value>, kNumFigures> values_;
};

// Names that the catalogue does not know are reported at their place.
Values gather_values(const Claim& claim, const catalog::Catalog& catalog, Diagnostics& diagnostics);

// Adds what follows from the figures at once: GPUs from nodes, tokens per second from a step. What
// the claim states stays as it is.
void derive_values(Values& values);

// What the model of this name brings: size, layers, heads, experts, cache.
void add_model_values(const Claim& claim, const catalog::Catalog& catalog, Values& values);
// What machines like these are bought, rented and fed for.
void add_market_values(const catalog::AcceleratorSpec* chip, const catalog::Catalog& catalog,
                       Values& values);
// The best share of the dense peak that anyone published for products of this width.
void add_record_values(const Claim& claim, const catalog::Catalog& catalog, Values& values);

// The ids of a fact's sources.
std::string source_ids(const catalog::Provenance& provenance);

}  // namespace loadfactor::audit
