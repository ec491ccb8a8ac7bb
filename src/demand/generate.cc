#include "demand/generate.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"

namespace loadfactor::demand {
namespace {

// 2024-01-01 was a Monday.
Nanoseconds a_monday() {
  return days_from_civil(2024, 1, 1) * kSecondsPerDay * kNanosecondsPerSecond;
}

}  // namespace

double renewal_gap(RandomStream& stream, double cv) {
  constexpr double kRegular = 0.01;
  if (cv < kRegular) return 1;
  if (std::abs(cv - 1) < 1e-9) return exponential(stream, 1);
  const double shape = 1 / (cv * cv);
  return gamma(stream, shape, 1 / shape);
}

TrafficGenerator::TrafficGenerator(const TrafficModel& model, std::uint64_t seed, Seconds duration)
    : model_(model),
      time_(model, seed, duration),
      lengths_(seed, kLengthDraws),
      thinking_(seed, "traffic thinking") {
  const RandomStream arrivals(seed, kArrivalDraws);
  double total = 0;
  const int tenants = std::max(1, model.tenants);
  for (int i = 1; i <= tenants; ++i) total += std::pow(i, -model.zipf);
  for (int i = 1; i <= tenants; ++i) {
    Tenant tenant{.share = std::pow(i, -model.zipf) / total / std::max(1.0, model.sessions.turns),
                  .number = i - 1,
                  .stream = arrivals.substream(static_cast<std::uint64_t>(i))};
    // The first gap is cut by where the window happens to begin.
    tenant.next_at = gap(tenant.stream) * tenant.stream.uniform() / tenant.share;
    tenants_.push(std::move(tenant));
  }
}

double TrafficGenerator::gap(RandomStream& stream) const {
  return renewal_gap(stream, model_.cv);
}

// The next arrival that begins a session; false when time is over.
bool TrafficGenerator::next_start(double& at) {
  if (is_over_) return false;
  if (!time_.reach(tenants_.top().next_at, at)) {
    is_over_ = true;
    return false;
  }
  Tenant tenant = tenants_.top();
  tenants_.pop();
  pending_tenant_ = tenant.number;
  tenant.next_at += gap(tenant.stream) / tenant.share;
  tenants_.push(std::move(tenant));
  return true;
}

Request TrafficGenerator::request_at(double at, std::int32_t context) {
  const std::int32_t added = sample_length(model_.input, lengths_);
  Request request{.at = std::llround(at * 1e9),
                  .input = std::min(added + context, model_.input.most),
                  .output = sample_length(model_.output, lengths_)};
  if (model_.sessions.turns > 1 && thinking_.uniform() < 1 - 1 / model_.sessions.turns) {
    const double think =
        lognormal(thinking_, model_.sessions.think_mu, model_.sessions.think_sigma);
    turns_.push({at + think, request.input + request.output});
  }
  return request;
}

bool TrafficGenerator::next(Request& request) {
  if (pending_start_ < 0) {
    double at = 0;
    if (next_start(at)) pending_start_ = at;
  }
  if (!turns_.empty() && (pending_start_ < 0 || turns_.top().at < pending_start_)) {
    const Turn turn = turns_.top();
    if (turn.at >= time_.duration()) return false;
    turns_.pop();
    request = request_at(turn.at, turn.context);
    return true;
  }
  if (pending_start_ < 0) return false;
  request = request_at(pending_start_, 0);
  tenant_ = pending_tenant_;
  pending_start_ = -1;
  return true;
}

Trace generate(const TrafficModel& model, std::uint64_t seed, Seconds duration) {
  Trace trace{.has_calendar = true, .origin = a_monday()};
  TrafficGenerator generator(model, seed, duration);
  Request request;
  while (generator.next(request)) {
    trace.requests.push_back(request);
    if (model.tenants > 1) trace.clients.push_back(generator.tenant());
  }
  return trace;
}

namespace {

// What comes in each window of a path that is added step by step.
class WindowSums {
 public:
  WindowSums(const TrafficModel& model, Seconds duration, Seconds window)
      : model_(model),
        duration_(duration.base()),
        window_(window.base()),
        requests_(static_cast<std::size_t>(duration / window), 0.0) {}

  void add(const RateStep& step) {
    double start = step.start;
    const double end = std::min(step.start + step.length, duration_);
    const double rate = rate_of(model_, step);
    while (start < end) {
      const auto index = static_cast<std::size_t>(start / window_);
      const double until = std::min(end, (static_cast<double>(index) + 1) * window_);
      if (until <= start || index >= requests_.size()) break;
      requests_[index] += rate * (until - start);
      start = until;
    }
  }

  RateProfile profile() const {
    RateProfile profile{.has_calendar = true, .origin = a_monday()};
    const Nanoseconds step = std::llround(window_ * 1e9);
    for (std::size_t i = 0; i < requests_.size(); ++i)
      profile.windows.push_back({.start = static_cast<Nanoseconds>(i) * step,
                                 .length = step,
                                 .rate = Hertz::from_base(requests_[i] / window_),
                                 .cv = model_.cv});
    profile.mean_input = Tokens::from_base(model_.input.mean());
    profile.mean_output = Tokens::from_base(model_.output.mean());
    return profile;
  }

 private:
  const TrafficModel& model_;
  double duration_;
  double window_;
  std::vector<double> requests_;
};

}  // namespace

std::vector<RateStep> rate_steps(const TrafficModel& model, std::uint64_t seed, Seconds duration) {
  std::vector<RateStep> steps;
  RateShape shape(model, seed);
  for (RateStep step = shape.next(); step.start < duration.base(); step = shape.next())
    steps.push_back(step);
  return steps;
}

RateProfile rates_of(const TrafficModel& model, const std::vector<RateStep>& steps,
                     Seconds duration, Seconds window) {
  WindowSums sums(model, duration, window);
  for (const RateStep& step : steps) sums.add(step);
  return sums.profile();
}

RateProfile generate_rates(const TrafficModel& model, std::uint64_t seed, Seconds duration,
                           Seconds window) {
  WindowSums sums(model, duration, window);
  RateShape shape(model, seed);
  for (RateStep step = shape.next(); step.start < duration.base(); step = shape.next())
    sums.add(step);
  return sums.profile();
}

Trace generate_from_profile(const RateProfile& profile, const TrafficModel& lengths,
                            std::uint64_t seed) {
  Trace trace{.has_calendar = profile.has_calendar, .origin = profile.origin};
  RandomStream arrivals(seed, "profile arrivals");
  RandomStream draws(seed, "profile lengths");
  double left = exponential(arrivals, 1);
  for (const auto& window : profile.windows) {
    const double rate = window.rate.base();
    const double length = static_cast<double>(window.length) * 1e-9;
    double at = 0;
    while (rate > 0 && at + left / rate < length) {
      at += left / rate;
      const auto stamp = window.start + std::llround(at * 1e9);
      const std::int32_t input = sample_length(lengths.input, draws);
      trace.requests.push_back({stamp, input, sample_length(lengths.output, draws)});
      left = renewal_gap(arrivals, window.cv);
    }
    left -= rate * (length - at);
  }
  return trace;
}

}  // namespace loadfactor::demand
