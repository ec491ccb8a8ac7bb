#include "engine/fill/serve_search_notes.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"
#include "resolve/serve/fleet_steps.h"

namespace loadfactor::engine {
namespace {

// Weeks of the fluid limit with one replica fewer, pool by pool where prompts are apart.
Notice note_weeks(const search::SizedDeployment& d) {
  Notice notice{.id = "weeks",
                .arguments = {{"weeks", std::to_string(search::kTrialWeeks)},
                              {"kept", std::to_string(d.weeks_kept)}}};
  const std::string fewer = std::to_string(d.weeks_kept_with_fewer);
  notice.arguments.push_back({d.prompts ? "kept_with_fewer_answers" : "kept_with_fewer", fewer});
  if (d.prompts)
    notice.arguments.push_back(
        {"kept_with_fewer_prompts", std::to_string(d.prompts->weeks_kept_with_fewer)});
  return notice;
}

bool is_part(const search::HardWeek& week) {
  constexpr double kWholeWeek = 7 * 86400;
  return week.seconds < 0.999 * kWholeWeek;
}

std::string hours_of(const search::HardWeek& week) {
  return fmt::format("{:.0f}", week.seconds / 3600);
}

// That only a sample of the week was simulated, or of the part of it that is.
Notice note_sample(const search::SizingAnswer& sized) {
  Notice notice{
      .id = "sampled-week",
      .arguments = {{"share", fmt::format("{:.1f} %", 100 * sized.best.front().sampled)}}};
  if (is_part(sized.hard_week)) notice.arguments.push_back({"hours", hours_of(sized.hard_week)});
  return notice;
}

void confess_weeks(const search::SizingAnswer& sized, ServingWorld& world) {
  Service& setup = world.service();
  const auto& first = sized.best.front();
  if (world.demand().trace)
    return setup.note({.id = "one-trace",
                       .arguments = {{"span", format_display(any(world.demand().trace->span()))}}});
  setup.note(note_weeks(first));
  if (first.is_confirmed && is_part(sized.hard_week))
    setup.note({.id = "part-of-week",
                .severity = Severity::kCaution,
                .arguments = {{"hours", hours_of(sized.hard_week)}}});
}

// How the answer comes to its replicas, from the same steps that `serve` and `fill` print.
Notice note_size(const search::SizedDeployment& d, const ServingWorld& world) {
  if (!d.prompts)
    return note_fleet({.steps = count_replicas(world.demand().rates, world.demand().mean(),
                                               d.figures.capacity, world.slo_quantile()),
                       .replicas = d.replicas,
                       .spares = d.spares,
                       .is_simulated = d.is_calibrated,
                       .is_replayed = world.demand().trace.has_value()});
  Notice notice{.id = "fleet",
                .arguments = {{"prompts", format_count(d.prompts->replicas)},
                              {"answers", format_count(d.replicas)}}};
  if (d.spares > 0)
    notice.arguments.push_back({"spares", std::to_string(d.spares)});
  else
    notice.arguments.push_back({"no_spare", {}});
  return notice;
}

// Which replicas were out for maintenance in what was simulated.
void confess_maintenance(const search::SizingAnswer& sized, const SizingInputs& question,
                         ServingWorld& world) {
  constexpr double kDay = 86400;
  constexpr double kWholeWeek = 7 * kDay;
  Service& setup = world.service();
  if (question.maintenance <= Seconds()) return;
  if (world.demand().trace) return setup.note({.id = "maintenance"});
  if (sized.hard_week.seconds > 0 && sized.hard_week.seconds < kDay) return;
  const bool is_part = sized.hard_week.seconds > 0 && sized.hard_week.seconds < 0.999 * kWholeWeek;
  Notice notice{.id = "maintenance",
                .arguments = {{"outage", format_display(any(question.maintenance))},
                              {is_part ? "part_of_week" : "whole_weeks", {}}}};
  if (sized.best.front().spares > 0) notice.arguments.push_back({"spare", {}});
  setup.note(std::move(notice));
}

// What the simulation leaves open.
void confess_trial(const search::SizingAnswer& sized, const SizingInputs& question,
                   Service& setup) {
  const auto& first = sized.best.front();
  if (!first.is_confirmed && first.ttft <= Seconds())
    setup.note({.id = "not-simulated", .severity = Severity::kCaution});
  else if (!first.is_confirmed)
    setup.note({.id = "not-confirmed", .severity = Severity::kCaution});
  if (first.is_confirmed && first.sampled < 1) setup.note(note_sample(sized));
  if (question.thorough && sized.untried > 0)
    setup.note({.id = "untried",
                .severity = Severity::kCaution,
                .arguments = {{"deployments", format_count(sized.untried)}}});
}

// Whether a fleet that keeps the SLO on the same machines for a little less is not the answer.
bool is_passed_over(const search::SizedDeployment& d, const search::SizedDeployment& first) {
  return d.is_confirmed && d.plan.choice.chip == first.plan.choice.chip &&
         d.paid_gpus == first.paid_gpus && d.cost_per_hour < first.cost_per_hour;
}

// Which fleet would cost a little less, and was passed over for a plainer one.
Notice note_plainest(const search::SizedDeployment& first, const search::SizedDeployment& odder) {
  const double saving = 1 - odder.cost_per_hour / first.cost_per_hour;
  Notice notice{.id = "plainest-of-equals",
                .arguments = {{"layout", layout_words(odder.plan.choice.layout)},
                              {"saving", fmt::format("{:.2f} %", 100 * std::max(0.0, saving))}}};
  if (odder.prompts) notice.arguments.push_back({"apart", {}});
  return notice;
}

// How many stand by for failures, and why.
Notice note_spares(int all, const search::Outages& outages) {
  const int spares = all - outages.deployed;
  const double years = 1 / std::max(1e-12, outages.per_gpu_hour) * (kHour / kYear);
  Notice notice{.id = "spares",
                .arguments = {{spares > 0 ? "spares" : "none", std::to_string(spares)},
                              {"years", fmt::format("{:.1f}", years)},
                              {"hours", fmt::format("{:.0f}", outages.repair_hours)}}};
  if (outages.deployed > 0)
    notice.arguments.push_back({"deployed", std::to_string(outages.deployed)});
  return notice;
}

}  // namespace

void add_search_notes(const search::SizingAnswer& sized, const SizingInputs& question,
                      const search::Outages& outages, ServingWorld& world) {
  Service& setup = world.service();
  const auto& first = sized.best.front();
  setup.note(note_size(first, world));
  confess_trial(sized, question, setup);
  for (std::size_t i = 1; i < sized.best.size(); ++i)
    if (is_passed_over(sized.best[i], first)) {
      setup.note(note_plainest(first, sized.best[i]));
      break;
    }
  confess_weeks(sized, world);
  if (question.spares < 0) setup.note(note_spares(first.spares, outages));
  if (first.replicas == 1 && first.spares == 0) setup.note({.id = "one-replica"});
  confess_maintenance(sized, question, world);
  setup.note({.id = "closed-form-rows"});
}

}  // namespace loadfactor::engine
