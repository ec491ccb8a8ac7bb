#include "calibrate/kernels/kernels_fitter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/kernels/kernels_correction.h"
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
  kSplit,
  kMemory,
  kFixed,
  kCastFixed,
  kCacheGain,
  kCacheShare,
  kNumSlots
};

struct SlotRow {
  double start, low, high;
  double looseness;  // Standard deviation of the prior's logarithm.
};
// Where a search starts and what it may find; times in microseconds.
constexpr std::array<SlotRow, kNumSlots> kSlots{{{0.7, 0.05, 1.0, 1.0},
                                                 {200, 1, 5000, 1.5},
                                                 {80, 1, 400, 0.7},
                                                 {0.3, 0.01, 1.0, 1.0},
                                                 {0.5, 0.01, 1.0, 1.0},
                                                 {0.8, 0.15, 1.0, 1.0},
                                                 {4, 0.5, 200, 1.5},
                                                 {5, 0.1, 50, 1.0},
                                                 {0.5, 0.01, 4, 1.0},
                                                 {0.3, 0.02, 2, 1.0}}};

bool uses(const KernelSample& sample, Slot slot) {
  const KernelClass kernel = sample.key.kernel;
  switch (slot) {
    case kSustained:
    case kHalf:
    case kWavePaid:
      return kernel != KernelClass::kMemory;
    case kTileCost:
    case kSplit:
      return kernel == KernelClass::kGemm || kernel == KernelClass::kGroupedGemm;
    case kCastFixed:
      return sample.cast_traffic > Bytes{};
    case kCacheGain:
    case kCacheShare:
      return sample.warm;
    case kMemory:
    case kFixed:
    case kNumSlots:
      break;
  }
  return true;
}

struct Setting {
  KernelParameters parameters;
  TableTraits traits;
};

Setting setting_of(std::span<const double> logs, std::span<const Slot> slots) {
  std::array<double, kNumSlots> value{};
  for (std::size_t s = 0; s < kNumSlots; ++s) value[s] = kSlots[s].start;
  for (std::size_t i = 0; i < slots.size(); ++i) value[slots[i]] = std::exp(logs[i]);
  Setting setting;
  setting.parameters = {value[kSustained],
                        value[kHalf],
                        value[kTileCost],
                        value[kWavePaid],
                        value[kSplit],
                        value[kMemory],
                        Seconds::from_base(value[kFixed] * 1e-6)};
  setting.traits = {Seconds::from_base(value[kCastFixed] * 1e-6), value[kCacheGain],
                    value[kCacheShare]};
  return setting;
}

Seconds cast_time(const KernelSample& sample, const cost::ChipRates& rates,
                  const Setting& setting) {
  if (sample.cast_traffic <= Bytes{}) return Seconds{};
  return setting.traits.cast_fixed +
         sample.cast_traffic / (rates.memory * setting.parameters.memory);
}

// The body as the table saw it, part of its traffic served by the cache.
SampleBody seen_body(const KernelSample& sample, const cost::ChipRates& rates,
                     const Setting& setting) {
  SampleBody body = sample_body(sample, rates, setting.parameters);
  if (body.cache_fill <= 0.0) return body;
  // A cache keeps its old content while that fits, and loses it almost at once beyond.
  const double overflow = body.cache_fill / setting.traits.cache_share;
  const double square = overflow * overflow;
  const double resident = 1.0 / (1.0 + square * square * square);
  const double speedup = 1.0 + setting.traits.cache_gain * resident;
  body.memory = body.memory / speedup;
  body.limit.memory = body.limit.memory / speedup;
  return body;
}

using SampleSpan = std::span<const KernelSample* const>;

