// A gate with the figures that it was judged by.
#include <string>

#include <fmt/format.h>

#include "engine/plan/plan_gate.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::GateSide;
using engine::PlanFigure;
using engine::rounded_text;

bool is_plain(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-eE_") == std::string::npos;
}

bool is_share(PlanFigure figure) {
  return figure == PlanFigure::kLoadFactor || figure == PlanFigure::kBreakEven;
}

// A figure in so many digits, in the unit of the number on the other side where there is one.
std::string figure_words(const GateSide& side, const GateSide& other, double value, int digits,
                         bool is_run) {
  const auto written = other.figure ? std::nullopt : engine::written_number(other.text);
  if (written && other.value > 0 && !is_plain(other.text)) {
    std::string text = other.text;
    text.replace(written->at, written->length,
                 rounded_text(value * shown_over_value(other), digits));
    return fmt::format("{} {}", side.text, text);
  }
  const bool is_bare_share = written && is_share(*side.figure);
  if (is_bare_share) return fmt::format("{} {}", side.text, rounded_text(value, digits));
  if (is_share(*side.figure))
    return fmt::format("{} {} %", side.text, rounded_text(100 * value, digits));
  if (side.figure == PlanFigure::kPerMtoken)
    return fmt::format("{} ${}/Mtok", side.text, rounded_text(value, digits));
  if (side.figure == PlanFigure::kCost)
    return fmt::format("{} ${} {}", side.text, rounded_text(value, digits),
                       is_run ? "for the run" : "a month");
  return fmt::format("{} {}", side.text, rounded_text(value, digits));
}

}  // namespace

std::string gate_words(const engine::PlanGate& gate, const engine::PlanAnswer& answer) {
  if (!gate.left || !gate.right) return gate.text + " (the plan is not feasible)";
  const bool is_run = answer.duration.has_value();
  const auto words = [&](const GateSide& side, const GateSide& other, double value) {
    return side.figure ? figure_words(side, other, value, gate.digits, is_run) : side.text;
  };
  return fmt::format("{} {} {}", words(gate.sides[0], gate.sides[1], *gate.left), gate.sign,
                     words(gate.sides[1], gate.sides[0], *gate.right));
}

}  // namespace loadfactor::report
