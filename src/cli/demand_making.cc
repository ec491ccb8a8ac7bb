#include "cli/demand_making.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "cli/session/files.h"
#include "demand/generate.h"
#include "demand/traffic_file.h"
#include "resolve/demand/traffic.h"

namespace loadfactor::cli {
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

void warn_of_fit(Session& session, const engine::TrafficFitAnswer& fit) {
  const auto warn = [&](const char* what, double real, double made) {
    if (is_far(real, made))
      session.tell(
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
}

Result<demand::TrafficModel> model_of(Session& session, const std::string& name) {
  if (!name.ends_with(".yaml") && !name.ends_with(".yml")) {
    const Engine* engine = session.engine();
    if (engine == nullptr)
      return Error{.code = lf::kUnknownPreset, .message = "the catalogue has errors"};
    return engine::find_traffic(engine->catalog(), name);
  }
  TRY(const std::string text, read_file(name));
  Diagnostics diagnostics;
  auto model = demand::read_traffic(name, text, diagnostics);
  if (!model) return diagnostics.errors().front();
  return *std::move(model);
}

Result<double> requests_per_second(const std::string& text) {
  TRY(const auto rate, parse_as<Dimension{.time = -1}>(text));
  return rate.base();
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

Error not_above_zero(const char* flag, const std::string& given) {
  return {.code = lf::kOutOfRange,
          .message = fmt::format("{} '{}' is not above 0", flag, given),
          .hint = "such as --duration '1 day' --rate '2 Hz'"};
}

}  // namespace

void write_fit(Session& session, const engine::DemandAnswer& answer) {
  const auto fit = engine::fit_demand(answer, session.options().seed);
  if (!fit) return session.fail(fit.error());
  std::string text = fmt::format(
      "# {} numbers; made again by `loadfactor demand --generate FILE`.\n", fit->numbers);
  if (fit->lengths_assumed)
    text +=
        "# The file says nothing of lengths: 1,000 tokens in and 200 out are assumed; write "
        "yours.\n";
  if (fit->fitted) text += distance_text(kFitted, *fit->fitted);
  if (fit->unseen) text += distance_text(kUnseen, *fit->unseen);
  if (fit->rates)
    text += rates_text(kFitted, fit->rates->fitted, fit->rates->seeds) +
            rates_text(kUnseen, fit->rates->unseen, fit->rates->seeds);
  warn_of_fit(session, *fit);
  session.write(text + demand::traffic_yaml(fit->model));
}

void write_converted(Session& session, const engine::DemandAnswer& answer) {
  if (const auto* trace = std::get_if<demand::Trace>(&answer.data))
    return session.write(trace->prefixes.empty() ? engine::requests_csv(*trace)
                                                 : engine::requests_jsonl(*trace));
  if (const auto* profile = std::get_if<demand::RateProfile>(&answer.data))
    return session.write(engine::rates_csv(*profile));
  session.fail(
      Error{.code = lf::kNotDemand, .message = "only requests and rates can be converted"});
}

void write_generated(Session& session, const MakingFlags& flags) {
  auto model = model_of(session, flags.generate);
  if (!model) return session.fail(model.error());
  const auto duration = parse_as<Dimension{.time = 1}>(flags.duration);
  if (!duration) return session.fail(duration.error());
  if (*duration <= Seconds()) return session.fail(not_above_zero("--duration", flags.duration));
  if (!flags.rate.empty()) {
    const auto rate = requests_per_second(flags.rate);
    if (!rate) return session.fail(rate.error());
    if (*rate <= 0) return session.fail(not_above_zero("--rate", flags.rate));
    model = scaled_to_made(*model, Hertz::from_base(*rate), session.options().seed, *duration);
  }
  constexpr double kMostRequests = 3e8;
  if (demand::expected_rate(*model) * *duration > kMostRequests) {
    return session.fail(Error{.code = lf::kTooLarge,
                              .message = "more than 300 M requests would be made",
                              .hint = "ask for less: --duration '1 day', or --rate"});
  }
  session.write(engine::requests_csv(demand::generate(*model, session.options().seed, *duration)));
}

}  // namespace loadfactor::cli
