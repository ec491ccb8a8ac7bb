/// A number with what is known about it: interval, basis and source.
///
/// Every number a user sees is one of these. Two rules propagate the interval:
///
///  * Independent errors (the operators, and Errors::kIndependent): half-widths add as a root of
///    squares, in absolute terms for sums and differences, in ratios for products and quotients.
///    For numbers from different sources: a price times a duration, weights plus a reserve.
///  * Correlated errors (Errors::kCorrelated): exact interval arithmetic, the widest the result
///    can be. For numbers that share one cause of error, such as the times of the layers of one
///    model, which one wrong efficiency moves together.
///
/// The independent interval always lies within the correlated one. Products and quotients of
/// numbers whose interval touches zero have no ratios and use the exact interval either way.
///
/// The basis of a result: `calibrated` if a fit took part, `assumed` if everything was assumed,
/// else `modelled`. `measured` is a number as it was read; no arithmetic yields it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "loadfactor/quantity.h"

namespace loadfactor {

enum class Basis : std::uint8_t { kMeasured, kCalibrated, kModelled, kAssumed };

/// `measured`, `calibrated`, `modelled` or `assumed`.
std::string_view basis_name(Basis basis);

/// The basis of a number computed from two others.
constexpr Basis derived_basis(Basis a, Basis b) {
  if (a == Basis::kCalibrated || b == Basis::kCalibrated) return Basis::kCalibrated;
  if (a == Basis::kAssumed && b == Basis::kAssumed) return Basis::kAssumed;
  return Basis::kModelled;
}

/// How the errors of two numbers hang together.
enum class Errors : std::uint8_t { kIndependent, kCorrelated };

/// An estimate whose dimension is known at run time only, as reports handle it.
/// Invariant: low ≤ value ≤ high, where low and high may be infinite.
struct Estimate {
  double value = 0.0;  ///< In base units, as are low and high.
  double low = 0.0;
  double high = 0.0;
  Dimension dimension;
  Basis basis = Basis::kModelled;
  std::string source;  ///< Ids of SOURCES.md or places in files, sorted, joined by "; ".

  AnyQuantity quantity() const { return {value, dimension}; }
  AnyQuantity low_quantity() const { return {low, dimension}; }
  AnyQuantity high_quantity() const { return {high, dimension}; }

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// True if low ≤ value ≤ high and the value is finite.
bool is_sound(const Estimate& estimate);

/// Arithmetic. Dimensions of sums and differences must agree; a divisor must not be zero.
Estimate add(const Estimate& a, const Estimate& b, Errors errors = Errors::kIndependent);
Estimate subtract(const Estimate& a, const Estimate& b, Errors errors = Errors::kIndependent);
Estimate multiply(const Estimate& a, const Estimate& b, Errors errors = Errors::kIndependent);
Estimate divide(const Estimate& a, const Estimate& b, Errors errors = Errors::kIndependent);

/// Multiplies by an exactly known number, such as a count of layers.
Estimate scale(const Estimate& a, double exact);

/// The union of two lists of sources, sorted, each named once.
std::string merged_sources(std::string_view a, std::string_view b);

/// An estimate of a quantity of known dimension; Q is a Quantity, or double for a pure ratio.
template <typename Q>
class EstimateOf {
 public:
  /// The interval is widened to hold the value if it does not.
  EstimateOf(Q value, Q low, Q high, Basis basis, std::string source)
      : EstimateOf(Estimate{any(value).value, any(low < value ? low : value).value,
                            any(high > value ? high : value).value, any(value).dimension, basis,
                            std::move(source)}) {}

  /// A number without error: an exact count, or a definition.
  static EstimateOf exact(Q value, Basis basis, std::string source) {
    return EstimateOf(value, value, value, basis, std::move(source));
  }

  /// value ± relative × |value|.
  static EstimateOf within(Q value, double relative, Basis basis, std::string source) {
    const Q half = value * relative;
    const bool positive = half > Q();
    return positive ? EstimateOf(value, value - half, value + half, basis, std::move(source))
                    : EstimateOf(value, value + half, value - half, basis, std::move(source));
  }

  /// Nothing known: exactly zero, assumed. For structs that are filled in later.
  EstimateOf() : EstimateOf(Q(), Q(), Q(), Basis::kAssumed, {}) {}

  /// From an estimate of the same dimension.
  explicit EstimateOf(Estimate erased) : erased_(std::move(erased)) {}

  Q value() const { return typed(erased_.value); }
  Q low() const { return typed(erased_.low); }
  Q high() const { return typed(erased_.high); }
  Basis basis() const { return erased_.basis; }
  const std::string& source() const { return erased_.source; }
  const Estimate& erased() const { return erased_; }

