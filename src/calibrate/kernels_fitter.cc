#include "calibrate/kernels_fitter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/kernels_correction.h"
#include "calibrate/robust_fit.h"

namespace loadfactor::calibrate {
namespace {

using cost::KernelClass;
using cost::KernelFit;
using cost::KernelParameters;

// The parameters as the search sees them: logarithms, so that steps are ratios.
enum Slot : std::size_t {
  kSustained,
  kHalf,
  kTileCost,
  kWavePaid,
  kMemory,
  kFixed,
  kCastFixed,
  kNumSlots
};

struct SlotRow {
  double start, low, high;
  double looseness;  // Of the logarithm.
};
// Where a search starts and what it may find; times in microseconds.
constexpr std::array<SlotRow, kNumSlots> kSlots{{{0.7, 0.05, 1.0, 1.0},
                                                 {200, 1, 5000, 1.5},
                                                 {80, 1, 400, 0.7},
                                                 {0.3, 0.01, 1.0, 1.0},
                                                 {0.8, 0.05, 1.0, 1.0},
                                                 {4, 0.5, 200, 1.5},
                                                 {5, 0.1, 50, 1.0}}};

bool uses(KernelClass kernel, Slot slot, bool casts) {
  switch (slot) {
    case kSustained:
    case kHalf:
    case kWavePaid:
      return kernel != KernelClass::kMemory;
    case kTileCost:
      return kernel == KernelClass::kGemm || kernel == KernelClass::kGroupedGemm;
    case kCastFixed:
      return casts;
    case kMemory:
    case kFixed:
    case kNumSlots:
      break;
  }
  return true;
}

struct Setting {
  KernelParameters parameters;
  Seconds cast_fixed;
};

Setting setting_of(std::span<const double> logs, std::span<const Slot> slots) {
  std::array<double, kNumSlots> value{};
  for (std::size_t s = 0; s < kNumSlots; ++s) value[s] = kSlots[s].start;
  for (std::size_t i = 0; i < slots.size(); ++i) value[slots[i]] = std::exp(logs[i]);
  Setting setting;
  setting.parameters = {value[kSustained], value[kHalf],
                        value[kTileCost],  value[kWavePaid],
                        value[kMemory],    Seconds::from_base(value[kFixed] * 1e-6)};
  setting.cast_fixed = Seconds::from_base(value[kCastFixed] * 1e-6);
  return setting;
}

Seconds cast_time(const KernelSample& sample, const cost::ChipRates& rates,
                  const KernelParameters& parameters, Seconds cast_fixed) {
  if (sample.cast_traffic <= Bytes{}) return Seconds{};
  return cast_fixed + sample.cast_traffic / (rates.memory * parameters.memory);
}

using Samples = std::span<const KernelSample* const>;

// Searches the parameters; `start` warms it up.
Setting fit_parameters(Samples samples, const cost::ChipRates& rates, std::span<const double> start,
                       std::vector<double>& found) {
  const KernelClass kernel = samples.front()->key.kernel;
  const bool casts = std::any_of(samples.begin(), samples.end(),
                                 [](const KernelSample* s) { return s->cast_traffic > Bytes{}; });
  std::vector<Slot> slots;
  for (std::size_t s = 0; s < kNumSlots; ++s) {
    if (uses(kernel, static_cast<Slot>(s), casts)) slots.push_back(static_cast<Slot>(s));
  }
  RobustProblem problem;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const SlotRow& row = kSlots[slots[i]];
    const double begin = start.empty() ? std::log(row.start) : start[i];
    problem.parameters.push_back(
        {begin, std::log(row.low), std::log(row.high), std::log(row.start), row.looseness});
  }
  problem.num_residuals = samples.size();
  problem.residuals = [&](std::span<const double> logs, std::span<double> residuals) {
    KernelFit fit;
    const Setting setting = setting_of(logs, slots);
    fit.parameters = setting.parameters;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Seconds predicted = predict_sample(*samples[i], rates, fit, setting.cast_fixed);
      residuals[i] = std::log(predicted / samples[i]->measured);
    }
  };
  const RobustResult result = fit_robust(problem);
  found = result.values;
  return setting_of(result.values, slots);
}

