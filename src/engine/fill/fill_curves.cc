// What would change the answer of `fill`: other sizes, pooling, other crowds, other choices.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "demand/generate.h"
#include "engine/fill/fill.h"
#include "resolve/serve/fleet_steps.h"
#include "resolve/serve/served_layout.h"
#include "resolve/serve/service_layout.h"
#include "serving/generation.h"
#include "serving/worthwhile.h"

namespace loadfactor::engine {
namespace {

FillPoint point_of(const FillContext& context, int units) {
  const FleetDemand& demand = context.world->demand();
  const auto load =
      serving::fluid_load(demand.rates, demand.windows_per_hour, context.figures.capacity, units);
  FillPoint point{.units = units,
                  .replicas = units * context.answer_replicas,
                  .gpus = units * context.gpus_each(),
                  .load_factor = load.load_factor,
                  .within_slo = load.within_slo};
  point.per_mtoken = context.per_mtoken(point.gpus, load.served);
  return point;
}

constexpr std::size_t kWindowsOfWeek = 1008;

// In which ten minutes of the week the demand begins.
std::size_t first_window(const FleetDemand& demand) {
  constexpr std::int64_t kSinceMonday = 3 * 144;  // 1970-01-01 was a Thursday.
  constexpr demand::Nanoseconds kWindow = 600 * demand::kNanosecondsPerSecond;
  const bool is_dated = demand.trace     ? demand.trace->has_calendar
                        : demand.profile ? demand.profile->has_calendar
                                         : false;
  if (!is_dated) return 0;
  const auto origin = demand.trace ? demand.trace->origin : demand.profile->origin;
  return static_cast<std::size_t>(origin / kWindow + kSinceMonday) % kWindowsOfWeek;
}

// The rates of one of k like services: the first is the demand itself, the others are made by its
// model with seeds of their own, at the same hours of the week.
std::vector<double> rates_of_copy(const FillContext& context, std::uint64_t copy) {
  constexpr double kWindow = 600;
  const FleetDemand& demand = context.world->demand();
  const bool has_usual_windows = std::abs(demand.windows_per_hour - 6) < 0.5;
  if (copy == 0 && has_usual_windows) return demand.rates;
  const std::size_t count = has_usual_windows ? demand.rates.size() : kWindowsOfWeek;
  const std::size_t first = has_usual_windows ? first_window(demand) : 0;
  const auto profile =
      demand::generate_rates(demand.model, context.world->seed() + 7919 * copy,
                             Seconds::from_base(kWindow * static_cast<double>(first + count)),
                             Seconds::from_base(kWindow));
  std::vector<double> rates;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_missing = has_usual_windows && demand.rates[i] < 0;
    rates.push_back(is_missing ? -1 : profile.windows[first + i].rate.base());
  }
  return rates;
}

}  // namespace

void add_curve(const FillContext& context, FillAnswer& answer) {
  constexpr int kMostPoints = 24;
  const int knee = fleet_for(context.world->demand().rates, context.figures.capacity,
                             context.world->slo_quantile());
  const int last = std::max({2 * knee, answer.units + 1, 4});
  std::vector<int> sizes;
  for (int i = 0; i <= kMostPoints; ++i)
    sizes.push_back(std::max(
        1, static_cast<int>(std::lround(std::pow(last, static_cast<double>(i) / kMostPoints)))));
  for (const int must : {knee, answer.units - 1, answer.units, answer.units + 1})
    if (must >= 1) sizes.push_back(must);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (const int size : sizes) answer.curve.push_back({.units = size, .is_knee = size == knee});
  fill_curve(context, answer);
}

void fill_curve(const FillContext& context, FillAnswer& answer) {
  for (FillPoint& point : answer.curve) {
    const bool is_knee = point.is_knee;
    point = point_of(context, point.units);
    point.is_knee = is_knee;
  }
  // As busy as before, all of them together: what more GPUs cost is that they are there.
  const auto more = [&](int units) {
    const int gpus = answer.gpus + answer.gpus_left;
    const double paid = context.gpus_paid(gpus + (units - answer.units) * context.gpus_each());
    const auto each = context.price();
    return each ? each->fixed * (paid - context.gpus_paid(gpus)) * kMonth : Dollars();
  };
  if (answer.units > 1)
    answer.one_fewer = Neighbour{point_of(context, answer.units - 1), more(answer.units - 1)};
  answer.one_more = Neighbour{point_of(context, answer.units + 1), more(answer.units + 1)};
}

