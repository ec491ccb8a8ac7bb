// The parts of a plan in words: machines, options, close calls and limits.
#include "report/plan/plan_words.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/layout_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "report/describe/overloaded.h"
#include "report/serve/serve_words.h"
#include "report/train/method_report.h"
#include "report/train/reason_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;

std::string pool_words(const ServeLayout& layout) {
  std::string text =
      fmt::format("{} of tp {}, pp {}", counted(layout.replicas, "replica"), layout.tp, layout.pp);
  if (layout.dp > 1) text += fmt::format(", dp {}", layout.dp);
  if (layout.ep > 1) text += fmt::format(", ep {}", layout.ep);
  return text;
}

std::string run_layout_words(const TrainLayout& layout) {
  std::string text = fmt::format("{}, {}, micro-batch {}, recompute {}", parallel_text(layout),
                                 layout.sharding, layout.micro_batch, layout.recompute);
  if (!layout.offload.empty())
    text += fmt::format(", {} in host memory", fmt::join(layout.offload, " and "));
  return text;
}

std::string title_of_work(const PlanAnswer& answer) {
  if (answer.training && answer.training->method)
    return fmt::format("{} · {}", answer.model_title, method_work_words(*answer.training->method));
  if (answer.sequence > 0)
    return fmt::format("{} · sequences of {}", answer.model_title, answer.sequence);
  if (answer.rate > Hertz())
    return fmt::format("{} · {} · {} requests/s", answer.model_title,
                       lengths_words(answer.tokens_in, answer.tokens_out),
                       three_figures(answer.rate.base()));
  return answer.model_title;
}

std::string time_words(const engine::RunFigures& run) {
  return run.time ? days_text(*run.time) : std::string("longer");
}
std::string cost_words(const engine::RunFigures& run) {
  return run.cost ? dollars_text(*run.cost) : std::string("more");
}

std::string late_words(const engine::RunTooLate& late) {
  if (!late.budget)
    return fmt::format("the soonest run takes {}, and the deadline is {}", time_words(late.soonest),
                       days_text(late.deadline));
  return fmt::format(
      "the soonest run takes {} and costs {} at the rent; the deadline is {}, the budget {}",
      time_words(late.soonest), cost_words(late.soonest), days_text(late.deadline),
      dollars_text(*late.budget));
}

std::string over_budget_words(const engine::RunOverBudget& over) {
  std::string text = fmt::format("the cheapest run{} costs {} at the rent, and the budget is {}",
                                 over.by_deadline ? " that meets the deadline" : "",
                                 cost_words(over.cheapest), dollars_text(over.budget));
  if (over.soonest_within)
    text += fmt::format("; within it the soonest takes {}", time_words(*over.soonest_within));
  return text;
}

}  // namespace

std::string plan_title(const PlanAnswer& answer) {
  std::string text = title_of_work(answer);
  if (answer.run_beside) text += " · and training: " + plan_title(*answer.run_beside);
  return text;
}

std::string layout_words(const PlanAnswer& answer) {
  if (answer.is_training && answer.training && answer.training->method)
    return fmt::format("{}; the trainer: {}", method_place_words(*answer.training->method),
                       run_layout_words(answer.training->layout));
  if (answer.is_training && answer.training) return run_layout_words(answer.training->layout);
  const auto& machine = *answer.machine;
  if (!machine.prompts) return pool_words(machine.layout);
  return fmt::format("prompts: {}; answers: {}", pool_words(*machine.prompts),
                     pool_words(machine.layout));
}