  friend EstimateOf operator+(const EstimateOf& a, const EstimateOf& b) {
    return EstimateOf(add(a.erased_, b.erased_));
  }
  friend EstimateOf operator-(const EstimateOf& a, const EstimateOf& b) {
    return EstimateOf(subtract(a.erased_, b.erased_));
  }
  friend EstimateOf operator*(const EstimateOf& a, double exact) {
    return EstimateOf(scale(a.erased_, exact));
  }
  friend EstimateOf operator*(double exact, const EstimateOf& a) { return a * exact; }
  friend EstimateOf operator/(const EstimateOf& a, double exact) {
    return EstimateOf(scale(a.erased_, 1.0 / exact));
  }

 private:
  static Q typed(double base) {
    if constexpr (std::is_same_v<Q, double>)
      return base;
    else
      return Q::from_base(base);
  }

  Estimate erased_;
};

template <typename A, typename B>
auto operator*(const EstimateOf<A>& a, const EstimateOf<B>& b) {
  return EstimateOf<decltype(A() * B())>(multiply(a.erased(), b.erased()));
}
template <typename A, typename B>
auto operator/(const EstimateOf<A>& a, const EstimateOf<B>& b) {
  return EstimateOf<decltype(A() / B())>(divide(a.erased(), b.erased()));
}

/// Sum of two numbers that one wrong assumption would move together.
template <typename Q>
EstimateOf<Q> add_correlated(const EstimateOf<Q>& a, const EstimateOf<Q>& b) {
  return EstimateOf<Q>(add(a.erased(), b.erased(), Errors::kCorrelated));
}

/// How the work is had and paid for. A scenario lists the first six in `money.options`.
enum class OptionKind : std::uint8_t {
  kOnDemand,
  kReserved1y,
  kReserved3y,
  kSpot,
  kOwn,
  kApi,
  kManaged,
  kAutoscaled,    ///< On demand, as many nodes as the hour needs.
  kOwnBurst,      ///< Own the base, rent the rest on demand.
  kOwnSpotBurst,  ///< Own the base, rent the rest on spot.
  kThreeTier,     ///< Own, reserve, rent on demand.
  kAlternative,   ///< Another machine, from the scenario's list.
};
inline constexpr std::string_view kOptionNames[] = {"on-demand",
                                                    "reserved-1y",
                                                    "reserved-3y",
                                                    "spot",
                                                    "own",
                                                    "api",
                                                    "managed",
                                                    "autoscaled",
                                                    "own+on-demand",
                                                    "own+spot",
                                                    "own+reserved+on-demand",
                                                    "alternative"};
/// As scenarios and JSON write it.
constexpr std::string_view name_of(OptionKind kind) {
  return kOptionNames[static_cast<std::size_t>(kind)];
}
/// The same where there may be none; then nothing.
constexpr std::string_view name_of(const std::optional<OptionKind>& kind) {
  return kind ? name_of(*kind) : std::string_view();
}
/// Whether a part is owned and the rest rented.
constexpr bool is_mix(OptionKind kind) {
  return kind == OptionKind::kOwnBurst || kind == OptionKind::kOwnSpotBurst ||
         kind == OptionKind::kThreeTier;
}

enum class Severity { kNote, kCaution };

/// Something an answer must confess: an assumption, a default, an extrapolation, a stale fact.
struct Notice {
  /// A name or a figure that the register's text speaks of.
  struct Argument {
    std::string name;
    std::string text;
    std::vector<Notice> phrases = {};  ///< Instead of a text: ids of phrases with their arguments.

    friend bool operator==(const Argument&, const Argument&) = default;
  };
  std::string id;  ///< Stable, lower case with hyphens.
  Severity severity = Severity::kNote;
  std::string text = {};                 ///< Empty: the register's text of the id.
  std::vector<Argument> arguments = {};  ///< That the register's text names.

  friend bool operator==(const Notice&, const Notice&) = default;
};

/// A fact that went into the answer.
struct UsedFact {
  std::string what;    ///< "memory of h100-sxm".
  std::string kind;    ///< measured | datasheet | published | assumed.
  std::string source;  ///< Ids of SOURCES.md, comma separated.
  std::string date;
  std::string where;       ///< File and line that state it.
  std::string value = {};  ///< With its unit; empty where it is not one figure.
  std::string id = {};     ///< Which figure it is, of whatever entry: "memory", "electricity".
};

}  // namespace loadfactor
