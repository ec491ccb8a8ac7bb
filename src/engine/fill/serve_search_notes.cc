#include "engine/fill/serve_search_notes.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "base/plural.h"
#include "base/quantity_text.h"
#include "resolve/serve/fleet_steps.h"

namespace loadfactor::engine {
namespace {

// Weeks of the fluid limit with one replica fewer, pool by pool where prompts are apart.
std::string fewer_words(const search::SizedDeployment& d) {
  if (!d.prompts) return fmt::format("{} with one replica fewer", d.weeks_kept_with_fewer);
  return fmt::format("{} with one replica of prompts fewer or {} with one of answers fewer",
                     d.prompts->weeks_kept_with_fewer, d.weeks_kept_with_fewer);
}

void confess_weeks(const search::SizingAnswer& sized, ServingWorld& world) {
  Service& setup = world.service();
  const auto& first = sized.best.front();
  if (world.demand().trace) {
    setup.note("one-trace",
               fmt::format("the trace's {} are all there is: other times may need more",
                           format_display(any(world.demand().trace->span()))));
    return;
  }
  setup.note("weeks",
             fmt::format("fluid limit: of {} weeks made with other seeds {} keep the SLO, and {}",
                         search::kTrialWeeks, first.weeks_kept, fewer_words(first)));
  constexpr double kWholeWeek = 7 * 86400;
  if (first.is_confirmed && sized.simulated_seconds < 0.999 * kWholeWeek)
    setup.note("part-of-week",
               fmt::format(
                   "of each week the busiest {:.0f} h or so were simulated, which is what is quick",
                   sized.simulated_seconds / 3600),
               Severity::kCaution);
}

// How the answer comes to its replicas, from the same steps that `serve` and `fill` print.
void explain_size(const search::SizedDeployment& d, ServingWorld& world) {
  Service& setup = world.service();
  const std::string spares =
      d.spares > 0 ? fmt::format(" + {}", counted(d.spares, "spare")) : " + no spare";
  if (d.prompts) {
    setup.note("fleet",
               fmt::format("the fleet = {} of prompts for the first token + {} of answers for the "
                           "next, in 18 of 20 weeks{}{}",
                           counted(d.prompts->replicas, "replica"), counted(d.replicas, "replica"),
                           spares, d.spares > 0 ? " of each" : ""));
    return;
  }
  const FleetSteps steps = count_replicas(world.demand().rates, world.demand().mean(),
                                          d.figures.capacity, world.slo_quantile());
  const int weeks = d.replicas - steps.slo;
  std::string last;
  if (weeks != 0)
    last = fmt::format(" {} {} {}", weeks > 0 ? "+" : "-", std::abs(weeks),
                       weeks < 0              ? "as simulated: the closed form was cautious"
                       : world.demand().trace ? "as simulated"
                       : d.is_calibrated      ? "for 18 of 20 weeks, as simulated"
                                              : "for 18 of 20 weeks");
  setup.note("fleet", fmt::format("{} = {}{}{}", counted(d.replicas + d.spares, "replica"),
                                  words_of(steps), last, spares));
}

// Which replicas were out for maintenance in what was simulated.
void confess_maintenance(const search::SizingAnswer& sized, const SizingInputs& question,
                         ServingWorld& world) {
  constexpr double kDay = 86400;
  constexpr double kWholeWeek = 7 * kDay;
  Service& setup = world.service();
  if (question.maintenance <= Seconds()) return;
  if (world.demand().trace)
    return setup.note("maintenance",
                      "no maintenance was simulated: the trace is replayed as it is");
  if (sized.simulated_seconds > 0 && sized.simulated_seconds < kDay) return;
  const bool is_part = sized.simulated_seconds > 0 && sized.simulated_seconds < 0.999 * kWholeWeek;
  setup.note("maintenance",
             fmt::format("every replica is out for {} once {}, at night{}",
                         format_display(any(question.maintenance)),
                         is_part ? "a week, of which the part that was simulated has its share"
                                 : "in the weeks simulated",
                         sized.best.front().spares > 0 ? "; a spare stands in" : ""));
}

// What the simulation leaves open.
void confess_trial(const search::SizingAnswer& sized, const SizingInputs& question,
                   Service& setup) {
  const auto& first = sized.best.front();
  if (!first.is_confirmed && first.ttft <= Seconds())
    setup.note("not-simulated",
               "the fleet is larger than what is simulated whole: only its rate per replica was",
               Severity::kCaution);
  else if (!first.is_confirmed)
    setup.note("not-confirmed",
               "simulated weeks missed the SLO even with more replicas: the closed form is too "
               "hopeful here, so take the answer as a lower bound",
               Severity::kCaution);
  if (question.thorough && sized.untried > 0)
    setup.note(
        "untried",
        fmt::format("{} might be cheaper still and {} not simulated: a higher --confirm "
                    "tries more",
                    counted(sized.untried, "deployment"), sized.untried == 1 ? "was" : "were"),
        Severity::kCaution);
}

}  // namespace

void add_search_notes(const search::SizingAnswer& sized, const SizingInputs& question,
                      const search::Outages& outages, ServingWorld& world) {
  Service& setup = world.service();
  const auto& first = sized.best.front();
  explain_size(first, world);
  confess_trial(sized, question, setup);
  confess_weeks(sized, world);
  constexpr double kHoursPerYear = 8766;
  if (question.spares < 0)
    setup.note(
        "spares",
        fmt::format(
            "{} {}: a GPU fails every {:.1f} years and is out for {:.0f} h; --spares sets them",
            counted(first.spares, "spare replica"),
            first.spares == 0   ? "needed"
            : first.spares == 1 ? "stands by"
                                : "stand by",
            1 / std::max(1e-12, outages.per_gpu_hour) / kHoursPerYear, outages.repair_hours));
  if (first.replicas == 1 && first.spares == 0)
    setup.note("one-replica",
               "with one replica a failure or maintenance is an outage; `serve --search --spares "
               "1` avoids it",
               Severity::kCaution);
  confess_maintenance(sized, question, world);
  setup.note("closed-form-rows",
             "rows marked ~ are closed form; others have their rate per replica simulated");
}

}  // namespace loadfactor::engine
