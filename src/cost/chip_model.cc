#include "cost/chip_model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cost/borrowing.h"

namespace loadfactor::cost {
namespace {

using catalog::AcceleratorSpec;
using catalog::Dtype;

// Where no launch was ever measured.
constexpr LaunchTimes kPlainLaunch{Seconds::from_base(8e-6), Seconds::from_base(5e-6),
                                   Seconds::from_base(3e-6)};

// A backward pass borrowed from another chip keeps its distance from that chip's forward pass.
void follow_forward(KernelFit& backward, const KernelFit& forward, std::span<const DonorFit> donors,
                    const std::string& donor) {
  if (backward.basis != FitBasis::kFamily && backward.basis != FitBasis::kGeneric) return;
  for (const DonorFit& other : donors) {
    if (other.chip->name != donor || other.fit.key.kernel != KernelClass::kAttention) continue;
    if (other.fit.key.dtype != Dtype::kBf16) continue;
    const double ratio = forward.parameters.sustained / other.fit.parameters.sustained;
    backward.parameters.sustained = std::min(1.0, backward.parameters.sustained * ratio);
    return;
  }
}

}  // namespace

Result<ChipModel> ChipModel::make(const AcceleratorSpec& chip,
                                  std::span<const MeasuredChip> measured) {
  ChipModel model;
  model.rates_ = make_chip_rates(chip);
  const std::vector<MeasuredChip> order = by_distance(chip, measured);
  std::vector<DonorFit> donors;
  for (const MeasuredChip& other : order) {
    TRY(auto fits, donor_fits(other));
    std::move(fits.begin(), fits.end(), std::back_inserter(donors));
  }
  for (std::size_t kernel = 0; kernel < kNumKernelClasses; ++kernel) {
    for (std::size_t dtype = 0; dtype < catalog::kNumDtypes; ++dtype) {
      for (std::size_t variant = 0; variant < kNumKernelVariants; ++variant) {
        const KernelKey key{static_cast<KernelClass>(kernel), static_cast<Dtype>(dtype),
                            static_cast<KernelVariant>(variant)};
        std::string donor;
        KernelFit fit = borrow(key, chip, donors, donor);
        if (key.kernel == KernelClass::kAttentionBackward) {
          follow_forward(fit, model.fit({KernelClass::kAttention, key.dtype, key.variant}), donors,
                         donor);
        }
        model.index_[place(key)] = static_cast<std::uint16_t>(model.fits_.size());
        model.fits_.push_back(std::move(fit));
        model.donors_.push_back(std::move(donor));
      }
    }
  }
  model.set_launch(order);
  model.set_power(chip, order);
  model.set_lender(chip, order);
  return model;
}

void ChipModel::set_launch(std::span<const MeasuredChip> order) {
  launch_ = kPlainLaunch;
  for (const MeasuredChip& other : order) {
    if (!other.table->launch) continue;
    launch_ = {other.table->launch->eager, other.table->launch->compiled,
               other.table->launch->graph};
    return;
  }
}

void ChipModel::set_power(const AcceleratorSpec& chip, std::span<const MeasuredChip> order) {
  for (const MeasuredChip& other : order) {
    if (!other.table->power || other.spec->family != chip.family) continue;
    const catalog::CalibratedPower& power = *other.table->power;
    const bool own = other.spec->name == chip.name;
    const bool borrowed = donor({KernelClass::kGemm, Dtype::kBf16}) == other.spec->name;
    power_ = PowerModel{own ? power.limit : chip.power.rated, chip.power.idle.value_or(power.idle),
                        power.window};
    for (const catalog::CalibratedLoad& load : power.loads) {
      const auto kind = std::find(kKernelClasses.begin(), kKernelClasses.end(), load.kernel);
      const auto dtype = catalog::find_dtype(load.dtype);
      if (kind == kKernelClasses.end() || !dtype) continue;
      // The same silicon at another rate draws in proportion.
      const ChipRates theirs = make_chip_rates(*other.spec);
      const bool moves =
          static_cast<KernelClass>(kind - kKernelClasses.begin()) == KernelClass::kMemory;
      const double scale =
          moves ? rates_.memory / theirs.memory : rates_.rate(*dtype) / theirs.rate(*dtype);
      loads_.push_back({static_cast<KernelClass>(kind - kKernelClasses.begin()),
                        *dtype,
                        {load.compute * scale, load.memory * scale},
                        load.burst,
                        load.bursts && (own || borrowed)});
    }
    return;
  }
}

// The same silicon with less power runs at a lower clock.
void ChipModel::set_lender(const AcceleratorSpec& chip, std::span<const MeasuredChip> order) {
  const KernelKey product{KernelClass::kGemm, Dtype::kBf16};
  if (!power_ || chip.measured_matmul || fit(product).basis != FitBasis::kFamily) return;
  const auto other = std::find_if(order.begin(), order.end(), [&](const MeasuredChip& measured) {
    return measured.spec->name == donor(product);
  });
  if (other == order.end() || other->spec->power.rated <= power_->limit) return;
  const ChipRates theirs = make_chip_rates(*other->spec);
  lender_ = Lender{{other->spec->power.rated, power_->idle, power_->window},
                   theirs.rate(Dtype::kBf16) / rates_.rate(Dtype::kBf16),
                   theirs.memory / rates_.memory};
}

const HeldLoad* ChipModel::held(const KernelKey& key) const {
  KernelClass kernel = key.kernel;
  if (kernel == KernelClass::kGroupedGemm) kernel = KernelClass::kGemm;
  if (kernel == KernelClass::kAttentionBackward) kernel = KernelClass::kAttention;
  const HeldLoad* found = nullptr;
  for (const HeldLoad& load : loads_) {
    if (load.kernel != kernel) continue;
    if (found == nullptr || load.dtype == key.dtype) found = &load;
  }
  return found;
}

double ChipModel::slowdown(const KernelKey& key, Seconds duration) const {
  const HeldLoad* found = power_ ? held(key) : nullptr;
  if (found == nullptr) return 1.0;
  return found->burst / mean_clock(*power_, found->draw, found->burst, duration);
}

}  // namespace loadfactor::cost
