#include "sweep/run/case_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "loadfactor/version.h"
#include "report/describe/schema_walk.h"
#include "report/schemas/answer_schemas.h"
#include "sweep/digest.h"
#include "sweep/parts_reader.h"
#include "sweep/run/cells.h"
#include "sweep/run/report_check.h"

namespace loadfactor::sweep {
namespace {

constexpr std::size_t kMostFigures = 200;

std::vector<VerbSchema> schemas_of(const std::vector<MadeCase>& cases) {
  std::vector<VerbSchema> out;
  const auto all = report::answer_schemas();
  for (const MadeCase& made : cases) {
    if (!made.question) continue;
    const std::string_view verb = verb_of(*made.question);
    for (const auto& schema : all)
      if (schema.name == verb) out.push_back({std::string(verb), schema.answer});
  }
  return out;
}

struct Columns {
  std::vector<KeptFigure> figures;
  std::vector<ResultColumn> columns;

  void add(const std::string& name, const std::string& path, const std::string& unit,
           bool intervals) {
    columns.push_back({name, ColumnKind::kFigure, unit, path});
    figures.push_back({path, ""});
    if (!intervals) return;
    for (const char* end : {"low", "high"}) {
      columns.push_back(
          {fmt::format("{}_{}", name, end), ColumnKind::kFigure, unit, path + "." + end});
      figures.push_back({path, end});
    }
  }
  // For a quantity whose unit is told by each answer alone.
  void add_unit(const std::string& name, const std::string& path) {
    add(unit_column(name), path + ".unit", "", false);
  }
  static std::string unit_column(const std::string& name) { return name + "_unit"; }
};

// Ends of intervals and units get columns of their own, whose names may be taken.
void check_names(const SweepFile& file, const std::vector<ResultColumn>& axes, const Columns& kept,
                 Diagnostics& diagnostics) {
  std::vector<ResultColumn> all = axes;
  for (const ResultColumn& column : kept.columns) {
    const bool is_taken = std::any_of(all.begin(), all.end(), [&](const ResultColumn& other) {
      return is_same_column(other.name, column.name);
    });
    all.push_back(column);
    if (!is_taken) continue;
    const auto& asks = file.sweep.keep.figures;
    const auto ask = std::find_if(asks.begin(), asks.end(), [&](const FigureAsk& each) {
      return column.meaning == each.path || column.meaning.starts_with(each.path + ".");
    });
    diagnostics.add(file.error(
        lf::kDuplicateName, {.position = ask == asks.end() ? config::Position() : ask->position},
        fmt::format("two columns are called '{}'", column.name),
        "intervals add columns on _low and _high, units on _unit: give the figure another name"));
  }
}

std::string column_of(std::string path) {
  for (char& c : path)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return path;
}

// The first way to pay is the one to take: its kind, name and price are kept.
std::string of_first_option(const std::string& path) {
  constexpr std::array kKept{"kind", "name", "per_month", "per_mtoken", "cost"};
  constexpr std::string_view kOptions = "options[].";
  if (!path.starts_with(kOptions)) return path;
  const std::string field = path.substr(kOptions.size());
  return std::find(kKept.begin(), kKept.end(), field) == kKept.end() ? path : "options.0." + field;
}

// Every field of one value that stands at most one level down, and the best way to pay.
Columns all_fields(const std::vector<VerbSchema>& schemas, std::set<std::string> taken,
                   bool intervals) {
  Columns out;
  std::set<std::string> units;
  for (const VerbSchema& schema : schemas) {
    report::visit_fields(schema.answer, [&](const std::string& written, const Value& field) {
      const std::string path = of_first_option(written);
      const bool is_best = path != written;
      const bool is_plain = path.find_first_of("[*") == std::string::npos &&
                            (is_best || std::count(path.begin(), path.end(), '.') <= 1) &&
                            report::has_one_value(field);
      if (!is_plain || out.figures.size() >= kMostFigures) return;
      const std::string unit = report::unit_of(field);
      if (!units.insert(path + "\n" + unit).second) return;  // Another verb has it too.
      std::string name = is_best ? "best_" + path.substr(path.rfind('.') + 1) : column_of(path);
      if (!taken.insert(name).second) {
        name = column_of(schema.verb + "_" + path);
        if (!taken.insert(name).second) return;
      }
      const bool is_quantity = report::is_quantity(report::present(field));
      out.add(name, path, unit, intervals && is_quantity);
      if (is_quantity && unit.empty() && taken.insert(Columns::unit_column(name)).second)
        out.add_unit(name, path);
    });
  }
  return out;
}

// A few of the fields that a figure has, in quotation marks.
std::string fields_below(const std::string& wanted, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> fields;
  for (const std::string& name : names) {
    const bool is_field =
        name.starts_with(wanted + ".") && name.find_first_of("[*") == std::string::npos;
    const bool is_new = std::find(fields.begin(), fields.end(), name) == fields.end();
    if (is_field && is_new && fields.size() < kShown) fields.push_back(name);
  }
  return fields.empty() ? "" : fmt::format("'{}'", fmt::join(fields, "', '"));
}

// The figures that the sweep names.
Columns asked_fields(const SweepFile& file, const std::vector<VerbSchema>& schemas,
                     Diagnostics& diagnostics) {
  Columns out;
  for (const FigureAsk& ask : file.sweep.keep.figures) {
    const std::string wanted = without_items(ask.path);
    const Value* field = nullptr;
    std::vector<std::string> names;
    for (const VerbSchema& schema : schemas) {
      if (field == nullptr) field = report::find_field(schema.answer, wanted);
      report::visit_fields(schema.answer, [&](const std::string& path, const Value& each) {
        if (report::has_one_value(each)) names.push_back(path);
      });
    }
    if (field == nullptr) {
      const auto nearest = config::suggest(wanted, names);
      diagnostics.add(file.error(lf::kUnknownWord, {.position = ask.position},
                                 fmt::format("the answer has no figure '{}'", ask.path),
                                 is_reserved_column(ask.path)
                                     ? "leave it out: it is a column of all results"
                                 : nearest ? fmt::format("did you mean '{}'?", *nearest)
                                           : "`loadfactor schema --fields` lists all"));
      continue;
    }
    const bool is_quantity = report::is_quantity(report::present(*field));
    const bool is_length = ask.path.ends_with(".length");
    if (!is_quantity && !is_length && !report::has_one_value(*field)) {
      const std::string fields = fields_below(wanted, names);
      diagnostics.add(file.error(lf::kWrongType, {.position = ask.position},
                                 fmt::format("'{}' is no single value", ask.path),
                                 fields.empty()
                                     ? "name a field of it, an item by its number, or `length`"
                                     : fmt::format("name a field of it, such as {}", fields)));
      continue;
    }
    const std::string unit = is_length ? "" : report::unit_of(*field);
    out.add(ask.column, ask.path, unit, file.sweep.keep.intervals && is_quantity);
    if (is_quantity && !is_length && unit.empty()) out.add_unit(ask.column, ask.path);
  }
  return out;
}

void digest_options(Digest& digest, const Sweep& sweep) {
  for (const OptionGroup& group : sweep.options) {
    digest.add_text("options").add_text(group.verb);
    for (const Option& option : group.options) {
      digest.add_text(option.name);
      for (const std::string& word : option.words) digest.add_text(word);
    }
  }
}

// All that decides what a case is and what is kept of it; not how it was laid out or reported.
std::string digest_of_sweep(const Sweep& sweep) {
  Digest digest;
  digest.add_text(sweep.name.value).add_text(sweep.verb ? sweep.verb->value : "");
  digest.add_text(sweep.scenario ? sweep.scenario->value : "").add_text(sweep.date);
  digest_options(digest, sweep);
  for (const Target& target : sweep.targets)
    digest.add_text(std::to_string(static_cast<int>(target.kind)))
        .add_text(target.key)
        .add_text(target.column);
  for (const Block& block : sweep.blocks) {
    digest.add_text("block").add_text(std::to_string(static_cast<int>(block.sampling)));
    for (const Point& point : block.points)
      for (const WrittenText& value : point.values)
        digest.add_text(value.is_base ? "base" : value.is_blank ? "blank" : "=" + value.text);
  }
  for (const auto& filter : sweep.filters) digest.add_text(filter.value);
  digest.add_text(sweep.keep.answer ? "answer" : "");
  return digest.hex();
}

// How to report the sweep, for those who have the results alone.
std::vector<std::pair<std::string, std::string>> remarks_of(const Sweep& sweep) {
  std::vector<std::pair<std::string, std::string>> out;
  const ReportAsk& ask = sweep.report;
  const auto add = [&](const char* key, const config::Given<std::string>& name) {
    if (name) out.emplace_back(key, name->value);
  };
  add("least", ask.least);
  add("most", ask.most);
  for (const auto& name : ask.pareto) out.emplace_back("pareto", name.value);
  add("phase.x", ask.phase_x);
  add("phase.y", ask.phase_y);
  add("phase.shows", ask.phase_shows);
  for (const Block& block : sweep.blocks) {
    const bool is_table = block.points.front().values.front().document != nullptr;
    for (const std::size_t target : block.targets) {
      const std::string& name = sweep.targets[target].column;
      if (block.sampling != Sampling::kNone) out.emplace_back("sampled", name);
      if (block.sampling == Sampling::kNone && block.targets.size() > 1 && !is_table)
        out.emplace_back("choice", name);
    }
    if (block.sampling != Sampling::kSaltelli) continue;
    std::string names;
    for (const std::size_t target : block.targets)
      names += (names.empty() ? "" : ",") + sweep.targets[target].column;
    if (!sweep.filters.empty()) {
      out.emplace_back("saltelli.filtered", names);
      continue;
    }
    out.emplace_back("saltelli", names);
    out.emplace_back("saltelli.points", std::to_string(block.points.size()));
  }
  return out;
}

// How many cases the filters leave; blank where finding out takes too long.
std::string counting(const CaseMaker& maker) {
  constexpr std::int64_t kMostTried = 1'000'000;
  if (maker.cases() > kMostTried) return {};
  std::int64_t count = 0;
  for (std::int64_t number = 0; number < maker.cases(); ++number)
    count += maker.counts(number) ? 1 : 0;
  return std::to_string(count);
}

std::string told(const Diagnostics& errors) {
  std::string out;
  for (const Error& error : errors.errors()) {
    if (!out.empty()) out += "; ";
    out += error.message;
    if (!error.hint.empty()) out += fmt::format(" ({})", error.hint);
  }
  return out;
}

CaseStatus status_of(Outcome outcome) {
  if (outcome == Outcome::kNo) return CaseStatus::kNo;
  return outcome == Outcome::kInfeasible ? CaseStatus::kInfeasible : CaseStatus::kAnswer;
}

// Why a question that was understood has no answer, in the answer's own words.
std::string refusal_of(const Value& answer, CaseStatus status) {
  const Value* verdict = status == CaseStatus::kAnswer ? nullptr : answer.find("verdict");
  const std::string* words = verdict == nullptr ? nullptr : verdict->text();
  return words == nullptr ? "" : *words;
}

void fail(CaseRow& row, const Diagnostics& errors) {
  const int code = errors.empty() ? lf::kInternal : errors.errors().front().code;
  // A question that has no answer is no mistake.
  row.status = exit_status(code) == exit_status(Outcome::kInfeasible) ? CaseStatus::kInfeasible
                                                                      : CaseStatus::kError;
  row.code = code;
  const std::string message = errors.empty() ? "no answer and no reason" : told(errors);
  row.error = message;
}

}  // namespace

std::unique_ptr<CaseTable> CaseTable::prepare(std::unique_ptr<CaseMaker> maker,
                                              const std::string& catalogue,
                                              Diagnostics& diagnostics) {
  auto table = std::make_unique<CaseTable>();
  const SweepFile& file = maker->file();
  const auto samples = maker->one_of_each_verb();
  const auto schemas = schemas_of(samples);
  if (schemas.empty()) {
    for (const MadeCase& made : samples) diagnostics.add_all(made.errors);
    return nullptr;
  }
  table->identity_.columns = maker->axis_columns();
  std::set<std::string> taken;
  for (const auto& column : table->identity_.columns) taken.insert(column.name);
  Diagnostics found;
  const Columns kept = file.sweep.keep.figures.empty()
                           ? all_fields(schemas, taken, file.sweep.keep.intervals)
                           : asked_fields(file, schemas, found);
  check_names(file, table->identity_.columns, kept, found);
  auto& columns = table->identity_.columns;
  columns.insert(columns.end(), kept.columns.begin(), kept.columns.end());
  if (found.empty()) check_report(file, columns, schemas, found);
  if (!found.empty()) {
    diagnostics.add_all(found);
    // A figure may be that of a verb of which no case can be asked: then this is why.
    for (const MadeCase& made : samples)
      if (!made.question) diagnostics.add_all(made.errors);
    return nullptr;
  }
  table->figures_ = kept.figures;
  for (ResultColumn& column : columns)
    if (column.unit.starts_with("USD")) column.unit = in_currency(column.unit, maker->currency());
  Identity& identity = table->identity_;
  identity.name = file.sweep.name.value;
  identity.version = LOADFACTOR_VERSION;
  identity.cases = maker->cases();
  identity.inputs.emplace_back("sweep", digest_of_sweep(file.sweep));
  for (const auto& input : maker->inputs()) identity.inputs.push_back(input);
  identity.inputs.emplace_back("catalogue", catalogue);
  identity.remarks = remarks_of(file.sweep);
  if (!file.sweep.filters.empty()) identity.remarks.emplace_back("counting", counting(*maker));
  Digest whole;
  whole.add_text(identity.version);
  for (const auto& [name, digest] : identity.inputs) whole.add_text(name).add_text(digest);
  for (const auto& column : columns)
    whole.add_text(column.name).add_text(column.unit).add_text(column.meaning);
  identity.digest = whole.hex();
  table->maker_ = std::move(maker);
  return table;
}

std::optional<CaseRow> CaseTable::row(const Engine& engine, std::int64_t number,
                                      const std::atomic<bool>* stop) const {
  MadeCase made = maker_->make(number);
  CaseRow row{.number = number};
  row.edits = std::move(made.edits);
  row.cells = std::move(made.axes);
  row.cells.resize(identity_.columns.size());
  if (!made.question) {
    fail(row, made.errors);
    return row;
  }
  Progress progress;
  if (stop != nullptr) progress.stop_by(stop);
  Diagnostics errors;
  const auto answer = engine.ask(*made.question, errors, progress);
  if (progress.is_cancelled()) return std::nullopt;
  if (!answer) {
    fail(row, errors);
    return row;
  }
  Style style;
  style.reproducible = true;
  row.status = status_of(answer->outcome());
  const Value value = answer->value(style);
  row.error = refusal_of(value, row.status);
  const std::size_t axes = row.cells.size() - figures_.size();
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    const Found found = find_value(value, figures_[i].path);
    row.cells[axes + i] = figures_[i].end.empty() ? cell_of(found) : end_of(found, figures_[i].end);
  }
  if (maker_->file().sweep.keep.answer) row.answer = to_json(*answer, style);
  return row;
}

std::vector<std::int64_t> CaseTable::open_cases(const std::vector<std::int64_t>& done,
                                                std::int64_t shard, std::int64_t shards) const {
  std::vector<std::int64_t> open;
  auto next = done.begin();
  for (std::int64_t number = shard; number < maker_->cases(); number += shards) {
    while (next != done.end() && *next < number) ++next;
    if (next != done.end() && *next == number) continue;
    if (maker_->counts(number)) open.push_back(number);
  }
  return open;
}

}  // namespace loadfactor::sweep
