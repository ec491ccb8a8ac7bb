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

RatePath::LogStep RatePath::step_of(const LogNoise& noise, double step) {
  if (noise.sigma <= 0) return {};
  const double keep = std::exp(-step / noise.relaxation.base());
  return {keep, noise.sigma * std::sqrt(1 - keep * keep)};
}

RatePath::RatePath(const TrafficModel& model, std::uint64_t seed, double start)
    : model_(model),
      slow_(seed, "traffic slow"),
      fast_(seed, "traffic fast"),
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
  if (model_.slow.sigma > 0) slow_log_ = normal(slow_, 0, model_.slow.sigma);
  if (model_.fast.sigma > 0) fast_log_ = normal(fast_, 0, model_.fast.sigma);
  if (model_.on_off.is_used()) begin_burst();
}

double RatePath::day_noise(std::uint64_t day) {
  if (!has_day_ || day != day_) {
    RandomStream draw = days_.substream(day);
    day_log_ = normal(draw, -0.5 * model_.day_sigma * model_.day_sigma, model_.day_sigma);
    day_ = day;
    has_day_ = true;
  }
  return day_log_;
}

void RatePath::Turning::turn_by(const Turning& step) {
  const double turned = cosine * step.cosine - sine * step.sine;
  sine = sine * step.cosine + cosine * step.sine;
  cosine = turned;
}

RatePath::Turning RatePath::turning_of(double second_of_day, double peak_hour, double cycles) {
  const double angle = kFullTurn * cycles * (second_of_day / kHour.base() - peak_hour) / 24;
  return {std::cos(angle), std::sin(angle)};
}

double RatePath::waves_at(double second_of_day) {
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

double RatePath::part_of_week(double at) const {
  const auto size = static_cast<double>(model_.week.size());
  // In this order whole seconds come to whole parts, without a rounding before the division.
  const double part = std::fmod(at, kWeek.base()) * size / kWeek.base();
  return model_.week[std::min(static_cast<std::size_t>(part), model_.week.size() - 1)];
}

double RatePath::smooth(double at, double log_noise) {
  const auto day = static_cast<std::uint64_t>(at / kDay.base());
  double log_rate = log_noise + waves_at(at - static_cast<double>(day) * kDay.base());
  if (model_.day_sigma > 0) log_rate += day_noise(day);
  const double weekend = day % 7 >= 5 ? model_.weekend : 1;
  const double rate = model_.base.base() * weekend * std::exp(log_rate);
  return model_.week.empty() ? rate : rate * part_of_week(at);
}

void RatePath::step_noise() {
  const auto next = [](double now, const LogStep& step, RandomStream& stream) {
    return now * step.keep + step.added * normal(stream, 0, 1);
  };
  if (model_.slow.sigma > 0) slow_log_ = next(slow_log_, slow_step_, slow_);
  if (model_.fast.sigma > 0) fast_log_ = next(fast_log_, fast_step_, fast_);
}

void RatePath::begin_burst() {
  const OnOff& o = model_.on_off;
  is_on_ = true;
  const double shape = 1 / (o.on_cv * o.on_cv);
  switch_at_ = now_ + std::max(1e-3, gamma(bursts_, shape, o.on.base() / shape));
  burst_factor_ = std::exp(normal(bursts_, -0.5 * o.burst_sigma * o.burst_sigma, o.burst_sigma));
}

void RatePath::begin_silence() {
  const OnOff& o = model_.on_off;
  is_on_ = false;
  const double shape = 1 / (o.off_cv * o.off_cv);
  switch_at_ =
      now_ + std::max(1e-3, o.off_least.base() + gamma(bursts_, shape, o.off.base() / shape));
}

RatePiece RatePath::next() {
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
  RatePiece piece{now_, until - now_, 0};
  if (is_on_) {
    double rate = smooth(now_, noise);
    if (model_.ceiling > 0) rate = std::min(rate, model_.ceiling * model_.base.base());
    piece.rate = rate * burst_factor_;
  }
  now_ = until;
  return piece;
}

}  // namespace loadfactor::demand