// Parameters and correction together.
struct Whole {
  KernelFit fit;
  Seconds cast_fixed;
  std::vector<double> logs;
};

Whole fit_whole(Samples samples, const cost::ChipRates& rates, std::span<const double> start) {
  Whole whole;
  const Setting setting = fit_parameters(samples, rates, start, whole.logs);
  whole.fit.key = samples.front()->key;
  whole.fit.parameters = setting.parameters;
  whole.cast_fixed = setting.cast_fixed;
  std::vector<CorrectionPoint> points;
  for (const KernelSample* sample : samples) {
    const SampleBody body = sample_body(*sample, rates, setting.parameters);
    const Seconds cast = cast_time(*sample, rates, setting.parameters, setting.cast_fixed);
    const Seconds outside = setting.parameters.fixed + cast;
    const Seconds variable = cost::overlapped(body.arithmetic, body.memory);
    // Where fixed time is nearly everything, the rest says nothing.
    const Seconds left = std::max(sample->measured - outside, sample->measured * 0.1);
    const double share = variable / (variable + outside);
    points.push_back({body.point, std::log(left / variable), share * share});
  }
  whole.fit.correction = fit_correction(points, correction_axes(whole.fit.key.kernel));
  return whole;
}

double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0.0;
  const double place = share * static_cast<double>(values.size() - 1);
  const auto index = static_cast<std::ptrdiff_t>(std::lround(place));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

}  // namespace

cost::Spread spread_of(std::span<const double> log_ratios) {
  std::vector<double> errors;
  std::vector<double> logs;
  for (const double r : log_ratios) {
    errors.push_back(std::abs(std::expm1(r)));
    logs.push_back(-r);
  }
  return {quantile(errors, 0.5), quantile(errors, 0.9), quantile(logs, 0.05), quantile(logs, 0.95)};
}

Seconds predict_sample(const KernelSample& sample, const cost::ChipRates& rates,
                       const KernelFit& fit, Seconds cast_fixed) {
  const SampleBody body = sample_body(sample, rates, fit.parameters);
  const double factor = std::exp(fit.correction.at(body.point));
  const cost::KernelTime time =
      cost::assemble(fit.parameters.fixed, body.arithmetic, body.memory, factor, body.limit);
  return time.duration + cast_time(sample, rates, fit.parameters, cast_fixed);
}

GroupFit fit_group(Samples samples, const cost::ChipRates& rates, int folds) {
  GroupFit group;
  const Whole whole = fit_whole(samples, rates, {});
  group.fit = whole.fit;
  group.cast_fixed = whole.cast_fixed;
  std::vector<double> in_sample;
  for (const KernelSample* sample : samples) {
    const Seconds predicted = predict_sample(*sample, rates, whole.fit, whole.cast_fixed);
    in_sample.push_back(std::log(predicted / sample->measured));
  }
  group.in_sample = spread_of(in_sample);
  group.held_out.assign(samples.size(), 0.0);
  for (int fold = 0; fold < folds; ++fold) {
    const auto is_out = [&](const KernelSample* sample) {
      return sample->shape % static_cast<std::uint64_t>(folds) == static_cast<std::uint64_t>(fold);
    };
    std::vector<const KernelSample*> kept;
    for (const KernelSample* sample : samples) {
      if (!is_out(sample)) kept.push_back(sample);
    }
    if (kept.empty() || kept.size() == samples.size()) continue;
    const Whole part = fit_whole(kept, rates, whole.logs);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (!is_out(samples[i])) continue;
      const Seconds predicted = predict_sample(*samples[i], rates, part.fit, part.cast_fixed);
      group.held_out[i] = std::log(predicted / samples[i]->measured);
    }
  }
  group.fit.spread = spread_of(group.held_out);
  group.fit.points = static_cast<int>(samples.size());
  group.fit.basis = cost::FitBasis::kMeasured;
  return group;
}

}  // namespace loadfactor::calibrate
