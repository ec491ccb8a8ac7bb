// A service and a run in one scenario: in one pool, in the hours that serving leaves idle, or
// apart.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "base/calendar.h"
#include "catalog/catalog.h"
#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_figures.h"

namespace loadfactor::engine {
namespace {

// GPUs of the service that are paid for at any hour: a fleet that is rented by the hour, and the
// peaks of a mix, are let go when they are not needed.
double paid_always(const Core& engine, const PlanAnswer& serving) {
  const OptionKind kind = serving.options[0].cost.kind;
  if (kind == OptionKind::kAutoscaled) return 0;
  if (!is_mix(kind)) return serving.machine->layout.gpus;
  Diagnostics unread;
  const auto setup = make_cost_setup(*serving.priced, engine.catalog(), unread);
  if (!setup) return 0;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  for (const auto& option : figures.all())
    if (option.kind == kind) return option.owned + option.reserved;
  return 0;
}

// Whole GPUs that serving pays for and leaves idle, hour by hour of a week.
std::vector<double> idle_hours(const Core& engine, const PlanAnswer& serving) {
  std::vector<double> idle;
  if (!serving.priced || !serving.priced->capacity || !serving.machine) return idle;
  const double paid = paid_always(engine, serving);
  for (const double busy : serving.priced->capacity->busy_by_hour)
    idle.push_back(std::max(0.0, std::floor(paid - busy + 1e-9)));
  return idle;
}

// Hours of work that a GPU loses when it is taken back: since the last checkpoint, and the restart.
double hours_lost(const catalog::Catalog& catalog) {
  for (const auto& fact : catalog.facility())
    if (fact.name == "spot_loss" && fact.variant == "checkpoint-and-restart") return fact.value;
  return 0;
}

constexpr GpuTime gpu_hours(double hours) {
  return GpuTime::from_base(hours * 3600);
}

// A GPU-hour of the same chip on demand, all in; nothing where nobody rents it.
Dollars hourly_rent(const Core& engine, const PlanAnswer& serving) {
  if (!serving.priced) return {};
  Diagnostics unread;
  const auto setup = make_cost_setup(*serving.priced, engine.catalog(), unread);
  const auto rent =
      setup ? economics::effective_rent(setup->terms, OptionKind::kOnDemand) : std::nullopt;
  return rent ? *rent * kHour : Dollars();
}

// A run of so many GPUs works in the hours in which as many are idle, and stops in the others.
void count_hours(const Core& engine, const PlanAnswer& serving, const PlanAnswer& run,
                 double window, PooledRun& pooled) {
  const auto idle = idle_hours(engine, serving);
  pooled.gpus = run.machine->layout.gpus;
  const double needed = pooled.gpus * run.duration->value().base() / 3600;
  pooled.needed = gpu_hours(needed);
  double hours = 0;
  double stops = 0;
  for (std::size_t hour = 0; hour < idle.size(); ++hour) {
    const double before = idle[hour == 0 ? idle.size() - 1 : hour - 1];
    if (idle[hour] >= pooled.gpus) hours += 1;
    if (idle[hour] < pooled.gpus && before >= pooled.gpus) stops += 1;
  }
  if (idle.empty()) return;
  const double known = static_cast<double>(idle.size());  // A week, less hours nothing is known of.
  const double lost = stops * pooled.gpus * hours_lost(engine.catalog()) * window / known;
  pooled.idle = gpu_hours(hours * pooled.gpus * window / known);
  pooled.lost = gpu_hours(lost);
  pooled.price = hourly_rent(engine, serving) * std::min(lost, needed);
}

// The run on as many of the service's GPUs as are ever idle together; nothing where it cannot be.
std::optional<PlanAnswer> run_on_idle(const Core& engine, const PlanInputs& question,
                                      const PlanAnswer& serving) {
  const auto idle = idle_hours(engine, serving);
  const double most = idle.empty() ? 0 : *std::max_element(idle.begin(), idle.end());
  if (most < 1) return std::nullopt;
  const auto gpus = std::bit_floor(static_cast<std::uint32_t>(most));
  PlanInputs pooled =
      question.with({{"hardware", std::vector<std::string>{serving.machine->accelerator}},
                     {"limits.gpus", std::int64_t{gpus}},
                     {"train.layout.gpus"},
                     {"train.layout.dp"},
                     {"train.deadline"},
                     {"limits.budget"},
                     {"limits.site_power"},
                     {"limits.rack_power"}});
  pooled.levers = false;
  Diagnostics unread;
  auto run = plan_training(engine, pooled, unread);
  const bool done =
      run && run->machine && run->duration && run->decision != PlanDecision::kNotFeasible;
  return done ? std::move(run) : std::nullopt;
}

// Whether the interval of what the run needs holds what idle hours give.
bool may_be_what_is_left(const PooledRun& pooled, const EstimateOf<Seconds>& duration) {
  const double left = (pooled.idle - pooled.lost) / pooled.needed;
  return left >= duration.low() / duration.value() && left <= duration.high() / duration.value();
}

PooledRun pooled_run(const Core& engine, const PlanInputs& question, const PlanAnswer& serving,
                     const PlanAnswer& training) {
  PooledRun pooled;
  if (uses_api(serving)) {
    pooled.outcome = PooledRun::Outcome::kServedByApi;
    return pooled;
  }
  if (serving.machine) pooled.accelerator = serving.machine->accelerator;
  const auto idle = idle_hours(engine, serving);
  const double most = idle.empty() ? 0 : *std::max_element(idle.begin(), idle.end());
  pooled.idle_gpus = static_cast<int>(most);
  const auto run = run_on_idle(engine, question, serving);
  if (!run) {
    pooled.outcome = most < 1 ? PooledRun::Outcome::kNothingIdle : PooledRun::Outcome::kDoesNotFit;
    return pooled;
  }
  const auto& deadline = training.training ? training.training->deadline : std::nullopt;
  const double window = (deadline ? *deadline : kMonth) / kHour;
  count_hours(engine, serving, *run, window, pooled);
  const Dollars alone = training.options.empty() ? Dollars() : training.options[0].amount;
  pooled.by_deadline = deadline.has_value();
  pooled.fits = pooled.idle - pooled.lost >= pooled.needed && pooled.price < alone;
  pooled.saved = alone - pooled.price;
  pooled.is_close = may_be_what_is_left(pooled, *run->duration);
  return pooled;
}

// Training in the hours that serving leaves idle, or apart?
void join(const Core& engine, const PlanInputs& question, const PlanAnswer& training,
          PlanAnswer& serving) {
  for (const auto& notice : training.notices)
    if (std::find(serving.notices.begin(), serving.notices.end(), notice) == serving.notices.end())
      serving.notices.push_back(notice);
  serving.commands.insert(serving.commands.end(), training.commands.begin(),
                          training.commands.end() - (training.commands.empty() ? 0 : 1));
  const Dollars alone = training.options.empty() ? Dollars() : training.options[0].amount;
  const PooledRun pooled = pooled_run(engine, question, serving, training);
  serving.pooled = pooled;
  serving.service_decision = serving.decision;
  serving.run_beside = std::make_shared<const PlanAnswer>(training);
  serving.levers.push_back({PoolLever{pooled}});
  if (pooled.fits) {
    serving.runner_ups.push_back({RunOfItsOwn{pooled.saved}, alone});
  } else {
    const bool neither = serving.decision == PlanDecision::kNotFeasible ||
                         training.decision == PlanDecision::kNotFeasible;
    serving.decision = neither ? PlanDecision::kNotFeasible : PlanDecision::kSplit;
    if (training.is_close) serving.is_close = true;
  }
  if (pooled.is_close) add_close_call(serving, NearIdleHours{});
}

}  // namespace

std::optional<PlanAnswer> plan_pool(const Core& engine, const PlanInputs& question,
                                    Diagnostics& diagnostics) {
  const PlanInputs service = question.with({{"train"}});
  const PlanInputs run = question.with({{"serve"}});
  auto serving = plan_serving(engine, service, diagnostics);
  if (!serving) return std::nullopt;
  const auto training = plan_training(engine, run, diagnostics);
  if (!training) return std::nullopt;
  join(engine, run, *training, *serving);
  return serving;
}

}  // namespace loadfactor::engine
