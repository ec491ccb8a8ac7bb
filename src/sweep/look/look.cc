#include "sweep/look/look.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "base/units.h"
#include "config/currency.h"
#include "sweep/look/front.h"
#include "sweep/look/idle_axes.h"
#include "sweep/look/phase.h"
#include "sweep/look/survey.h"
#include "sweep/sweep.h"

namespace loadfactor::sweep {
namespace {

constexpr std::int64_t kMostOthers = 600;
constexpr std::int64_t kMostLines = 240;
constexpr std::size_t kMostLineColumns = 9;

// What the sweep asks its report for.
struct Wishes {
  std::optional<Aim> goal;
  std::vector<Aim> pareto;
  std::optional<std::size_t> phase_x;  // Columns.
  std::optional<std::size_t> phase_y;
  std::optional<std::size_t> phase_shows;
  std::vector<std::size_t> saltelli;
  std::int64_t saltelli_points = 0;
  bool is_saltelli_filtered = false;
  bool has_filters = false;
};

Result<std::size_t> column_of(const Identity& identity, const std::string& name) {
  for (std::size_t i = 0; i < identity.columns.size(); ++i)
    if (identity.columns[i].name == name) return i;
  return Error{.code = lf::kUnknownWord,
               .message = fmt::format("the results have no column '{}'", name),
               .hint = "`report:` of the sweep names columns of its axes and figures"};
}

Result<std::vector<std::size_t>> columns_in(const Identity& identity, const std::string& names) {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t comma = std::min(names.find(',', at), names.size());
    TRY(const std::size_t column, column_of(identity, names.substr(at, comma - at)));
    out.push_back(column);
    at = comma + 1;
  }
  return out;
}

Result<Wishes> wishes_of(const Identity& identity) {
  Wishes out;
  for (const auto& [key, value] : identity.remarks) {
    if (key == "saltelli") {
      TRY(out.saltelli, columns_in(identity, value));
      continue;
    }
    if (key == "saltelli.points") {
      out.saltelli_points = std::strtoll(value.c_str(), nullptr, 10);
      continue;
    }
    if (key == "sampled" || key == "choice") continue;
    if (key == "counting") {
      out.has_filters = true;
      continue;
    }
    if (key == "saltelli.filtered") {
      out.is_saltelli_filtered = true;
      continue;
    }
    const bool is_more = key == "most" || (key == "pareto" && value.starts_with('-'));
    TRY(const std::size_t column,
        column_of(identity, key == "pareto" && is_more ? value.substr(1) : value));
    if (key == "least" || key == "most") out.goal = Aim{column, is_more};
    if (key == "pareto") out.pareto.push_back({column, is_more});
    if (key == "phase.x") out.phase_x = column;
    if (key == "phase.y") out.phase_y = column;
    if (key == "phase.shows") out.phase_shows = column;
  }
  return out;
}

// `USD/month`, `EUR`: a currency first.
bool is_money_unit(std::string_view unit) {
  return config::is_currency_code(unit.substr(0, unit.find_first_of("/-")));
}

// What the answer calls a figure, whatever the sweep calls its column.
std::string_view figure_name(const ResultColumn& column) {
  std::string_view path = column.meaning;
  for (const std::string_view end : {".low", ".high"})
    if (path.ends_with(end)) path.remove_suffix(end.size());
  return path.substr(path.rfind('.') + 1);
}

bool is_money(const ResultColumn& column) {
  return is_money_unit(column.unit) || figure_name(column).find("cost") != std::string_view::npos;
}

bool is_memory(const ResultColumn& column) {
  return column.unit == "B" || column.unit == "B/token";
}

// Less is better of money, of time, of memory and of GPUs.
bool is_more_better(const ResultColumn& column) {
  return !is_money(column) && column.unit != "s" && !is_memory(column) &&
         !figure_name(column).ends_with("gpus");
}

// A figure of a layout says how it is done, not how well.
bool is_setting(const ResultColumn& column) {
  const std::string_view path = column.meaning;
  return path.starts_with("layout.") || path.find(".layout.") != std::string_view::npos;
}

// What people look at first: money, rates, times, counts, memory; settings never.
int rank_of(const ResultColumn& column) {
  if (is_money(column)) return 0;
  if (column.unit.find("tokens/s") != std::string::npos) return 1;
  if (column.unit == "s") return 2;
  return is_memory(column) ? 4 : 3;
}

// Figures that are numbers in most rows, not the same in all and more than what was asked for.
std::vector<Aim> numeric_aims(const Identity& identity, const Survey& survey) {
  std::vector<Aim> out;
  for (std::size_t i = 0; i < identity.columns.size(); ++i) {
    const SeenFigure& seen = survey.figures()[i];
    const bool tells = seen.varies && !seen.repeats_axis && seen.numbers > seen.words;
    if (tells && !is_setting(identity.columns[i]))
      out.push_back({i, is_more_better(identity.columns[i])});
  }
  std::stable_sort(out.begin(), out.end(), [&](const Aim& a, const Aim& b) {
    return rank_of(identity.columns[a.column]) < rank_of(identity.columns[b.column]);
  });
  return out;
}

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

void fill_in(Wishes& wishes, const Identity& identity, const Survey& survey, Look& look) {
  const auto is_words = [&](const Aim& aim) {
    const SeenFigure& seen = survey.figures()[aim.column];
    const bool is_axis = identity.columns[aim.column].kind == ColumnKind::kAxis;
    const bool is = is_axis ? survey.is_words(aim.column) : seen.words > seen.numbers;
    if (is) look.not_numbers.insert(aim.column);
    return is;
  };
  if (wishes.goal && is_words(*wishes.goal)) wishes.goal.reset();
  std::erase_if(wishes.pareto, is_words);
  const auto aims = numeric_aims(identity, survey);
  if (!wishes.goal && !wishes.pareto.empty()) wishes.goal = wishes.pareto.front();
  if (!wishes.goal && !aims.empty()) {
    const auto money = std::find_if(aims.begin(), aims.end(), [&](const Aim& aim) {
      return is_money(identity.columns[aim.column]);
    });
    wishes.goal = money == aims.end() ? aims.front() : *money;
  }
  if (wishes.pareto.size() < 2) {
    wishes.pareto.clear();
    if (wishes.goal) wishes.pareto.push_back(*wishes.goal);
    for (const Aim& aim : aims)
      if (wishes.pareto.size() < 2 && wishes.goal && aim.column != wishes.goal->column)
        wishes.pareto.push_back(aim);
  }
  if (wishes.phase_shows) return;
  const auto repeats_axis = [&](std::size_t figure) {
    return std::any_of(survey.echoes().begin(), survey.echoes().end(),
                       [&](const auto& echo) { return echo.second.contains(figure); });
  };
  // A verdict in words before a number.
  for (std::size_t i = 0; i < identity.columns.size() && !wishes.phase_shows; ++i)
    if (survey.figures()[i].is_verdict() && !is_unit(identity.columns[i]) && !repeats_axis(i))
      wishes.phase_shows = i;
  if (!wishes.phase_shows && wishes.goal) wishes.phase_shows = wishes.goal->column;
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

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::size_t end_of_word(std::string_view word) {
  std::size_t end = word.size();
  while (end > 0 && std::ispunct(static_cast<unsigned char>(word[end - 1])) != 0) --end;
  return end;
}

bool is_power(std::string_view word) {
  constexpr std::array<std::string_view, 5> kPowers{"k", "K", "M", "B", "T"};
  return std::find(kPowers.begin(), kPowers.end(), word.substr(0, end_of_word(word))) !=
         kPowers.end();
}

// The unit that stands behind a number changes with its size, and its dimension does not.
std::optional<std::string> unit_kind(std::string_view word) {
  const std::size_t end = end_of_word(word);
  const UnitExpression read = parse_unit(word.substr(0, end));
  if (end == 0 || read.error) return std::nullopt;
  return base_unit(read.unit.dimension);
}

// One thing or several, as the number before them says.
std::string without_plural(std::string_view word) {
  const std::size_t end = end_of_word(word);
  const bool is_plural = end > 2 && word[end - 1] == 's';
  return std::string(word.substr(0, is_plural ? end - 1 : end)) + std::string(word.substr(end));
}

// What stands in brackets tells of one case.
std::string without_asides(const std::string& reason) {
  std::string out;
  int depth = 0;
  for (const char c : reason) {
    if (c == '(') ++depth;
    if (depth == 0) out += c;
    if (c == ')' && depth > 0) --depth;
  }
  return depth == 0 ? out : reason;
}

// One reason, whatever the numbers in it are and however large.
std::string pattern_of(const std::string& said) {
  const std::string reason = without_asides(said);
  std::string out;
  bool is_behind_number = false;
  for (std::size_t at = 0; at < reason.size();) {
    const std::size_t end = std::min(reason.find(' ', at), reason.size());
    const std::string_view word = std::string_view(reason).substr(at, end - at);
    at = end + 1;
    if (is_behind_number && is_power(word)) continue;
    const std::string plain =
        is_behind_number ? unit_kind(word).value_or(without_plural(word)) : std::string(word);
    is_behind_number = has_digit(word);
    out += is_behind_number ? "# " : plain + " ";
  }
  return out;
}

class FailureMaker {
 public:
  void take(const CaseRow& row) {
    if (row.status == CaseStatus::kAnswer) return;
    const auto key = std::tuple(row.status, row.code, pattern_of(row.error));
    FailedCases& failed = by_reason_[key];
    if (failed.count++ == 0) failed = {row.status, row.code, row.error, 1, row.number};
  }
  std::vector<FailedCases> finish() {
    std::vector<FailedCases> out;
    for (auto& each : by_reason_) out.push_back(std::move(each.second));
    std::stable_sort(out.begin(), out.end(), [](const FailedCases& a, const FailedCases& b) {
      return std::tuple(-a.count, a.example) < std::tuple(-b.count, b.example);
    });
    return out;
  }

 private:
  std::map<std::tuple<CaseStatus, int, std::string>, FailedCases> by_reason_;
};

// Values of a Saltelli design, by the number of their case. Where other axes stand beside the
// sample, all of it comes once for each of their values, in one piece: the sample varies fastest.
class InfluenceMaker {
 public:
  InfluenceMaker(const Wishes& wishes, const Identity& identity)
      : over_(wishes.saltelli), points_(wishes.saltelli_points) {
    const std::int64_t cases = identity.cases;
    for (std::size_t i = 0; i < identity.columns.size(); ++i)
      if (identity.columns[i].unit == "s") times_.insert(i);
    if (over_.empty() || points_ < 1) return;
    if (wishes.goal) columns_.insert(wishes.goal->column);
    for (const Aim& aim : wishes.pareto) columns_.insert(aim.column);
    slices_.resize(static_cast<std::size_t>(
        std::clamp<std::int64_t>(cases / points_, 0, points_ > 0 ? kMostSlices : 0)));
    is_whole_ = cases == points_;
    left_out_ = cases / points_ - std::ssize(slices_);
  }
  void take(const CaseRow& row) {
    const std::int64_t at = points_ > 0 ? row.number / points_ : 0;
    if (row.number < 0 || at >= std::ssize(slices_)) return;
    Slice& slice = slices_[static_cast<std::size_t>(at)];
    ++slice.done;
    if (!slice.first) slice.first = LookRow{row.number, row.cells};
    for (const std::size_t column : columns_) {
      // A queue that grows without end has no time to wait in it.
      const bool is_endless = row.status == CaseStatus::kInfeasible && times_.contains(column);
      const auto number = is_endless ? std::nullopt : number_in(row.cells[column]);
      if (!number) ++slice.without[column];
      auto& values = slice.values[column];
      values.resize(static_cast<std::size_t>(points_), std::numeric_limits<double>::quiet_NaN());
      if (number) values[static_cast<std::size_t>(row.number % points_)] = *number;
    }
  }
  std::int64_t left_out() const { return left_out_; }
  // Cases of the samples that have no row yet.
  std::int64_t open() const {
    std::int64_t out = 0;
    for (const Slice& slice : slices_) out += points_ - slice.done;
    return out;
  }
  // The most cases of one sample that have no such figure.
  std::int64_t without_figure() const {
    std::int64_t most = 0;
    for (const Slice& slice : slices_)
      for (const auto& [column, count] : slice.without) most = std::max(most, count);
    return most;
  }
  std::vector<Influence> finish() const {
    std::vector<Influence> out;
    for (const Slice& slice : slices_)
      for (const auto& [column, values] : slice.values) {
        if (slice.without.contains(column)) continue;  // The rest of the sample is no fair one.
        SobolIndices indices = sobol_indices(values, over_.size());
        constexpr std::size_t kFewest = 2;
        if (indices.rows >= kFewest)
          out.push_back(
              {column, over_, std::move(indices), is_whole_ ? std::nullopt : slice.first});
      }
    return out;
  }

 private:
  struct Slice {
    std::optional<LookRow> first;
    std::int64_t done = 0;
    std::map<std::size_t, std::vector<double>> values;  // By the column of the figure.
    std::map<std::size_t, std::int64_t> without;        // Cases that have none of it.
  };
  std::vector<std::size_t> over_;
  std::int64_t points_ = 0;
  bool is_whole_ = true;
  std::int64_t left_out_ = 0;
  std::set<std::size_t> columns_;
  std::set<std::size_t> times_;
  std::vector<Slice> slices_;
};

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
