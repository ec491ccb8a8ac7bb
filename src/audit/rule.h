// The rules: relations between figures, none of which names a claim, a model or a chip.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "audit/claim.h"
#include "audit/finding.h"
#include "audit/values.h"

namespace loadfactor::audit {

enum class Relation : std::uint8_t { kEquals, kAtMost, kAtLeast };

struct Factor {
  Figure figure;
  int power = 1;
};

// target (=, ≤, ≥) scale × product of the factors. It is asked when the claim states the target and
// every factor is known, and when the claim states none of `unless`: a sharper rule then asks.
struct ProductRule {
  std::string_view id;
  Figure target;
  Relation relation = Relation::kEquals;
  Ground ground = Ground::kArithmetic;
  std::vector<Factor> factors;
  std::string_view why;     // Said when it is broken.
  double scale = 1;         // An exact number: 6 FLOP per parameter and token.
  double tolerance = 0.05;  // Figures are rounded when they are written.
  Verdict broken = Verdict::kInconsistent;
  std::vector<Figure> unless = {};
  bool factors_stated = false;  // All factors must be the claim's own.
};

// A relation that is no product.
using FormulaRule = std::optional<Finding> (*)(const Claim& claim, const Values& values);

const std::vector<ProductRule>& product_rules();
std::span<const FormulaRule> formula_rules();

// What the rule finds, or nothing where it cannot be asked.
std::optional<Finding> apply(const ProductRule& rule, const Claim& claim, const Values& values);

}  // namespace loadfactor::audit
