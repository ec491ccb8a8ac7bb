#include "facade/traffic.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "demand/generate.h"
#include "demand/traffic_file.h"
#include "resolve/demand/traffic.h"

namespace loadfactor::facade {
namespace {

Result<demand::TrafficModel> model_of(const catalog::Catalog& catalog,
                                      const DemandQuestion& question) {
  if (!question.model_file) return engine::find_traffic(catalog, question.model);
  Diagnostics diagnostics;
  auto model = demand::read_traffic(question.model_file->shown(),
                                    std::string(question.model_file->bytes), diagnostics);
  if (!model) return diagnostics.errors().front();
  return *std::move(model);
}

// Scaled so that what this seed makes has this mean: noise, bursts and the part of a week that is
// made would move it.
demand::TrafficModel scaled_to_made(const demand::TrafficModel& model, Hertz rate,
                                    std::uint64_t seed, Seconds duration) {
  demand::TrafficModel scaled = demand::scaled_to(model, rate);
  const Seconds window = std::min(duration, Seconds::from_base(60));
  double sum = 0;
  const auto profile = demand::generate_rates(scaled, seed, duration, window);
  for (const auto& each : profile.windows) sum += each.rate.base();
  const double made =
      profile.windows.empty() ? 0 : sum / static_cast<double>(profile.windows.size());
  if (made > 0) scaled.base = scaled.base * (rate.base() / made);
  // Turns of sessions that began before, or go on after, are not made.
  constexpr int kRounds = 2;
  for (int i = 0; i < kRounds && scaled.sessions.turns > 1; ++i) {
    const auto count = static_cast<double>(demand::generate(scaled, seed, duration).size());
    if (count > 0) scaled.base = scaled.base * (rate.base() * duration.base() / count);
  }
  return scaled;
}

Error not_above_zero(const char* flag) {
  return {.code = lf::kOutOfRange,
          .message = fmt::format("{} is not above 0", flag),
          .hint = "such as --duration '1 day' --rate '2 Hz'"};
}

constexpr double kMostRequests = 3e7;  // Rows are kept in memory, with their text: 100 bytes each.

Error too_many() {
  return {.code = lf::kTooLarge,
          .message = "more than 30 M requests would be made",
          .hint = "ask for less: --duration '1 day', or --rate"};
}

// Refused before any is made, and before the rate of every minute is.
std::optional<Error> too_much(Hertz rate, Seconds duration) {
  constexpr double kMostYears = 10;
  if (duration > kYear * kMostYears)
    return Error{.code = lf::kTooLarge,
                 .message = "more than ten years of requests would be made",
                 .hint = "ask for less: --duration '7 days'"};
  if (rate * duration > kMostRequests) return too_many();
  return std::nullopt;
}

// What is made may be the busiest hours of a week, which have many times its mean.
double requests_made(const demand::TrafficModel& model, std::uint64_t seed, Seconds duration) {
  const Seconds window = std::min(duration, Seconds::from_base(60));
  double made = 0;
  for (const auto& each : demand::generate_rates(model, seed, duration, window).windows)
    made += each.rate * window;
  return made;
}

}  // namespace

Result<std::string> generate_requests(const catalog::Catalog& catalog,
                                      const DemandQuestion& question) {
  TRY(auto model, model_of(catalog, question));
  if (question.duration <= Seconds()) return not_above_zero("--duration");
  const std::uint64_t seed = question.settings.seed;
  if (question.rate && *question.rate <= Hertz()) return not_above_zero("--rate");
  const Hertz rate = question.rate ? *question.rate : demand::expected_rate(model);
  if (auto error = too_much(rate, question.duration)) return *std::move(error);
  if (question.rate) {
    model = scaled_to_made(model, *question.rate, seed, question.duration);
  }
  if (requests_made(model, seed, question.duration) > kMostRequests) return too_many();
  return engine::requests_csv(demand::generate(model, seed, question.duration));
}

}  // namespace loadfactor::facade
