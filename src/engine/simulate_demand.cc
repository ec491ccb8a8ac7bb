// Which requests a scenario's demand means.
#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "demand/import.h"
#include "engine/simulate_setup.h"
#include "serving/simulator/trace_arrivals.h"
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
             "every request has the mean lengths and arrivals are random at a constant rate; a "
             "trace brings spread and shape",
             demand->shape ? Severity::kCaution : Severity::kNote);
  return true;
}

std::unique_ptr<sim::ArrivalStream> SimulateSetup::stream(std::int64_t count) const {
  if (has_trace()) return std::make_unique<sim::RecordedArrivals>(trace);
  sim::PoissonDemand demand = poisson;
  if (count > 0) demand.count = std::min(demand.count, count);
  return std::make_unique<sim::PoissonArrivals>(demand);
}

}  // namespace loadfactor::engine
