#include "resolve/demand/fleet_demand.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "demand/describe/traffic_fit.h"
#include "demand/describe/week_fit.h"
#include "demand/generate.h"
#include "demand/mixed_places.h"
#include "resolve/demand/shape.h"
#include "resolve/demand/traffic.h"

namespace loadfactor::engine {
namespace {

constexpr double kWindow = 600;
constexpr double kUsualSpread = 1;  // Standard deviation over mean of lengths nobody described.
constexpr std::int32_t kLongest = 1 << 20;

std::optional<double> length_of(const config::Given<Tokens>& given) {
  return given ? std::optional(given->value.base()) : std::nullopt;
}

// Across the date line the day is nearer the other way.
double hours_apart(double hours) {
  constexpr double kDay = 24;
  return hours - kDay * std::round(hours / kDay);
}

class DemandReader {
 public:
  DemandReader(const DemandSource& ask, std::vector<Notice>& notices, Diagnostics& diagnostics)
      : ask_(ask), asked_(*ask.serve->demand), notices_(notices), diagnostics_(diagnostics) {}

  bool read() { return asked_.trace ? read_file() : describe(); }
  FleetDemand&& take() { return std::move(demand_); }

 private:
  bool fail(int code, config::Position at, std::string message, std::string hint = {}) {
    diagnostics_.add(ask_.scenario->error(code, at, std::move(message), std::move(hint)));
    return false;
  }

  // What the scenario says of lengths goes before what a shape says.
  bool set_lengths() {
    const auto input = length_of(asked_.tokens_in);
    const auto output = length_of(asked_.tokens_out);
    demand::TrafficModel& model = demand_.model;
    const auto use = [](demand::LengthMixture& lengths, double mean) {
      lengths = lengths.empty() ? demand::lengths_of_mean(mean, kUsualSpread, kLongest)
                                : scaled_to_mean(lengths, mean);
    };
    if (input) use(model.input, *input);
    if (output && *output > 1) use(model.output, *output);
    // A request that is answered with a vector or a score is simulated as one token.
    if (output && *output <= 1) model.output = demand::lengths_of_mean(1, kUsualSpread, 1);
    if (model.input.empty() || model.output.empty())
      return fail(lf::kMissingKey, asked_.position,
                  "there are rates alone, and nothing says how long requests are",
                  "add tokens_in: 2000 and tokens_out: 400 to the demand");
    demand_.input = input.value_or(model.input.mean());
    demand_.output = output.value_or(model.output.mean());
    return true;
  }

  // A model that gives a vector or a score is asked for no tokens, whatever a file says of answers.
  bool writes() const { return !asked_.tokens_out || asked_.tokens_out->value > Tokens(); }

  // A file with lengths of its own says them: words beside it would be dropped without a sound.
  bool refuse_lengths() {
    for (const auto& [key, given] :
         {std::pair("tokens_in", &asked_.tokens_in), std::pair("tokens_out", &asked_.tokens_out)}) {
      if (*given && (given != &asked_.tokens_out || writes()))
        return !fail(lf::kContradictoryKeys, (*given)->position,
                     fmt::format("'{}' already says how long requests are", asked_.trace->value),
                     fmt::format("leave out {}", key));
    }
    return false;
  }

  void use_profile(const demand::RateProfile& profile) {
    const demand::Characterisation c = characterise(profile);
    demand_.rates = c.series;
    demand_.week = c.week;
    demand_.mean_rate = c.mean_rate.base();
    const double width =
        std::max(kWindow, static_cast<double>(profile.windows.front().length) * 1e-9);
    demand_.windows_per_hour = 3600 / width;
  }

  // What a queue before the fleet lets through of the rates, where the work may wait.
  const demand::Deferral* hold(const std::vector<double>& rates, double window) {
    if (!ask_.serve->deadline) return nullptr;
    const Seconds wait = ask_.serve->deadline->value * kQueueShare;
    demand_.queue = demand::defer(rates, Seconds::from_base(window), wait);
    const double busiest = *std::max_element(rates.begin(), rates.end());
    notices_.push_back(
        {.id = "deadline",
         .arguments = {{"deadline", format_display(any(ask_.serve->deadline->value))},
                       {"wait", format_display(any(demand_.queue->longest))},
                       {"busiest", format_short_count(busiest)},
                       {"most", format_short_count(demand_.queue->most)}}});
    return &*demand_.queue;
  }

