#include "demand/describe/traffic_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "base/calendar.h"
#include "demand/describe/characterise.h"
#include "demand/describe/week_fit.h"
#include "demand/generate.h"

namespace loadfactor::demand {
namespace {

constexpr double kMaxWholeTrace = 3 * kHour.base();
constexpr double kSegment = kHour.base();
constexpr int kMaxSegments = 24;
// Noise slower than this share of a stretch looks like another rate.
constexpr double kMaxRelaxationShare = 0.1;

Seconds seconds(double value) {
  return Seconds::from_base(value);
}

Burstiness of_stretch(const Trace& trace) {
  Burstiness b;
  b.cv = gap_cv(trace);
  b.d1 = window_statistics(trace, seconds(1)).dispersion;
  b.d10 = window_statistics(trace, seconds(10)).dispersion;
  const auto minute = window_statistics(trace, seconds(60));
  b.d60 = minute.dispersion;
  b.peak_to_mean_60 = minute.peak_to_mean();
  return b;
}

// The requests of [from, until), moved to begin at zero.
Trace stretch(const Trace& trace, Nanoseconds from, Nanoseconds until) {
  const auto earlier = [](const Request& r, Nanoseconds at) { return r.at < at; };
  const auto first = std::lower_bound(trace.requests.begin(), trace.requests.end(), from, earlier);
  const auto last = std::lower_bound(first, trace.requests.end(), until, earlier);
  Trace part{.has_calendar = trace.has_calendar, .origin = trace.origin};
  part.requests.assign(first, last);
  return part;
}

constexpr std::array kMembers{&Burstiness::cv, &Burstiness::d1, &Burstiness::d10, &Burstiness::d60,
                              &Burstiness::peak_to_mean_60};

double misfit(const Burstiness& made, const Burstiness& real) {
  // The CV of gaps and the counts weigh alike; the peak follows from them but is noisy.
  constexpr std::array kWeights{2.0, 1.0, 1.0, 1.0, 0.5};
  double sum = 0;
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    const double ratio = std::max(1e-6, made.*kMembers[i]) / std::max(1e-6, real.*kMembers[i]);
    sum += kWeights[i] * std::log(ratio) * std::log(ratio);
  }
  return sum;
}

// The geometric mean, which a few wild weeks do not carry away.
Burstiness middle_of(const std::vector<Burstiness>& many) {
  Burstiness middle;
  for (const auto member : kMembers) {
    double sum = 0;
    for (const auto& one : many) sum += std::log(std::max(1e-6, one.*member));
    middle.*member = std::exp(sum / static_cast<double>(many.size()));
  }
  return middle;
}

// What a model makes without the shape of the week, over the span of a stretch. Slow noise stays:
// what it does within a stretch is in the real ones too, and must not be made twice.
Burstiness made_by(const TrafficModel& model, Seconds span, std::uint64_t seed, int seeds) {
  TrafficModel flat = model;
  flat.day = flat.half_day = Wave();
  flat.weekend = 1;
  flat.week.clear();
  flat.day_sigma = 0;
  flat.input = flat.output = LengthMixture();
  std::vector<Burstiness> many;
  for (int i = 0; i < seeds; ++i)
    many.push_back(of_stretch(generate(flat, seed + static_cast<std::uint64_t>(i), span)));
  return middle_of(many);
}

// A number of the model that the search may move, by factors.
struct Knob {
  std::function<double(const TrafficModel&)> get;
  std::function<void(TrafficModel&, double)> set;
  double least = 0;
  double most = 0;
};

std::vector<Knob> knobs_of(const TrafficModel& model, Seconds span) {
  std::vector<Knob> knobs;
  knobs.push_back({[](const TrafficModel& m) { return m.cv; },
                   [](TrafficModel& m, double v) { m.cv = v; }, 0.1, 30});
  if (model.on_off.is_used()) {
    knobs.push_back({[](const TrafficModel& m) { return m.on_off.burst_sigma; },
                     [](TrafficModel& m, double v) { m.on_off.burst_sigma = v; }, 0.01, 2});
    knobs.push_back({[](const TrafficModel& m) { return m.on_off.on_cv; },
                     [](TrafficModel& m, double v) { m.on_off.on_cv = v; }, 0.1, 3});
    knobs.push_back({[](const TrafficModel& m) { return m.on_off.off_cv; },
                     [](TrafficModel& m, double v) { m.on_off.off_cv = v; }, 0.3, 3});
    return knobs;
  }
  knobs.push_back({[](const TrafficModel& m) { return m.fast.sigma; },
                   [](TrafficModel& m, double v) { m.fast.sigma = v; }, 0.005, 2});
  knobs.push_back({[](const TrafficModel& m) { return m.fast.relaxation.base(); },
                   [](TrafficModel& m, double v) { m.fast.relaxation = seconds(v); }, 3,
                   kMaxRelaxationShare * span.base()});
  if (model.tenants > 1)
    knobs.push_back({[](const TrafficModel& m) { return m.zipf; },
                     [](TrafficModel& m, double v) { m.zipf = v; }, 0.1, 4});
  return knobs;
}

// Moves one number at a time, up or down by a factor, as long as that helps; then by less. The
// same seeds serve every trial, so that trials differ by the numbers alone.
double refine(TrafficModel& model, const Burstiness& real, Seconds span, std::uint64_t seed) {
  constexpr int kSeeds = 15;
  constexpr std::array kFactors{1.3, 1.12, 1.05};
  const auto knobs = knobs_of(model, span);
  double best = misfit(made_by(model, span, seed, kSeeds), real);
  for (const double factor : kFactors) {
    for (int round = 0; round < 3; ++round) {
      bool moved = false;
      for (const auto& knob : knobs) {
        for (const double by : {factor, 1 / factor}) {
          TrafficModel trial = model;
          knob.set(trial, std::clamp(knob.get(model) * by, knob.least, knob.most));
          const double away = misfit(made_by(trial, span, seed, kSeeds), real);
          if (away >= best) continue;
          best = away;
          model = trial;
          moved = true;
          break;
        }
      }
      if (!moved) break;
    }
  }
  return best;
}

// The search saw a few seeds only; many more say by how much the noise is too strong.
void correct_noise(TrafficModel& model, const Burstiness& real, Seconds span, std::uint64_t seed) {
  constexpr int kSeeds = 100;
  constexpr std::uint64_t kFirstSeed = 1'000'000;
  const Burstiness made = made_by(model, span, seed + kFirstSeed, kSeeds);
  const double grown = made.d60 - made.d1;
  const double wanted = real.d60 - real.d1;
  if (grown <= 0 || wanted <= 0) return;
  model.fast.sigma *= std::clamp(std::sqrt(wanted / grown), 0.7, 1.4);
  model.cv *= std::clamp(real.cv / made.cv, 0.9, 1.1);
}

// Closed forms to begin with: D(w) = c + rate · s² · 2τ²/w · (w/τ - 1 + e^(-w/τ)).
void guess_noise(const Burstiness& real, double rate, Seconds span, TrafficModel& model) {
  double best = 1e300;
  const auto growth = [rate](double tau, double w) {
    const double x = w / tau;
    return rate * 2 * tau * tau / w * (x - 1 + std::exp(-x));
  };
  for (double tau = 5; tau <= kMaxRelaxationShare * span.base(); tau *= 1.3) {
    const double c = real.d1;
    const double s = std::max(0.0, real.d60 - c) / growth(tau, 60);
    const double wrong = std::abs(std::log((c + s * growth(tau, 10)) / std::max(real.d10, 1e-6)));
    if (wrong >= best) continue;
    best = wrong;
    model.fast = {std::sqrt(std::log1p(s)), seconds(tau)};
  }
  model.fast.sigma = std::clamp(model.fast.sigma, 0.01, 2.0);
  model.cv = std::clamp(real.cv, 0.2, 5.0);
}

// Silences longer than this end a burst.
double silence_threshold(const Trace& trace) {
  constexpr double kMinSilence = 2;
  const double mean_gap =
      trace.span().base() / static_cast<double>(std::max<std::size_t>(1, trace.size()));
  return std::max(kMinSilence, 12 * mean_gap);
}

struct Bursts {
  std::vector<double> on;
  std::vector<double> off;
  std::vector<double> rates;
  double inner_cv = 1;
};

Bursts find_bursts(const Trace& trace) {
  Bursts found;
  const double threshold = silence_threshold(trace);
  std::size_t first = 0;
  double sum = 0;
  double squares = 0;
  double gaps = 0;
  for (std::size_t i = 1; i <= trace.size(); ++i) {
    const double gap =
        i < trace.size()
            ? static_cast<double>(trace.requests[i].at - trace.requests[i - 1].at) * 1e-9
            : threshold + 1;
    if (gap <= threshold) {
      sum += gap;
      squares += gap * gap;
      gaps += 1;
      continue;
    }
    const double on =
        static_cast<double>(trace.requests[i - 1].at - trace.requests[first].at) * 1e-9;
    if (i - first > 3 && on > 0) {
      found.on.push_back(on);
      found.rates.push_back(static_cast<double>(i - first) / on);
    }
    if (i < trace.size()) found.off.push_back(gap);
    first = i;
  }
  if (gaps > 1) {
    const double mean = sum / gaps;
    found.inner_cv = std::sqrt(std::max(0.0, squares / gaps - mean * mean)) / mean;
  }
  return found;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double cv_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return mean > 0 ? std::sqrt(squares / static_cast<double>(values.size())) / mean : 0;
}

// True, with the model filled in, where a large share of the time is silent between bursts.
bool fit_bursts(const Trace& trace, TrafficModel& model) {
  constexpr double kSilentShare = 0.3;
  constexpr std::size_t kMinBursts = 8;
  const Bursts found = find_bursts(trace);
  const double off = mean_of(found.off) * static_cast<double>(found.off.size());
  if (found.on.size() < kMinBursts || off < kSilentShare * trace.span().base()) return false;
  const double least = *std::min_element(found.off.begin(), found.off.end());
  model.on_off = {
      .on = seconds(mean_of(found.on)),
      .on_cv = std::clamp(cv_of(found.on), 0.1, 3.0),
      .off_least = seconds(least),
      .off = seconds(std::max(0.1, mean_of(found.off) - least)),
      .burst_sigma = std::clamp(
          0.5 * std::sqrt(std::log1p(cv_of(found.rates) * cv_of(found.rates))), 0.02, 1.5)};
  std::vector<double> beyond;
  for (const double silence : found.off) beyond.push_back(silence - least);
  model.on_off.off_cv = std::clamp(cv_of(beyond), 0.3, 3.0);
  model.cv = std::clamp(found.inner_cv, 0.2, 10.0);
  model.fast = LogNoise();
  const double share =
      model.on_off.on.base() /
      (model.on_off.on.base() + model.on_off.off_least.base() + model.on_off.off.base());
  model.base = model.base / share;
  return true;
}

void fit_arrivals(const Trace& trace, TrafficModel& model, std::uint64_t seed) {
  const Burstiness real = measure_burstiness(trace);
  const Seconds span = std::min(
      trace.span(), seconds(trace.span() > seconds(kMaxWholeTrace) ? kSegment : kMaxWholeTrace));
  if (fit_bursts(trace, model)) {
    refine(model, real, span, seed);
    return;
  }
  TrafficModel flat = model;
  flat.day = flat.half_day = Wave();
  flat.weekend = 1;
  const Hertz rate = Hertz::from_base(static_cast<double>(trace.size()) / trace.span().base());
  guess_noise(real, rate.base(), span, flat);
  flat = scaled_to(flat, rate);
  double best = refine(flat, real, span, seed);
  // Counts that vary more within a second than gaps do are several tenants on top of each other.
  constexpr double kDispersionOfSeveralTenants = 1.5;
  if (real.d1 > kDispersionOfSeveralTenants * real.cv * real.cv) {
    for (const int tenants : {5, 20, 60}) {
      TrafficModel trial = flat;
      trial.tenants = tenants;
      trial.cv = std::sqrt(real.d1);
      const double away = refine(trial, real, span, seed);
      if (away < best) {
        best = away;
        flat = trial;
      }
    }
  }
  correct_noise(flat, real, span, seed);
  model.cv = flat.cv;
  model.fast = flat.fast;
  model.tenants = flat.tenants;
  model.zipf = flat.zipf;
}

}  // namespace

