#include "base/distributions.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/check.h"

// LF_WIDE_VECTORS before a function: compiled a second time for vectors of 32 bytes, which a
// processor that has them takes when it is loaded. Both give the same bits: no multiplication is
// fused with an addition in either.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LF_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define LF_WIDE_VECTORS
#endif

namespace loadfactor {
namespace {

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& c, double x) {
  double sum = 0;
  for (std::size_t i = c.size(); i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// A rational approximation on one of the three ranges of AS 241.
struct Rational {
  Coefficients numerator;
  Coefficients denominator;

  double operator()(double x) const {
    return polynomial(numerator, x) / polynomial(denominator, x);
  }
};

constexpr Rational kCentre{
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};
constexpr Rational kFlank{
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
constexpr Rational kTail{
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

}  // namespace

double uniform_between(RandomStream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}

double exponential(RandomStream& stream, double mean) {
  return -mean * std::log1p(-stream.uniform());
}

double normal(RandomStream& stream, double mean, double standard_deviation) {
  return mean + standard_deviation * normal_quantile(stream.uniform_open());
}

double lognormal(RandomStream& stream, double mu, double sigma) {
  return std::exp(normal(stream, mu, sigma));
}

LognormalShape lognormal_shape(double mean, double coefficient_of_variation) {
  LF_CHECK(mean > 0 && coefficient_of_variation >= 0, "a lognormal needs a positive mean");
  const double variance = std::log1p(coefficient_of_variation * coefficient_of_variation);
  return {std::log(mean) - variance / 2, std::sqrt(variance)};
}

double gamma(RandomStream& stream, double shape, double scale) {
  LF_CHECK(shape > 0, "the shape must be positive");
  if (shape < 1) {
    const double above_one = gamma(stream, shape + 1, scale);
    return above_one * std::pow(stream.uniform_open(), 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal_quantile(stream.uniform_open());
    const double u = stream.uniform_open();
    const double root = 1.0 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    // Nine draws of ten lie where the test below is known to hold, by their own bound on it.
    constexpr double kSqueeze = 0.0331;
    if (u < 1.0 - kSqueeze * (x * x) * (x * x)) return d * v * scale;
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v * scale;
  }
}

double normal_probability(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

namespace {

constexpr std::size_t kLanes = 8;
constexpr double kCentreReach = 0.425;  // How far the middle range reaches from one half.
constexpr double kFlankReach = 5.0;     // Beyond, the tail has a range of its own.

// The rational of a range, for all lanes at once.
LF_WIDE_VECTORS void evaluate(const Rational& range, std::array<double, kLanes>& x) {
  std::array<double, kLanes> top{};
  std::array<double, kLanes> bottom{};
  for (std::size_t c = range.numerator.size(); c-- > 0;) {
    const double a = range.numerator[c];
    const double b = range.denominator[c];
    for (std::size_t i = 0; i < kLanes; ++i) top[i] = top[i] * x[i] + a;
    for (std::size_t i = 0; i < kLanes; ++i) bottom[i] = bottom[i] * x[i] + b;
  }
  for (std::size_t i = 0; i < kLanes; ++i) x[i] = top[i] / bottom[i];
}

// How far out a probability is that lies beyond the middle range.
double reach_of(double probability) {
  return std::sqrt(-std::log(probability - 0.5 < 0 ? probability : 1.0 - probability));
}

// Probabilities of the flanks on their way to quantiles, which are written where they came from.
class Flanks {
 public:
  void add(double& place) {
    const double reach = reach_of(place);
    if (!(reach <= kFlankReach)) {
      place = normal_quantile(place);
      return;
    }
    x_[count_] = reach - 1.6;
    places_[count_] = &place;
    if (++count_ == kLanes) flush();
  }
  void flush() {
    evaluate(kFlank, x_);
    for (std::size_t i = 0; i < count_; ++i) *places_[i] = *places_[i] - 0.5 < 0 ? -x_[i] : x_[i];
    count_ = 0;
  }

 private:
  std::array<double, kLanes> x_{};
  std::array<double*, kLanes> places_{};
  std::size_t count_ = 0;
};

}  // namespace

void replace_by_normal_quantiles(std::span<double> probabilities) {
  Flanks flanks;
  std::array<double, kLanes> q;
  std::array<double, kLanes> x;
  const std::size_t whole = probabilities.size() - probabilities.size() % kLanes;
  for (std::size_t first = 0; first < whole; first += kLanes) {
    double* p = probabilities.data() + first;
    for (std::size_t i = 0; i < kLanes; ++i) q[i] = p[i] - 0.5;
    for (std::size_t i = 0; i < kLanes; ++i) x[i] = 0.180625 - q[i] * q[i];
    evaluate(kCentre, x);
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (std::fabs(q[i]) <= kCentreReach)
        p[i] = q[i] * x[i];
      else
        flanks.add(p[i]);
    }
  }
  flanks.flush();
  for (double& p : probabilities.subspan(whole)) p = normal_quantile(p);
}

double normal_quantile(double probability) {
  LF_CHECK(probability > 0 && probability < 1, "a probability lies strictly between 0 and 1");
  const double q = probability - 0.5;
  if (std::fabs(q) <= kCentreReach) return q * kCentre(0.180625 - q * q);
  const double r = reach_of(probability);
  const double size = r <= kFlankReach ? kFlank(r - 1.6) : kTail(r - kFlankReach);
  return q < 0 ? -size : size;
}

}  // namespace loadfactor
