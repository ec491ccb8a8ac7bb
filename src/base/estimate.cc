#include "loadfactor/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/check.h"

namespace loadfactor {
namespace {

constexpr std::string_view kSeparator = "; ";

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

constexpr Interval kUnbounded{-std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::infinity()};

bool is_positive(const Estimate& e) {
  return e.low > 0.0 && std::isfinite(e.high);
}

// Puts a result together; rounding must not push the value out of its interval.
Estimate derived(double value, Interval interval, Dimension dimension, const Estimate& a,
                 const Estimate& b) {
  return {value,     std::min(interval.low, value),   std::max(interval.high, value),
          dimension, derived_basis(a.basis, b.basis), merged_sources(a.source, b.source)};
}

// The exact interval of a product. 0 × ∞ counts as 0: an end at zero stays there.
Interval product_of(Interval a, Interval b) {
  const auto times = [](double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; };
  const std::array ends{times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                        times(a.high, b.high)};
  return {*std::min_element(ends.begin(), ends.end()), *std::max_element(ends.begin(), ends.end())};
}

// The exact interval of 1/x.
Interval reciprocal_of(Interval x) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (x.low < 0.0 && x.high > 0.0) return kUnbounded;
  return {x.high == 0.0 ? -infinity : 1.0 / x.high, x.low == 0.0 ? infinity : 1.0 / x.low};
}

Interval interval_of(const Estimate& e) {
  return {e.low, e.high};
}

// The interval of a positive product from the ratios by which its factors may be off: `down` of
// each towards smaller results, `up` towards larger. Squares of logarithms add.
Interval ratio_interval(double value, Interval first, Interval second) {
  const double down = std::hypot(std::log(first.low), std::log(second.low));
  const double up = std::hypot(std::log(first.high), std::log(second.high));
  return {value * std::exp(-down), value * std::exp(up)};
}

}  // namespace

std::string_view basis_name(Basis basis) {
  switch (basis) {
    case Basis::kMeasured:
      return "measured";
    case Basis::kCalibrated:
      return "calibrated";
    case Basis::kModelled:
      return "modelled";
    case Basis::kAssumed:
      return "assumed";
  }
  return {};
}

bool is_sound(const Estimate& e) {
  return std::isfinite(e.value) && e.low <= e.value && e.value <= e.high;
}

Estimate add(const Estimate& a, const Estimate& b, Errors errors) {
  LF_CHECK(a.dimension == b.dimension, "only quantities of one dimension can be added");
  const double value = a.value + b.value;
  const Interval interval = errors == Errors::kCorrelated
                                ? Interval{a.low + b.low, a.high + b.high}
                                : Interval{value - std::hypot(a.value - a.low, b.value - b.low),
                                           value + std::hypot(a.high - a.value, b.high - b.value)};
  return derived(value, interval, a.dimension, a, b);
}

Estimate subtract(const Estimate& a, const Estimate& b, Errors errors) {
  Estimate negated = b;
  negated.value = -b.value;
  negated.low = -b.high;
  negated.high = -b.low;
  return add(a, negated, errors);
}

Estimate multiply(const Estimate& a, const Estimate& b, Errors errors) {
  const double value = a.value * b.value;
  const bool by_ratio = errors == Errors::kIndependent && is_positive(a) && is_positive(b);
  const Interval interval = by_ratio ? ratio_interval(value, {a.low / a.value, a.high / a.value},
                                                      {b.low / b.value, b.high / b.value})
                                     : product_of(interval_of(a), interval_of(b));
  return derived(value, interval, a.dimension + b.dimension, a, b);
}

Estimate divide(const Estimate& a, const Estimate& b, Errors errors) {
  LF_CHECK(b.value != 0.0, "an estimate was divided by zero");
  const double value = a.value / b.value;
  const bool by_ratio = errors == Errors::kIndependent && is_positive(a) && is_positive(b);
  const Interval interval = by_ratio ? ratio_interval(value, {a.low / a.value, a.high / a.value},
                                                      {b.value / b.high, b.value / b.low})
                                     : product_of(interval_of(a), reciprocal_of(interval_of(b)));
  return derived(value, interval, a.dimension - b.dimension, a, b);
}

Estimate scale(const Estimate& a, double exact) {
  Estimate result = a;
  result.value = a.value * exact;
  result.low = std::min(a.low * exact, a.high * exact);
  result.high = std::max(a.low * exact, a.high * exact);
  result.basis = derived_basis(a.basis, a.basis);
  return result;
}

std::string merged_sources(std::string_view a, std::string_view b) {
  std::set<std::string_view> names;
  for (std::string_view rest : {a, b}) {
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(kSeparator), rest.size());
      if (end > 0) names.insert(rest.substr(0, end));
      rest.remove_prefix(std::min(end + kSeparator.size(), rest.size()));
    }
  }
  std::string merged;
  for (const std::string_view name : names) {
    if (!merged.empty()) merged += kSeparator;
    merged += name;
  }
  return merged;
}

}  // namespace loadfactor
