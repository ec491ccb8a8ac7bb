// Everything the cost of kernels on one chip needs, built once and then only read.
//
// Every kernel class, format and variant has a fit: the chip's own, that of a neighbouring format,
// that of the nearest chip of the family, or, last, of any chip that was measured. Ratios carry
// over as they are, because they are of each chip's own peak; the spread widens on the way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/calibration_table.h"
#include "cost/chip_rates.h"
#include "cost/kernel_fit.h"
#include "cost/sustained_clock.h"
#include "loadfactor/result.h"

namespace loadfactor::cost {

// A measured chip: its catalogue entry and what was fitted to it.
struct MeasuredChip {
  const catalog::AcceleratorSpec* spec = nullptr;
  const catalog::CalibrationTable* table = nullptr;
};

// A load that was held until its clock settled.
struct HeldLoad {
  KernelClass kernel;
  catalog::Dtype dtype;
  PowerDraw draw;
  double burst = 1.0;   // Share of the full clock in the kernel tables.
  bool bursts = false;  // All kernels of the table were measured in such a burst.
};

// The same silicon with more power. What it draws at its full clock, over what the borrower does.
struct Lender {
  PowerModel power;
  double compute = 1;
  double memory = 1;
};

struct LaunchTimes {
  Seconds eager;
  Seconds compiled;
  Seconds graph;
};

class ChipModel {
 public:
  // LF506 where a table names a kernel, format or variant that does not exist.
  static Result<ChipModel> make(const catalog::AcceleratorSpec& chip,
                                std::span<const MeasuredChip> measured);

  const ChipRates& rates() const { return rates_; }
  const LaunchTimes& launch() const { return launch_; }
  const KernelFit& fit(const KernelKey& key) const { return fits_[index_[place(key)]]; }
  // The chip whose table the fit comes from; empty where no table exists at all.
  const std::string& donor(const KernelKey& key) const { return donors_[index_[place(key)]]; }

  // By how much a kernel of this class is slower than its table when the load lasts. 1 where
  // nothing is known of the chip's power.
  double slowdown(const KernelKey& key, Seconds duration) const;

  // The chip whose table of products this one borrows, where that one has more power; nothing where
  // the table is its own, where a measured product has shown the clock already, or where nothing is
  // known of the power of the family.
  const std::optional<Lender>& lender() const { return lender_; }
  // The held load that a kernel is most like; nothing where none was held.
  const HeldLoad* held(const KernelKey& key) const;
  const std::optional<PowerModel>& power() const { return power_; }

 private:
  static constexpr std::size_t kPlaces =
      kNumKernelClasses * catalog::kNumDtypes * kNumKernelVariants;
  static constexpr std::size_t place(const KernelKey& key) {
    return (static_cast<std::size_t>(key.kernel) * catalog::kNumDtypes +
            static_cast<std::size_t>(key.dtype)) *
               kNumKernelVariants +
           static_cast<std::size_t>(key.variant);
  }

  void set_launch(std::span<const MeasuredChip> order);
  void set_power(const catalog::AcceleratorSpec& chip, std::span<const MeasuredChip> order);
  void set_lender(const catalog::AcceleratorSpec& chip, std::span<const MeasuredChip> order);

  ChipRates rates_;
  LaunchTimes launch_;
  std::vector<KernelFit> fits_;
  std::vector<std::string> donors_;
  std::array<std::uint16_t, kPlaces> index_{};
  std::optional<PowerModel> power_;
  std::vector<HeldLoad> loads_;
  std::optional<Lender> lender_;
};

}  // namespace loadfactor::cost
