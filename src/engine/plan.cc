// A scenario in, one thing to do out.
#include "engine/plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/distributions.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "config/override.h"
#include "engine/plan_close.h"

namespace loadfactor::engine {

std::string_view words_of(PlanDecision decision) {
  switch (decision) {
    case PlanDecision::kScaleUp:
      return "scale up";
    case PlanDecision::kHold:
      return "hold";
    case PlanDecision::kShrink:
      return "shrink";
    case PlanDecision::kUseApi:
      return "use the API";
    case PlanDecision::kOneBiggerGpu:
      return "use one bigger GPU";
    case PlanDecision::kSplit:
      return "split training and serving";
    case PlanDecision::kNotFeasible:
      break;
  }
  return "not feasible";
}

std::string dollars_text(Dollars amount) {
  if (std::abs(amount.base()) >= 1e6) return "$" + format_short_count(amount.base(), 4);
  return "$" + format_count(std::llround(amount.base()));
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string command_text(const PlanQuestion& question, std::string_view verb) {
  std::string text = fmt::format("loadfactor {} {}", verb, question.serving.file);
  for (const auto& assignment : config::overrides_in(question.serving.text))
    text += fmt::format(" --set '{}'", assignment);
  return text;
}

void add_building(const CostAnswer& cost, PlanMachine& machine) {
  if (!cost.facility) return;
  for (const auto& row : cost.facility->cooling) {
    if (!row.chosen) continue;
    machine.cooling =
        fmt::format("{}, {} {}", row.cooling, row.racks, row.racks == 1 ? "rack" : "racks");
    machine.nodes_per_rack = row.nodes_per_rack;
  }
  const NetworkRow* cheapest = nullptr;
  for (const auto& row : cost.facility->networks)
    if (row.possible && (cheapest == nullptr || row.price < cheapest->price)) cheapest = &row;
  if (cheapest != nullptr && machine.nodes > 1)
    machine.network = fmt::format("{}, {} switches", cheapest->topology, cheapest->switches);
}

namespace {

// The economics give the tenth and the ninetieth percentile; load factors come with intervals of
// 90 %. A lognormal spread is widened to the same share.
EstimateOf<double> ninety_percent(const EstimateOf<double>& figure) {
  if (figure.low() <= 0 || figure.value() <= 0) return figure;
  const double wider = normal_quantile(0.95) / normal_quantile(0.90);
  return EstimateOf<double>(figure.value(),
                            figure.value() * std::pow(figure.low() / figure.value(), wider),
                            figure.value() * std::pow(figure.high() / figure.value(), wider),
                            figure.basis(), figure.source());
}

}  // namespace

namespace {

// Both figures of the pair are of the fleet as sized. A way to pay that lets machines go when they
// are idle has its own pair, of the hours it pays for: both of those are higher by the same factor.
void add_break_even(const CostOption& option, PlanAnswer& answer) {
  const double fleet = answer.machine->gpus;
  answer.break_even = ninety_percent(*option.break_even);
  answer.against = option.against;
  if (option.gpus <= 0 || option.gpus >= fleet) return;
  answer.break_even = *answer.break_even * (option.gpus / fleet);
  if (!option.load_factor) return;
  answer.notices.push_back(
      {"hours-paid", Severity::kNote,
       fmt::format("{} pays for {:.1f} of the {:.0f} GPUs on average: of those hours {} carry work "
                   "and {} would break even",
                   option.name, option.gpus, fleet, percent_text(option.load_factor->value()),
                   percent_text(option.break_even->value()))});
}

}  // namespace

// The pair of figures that decides, and whether their intervals can tell them apart.
void add_pair(PlanAnswer& answer) {
  for (const auto& option : answer.options) {
    const bool ours = answer.machine && option.accelerator == answer.machine->accelerator;
    if (!ours || !option.cost.break_even) continue;
    add_break_even(option.cost, answer);
    break;
  }
  if (!answer.break_even || !answer.load_factor) return;
  const auto difference = *answer.load_factor - *answer.break_even;
  if (difference.low() <= 0 && difference.high() >= 0)
    call_close(answer, "the interval of the difference contains zero");
}

namespace {

std::optional<config::Scenario> scenario_of(const PlanQuestion& question,
                                            Diagnostics& diagnostics) {
  const auto document =
      config::parse_scenario(question.serving.file, question.serving.text, {}, diagnostics);
  if (!document) return std::nullopt;
  auto scenario = config::read_scenario(*document, diagnostics);
  if (!scenario) return std::nullopt;
  if (!scenario->serve && !scenario->train) {
    diagnostics.add(document->error(lf::kNothingToFill, document->root.position,
                                    "there is nothing to serve and nothing to train",
                                    "add a `serve` or a `train` section"));
    return std::nullopt;
  }
  return scenario;
}

// What serving leaves to others in a week: whole GPUs, hour by hour, and how often it wants one
// back.
struct IdleWeek {
  double gpu_hours = 0;
  double taken_back = 0;  // GPUs, each time.
};

IdleWeek idle_week(const PlanAnswer& serving) {
  IdleWeek week;
  if (!serving.priced || !serving.priced->capacity) return week;
  const auto& busy = serving.priced->capacity->busy_by_hour;
  for (std::size_t hour = 0; hour < busy.size(); ++hour) {
    const double before = busy[hour == 0 ? busy.size() - 1 : hour - 1];
    week.gpu_hours += std::max(0.0, serving.machine->gpus - busy[hour]);
    week.taken_back += std::max(0.0, busy[hour] - before);
  }
  return week;
}

// Hours of work that a GPU loses when it is taken back: since the last checkpoint, and the restart.
double hours_lost(const catalog::Catalog& catalog) {
  for (const auto& fact : catalog.facility())
    if (fact.name == "spot_loss" && fact.variant == "checkpoint-and-restart") return fact.value;
  return 0;
}

struct PoolSum {
  double needed = 0;  // GPU-hours of the run,
  double idle = 0;    // that idle hours give by the deadline,
  double lost = 0;    // of which pre-emption loses these.
  Dollars price;      // Of what is lost, at the rent of the same chip.
};

PoolSum pool_sum(const PlanAnswer& serving, const PlanAnswer& training,
                 const catalog::Catalog& catalog) {
  constexpr double kWeek = 7 * 24;
  constexpr double kMonth = 730;
  const double window = training.training && training.training->deadline
                            ? training.training->deadline->base() / 3600
                            : kMonth;
  const IdleWeek week = idle_week(serving);
  PoolSum sum;
  sum.needed = training.machine->gpus * training.duration->value().base() / 3600;
  sum.idle = week.gpu_hours * window / kWeek;
  sum.lost = week.taken_back * hours_lost(catalog) * window / kWeek;
  if (serving.sliders && serving.sliders->hourly)
    sum.price = *serving.sliders->hourly / kMonth * std::min(sum.lost, sum.needed);
  return sum;
}

// Whether the interval of what the run needs holds what idle hours give.
bool may_be_what_is_left(const PoolSum& sum, const EstimateOf<Seconds>& duration) {
  const double left = (sum.idle - sum.lost) / sum.needed;
  return left >= duration.low() / duration.value() && left <= duration.high() / duration.value();
}

// Training in the hours that serving leaves idle, or apart?
void join(PlanAnswer& serving, const PlanAnswer& training, const catalog::Catalog& catalog) {
  for (const auto& notice : training.notices) serving.notices.push_back(notice);
  const Dollars alone = training.options.empty() ? Dollars() : training.options[0].amount;
  serving.runners.push_back({"the training, by itself", alone, training.verdict});
  if (!training.machine || !training.duration || !serving.machine || !serving.load_factor) return;
  const bool same = training.machine->accelerator == serving.machine->accelerator;
  const bool has_gpus = serving.decision != PlanDecision::kUseApi;
  const PoolSum sum = pool_sum(serving, training, catalog);
  const auto count = [](double hours) { return format_count(std::llround(hours)); };
  std::string text = fmt::format("the training needs {} GPU-hours", count(sum.needed));
  if (!same) {
    text += fmt::format(" of {}, serving runs on {}", training.machine->accelerator,
                        serving.machine->accelerator);
  } else {
    text += fmt::format(
        ", hours that serving leaves idle give {} by then, and being taken back loses {} of them "
        "({})",
        count(sum.idle), count(sum.lost), dollars_text(sum.price));
  }
  const bool fits = same && has_gpus && sum.idle - sum.lost >= sum.needed && sum.price < alone;
  serving.levers.push_back(
      {"train in idle serving hours", fits ? fmt::format("{}: one pool does both and saves {}",
                                                         text, dollars_text(alone - sum.price))
                                           : text + ": keep them apart"});
  if (fits) {
    serving.verdict += fmt::format(" One pool does both: {}.", text);
  } else {
    serving.decision = PlanDecision::kSplit;
    serving.verdict = fmt::format("Split training and serving: {}. Serving: {} Training: {}", text,
                                  serving.verdict, training.verdict);
  }
  if (!same || !has_gpus || !may_be_what_is_left(sum, *training.duration)) return;
  const std::string why = "the idle hours may be just what the training needs";
  call_close(serving, why);
  serving.verdict += fmt::format(" A close call: {}.", why);
}

}  // namespace

std::optional<PlanAnswer> make_plan(const Engine& engine, const PlanQuestion& question,
                                    Diagnostics& diagnostics) {
  const auto scenario = scenario_of(question, diagnostics);
  if (!scenario) return std::nullopt;
  if (!scenario->serve) return plan_training(engine, question, diagnostics);
  auto serving = plan_serving(engine, question, diagnostics);
  if (!serving || !scenario->train) return serving;
  const auto training = plan_training(engine, question, diagnostics);
  if (!training) return std::nullopt;
  join(*serving, *training, engine.catalog());
  return serving;
}

}  // namespace loadfactor::engine
