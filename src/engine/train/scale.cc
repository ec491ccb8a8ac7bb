// How far a training job scales: curves, the first line, the next dollar.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "engine/core.h"
#include "engine/train/scale_baseline.h"
#include "engine/train/scale_curve.h"
#include "engine/train/scale_decisions.h"
#include "engine/train/scale_sizes.h"
#include "engine/train/search_machines.h"
#include "loadfactor/search.h"

namespace loadfactor {
namespace {

using engine::SearchMachine;

// What the figures of a curve rest on.
void note_baseline(ScaleAnswer& answer) {
  for (const auto& curve : answer.curves) {
    if (curve.points.size() < 2) continue;
    const bool differ =
        std::any_of(curve.points.begin(), curve.points.end(),
                    [&curve](const auto& point) { return point.train.option != curve.counted_as; });
    if (differ)
      answer.notices.push_back({.id = "efficiency-as-paid",
                                .arguments = {{"accelerator", curve.title},
                                              {"option", std::string(name_of(curve.counted_as))}}});
    if (const auto slow = engine::note_slow_baseline(curve)) answer.notices.push_back(*slow);
  }
}

// Which way to pay the cheapest size of each curve was priced with, and what others would cost.
void note_payment(ScaleAnswer& answer) {
  for (const auto& curve : answer.curves)
    for (const auto& point : curve.points) {
      if (point.train.layout.gpus != curve.cheapest) continue;
      for (const Notice& notice : point.train.notices)
        if (notice.id == "ways-to-pay") {
          answer.notices.push_back(notice);
          for (auto& argument : answer.notices.back().arguments)
            if (argument.name == "machine")
              argument.text = fmt::format("{} × {}", format_count(curve.cheapest), argument.text);
        }
    }
}

// The machine that the next dollar is asked about: what the budget buys, the cheapest where it buys
// nothing, or without one the largest.
struct NextMachine {
  const SearchMachine* machine = nullptr;
  const engine::ChosenLayout* chosen = nullptr;
};
NextMachine next_machine(const std::vector<engine::CurveResult>& results,
                         const std::optional<Dollars>& budget) {
  std::vector<ScaleCurve> curves;
  for (const auto& result : results) curves.push_back(result.curve);
  if (const auto bought = budget ? engine::best_purchase(curves, *budget) : std::nullopt) {
    const auto& result = results[bought->size.curve];
    return {result.machines[bought->size.point], &result.chosen[bought->size.point]};
  }
  for (const auto& result : results)
    if (!result.machines.empty()) return {result.machines.back(), &result.chosen.back()};
  return {};
}

// Where the critical batch ends the weak curve.
void note_weak_end(const engine::TrainSetup& setup, ScaleAnswer& answer) {
  const auto& critical = setup.ask().critical_batch;
  if (!critical || answer.stopped) return;
  for (const auto& curve : answer.curves) {
    const auto end = std::find_if(curve.points.begin(), curve.points.end(),
                                  [](const auto& point) { return point.weak_efficiency == 0; });
    if (end == curve.points.end()) continue;
    answer.notices.push_back(
        {.id = "weak-curve-ends",
         .arguments = {{"accelerator", curve.title},
                       {"gpus", format_count(end->train.layout.gpus)},
                       {"critical", format_short_count(critical->value.base())}}});
  }
}

// Machines that were left out go to the curve of their accelerator. Where power left out a larger
// size, power is what binds the largest that is left.
void share_out(const std::vector<ExcludedMachine>& excluded, std::vector<ScaleCurve>& curves) {
  for (const auto& one : excluded) {
    auto curve = std::find_if(curves.begin(), curves.end(),
                              [&](const auto& c) { return c.accelerator == one.accelerator; });
    if (curve == curves.end()) {
      ScaleCurve none;
      none.accelerator = one.accelerator;
      none.title = one.what;
      curves.push_back(std::move(none));
      curve = curves.end() - 1;
    }
    curve->excluded.push_back(one);
    auto& points = curve->points;
    if (one.by_power && !points.empty() && one.gpus > points.back().train.layout.gpus)
      points.back().binding = ScaleLimit::kPower;
  }
}

}  // namespace

std::optional<ScaleAnswer> engine::Core::scale(const ScaleInputs& request,
                                               Diagnostics& diagnostics) const {
  const auto setup = engine::make_train_setup(request.search.train, *catalog_, diagnostics);
  if (!setup) return std::nullopt;
  if (const auto& stages = setup->ask().stages; !stages.empty()) {
    diagnostics.add(setup->error(lf::kContradictoryKeys, stages[0].position,
                                 "a curve over sizes is of one stage, and the run has several",
                                 "--set train.stages=null for the first; `train --search` and "
                                 "`plan` weigh sizes with all of them"));
    return std::nullopt;
  }
  ScaleInputs sized = request;
  if (sized.search.gpus.empty()) sized.search.gpus = engine::curve_sizes(*setup);
  std::sort(sized.search.gpus.begin(), sized.search.gpus.end());
  if (setup->job.global_batch == 0 && !sized.search.gpus.empty())
    sized.search.global_batch = engine::usual_batch(*setup, sized.search.gpus[0]);
  auto list = engine::list_machines(sized.search, *catalog_, Objective::kTime, diagnostics);
  if (!list) return std::nullopt;
  for (auto& machine : list->machines) machine.rule = engine::PayRule::kCheapest;  // As `train`.
  ScaleAnswer answer;
  answer.headroom = list->headroom;
  answer.scenario = setup->scenario.name.value;
  answer.model = setup->job.model->name;
  answer.title = setup->job.model->title;
  answer.sequence = setup->job.sequence;
  answer.line = request.efficiency;
  answer.day_value = request.day_value;
  std::vector<std::vector<const SearchMachine*>> groups;
  for (const auto& machine : list->machines) {
    const bool same =
        !groups.empty() && groups.back()[0]->setup->job.chip->name == machine.setup->job.chip->name;
    if (!same) groups.emplace_back();
    groups.back().push_back(&machine);
  }
  // Two searches a size, and those of the next dollar and of the links.
  constexpr double kDecisions = 5;
  const double all = 2.0 * static_cast<double>(list->machines.size()) + kDecisions;
  double done = 0;
  if (request.search.progress)
    sized.search.progress = [&](double share) {
      if (share >= 1.0) done += 1.0;
      request.search.progress(std::min(1.0, (done + (share < 1.0 ? share : 0.0)) / all));
    };
  std::vector<engine::CurveResult> results;
  for (const auto& group : groups) {
    if (engine::is_stopped(sized.search)) break;
    results.push_back(engine::make_curve(group, sized, *catalog_));
    answer.curves.push_back(results.back().curve);
  }
  share_out(list->excluded, answer.curves);
  if (setup->scenario.limits.budget) answer.budget = setup->scenario.limits.budget->value;
  const NextMachine next = next_machine(results, answer.budget);
  if (next.machine != nullptr && !engine::is_stopped(sized.search)) {
    answer.next_of = next.machine->words();
    answer.next_dollar = engine::next_dollar(*next.machine, *next.chosen, sized, *catalog_);
    answer.taller_domain = engine::taller_domain(*next.machine, *next.chosen, sized, *catalog_);
    answer.without_links = engine::without_links(*next.machine, *next.chosen, sized, *catalog_);
  }
  answer.stopped = engine::is_stopped(sized.search);
  answer.one_or_several = engine::one_or_several(answer.curves);
  answer.surprise = engine::size_surprise(answer.curves);
  if (answer.budget) {
    answer.bought = engine::best_purchase(answer.curves, *answer.budget);
    answer.budget_decisions = engine::budget_decisions(answer.curves, *answer.budget);
  }
  answer.notices = std::move(list->notices);
  // Without tokens the budget is asked how many it pays for.
  std::erase_if(answer.notices, [](const Notice& n) { return n.id == "budget-without-tokens"; });
  if (sized.search.global_batch > 0)
    answer.notices.push_back(
        {.id = "default-batch",
         .arguments = {{"batch_of_all", format_count(sized.search.global_batch)}}});
  note_payment(answer);
  note_baseline(answer);
  note_weak_end(*setup, answer);
  for (const auto& curve : answer.curves)
    if (!curve.points.empty() && answer.facts.empty()) answer.facts = curve.points[0].train.facts;
  return answer;
}

}  // namespace loadfactor