  void hold_profile(demand::RateProfile& profile) {
    std::vector<double> rates;
    for (const auto& window : profile.windows) rates.push_back(window.rate.base());
    const double width = static_cast<double>(profile.windows.front().length) * 1e-9;
    const demand::Deferral* queue = hold(rates, width);
    if (queue == nullptr) return;
    for (std::size_t i = 0; i < rates.size(); ++i)
      profile.windows[i].rate = Hertz::from_base(queue->rates[i]);
  }

  bool use_recorded_rates(demand::RateProfile& profile) {
    hold_profile(profile);
    demand_.model = demand::fit_traffic(profile);
    use_profile(profile);
    const bool has_lengths = !demand_.model.input.empty() && !demand_.model.output.empty();
    if (has_lengths) {
      if (refuse_lengths()) return false;
      demand_.input = demand_.model.input.mean();
      demand_.output = demand_.model.output.mean();
    } else if (!set_lengths()) {
      return false;
    }
    demand_.week_model = demand_.model;
    demand_.profile = std::move(profile);
    return true;
  }

  // Ten minutes or so that cover all of a short trace: what whole windows leave out of a day is
  // nothing, of an hour it is not, and the mean of the windows has to be the mean of the trace.
  void use_equal_windows(const demand::Trace& trace) {
    const double span = trace.span().base();
    const auto count = static_cast<std::size_t>(std::max(1.0, std::round(span / kWindow)));
    const double width = span / static_cast<double>(count);
    if (!(width > 0)) return;
    std::vector<double> rates(count, 0.0);
    for (const auto& request : trace.requests) {
      const double at = static_cast<double>(request.at - trace.requests.front().at) * 1e-9;
      rates[std::min(count - 1, static_cast<std::size_t>(at / width))] += 1 / width;
    }
    demand_.rates = std::move(rates);
    demand_.windows_per_hour = 3600 / width;
  }

  void use_requests(demand::Trace& trace, const std::vector<demand::Gap>& gaps) {
    const demand::Characterisation c = characterise(trace, gaps);
    demand_.rates = c.series;
    demand_.week = c.week;
    demand_.mean_rate = c.mean_rate.base();
    if (c.span < kDay && gaps.empty()) use_equal_windows(trace);
    if (demand_.rates.empty()) demand_.rates = {demand_.mean_rate};
    demand_.input = c.input->mean;
    demand_.output = writes() ? c.output->mean : 0;
    if (ask_.fits_trace) {
      demand::TrafficModel& model = demand_.model;
      model.base = c.mean_rate;
      if (c.span > kDay) demand::fit_week(trace, model);
      model.cv = std::clamp(c.cv.value_or(1), 0.5, 3.0);
      model.input = demand::fit_lengths(demand::input_lengths(trace));
      model.output = demand::fit_lengths(demand::output_lengths(trace));
      demand_.week_model = model;
    }
    demand_.trace = std::move(trace);
  }

  // What is answered with a vector or a score is simulated as one token.
  static void drop_answers(demand::Trace& trace) {
    for (demand::Request& request : trace.requests) request.output = 1;
  }

  // The recorded requests as a queue lets them through.
  void hold_requests(const std::vector<demand::Gap>& gaps) {
    const demand::Deferral* queue = hold(demand_.rates, 3600 / demand_.windows_per_hour);
    if (queue == nullptr) return;
    demand::Trace held = demand::deferred(*std::move(demand_.trace), Hertz::from_base(queue->most));
    use_requests(held, gaps);
  }

