// A claim built figure by figure, with what the catalogue would know beside it, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "audit/rule.h"

namespace loadfactor::audit::testing {

class StatedClaim {
 public:
  // A figure that the claim states, in base units; each stands on a line of its own.
  StatedClaim& states(Figure figure, double value) {
    ++line_;
    claim[figure] = StatedFigure{value, config::Position{.line = line_, .column = 1}};
    values.set(figure, {value, true, "claim"});
    return *this;
  }
  // A figure that the catalogue knows and the claim leaves out.
  StatedClaim& knows(Figure figure, double value) {
    values.set(figure, {value, false, "catalogue"});
    return *this;
  }

  // What the product rule of this id finds; of several with one id, the first that can be asked.
  std::optional<Finding> product(std::string_view id) const {
    const Values known = derived();
    for (const ProductRule& rule : product_rules()) {
      if (id_of(rule.check) != id) continue;
      if (auto finding = apply(rule, claim, known)) return finding;
    }
    return std::nullopt;
  }
  std::optional<Finding> formula(std::string_view id) const {
    const Values known = derived();
    for (const FormulaRule rule : formula_rules()) {
      auto finding = rule(claim, known);
      if (finding && id_of(finding->check) == id) return finding;
    }
    return std::nullopt;
  }

  Claim claim;
  Values values;

 private:
  // With what follows from these figures at once.
  Values derived() const {
    Values known = values;
    for (const Figure one : {Figure::kCp, Figure::kVirtualStages}) {
      if (known.find(one) == nullptr) known.set(one, {1, false, ""});
    }
    derive_values(known);
    return known;
  }

  std::uint32_t line_ = 0;
};

// The finding's verdict and the ratio of what is claimed to what follows.
inline void expect_finding(const std::optional<Finding>& finding, Verdict verdict, double ratio) {
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->verdict, verdict) << id_of(finding->check);
  EXPECT_NEAR(finding->ratio, ratio, 1e-9 * std::max(1.0, ratio)) << id_of(finding->check);
  EXPECT_FALSE(finding->steps.empty()) << id_of(finding->check);
}

}  // namespace loadfactor::audit::testing