void find_copies(FillContext& context) {
  constexpr std::uint64_t kMostServices = 16;
  for (std::uint64_t copy = 0; copy < kMostServices; ++copy) {
    const auto& own = context.copies.emplace_back(rates_of_copy(context, copy));
    std::vector<double> sum = copy > 0 ? context.pooled.back() : std::vector<double>(own.size(), 0);
    for (std::size_t i = 0; i < own.size(); ++i) sum[i] = own[i] < 0 ? -1 : sum[i] + own[i];
    context.pooled.push_back(std::move(sum));
  }
}

void add_pooling(const FillContext& context, FillAnswer& answer) {
  int gpus_apart = 0;
  double served_apart = 0;
  const auto& capacity = context.figures.capacity;
  int copies = 0;
  // What other weeks and failures ask for on top of a week of the fluid limit, of every fleet.
  const auto fewest = [&](const std::vector<double>& rates) {
    return fleet_for(rates, capacity, context.world->slo_quantile());
  };
  const int on_top =
      answer.fleet_chosen ? std::max(0, answer.units - fewest(context.world->demand().rates)) : 0;
  for (const int services : {1, 2, 4, 8, 16}) {
    for (; copies < services; ++copies) {
      const auto& own = context.copies[static_cast<std::size_t>(copies)];
      const int replicas = fewest(own) + on_top;
      gpus_apart += replicas * context.gpus_each();
      served_apart += serving::fluid_load(own, 6, capacity, replicas).served.base();
    }
    const auto& pooled = context.pooled[static_cast<std::size_t>(services - 1)];
    const int together = fewest(pooled) + on_top;
    const auto load = serving::fluid_load(pooled, 6, capacity, together);
    PoolingRow row{.services = services,
                   .gpus_apart = gpus_apart,
                   .gpus_pooled = together * context.gpus_each(),
                   .load_pooled = load.load_factor};
    row.load_apart = served_apart / (gpus_apart / context.gpus_each() * capacity.saturated.base());
    row.per_mtoken_apart = context.per_mtoken(gpus_apart, Hertz::from_base(served_apart));
    row.per_mtoken_pooled = context.per_mtoken(row.gpus_pooled, load.served);
    answer.pooling.push_back(row);
  }
}

void add_crowd(const FillContext& context, FillAnswer& answer) {
  const FleetDemand& demand = context.world->demand();
  const auto& capacity = context.figures.capacity;
  const double full = answer.units * capacity.saturated.base();
  // With this shape the mean can be no more than this share of the fleet within the SLO.
  const double fullest =
      serving::fullest_load(demand.rates, capacity, context.world->slo_quantile());
  const auto add = [&](Crowd what, double load) {
    const Hertz requests = Hertz::from_base(load * full);
    answer.crowd.push_back({what, load, requests, context.users(requests, context.figures),
                            load <= fullest * (1 + 1e-9)});
  };
  add(Crowd::kToday, answer.load.load_factor);
  if (const auto even = context.break_even(context.figures)) add(Crowd::kBreakEven, *even);
  add(Crowd::kHalf, 0.5);
  add(Crowd::kFourFifths, 0.8);
  add(Crowd::kFullest, fullest);
}

namespace {

using Change = ThresholdRow::Change;

void add_alternative(ThresholdRow row, const serving::CapacityFigures& figures,
                     FillContext& context) {
  // A replica that cannot keep the SLO at all is none.
  if (figures.capacity.at_slo > Hertz()) context.alternatives.push_back({std::move(row), figures});
}

std::int64_t least_cache(const ServingWorld& world, const serving::ReplicaPlan& plan) {
  return serving::worthwhile_cache(plan.chunk, world.demand().input + world.demand().output);
}

// The smallest layout on the same chip that leaves room for keys and values.
std::optional<serving::ReplicaPlan> smallest_plan(ServingWorld& world,
                                                  const catalog::AcceleratorSpec& chip,
                                                  const std::string& precision) {
  for (const int tp : tensor_degrees(*world.service().model, chip)) {
    const auto choice = world.choice(chip, precision, {.tp = tp});
    if (!choice) return std::nullopt;
    auto plan = world.plan(*choice);
    if (plan && plan->fits() && plan->kv_tokens >= least_cache(world, *plan))
      return *std::move(plan);
  }
  return std::nullopt;
}

void add_engines(FillContext& context) {
  ServingWorld& world = *context.world;
  const auto& catalog = *world.service().catalog;
  for (const auto& engine : catalog.lineup().engines.compare) {
    const auto spec = catalog.find_engine(engine);
    if (!spec) continue;
    serving::ReplicaChoice choice = context.plan.choice;
    const auto traits = serving::generation_of(catalog, **spec, "", *choice.chip);
    if (!traits || *traits == world.service().traits) continue;
    choice.traits = *traits;
    choice.engine = *spec;
    const config::Pool written = world.service().asked_pool(Side::kDecode);
    if (!written.max_seqs) choice.max_seqs = 0;
    if (!written.chunk) choice.chunk = 0;
    const auto plan = world.plan(choice);
    if (plan && plan->fits())
      add_alternative({.change = Change::kEngine, .to = engine}, world.capacity(*plan), context);
  }
}

}  // namespace