  void confess_drops(const demand::ImportReport& report) {
    if (report.rows_dropped() == 0) return;
    std::int64_t first = 0;
    for (const auto& count : report.dropped)
      if (count.rows > 0 && (first == 0 || count.first_line < first)) first = count.first_line;
    notices_.push_back({.id = "rows-dropped",
                        .severity = Severity::kCaution,
                        .arguments = {{"dropped", format_count(report.rows_dropped())},
                                      {"rows", format_count(report.rows_read)},
                                      {"file", asked_.trace->value},
                                      {"line", std::to_string(first)}}});
  }

  bool read_file() {
    auto import = demand::import_demand(asked_.trace->value, ask_.trace_bytes,
                                        {.stamps = {}, .needs_answers = writes()});
    if (!import) {
      diagnostics_.add(std::move(import).error());
      return false;
    }
    demand_.words = asked_.scale ? fmt::format("{:g} times the traffic of {}", asked_.scale->value,
                                               asked_.trace->value)
                                 : fmt::format("the traffic of {}", asked_.trace->value);
    confess_drops(import->report);
    const double scale = asked_.scale ? asked_.scale->value : 1;
    if (auto* profile = std::get_if<demand::RateProfile>(&import->data)) {
      if (asked_.scale) *profile = demand::scaled(std::move(*profile), scale);
      return use_recorded_rates(*profile);
    }
    auto* trace = std::get_if<demand::Trace>(&import->data);
    if (trace == nullptr || !trace->is_timed || trace->size() < 2)
      return fail(lf::kNothingToFill, asked_.trace->position,
                  fmt::format("'{}' says nothing of requests over time", asked_.trace->value),
                  "one row per request (time, tokens in, out) or per window (start, rate)");
    if (refuse_lengths()) return false;
    if (!writes()) drop_answers(*trace);
    if (asked_.scale) *trace = demand::scaled(*trace, scale);
    use_requests(*trace, import->report.gaps);
    hold_requests(import->report.gaps);
    return true;
  }

  // The traffic of a shape, at whatever rate; nothing where it is not described by one.
  std::optional<Result<demand::TrafficModel>> shaped() const {
    if (asked_.shape) return find_traffic(*ask_.catalog, asked_.shape->value);
    if (!asked_.shape_figures) return std::nullopt;
    return shape_traffic(*asked_.shape_figures, ask_.trace_bytes);
  }

  // Where users are: a day that is described is that of the first region, and the sun is later or
  // earlier elsewhere. A named shape and a file were recorded of all users together. A region that
  // is nowhere on the globe has its hours at once.
  std::vector<demand::PlaceOfUsers> places() const {
    constexpr double kDegreesPerHour = 15;
    std::vector<demand::PlaceOfUsers> places;
    const auto& figures = asked_.shape_figures;
    if (!figures || figures->file) return places;
    std::optional<double> first;
    for (const config::ServedRegion& region : ask_.serve->regions) {
      const auto found = ask_.catalog->find_region(region.name.value);
      demand::PlaceOfUsers place{.share = region.share.value};
      if (found && (*found)->location) {
        const double east = (*found)->location->longitude;
        if (!first) first = east;
        place.later = hours_apart((*first - east) / kDegreesPerHour);
      }
      places.push_back(place);
    }
    return places;
  }

  config::Position shape_position() const {
    if (asked_.shape) return asked_.shape->position;
    const auto& figures = asked_.shape_figures;
    return figures && figures->file ? figures->file->position : asked_.position;
  }

  std::string shape_words() const {
    if (asked_.shape) return asked_.shape->value;
    if (!asked_.shape_figures) return "constant";
    return shape_text(*asked_.shape_figures);
  }

  bool describe() {
    if (!asked_.requests)
      return fail(lf::kMissingKey, asked_.position, "nothing says how many requests there are",
                  "requests_per_month: 2 M, requests_per_second: 5, or trace: FILE");
    const Hertz rate = asked_.requests->value;
    auto model = shaped();
    demand_.has_shape = model.has_value();
    if (model && !*model) return refuse_shape(model->error());
    if (model) {
      demand_.model = demand::scaled_to(demand::mixed_places(**model, places()), rate);
    } else {
      demand_.model.base = rate;
      notices_.push_back({.id = "no-shape"});
    }
    if (!set_lengths()) return false;
    use_profile(hold_week(make_week(rate)));
    demand_.mean_rate = rate.base();
    demand_.words =
        fmt::format("{} requests/s on average, {}", format_short_count(rate.base()), shape_words());
    return true;
  }