std::string words_of(const engine::PaidMachines& machines) {
  constexpr double kNothing = 0.05;
  if (!machines.lets_go()) return words_of(machines.name);
  if (machines.kind == OptionKind::kAutoscaled)
    return machines.paid > machines.gpus - kNothing
               ? words_of(machines.name)
               : fmt::format("up to {} × {}, rented on demand as needed", machines.gpus,
                             machines.accelerator);
  const auto whole_owned = std::llround(machines.owned);
  const auto whole_reserved = std::llround(machines.reserved);
  const auto rest = std::max<std::int64_t>(0, machines.gpus - whole_owned - whole_reserved);
  std::vector<std::string> parts;
  const auto add = [&](const char* before, std::int64_t count, const char* after) {
    if (count <= 0) return;
    const std::string chip = parts.empty() ? fmt::format(" × {}", machines.accelerator) : "";
    parts.push_back(fmt::format("{}{}{}{}", before, count, chip, after));
  };
  add("own ", whole_owned, "");
  add("reserve ", whole_reserved, "");
  add("up to ", rest, machines.kind == OptionKind::kOwnSpotBurst ? " on spot" : " on demand");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string option_words(const engine::PlanMachine& machine) {
  return machine.option ? words_of(*machine.option) : std::string();
}

std::string cooling_words(const engine::PlanMachine& machine) {
  if (machine.cooling.empty()) return {};
  return fmt::format("{}, {} {}", machine.cooling, machine.racks,
                     machine.racks == 1 ? "rack" : "racks");
}

std::string network_words(const engine::PlanMachine& machine) {
  if (machine.switches == 0) return machine.network;
  return fmt::format("{}, {} {}", machine.network, machine.switches,
                     machine.switches == 1 ? "switch" : "switches");
}

std::string link_words(const std::optional<engine::PlanLink>& link) {
  if (!link) return {};
  return fmt::format("{}, {} per GPU and direction", link->name,
                     format_display(any(link->bandwidth), 3));
}

std::string run_beside_words(const PlanAnswer& answer) {
  if (!answer.pooled) return {};
  if (answer.pooled->fits)
    return "in hours that serving leaves idle: " + pooled_words(*answer.pooled);
  return own_run_words(*answer.run_beside);
}

std::string own_run_words(const PlanAnswer& run) {
  if (!run.machine) return plan_verdict(run);
  std::string text =
      fmt::format("{} × {}, {}", run.machine->layout.gpus, run.machine->title, layout_words(run));
  if (run.duration) text += ": " + days_text(run.duration->value());
  if (!run.options.empty())
    text += fmt::format(", {} ({})", dollars_text(run.options[0].amount),
                        words_of(run.options[0].machines()));
  return text;
}

std::string why_not(const engine::PlanOption& option) {
  std::string text;
  if (option.more) {
    const bool is_less = *option.more < Dollars();
    text = is_less ? dollars_text(*option.more * -1.0) + " less"
                   : dollars_text(*option.more) + " more";
    if (option.cost.term && option.cost.term->is_renewed)
      text += fmt::format("; terms of {}, the last one whole or on demand",
                          days_text(option.cost.term->commitment));
    else if (option.cost.term)
      text +=
          fmt::format("; binds for {}, the run takes {}", days_text(option.cost.term->commitment),
                      days_text(option.cost.term->run));
  }
  if (option.is_late) text += text.empty() ? "misses the deadline" : ", misses the deadline";
  if (option.is_over_budget) text += text.empty() ? "over the budget" : ", over the budget";
  if (option.is_beyond_limits) text += text.empty() ? "beyond the limits" : ", beyond the limits";
  return text;
}

std::string close_call_words(const engine::CloseCall& call) {
  return std::visit(
      Overloaded{
          [](const engine::EvenLoadFactor&) {
            return std::string("they may be just as full as they must be to pay");
          },
          [](const engine::OtherReplicaRate& rate) {
            return fmt::format("if a replica took {:+.0f} % requests, {} would do",
                               100 * rate.change, counted(rate.gpus, "GPU"));
          },
          [](const engine::BarelyKeptPromise& kept) {
            return kept.is_first_token
                       ? fmt::format("even idle, {} takes {:.2f} s of the {:.2f} s promised",
                                     kept.writes ? "the first token" : "a request",
                                     kept.idle.base(), kept.promised.base())
                       : fmt::format("even idle, a token takes {:.1f} ms of the {:.1f} ms promised",
                                     1e3 * kept.idle.base(), 1e3 * kept.promised.base());
          },
          [](const engine::BarelyMissedPromise& missed) {
            return fmt::format("a promise {:.0f} % looser can be kept", 100 * missed.looser);
          },
          [](const engine::SameCostElsewhere& other) {
            return fmt::format("{} × {} may cost the same", other.gpus, other.accelerator);
          },
          [](const engine::NearDeadline& near) {
            return fmt::format("the run takes {} to {}, the deadline is {}",
                               days_text(near.soonest), days_text(near.latest),
                               days_text(near.deadline));
          },
          [](const engine::NearBudget& near) {
            return fmt::format("{} costs {} to {}{}, the budget is {}",
                               near.is_run ? "the run" : "it", dollars_text(near.least),
                               dollars_text(near.most), near.is_run ? "" : " a month",
                               dollars_text(near.budget));
          },
          [](const engine::NearlySmaller& smaller) {
            return fmt::format("{} would take {}, and {} GPU-time", counted(smaller.gpus, "GPU"),
                               days_text(smaller.time),
                               smaller.is_surely_less ? "surely less" : "as good as surely less");
          },
          [](const engine::NearGpuLimit& near) {
            return fmt::format("{} to {} GPUs may be needed, and the limit is {}",
                               format_count(near.fewest), format_count(near.most),
                               format_count(near.limit));
          },
          [](const engine::NearSitePower& near) {
            return fmt::format("the fleet draws {}, the site has {}",
                               format_display(any(near.drawn)), format_display(any(near.limit)));
          },
          [](const engine::NearIdleHours&) {
            return std::string("the idle hours may be just what the training needs");
          }},
      call);
}

std::string broken_limit_words(const engine::BrokenLimit& broken) {
  return std::visit(
      Overloaded{[](const engine::TooFewGpus& few) {
                   return fmt::format("{} are needed, and the limit is {}",
                                      counted(few.needed, "GPU"), format_count(few.limit));
                 },
                 [](const engine::TooLittlePower& little) {
                   return fmt::format("{} {}", row_words(little.machines),
                                      words_of(little.objection));
                 },
                 [](const engine::TooSmallBudget& small) {
                   return fmt::format("the cheapest way{}, {}, costs {}{}, and the budget is {}",
                                      small.is_run ? " to pay" : "", words_of(small.option),
                                      dollars_text(small.cost), small.is_run ? "" : " a month",
                                      dollars_text(small.budget));
                 },
                 [](const engine::RunOverBudget& over) { return over_budget_words(over); },
                 [](const engine::RunTooLate& late) { return late_words(late); },
                 [](const engine::DeadlineMissed& missed) {
                   return fmt::format("the run takes {}, and the deadline is {}",
                                      days_text(missed.takes), days_text(missed.deadline));
                 },
                 [](const engine::EverythingDrawsTooMuch&) {
                   return std::string("every candidate draws more power than the limits allow");
                 }},
      broken);
}

std::string_view front_x_words(const PlanAnswer& answer) {
  return answer.is_training ? "days" : "TPOT (ms)";
}

std::string_view front_y_words(const PlanAnswer& answer) {
  if (answer.is_training) return "$ for the run";
  return answer.front_has_prices ? "$/M tokens" : "GPU-hours/M tokens";
}

std::string_view launched_despite_api() {
  return "note: the plan says to use the API; the files launch the best machines of one's own, "
         "which cost more";
}

std::string targets_not_written(std::string_view targets, const Error& error) {
  std::string text = fmt::format("note: not written: {}: {}", targets, error.message);
  if (!error.hint.empty()) text += "; " + error.hint;
  if (error.code == lf::kInexpressible)
    text +=
        "; write that key in the scenario to plan without it, or `loadfactor emit` another "
        "target";
  return text;
}

std::string front_dot_words(const engine::PlanDot& dot) {
  return std::visit(Overloaded{[](const engine::DeploymentRow& row) { return row_words(row); },
                               [](const engine::PlannedRun& run) { return run_words(run); }},
                    dot.what);
}

}  // namespace loadfactor::report
