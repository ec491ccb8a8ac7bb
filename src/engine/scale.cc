// How far a training job scales: curves, the first line, the next dollar.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "engine/scale_curve.h"
#include "engine/scale_decisions.h"
#include "engine/search_machines.h"
#include "loadfactor/engine.h"
#include "loadfactor/search.h"

namespace loadfactor {
namespace {

using engine::SearchMachine;

// Doubling sizes: from one to the limit, or up to a size nobody builds.
std::vector<int> usual_sizes(const engine::TrainSetup& setup) {
  const auto asked = setup.asked_layout();
  const auto& limit = setup.scenario.limits.gpus;
  constexpr int kMost = 16384;
  const int most = asked.gpus ? asked.gpus->value : limit ? static_cast<int>(limit->value) : kMost;
  constexpr int kCurve = 8;  // Doublings shown.
  std::vector<int> sizes;
  for (int size = most; size >= 1 && sizes.size() < kCurve; size /= 2) {
    sizes.push_back(size);
    if (size % 2 != 0) break;
  }
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

std::string curve_words(const ScaleCurve& curve, double line) {
  if (curve.points.empty())
    return fmt::format("{}: nothing fits on {} GPUs", curve.title,
                       curve.too_small.empty() ? 0 : curve.too_small.back());
  const auto& last = curve.points.back();
  std::string text = fmt::format(
      "{}: up to {} GPUs stay above {:.0f} % efficiency, {} are the cheapest, {} the fastest",
      curve.title, format_count(curve.largest), 100.0 * line, format_count(curve.cheapest),
      format_count(curve.fastest));
  if (curve.points.size() > 1)
    text += fmt::format("; at {} {} binds ({:.0f} %)", format_count(last.train.layout.gpus),
                        last.binding, 100.0 * last.efficiency);
  return text + ".";
}

std::string verdict_of(const ScaleAnswer& answer) {
  std::string text = engine::smaller_is_better(answer.curves);
  for (const auto& curve : answer.curves)
    text += (text.empty() ? "" : " ") + curve_words(curve, answer.line);
  return text;
}

}  // namespace

std::optional<ScaleAnswer> Engine::scale(const ScaleRequest& request,
                                         Diagnostics& diagnostics) const {
  const auto setup = engine::make_train_setup(request.search.train, *catalog_, diagnostics);
  if (!setup) return std::nullopt;
  ScaleRequest sized = request;
  if (sized.search.gpus.empty()) sized.search.gpus = usual_sizes(*setup);
  std::sort(sized.search.gpus.begin(), sized.search.gpus.end());
  auto list = engine::list_machines(sized.search, *catalog_, Objective::kTime, diagnostics);
  if (!list) return std::nullopt;
  ScaleAnswer answer;
  answer.scenario = setup->scenario.name.value;
  answer.model = setup->job.model->name;
  answer.title = setup->job.model->title;
  answer.sequence = setup->job.sequence;
  answer.line = request.efficiency;
  std::vector<std::vector<const SearchMachine*>> groups;
  for (const auto& machine : list->machines) {
    const bool same =
        !groups.empty() && groups.back()[0]->setup->job.chip->name == machine.setup->job.chip->name;
    if (!same) groups.emplace_back();
    groups.back().push_back(&machine);
  }
  for (const auto& group : groups)
    answer.curves.push_back(engine::make_curve(group, sized, *catalog_));
  if (!answer.curves.empty()) answer.curves[0].excluded = std::move(list->excluded);
  if (!groups.empty()) {
    answer.next_dollar = engine::next_dollar(*groups[0].back(), sized);
    answer.decisions = engine::link_decisions(*groups[0].back(), sized);
  }
  const std::string larger = engine::larger_wins(answer.curves);
  if (!larger.empty()) answer.decisions.insert(answer.decisions.begin(), larger);
  const std::string single = engine::one_or_several(answer.curves);
  if (!single.empty()) answer.decisions.insert(answer.decisions.begin(), single);
  answer.notices = std::move(list->notices);
  for (const auto& curve : answer.curves)
    if (!curve.points.empty() && answer.facts.empty()) answer.facts = curve.points[0].train.facts;
  answer.verdict = verdict_of(answer);
  return answer;
}

}  // namespace loadfactor
