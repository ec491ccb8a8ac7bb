#include "demand/rate_path.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/calendar.h"
#include "base/distributions.h"

namespace loadfactor::demand {
namespace {

constexpr double kMaxGridSeconds = 60;
constexpr double kMinGridSeconds = 1;
constexpr double kStepsPerRelaxation = 10;

constexpr double kFullTurn = 2 * std::numbers::pi;

double grid_of(const TrafficModel& model) {
  double step = kMaxGridSeconds;
  for (const LogNoise* noise : {&model.slow, &model.fast})
    if (noise->sigma > 0) step = std::min(step, noise->relaxation.base() / kStepsPerRelaxation);
  return std::max(step, kMinGridSeconds);
}

}  // namespace

RateShape::LogStep RateShape::step_of(const LogNoise& noise, double step) {
  if (noise.sigma <= 0) return {};
  const double keep = std::exp(-step / noise.relaxation.base());
  return {keep, noise.sigma * std::sqrt(1 - keep * keep)};
}

RateShape::RateShape(const TrafficModel& model, std::uint64_t seed, double start)
    : model_(model),
      slow_(RandomStream(seed, "traffic slow")),
      fast_(RandomStream(seed, "traffic fast")),
      days_(seed, "traffic days"),
      bursts_(seed, "traffic bursts"),
      now_(start),
      grid_(grid_of(model)),
      grid_end_(start),
      slow_step_(step_of(model.slow, grid_)),
      fast_step_(step_of(model.fast, grid_)),
      switch_at_(std::numeric_limits<double>::infinity()),
      day_step_(turning_of(grid_, 0, 1)),
      half_day_step_(turning_of(grid_, 0, 2)) {
  // Noise begins in its steady state.
  if (model_.slow.sigma > 0) slow_log_ = model_.slow.sigma * slow_.next();
  if (model_.fast.sigma > 0) fast_log_ = model_.fast.sigma * fast_.next();
  if (model_.on_off.is_used()) begin_burst();
}

double RateShape::day_noise(std::uint64_t day) {
  if (!has_day_ || day != day_) {
    RandomStream draw = days_.substream(day);
    day_log_ = normal(draw, -0.5 * model_.day_sigma * model_.day_sigma, model_.day_sigma);
    day_ = day;
    has_day_ = true;
  }
  return day_log_;
}

void RateShape::Turning::turn_by(const Turning& step) {
  const double turned = cosine * step.cosine - sine * step.sine;
  sine = sine * step.cosine + cosine * step.sine;
  cosine = turned;
}

RateShape::Turning RateShape::turning_of(double second_of_day, double peak_hour, double cycles) {
  const double angle = kFullTurn * cycles * (second_of_day / kHour.base() - peak_hour) / 24;
  return {std::cos(angle), std::sin(angle)};
}

double RateShape::waves_at(double second_of_day) {
  constexpr double kSameStep = 1e-9;  // Seconds.
  const bool is_next = std::abs(second_of_day - waves_second_ - grid_) < kSameStep;
  if (is_next) {
    day_wave_.turn_by(day_step_);
    half_day_wave_.turn_by(half_day_step_);
  } else {
    day_wave_ = turning_of(second_of_day, model_.day.peak_hour, 1);
    half_day_wave_ = turning_of(second_of_day, model_.half_day.peak_hour, 2);
  }
  waves_second_ = second_of_day;
  return model_.day.amplitude * day_wave_.cosine +
         model_.half_day.amplitude * half_day_wave_.cosine;
}

double RateShape::swing_at(double at, double log_noise) {
  const auto day = static_cast<std::uint64_t>(at / kDay.base());
  double log_rate = log_noise + waves_at(at - static_cast<double>(day) * kDay.base());
  if (model_.day_sigma > 0) log_rate += day_noise(day);
  return std::exp(log_rate);
}

void RateShape::step_noise() {
  const auto next = [](double now, const LogStep& step, NormalDraws& draws) {
    return now * step.keep + step.added * draws.next();
  };
  if (model_.slow.sigma > 0) slow_log_ = next(slow_log_, slow_step_, slow_);
  if (model_.fast.sigma > 0) fast_log_ = next(fast_log_, fast_step_, fast_);
}

void RateShape::begin_burst() {
  const OnOff& o = model_.on_off;
  is_on_ = true;
  const double shape = 1 / (o.on_cv * o.on_cv);
  switch_at_ = now_ + std::max(1e-3, gamma(bursts_, shape, o.on.base() / shape));
  burst_factor_ = std::exp(normal(bursts_, -0.5 * o.burst_sigma * o.burst_sigma, o.burst_sigma));
}

void RateShape::begin_silence() {
  const OnOff& o = model_.on_off;
  is_on_ = false;
  const double shape = 1 / (o.off_cv * o.off_cv);
  switch_at_ =
      now_ + std::max(1e-3, o.off_least.base() + gamma(bursts_, shape, o.off.base() / shape));
}

RateStep RateShape::next() {
  if (now_ >= switch_at_) {
    if (is_on_)
      begin_silence();
    else
      begin_burst();
  }
  if (now_ >= grid_end_) {
    grid_end_ = now_ + grid_;
    step_noise();
  }
  const double until = std::min(grid_end_, switch_at_);
  const double noise = slow_log_ + fast_log_ - 0.5 * model_.fast.sigma * model_.fast.sigma;
  RateStep step{.start = now_, .length = until - now_, .burst = 0};
  if (is_on_) {
    step.swing = swing_at(now_, noise);
    step.burst = burst_factor_;
  }
  now_ = until;
  return step;
}

void NormalDraws::refill() {
  std::array<std::uint64_t, std::tuple_size_v<decltype(ahead_)>> draws;
  stream_.fill(draws);
  std::transform(draws.begin(), draws.end(), ahead_.begin(), RandomStream::uniform_open_of);
  replace_by_normal_quantiles(ahead_);
  next_ = 0;
}

namespace {

double part_of_week(const TrafficModel& model, double at) {
  const auto size = static_cast<double>(model.week.size());
  // In this order whole seconds come to whole parts, without a rounding before the division.
  const double of_week = at < kWeek.base() ? at : std::fmod(at, kWeek.base());
  const double part = of_week * size / kWeek.base();
  return model.week[std::min(static_cast<std::size_t>(part), model.week.size() - 1)];
}

}  // namespace

double rate_of(const TrafficModel& model, const RateStep& step) {
  if (step.burst == 0) return 0;
  const auto day = static_cast<std::uint64_t>(step.start / kDay.base());
  const double weekend = day % 7 >= 5 ? model.weekend : 1;
  double rate = model.base.base() * weekend * step.swing;
  if (!model.week.empty()) rate *= part_of_week(model, step.start);
  if (model.ceiling > 0) rate = std::min(rate, model.ceiling * model.base.base());
  return rate * step.burst;
}

}  // namespace loadfactor::demand