void find_alternatives(FillContext& context) {
  if (!context.price() || !context.api_per_request()) return;
  ServingWorld& world = *context.world;
  add_alternative({}, context.figures, context);
  for (const char* word : {"bf16", "fp8", "nvfp4"}) {
    if (word == context.plan.choice.precision) continue;
    const auto plan = smallest_plan(world, *context.plan.choice.chip, word);
    if (plan)
      add_alternative({.change = Change::kPrecision, .to = word}, world.capacity(*plan), context);
  }
  add_engines(context);
  if (!context.prompts) {
    const auto split = best_split_unit(world, context.plan, context.plan);
    if (split)
      add_alternative(
          {.change = Change::kSplit, .prompts = split->prompts, .answers = split->answers},
          split->figures, context);
  }
  serving::ServicePromise relaxed = world.ask();
  relaxed.ttft = relaxed.ttft * 2;
  relaxed.tpot = relaxed.tpot * 2;
  if (world.slo_quantile() < 1 && !context.prompts)
    add_alternative({.change = Change::kLooserSlo}, world.capacity(context.plan, relaxed), context);
  // Sixteen services pooled: their peaks do not meet.
  add_alternative({.change = Change::kPooled}, context.figures, context);
}

void add_thresholds(const FillContext& context, FillAnswer& answer) {
  const FleetDemand& demand = context.world->demand();
  for (const Alternative& other : context.alternatives) {
    const serving::CapacityFigures figures = at_speed(other.figures, context.speed);
    const auto even = context.break_even(figures);
    if (!even) continue;
    ThresholdRow row = other.row;
    const bool is_pooled = row.change == Change::kPooled;
    row.gpus = figures.capacity.gpus;
    row.break_even = *even;
    row.fullest = serving::fullest_load(is_pooled ? context.pooled.back() : demand.rates,
                                        figures.capacity, context.world->slo_quantile());
    row.requests = figures.capacity.saturated * *even;
    row.users = context.users(row.requests, figures);
    answer.thresholds.push_back(std::move(row));
  }
}

namespace {

// The least layout of a chip that an API cannot undercut at the rate it keeps.
void consider(const FillContext& context, const CostSetup& terms,
              const catalog::AcceleratorSpec& chip, FillAnswer& answer, Dollars& cheapest) {
  ServingWorld& world = *context.world;
  const auto each = leading_price(terms);
  const auto api = context.api_per_request();
  if (!each || !api) return;
  for (const int tp : tensor_degrees(*world.service().model, chip)) {
    const auto choice = world.choice(chip, "", {.tp = tp});
    if (!choice) continue;
    const auto plan = world.plan(*choice);
    if (!plan || !plan->fits()) continue;
    const auto figures = world.capacity(*plan);
    // It always works where it pays.
    const Dollars cost =
        (each->fixed + each->working) * static_cast<double>(tp) * Seconds::from_base(1);
    // It must pay at the rate it can keep.
    if (figures.capacity.at_slo <= Hertz() || cost > *api * figures.capacity.at_slo.base())
      continue;
    if (answer.smallest && cost >= cheapest) continue;
    cheapest = cost;
    answer.smallest = WorthHaving{.accelerator = chip.title,
                                  .layout = engine::served_layout(plan->choice.layout, 1),
                                  .requests = Hertz::from_base(cost / *api),
                                  .break_even = cost / (*api * figures.capacity.saturated.base())};
  }
}

}  // namespace

void add_smallest(const FillInputs& question, FillContext& context, FillAnswer& answer) {
  if (!context.cost || !context.api_per_request()) return;
  ServingWorld& world = *context.world;
  Dollars cheapest;
  consider(context, *context.cost, *context.plan.choice.chip, answer, cheapest);
  for (const auto& name : world.service().scenario.hardware) {
    const auto chip = world.service().catalog->find_accelerator(name.value);
    if (!chip || *chip == context.plan.choice.chip) continue;
    Diagnostics unread;
    const auto terms = price_chip(question.serving, world, (*chip)->name, unread);
    if (terms) consider(context, *terms, **chip, answer, cheapest);
  }
}

}  // namespace loadfactor::engine
