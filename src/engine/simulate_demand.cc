// Which requests a scenario's demand means.
#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "demand/import.h"
#include "engine/simulate_setup.h"
#include "engine/traffic.h"
#include "serving/arrivals_from_demand.h"
#include "serving/simulator/trace_arrivals.h"
#include "sim/marked_arrivals.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::engine {
namespace {

constexpr double kDay = 86400;
constexpr std::int64_t kFewest = 10'000;
constexpr std::int64_t kMost = 2'000'000;

bool read_trace(SimulateSetup& setup, const SimulateRequest& request, Diagnostics& diagnostics) {
  const auto& named = *setup.ask().demand->trace;
  auto imported = demand::import_demand(named.value, request.trace_text);
  if (!imported) {
    diagnostics.add(imported.error());
    return false;
  }
  const auto* trace = std::get_if<demand::Trace>(&imported->data);
  if (trace == nullptr || !trace->is_timed || trace->size() == 0) {
    diagnostics.add(setup.error(lf::kNotRequests, named.position,
                                fmt::format("'{}' has no requests with times", named.value),
                                "a simulation needs one row per request: time, tokens in, out"));
    return false;
  }
  serving::TraceArrivals arrivals = serving::arrivals_of(*trace, request.requests);
  setup.trace = std::move(arrivals.batch);
  setup.dropped_rows = arrivals.dropped;
  if (arrivals.dropped > 0)
    setup.note("dropped-requests",
               fmt::format("{} requests without tokens in or out are left out",
                           format_count(arrivals.dropped)),
               Severity::kCaution);
  if (setup.trace.size() == 0) {
    diagnostics.add(
        setup.error(lf::kNotRequests, named.position,
                    fmt::format("no request of '{}' has tokens in and out", named.value)));
    return false;
  }
  const double span = sim::seconds_of(setup.trace.time.back()).base();
  setup.rate = span > 0 ? static_cast<double>(setup.trace.size()) / span : 0;
  return true;
}

// A day of the named traffic at the asked rate and mean lengths. Probes of one replica draw their
// lengths from the same model.
bool use_shape(SimulateSetup& setup, const SimulateRequest& request, Diagnostics& diagnostics) {
  const auto& demand = *setup.ask().demand;
  auto model = find_traffic(*setup.catalog, demand.shape->value);
  if (!model) {
    diagnostics.add(setup.error(model.error().code, demand.shape->position, model.error().message,
                                model.error().hint));
    return false;
  }
  setup.shaped = demand::scaled_to(*std::move(model), demand.requests->value);
  if (demand.tokens_in)
    setup.shaped->input =
        demand::scaled_to_mean(setup.shaped->input, demand.tokens_in->value.base());
  if (demand.tokens_out)
    setup.shaped->output =
        demand::scaled_to_mean(setup.shaped->output, demand.tokens_out->value.base());
  const double most = static_cast<double>(request.requests > 0 ? request.requests : kMost);
  const double asked = request.requests > 0 ? most / setup.rate : kDay;
  setup.shaped_for = Seconds::from_base(std::min(asked, most / setup.rate));
  sim::ArrivalBatch sample;
  serving::GeneratedArrivals(*setup.shaped, request.seed, setup.shaped_for)
      .pull(sample, static_cast<std::size_t>(kFewest));
  if (sample.size() == 0) {
    diagnostics.add(setup.error(lf::kNotRequests, demand.position,
                                "the demand brings no request in the time simulated",
                                "raise its rate, or --requests"));
    return false;
  }
  setup.poisson = {
      .per_second = setup.rate,
      .count = static_cast<std::int64_t>(std::llround(setup.rate * setup.shaped_for.base())),
      .seed = request.seed};
  for (std::size_t i = 0; i < sample.size(); ++i)
    setup.poisson.lengths.push_back({sample.tokens_in[i], sample.tokens_out[i]});
  setup.note("shaped", fmt::format("traffic shaped as '{}', {} simulated", demand.shape->value,
                                   format_display(any(setup.shaped_for))));
  return true;
}

}  // namespace

bool read_simulated_demand(SimulateSetup& setup, const SimulateRequest& request,
                           Diagnostics& diagnostics) {
  const auto& demand = setup.ask().demand;
  if (!demand) {
    diagnostics.add(setup.error(lf::kMissingKey, setup.ask().position,
                                "a simulation needs 'demand'",
                                "write 'demand: {requests_per_second: 2, tokens_in: 1000, "
                                "tokens_out: 200}' or '{trace: requests.csv}'"));
    return false;
  }
  if (demand->trace) return read_trace(setup, request, diagnostics);
  setup.rate = demand->requests->value.base();
  if (demand->shape) return use_shape(setup, request, diagnostics);
  const auto count = static_cast<std::int64_t>(std::llround(setup.rate * kDay));
  const auto tokens = [](const config::Given<Tokens>& given) {
    return static_cast<std::int32_t>(std::max(1.0, std::round(given->value.base())));
  };
  setup.poisson = {
      .lengths = {{tokens(demand->tokens_in), tokens(demand->tokens_out)}},
      .per_second = setup.rate,
      .count = request.requests > 0 ? request.requests : std::clamp(count, kFewest, kMost),
      .seed = request.seed};
  setup.note("equal-lengths",
             "every request has the mean lengths and arrivals are random at a constant rate; "
             "demand.shape or a trace brings spread and shape");
  return true;
}

std::unique_ptr<sim::ArrivalStream> SimulateSetup::unmarked(std::int64_t count) const {
  if (has_trace()) return std::make_unique<sim::RecordedArrivals>(trace);
  if (shaped && count == 0)
    return std::make_unique<serving::GeneratedArrivals>(*shaped, poisson.seed, shaped_for);
  sim::PoissonDemand demand = poisson;
  if (count > 0) demand.count = std::min(demand.count, count);
  return std::make_unique<sim::PoissonArrivals>(demand);
}

std::unique_ptr<sim::ArrivalStream> SimulateSetup::stream(std::int64_t count) const {
  const config::Operations& asked = operations();
  sim::ArrivalMarks marks;
  if (asked.urgent) marks.urgent = asked.urgent->value;
  if (asked.prefix_hits) marks.shared = asked.prefix_hits->value;
  if (!pools.empty()) marks.block_tokens = pools.front()->scheduler.block_tokens;
  marks.seed = poisson.seed;
  if (marks.urgent <= 0 && marks.shared <= 0) return unmarked(count);
  return std::make_unique<sim::MarkedArrivals>(unmarked(count), marks);
}

}  // namespace loadfactor::engine
