// What changes would do, and which machines came after the answer, in words.
#include <cmath>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/layout_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "report/describe/overloaded.h"
#include "report/plan/plan_words.h"
#include "report/serve/fill_words.h"
#include "report/train/reason_words.h"

namespace loadfactor::report {
namespace {

std::string price_words(const std::optional<engine::PricedDeployment>& priced) {
  if (!priced) return {};
  return fmt::format(", {} a month ({})", dollars_text(priced->per_month),
                     report::words_of(priced->option));
}

// What would then be done, and what it costs beside the other way.
std::string then_words(const engine::ServiceOutcome& then) {
  std::string machines = "no GPUs within the limits keep the SLO";
  if (then.fewest_gpus > 0)
    machines = fmt::format("{} within the SLO; what they cost is not known",
                           counted(then.fewest_gpus, "GPU"));
  if (then.machines)
    machines = fmt::format("{} × {}, {} full, {} a month ({})", then.machines->gpus,
                           then.machines->accelerator, percent_text(then.load_factor),
                           dollars_text(then.per_month), report::words_of(*then.machines));
  const std::string api =
      then.seller.empty() ? std::string("the API") : fmt::format("the API of {}", then.seller);
  if (then.decision == engine::PlanDecision::kUseApi && !then.machines)
    return fmt::format("{}, {} a month", api, dollars_text(*then.api));
  if (then.decision == engine::PlanDecision::kUseApi)
    return fmt::format("{}, {} a month; instead of it {}", api, dollars_text(*then.api), machines);
  if (then.decision == engine::PlanDecision::kNotFeasible)
    machines =
        then.machines ? "not feasible: the least is " + machines : "not feasible: " + machines;
  return then.api ? fmt::format("{}; {} {}", machines, api, dollars_text(*then.api)) : machines;
}

LeverWords words_of(const engine::TrafficLever& lever) {
  return {fmt::format("traffic {:+.0f} %", 100 * (lever.factor - 1)), then_words(lever.then)};
}

LeverWords words_of(const engine::ReplicaLever& lever) {
  using Pool = engine::ReplicaLever::Pool;
  const std::string kept = lever.within_slo
                               ? percent_text(*lever.within_slo) +
                                     " of the requests within the SLO (computed, not simulated)"
                               : "not known whether within the SLO";
  const std::string_view of = lever.pool == Pool::kPrefill  ? " of prompts"
                              : lever.pool == Pool::kDecode ? " of answers"
                                                            : "";
  return {fmt::format("one replica{} {}", of, lever.change < 0 ? "fewer" : "more"),
          fmt::format("{}, {} full, {}", counted(lever.gpus, "GPU"),
                      percent_text(lever.load_factor), kept) +
              price_words(lever.priced)};
}

LeverWords words_of(const engine::RelaxedLever& lever) {
  return {relaxation_words(lever.what),
          lever.then ? then_words(*lever.then)
                     : std::string("saves nothing (computed, not simulated)")};
}

LeverWords words_of(const engine::MemoryLever& lever) {
  std::string effect = fmt::format("at most {:+.1f} % requests a replica; ", 100 * lever.gain);
  if (lever.replicas == lever.replicas_now)
    effect += counted(lever.replicas, "replica") + " all the same";
  else
    effect += fmt::format("{} instead of {}", counted(lever.gpus, "GPU"), lever.gpus_now) +
              price_words(lever.priced);
  return {"KV cache also in " + lever.tier, std::move(effect)};
}

LeverWords words_of(const engine::MemoryChangesNothing& lever) {
  const std::string_view holder =
      lever.limit == engine::RateLimit::kNextToken    ? "the time per token"
      : lever.limit == engine::RateLimit::kFirstToken ? "the first token"
                                                      : "arithmetic";
  return {"KV cache also in host or CXL memory",
          fmt::format("changes nothing: {} holds the rate, not the room for sequences", holder)};
}

LeverWords words_of(const engine::SplitPoolsLever& lever) {
  if (lever.gpus_together != lever.gpus_now)  // What was simulated differs from the closed form.
    return {"prompts and answers apart",
            fmt::format("not known: computed, {} apart against {} together; simulated, the fleet "
                        "together has {}",
                        counted(lever.gpus, "GPU"), lever.gpus_together, lever.gpus_now)};
  return {"prompts and answers apart",
          fmt::format("{}, {} of prompts to {} of answers, against {} together{}",
                      counted(lever.gpus, "GPU"), counted(lever.prompt_replicas, "replica"),
                      lever.answer_replicas, lever.gpus_together,
                      lever.gpus < lever.gpus_together ? "" : "; not worth it")};
}

LeverWords words_of(const engine::OtherChipLever& lever) {
  return {"another chip: " + row_words(lever.machines), dollars_text(lever.per_month) + " a month"};
}

LeverWords words_of(const engine::ApiPriceLever& lever) {
  return {"API price", fmt::format("equal to {} at {:.2f} times today's",
                                   report::words_of(lever.option), lever.times)};
}

LeverWords words_of(const engine::OwnOrRentLever& lever) {
  const std::string own = dollars_text(lever.own);
  const std::string rent = dollars_text(lever.rent);
  if (!lever.is_run)
    return {"own or rent",
            fmt::format("owned {} a month, {} {}", own, name_of(lever.rented), rent)};
  return {"own or rent",
          fmt::format("owned {}{}, on demand {}", own,
                      lever.if_busy ? " if as busy for the rest of their life" : "", rent)};
}

LeverWords words_of(const engine::PoolLever& lever) {
  const std::string words = pooled_words(lever.pooled);
  return {"train in idle serving hours", lever.pooled.fits
                                             ? fmt::format("{}: one pool does both and saves {}",
                                                           words, dollars_text(lever.pooled.saved))
                                             : words + ": keep them apart"};
}

LeverWords words_of(const engine::ObjectiveLever& lever) {
  const TrainLayout& layout = lever.run.layout;
  return {"for " + front_words(lever.best_in),
          fmt::format("{}; micro-batch {}, recompute {}", run_words(lever.run), layout.micro_batch,
                      layout.recompute)};
}

LeverWords words_of(const engine::FleetSizeLever& lever) {
  std::string effect = days_text(lever.time);
  if (lever.cost)
    effect += fmt::format(", {} ({:+.1f} %)", dollars_text(*lever.cost), 100 * (lever.times - 1));
  if (lever.misses_deadline) effect += "; misses the deadline";
  if (lever.is_within_error) effect += "; the difference is within the error of the model";
  return {
      fmt::format("{} instead of {}, same tp and pp", counted(lever.gpus, "GPU"), lever.gpus_now),
      std::move(effect)};
}

std::string host_words(const std::optional<engine::HostRoom>& host) {
  if (!host) return {};
  if (host->moved <= host->room)
    return fmt::format("; {} of the {} host memory of a node", format_display(any(host->moved)),
                       format_display(any(host->room)));
  return fmt::format("; {} a node, for which CXL memory would have to add {} to the host's",
                     format_display(any(host->moved)),
                     format_display(any(host->moved - host->room)));
}

LeverWords words_of(const engine::OffloadLever& lever) {
  return {"optimizer in host memory",
          fmt::format("best {}: {} ({:+.1f} %){}{}", parallel_text(lever.layout),
                      days_text(lever.time), 100 * lever.more, host_words(lever.host),
                      lever.more >= 0 ? "; not worth it" : "")};
}

std::string hours_words(GpuTime time) {
  return format_count(std::llround(time.base() / 3600));
}

}  // namespace

LeverWords lever_words(const engine::PlanLever& lever) {
  return std::visit([](const auto& detail) { return words_of(detail); }, lever.detail);
}

std::string pooled_words(const engine::PooledRun& pooled) {
  using Outcome = engine::PooledRun::Outcome;
  switch (pooled.outcome) {
    case Outcome::kServedByApi:
      return "serving by the API leaves no GPU idle";
    case Outcome::kNothingIdle:
      return "serving pays for no whole GPU that is ever idle";
    case Outcome::kDoesNotFit:
      return fmt::format(
          "the training does not fit on the {} × {} that serving leaves idle at most",
          pooled.idle_gpus, pooled.accelerator);
    case Outcome::kCounted:
      break;
  }
  return fmt::format(
      "the training needs {} GPU-hours on {} × {}; hours in which serving leaves as many idle give "
      "{} {}, and being taken back loses {} of them ({})",
      hours_words(pooled.needed), pooled.gpus, pooled.accelerator, hours_words(pooled.idle),
      pooled.by_deadline ? "by the deadline" : "a month", hours_words(pooled.lost),
      dollars_text(pooled.price));
}

std::string run_words(const engine::PlannedRun& run) {
  std::string text =
      fmt::format("{} × {}, {}", run.gpus, run.accelerator, parallel_text(run.layout));
  if (run.time) text += ": " + days_text(*run.time);
  if (run.cost) text += ", " + dollars_text(*run.cost);
  if (run.option) text += fmt::format(" ({})", way_words(*run.option));
  if (run.has_spares) text += " with spares";
  return text;
}

RunnerUpWords runner_up_words(const engine::RunnerUp& other, const engine::PlanAnswer& answer) {
  return std::visit(
      Overloaded{
          [&](const engine::DearerDeployment& dearer) {
            return RunnerUpWords{
                row_words(dearer.machines),
                fmt::format("{} full at {}, cheapest {}: {} above the answer",
                            percent_text(other.load_factor.value_or(0)), counted(other.gpus, "GPU"),
                            name_of(dearer.cheapest), dollars_text(dearer.above))};
          },
          [](const engine::OtherDeployment& same) {
            return RunnerUpWords{
                row_words(same.machines),
                fmt::format(
                    "{} against {} for the same promise{}", counted(same.machines.gpus, "GPU"),
                    same.gpus_of_answer,
                    same.machines.way.empty() ? "" : fmt::format(" ({})", same.machines.way))};
          },
          [](const engine::PowerExcluded& excluded) {
            return RunnerUpWords{row_words(excluded.machines), words_of(excluded.objection)};
          },
          [](const engine::SlowerRun& slower) {
            return RunnerUpWords{run_words(slower.run),
                                 fmt::format("{:+.1f} % against the best; {}", 100 * slower.behind,
                                             reason_words(slower.why))};
          },
          [](const engine::LeftOutMachine& left) {
            return RunnerUpWords{left.machine.what, words_of(left.machine.why, left.machine.gpus)};
          },
          [&](const engine::RunOfItsOwn& own) {
            return RunnerUpWords{
                "the training on machines of its own: " + own_run_words(*answer.run_beside),
                dollars_text(own.more) + " more than idle hours"};
          }},
      other.reason);
}

}  // namespace loadfactor::report