  // A complaint about a file points into the file, any other at the scenario.
  bool refuse_shape(const Error& error) {
    if (error.where.line > 0) {
      diagnostics_.add(error);
      return false;
    }
    return fail(error.code, shape_position(), error.message, error.hint);
  }

  // The week that a queue makes of this one, and the traffic that has it every week.
  demand::RateProfile hold_week(demand::RateProfile week) {
    std::vector<double> rates;
    for (const auto& window : week.windows) rates.push_back(window.rate.base());
    const demand::Deferral* queue = hold(rates, kWindow);
    if (queue == nullptr) return week;
    demand::TrafficModel held;
    held.base = Hertz::from_base(1);
    held.week = queue->rates;
    held.input = demand_.model.input;
    held.output = demand_.model.output;
    demand_.model = demand_.week_model = demand::scaled_to(held, asked_.requests->value);
    demand_.has_shape = true;
    return demand::generate_rates(demand_.model, ask_.seed, kWeek, Seconds::from_base(kWindow));
  }

  // The week of this seed, moved so that its mean is what was asked: noise alone would make one
  // week busier than another.
  demand::RateProfile make_week(Hertz rate) {
    const Seconds window = Seconds::from_base(kWindow);
    demand_.week_model = demand_.model;
    const auto steps = demand::rate_steps(demand_.model, ask_.seed, kWeek);
    const auto drawn = demand::rates_of(demand_.model, steps, kWeek, window);
    double sum = 0;
    for (const auto& each : drawn.windows) sum += each.rate.base();
    const double mean = sum / static_cast<double>(drawn.windows.size());
    if (mean > 0) demand_.week_model.base = demand_.model.base * (rate.base() / mean);
    return demand::rates_of(demand_.week_model, steps, kWeek, window);
  }

  const DemandSource& ask_;
  const config::Demand& asked_;
  std::vector<Notice>& notices_;
  Diagnostics& diagnostics_;
  FleetDemand demand_;
};

}  // namespace

double FleetDemand::peak() const {
  return rates.empty() ? 0 : std::max(0.0, *std::max_element(rates.begin(), rates.end()));
}

std::optional<FleetDemand> derive_demand(const DemandSource& ask, std::vector<Notice>& notices,
                                         Diagnostics& diagnostics) {
  if (!ask.serve->demand) {
    diagnostics.add(ask.scenario->error(
        lf::kNothingToFill, ask.serve->position, "the scenario has no demand",
        "write 'demand: {requests_per_month: 9.6 M, tokens_in: 2000, tokens_out: 400, "
        "shape: global-chat}' or '{trace: requests.csv}'"));
    return std::nullopt;
  }
  DemandReader reader(ask, notices, diagnostics);
  if (!reader.read()) return std::nullopt;
  return reader.take();
}

void clip_lengths(const catalog::ModelSpec& reader, FleetDemand& demand) {
  const auto context = static_cast<double>(reader.context);
  if (context < 4) return;
  const auto answer = static_cast<std::int32_t>(reader.generates() ? context / 4 : 0);
  const auto prompt = static_cast<std::int32_t>(context) - answer;
  for (demand::TrafficModel* model : {&demand.model, &demand.week_model}) {
    model->input.most = std::min(model->input.most, prompt);
    if (reader.generates()) model->output.most = std::min(model->output.most, answer);
  }
}

bool check_shape(const DemandSource& ask, Diagnostics& diagnostics) {
  const auto& demand = ask.serve->demand;
  if (!demand || !demand->shape) return true;  // A file is read where its bytes are.
  const auto model = find_traffic(*ask.catalog, demand->shape->value);
  if (model) return true;
  diagnostics.add(ask.scenario->error(model.error().code, demand->shape->position,
                                      model.error().message, model.error().hint));
  return false;
}

}  // namespace loadfactor::engine
