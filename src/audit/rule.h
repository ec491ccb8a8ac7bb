// The rules: relations between figures, none of which names a claim, a model or a chip.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "audit/claim.h"
#include "audit/finding.h"
#include "audit/values.h"

namespace loadfactor::audit {

struct Factor {
  Figure figure;
  int power = 1;
};

// target (=, ≤, ≥) scale × product of the factors. It is asked when every factor is known, when the
// claim states none of `unless` (a sharper rule then asks), and when the claim states the target; a
// bound also asks about a target that was derived.
struct ProductRule {
  Check check;
  Figure target;
  Relation relation = Relation::kEquals;
  Ground ground = Ground::kArithmetic;
  std::vector<Factor> factors;
  double scale = 1;         // An exact number: 6 FLOP per parameter and token.
  double tolerance = 0.05;  // Figures are rounded when they are written.
  Verdict broken = Verdict::kInconsistent;
  std::optional<double> absurd = {};  // A tolerance beyond which it is inconsistent in any case.
  std::vector<Figure> unless = {};
  std::vector<Figure> when = {};  // The claim states these itself.
};

// A relation that is no product.
using FormulaRule = std::optional<Finding> (*)(const Claim& claim, const Values& values);

const std::vector<ProductRule>& product_rules();
std::span<const FormulaRule> formula_rules();

// What the rule finds, or nothing where it cannot be asked.
std::optional<Finding> apply(const ProductRule& rule, const Claim& claim, const Values& values);

// The groups of rules, in files of their own.
void add_run_rules(std::vector<ProductRule>& rules);
void add_power_rules(std::vector<ProductRule>& rules);
void add_money_rules(std::vector<ProductRule>& rules);
void add_serving_rules(std::vector<ProductRule>& rules);
std::span<const FormulaRule> layout_rules();
std::span<const FormulaRule> memory_rules();
std::span<const FormulaRule> serving_formulas();
std::span<const FormulaRule> run_formulas();
std::span<const FormulaRule> other_formulas();

// Looking a token up in a table costs no product, so 6 N D counts the embedding table in excess.
inline constexpr double kEmbedding = 0.15;
// A forward and a backward pass: six operations per parameter and token.
inline constexpr double kWorkPerToken = 6;
inline constexpr double kExact = 1e-6;  // Counts are exact.

// Whether the claim says all of these, or the catalogue does.
bool have(const Values& values, std::initializer_list<Figure> wanted);
// Whether the claim speaks of training; of serving.
bool trains(const Claim& claim);
bool serves(const Claim& claim);

// The working of a formula, line by line, and the finding at its end.
class Working {
 public:
  Working(const Claim& claim, const Values& values) : claim_(&claim), values_(&values) {}

  // The results; factors are figures of the claim, of the catalogue, or results of lines before.
  double product(Figure result, double constant, std::initializer_list<Factor> factors);
  double sum(Figure result, double constant, std::initializer_list<Factor> factors);
  // A figure that the rule sets: what is unknown counts as its most favourable value.
  void assume(Figure figure, double value);

  // What the claim says of `target` against the last result.
  Finding compare(Check check, Figure target, Relation relation, Ground ground, double tolerance,
                  Verdict broken = Verdict::kInconsistent);
  // A finding without a verdict, about `target` and the last result.
  Finding finding(Check check, Figure target) const;

 private:
  double value_of(Figure figure);
  std::vector<Term> terms_of(std::initializer_list<Factor> factors);

  const Claim* claim_;
  const Values* values_;
  std::vector<Step> steps_;
  std::vector<Figure> figures_;
  std::vector<Term> results_;
  std::string source_;
};

}  // namespace loadfactor::audit
