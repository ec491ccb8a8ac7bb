// `load_factor >= break_even`: a comparison that a plan keeps or not.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/plan/plan_figures.h"

namespace loadfactor::engine {

// Read before anything is computed, so that a slip of the pen costs nothing.
class Gate {
 public:
  // Two figures of one kind, or a figure and a number with its unit: `cost <= 5000 $/month`,
  // `per_mtoken < $0.4/Mtok`, `gpus <= 64`, `load_factor >= 30 %`. LF603 points at the part that is
  // wrong.
  static Result<Gate> parse(const std::string& text);

  // Nothing that is not feasible holds. LF603 where the answer has no such figure: a service has
  // no days, a run without API or rent has no break-even.
  Result<PlanGate> judge(const PlanAnswer& answer) const;
  const std::string& text() const { return text_; }

 private:
  enum class Sign : std::uint8_t { kAtLeast, kAtMost, kEqual, kOther, kAbove, kBelow };
  static Result<GateSide> side_of(const std::string& text, std::string_view part, std::size_t at,
                                  std::optional<PlanFigure> other);
  static Result<double> value_of(const GateSide& side, bool hourly, const PlanAnswer& answer);
  int digits_to_show(double left, double right, bool holds) const;
  bool compare(double left, double right) const;

  std::string text_;
  Sign sign_ = Sign::kAtLeast;
  std::string sign_text_;
  std::array<GateSide, 2> sides_;
};

// What one of the figure's own units is in the unit of a number as written; 1 for a figure.
double shown_over_value(const GateSide& side);

// So many significant digits, and all of those before the point.
std::string rounded_text(double value, int digits);

// A number within a text such as `$5_000/month`.
struct WrittenNumber {
  double value = 0;
  std::size_t at = 0;
  std::size_t length = 0;
};
std::optional<WrittenNumber> written_number(const std::string& text);

}  // namespace loadfactor::engine
