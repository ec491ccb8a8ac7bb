#include "catalog/validators/dense_rate_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "base/error_codes.h"
#include "base/quantity_text.h"

namespace loadfactor::catalog {
namespace {

constexpr double kTolerance = 0.03;

bool is_near(double value, double expected) {
  return std::abs(value / expected - 1.0) <= kTolerance;
}

Error sparse(const AcceleratorSpec& spec, Dtype dtype, const std::string& why) {
  const FlopsPerSecond rate = spec.arithmetic.rate(dtype);
  return Error{.code = lf::kSparsePeak,
               .message = std::string(name(dtype)) + " of " + spec.name + ", " +
                          format_display(any(rate)) + ", looks sparse: " + why,
               .hint = "if the source says 'with sparsity', write " +
                       format_display(any(rate / 2.0)) + ", the dense rate"};
}

// How many times the 16-bit rate a dtype runs at most when both are dense.
struct UsualRatio {
  Dtype dtype;
  double ratio;
};
constexpr std::array kUsualRatios{
    UsualRatio{Dtype::kTf32, 0.5},
    UsualRatio{Dtype::kFp8, 2.0},
    UsualRatio{Dtype::kInt8, 2.0},
};

void check_ratios(const AcceleratorSpec& spec, const EntryCheck& check) {
  const auto rate = [&spec](Dtype dtype) { return spec.arithmetic.rate(dtype).base(); };
  const auto& at = spec.arithmetic.provenance;
  const double bf16 = rate(Dtype::kBf16);
  const double fp16 = rate(Dtype::kFp16);
  if (bf16 > 0 && fp16 > 0) {
    const Dtype larger = bf16 > fp16 ? Dtype::kBf16 : Dtype::kFp16;
    if (is_near(std::max(bf16, fp16), 2.0 * std::min(bf16, fp16))) {
      check.report(at, name(larger), sparse(spec, larger, "twice the other 16-bit rate"));
    }
  }
  const double sixteen = std::max(bf16, fp16);
  if (sixteen == 0.0) return;
  for (const auto& usual : kUsualRatios) {
    if (rate(usual.dtype) == 0.0) continue;
    if (!is_near(rate(usual.dtype), 2.0 * usual.ratio * sixteen)) continue;
    check.report(at, name(usual.dtype),
                 sparse(spec, usual.dtype, "twice what the 16-bit rate allows"));
  }
}

// What one unit does in one clock.
std::optional<double> work_per_clock(const AcceleratorSpec& spec, Dtype dtype) {
  const double unit_clocks = spec.compute.units * spec.compute.clock.base();
  const double rate = spec.arithmetic.rate(dtype).base();
  if (unit_clocks == 0.0 || rate == 0.0) return std::nullopt;
  return rate / unit_clocks;
}

// Rates that can be held against one another: per unit and clock where both say so, else of the
// same silicon, which the same memory betrays.
std::optional<double> ratio_of(const AcceleratorSpec& a, const AcceleratorSpec& b, Dtype dtype) {
  const auto of_a = work_per_clock(a, dtype);
  const auto of_b = work_per_clock(b, dtype);
  if (of_a && of_b) return *of_a / *of_b;
  const bool same_memory = is_near(a.memory.bandwidth / b.memory.bandwidth, 1.0) &&
                           is_near(a.memory.nominal / b.memory.nominal, 1.0);
  const double rate_a = a.arithmetic.rate(dtype).base();
  const double rate_b = b.arithmetic.rate(dtype).base();
  if (!same_memory || rate_a == 0.0 || rate_b == 0.0) return std::nullopt;
  return rate_a / rate_b;
}

// A rate that is twice a sibling's, and that no other sibling shares.
void check_family(const AcceleratorSpec& spec, const std::vector<AcceleratorSpec>& all,
                  const EntryCheck& check) {
  for (const auto& row : kDtypes) {
    const AcceleratorSpec* half = nullptr;
    bool is_shared = false;
    for (const auto& sibling : all) {
      if (sibling.name == spec.name || sibling.family != spec.family) continue;
      const auto ratio = ratio_of(spec, sibling, row.dtype);
      if (!ratio) continue;
      if (is_near(*ratio, 2.0)) half = &sibling;
      is_shared = is_shared || is_near(*ratio, 1.0);
    }
    if (half == nullptr || is_shared) continue;
    check.report(spec.arithmetic.provenance, row.name,
                 sparse(spec, row.dtype, "twice what a unit of " + half->name + " does"));
  }
}

}  // namespace

void check_dense_rates(const AcceleratorSpec& spec, const std::vector<AcceleratorSpec>& all,
                       const EntryCheck& check) {
  check_ratios(spec, check);
  check_family(spec, all, check);
}

}  // namespace loadfactor::catalog
