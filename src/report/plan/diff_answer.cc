// The description of what changed between two plans.
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/plan/diff_report.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::DiffAnswer;
using engine::FigureChange;
using engine::InputChange;

constexpr std::string_view kChanges[] = {"changed", "added", "removed"};
constexpr std::string_view kFigureKeys[] = {"cost",       "per_mtoken", "load_factor",
                                            "break_even", "gpus",       "duration"};

struct Verdicts {
  std::string before, after;
};
Verdicts verdicts_of(const DiffAnswer& a) {
  return {before_words(a), plan_verdict(a.after)};
}
struct Decisions {
  std::string_view before, after;
};
Decisions decisions_of(const DiffAnswer& a) {
  return {name_of(a.before.decision), name_of(a.after.decision)};
}
bool same_decision(const DiffAnswer& a) {
  return a.before.decision == a.after.decision;
}
std::string_view change_of(const InputChange& input) {
  return name_of(input.change);
}

struct NamedFigure {
  std::string_view key, name;
  std::optional<Estimate> before, after;
};
std::vector<NamedFigure> figures_of(const DiffAnswer& a) {
  std::vector<NamedFigure> out;
  for (const FigureChange& each : a.figures)
    out.push_back({figure_key(each.figure), figure_title(each.figure, a.after.is_training),
                   each.before, each.after});
  return out;
}

struct FlagRow {
  std::string file, flag;
  std::optional<std::string> before, after;
  bool is_presumed = false;
};
std::vector<FlagRow> flags_of(const DiffAnswer& a) {
  std::vector<FlagRow> rows;
  for (const auto& change : a.flags) {
    FlagRow& row = rows.emplace_back(FlagRow{change.file, change.flag, {}, {}, change.is_presumed});
    if (change.was) row.before = change.before;
    if (change.is) row.after = change.after;
  }
  return rows;
}

struct Compared {
  std::string name, before, after;
};

}  // namespace

template <>
constexpr auto kFields<Compared> =
    fields<Compared>(field<&Compared::name>("name", "Name of the second scenario"),
                     field<&Compared::before>("before", "The first file"),
                     field<&Compared::after>("after", "The second file"));

template <>
constexpr auto kFields<Verdicts> =
    fields<Verdicts>(field<&Verdicts::before>("before", "Sentence of the first plan"),
                     field<&Verdicts::after>("after", "Sentence of the second plan"));

template <>
constexpr auto kFields<Decisions> = fields<Decisions>(
    field<&Decisions::before>("before", "Decision of the first plan").one_of(kDecisions),
    field<&Decisions::after>("after", "Decision of the second plan").one_of(kDecisions));

template <>
constexpr auto kFields<NamedFigure> = fields<NamedFigure>(
    field<&NamedFigure::key>("key", "The figure as programs read it").one_of(kFigureKeys),
    field<&NamedFigure::name>("name", "The figure as people read it"),
    field<&NamedFigure::before>("before", "The figure of the first plan"),
    field<&NamedFigure::after>("after", "The figure of the second plan"));

template <>
constexpr auto kFields<InputChange> = fields<InputChange>(
    field<change_of>("change", "What happened to it").one_of(kChanges),
    field<&InputChange::what>("what", "A path of the scenario, or the name of a fact"),
    field<&InputChange::before>("before", "Its value in the first; empty where it had none"),
    field<&InputChange::after>("after", "Its value in the second; empty where it has none"),
    field<&InputChange::is_given>("given", "Whether the scenario says it, and not the catalogue"),
    field<&InputChange::is_assumed>("assumed", "Whether there is no document behind it"));

template <>
constexpr auto kFields<FlagRow> = fields<FlagRow>(
    field<&FlagRow::file>("file", "The emitted file that it stands in"),
    field<&FlagRow::flag>("flag", "Flag, key or variable"),
    known_field<&FlagRow::before>("before", "Its value today; left out where it is not set"),
    known_field<&FlagRow::after>("after", "Its value as advised; left out where it is not set"),
    field<&FlagRow::is_presumed>("presumed", "Whether nothing that was read says how it is today"));

template <>
constexpr auto kFields<DiffAnswer> = fields<DiffAnswer>(
    field<diff_sentence>("sentence", "What it comes to"),
    field<&DiffAnswer::before_runs>("before_runs",
                                    "Whether the first is a service as it runs, and no plan"),
    field<verdicts_of>("verdict", "The sentence of each plan"),
    field<decisions_of>("decision", "The decision of each plan"),
    field<same_decision>("same_decision", "Whether both say the same thing to do"),
    field<figures_of>("figures", "Figures that either plan has"),
    field<&DiffAnswer::inputs>("inputs", "Inputs that differ"),
    field<&DiffAnswer::launched_before>("launched_before",
                                        "What launches the first; empty: no flags are compared"),
    field<&DiffAnswer::launched_after>("launched_after", "What launches the second"),
    field<flags_of>("flags", "Flags that change from what runs to what is advised"));

Value to_value(const DiffAnswer& answer) {
  return described_value<DiffAnswer>(answer, kFields<DiffAnswer>);
}
Value schema_of(Type<DiffAnswer>) {
  return described_schema<DiffAnswer>(kFields<DiffAnswer>);
}

AnswerSchema diff_schema() {
  return {"diff",
          "diff",
          "Answer of `loadfactor diff`",
          "What changed between two plans, and what it comes to.",
          schema_of(Type<Compared>()),
          schema_of(Type<DiffAnswer>())};
}

std::string diff_csv(const DiffAnswer& answer) {
  return csv_list(schema_of(Type<DiffAnswer>()), to_value(answer), "figures");
}

std::string diff_json(const DiffAnswer& answer, const DiffFiles& files) {
  return print_json(envelope("diff", to_value(Compared{answer.name, files.before, files.after}),
                             to_value(answer), answer.after.notices, answer.after.facts));
}

}  // namespace loadfactor::report
