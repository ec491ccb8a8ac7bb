#include "catalog/validators/dense_rate_rule.h"

#include <algorithm>
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
  // Half the bits, twice the rate; four times is with sparsity. Other dtypes have no such rule:
  // some chips run int8 at four times and tf32 at once the 16-bit rate, and dense.
  const double fp8 = rate(Dtype::kFp8);
  const double sixteen = std::max(bf16, fp16);
  if (fp8 > 0 && sixteen > 0 && is_near(fp8, 4.0 * sixteen)) {
    check.report(at, name(Dtype::kFp8), sparse(spec, Dtype::kFp8, "four times the 16-bit rate"));
  }
}

// What one unit does in one clock.
std::optional<double> work_per_clock(const AcceleratorSpec& spec, Dtype dtype) {
  const double unit_clocks = spec.compute.units * spec.compute.clock.base();
  const double rate = spec.arithmetic.rate(dtype).base();
  if (unit_clocks == 0.0 || rate == 0.0) return std::nullopt;
  return rate / unit_clocks;
}

double rate_ratio(const AcceleratorSpec& a, const AcceleratorSpec& b, Dtype dtype) {
  return a.arithmetic.rate(dtype) / b.arithmetic.rate(dtype);
}

// Whether `spec` does twice as much as a sibling: per unit and clock where both say so, else as a
// whole where the same memory betrays the same silicon.
bool is_twice(const AcceleratorSpec& spec, const AcceleratorSpec& sibling, Dtype dtype) {
  const auto work = work_per_clock(spec, dtype);
  const auto other = work_per_clock(sibling, dtype);
  if (work && other) return is_near(*work, 2.0 * *other);
  const bool same_memory = is_near(spec.memory.bandwidth / sibling.memory.bandwidth, 1.0) &&
                           is_near(spec.memory.nominal / sibling.memory.nominal, 1.0);
  return same_memory && is_near(rate_ratio(spec, sibling, dtype), 2.0);
}

// Whether a sibling does as much; without clocks, which differ by up to a quarter in a family,
// per unit.
bool is_shared(const AcceleratorSpec& spec, const AcceleratorSpec& sibling, Dtype dtype) {
  const auto work = work_per_clock(spec, dtype);
  const auto other = work_per_clock(sibling, dtype);
  if (work && other) return is_near(*work, *other);
  if (spec.compute.units == 0 || sibling.compute.units == 0) return false;
  const double units = static_cast<double>(spec.compute.units) / sibling.compute.units;
  return std::abs(rate_ratio(spec, sibling, dtype) / units - 1.0) <= 0.25;
}

// The siblings that have a rate of this dtype.
std::vector<const AcceleratorSpec*> siblings_of(const AcceleratorSpec& spec,
                                                const std::vector<AcceleratorSpec>& all,
                                                Dtype dtype) {
  std::vector<const AcceleratorSpec*> siblings;
  for (const auto& other : all) {
    const bool is_sibling = other.name != spec.name && other.family == spec.family;
    if (is_sibling && other.arithmetic.rate(dtype) > FlopsPerSecond()) siblings.push_back(&other);
  }
  return siblings;
}

// Refuses a rate that is twice a sibling's and that no other sibling has.
void check_family(const AcceleratorSpec& spec, const std::vector<AcceleratorSpec>& all,
                  const EntryCheck& check) {
  for (const auto& row : kDtypes) {
    if (spec.arithmetic.rate(row.dtype) == FlopsPerSecond()) continue;
    const auto siblings = siblings_of(spec, all, row.dtype);
    const auto half = std::find_if(siblings.begin(), siblings.end(), [&](const auto* sibling) {
      return is_twice(spec, *sibling, row.dtype);
    });
    const bool has_company =
        std::any_of(siblings.begin(), siblings.end(),
                    [&](const auto* sibling) { return is_shared(spec, *sibling, row.dtype); });
    if (half == siblings.end() || has_company) continue;
    check.report(spec.arithmetic.provenance, row.name,
                 sparse(spec, row.dtype, "twice what a unit of " + (*half)->name + " does"));
  }
}

}  // namespace

void check_dense_rates(const AcceleratorSpec& spec, const std::vector<AcceleratorSpec>& all,
                       const EntryCheck& check) {
  check_ratios(spec, check);
  check_family(spec, all, check);
}

}  // namespace loadfactor::catalog
