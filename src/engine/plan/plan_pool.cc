// A service and a run in one scenario: in one pool, in the hours that serving leaves idle, or
// apart.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "economics/evaluate.h"
#include "engine/cost/cost_answer.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_sizes.h"

namespace loadfactor::engine {
namespace {

constexpr double kMonth = 730;

// GPUs of the service that are paid for at any hour: a fleet that is rented by the hour, and the
// peaks of a mix, are let go when they are not needed.
double paid_always(const Engine& engine, const PlanAnswer& serving) {
  const std::string& kind = serving.options[0].cost.kind;
  if (kind == "autoscaled") return 0;
  if (!kind.starts_with("own+")) return serving.machine->layout.gpus;
  Diagnostics unread;
  const auto setup = make_cost_setup(*serving.priced, engine.catalog(), unread);
  if (!setup) return 0;
  const auto figures = economics::evaluate(setup->terms, setup->asked);
  for (const auto& option : figures.all())
    if (kind_name(option.kind) == kind) return option.owned + option.reserved;
  return 0;
}

// Whole GPUs that serving pays for and leaves idle, hour by hour of a week.
std::vector<double> idle_hours(const Engine& engine, const PlanAnswer& serving) {
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

struct PoolSum {
  int together = 0;   // GPUs that the run holds at once.
  double needed = 0;  // GPU-hours of the run,
  double idle = 0;    // that idle hours give by the deadline,
  double lost = 0;    // of which pre-emption loses these.
  Dollars price;      // Of what is lost, at the rent of the same chip.
};

// A run of so many GPUs works in the hours in which as many are idle, and stops in the others.
PoolSum pool_sum(const Engine& engine, const PlanAnswer& serving, const PlanAnswer& run,
                 double window) {
  const auto idle = idle_hours(engine, serving);
  PoolSum sum;
  sum.together = run.machine->layout.gpus;
  sum.needed = sum.together * run.duration->value().base() / 3600;
  double hours = 0;
  double stops = 0;
  for (std::size_t hour = 0; hour < idle.size(); ++hour) {
    const double before = idle[hour == 0 ? idle.size() - 1 : hour - 1];
    if (idle[hour] >= sum.together) hours += 1;
    if (idle[hour] < sum.together && before >= sum.together) stops += 1;
  }
  if (idle.empty()) return sum;
  const double known = static_cast<double>(idle.size());  // A week, less hours nothing is known of.
  sum.idle = hours * sum.together * window / known;
  sum.lost = stops * sum.together * hours_lost(engine.catalog()) * window / known;
  if (serving.sliders && serving.sliders->hourly)
    sum.price = *serving.sliders->hourly / kMonth * std::min(sum.lost, sum.needed);
  return sum;
}

// The run on as many of the service's GPUs as are ever idle together; nothing where it cannot be.
std::optional<PlanAnswer> run_on_idle(const Engine& engine, const PlanQuestion& question,
                                      const PlanAnswer& serving) {
  const auto idle = idle_hours(engine, serving);
  const double most = idle.empty() ? 0 : *std::max_element(idle.begin(), idle.end());
  if (most < 1) return std::nullopt;
  const auto gpus = std::bit_floor(static_cast<std::uint32_t>(most));
  PlanQuestion pooled =
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
bool may_be_what_is_left(const PoolSum& sum, const EstimateOf<Seconds>& duration) {
  const double left = (sum.idle - sum.lost) / sum.needed;
  return left >= duration.low() / duration.value() && left <= duration.high() / duration.value();
}

std::string count(double hours) {
  return format_count(std::llround(hours));
}

std::string run_text(const PlanAnswer& training) {
  if (!training.machine) return training.verdict;
  std::string text = fmt::format("{} × {}, {}", training.machine->layout.gpus,
                                 training.machine->title, training.machine->layout_words);
  if (training.duration) text += ": " + days_text(training.duration->value());
  if (!training.options.empty())
    text += fmt::format(", {} ({})", dollars_text(training.options[0].amount),
                        training.options[0].cost.name);
  return text;
}

struct Pooling {
  std::string words;
  bool fits = false;
  bool is_close = false;
  Dollars saved;
};

Pooling pooling_of(const Engine& engine, const PlanQuestion& question, const PlanAnswer& serving,
                   const PlanAnswer& training) {
  Pooling pooling;
  if (uses_api(serving)) {
    pooling.words = "serving by the API leaves no GPU idle";
    return pooling;
  }
  const auto run = run_on_idle(engine, question, serving);
  if (!run) {
    const auto idle = idle_hours(engine, serving);
    const double most = idle.empty() ? 0 : *std::max_element(idle.begin(), idle.end());
    pooling.words = most < 1
                        ? std::string("serving pays for no whole GPU that is ever idle")
                        : fmt::format(
                              "the training does not fit on the {:.0f} × {} that serving leaves "
                              "idle at most",
                              most, serving.machine->accelerator);
    return pooling;
  }
  const auto& deadline = training.training ? training.training->deadline : std::nullopt;
  const double window = deadline ? deadline->base() / 3600 : kMonth;
  const PoolSum sum = pool_sum(engine, serving, *run, window);
  const Dollars alone = training.options.empty() ? Dollars() : training.options[0].amount;
  pooling.words = fmt::format(
      "the training needs {} GPU-hours on {} × {}; hours in which serving leaves as many idle give "
      "{} {}, and being taken back loses {} of them ({})",
      count(sum.needed), sum.together, serving.machine->accelerator, count(sum.idle),
      deadline ? "by the deadline" : "a month", count(sum.lost), dollars_text(sum.price));
  pooling.fits = sum.idle - sum.lost >= sum.needed && sum.price < alone;
  pooling.saved = alone - sum.price;
  pooling.is_close = may_be_what_is_left(sum, *run->duration);
  return pooling;
}

// Training in the hours that serving leaves idle, or apart?
void join(const Engine& engine, const PlanQuestion& question, const PlanAnswer& training,
          PlanAnswer& serving) {
  for (const auto& notice : training.notices)
    if (std::none_of(serving.notices.begin(), serving.notices.end(),
                     [&](const Notice& known) { return known.text == notice.text; }))
      serving.notices.push_back(notice);
  serving.title += " · and training: " + training.title;
  serving.commands.insert(serving.commands.end(), training.commands.begin(),
                          training.commands.end() - (training.commands.empty() ? 0 : 1));
  const Dollars alone = training.options.empty() ? Dollars() : training.options[0].amount;
  const Pooling pooling = pooling_of(engine, question, serving, training);
  if (pooling.fits) {
    serving.training_beside = "in hours that serving leaves idle: " + pooling.words;
    serving.runners.push_back({"the training on machines of its own: " + run_text(training), alone,
                               dollars_text(pooling.saved) + " more than idle hours"});
    serving.levers.push_back(
        {"train in idle serving hours", fmt::format("{}: one pool does both and saves {}",
                                                    pooling.words, dollars_text(pooling.saved))});
    serving.verdict += fmt::format(" One pool does both: {}.", pooling.words);
  } else {
    serving.training_beside = run_text(training);
    serving.levers.push_back({"train in idle serving hours", pooling.words + ": keep them apart"});
    serving.verdict = fmt::format("Split training and serving: {}. Serving: {} Training: {}",
                                  pooling.words, serving.verdict, training.verdict);
    const bool neither = serving.decision == PlanDecision::kNotFeasible ||
                         training.decision == PlanDecision::kNotFeasible;
    serving.decision = neither ? PlanDecision::kNotFeasible : PlanDecision::kSplit;
    if (neither)
      serving.verdict.replace(0, std::string("Split training and serving").size(),
                              "Not feasible as a whole");
  }
  if (training.is_close && !pooling.fits) serving.is_close = true;
  if (!pooling.is_close) return;
  const std::string why = "the idle hours may be just what the training needs";
  call_close(serving, why);
  serving.verdict += fmt::format(" A close call: {}.", why);
}

}  // namespace

std::optional<PlanAnswer> plan_pool(const Engine& engine, const PlanQuestion& question,
                                    Diagnostics& diagnostics) {
  const PlanQuestion service = question.with({{"train"}});
  const PlanQuestion run = question.with({{"serve"}});
  auto serving = plan_serving(engine, service, diagnostics);
  if (!serving) return std::nullopt;
  const auto training = plan_training(engine, run, diagnostics);
  if (!training) return std::nullopt;
  join(engine, run, *training, *serving);
  return serving;
}

}  // namespace loadfactor::engine
