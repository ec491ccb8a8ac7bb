// The verdict of a plan: what to do, with the numbers that decide.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_levers.h"
#include "engine/plan/plan_traffic.h"
#include "report/describe/overloaded.h"
#include "report/page/page_words.h"
#include "report/plan/plan_words.h"
#include "report/train/method_report.h"
#include "report/train/reason_words.h"
#include "report/train/search_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;
using engine::PlanDecision;
using engine::PlanOption;

// `2 × A100`, and what is paid for where GPUs are sold in larger units only.
std::string fleet_words(const PlanAnswer& answer) {
  const int needed = answer.machine->layout.gpus;
  const auto& paid = answer.machine->option;
  std::string text = fmt::format("{} × {}", needed, answer.machine->accelerator);
  if (paid && paid->gpus > needed) text += fmt::format(" ({} paid for)", paid->gpus);
  return text;
}

// ` A close call: …`, or nothing. That idle hours are close is said of the pool as a whole.
std::string close_words(const PlanAnswer& answer) {
  std::vector<std::string> words;
  for (const auto& call : answer.close_calls)
    if (!std::holds_alternative<engine::NearIdleHours>(call))
      words.push_back(close_call_words(call));
  return words.empty() ? "" : fmt::format(" A close call: {}.", fmt::join(words, "; "));
}

std::string traffic_words(double traffic, bool is_rough) {
  const char* about = is_rough ? "about " : "";
  // At what is said the answer is the other one: rounded away from today.
  if (traffic > 2) {
    const double unit = std::pow(10, std::floor(std::log10(traffic)) - 2);
    return fmt::format("from {}{:.6g} times the traffic on", about,
                       std::ceil(traffic / unit - 1e-9) * unit);
  }
  if (traffic > 1)
    return fmt::format("from {}{:.0f} % more traffic on", about,
                       std::ceil(100 * (traffic - 1) - 1e-9));
  constexpr double kLittle = 0.05;
  if (traffic < kLittle)
    return fmt::format("below {}1/{:.0f} of the traffic", about, std::ceil(1 / traffic));
  return fmt::format("if traffic falls {}{:.0f} %", about, std::ceil(100 * (1 - traffic) - 1e-9));
}

std::string_view then_words(PlanDecision decision) {
  return decision == PlanDecision::kNotFeasible ? "it no longer fits the limits"
                                                : name_of(decision);
}

// What one then does; where GPUs are there today, with how many of them or of more.
std::string flip_to_words(const PlanAnswer& answer, const engine::PlanFlip& flip) {
  std::string text(then_words(flip.decision));
  if (answer.present_gpus == 0 || flip.gpus == 0) return text;
  return fmt::format("{} {} {}{}", text, flip.decision == PlanDecision::kHold ? "at" : "to",
                     flip.is_rough ? "about " : "", counted(flip.gpus, "GPU"));
}

std::string open_words(std::string_view traffic) {
  return fmt::format(" With far {} traffic another answer may hold; from where was not settled.",
                     traffic);
}

// ` From 21 % more traffic on: scale up.`, or how far none was found; nothing where none was
// sought.
std::string flip_words(const PlanAnswer& answer, PlanDecision decision) {
  if (!answer.flips_sought) return {};
  constexpr double kWidest = engine::TrafficPlans::kWidestChange;
  std::string text;
  for (const auto& flip : answer.flips) {
    std::string words = traffic_words(flip.traffic, flip.is_rough);
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
    text += fmt::format(" {}: {}.", words, flip_to_words(answer, flip));
  }
  if (answer.is_open_above) text += open_words("more");
  if (answer.is_open_below) text += open_words("less");
  if (!text.empty()) return text;
  return decision == PlanDecision::kUseApi
             ? fmt::format(" The same answer up to {:.0f} times the traffic.", kWidest)
             : fmt::format(" The same answer down to 1/{:.0f} of the traffic.", kWidest);
}

// ---- A service.

std::string load_words(const PlanAnswer& answer) {
  std::string text = fmt::format("{} full", percent_text(answer.load_factor->value()));
  if (!answer.break_even) return text;
  const std::string even = percent_text(answer.break_even->value());
  text += answer.break_even->value() > 1
              ? fmt::format(", too dear even when full (breaks even at {})", even)
              : ", breaks even at " + even;
  // Without an API machines are compared with rent.
  return cheapest_api(answer) != nullptr ? text : text + " against " + words_of(*answer.against);
}

