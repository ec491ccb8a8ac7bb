// `load_factor >= break_even`: a comparison that a plan keeps or not.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "engine/plan.h"

namespace loadfactor::engine {

enum class GateFigure : std::uint8_t {
  kLoadFactor,
  kBreakEven,
  kCost,
  kGpus,
  kDays,
  kPerMtoken,
};
inline constexpr std::size_t kNumGateFigures = 6;

// Read before anything is computed, so that a slip of the pen costs nothing.
class Gate {
 public:
  // Two figures of one kind, or a figure and a number with its unit: `cost <= 5000 $/month`,
  // `per_mtoken < $0.4/Mtok`, `gpus <= 64`, `load_factor >= 30 %`. LF603 points at the part that is
  // wrong.
  static Result<Gate> parse(const std::string& text);

  // A figure that the answer does not have makes every comparison false.
  bool holds(const PlanAnswer& answer) const;
  const std::string& text() const { return text_; }

 private:
  enum class Sign : std::uint8_t { kAtLeast, kAtMost, kEqual, kOther, kAbove, kBelow };
  struct Side {
    std::optional<GateFigure> figure;
    double value = 0;        // In the unit of the figure it is compared with.
    bool is_hourly = false;  // Money by the hour.
  };
  static Result<Side> side_of(const std::string& text, std::string_view part, std::size_t at,
                              std::optional<GateFigure> other);
  static double value_of(const Side& side, bool hourly, const PlanAnswer& answer);

  std::string text_;
  Sign sign_ = Sign::kAtLeast;
  std::array<Side, 2> sides_;
};

}  // namespace loadfactor::engine
