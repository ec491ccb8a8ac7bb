#include "report/train/search_words.h"

#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "report/train/reason_words.h"

namespace loadfactor::report {
namespace {

using Key = MissedLimit::Key;

// Degrees whose product is the number of GPUs.
std::string degrees_of(const TrainLayout& layout) {
  const std::string cp = layout.cp > 1 ? fmt::format(" × cp {}", layout.cp) : "";
  return fmt::format("tp {} × pp {}{} × dp {}", layout.tp, layout.pp, cp, layout.dp);
}

// At the wall of the nodes: of the run where its tokens are known, else of a million of them.
std::string energy_words(const SearchPlan& plan) {
  constexpr double kKilowattHour = 3.6e6;
  const auto& train = plan.train;
  if (plan.run_energy)
    return fmt::format("{} kWh",
                       format_short_count(plan.run_energy->value().base() / kKilowattHour));
  const double power = plan.step_energy.value().base() / train.step_time.value().base();
  const double million = 1e6 * power / train.tokens_per_s.value().base() / kKilowattHour;
  return fmt::format("{:.3g} kWh per million tokens", million);
}

std::string run_words(const OpenRun& run) {
  std::string text = fmt::format("{}, {}", run.machine, days_text(run.time));
  if (run.cost) text += fmt::format(", {} {}", format_display(any(*run.cost)), name_of(run.option));
  return text;
}

std::string lifted_words(const UnmetLimits& unmet) {
  const std::string_view limits = unmet.has_deadline && unmet.has_budget ? "deadline and budget"
                                  : unmet.has_budget                     ? "the budget"
                                                                         : "the deadline";
  std::string text = fmt::format("without {} ", limits);
  if (unmet.is_soonest_cheapest)
    return text + "the soonest is the cheapest too, " + run_words(unmet.soonest);
  text += "the soonest is " + run_words(unmet.soonest);
  return unmet.cheapest ? text + "; the cheapest is " + run_words(*unmet.cheapest) : text;
}

// What no layout does.
std::string unmet_words(const SearchAnswer& answer) {
  if (answer.unmet) {
    std::string text;
    for (const auto& limit : answer.unmet->limits)
      text += (text.empty()                 ? "meets "
               : answer.unmet->is_each_kept ? " and "
                                            : ", nor ") +
              missed_limit_words(limit);
    return answer.unmet->is_each_kept ? text + " together" : text;
  }
  if (!answer.closest) return "is possible";
  if (answer.headroom <= 0) return "fits in memory";
  return fmt::format("fits in memory with {:.3g} % of it free", 100.0 * answer.headroom);
}

std::string no_plan_words(const SearchAnswer& answer) {
  std::string text = fmt::format("NO LAYOUT of {} {}", answer.title, unmet_words(answer));
  if (const std::string nearest = nearest_words(answer); !nearest.empty()) text += "; " + nearest;
  if (!answer.excluded.empty())
    text += fmt::format("; {}: {}", answer.excluded[0].what,
                        words_of(answer.excluded[0].why, answer.excluded[0].gpus));
  return text + ".";
}

}  // namespace

std::string_view objective_words(Objective objective) {
  switch (objective) {
    case Objective::kTime:
      return "the shortest time";
    case Objective::kCost:
      return "the lowest cost";
    case Objective::kEnergy:
      return "the least energy";
    case Objective::kCostByDeadline:
      break;
  }
  return "the lowest cost by the deadline";
}

std::string missed_limit_words(const MissedLimit& limit) {
  switch (limit.key) {
    case Key::kDeadline:
      return "the deadline of " + days_text(limit.deadline);
    case Key::kBudget:
      return "the budget of " + format_display(any(limit.budget));
    case Key::kHeadroom:
      return fmt::format(
          "limits.headroom of {:.3g} % ({:.0f} % of the memory is needed; `train --search` keeps "
          "it)",
          100.0 * limit.headroom, 100.0 * limit.memory_needed);
    case Key::kSitePower:
    case Key::kRackPower:
      break;
  }
  return fmt::format("{} of {} ({})",
                     limit.key == Key::kSitePower ? "limits.site_power" : "limits.rack_power",
                     format_display(any(limit.power)), words_of(limit.objection));
}

std::string missed_words(const std::vector<MissedLimit>& missed) {
  if (missed.empty()) return {};
  std::vector<std::string> words;
  for (const auto& limit : missed) words.push_back(missed_limit_words(limit));
  return fmt::format("MISSES {}. ", fmt::join(words, " and "));
}

std::string nearest_words(const SearchAnswer& answer) {
  if (answer.unmet) return lifted_words(*answer.unmet);
  if (!answer.closest) return {};
  const ClosestLayout& closest = *answer.closest;
  return fmt::format("closest: {} with tp {}, pp {}, dp {} needs {} of {} per GPU", closest.machine,
                     closest.tp, closest.pp, closest.dp, format_display(any(closest.needed)),
                     format_display(any(closest.there)));
}

std::string search_verdict(const SearchAnswer& answer) {
  if (answer.plans.empty() && answer.stopped)
    return fmt::format("STOPPED EARLY: no layout of {} was found so far.", answer.title);
  if (answer.plans.empty()) return no_plan_words(answer);
  const auto& best = answer.plans[0].train;
  std::string text =
      (answer.method ? std::string() : missed_words(answer.missed)) +
      fmt::format("Best for {} of {} layouts: {} × {}{}, {}: {} a step, MFU {:.1f} %",
                  objective_words(answer.objective), format_count(answer.enumerated),
                  best.layout.gpus, best.accelerator_title,
                  answer.several_precisions ? " in " + best.precision : std::string(),
                  degrees_of(best.layout), format_display(any(best.step_time.value())),
                  100.0 * best.mfu.value());
  if (best.duration) text += ", " + days_text(best.duration->value());
  if (best.cost)
    text += fmt::format(", {} {}", format_display(any(best.cost->value())), name_of(best.option));
  if (answer.objective == Objective::kEnergy) text += ", " + energy_words(answer.plans[0]);
  return text + (answer.stopped ? ". STOPPED EARLY: the best so far." : ".");
}

}  // namespace loadfactor::report