Burstiness measure_burstiness(const Trace& trace) {
  if (trace.span() <= seconds(kMaxWholeTrace)) return of_stretch(trace);
  const auto segment = static_cast<Nanoseconds>(kSegment * 1e9);
  const std::int64_t count = trace.requests.back().at / segment;
  const std::int64_t step = std::max<std::int64_t>(1, count / kMaxSegments);
  std::vector<Burstiness> hours;
  for (std::int64_t i = 0; i < count; i += step) {
    const Trace part = stretch(trace, i * segment, (i + 1) * segment);
    constexpr std::size_t kMinRequests = 200;
    if (part.size() < kMinRequests) continue;
    hours.push_back(of_stretch(part));
  }
  return hours.empty() ? of_stretch(trace) : middle_of(hours);
}

TrafficModel fit_traffic(const Trace& trace, std::uint64_t seed) {
  TrafficModel model;
  model.input = fit_lengths(input_lengths(trace), 3);
  model.output = fit_lengths(output_lengths(trace));
  if (!trace.is_timed || trace.span() <= Seconds()) return model;
  model.base = Hertz::from_base(static_cast<double>(trace.size()) / trace.span().base());
  constexpr std::size_t kMinRequestsForShape = 100;
  if (trace.size() < kMinRequestsForShape) return model;
  if (trace.span() > kDay) fit_week(trace, model);
  fit_arrivals(trace, model, seed);
  return model;
}

