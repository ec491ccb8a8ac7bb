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

double renewal_gap(RandomStream& stream, double cv) {
  constexpr double kRegular = 0.01;
  if (cv < kRegular) return 1;
  if (std::abs(cv - 1) < 1e-9) return exponential(stream, 1);
  const double shape = 1 / (cv * cv);
  return gamma(stream, shape, 1 / shape);
}

}  // namespace

TrafficGenerator::TrafficGenerator(const TrafficModel& model, std::uint64_t seed, Seconds duration)
    : model_(model),
      path_(model, seed),
      duration_(duration.base()),
      lengths_(seed, "traffic lengths"),
      thinking_(seed, "traffic thinking") {
  const RandomStream arrivals(seed, "traffic arrivals");
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
  piece_ = path_.next();
}

double TrafficGenerator::gap(RandomStream& stream) const {
  return renewal_gap(stream, model_.cv);
}

// The next arrival that begins a session; false when time is over.
bool TrafficGenerator::next_start(double& at) {
  if (is_over_) return false;
  const double wanted = tenants_.top().next_at;
  while (before_ + piece_.rate * piece_.length < wanted) {
    before_ += piece_.rate * piece_.length;
    if (piece_.start + piece_.length >= duration_) {
      is_over_ = true;
      return false;
    }
    piece_ = path_.next();
  }
  at = piece_.start + (wanted - before_) / piece_.rate;
  if (at >= duration_) {
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
    if (turn.at >= duration_) return false;
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

RateProfile generate_rates(const TrafficModel& model, std::uint64_t seed, Seconds duration,
                           Seconds window) {
  RateProfile profile{.has_calendar = true, .origin = a_monday()};
  const auto count = static_cast<std::size_t>(duration / window);
  std::vector<double> requests(count, 0.0);
  RatePath path(model, seed);
  for (RatePiece piece = path.next(); piece.start < duration.base(); piece = path.next()) {
    double start = piece.start;
    const double end = std::min(piece.start + piece.length, duration.base());
    while (start < end) {
      const auto index = static_cast<std::size_t>(start / window.base());
      const double until = std::min(end, (static_cast<double>(index) + 1) * window.base());
      if (until <= start || index >= count) break;
      requests[index] += piece.rate * (until - start);
      start = until;
    }
  }
  const Nanoseconds step = std::llround(window.base() * 1e9);
  for (std::size_t i = 0; i < count; ++i)
    profile.windows.push_back({.start = static_cast<Nanoseconds>(i) * step,
                               .length = step,
                               .rate = Hertz::from_base(requests[i] / window.base()),
                               .cv = model.cv});
  profile.mean_input = Tokens::from_base(model.input.mean());
  profile.mean_output = Tokens::from_base(model.output.mean());
  return profile;
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
