// `load_factor >= break_even`: a comparison that a plan keeps or not.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/plan/plan_figures.h"

namespace loadfactor::engine {

// What a gate says of an answer.
struct GateOutcome {
  bool holds = false;
  std::string words;  // `load_factor 22.0 % >= break_even 27.0 %`, or why it cannot hold.
  std::optional<double> left = std::nullopt, right = std::nullopt;  // In base units.
};

// Read before anything is computed, so that a slip of the pen costs nothing.
class Gate {
 public:
  // Two figures of one kind, or a figure and a number with its unit: `cost <= 5000 $/month`,
  // `per_mtoken < $0.4/Mtok`, `gpus <= 64`, `load_factor >= 30 %`. LF603 points at the part that is
  // wrong.
  static Result<Gate> parse(const std::string& text);

  // Nothing that is not feasible holds. LF603 where the answer has no such figure: a service has
  // no days, a run without API or rent has no break-even.
  Result<GateOutcome> judge(const PlanAnswer& answer) const;
  const std::string& text() const { return text_; }

 private:
  enum class Sign : std::uint8_t { kAtLeast, kAtMost, kEqual, kOther, kAbove, kBelow };
  struct Side {
    std::optional<PlanFigure> figure;
    double value = 0;        // In the unit of the figure it is compared with.
    std::string text;        // As written.
    bool is_hourly = false;  // Money by the hour.
  };
  static Result<Side> side_of(const std::string& text, std::string_view part, std::size_t at,
                              std::optional<PlanFigure> other);
  static Result<double> value_of(const Side& side, bool hourly, const PlanAnswer& answer);
  static double shown_over_value(const Side& side);
  // A figure in so many digits, in the unit of the number on the other side where there is one.
  static std::string figure_words(const Side& side, const Side& other, double value, int digits,
                                  const PlanAnswer& answer);
  bool compare(double left, double right) const;

  std::string text_;
  Sign sign_ = Sign::kAtLeast;
  std::string sign_text_;
  std::array<Side, 2> sides_;
};

}  // namespace loadfactor::engine
