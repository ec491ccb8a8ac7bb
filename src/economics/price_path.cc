#include "economics/price_path.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/calendar.h"
#include "base/distributions.h"

namespace loadfactor::economics {

PriceCurve PriceCurve::yearly(std::vector<double> factors) {
  PriceCurve curve;
  curve.factors_ = std::move(factors);
  return curve;
}

PriceCurve PriceCurve::monthly(std::vector<double> factors) {
  PriceCurve curve;
  curve.months_ = std::move(factors);
  return curve;
}

PriceCurve PriceCurve::drifting(double per_year) {
  PriceCurve curve;
  curve.drift_ = per_year;
  return curve;
}

PriceCurve PriceCurve::jumping(double change, Seconds at) {
  PriceCurve curve;
  curve.jump_ = change;
  curve.jump_at_ = at;
  return curve;
}

double PriceCurve::at(Seconds time) const {
  const double years = time / kYear;
  if (!months_.empty()) {
    const auto month = static_cast<std::size_t>(std::max(0.0, years * 12.0 + 1e-6));
    return month == 0 ? 1.0 : months_[std::min(month, months_.size()) - 1];
  }
  double factor = std::pow(1.0 + drift_, years);
  if (jump_ != 0 && time >= jump_at_) factor *= 1.0 + jump_;
  if (factors_.empty()) return factor;
  const double clamped = std::clamp(years, 0.0, static_cast<double>(factors_.size()));
  const auto year = std::min(static_cast<std::size_t>(clamped), factors_.size() - 1);
  const double before = year == 0 ? 1.0 : factors_[year - 1];
  const double part = clamped - static_cast<double>(year);
  return factor * before * std::pow(factors_[year] / before, part);
}

std::vector<double> simulate_path(const PriceProcess& process, int months, RandomStream stream) {
  std::vector<double> factors;
  factors.reserve(static_cast<std::size_t>(months));
  constexpr double kStep = 1.0 / 12.0;
  const double log_drift = std::log1p(process.drift);
  double price = 0;
  for (int month = 1; month <= months; ++month) {
    const double target = log_drift * month * kStep;
    const double pull = process.reversion > 0
                            ? (target - price) * -std::expm1(-process.reversion * kStep)
                            : log_drift * kStep;
    price += pull + process.volatility * std::sqrt(kStep) * normal(stream, 0, 1);
    const bool jumps = stream.uniform() < -std::expm1(-process.jumps * kStep);
    const bool down = stream.uniform() < process.down_share;
    if (jumps) price += std::log1p(down ? process.jump_down : process.jump_up);
    factors.push_back(std::exp(price));
  }
  return factors;
}

double residual_on_path(double residual, double rent_factor) {
  return std::clamp(residual * rent_factor, 0.0, 1.0);
}

namespace {

struct Jumps {
  double down = 0;
  double up = 0;
  int downs = 0;
  int ups = 0;
  int all() const { return downs + ups; }
};

void write_jumps(const Jumps& jumps, double years, PriceProcess& process) {
  if (jumps.all() == 0) return;
  process.jumps = jumps.all() / years;
  process.down_share = static_cast<double>(jumps.downs) / jumps.all();
  if (jumps.downs > 0) process.jump_down = std::expm1(jumps.down / jumps.downs);
  if (jumps.ups > 0) process.jump_up = std::expm1(jumps.up / jumps.ups);
}

}  // namespace

std::optional<PriceProcess> fit_process(std::span<const DatedPrice> history, double jump_limit) {
  if (history.size() < 3) return std::nullopt;
  const double years = history.back().years - history.front().years;
  if (years <= 0) return std::nullopt;
  const double limit = std::log1p(jump_limit);
  Jumps jumps;
  double squares = 0;
  double calm_years = 0;
  for (std::size_t i = 1; i < history.size(); ++i) {
    const double step = std::log(history[i].price / history[i - 1].price);
    if (std::abs(step) > limit) {
      (step < 0 ? jumps.down : jumps.up) += step;
      ++(step < 0 ? jumps.downs : jumps.ups);
    } else {
      squares += step * step;
      calm_years += history[i].years - history[i - 1].years;
    }
  }
  PriceProcess process;
  process.drift = std::expm1(std::log(history.back().price / history.front().price) / years);
  process.volatility = calm_years > 0 ? std::sqrt(squares / calm_years) : 0.0;
  write_jumps(jumps, years, process);
  return process;
}

}  // namespace loadfactor::economics
