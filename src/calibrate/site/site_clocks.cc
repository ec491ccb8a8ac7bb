#include "calibrate/site/site_clocks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cost/gemm.h"

namespace loadfactor::calibrate {
namespace {

using catalog::CalibratedLoad;
using catalog::CalibratedPower;
using catalog::Dtype;
using cost::KernelClass;

// What the name of a load says of it. The probe's attention is its own and no program's.
struct LoadWord {
  std::string_view name;
  KernelClass kernel;
  Dtype dtype;
};
constexpr std::array kLoadWords{LoadWord{"gemm_bf16_8192", KernelClass::kGemm, Dtype::kBf16},
                                LoadWord{"gemm_fp8_8192", KernelClass::kGemm, Dtype::kFp8},
                                LoadWord{"stream_add", KernelClass::kMemory, Dtype::kBf16}};
constexpr std::int64_t kSide = 8192;  // Rows and columns of the held products.

// TFLOP/s of the held product in a burst, as the refit says; 0 where it was not refitted.
double burst_rate(const SiteKernels& site, const cost::ChipModel& shipped, Dtype dtype) {
  for (const KernelRefit& group : site.groups) {
    if (group.key.kernel != KernelClass::kGemm || group.key.dtype != dtype || !group.helps())
      continue;
    cost::KernelFit fit = shipped.fit(group.key);
    fit.parameters = group.fitted;
    fit.correction = group.correction;
    const auto time =
        cost::estimate_gemm({.shape = {kSide, kSide, kSide}, .dtype = dtype}, shipped.rates(), fit)
            .duration;
    return 2.0 * std::pow(static_cast<double>(kSide), 3) / (time / Seconds::from_base(1.0)) / 1e12;
  }
  return 0;
}

CalibratedLoad load_of(const HeldClock& clock, const SiteKernels& site, Watts limit) {
  const Watts idle = site.idle;
  CalibratedLoad load;
  load.kernel = std::string(cost::kKernelClasses[static_cast<std::size_t>(clock.kernel)]);
  load.dtype = std::string(catalog::name(clock.dtype));
  load.burst = clock.burst;
  if (clock.kernel == KernelClass::kMemory) {
    // What memory does not take by itself is drawn on the chip and follows its clock.
    const double bits_per_second = 8 * clock.rate * 1e12;
    const Watts above = clock.drawn - idle;
    load.memory = std::min(above, Watts::from_base(bits_per_second * site.energy_of_bit.base()));
    load.compute = above - load.memory;
    return load;
  }
  load.bursts = true;
  load.compute = cost::draw_from_share({limit, idle, {}}, Watts{}, clock.settled).compute;
  return load;
}

}  // namespace

void add_clocks(const ProbeFile& probe, const cost::ChipModel& shipped, SiteKernels& site) {
  double full = 0;
  for (const ProbeRow& row : probe.section("power")) {
    full = std::max(full, row.number("sm_mhz").value_or(0));
    if (row.word("load") == "idle")
      site.idle = Watts::from_base(row.number("power_w_mean").value_or(0));
  }
  if (full <= 0 || site.idle <= Watts{}) return;
  for (const ProbeRow& row : probe.section("power")) {
    for (const LoadWord& word : kLoadWords) {
      const double rate = row.number("rate").value_or(0);
      const double settled = row.number("sm_mhz").value_or(0) / full;
      const Watts drawn = Watts::from_base(row.number("power_w_mean").value_or(0));
      if (row.word("load") != word.name || rate <= 0 || settled <= 0 || drawn <= site.idle)
        continue;
      HeldClock clock{word.kernel, word.dtype, rate, settled, 1.0, drawn};
      if (word.kernel == KernelClass::kGemm) {
        const double burst = burst_rate(site, shipped, word.dtype);
        if (burst <= 0) continue;
        clock.burst = std::clamp(settled * burst / rate, settled, 1.0);
      }
      site.clocks.push_back(clock);
    }
  }
}

CalibratedPower updated_power(const catalog::CalibrationTable& table, const SiteKernels& site,
                              const std::string& source, const std::string& date) {
  CalibratedPower power;
  if (table.power) {
    power = *table.power;
  } else {
    constexpr Seconds kWindow = Seconds::from_base(0.1);  // Assumed, as for every chip.
    power.window = kWindow;
    power.provenance.kind = catalog::SourceKind::kMeasured;
  }
  if (site.limit > Watts{}) power.limit = site.limit;
  power.idle = site.idle;
  for (const HeldClock& clock : site.clocks) {
    const CalibratedLoad load = load_of(clock, site, power.limit);
    const auto same =
        std::find_if(power.loads.begin(), power.loads.end(), [&](const CalibratedLoad& old) {
          return old.kernel == load.kernel && old.dtype == load.dtype;
        });
    if (same != power.loads.end()) {
      *same = load;
    } else {
      power.loads.push_back(load);
    }
  }
  power.provenance.sources.push_back(source);
  power.provenance.date = date;
  return power;
}

}  // namespace loadfactor::calibrate