// Searches the parameters; `start` warms it up.
Setting fit_parameters(SampleSpan samples, const cost::ChipRates& rates,
                       std::span<const double> start, std::vector<double>& found) {
  const KernelClass kernel = samples.front()->key.kernel;
  std::vector<Slot> slots;
  for (std::size_t s = 0; s < kNumSlots; ++s) {
    if (uses(*samples.front(), static_cast<Slot>(s))) slots.push_back(static_cast<Slot>(s));
  }
  RobustProblem problem;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    SlotRow row = kSlots[slots[i]];
    // Backward passes are timed with their launches from the host, which are not the kernel's.
    if (slots[i] == kFixed && kernel == KernelClass::kAttentionBackward) row.high = 15;
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
      const Seconds predicted = predict_sample(*samples[i], rates, fit, setting.traits);
      residuals[i] = std::log(predicted / samples[i]->measured);
    }
  };
  RobustResult best = fit_robust(problem);
  if (start.empty()) {
    // Choosing among tiles leaves the loss with many valleys: try others.
    for (const double shift : {-1.0, 1.0}) {
      for (std::size_t i = 0; i < slots.size(); ++i) {
        FreeParameter& p = problem.parameters[i];
        if (slots[i] != kTileCost && slots[i] != kHalf && slots[i] != kWavePaid) continue;
        p.start = std::clamp(p.prior + shift * p.looseness, p.low, p.high);
      }
      const RobustResult other = fit_robust(problem);
      if (other.loss < best.loss) best = other;
    }
  }
  found = best.values;
  return setting_of(best.values, slots);
}

// Parameters and correction together.
struct Whole {
  KernelFit fit;
  TableTraits traits;
  std::vector<double> logs;
};

Whole fit_whole(SampleSpan samples, const cost::ChipRates& rates, std::span<const double> start) {
  Whole whole;
  const Setting setting = fit_parameters(samples, rates, start, whole.logs);
  whole.fit.key = samples.front()->key;
  whole.fit.parameters = setting.parameters;
  whole.traits = setting.traits;
  std::vector<CorrectionPoint> points;
  for (const KernelSample* sample : samples) {
    const SampleBody body = seen_body(*sample, rates, setting);
    const Seconds outside = setting.parameters.fixed + cast_time(*sample, rates, setting);
    const Seconds variable = cost::overlapped(body.arithmetic, body.memory);
    // Where fixed time is nearly everything, the rest says nothing.
    const Seconds left = std::max(sample->measured - outside, sample->measured * 0.1);
    const double share = variable / (variable + outside);
    points.push_back({body.point, std::log(left / variable), share * share});
  }
  whole.fit.correction = fit_correction(points, correction_axes(whole.fit.key.kernel),
                                        correction_slopes(whole.fit.key.kernel));
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
                       const KernelFit& fit, const TableTraits& traits) {
  const Setting setting{fit.parameters, traits};
  const SampleBody body = seen_body(sample, rates, setting);
  const double factor = std::exp(fit.correction.at(body.point));
  const cost::KernelTime time =
      cost::assemble(fit.parameters.fixed, body.arithmetic, body.memory, factor, body.limit);
  return time.duration + cast_time(sample, rates, setting);
}

GroupFit fit_group(SampleSpan samples, const cost::ChipRates& rates, int folds) {
  GroupFit group;
  const Whole whole = fit_whole(samples, rates, {});
  group.fit = whole.fit;
  group.traits = whole.traits;
  for (const KernelSample* sample : samples) {
    const Seconds predicted = predict_sample(*sample, rates, whole.fit, whole.traits);
    group.fitted.push_back(std::log(predicted / sample->measured));
  }
  group.in_sample = spread_of(group.fitted);
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
      const Seconds predicted = predict_sample(*samples[i], rates, part.fit, part.traits);
      group.held_out[i] = std::log(predicted / samples[i]->measured);
    }
  }
  group.fit.spread = spread_of(group.held_out);
  group.fit.points = static_cast<int>(samples.size());
  group.fit.basis = cost::FitBasis::kMeasured;
  return group;
}

}  // namespace loadfactor::calibrate
