// Which requests a scenario's demand means.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "demand/generate.h"
#include "resolve/demand/fleet_demand.h"
#include "resolve/serve/service_model.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/arrivals_from_demand.h"
#include "serving/cache_block.h"
#include "serving/simulator/trace_arrivals.h"
#include "sim/marked_arrivals.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::engine {
namespace {

constexpr double kDay = 86400;
constexpr double kWeek = 7 * kDay;
constexpr std::int64_t kFewest = 10'000;
constexpr std::int64_t kMaxRequests = 2'000'000;
constexpr std::int64_t kMostOfAWeek = 12'000'000;
constexpr std::size_t kSampled = 3000;  // Lengths by which a limit is found.

// Blocks of the trace as blocks of the cache; left out where those do not divide them.
void cut_prefixes(SimulateSetup& setup, int from) {
  if (setup.trace.prefix_blocks.empty()) return;
  const int block = serving::cache_block(*setup.engine);
  if (from % block == 0) return serving::cut_prefixes(setup.trace, from, block);
  setup.trace.prefix_blocks.clear();
  setup.trace.prefix_end.clear();
  setup.note({.id = "prefixes-left-out",
              .arguments = {{"tokens", std::to_string(from)}, {"block", std::to_string(block)}}});
}

bool replay(SimulateSetup& setup, const demand::Trace& trace, const SimulateInputs& request,
            Diagnostics& diagnostics) {
  const auto& named = *setup.ask().demand->trace;
  serving::TraceArrivals arrivals = serving::arrivals_of(trace, request.requests);
  setup.trace = std::move(arrivals.batch);
  cut_prefixes(setup, trace.prefixes.block_tokens);
  setup.dropped_rows = arrivals.dropped;
  if (arrivals.dropped > 0)
    setup.note(
        {.id = "dropped-requests", .arguments = {{"requests", format_count(arrivals.dropped)}}});
  if (setup.trace.size() == 0) {
    diagnostics.add(
        setup.error(lf::kNotRequests, named.position,
                    fmt::format("no request of '{}' has tokens in and out", named.value)));
    return false;
  }
  const double span = sim::seconds_of(setup.trace.time.back()).base();
  if (setup.trace.size() < trace.size() && span > 0)
    setup.rate = static_cast<double>(setup.trace.size()) / span;
  return true;
}

// Requests at recorded rates; as many windows of them as can be simulated in a minute.
demand::Trace requests_of(const FleetDemand& demand, const SimulateInputs& request,
                          std::uint64_t seed) {
  const double most = static_cast<double>(request.requests > 0 ? request.requests : kMostOfAWeek);
  demand::RateProfile profile = *demand.profile;
  double count = 0;
  std::size_t kept = 0;
  for (; kept < profile.windows.size() && count < most; ++kept)
    count += profile.windows[kept].rate.base() * static_cast<double>(profile.windows[kept].length) *
             1e-9;
  profile.windows.resize(std::max<std::size_t>(1, kept));
  return demand::generate_from_profile(profile, demand.model, seed);
}

// The longest lengths that the traffic itself has, before the model's context cuts them.
struct LongestLengths {
  std::int32_t in = 0;
  std::int32_t out = 0;
};

// Says which requests were cut, by what, and what that does to the mean that was asked for.
void confess_cuts(SimulateSetup& setup, const demand::TrafficModel& model,
                  const LongestLengths& longest) {
  double in = 0, out = 0;
  std::int64_t long_in = 0, long_out = 0;
  for (const sim::RequestLength& length : setup.poisson.lengths) {
    in += length.tokens_in;
    out += length.tokens_out;
    long_in += length.tokens_in >= model.input.most ? 1 : 0;
    long_out += length.tokens_out >= model.output.most ? 1 : 0;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, setup.poisson.lengths.size()));
  const auto confess = [&](const char* what, std::int64_t cut, std::int32_t most,
                           std::int32_t of_traffic, double mean, double asked) {
    if (cut == 0) return;
    const bool is_short = mean < 0.98 * asked;
    const bool is_own = most >= of_traffic && !is_short;  // As the traffic is known to be.
    Notice notice{
        .id = "cut-lengths",
        .severity = is_own ? Severity::kNote : Severity::kCaution,
        .arguments = {{what, fmt::format("{:.1f} %", 100.0 * static_cast<double>(cut) / count)},
                      {"most", format_count(most)}}};
    if (most < of_traffic)
      notice.arguments.push_back({"context", format_count(setup.model->context)});
    else if (model.name.empty())
      notice.arguments.push_back({"this_traffic", ""});
    else
      notice.arguments.push_back({"traffic", model.name});
    if (is_short) {
      notice.arguments.push_back({"mean", format_count(std::llround(mean))});
      notice.arguments.push_back({"asked", format_count(std::llround(asked))});
    }
    setup.note(std::move(notice));
  };
  confess("prompts", long_in, model.input.most, longest.in, in / count, setup.mean_in);
  if (setup.model->generates())
    confess("answers", long_out, model.output.most, longest.out, out / count, setup.mean_out);
}

