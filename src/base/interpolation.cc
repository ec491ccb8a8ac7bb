#include "base/interpolation.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error_codes.h"

namespace loadfactor {
namespace {

Error bad_points(std::string message) {
  return Error{.code = lf::kInconsistentFigures, .message = std::move(message)};
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

bool rises(const std::vector<double>& x) {
  return std::adjacent_find(x.begin(), x.end(), std::greater_equal<>()) == x.end();
}

// Returns what is wrong with an axis, or nothing.
std::string fault_of_axis(const std::vector<double>& x) {
  if (x.empty()) return "a curve needs at least one point";
  if (!all_finite(x)) return "a point of a curve is not finite";
  if (!rises(x)) return "the points of a curve must rise strictly along their axis";
  return "";
}

// Where x falls: between points `index` and `index + 1`, `share` of the way.
struct Place {
  std::size_t index = 0;
  double share = 0;
};

Place place_of(const std::vector<double>& axis, double x, Outside outside) {
  if (axis.size() == 1) return {};
  if (outside == Outside::kClamp) x = std::clamp(x, axis.front(), axis.back());
  const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, x);
  const auto index = static_cast<std::size_t>(above - axis.begin()) - 1;
  return {index, (x - axis[index]) / (axis[index + 1] - axis[index])};
}

double blend(double a, double b, double share) {
  return share == 1 ? b : a + share * (b - a);
}

// The slope at a point between two intervals: their weighted harmonic mean, 0 at a turn.
double inner_slope(double left_width, double right_width, double left, double right) {
  if (left * right <= 0) return 0;
  const double left_weight = 2 * right_width + left_width;
  const double right_weight = right_width + 2 * left_width;
  return (left_weight + right_weight) / (left_weight / left + right_weight / right);
}

std::vector<double> monotone_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> slopes(n, 0.0);
  if (n == 1) return slopes;
  const auto secant = [&](std::size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); };
  slopes.front() = secant(0);
  slopes.back() = secant(n - 2);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    slopes[i] = inner_slope(x[i] - x[i - 1], x[i + 1] - x[i], secant(i - 1), secant(i));
  }
  return slopes;
}

}  // namespace

Result<PiecewiseLinear> PiecewiseLinear::make(std::vector<double> x, std::vector<double> y) {
  if (std::string fault = fault_of_axis(x); !fault.empty()) return bad_points(std::move(fault));
  if (x.size() != y.size() || !all_finite(y)) {
    return bad_points("a curve needs one finite value per point");
  }
  return PiecewiseLinear(std::move(x), std::move(y));
}

double PiecewiseLinear::operator()(double x, Outside outside) const {
  if (x_.size() == 1) return y_.front();
  const Place place = place_of(x_, x, outside);
  return blend(y_[place.index], y_[place.index + 1], place.share);
}

Result<MonotoneLogLog> MonotoneLogLog::make(const std::vector<double>& x,
                                            const std::vector<double>& y) {
  TRY(const PiecewiseLinear checked, PiecewiseLinear::make(x, y));
  const auto positive = [](double v) { return v > 0; };
  if (!std::all_of(x.begin(), x.end(), positive) || !std::all_of(y.begin(), y.end(), positive)) {
    return bad_points("a logarithmic curve needs positive points and values");
  }
  MonotoneLogLog curve;
  for (const double v : x) curve.x_.push_back(std::log(v));
  for (const double v : y) curve.y_.push_back(std::log(v));
  curve.slope_ = monotone_slopes(curve.x_, curve.y_);
  return curve;
}

double MonotoneLogLog::operator()(double x, Outside outside) const {
  LF_CHECK(x > 0, "a logarithmic curve has no value at or below 0");
  const double at = std::log(x);
  if (at <= x_.front() || at >= x_.back()) {
    const std::size_t end = at <= x_.front() ? 0 : x_.size() - 1;
    const double beyond = outside == Outside::kExtrapolate ? at - x_[end] : 0.0;
    return std::exp(y_[end] + slope_[end] * beyond);
  }
  const Place place = place_of(x_, at, outside);
  const std::size_t i = place.index;
  const double width = x_[i + 1] - x_[i];
  const double t = place.share;
  const double rest = 1 - t;
  const double cubic = y_[i] * (1 + 2 * t) * rest * rest + y_[i + 1] * t * t * (3 - 2 * t) +
                       width * t * rest * (slope_[i] * rest - slope_[i + 1] * t);
  return std::exp(cubic);
}

Result<BilinearGrid> BilinearGrid::make(std::vector<double> x, std::vector<double> y,
                                        std::vector<double> values) {
  for (const auto* axis : {&x, &y}) {
    if (std::string fault = fault_of_axis(*axis); !fault.empty()) {
      return bad_points(std::move(fault));
    }
  }
  if (values.size() != x.size() * y.size() || !all_finite(values)) {
    return bad_points("a grid needs one finite value per pair of points");
  }
  BilinearGrid grid;
  grid.x_ = std::move(x);
  grid.y_ = std::move(y);
  grid.values_ = std::move(values);
  return grid;
}

double BilinearGrid::operator()(double x, double y, Outside outside) const {
  const Place row = place_of(x_, x, outside);
  const Place column = place_of(y_, y, outside);
  const auto along_row = [&](std::size_t i) {
    const std::size_t first = i * y_.size() + column.index;
    const std::size_t second = y_.size() == 1 ? first : first + 1;
    return blend(values_[first], values_[second], column.share);
  };
  if (x_.size() == 1) return along_row(0);
  return blend(along_row(row.index), along_row(row.index + 1), row.share);
}

}  // namespace loadfactor
