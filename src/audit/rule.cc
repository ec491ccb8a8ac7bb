#include "audit/rule.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
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
    default:
      return not_above && not_below;
  }
}

bool may_ask(const ProductRule& rule, const Values& values) {
  const Value* target = values.find(rule.target);
  if (target == nullptr) return false;
  const bool is_bound = rule.relation != Relation::kEquals;
  if (!target->stated && !(is_bound && target->is_claimed())) return false;
  for (const Figure figure : rule.unless) {
    if (values.stated(figure)) return false;
  }
  for (const Figure figure : rule.when) {
    if (!values.stated(figure)) return false;
  }
  return std::all_of(rule.factors.begin(), rule.factors.end(), [&](const Factor& factor) {
    const Value* value = values.find(factor.figure);
    // What was derived from the target would agree with it in any case.
    return value != nullptr &&
           std::find(value->from.begin(), value->from.end(), rule.target) == value->from.end();
  });
}

// A degree of parallelism that nobody stated and that is one says nothing.
bool is_silent(Figure figure, const Value& value) {
  return value.value == 1 && !value.is_claimed() && row_of(figure).section == Section::kLayout;
}

void add_once(std::vector<Figure>& figures, Figure figure) {
  if (std::find(figures.begin(), figures.end(), figure) == figures.end()) figures.push_back(figure);
}

void add_stated(const Value& value, Figure figure, std::vector<Figure>& figures) {
  if (value.stated) add_once(figures, figure);
  for (const Figure from : value.from) add_once(figures, from);
}

std::uint32_t line_of(const Claim& claim, const Value* target, Figure figure) {
  if (claim[figure]) return claim[figure]->position.line;
  if (target != nullptr) {
    for (const Figure from : target->from) {
      if (claim[from]) return claim[from]->position.line;
    }
  }
  return claim.position.line;
}

bool states_any(const Claim& claim, Section section) {
  return std::any_of(figures().begin(), figures().end(), [&](const FigureRow& row) {
    return row.section == section && claim[row.figure];
  });
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

std::string_view name(Relation relation) {
  switch (relation) {
    case Relation::kAtMost:
      return "at-most";
    case Relation::kAtLeast:
      return "at-least";
    case Relation::kWhole:
      return "whole";
    case Relation::kAgrees:
      return "agrees";
    case Relation::kEquals:
      break;
  }
  return "equals";
}

std::string_view severity(const Finding& finding) {
  if (finding.verdict == Verdict::kConsistent) return "none";
  return finding.verdict == Verdict::kInconsistent ? "error" : "caution";
}

bool have(const Values& values, std::initializer_list<Figure> wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&values](Figure figure) { return values.find(figure) != nullptr; });
}

bool trains(const Claim& claim) {
  return states_any(claim, Section::kTraining) || claim.zero || claim.optimizer ||
         claim[Figure::kGlobalBatch] || claim[Figure::kMicroBatch];
}

bool serves(const Claim& claim) {
  return states_any(claim, Section::kServing);
}

double Working::value_of(Figure figure) {
  for (const Term& result : results_) {
    if (result.figure == figure) return result.value;
  }
  const Value* value = values_->find(figure);
  LF_CHECK(value != nullptr);
  add_stated(*value, figure, figures_);
  source_ = merged_sources(source_, value->source);
  return value->value;
}

std::vector<Term> Working::terms_of(std::initializer_list<Factor> factors) {
  std::vector<Term> terms;
  for (const Factor& factor : factors) {
    const Value* value = values_->find(factor.figure);
    if (value != nullptr && is_silent(factor.figure, *value)) continue;
    terms.push_back({factor.figure, value_of(factor.figure), factor.power});
  }
  return terms;
}

double Working::product(Figure result, double constant, std::initializer_list<Factor> factors) {
  Step step{.result = result, .constant = constant, .terms = terms_of(factors)};
  step.value = constant;
  for (const Term& term : step.terms) step.value *= std::pow(term.value, term.power);
  results_.push_back({result, step.value});
  steps_.push_back(std::move(step));
  return steps_.back().value;
}

double Working::sum(Figure result, double constant, std::initializer_list<Factor> factors) {
  Step step{.result = result, .form = Step::Form::kSum, .constant = constant};
  step.terms = terms_of(factors);
  step.value = constant;
  for (const Term& term : step.terms) step.value += term.value * term.power;
  results_.push_back({result, step.value});
  steps_.push_back(std::move(step));
  return steps_.back().value;
}

void Working::assume(Figure figure, double value) {
  results_.push_back({figure, value});
}

Finding Working::finding(Check check, Figure target) const {
  Finding finding;
  finding.check = check;
  finding.figure = target;
  finding.follows = steps_.back().result;
  finding.computed = steps_.back().value;
  finding.steps = steps_;
  finding.figures = figures_;
  finding.source = source_;
  const Value* stated = values_->find(target);
  if (stated != nullptr) {
    finding.stated = stated->value;
    add_stated(*stated, target, finding.figures);
    finding.source = merged_sources(finding.source, stated->source);
  }
  finding.line = line_of(*claim_, stated, target);
  return finding;
}

Finding Working::compare(Check check, Figure target, Relation relation, Ground ground,
                         double tolerance, Verdict broken) {
  Finding found = finding(check, target);
  found.relation = relation;
  found.ground = ground;
  found.ratio = found.stated / found.computed;
  if (!holds(relation, found.ratio, tolerance)) found.verdict = broken;
  return found;
}

std::optional<Finding> apply(const ProductRule& rule, const Claim& claim, const Values& values) {
  if (!may_ask(rule, values)) return std::nullopt;
  Finding finding;
  Step step{.result = rule.target, .value = rule.scale, .constant = rule.scale};
  for (const Factor& factor : rule.factors) {
    const Value& value = *values.find(factor.figure);
    step.value *= std::pow(value.value, factor.power);
    add_stated(value, factor.figure, finding.figures);
    finding.source = merged_sources(finding.source, value.source);
    if (!is_silent(factor.figure, value))
      step.terms.push_back({factor.figure, value.value, factor.power});
  }
  const Value& target = *values.find(rule.target);
  add_stated(target, rule.target, finding.figures);
  if (rule.factors.empty() || !target.stated)
    finding.source = merged_sources(finding.source, target.source);
  finding.check = rule.check;
  finding.ground = rule.ground;
  finding.relation = rule.relation;
  finding.figure = finding.follows = rule.target;
  finding.stated = target.value;
  finding.computed = step.value;
  finding.ratio = target.value / step.value;
  finding.steps.push_back(std::move(step));
  finding.line = line_of(claim, &target, rule.target);
  if (!holds(rule.relation, finding.ratio, rule.tolerance)) finding.verdict = rule.broken;
  if (rule.absurd && !holds(rule.relation, finding.ratio, *rule.absurd))
    finding.verdict = Verdict::kInconsistent;
  return finding;
}

}  // namespace loadfactor::audit
