// What is kept of every case, and what a report shows of them.
#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sweep/parts_reader.h"

namespace loadfactor::sweep {
namespace {

using config::MapReader;
using config::NodeKind;

bool is_known_column(const Sweep& sweep, std::string_view name) {
  const auto is_axis = std::any_of(sweep.targets.begin(), sweep.targets.end(),
                                   [&](const Target& target) { return target.column == name; });
  return is_axis || std::any_of(sweep.keep.figures.begin(), sweep.keep.figures.end(),
                                [&](const FigureAsk& figure) { return figure.column == name; });
}

void check_figure(const Desk& desk, const FigureAsk& figure) {
  if (is_reserved_column(figure.column))
    desk.refuse(lf::kUnknownWord, figure.position,
                fmt::format("'{}' is a column of all results already", figure.column),
                "leave it out, or give the figure another name");
  else if (!is_column_name(figure.column))
    desk.refuse(lf::kUnknownWord, figure.position,
                fmt::format("'{}' cannot be the name of a column", figure.column),
                "letters, digits and _, not a digit first");
  else if (is_column_taken(desk.sweep(), figure.column))
    desk.refuse(lf::kDuplicateName, figure.position,
                fmt::format("two columns are called '{}'", figure.column),
                "give the figure another name; capitals make no difference");
}

// With the figures named, a name that is neither an axis nor a figure is a slip.
void check_column(const Desk& desk, std::string_view name, config::Position at) {
  const Sweep& sweep = desk.sweep();
  if (name.starts_with("-")) name.remove_prefix(1);
  if (sweep.keep.figures.empty() || is_known_column(sweep, name) || name == "verb") return;
  std::vector<std::string> names;
  for (const auto& target : sweep.targets) names.push_back(target.column);
  for (const auto& figure : sweep.keep.figures) names.push_back(figure.column);
  const auto nearest = config::suggest(name, names);
  desk.refuse(lf::kUnknownWord, at, fmt::format("no axis or figure is called '{}'", name),
              nearest ? fmt::format("did you mean '{}'?", *nearest)
                      : fmt::format("one of: {}", fmt::join(names, ", ")));
}

// What a column must be for its place in a report.
enum class Wanted : std::uint8_t { kAny, kAxis, kFigure };

void check_kind(const Desk& desk, const std::string& name, config::Position at, Wanted wanted) {
  const auto& targets = desk.sweep().targets;
  const bool is_axis = std::any_of(targets.begin(), targets.end(),
                                   [&](const Target& target) { return target.column == name; });
  if (wanted == Wanted::kAxis && !is_axis && is_known_column(desk.sweep(), name))
    desk.refuse(lf::kUnknownWord, at, fmt::format("'{}' is a figure, and a map is over axes", name),
                "x and y name axes, shows a figure");
  if (wanted == Wanted::kFigure && is_axis)
    desk.refuse(lf::kUnknownWord, at,
                fmt::format("'{}' is an axis, and a map shows a figure", name),
                "x and y name axes, shows a figure");
}

config::Given<std::string> column(const Desk& desk, MapReader& map, const char* key,
                                  Wanted wanted = Wanted::kAny) {
  auto name = map.maybe_text(key);
  if (!name) return std::nullopt;
  check_column(desk, *name, map.position_of(key));
  check_kind(desk, *name, map.position_of(key), wanted);
  if (name->starts_with('-'))
    desk.refuse(lf::kUnknownWord, map.position_of(key),
                fmt::format("'{}' begins with a minus", *name),
                "`most` and `least` say which is better; a minus stands in `pareto` alone");
  return config::Name{*std::move(name), map.position_of(key)};
}

}  // namespace

void read_keep(const Desk& desk, MapReader& map) {
  auto keep = map.map("keep", false);
  if (!keep) return;
  Keep& kept = desk.sweep().keep;
  kept.answer = keep->maybe_boolean("answer").value_or(false);
  kept.intervals = keep->maybe_boolean("intervals").value_or(false);
  if (auto figures = keep->map("figures", false)) {
    const config::Node* node = keep->node("figures");
    for (const auto& member : node->members) {
      FigureAsk figure{
          .column = member.key, .path = figures->text(member.key), .position = member.key_position};
      check_figure(desk, figure);
      kept.figures.push_back(std::move(figure));
    }
    figures->finish();
  }
  keep->finish();
}

void read_report(const Desk& desk, MapReader& map) {
  auto report = map.map("report", false);
  if (!report) return;
  ReportAsk& ask = desk.sweep().report;
  ask.least = column(desk, *report, "least");
  ask.most = column(desk, *report, "most");
  if (ask.least && ask.most)
    desk.refuse(lf::kContradictoryKeys, ask.most->position, "'least' and 'most' exclude each other",
                "a Pareto front weighs two figures: pareto: [cost, -speed]");
  for (const config::Node* node : report->items("pareto")) {
    const auto name = report->text_of(*node, "pareto");
    if (!name) continue;
    check_column(desk, *name, node->position);
    const auto plain = [](std::string_view each) { return each.substr(each.starts_with('-')); };
    const bool is_twice = std::any_of(ask.pareto.begin(), ask.pareto.end(), [&](const auto& other) {
      return plain(other.value) == plain(*name);
    });
    if (is_twice)
      desk.refuse(lf::kDuplicateName, node->position,
                  fmt::format("'{}' is weighed against itself", plain(*name)),
                  "a Pareto front weighs different figures: pareto: [cost, -speed]");
    ask.pareto.push_back({*name, node->position});
  }
  if (ask.pareto.size() == 1)
    desk.refuse(lf::kMissingKey, ask.pareto.front().position,
                "a Pareto front weighs two figures or more",
                "name another: pareto: [cost, -speed]; `least` or `most` names the best by one");
  if (auto phase = report->map("phase", false)) {
    ask.phase_x = column(desk, *phase, "x", Wanted::kAxis);
    ask.phase_y = column(desk, *phase, "y", Wanted::kAxis);
    if (ask.phase_x && ask.phase_y && ask.phase_x->value == ask.phase_y->value)
      desk.refuse(lf::kContradictoryKeys, ask.phase_y->position, "a map needs two different axes",
                  "name another axis for y");
    ask.phase_shows = column(desk, *phase, "shows", Wanted::kFigure);
    phase->finish();
  }
  report->finish();
}

}  // namespace loadfactor::sweep