std::string service_opening(const PlanAnswer& answer, PlanDecision decision) {
  const int present = answer.present_gpus;
  switch (decision) {
    case PlanDecision::kUseApi:
      return present > 0 ? fmt::format("Give the {} up and use the API", counted(present, "GPU"))
                         : std::string("Don't run GPUs for this, use the API");
    case PlanDecision::kShrink:
      return fmt::format("Shrink from {} to {}", present, fleet_words(answer));
    case PlanDecision::kHold:
      return fmt::format("Hold at {}", fleet_words(answer));
    case PlanDecision::kOneBiggerGpu:
      return fmt::format("Use one bigger GPU, {}", answer.machine->title);
    default:
      break;
  }
  return present > 0 ? fmt::format("Scale up from {} to {}", present, fleet_words(answer))
                     : fmt::format("Scale up to {}", fleet_words(answer));
}

std::string_view unweighed_words(engine::Unweighed unweighed) {
  switch (unweighed) {
    case engine::Unweighed::kApiNotSold:
      return "No API sells this model in the catalogue.";
    case engine::Unweighed::kApiNotAsked:
      return "The API is not among money.options.";
    case engine::Unweighed::kMachinesNotAsked:
      return "No way to have GPUs is among money.options, so that nothing else was weighed.";
    case engine::Unweighed::kMachinesUnpriced:
      return "No other way in money.options has a price for these accelerators, so that nothing "
             "else was weighed.";
    case engine::Unweighed::kNothing:
      break;
  }
  return "";
}

// What the machines cost, beside the API where it is an option.
std::string money_words(const PlanAnswer& answer, const PlanOption* api, const PlanOption& machines,
                        bool is_named) {
  if (api != nullptr && api->amount < machines.amount)
    return fmt::format("; the API is {} a month cheaper.",
                       dollars_text(machines.amount - api->amount));
  std::string text = is_named ? "; " : fmt::format("; {}, ", words_of(machines.machines()));
  text += dollars_text(machines.amount) + " a month";
  if (api != nullptr)
    return text +
           fmt::format(", {} less than the API.", dollars_text(api->amount - machines.amount));
  return fmt::format("{}. {}", text, unweighed_words(answer.unweighed));
}

std::string nearest_words(const engine::NearestWay& nearest) {
  return std::visit(
      Overloaded{[](const engine::PartOnMachines& part) {
                   return fmt::format("{} of this traffic on {} × {}", percent_text(part.share),
                                      part.gpus, part.accelerator);
                 },
                 [](const engine::AllByApi& all) {
                   return fmt::format("the API, {} a month", dollars_text(all.per_month));
                 },
                 [](const engine::PartByApi& part) {
                   return fmt::format("{} of this traffic by the API", percent_text(part.share));
                 },
                 [](const engine::LargerBudget& budget) {
                   return fmt::format("a budget of {} a month", dollars_text(budget.per_month));
                 },
                 [](const engine::WithoutLimit& without) {
                   std::string text = fmt::format("{} × {} without {}", without.gpus,
                                                  without.accelerator, without.key);
                   if (without.per_month)
                     text += fmt::format(" and with a budget of {} a month",
                                         dollars_text(*without.per_month));
                   return text;
                 }},
      nearest);
}

