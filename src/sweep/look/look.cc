#include "sweep/look/look.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sweep/look/failures.h"
#include "sweep/look/front.h"
#include "sweep/look/idle_axes.h"
#include "sweep/look/influence.h"
#include "sweep/look/phase.h"
#include "sweep/look/survey.h"
#include "sweep/look/wishes.h"
#include "sweep/sweep.h"

namespace loadfactor::sweep {
namespace {

constexpr std::int64_t kMostOthers = 600;
constexpr std::int64_t kMostLines = 240;
constexpr std::size_t kMostLineColumns = 9;

// A figure whose unit each row tells gets it where all rows agree.
void take_units(Identity& identity, const Survey& survey) {
  for (std::size_t unit = 0; unit < identity.columns.size(); ++unit) {
    const SeenFigure& seen = survey.figures()[unit];
    const auto* word = std::get_if<std::string>(&seen.first);
    if (!is_unit(identity.columns[unit]) || seen.varies || word == nullptr) continue;
    const std::string& path = identity.columns[unit].meaning;
    const std::string figure = path.substr(0, path.rfind('.'));
    for (ResultColumn& column : identity.columns)
      if (column.meaning == figure || column.meaning == figure + ".low" ||
          column.meaning == figure + ".high")
        column.unit = *word;
  }
}

// The axes of the map: as asked, else the two with the most values of those that change a figure.
std::optional<PhaseMap> map_of(const Wishes& wishes, const std::vector<SeenAxis>& axes,
                               const Survey& survey) {
  std::vector<std::size_t> by_size;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].varies() && !axes[i].follows && !axes[i].is_idle) by_size.push_back(i);
  std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(axes[b].is_number, axes[b].values.size()) <
           std::tuple(axes[a].is_number, axes[a].values.size());
  });
  const auto place = [&](std::optional<std::size_t> column) -> std::optional<std::size_t> {
    for (std::size_t i = 0; column && i < axes.size(); ++i)
      if (axes[i].column == *column && axes[i].varies()) return i;
    return std::nullopt;
  };
  PhaseMap map;
  auto x = place(wishes.phase_x);
  auto y = place(wishes.phase_y);
  for (const std::size_t axis : by_size) {
    if (!x && y != axis) x = axis;
    if (!y && x != axis) y = axis;
  }
  if (!x || !y || x == y) return std::nullopt;
  map.x = *x;
  map.y = *y;
  map.shows = wishes.phase_shows;
  if (map.shows) {
    const SeenFigure& seen = survey.figures()[*map.shows];
    map.is_number = seen.numbers > seen.words;
  }
  return map;
}

std::vector<std::size_t> line_columns(const Wishes& wishes, const std::vector<SeenAxis>& axes) {
  std::vector<std::size_t> out;
  const auto add = [&](std::size_t column) {
    if (out.size() < kMostLineColumns && std::find(out.begin(), out.end(), column) == out.end())
      out.push_back(column);
  };
  for (const SeenAxis& axis : axes)
    if (axis.varies() && !axis.follows) add(axis.column);
  for (const Aim& aim : wishes.pareto) add(aim.column);
  if (wishes.goal) add(wishes.goal->column);
  return out;
}

// The lines of parallel coordinates: some of all, evenly taken, and the best.
std::vector<LookRow> with_best(std::vector<LookRow> lines, const std::vector<LookRow>& best) {
  for (const LookRow& row : best) {
    const bool is_there = std::any_of(
        lines.begin(), lines.end(), [&](const LookRow& line) { return line.number == row.number; });
    if (!is_there) lines.push_back(row);
  }
  return lines;
}

// The second reading, where some axis varies.
Result<bool> find_idle_axes(const Results& results, const Echoes& echoes, Look& look) {
  const bool is_needed = std::any_of(look.axes.begin(), look.axes.end(),
                                     [](const SeenAxis& axis) { return axis.varies(); });
  if (!is_needed) return true;
  IdleAxes idle(look.identity, look.axes, echoes);
  TRY([[maybe_unused]] const bool walked, results.for_each([&](const CaseRow& row) -> Result<bool> {
    idle.take(row);
    return true;
  }));
  look.idle = idle.finish();
  for (SeenAxis& axis : look.axes)
    axis.is_idle = std::find(look.idle.begin(), look.idle.end(), axis.column) != look.idle.end();
  return true;
}

// The last reading.
Result<bool> fill(const Results& results, const Wishes& wishes, Look& look,
                  std::optional<PhaseMap> map) {
  const std::int64_t rows = std::max<std::int64_t>(1, look.tally.done);
  std::optional<BestMaker> best;
  if (look.goal) best.emplace(*look.goal);
  std::optional<FrontMaker> front;
  if (wishes.pareto.size() >= 2) front.emplace(wishes.pareto, rows / kMostOthers);
  std::optional<PhaseMaker> phase;
  if (map) phase.emplace(look.identity, look.axes, *std::move(map));
  FailureMaker failures;
  InfluenceMaker influences(wishes, look.identity);
  std::int64_t seen = 0;
  const std::int64_t stride = std::max<std::int64_t>(1, rows / kMostLines);
  TRY([[maybe_unused]] const bool walked, results.for_each([&](const CaseRow& row) -> Result<bool> {
    if (best) best->take(row);
    if (front) front->take(row);
    if (phase) phase->take(row);
    failures.take(row);
    influences.take(row);
    if (seen++ % stride == 0 && row.status == CaseStatus::kAnswer)
      look.lines.push_back({row.number, row.cells});
    return true;
  }));
  if (best) look.as_good = best->as_good();
  if (best) look.best = best->finish();
  if (front) look.front = front->finish();
  if (look.front && look.front->front.empty()) look.front.reset();
  if (phase) look.phase = phase->finish();
  look.failures = failures.finish();
  look.influences = influences.finish();
  look.slices_left_out = influences.left_out();
  look.without_figure = influences.without_figure();
  look.sample_open = influences.open();
  look.lines = with_best(std::move(look.lines), look.best);
  return true;
}

}  // namespace

Result<Look> look_at(const Results& results) {
  Look look;
  look.identity = results.identity();
  TRY(look.tally, results.tally());
  TRY(Wishes wishes, wishes_of(look.identity));
  Survey survey(look.identity);
  TRY([[maybe_unused]] const bool walked, results.for_each([&](const CaseRow& row) -> Result<bool> {
    survey.take(row);
    return true;
  }));
  take_units(look.identity, survey);
  fill_in(wishes, look.identity, survey, look);
  look.axes = survey.axes();
  look.goal = wishes.goal;
  look.has_filtered_sample = wishes.is_saltelli_filtered;
  look.has_filters = wishes.has_filters;
  if (wishes.has_filters) look.counting = counting_cases(look.identity);
  look.spreads = survey.spreads();
  look.lines_over = line_columns(wishes, look.axes);
  TRY([[maybe_unused]] const bool found, find_idle_axes(results, survey.echoes(), look));
  TRY([[maybe_unused]] const bool filled,
      fill(results, wishes, look, map_of(wishes, look.axes, survey)));
  return look;
}

}  // namespace loadfactor::sweep
