#include "engine/train/better_layout.h"

#include <fmt/format.h>

#include "base/figure_text.h"

namespace loadfactor::engine {

std::optional<Notice> note_better_layout(const Core& engine, const TrainInputs& request,
                                         const TrainAnswer& answer) {
  constexpr double kClearly = 0.10;
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

}  // namespace loadfactor::engine
