#include "sweep/run/report_check.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "report/describe/schema_walk.h"

namespace loadfactor::sweep {
namespace {

// Text, or one of a few words.
bool holds_words(const Value& schema) {
  const Value& field = report::present(schema);
  const Value* type = field.find("type");
  if (const std::string* name = type == nullptr ? nullptr : type->text()) return *name == "string";
  const Value* words = field.find("enum");
  const Value::List* list = words == nullptr ? nullptr : words->list();
  return list != nullptr && std::all_of(list->begin(), list->end(), [](const Value& word) {
           return word.text() != nullptr || word.is_null();
         });
}

// Whether a figure is a word in every answer that has it.
bool is_word(const std::vector<VerbSchema>& schemas, const std::string& path) {
  bool is = false;
  for (const VerbSchema& schema : schemas) {
    const Value* field = report::find_field(schema.answer, without_items(path));
    if (field == nullptr) continue;
    if (path.ends_with(".length") || !holds_words(*field)) return false;
    is = true;
  }
  return is;
}

// What `report:` names: columns, and of what is to be least or most, numbers.
class ReportChecker {
 public:
  ReportChecker(const SweepFile& file, const std::vector<ResultColumn>& columns,
                const std::vector<VerbSchema>& schemas)
      : file_(file), columns_(columns), schemas_(schemas) {}

  void check(Diagnostics& diagnostics) const {
    const ReportAsk& ask = file_.sweep.report;
    for (const auto& aim : {ask.least, ask.most})
      if (aim) check_aim(*aim, diagnostics);
    for (const config::Name& aim : ask.pareto) {
      const bool is_turned = aim.value.starts_with('-');
      check_aim({aim.value.substr(is_turned ? 1 : 0), aim.position}, diagnostics);
    }
    for (const auto& axis : {ask.phase_x, ask.phase_y})
      if (axis) check_map(*axis, ColumnKind::kAxis, diagnostics);
    if (ask.phase_shows) check_map(*ask.phase_shows, ColumnKind::kFigure, diagnostics);
  }

 private:
  const ResultColumn* find(const config::Name& name, Diagnostics& diagnostics) const {
    std::vector<std::string> names;
    for (const ResultColumn& column : columns_) {
      if (column.name == name.value) return &column;
      names.push_back(column.name);
    }
    const auto nearest = config::suggest(name.value, names);
    constexpr std::size_t kListed = 30;
    refuse(name, fmt::format("no axis or figure is called '{}'", name.value),
           nearest                   ? fmt::format("did you mean '{}'?", *nearest)
           : names.size() <= kListed ? fmt::format("one of: {}", fmt::join(names, ", "))
                                     : "`keep: {figures: {cost: options.0.per_month}}` names one",
           diagnostics);
    return nullptr;
  }
  void check_aim(const config::Name& name, Diagnostics& diagnostics) const {
    const ResultColumn* column = find(name, diagnostics);
    if (column == nullptr || column->kind == ColumnKind::kAxis) return;
    if (is_word(schemas_, column->meaning))
      refuse(name, fmt::format("'{}' holds words, of which none is least or most", name.value),
             "name a figure that is a number; a map shows words: phase: {shows: …}", diagnostics);
  }
  void check_map(const config::Name& name, ColumnKind kind, Diagnostics& diagnostics) const {
    const ResultColumn* column = find(name, diagnostics);
    if (column == nullptr || column->kind == kind) return;
    refuse(name,
           fmt::format("'{}' is {}", name.value,
                       kind == ColumnKind::kAxis ? "a figure, and a map is over axes"
                                                 : "an axis, and a map shows a figure"),
           "x and y name axes, shows a figure", diagnostics);
  }
  void refuse(const config::Name& at, std::string message, std::string hint,
              Diagnostics& diagnostics) const {
    diagnostics.add(file_.error(lf::kUnknownWord, {.position = at.position}, std::move(message),
                                std::move(hint)));
  }

  const SweepFile& file_;
  const std::vector<ResultColumn>& columns_;
  const std::vector<VerbSchema>& schemas_;
};

}  // namespace

std::string without_items(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    const bool is_item = std::all_of(part.begin(), part.end(), [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
    if (!is_item && part != "length") out += (out.empty() ? "" : ".") + std::string(part);
  }
  return out;
}

void check_report(const SweepFile& file, const std::vector<ResultColumn>& columns,
                  const std::vector<VerbSchema>& schemas, Diagnostics& diagnostics) {
  ReportChecker(file, columns, schemas).check(diagnostics);
}

}  // namespace loadfactor::sweep