TrafficModel fit_traffic(const RateProfile& profile) {
  TrafficModel model;
  model.base = characterise(profile).mean_rate;
  fit_week(profile, model);
  if (profile.mean_input > Tokens())
    model.input = lengths_of_mean(profile.mean_input.base(), 1, 1 << 20);
  if (profile.mean_output > Tokens())
    model.output = lengths_of_mean(profile.mean_output.base(), 1, 1 << 20);
  return model;
}

TrafficDistance compare(const TrafficModel& model, const Trace& real, std::uint64_t seed) {
  constexpr int kSeeds = 25;
  TrafficDistance d{.seeds = kSeeds};
  d.real = measure_burstiness(real);
  d.real_peak = window_statistics(real, seconds(60)).peak_to_mean();
  double logs = 0;
  std::vector<Burstiness> many;
  std::vector<double> rates;
  Trace made;
  for (int i = 0; i < kSeeds; ++i) {
    made = generate(model, seed + static_cast<std::uint64_t>(i), real.span());
    many.push_back(measure_burstiness(made));
    logs += std::log(std::max(1e-6, window_statistics(made, seconds(60)).peak_to_mean()));
    rates.push_back(static_cast<double>(made.size()) / static_cast<double>(real.size()));
  }
  d.made = middle_of(many);
  d.made_peak = std::exp(logs / kSeeds);
  std::sort(rates.begin(), rates.end());
  d.rate_ratio = rates[rates.size() / 2];
  d.input_distance = kolmogorov_distance(input_lengths(made), input_lengths(real));
  d.output_distance = kolmogorov_distance(output_lengths(made), output_lengths(real));
  return d;
}

Halves halves(const Trace& trace) {
  if (trace.requests.empty()) return {};
  const Nanoseconds middle = trace.requests.back().at / 2;
  Halves parts{stretch(trace, 0, middle), stretch(trace, middle, INT64_MAX)};
  put_in_order(parts.second);
  return parts;
}

}  // namespace loadfactor::demand
