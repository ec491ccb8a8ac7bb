#include "resolve/demand/traffic.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "demand/generate.h"
#include "demand/traffic_file.h"

namespace loadfactor::engine {
namespace {

constexpr std::string_view kFolder = "demand/";
constexpr std::string_view kSuffix = ".yaml";

// The date where the stamps have one, else seconds since the first; to the nanosecond.
void add_time(std::string& text, demand::Nanoseconds at, demand::Nanoseconds origin,
              bool is_dated) {
  auto out = std::back_inserter(text);
  if (!is_dated) {
    fmt::format_to(out, "{}.{:09}", at / demand::kNanosecondsPerSecond,
                   at % demand::kNanosecondsPerSecond);
    return;
  }
  const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds(origin + at)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  fmt::format_to(out, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", static_cast<int>(date.year()),
                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                 clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                 clock.subseconds().count());
}

double peak_to_mean(const demand::RateProfile& profile) {
  const auto c = demand::characterise(profile);
  return c.windows.empty() ? 1 : c.windows.back().peak_to_mean();
}

// Made rates against recorded ones: all of them, and the second half by a fit to the first.
std::optional<RateDistance> compare_rates(const demand::RateProfile& all,
                                          const demand::TrafficModel& model, std::uint64_t seed) {
  constexpr int kSeeds = 25;
  const std::size_t half = all.windows.size() / 2;
  const Seconds window = Seconds::from_base(static_cast<double>(all.windows.front().length) * 1e-9);
  if (half < 12) return std::nullopt;
  demand::RateProfile first = all;
  first.windows.resize(half);
  demand::RateProfile second = all;
  second.windows.erase(second.windows.begin(),
                       second.windows.begin() + static_cast<std::ptrdiff_t>(half));
  const auto made = [&](const demand::TrafficModel& by, const demand::RateProfile& like) {
    RateDistance::Part part{.real_mean = demand::characterise(like).mean_rate.base(),
                            .real_peak = peak_to_mean(like)};
    const std::int64_t skipped = like.windows.front().start / all.windows.front().length;
    for (int i = 0; i < kSeeds; ++i) {
      const double count = static_cast<double>(like.windows.size()) + static_cast<double>(skipped);
      auto drawn = demand::generate_rates(by, seed + 1000 + static_cast<std::uint64_t>(i),
                                          window * count, window);
      drawn.windows.erase(drawn.windows.begin(), drawn.windows.begin() + skipped);
      if (drawn.windows.empty()) continue;
      part.made_mean += demand::characterise(drawn).mean_rate.base() / kSeeds;
      part.made_peak += peak_to_mean(drawn) / kSeeds;
    }
    return part;
  };
  return RateDistance{made(model, all), made(demand::fit_traffic(first), second), kSeeds};
}

}  // namespace

std::vector<std::string> traffic_names(const catalog::Catalog& catalog) {
  std::vector<std::string> names;
  for (const std::string& path : catalog.paths_below(std::string(kFolder))) {
    if (path.ends_with(kSuffix))
      names.push_back(path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<demand::TrafficModel> find_traffic(const catalog::Catalog& catalog,
                                          const std::string& name) {
  const catalog::DataFile* file = catalog.find_file(fmt::format("{}{}{}", kFolder, name, kSuffix));
  if (file == nullptr) {
    const auto names = traffic_names(catalog);
    const auto nearest = config::suggest(name, names);
    return Error{.code = lf::kUnknownPreset,
                 .message = fmt::format("no traffic named '{}'", name),
                 .hint = nearest ? fmt::format("did you mean '{}'? Known: {}", *nearest,
                                               fmt::join(names, ", "))
                                 : fmt::format("known: {}", fmt::join(names, ", "))};
  }
  Diagnostics diagnostics;
  auto model = demand::read_traffic(file->shown_as, file->text, diagnostics);
  if (!model) return diagnostics.errors().front();
  return *std::move(model);
}

Result<TrafficFitAnswer> fit_demand(const DemandAnswer& answer, std::uint64_t seed) {
  TrafficFitAnswer fit;
  if (const auto* profile = std::get_if<demand::RateProfile>(&answer.data)) {
    fit.model = demand::fit_traffic(*profile);
    fit.rates = compare_rates(*profile, fit.model, seed);
  } else if (const auto* trace = std::get_if<demand::Trace>(&answer.data)) {
    fit.model = demand::fit_traffic(*trace, seed);
    constexpr std::size_t kEnough = 1000;
    if (trace->is_timed && trace->size() >= kEnough) {
      const demand::Halves parts = demand::halves(*trace);
      const demand::TrafficModel seen = demand::fit_traffic(parts.first, seed);
      fit.unseen = demand::compare(seen, parts.second, seed + kEnough);
      fit.fitted = demand::compare(fit.model, *trace, seed + kEnough);
    }
  } else {
    return Error{.code = lf::kNotDemand,
                 .message = "only requests and rates can be fitted",
                 .hint = "give a file with one request or one window per row"};
  }
  constexpr Hertz kLeast = Hertz::from_base(1e-9);
  if (fit.model.base < kLeast)
    return Error{.code = lf::kNotDemand,
                 .message = "lengths alone cannot be fitted: nothing says how often requests come",
                 .hint = "give a file with times, or one window per row"};
  constexpr std::int32_t kLongest = 1 << 20;
  fit.lengths_assumed = fit.model.input.empty() || fit.model.output.empty();
  if (fit.model.input.empty()) fit.model.input = demand::lengths_of_mean(1000, 1, kLongest);
  if (fit.model.output.empty()) fit.model.output = demand::lengths_of_mean(200, 1, kLongest);
  fit.model.source = answer.name;
  fit.numbers = demand::count_numbers(fit.model);
  return fit;
}

std::vector<FarFigure> far_figures(const TrafficFitAnswer& fit) {
  using Which = FarFigure::Which;
  std::vector<FarFigure> far;
  const auto compare = [&far](Which which, double real, double made, bool unseen) {
    if (real > 0 && made > 0 && std::max(real / made, made / real) > kFarTraffic)
      far.push_back({which, real, made, unseen});
  };
  const auto distances = [&compare](const demand::TrafficDistance& of, bool unseen) {
    compare(Which::kGaps, of.real.cv, of.made.cv, unseen);
    compare(Which::kMinutePeak, of.real.peak_to_mean_60, of.made.peak_to_mean_60, unseen);
    compare(Which::kWholePeak, of.real_peak, of.made_peak, unseen);
    if (unseen) compare(Which::kRate, 1, of.rate_ratio, unseen);
  };
  const auto parts = [&compare](const RateDistance::Part& of, bool unseen) {
    compare(Which::kWindowPeak, of.real_peak, of.made_peak, unseen);
    if (unseen) compare(Which::kRate, of.real_mean, of.made_mean, unseen);
  };
  if (fit.fitted) distances(*fit.fitted, false);
  if (fit.rates) parts(fit.rates->fitted, false);
  if (fit.unseen) distances(*fit.unseen, true);
  if (fit.rates) parts(fit.rates->unseen, true);
  return far;
}

std::string requests_csv(const demand::Trace& trace) {
  std::string text = trace.has_calendar ? "timestamp" : "arrival_s";
  text += ",input_tokens,output_tokens";
  if (!trace.clients.empty()) text += ",client";
  if (!trace.sessions.empty()) text += ",session";
  text += "\n";
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto& request = trace.requests[i];
    add_time(text, request.at, trace.origin, trace.has_calendar);
    fmt::format_to(out, ",{},{}", request.input, request.output);
    if (!trace.clients.empty()) fmt::format_to(out, ",{}", trace.clients[i]);
    if (!trace.sessions.empty()) fmt::format_to(out, ",{}", trace.sessions[i]);
    text += '\n';
  }
  return text;
}

std::string requests_jsonl(const demand::Trace& trace) {
  std::string text;
  auto out = std::back_inserter(text);
  const auto& prefixes = trace.prefixes;
  const char* quote = trace.has_calendar ? "\"" : "";
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto& request = trace.requests[i];
    fmt::format_to(out, "{{\"{}\": {}", trace.has_calendar ? "timestamp" : "arrival_s", quote);
    add_time(text, request.at, trace.origin, trace.has_calendar);
    fmt::format_to(out, "{}, \"input_length\": {}, \"output_length\": {}", quote, request.input,
                   request.output);
    if (!trace.sessions.empty()) fmt::format_to(out, ", \"session_id\": {}", trace.sessions[i]);
    const auto first = prefixes.ids.begin();
    fmt::format_to(out, ", \"hash_ids\": [{}]}}\n",
                   fmt::join(first + prefixes.first[i], first + prefixes.first[i + 1], ", "));
  }
  return text;
}

std::string rates_csv(const demand::RateProfile& profile) {
  std::string text = profile.has_calendar ? "window_start" : "window_start_s";
  text += ",window_s,rate_rps";
  const bool has_lengths = profile.mean_input > Tokens() && profile.mean_output > Tokens();
  text += has_lengths ? ",mean_tokens_in,mean_tokens_out\n" : "\n";
  auto out = std::back_inserter(text);
  for (const auto& w : profile.windows) {
    add_time(text, w.start, profile.origin, profile.has_calendar);
    fmt::format_to(out, ",{},{:.9g}", static_cast<double>(w.length) * 1e-9, w.rate.base());
    if (has_lengths)
      fmt::format_to(out, ",{:.9g},{:.9g}", profile.mean_input.base(), profile.mean_output.base());
    text += '\n';
  }
  return text;
}

}  // namespace loadfactor::engine
