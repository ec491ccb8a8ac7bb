// What the fleet costs, by the same functions that `cost` uses.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "economics/api_floor.h"
#include "economics/evaluate.h"
#include "economics/unit_cost.h"
#include "engine/cost/cost_answer.h"
#include "engine/fill/fill.h"

namespace loadfactor::engine {
namespace {

constexpr std::array kWays{OptionKind::kOnDemand, OptionKind::kReserved1y, OptionKind::kReserved3y,
                           OptionKind::kSpot, OptionKind::kOwn};

Gpus one_gpu() {
  return Gpus::from_base(1);
}

}  // namespace

std::optional<GpuPrice> FillContext::price() const {
  return cost ? leading_price(*cost) : std::nullopt;
}

std::optional<Dollars> FillContext::api_per_request() const {
  if (!cost || !cost->terms.api) return std::nullopt;
  const double tokens = world->demand().input + world->demand().output;
  return economics::blended_price(*cost->terms.api) * Tokens::from_base(tokens);
}

double FillContext::gpus_paid(int gpus) const {
  const auto each = price();
  const auto needed = static_cast<double>(gpus);
  return each ? economics::gpus_paid(cost->terms.capacity, needed, each->kind) : needed;
}

Dollars FillContext::per_mtoken(int gpus, Hertz served) const {
  const double tokens = served.base() * (world->demand().input + world->demand().output);
  const auto each = price();
  if (!each || tokens <= 0) return Dollars();
  const double working = gpus_each() * (served / figures.capacity.saturated);
  return (each->fixed * gpus_paid(gpus) + each->working * working) *
         Seconds::from_base(1e6 / tokens);
}

std::optional<double> FillContext::break_even(const serving::CapacityFigures& f) const {
  const auto each = price();
  const auto api = api_per_request();
  if (!each || !api || f.capacity.saturated <= Hertz()) return std::nullopt;
  const auto gpus = static_cast<double>(f.capacity.gpus);
  return economics::break_even_against(each->fixed * gpus, each->working * gpus,
                                       *api * f.capacity.saturated);
}

double FillContext::users(Hertz requests, const serving::CapacityFigures& f) const {
  const Seconds cycle =
      think_time + std::max(f.latency, f.idle_ttft + f.idle_tpot * world->demand().output);
  return requests * cycle;
}

serving::IntervalWidth FillContext::width(serving::Metric metric) const {
  return world->service().calibration().interval_of(metric, plan.step->deployment(),
                                                    serving::LoadKind::kOpenLoop);
}

serving::CapacityFigures at_speed(serving::CapacityFigures f, double speed) {
  if (speed == 1) return f;
  f.capacity.saturated = f.capacity.saturated * speed;
  f.capacity.at_slo = f.capacity.at_slo * speed;
  if (!f.capacity.misses.empty()) f.capacity.misses = f.capacity.misses.stretched(speed);
  for (Seconds* time : {&f.ttft, &f.tpot, &f.idle_ttft, &f.idle_tpot, &f.latency})
    *time = *time / speed;
  return f;
}

void add_money(FillContext& context, FillAnswer& answer) {
  Service& setup = context.world->service();
  if (!context.price()) {
    setup.note({.id = "no-rent",
                .severity = Severity::kCaution,
                .arguments = {{"unrented", answer.accelerator}}});
  }
  if (context.cost) {
    answer.api_provider = context.cost->api_name;
    answer.facts = context.cost->facts;
  }
  const bool is_asked =
      !context.cost || (context.cost->asked & economics::bit(OptionKind::kApi)) != 0;
  if (!context.api_per_request()) setup.note({.id = is_asked ? "no-api" : "api-not-asked"});
}

void add_ways(const FillContext& context, FillAnswer& answer) {
  const auto api = context.api_per_request();
  if (!context.cost || !api) return;
  const Hertz full = context.figures.capacity.saturated * static_cast<double>(answer.units);
  const double gpus = answer.gpus + answer.gpus_left;
  for (const OptionKind way : kWays) {
    const auto each = price_of(context.cost->terms, way);
    if (!each) continue;
    WayToPay row{.way = way};
    const double paid = economics::gpus_paid(context.cost->terms.capacity, gpus, way);
    const double load = answer.load.load_factor * gpus / paid;
    const Hertz full_of_paid = full * (paid / gpus);
    row.price = (each->fixed + each->working * load) / one_gpu();
    row.break_even = economics::break_even_against(each->fixed * paid, each->working * paid,
                                                   *api * full_of_paid);
    row.pays = load >= row.break_even;
    if (std::isfinite(row.break_even)) {
      row.requests = full_of_paid * row.break_even;
      row.users = context.users(row.requests, context.figures);
    }
    answer.ways.push_back(row);
  }
}

}  // namespace loadfactor::engine