std::string broken_words(const PlanAnswer& answer) {
  std::vector<std::string> reasons;
  for (const auto& broken : answer.broken) reasons.push_back(broken_limit_words(broken));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

std::string infeasible_words(const PlanAnswer& answer) {
  std::vector<std::string> nearest;
  for (const auto& each : answer.nearest) nearest.push_back(nearest_words(each));
  return fmt::format("Not feasible within the limits: {}. Nearest: {}.", broken_words(answer),
                     fmt::join(nearest, "; or "));
}

// No machines do the work: the API, where there is one within the budget.
std::string refused_words(const PlanAnswer& answer, const PlanOption* api) {
  const std::string why = fmt::format("{}; {}", answer.refusal->message, answer.refusal->hint);
  if (api == nullptr) return fmt::format("Not feasible: {}.", why);
  const std::string price = dollars_text(api->amount) + " a month";
  if (answer.decision != PlanDecision::kUseApi)
    return fmt::format("Not feasible: {}. The API would be {}, over the budget.", why, price);
  const bool is_promise = answer.refusal->code == lf::kSloOutOfReach;
  return fmt::format("Use the API, {}: no GPUs of these do it ({}).{}", price, why,
                     is_promise ? " No price list says which times an API keeps." : "");
}

std::string service_verdict(const PlanAnswer& answer, PlanDecision decision) {
  const PlanOption* api = cheapest_api(answer);
  if (answer.refusal) return refused_words(answer, api) + close_words(answer);
  if (decision == PlanDecision::kUseApi && !answer.broken.empty())
    return fmt::format("Use the API, {} a month: GPUs are beyond the limits ({}).",
                       dollars_text(api->amount), broken_words(answer)) +
           close_words(answer);
  const PlanOption* machines = cheapest_machines(answer);
  if (machines == nullptr)
    return api == nullptr ? std::string()
                          : fmt::format("Use the API: {} a month. {}", dollars_text(api->amount),
                                        unweighed_words(answer.unweighed));
  const bool feasible = answer.broken.empty();
  std::string text =
      feasible ? service_opening(answer, decision) + ": " : infeasible_words(answer) + " ";
  const bool is_named = !feasible || decision == PlanDecision::kUseApi;
  if (is_named)
    text += (feasible ? words_of(machines->machines()) : capital(words_of(machines->machines()))) +
            ", would be ";
  text += load_words(answer) + money_words(answer, api, *machines, is_named);
  if (feasible) text += flip_words(answer, decision);
  return text + close_words(answer);
}

// ---- A run.

std::string run_opening(const PlanAnswer& answer) {
  const std::string fleet = fleet_words(answer);
  switch (answer.decision) {
    case PlanDecision::kNotFeasible:
      return fmt::format("Not feasible: {}. Nearest: {}",
                         answer.broken.empty() ? "" : broken_limit_words(answer.broken.front()),
                         fleet);
    case PlanDecision::kHold:
      return fmt::format("Hold at {}", fleet);
    case PlanDecision::kShrink:
      return fmt::format("Shrink to {}", fleet);
    case PlanDecision::kOneBiggerGpu:
      return fmt::format("Use one bigger GPU, {}", answer.machine->title);
    default:
      break;
  }
  return fmt::format("Scale up to {}", fleet);
}

std::string run_verdict(const PlanAnswer& answer) {
  if (!answer.training) return "Not feasible: " + search_verdict(*answer.search);
  const TrainAnswer& train = *answer.training;
  std::string text = run_opening(answer) + ": ";
  text += answer.duration ? days_text(answer.duration->value())
                          : fmt::format("{} a step", format_display(any(train.step_time.value())));
  if (!answer.options.empty())
    text += fmt::format(", {} {} ({})", dollars_text(answer.options[0].amount),
                        train.tokens ? "for the run" : "a month",
                        words_of(answer.options[0].machines()));
  if (train.deadline && answer.duration)
    text += fmt::format("; the deadline of {} is {}", days_text(*train.deadline),
                        *answer.deadline_met ? "met" : "missed");
  text += train.method
              ? fmt::format(". A step takes {}", format_display(any(train.step_time.value())))
              : fmt::format(". MFU {}", percent_text(train.mfu.value()));
  if (answer.load_factor)
    text += fmt::format(", {} of the paid time carries work",
                        percent_text(answer.load_factor->value()));
  if (answer.break_even)
    text += fmt::format("; breaks even at {} against {}", percent_text(answer.break_even->value()),
                        words_of(*answer.against));
  return text + "." + close_words(answer);
}

// ---- Both.

std::string pool_verdict(const PlanAnswer& answer) {
  const std::string service = service_verdict(answer, answer.service_decision);
  const std::string words = pooled_words(*answer.pooled);
  std::string text = answer.pooled->fits
                         ? fmt::format("{} One pool does both: {}.", service, words)
                         : fmt::format("{}: {}. Serving: {} Training: {}",
                                       answer.decision == PlanDecision::kNotFeasible
                                           ? "Not feasible as a whole"
                                           : "Split training and serving",
                                       words, service, plan_verdict(*answer.run_beside));
  if (answer.pooled->is_close)
    text += fmt::format(" A close call: {}.", close_call_words(engine::NearIdleHours{}));
  return text;
}

std::string_view loss_words(engine::ServiceLoss loss) {
  switch (loss) {
    case engine::ServiceLoss::kDemand:
      return "even the peak does not need all replicas";
    case engine::ServiceLoss::kRounding:
      return "only a part of the last replica is needed";
    case engine::ServiceLoss::kSlo:
      return "batches are kept small so that answers keep their time";
    case engine::ServiceLoss::kHeadroom:
      return "kept for the peak within the busiest hour";
    case engine::ServiceLoss::kShape:
      return "nights, weekends and other quiet hours";
    case engine::ServiceLoss::kNone:
      break;
  }
  return "";
}

}  // namespace

std::string plan_verdict(const PlanAnswer& answer) {
  if (!answer.saved_verdict.empty()) return answer.saved_verdict;
  if (answer.is_training) return run_verdict(answer);
  return answer.pooled ? pool_verdict(answer) : service_verdict(answer, answer.decision);
}

std::string plan_because(const PlanAnswer& answer) {
  if (answer.is_training && answer.training && answer.training->method)
    return method_idle_words(*answer.training->method);
  if (answer.is_training)
    return answer.training && !answer.training->reasons.empty()
               ? step_loss_words(*answer.training)[0]
               : std::string();
  if (cheapest_machines(answer) == nullptr || answer.losses.empty()) return {};
  const auto largest =
      std::max_element(answer.losses.begin(), answer.losses.end(),
                       [](const auto& a, const auto& b) { return a.share < b.share; });
  return fmt::format("Most of the empty share, {} of what is paid for: {}.",
                     percent_text(largest->share), loss_words(largest->service));
}

}  // namespace loadfactor::report
