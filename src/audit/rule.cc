#include "audit/rule.h"

#include <cmath>

#include <fmt/format.h>

#include "loadfactor/estimate.h"

namespace loadfactor::audit {
namespace {

bool holds(Relation relation, double ratio, double tolerance) {
  const bool not_above = ratio <= 1 + tolerance;
  const bool not_below = ratio >= 1 / (1 + tolerance);
  switch (relation) {
    case Relation::kAtMost:
      return not_above;
    case Relation::kAtLeast:
      return not_below;
    case Relation::kEquals:
      break;
  }
  return not_above && not_below;
}

std::string written(Figure figure, double value) {
  return fmt::format("{} ({})", shown(figure, value), row_of(figure).title);
}

// "6 × 500 B (parameters) × … ÷ 1,200 (GPUs) = …".
std::string sum_of(const ProductRule& rule, const Values& values, double computed) {
  std::string text;
  const auto term = [&text](std::string_view sign, const std::string& word) {
    text += text.empty() ? word : fmt::format(" {} {}", sign, word);
  };
  if (rule.scale != 1) term("×", fmt::format("{:.4g}", rule.scale));
  for (const Factor& factor : rule.factors) {
    const std::string word = written(factor.figure, values.find(factor.figure)->value);
    if (text.empty() && factor.power < 0) text = "1";
    for (int i = 0; i < std::abs(factor.power); ++i) term(factor.power > 0 ? "×" : "÷", word);
  }
  return fmt::format("{} = {}", text, shown(rule.target, computed));
}

// A figure that is twice what one direction carries adds both directions.
std::string reason(const ProductRule& rule, double ratio) {
  constexpr double kRoundingShare = 0.02;
  const Dimension& dimension = row_of(rule.target).dimension;
  const bool bandwidth = dimension == Dimension{.time = -1, .data = 1};
  const bool doubled = bandwidth && std::abs(ratio / 2 - 1) < kRoundingShare;
  return std::string(rule.why) + (doubled ? "; twice as much adds both directions" : "");
}

bool may_ask(const ProductRule& rule, const Values& values) {
  if (!values.stated(rule.target)) return false;
  for (const Figure figure : rule.unless) {
    if (values.stated(figure)) return false;
  }
  for (const Factor& factor : rule.factors) {
    const Value* value = values.find(factor.figure);
    if (value == nullptr || (rule.factors_stated && !value->stated)) return false;
  }
  return true;
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kInconsistent:
      return "inconsistent";
    case Verdict::kUnsupported:
      return "unsupported";
    case Verdict::kConsistent:
      break;
  }
  return "consistent";
}

std::string_view name(Ground ground) {
  switch (ground) {
    case Ground::kPhysics:
      return "physics";
    case Ground::kCatalogue:
      return "catalogue";
    case Ground::kRecord:
      return "published record";
    case Ground::kModel:
      return "our model";
    case Ground::kArithmetic:
      break;
  }
  return "arithmetic";
}

std::string_view severity(const Finding& finding) {
  if (finding.verdict == Verdict::kConsistent) return "none";
  return finding.verdict == Verdict::kInconsistent ? "error" : "caution";
}

std::optional<Finding> apply(const ProductRule& rule, const Claim& claim, const Values& values) {
  if (!may_ask(rule, values)) return std::nullopt;
  Finding finding;
  double computed = rule.scale;
  for (const Factor& factor : rule.factors) {
    const Value& value = *values.find(factor.figure);
    computed *= std::pow(value.value, factor.power);
    if (value.stated) finding.figures.push_back(factor.figure);
    finding.source = merged_sources(finding.source, value.source);
  }
  const double stated = values.find(rule.target)->value;
  finding.figures.push_back(rule.target);
  finding.rule = rule.id;
  finding.ground = rule.ground;
  finding.ratio = stated / computed;
  finding.claim = fmt::format("{} {}", row_of(rule.target).title, shown(rule.target, stated));
  finding.computed = shown(rule.target, computed);
  finding.sum = sum_of(rule, values, computed);
  finding.line = claim[rule.target]->position.line;
  if (!holds(rule.relation, finding.ratio, rule.tolerance)) {
    finding.verdict = rule.broken;
    finding.why = reason(rule, finding.ratio);
  }
  return finding;
}

}  // namespace loadfactor::audit
