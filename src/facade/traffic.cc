#include "facade/traffic.h"

#include <algorithm>

#include <fmt/format.h>

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

}  // namespace

Result<std::string> generate_requests(const catalog::Catalog& catalog,
                                      const DemandQuestion& question) {
  TRY(auto model, model_of(catalog, question));
  if (question.duration <= Seconds()) return not_above_zero("--duration");
  const std::uint64_t seed = question.settings.seed;
  if (question.rate) {
    if (*question.rate <= Hertz()) return not_above_zero("--rate");
    model = scaled_to_made(model, *question.rate, seed, question.duration);
  }
  constexpr double kMostRequests = 3e8;
  if (demand::expected_rate(model) * question.duration > kMostRequests)
    return Error{.code = lf::kTooLarge,
                 .message = "more than 300 M requests would be made",
                 .hint = "ask for less: --duration '1 day', or --rate"};
  return engine::requests_csv(demand::generate(model, seed, question.duration));
}

}  // namespace loadfactor::facade
