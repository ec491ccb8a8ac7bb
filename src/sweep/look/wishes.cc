#include "sweep/look/wishes.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/currency.h"

namespace loadfactor::sweep {
namespace {

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

}  // namespace

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

}  // namespace loadfactor::sweep
