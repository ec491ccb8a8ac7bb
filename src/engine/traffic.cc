#include "engine/traffic.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "demand/traffic_file.h"

namespace loadfactor::engine {
namespace {

constexpr std::string_view kFolder = "demand/";
constexpr std::string_view kSuffix = ".yaml";

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
  } else if (const auto* trace = std::get_if<demand::Trace>(&answer.data)) {
    fit.model = demand::fit_traffic(*trace, seed);
    constexpr std::size_t kEnough = 1000;
    if (trace->is_timed && trace->size() >= kEnough) {
      const demand::Halves parts = demand::halves(*trace);
      const demand::TrafficModel seen = demand::fit_traffic(parts.first, seed);
      fit.unseen = demand::compare(seen, parts.second, seed + kEnough);
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

std::string requests_csv(const demand::Trace& trace) {
  std::string text = "arrival_s,input_tokens,output_tokens";
  if (!trace.clients.empty()) text += ",client";
  text += "\n";
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto& request = trace.requests[i];
    fmt::format_to(out, "{}.{:09},{},{}", request.at / demand::kNanosecondsPerSecond,
                   request.at % demand::kNanosecondsPerSecond, request.input, request.output);
    if (!trace.clients.empty()) fmt::format_to(out, ",{}", trace.clients[i]);
    text += '\n';
  }
  return text;
}

std::string rates_csv(const demand::RateProfile& profile) {
  std::string text = "window_start_s,window_s,rate_rps\n";
  auto out = std::back_inserter(text);
  for (const auto& w : profile.windows)
    fmt::format_to(out, "{},{},{:.6g}\n", static_cast<double>(w.start) * 1e-9,
                   static_cast<double>(w.length) * 1e-9, w.rate.base());
  return text;
}

}  // namespace loadfactor::engine