// A week with its nights and weekends, or as much of it as can be simulated in a minute.
void use_shape(SimulateSetup& setup, const FleetDemand& demand, const LongestLengths& longest,
               const SimulateInputs& request) {
  setup.traffic = demand.week_model;
  const auto week = static_cast<std::int64_t>(std::llround(setup.rate * kWeek));
  setup.poisson.count = std::min(request.requests > 0 ? request.requests : kMostOfAWeek, week);
  setup.poisson.seed = setup.seed;
  setup.poisson.per_second = setup.rate;
  serving::GeneratedArrivals sample(demand.week_model, setup.seed, Seconds::from_base(kWeek));
  sim::ArrivalBatch batch;
  sample.pull(batch, kSampled);
  setup.poisson.lengths.clear();
  for (std::size_t i = 0; i < batch.size(); ++i)
    setup.poisson.lengths.push_back({batch.tokens_in[i], batch.tokens_out[i]});
  confess_cuts(setup, demand.week_model, longest);
  if (setup.poisson.count < week)
    setup.note({.id = "part-of-week",
                .arguments = {{"simulated", format_count(setup.poisson.count)},
                              {"requests", format_count(week)}}});
}

}  // namespace

bool read_simulated_demand(SimulateSetup& setup, const SimulateInputs& request,
                           Diagnostics& diagnostics) {
  // A note below says better that the rate never changes.
  std::vector<Notice> said;
  auto derived = derive_demand({.scenario = &setup.scenario,
                                .serve = &setup.ask(),
                                .catalog = setup.catalog,
                                .trace_bytes = setup.files.trace_text,
                                .seed = setup.seed,
                                .fits_trace = false},
                               said, diagnostics);
  if (!derived) return false;
  const auto& demand = setup.ask().demand;
  for (Notice& notice : said)
    if (notice.id != "no-shape") setup.notices.push_back(std::move(notice));
  const LongestLengths longest{derived->week_model.input.most, derived->week_model.output.most};
  clip_lengths(*setup.model, *derived);
  if (!settle_lengths(setup, *derived, diagnostics)) return false;
  setup.rate = derived->mean();
  setup.rates = derived->rates;
  setup.mean_in = derived->input;
  setup.mean_out = std::max(1.0, derived->output);
  if (derived->trace) return replay(setup, *derived->trace, request, diagnostics);
  if (derived->profile)
    return replay(setup, requests_of(*derived, request, setup.seed), request, diagnostics);
  if (derived->has_shape) {
    use_shape(setup, *derived, longest, request);
    return true;
  }
  const auto count = static_cast<std::int64_t>(std::llround(setup.rate * kDay));
  const auto tokens = [](const config::Given<Tokens>& given) {
    return static_cast<std::int32_t>(std::max(1.0, std::round(given->value.base())));
  };
  setup.poisson = {
      .lengths = {{tokens(demand->tokens_in), tokens(demand->tokens_out)}},
      .per_second = setup.rate,
      .count = request.requests > 0 ? request.requests : std::clamp(count, kFewest, kMaxRequests),
      .seed = setup.seed};
  if (request.requests == 0 && count > kMaxRequests)
    setup.note({.id = "part-of-day",
                .arguments = {{"simulated", format_count(kMaxRequests)},
                              {"requests", format_count(count)}}});
  setup.note({.id = "equal-lengths"});
  return true;
}

std::unique_ptr<sim::ArrivalStream> SimulateSetup::unmarked(std::int64_t count) const {
  if (has_trace()) return std::make_unique<sim::RecordedArrivals>(trace);
  if (traffic)
    return std::make_unique<serving::GeneratedArrivals>(
        *traffic, poisson.seed, Seconds::from_base(kWeek),
        count > 0 ? std::min(poisson.count, count) : poisson.count);
  sim::PoissonDemand demand = poisson;
  if (count > 0) demand.count = std::min(demand.count, count);
  return std::make_unique<sim::PoissonArrivals>(demand);
}

std::unique_ptr<sim::ArrivalStream> SimulateSetup::stream(std::int64_t count) const {
  return marked(unmarked(count));
}

std::unique_ptr<sim::ArrivalStream> SimulateSetup::marked(
    std::unique_ptr<sim::ArrivalStream> stream) const {
  const config::Operations& asked = operations();
  sim::ArrivalMarks marks;
  if (asked.urgent) marks.urgent = asked.urgent->value;
  if (asked.prefix_hits) marks.shared = asked.prefix_hits->value;
  if (!pools.empty()) marks.block_tokens = pools.front()->scheduler.block_tokens;
  marks.seed = poisson.seed;
  if (marks.urgent <= 0 && marks.shared <= 0) return stream;
  return std::make_unique<sim::MarkedArrivals>(std::move(stream), marks);
}

}  // namespace loadfactor::engine
