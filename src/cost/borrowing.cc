#include "cost/borrowing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error_codes.h"

namespace loadfactor::cost {
namespace {

using catalog::AcceleratorSpec;
using catalog::Dtype;

struct Neighbours {
  Dtype dtype;
  std::array<Dtype, 4> order;  // Formats whose kernels are most alike, from the left.
};
constexpr std::array kNeighbours{
    Neighbours{Dtype::kFp64, {Dtype::kFp64, Dtype::kFp32, Dtype::kTf32, Dtype::kBf16}},
    Neighbours{Dtype::kFp32, {Dtype::kFp32, Dtype::kTf32, Dtype::kBf16, Dtype::kFp16}},
    Neighbours{Dtype::kTf32, {Dtype::kTf32, Dtype::kBf16, Dtype::kFp16, Dtype::kFp32}},
    Neighbours{Dtype::kBf16, {Dtype::kBf16, Dtype::kFp16, Dtype::kFp8, Dtype::kTf32}},
    Neighbours{Dtype::kFp16, {Dtype::kFp16, Dtype::kBf16, Dtype::kFp8, Dtype::kTf32}},
    Neighbours{Dtype::kFp8, {Dtype::kFp8, Dtype::kMxfp8, Dtype::kInt8, Dtype::kBf16}},
    Neighbours{Dtype::kMxfp8, {Dtype::kMxfp8, Dtype::kFp8, Dtype::kInt8, Dtype::kBf16}},
    Neighbours{Dtype::kInt8, {Dtype::kInt8, Dtype::kFp8, Dtype::kMxfp8, Dtype::kBf16}},
    Neighbours{Dtype::kFp6, {Dtype::kFp6, Dtype::kMxfp8, Dtype::kFp8, Dtype::kBf16}},
    Neighbours{Dtype::kFp4, {Dtype::kFp4, Dtype::kNvfp4, Dtype::kMxfp4, Dtype::kFp8}},
    Neighbours{Dtype::kMxfp4, {Dtype::kMxfp4, Dtype::kNvfp4, Dtype::kFp4, Dtype::kFp8}},
    Neighbours{Dtype::kNvfp4, {Dtype::kNvfp4, Dtype::kMxfp4, Dtype::kFp4, Dtype::kFp8}},
    Neighbours{Dtype::kInt4, {Dtype::kInt4, Dtype::kInt8, Dtype::kFp8, Dtype::kBf16}},
};

// A block-scaled format asks for block-scaled kernels first, whatever the format that has them.
KernelVariant natural_variant(const KernelKey& key) {
  const bool scaled = key.dtype == Dtype::kMxfp8 && key.variant == KernelVariant::kPlain;
  return scaled ? KernelVariant::kBlockScaled : key.variant;
}

const DonorFit* find_among(const KernelKey& key, std::span<const DonorFit> donors) {
  const auto& order = kNeighbours[static_cast<std::size_t>(key.dtype)].order;
  for (const Dtype dtype : order) {
    for (const KernelVariant variant :
         {natural_variant(key), key.variant, KernelVariant::kPlain, KernelVariant::kStream}) {
      for (const DonorFit& donor : donors) {
        if (donor.fit.key == KernelKey{key.kernel, dtype, variant}) return &donor;
      }
    }
  }
  return nullptr;
}

// The nearest chip that measured the class at all decides; formats are matched inside it.
const DonorFit* find_donor(const KernelKey& key, std::span<const DonorFit> donors) {
  std::size_t begin = 0;
  while (begin < donors.size()) {
    std::size_t end = begin;
    while (end < donors.size() && donors[end].chip == donors[begin].chip) ++end;
    if (const auto* found = find_among(key, donors.subspan(begin, end - begin))) return found;
    begin = end;
  }
  return nullptr;
}

FlopsPerSecond wide_peak(const AcceleratorSpec& chip) {
  return std::max(chip.arithmetic.rate(Dtype::kBf16), chip.arithmetic.rate(Dtype::kFp16));
}

double log_ratio(double a, double b) {
  return a > 0.0 && b > 0.0 ? std::abs(std::log(a / b)) : 1.0;
}

struct Likeness {
  double peak;
  double memory;
};
Likeness likeness(const AcceleratorSpec& a, const AcceleratorSpec& b) {
  const auto one_rate = FlopsPerSecond::from_base(1.0);
  const auto one_bandwidth = BytesPerSecond::from_base(1.0);
  return {log_ratio(wide_peak(a) / one_rate, wide_peak(b) / one_rate),
          log_ratio(a.memory.bandwidth / one_bandwidth, b.memory.bandwidth / one_bandwidth)};
}

// How much less of its peak the chip's best matrix product reaches than the donor's.
double achieved_ratio(const AcceleratorSpec& chip, const AcceleratorSpec& donor) {
  if (!chip.measured_matmul || !donor.measured_matmul) return 1.0;
  const double own = *chip.measured_matmul / wide_peak(chip);
  const double other = *donor.measured_matmul / wide_peak(donor);
  return std::clamp(own / other, 0.4, 1.5);
}

// Vector units feed the matrix units. Where the matrix units run slower beside the same vector
// units (GeForce cards halve them), what keeps kernels from the peak takes less of the time.
double matrix_per_vector(const AcceleratorSpec& chip, Dtype dtype) {
  const FlopsPerSecond vector = chip.arithmetic.rate(Dtype::kFp32);
  return vector > FlopsPerSecond{} ? chip.arithmetic.rate(dtype) / vector : 0.0;
}

// Products and what feeds or powers them run beside each other: the longer one counts, a little
// more where they are close (as everywhere, the fourth power of times is summed).
double relieved(double sustained, double relief) {
  if (sustained <= 0.0 || sustained >= 1.0) return sustained;
  const double other = std::pow(sustained, -4.0) - 1.0;
  return std::pow(1.0 + other * std::pow(relief, 4.0), -0.25);
}

double matrix_relief(const AcceleratorSpec& chip, const AcceleratorSpec& donor, Dtype dtype) {
  constexpr double kMinRelief = 0.2;
  const double own = matrix_per_vector(chip, dtype);
  const double other = matrix_per_vector(donor, dtype);
  return own > 0.0 && other > 0.0 ? std::clamp(own / other, kMinRelief, 1.0) : 1.0;
}

bool has_gddr(const AcceleratorSpec& chip) {
  return chip.memory.type.substr(0, 4) == "gddr";
}

// GDDR without chips for check bits keeps them among the data: capacity and traffic are lost in
// the same share, which shows in what the driver reports of the memory as sold.
double checked_share(const AcceleratorSpec& chip) {
  constexpr double kSoldAsBinary = 1.073741824;
  constexpr double kDriverShare = 0.03;  // A smaller loss is what the driver keeps.
  if (!has_gddr(chip) || chip.memory.nominal <= Bytes()) return 0.0;
  const double lost = 1.0 - chip.memory.usable / (chip.memory.nominal * kSoldAsBinary);
  return lost > kDriverShare ? std::min(lost, 0.15) : 0.0;
}

void widen(Spread& spread, double factor) {
  // Never narrower than this for a chip nobody measured.
  constexpr double kMinSpread = 0.05;
  spread.median = std::max(kMinSpread, spread.median * factor);
  spread.p90 = std::max(2.0 * kMinSpread, spread.p90 * factor);
  spread.low = std::min(-2.0 * kMinSpread, spread.low * factor);
  spread.high = std::max(2.0 * kMinSpread, spread.high * factor);
}

struct BasisRow {
  FitBasis basis;
  double widening;
};
constexpr std::array kBases{BasisRow{FitBasis::kMeasured, 1.0}, BasisRow{FitBasis::kVariant, 1.3},
                            BasisRow{FitBasis::kFamily, 1.5}, BasisRow{FitBasis::kGeneric, 2.5}};

void follow_silicon(KernelFit& fit, const AcceleratorSpec& chip, const AcceleratorSpec& donor) {
  const bool measured = chip.measured_matmul && donor.measured_matmul;
  if (fit.basis == FitBasis::kFamily && !measured) {
    fit.parameters.sustained =
        relieved(fit.parameters.sustained, matrix_relief(chip, donor, fit.key.dtype));
  }
  fit.parameters.memory = std::min(
      1.0, fit.parameters.memory * (1.0 - checked_share(chip)) / (1.0 - checked_share(donor)));
}

FitBasis basis_of(const KernelKey& key, const AcceleratorSpec& chip, const DonorFit& donor) {
  if (donor.chip->name == chip.name) {
    return donor.fit.key == key ? FitBasis::kMeasured : FitBasis::kVariant;
  }
  return donor.chip->family == chip.family ? FitBasis::kFamily : FitBasis::kGeneric;
}

}  // namespace

std::vector<MeasuredChip> by_distance(const AcceleratorSpec& chip,
                                      std::span<const MeasuredChip> measured) {
  const auto distance = [&](const MeasuredChip& other) {
    if (other.spec->name == chip.name) return -1.0;
    const Likeness like = likeness(chip, *other.spec);
    const double strangeness = other.spec->family == chip.family   ? 0.0
                               : other.spec->vendor == chip.vendor ? 100.0
                                                                   : 200.0;
    return strangeness + like.peak + 0.5 * like.memory;
  };
  std::vector<MeasuredChip> order(measured.begin(), measured.end());
  std::stable_sort(order.begin(), order.end(), [&](const MeasuredChip& a, const MeasuredChip& b) {
    return distance(a) < distance(b);
  });
  return order;
}

Result<std::vector<DonorFit>> donor_fits(const MeasuredChip& measured) {
  std::vector<DonorFit> fits;
  for (const catalog::CalibratedKernel& kernel : measured.table->kernels) {
    const auto kind = std::find(kKernelClasses.begin(), kKernelClasses.end(), kernel.kernel);
    const auto variant = std::find(kKernelVariants.begin(), kKernelVariants.end(), kernel.variant);
    const auto dtype = catalog::find_dtype(kernel.dtype);
    if (kind == kKernelClasses.end() || variant == kKernelVariants.end() || !dtype) {
      return Error{.code = lf::kUnknownWord,
                   .message = "no kernel '" + kernel.kernel + "' in '" + kernel.dtype +
                              "', variant '" + kernel.variant + "'",
                   .hint = "the words are listed in docs/models/kernels.md",
                   .where = {.file = kernel.provenance.file, .line = kernel.provenance.line}};
    }
    DonorFit donor{.chip = measured.spec};
    donor.fit.key = {static_cast<KernelClass>(kind - kKernelClasses.begin()), *dtype,
                     static_cast<KernelVariant>(variant - kKernelVariants.begin())};
    const auto& p = kernel.parameters;
    donor.fit.parameters = {p.sustained, p.half,   p.tile_cost, p.wave_paid,
                            p.split,     p.memory, p.fixed};
    if (kernel.correction) {
      std::array<GridAxis, 3> axes;
      for (std::size_t i = 0; i < 3; ++i) {
        axes[i] = {kernel.correction->origin[i], kernel.correction->step[i],
                   kernel.correction->nodes[i]};
      }
      donor.fit.correction = CorrectionGrid(axes, kernel.correction->log);
    }
    const auto& s = kernel.held_out;
    donor.fit.spread = {s.median, s.p90, s.low, s.high};
    donor.fit.points = kernel.points;
    fits.push_back(std::move(donor));
  }
  return fits;
}

KernelFit borrow(const KernelKey& key, const AcceleratorSpec& chip,
                 std::span<const DonorFit> donors, std::string& donor_name) {
  const DonorFit* donor = find_donor(key, donors);
  if (donor == nullptr) {
    KernelFit plain{.key = key, .spread = {0.25, 0.6, -0.5, 0.5}};
    plain.parameters.fixed = Seconds::from_base(5e-6);
    return plain;
  }
  donor_name = donor->chip->name;
  KernelFit fit = donor->fit;
  fit.key = key;
  fit.basis = basis_of(key, chip, *donor);
  if (fit.basis == FitBasis::kFamily || fit.basis == FitBasis::kGeneric) {
    const Likeness like = likeness(chip, *donor->chip);
    // Another balance of rate and bandwidth moves the shapes at which kernels change.
    const bool alike = like.peak < 0.3 && like.memory < 0.5 && fit.basis == FitBasis::kFamily;
    if (!alike) fit.correction = {};
    fit.parameters.sustained =
        std::min(1.0, fit.parameters.sustained * achieved_ratio(chip, *donor->chip));
    follow_silicon(fit, chip, *donor->chip);
  }
  if (fit.basis != FitBasis::kMeasured) {
    widen(fit.spread, kBases[static_cast<std::size_t>(fit.basis)].widening);
  }
  return fit;
}

}  // namespace loadfactor::cost
