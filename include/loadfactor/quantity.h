/// Physical and economic quantities as types.
///
/// One template carries the exponents of our seven base dimensions, so that
/// dividing Bytes by BytesPerSecond yields Seconds and nothing else compiles.
/// Values are stored in base units: second, byte, flop, joule, dollar, token, gpu.
#pragma once

#include <compare>
#include <cstdint>

namespace loadfactor {

struct Dimension {
  std::int8_t time = 0, data = 0, work = 0, energy = 0, money = 0, token = 0, gpu = 0;

  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;

  friend constexpr Dimension operator+(Dimension a, Dimension b) { return combine(a, b, +1); }
  friend constexpr Dimension operator-(Dimension a, Dimension b) { return combine(a, b, -1); }

 private:
  static constexpr Dimension combine(Dimension a, Dimension b, int sign) {
    const auto add = [sign](int x, int y) { return static_cast<std::int8_t>(x + sign * y); };
    return {add(a.time, b.time),     add(a.data, b.data),   add(a.work, b.work),
            add(a.energy, b.energy), add(a.money, b.money), add(a.token, b.token),
            add(a.gpu, b.gpu)};
  }
};
inline constexpr Dimension kNone{};

/// A number with a dimension. Construct through the literals below or from_base().
template <Dimension D>
class Quantity {
 public:
  constexpr Quantity() = default;
  static constexpr Quantity from_base(double value) { return Quantity(value); }

  /// The value in base units. For serialisation and formatting only.
  constexpr double base() const { return value_; }

  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  // One comparison each; what compilers make of the above tells unordered from equal first.
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.value_ >= b.value_; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return from_base(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return from_base(a.value_ - b.value_);
  }
  friend constexpr Quantity operator-(Quantity a) { return from_base(-a.value_); }
  friend constexpr Quantity operator*(Quantity a, double k) { return from_base(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return from_base(a.value_ * k); }
  friend constexpr Quantity operator/(Quantity a, double k) { return from_base(a.value_ / k); }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }

 private:
  constexpr explicit Quantity(double value) : value_(value) {}
  double value_ = 0.0;
};

template <Dimension A, Dimension B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  if constexpr (A + B == kNone)
    return a.base() * b.base();
  else
    return Quantity<A + B>::from_base(a.base() * b.base());
}
template <Dimension A, Dimension B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  if constexpr (A == B)
    return a.base() / b.base();
  else
    return Quantity<A - B>::from_base(a.base() / b.base());
}
template <Dimension B>
constexpr auto operator/(double a, Quantity<B> b) {
  return Quantity<kNone - B>::from_base(a / b.base());
}

/// A quantity whose dimension is known at run time only.
struct AnyQuantity {
  double value = 0.0;  ///< In base units.
  Dimension dimension;

  friend constexpr bool operator==(const AnyQuantity&, const AnyQuantity&) = default;
};

template <Dimension D>
constexpr AnyQuantity any(Quantity<D> quantity) {
  return {quantity.base(), D};
}
/// A pure ratio or count.
constexpr AnyQuantity any(double value) {
  return {value, kNone};
}

using Seconds = Quantity<Dimension{.time = 1}>;
using Hertz = Quantity<Dimension{.time = -1}>;
using Bytes = Quantity<Dimension{.data = 1}>;
using Flops = Quantity<Dimension{.work = 1}>;  ///< A count of operations, never a rate.
using Joules = Quantity<Dimension{.energy = 1}>;
using Dollars = Quantity<Dimension{.money = 1}>;
using Tokens = Quantity<Dimension{.token = 1}>;
using Gpus = Quantity<Dimension{.gpu = 1}>;
using BytesPerSecond = Quantity<Dimension{.time = -1, .data = 1}>;
using BytesPerToken = Quantity<Dimension{.data = 1, .token = -1}>;
using FlopsPerSecond = Quantity<Dimension{.time = -1, .work = 1}>;
using Watts = Quantity<Dimension{.time = -1, .energy = 1}>;
using TokensPerSecond = Quantity<Dimension{.time = -1, .token = 1}>;
using DollarsPerToken = Quantity<Dimension{.money = 1, .token = -1}>;
using DollarsPerSecond = Quantity<Dimension{.time = -1, .money = 1}>;
using DollarsPerGpuSecond = Quantity<Dimension{.time = -1, .money = 1, .gpu = -1}>;
using DollarsPerJoule = Quantity<Dimension{.energy = -1, .money = 1}>;

namespace literals {
// NOLINTBEGIN(bugprone-macro-parentheses): a type name cannot be parenthesised.
#define LF_LITERAL(suffix, Type, factor)                       \
  constexpr Type operator""_##suffix(long double v) {          \
    return Type::from_base(static_cast<double>(v) * (factor)); \
  }                                                            \
  constexpr Type operator""_##suffix(unsigned long long v) {   \
    return Type::from_base(static_cast<double>(v) * (factor)); \
  }
LF_LITERAL(us, Seconds, 1e-6)
LF_LITERAL(ms, Seconds, 1e-3)
LF_LITERAL(s, Seconds, 1.0)
LF_LITERAL(hours, Seconds, 3600.0)
LF_LITERAL(days, Seconds, 86400.0)
LF_LITERAL(B, Bytes, 1.0)
LF_LITERAL(MB, Bytes, 1e6)
LF_LITERAL(MiB, Bytes, 1048576.0)
LF_LITERAL(GB, Bytes, 1e9)
LF_LITERAL(GiB, Bytes, 1073741824.0)
LF_LITERAL(TB, Bytes, 1e12)
LF_LITERAL(GBps, BytesPerSecond, 1e9)
LF_LITERAL(TBps, BytesPerSecond, 1e12)
LF_LITERAL(Gbps, BytesPerSecond, 1e9 / 8)  // Network gear is sold in bits.
LF_LITERAL(TFLOPps, FlopsPerSecond, 1e12)
LF_LITERAL(GFLOP, Flops, 1e9)
LF_LITERAL(W, Watts, 1.0)
LF_LITERAL(kW, Watts, 1e3)
LF_LITERAL(kWh, Joules, 3.6e6)
LF_LITERAL(USD, Dollars, 1.0)
#undef LF_LITERAL
// NOLINTEND(bugprone-macro-parentheses)
}  // namespace literals

}  // namespace loadfactor
