#include "engine/train/better_layout.h"

#include <fmt/format.h>

#include "base/figure_text.h"

namespace loadfactor::engine {
namespace {

constexpr double kClearly = 0.10;

bool has_other_machines(const TrainAnswer& a, const TrainAnswer& b) {
  return a.accelerator != b.accelerator || a.layout.gpus != b.layout.gpus;
}

// What one run saves over another: of its dollars, or of its time where they are not known.
double saving_of(const TrainAnswer& better, const TrainAnswer& run) {
  if (better.cost && run.cost) return 1 - better.cost->value() / run.cost->value();
  if (better.duration && run.duration) return 1 - better.duration->value() / run.duration->value();
  return 0;
}

}  // namespace

std::optional<Notice> note_better_layout(const Core& engine, const TrainInputs& request,
                                         const TrainAnswer& answer) {
  if (!answer.fits || answer.tokens_per_s.value() <= TokensPerSecond()) return std::nullopt;
  SearchInputs search;
  search.train = request;
  search.train.trace = false;
  search.train.scenario =
      request.scenario.with({{"train.layout"},
                             {"train.layout.gpus", std::int64_t{answer.layout.gpus}},
                             {"hardware", std::vector<std::string>{answer.accelerator}},
                             {"limits.budget"},
                             {"train.deadline"}});
  search.objective = Objective::kTime;
  search.keep = 1;
  Diagnostics unread;
  const auto found = engine.search(search, unread);
  if (!found || found->plans.empty()) return std::nullopt;
  const TrainAnswer& best = found->plans[0].train;
  const double gain = best.tokens_per_s.value() / answer.tokens_per_s.value() - 1;
  if (gain <= kClearly) return std::nullopt;
  return Notice{.id = "better-layout",
                .severity = Severity::kCaution,
                .arguments = {{"gain", percent_text(gain)},
                              {"edit", fmt::format("train.layout={{{}}}", best.layout_keys)}}};
}

std::optional<Notice> note_better_machine(const Core& engine, const TrainInputs& request,
                                          const TrainAnswer& answer) {
  const auto& train = request.scenario.train;
  if (!answer.fits || !train || train->layout) return std::nullopt;
  SearchInputs search;
  search.train = request;
  search.train.trace = false;
  search.keep = 1;
  Diagnostics unread;
  const auto found = engine.search(search, unread);
  if (!found || found->plans.empty()) return std::nullopt;
  const TrainAnswer& best = found->plans[0].train;
  const double saving = saving_of(best, answer);
  if (!has_other_machines(best, answer) || saving <= kClearly) return std::nullopt;
  return Notice{
      .id = "better-machine",
      .severity = Severity::kCaution,
      .arguments = {{"machines", fmt::format("{} × {}", best.layout.gpus, best.accelerator)},
                    {best.cost && answer.cost ? "cheaper" : "sooner", percent_text(saving)},
                    {"edit", fmt::format("--set 'hardware=[{}]' --set 'train.layout={{{}}}'",
                                         best.accelerator, best.layout_keys)}}};
}

}  // namespace loadfactor::engine
