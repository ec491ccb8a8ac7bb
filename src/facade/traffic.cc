#include "facade/traffic.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "demand/generate.h"
#include "demand/traffic_file.h"
#include "resolve/demand/traffic.h"

namespace loadfactor::facade {
namespace {

std::string row(const char* name, double real, double made) {
  return fmt::format("#   {:<22} {:>8.3g} {:>8.3g} {:>+7.1f} %\n", name, real, made,
                     real > 0 ? 100 * (made / real - 1) : 0.0);
}

std::string heading(const std::string& what, int seeds) {
  return fmt::format("# {}, against {} made ones:\n#   {:<22} {:>8} {:>8} {:>9}\n", what, seeds, "",
                     "real", "made", "distance");
}

constexpr const char* kUnseen = "The second half, unseen by a fit to the first";
constexpr const char* kFitted = "All of it, as fitted";

std::string distance_text(const char* what, const demand::TrafficDistance& d) {
  std::string text = heading(what, d.seeds);
  text += row("requests", 1, d.rate_ratio);
  text += row("CV of gaps", d.real.cv, d.made.cv);
  text += row("variance/mean, 1 s", d.real.d1, d.made.d1);
  text += row("variance/mean, 10 s", d.real.d10, d.made.d10);
  text += row("variance/mean, 60 s", d.real.d60, d.made.d60);
  text += row("peak/mean, 60 s", d.real.peak_to_mean_60, d.made.peak_to_mean_60);
  text += row("the same over all", d.real_peak, d.made_peak);
  text += "#   (of more than three hours: gaps and counts are means over the hours)\n";
  text += fmt::format("#   lengths: Kolmogorov distance {:.3f} in, {:.3f} out\n", d.input_distance,
                      d.output_distance);
  return text;
}

std::string rates_text(const char* what, const engine::RateDistance::Part& part, int seeds) {
  return heading(what, seeds) + row("requests/s", part.real_mean, part.made_mean) +
         row("peak/mean of windows", part.real_peak, part.made_peak);
}

// More than this factor off, what is made is not like the file.
constexpr double kFar = 1.5;
bool is_far(double real, double made) {
  return real > 0 && made > 0 && std::max(real / made, made / real) > kFar;
}

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

std::vector<std::string> fit_warnings(const engine::TrafficFitAnswer& fit) {
  std::vector<std::string> warnings;
  const auto warn = [&](const char* what, double real, double made) {
    if (is_far(real, made))
      warnings.push_back(
          fmt::format("! made traffic has a {} of {:.3g}, the file {:.3g}: more than {:g} "
                      "times off, so do not size a fleet by it",
                      what, made, real, kFar));
  };
  if (fit.fitted) {
    warn("CV of gaps", fit.fitted->real.cv, fit.fitted->made.cv);
    warn("peak/mean at 60 s", fit.fitted->real.peak_to_mean_60, fit.fitted->made.peak_to_mean_60);
    warn("peak/mean at 60 s over the whole", fit.fitted->real_peak, fit.fitted->made_peak);
  }
  if (fit.rates) warn("peak/mean", fit.rates->fitted.real_peak, fit.rates->fitted.made_peak);
  return warnings;
}

std::string fit_file(const engine::TrafficFitAnswer& fit) {
  std::string text = fmt::format(
      "# {} numbers; made again by `loadfactor demand --generate FILE`.\n", fit.numbers);
  if (fit.lengths_assumed)
    text +=
        "# The file says nothing of lengths: 1,000 tokens in and 200 out are assumed; write "
        "yours.\n";
  if (fit.fitted) text += distance_text(kFitted, *fit.fitted);
  if (fit.unseen) text += distance_text(kUnseen, *fit.unseen);
  if (fit.rates)
    text += rates_text(kFitted, fit.rates->fitted, fit.rates->seeds) +
            rates_text(kUnseen, fit.rates->unseen, fit.rates->seeds);
  return text + demand::traffic_yaml(fit.model);
}

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
