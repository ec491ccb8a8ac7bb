#include "sweep/run/case_maker.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "base/text/json_text.h"
#include "config/number_text.h"
#include "config/reader.h"
#include "sweep/digest.h"
#include "sweep/parts_reader.h"
#include "sweep/run/cells.h"
#include "sweep/run/fit_options.h"

namespace loadfactor::sweep {
namespace {

// Keys that name files, which are opened where the scenario is read.
bool names_file(const std::string& key) {
  return key.ends_with(".trace") || key.ends_with(".config");
}

// A path that the sweep writes, relative to it.
std::string beside(const std::string& folder, const std::string& path) {
  return path.starts_with('/') ? path : folder + path;
}

std::string json_pair(const std::string& key, const std::string& text) {
  return json_string(key) + ": " + json_string(text);
}

// Puts edits, seed and the rest of what a case changes into a question of any kind.
struct Changer {
  const std::vector<config::Edit>& edits;
  std::optional<std::uint64_t> seed;
  bool has_seed = false;

  template <typename Q>
  void operator()(Q& question) {
    if constexpr (requires { question.about.scenario; }) {
      if (!edits.empty()) question.about.scenario = question.about.scenario.with(edits);
    }
    if constexpr (requires { question.settings.seed; }) {
      has_seed = true;
      if (seed) question.settings.seed = *seed;
    }
  }
};

const facade::VerbRow* row_of(const std::string& verb) {
  for (const facade::VerbRow& row : facade::verb_rows())
    if (row.name == verb) return &row;
  return nullptr;
}

std::string usage_message(const std::string& name) {
  std::string message = fmt::format("'{}' is true or false", name);
  return message;
}

// What is wrong with an option of a verb, or nothing.
std::string give(facade::Form& form, const std::string& verb, const std::string& name,
                 const std::vector<std::string>& words) {
  facade::Option* option = form.find(name);
  if (option == nullptr || option->kind == facade::Option::Kind::kOutput) {
    std::vector<std::string> names;
    for (const facade::Option& each : form.options()) names.push_back(each.name);
    const auto nearest = config::suggest(name, names);
    std::string message = fmt::format("'{}' has no option '{}'", verb, name);
    if (nearest) message += fmt::format("; did you mean '{}'?", *nearest);
    return message;
  }
  if (option->kind == facade::Option::Kind::kSwitch) {
    if (words.size() > 1 || (!words.empty() && words.front() != "true" && words.front() != "false"))
      return usage_message(name);
    if (!words.empty() && words.front() == "false") return {};
    option->is_given = true;
    return option->take("");
  }
  option->is_given = true;
  for (const std::string& word : words)
    if (std::string wrong = option->take(word); !wrong.empty()) return wrong;
  return {};
}

}  // namespace

// What of a case is read before its edits.
struct CaseMaker::Asked {
  std::string verb;
  std::string scenario;
  std::vector<Option> options;
  std::vector<std::string> set;

  std::string key() const {
    std::string out = verb + '\n' + scenario;
    for (const Option& option : options)
      out += fmt::format("\n--{} {}", option.name, fmt::join(option.words, "\x1f"));
    for (const std::string& assignment : set) out += "\n" + assignment;
    return out;
  }
};

std::unique_ptr<CaseMaker> CaseMaker::prepare(SweepFile file, const std::string& folder,
                                              facade::FileSource& files, Diagnostics& diagnostics) {
  std::unique_ptr<CaseMaker> maker(new CaseMaker(std::move(file), folder, files));
  std::vector<std::string> columns;
  for (const Target& target : maker->file_.sweep.targets) columns.push_back(target.column);
  for (const auto& text : maker->file_.sweep.filters) {
    auto filter = Filter::parse(text.value, columns);  // It was read once already.
    if (filter) maker->filters_.push_back(*std::move(filter));
  }
  if (!maker->read_scenarios(diagnostics)) return nullptr;
  const bool is_typed = maker->type_all(diagnostics);
  const bool has_options = maker->try_options(diagnostics);
  if (!is_typed || !has_options || !maker->has_cases(diagnostics)) return nullptr;
  return maker;
}

// Keys that name files are read with the scenario, together with those that make room for them; and
// so are all where whole answers are kept, which tell what was said and where.
bool CaseMaker::is_assignment(const Target& target) const {
  const auto& targets = file_.sweep.targets;
  const bool has_files = std::any_of(targets.begin(), targets.end(), [](const Target& each) {
    return each.kind == TargetKind::kKey && names_file(each.key);
  });
  return target.kind == TargetKind::kKey && (has_files || file_.sweep.keep.answer);
}

// A file beside the sweep, which an option may name as a scenario does.
bool CaseMaker::names_own_file(const std::string& word) const {
  return !word.empty() && word != "." && files_.has(beside(folder_, word));
}

bool CaseMaker::read_scenarios(Diagnostics& diagnostics) {
  std::vector<WrittenText> names;
  const Sweep& sweep = file_.sweep;
  if (sweep.scenario)
    names.push_back({.text = sweep.scenario->value, .position = sweep.scenario->position});
  for (const Block& block : sweep.blocks)
    for (std::size_t i = 0; i < block.targets.size(); ++i)
      if (sweep.targets[block.targets[i]].kind == TargetKind::kScenario)
        for (const Point& point : block.points)
          if (!point.values[i].is_blank) names.push_back(point.values[i]);
  bool is_sound = true;
  std::set<std::string> seen;
  for (const WrittenText& name : names) {
    if (!seen.insert(name.text).second) continue;
    const auto read = files_.open(beside(folder_, name.text));
    if (!read) {
      diagnostics.add(
          file_.error(read.error().code, name, read.error().message, read.error().hint));
      is_sound = false;
      continue;
    }
    const std::string text(read->bytes);
    auto scenario = files_.parse(beside(folder_, name.text), text, {}, diagnostics);
    is_sound = scenario.has_value() && is_sound;
    if (scenario) scenarios_.push_back({beside(folder_, name.text), text, *std::move(scenario)});
  }
  return is_sound;
}

std::optional<config::AnyValue> CaseMaker::as_written(const std::string& path,
                                                      const WrittenText& value,
                                                      const std::vector<std::string>& assignments,
                                                      Diagnostics& diagnostics) const {
  if (value.is_blank) return config::AnyValue();
  std::optional<Error> first;
  for (const BaseScenario& scenario : scenarios_) {
    Diagnostics found;
    const auto parsed = files_.parse(scenario.path, scenario.text, assignments, found);
    if (parsed) return parsed->value(path);
    if (!first) first = found.errors().front();
  }
  if (!first)
    first = Error{.code = lf::kMissingKey,
                  .message = "a key of a scenario varies, and there is none",
                  .hint = "scenario: FILE names one"};
  Error placed = file_.error(first->code, value, first->message, first->hint);
  placed.notes = first->notes;
  diagnostics.add(std::move(placed));
  return std::nullopt;
}

// A choice's keys are read together: one may need another to go.
std::optional<TypedValue> CaseMaker::type_one(const Block& block, std::size_t point, std::size_t t,
                                              Diagnostics& diagnostics) const {
  const Target& target = file_.sweep.targets[block.targets[t]];
  const WrittenText& value = block.points[point].values[t];
  if (target.kind != TargetKind::kKey)
    return TypedValue{{}, value.is_blank ? CellValue() : word_cell(value.text)};
  std::vector<std::string> assignments;
  for (std::size_t i = 0; i < block.targets.size(); ++i) {
    const Target& each = file_.sweep.targets[block.targets[i]];
    const WrittenText& other = block.points[point].values[i];
    if (each.kind == TargetKind::kKey)
      assignments.push_back(each.key + "=" + (other.is_blank ? "" : other.text));
  }
  auto typed = as_written(target.key, value, assignments, diagnostics);
  if (!typed) return std::nullopt;
  TypedValue out{*typed, cell_of(*typed)};
  return out;
}

// Numbers that we made between two ends are of the type of the first; the least and the greatest of
// them go through the reader of scenarios, which knows the bounds.
bool CaseMaker::type_block(const Block& block, std::vector<std::vector<TypedValue>>& typed,
                           Diagnostics& diagnostics) {
  // Keys of one choice may contradict each other: each is read, unless it is a long table.
  constexpr std::size_t kMostRead = 2000;
  const bool may_repeat = block.targets.size() == 1 || block.points.size() > kMostRead;
  bool is_sound = true;
  typed.assign(block.points.size(), std::vector<TypedValue>(block.targets.size()));
  for (std::size_t t = 0; t < block.targets.size(); ++t) {
    const Target& target = file_.sweep.targets[block.targets[t]];
    const auto number = [&](std::size_t p) {
      return std::strtod(block.points[p].values[t].text.c_str(), nullptr);
    };
    std::size_t least = 0;
    std::size_t most = 0;
    for (std::size_t p = 0; p < block.points.size() && block.is_numeric; ++p) {
      if (number(p) < number(least)) least = p;
      if (number(p) > number(most)) most = p;
    }
    std::optional<TypedValue> first;
    std::map<std::string, TypedValue> seen;  // A table of cases says the same many times.
    for (std::size_t p = 0; p < block.points.size(); ++p) {
      const WrittenText& value = block.points[p].values[t];
      std::optional<TypedValue> one;
      const auto known = seen.find(value.text);
      if (may_repeat && known != seen.end() && !value.is_blank) one = known->second;
      const bool is_end = p == 0 || p == least || p == most;
      if (!one && block.is_numeric && !is_end && first && target.kind == TargetKind::kKey) {
        const auto like = value_like(first->value, block.points[0].values[t].text, value.text);
        if (like) one = TypedValue{*like, cell_of(*like)};
      }
      if (!one) one = type_one(block, p, t, diagnostics);
      if (p == 0) first = one;
      if (one && !value.is_blank && !block.is_numeric) seen.try_emplace(value.text, *one);
      if (!one) {
        is_sound = false;
        if (block.is_numeric) break;
        continue;
      }
      typed[p][t] = *std::move(one);
    }
  }
  return is_sound;
}

// `8` and `8.0` are one value. Rows of a table and samples may repeat.
bool CaseMaker::is_told_once(const Block& block, const std::vector<std::vector<TypedValue>>& typed,
                             Diagnostics& diagnostics) const {
  const bool is_list = block.targets.size() == 1 && block.sampling == Sampling::kNone &&
                       block.points.front().values.front().document == nullptr;
  if (!is_list) return true;
  std::map<CellValue, std::size_t> seen;
  bool is_sound = true;
  for (std::size_t p = 0; p < typed.size(); ++p) {
    CellValue cell = typed[p].front().cell;
    if (const auto number = split_number(block.points[p].values.front().text);
        number && number->unit.empty() && cell != CellValue())
      cell = number->number;  // `8`, `8.0` and `"8 "`
    const auto [first, is_new] = seen.try_emplace(cell, p);
    if (is_new || cell == CellValue()) continue;
    const WrittenText& value = block.points[p].values.front();
    diagnostics.add(file_.error(lf::kDuplicateName, value,
                                fmt::format("'{}' is the same value as '{}'", value.text,
                                            block.points[first->second].values.front().text),
                                "keep one"));
    is_sound = false;
  }
  return is_sound;
}

bool CaseMaker::type_all(Diagnostics& diagnostics) {
  bool is_sound = true;
  typed_.resize(file_.sweep.blocks.size());
  for (std::size_t i = 0; i < typed_.size(); ++i) {
    const Block& block = file_.sweep.blocks[i];
    is_sound = type_block(block, typed_[i], diagnostics) &&
               is_told_once(block, typed_[i], diagnostics) && is_sound;
  }
  return is_sound;
}

const WrittenText* CaseMaker::value_of(TargetKind kind,
                                       const std::vector<std::size_t>& points) const {
  const Sweep& sweep = file_.sweep;
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const Block& block = sweep.blocks[b];
    for (std::size_t t = 0; t < block.targets.size(); ++t)
      if (sweep.targets[block.targets[t]].kind == kind) return &block.points[points[b]].values[t];
  }
  return nullptr;
}

CaseMaker::Asked CaseMaker::asked_of(const std::vector<std::size_t>& points) const {
  const Sweep& sweep = file_.sweep;
  Asked asked;
  const WrittenText* verb = value_of(TargetKind::kVerb, points);
  const WrittenText* scenario = value_of(TargetKind::kScenario, points);
  if (sweep.verb) asked.verb = sweep.verb->value;
  if (verb != nullptr) asked.verb = verb->text;
  if (sweep.scenario) asked.scenario = beside(folder_, sweep.scenario->value);
  if (scenario != nullptr)
    asked.scenario = scenario->is_blank ? "" : beside(folder_, scenario->text);
  for (const OptionGroup& group : sweep.options)
    if (group.verb.empty() || group.verb == asked.verb)
      asked.options.insert(asked.options.end(), group.options.begin(), group.options.end());
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const Block& block = sweep.blocks[b];
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
      const Target& target = sweep.targets[block.targets[t]];
      const WrittenText& value = block.points[points[b]].values[t];
      if (target.kind == TargetKind::kOption && !value.is_blank) {
        std::erase_if(asked.options,
                      [&](const Option& option) { return option.name == target.key; });
        asked.options.push_back({target.key, {value.text}, value.position});
      }
      if (is_assignment(target))
        asked.set.push_back(target.key + "=" + (value.is_blank ? "" : value.text));
    }
  }
  for (Option& option : asked.options)
    for (std::string& word : option.words)
      if (names_own_file(word)) word = beside(folder_, word);
  return asked;
}

void CaseMaker::add_from_scenario(Asked& asked, const std::vector<config::Edit>& edits) const {
  if (asked.verb != "fit") return;
  for (const BaseScenario& scenario : scenarios_) {
    if (scenario.path != asked.scenario) continue;
    const auto slash = scenario.path.rfind('/');
    const std::string folder =
        slash == std::string::npos ? std::string() : scenario.path.substr(0, slash + 1);
    for (Option& option : fit_options(scenario.read.with(edits), folder)) {
      const bool is_given =
          std::any_of(asked.options.begin(), asked.options.end(),
                      [&](const Option& given) { return given.name == option.name; });
      if (!is_given) asked.options.push_back(std::move(option));
    }
  }
}

std::shared_ptr<const Question> CaseMaker::base_question(const Asked& asked,
                                                         Diagnostics& errors) const {
  const std::lock_guard guard(mutex_);
  const std::string key = asked.key();
  const auto found = questions_.find(key);
  if (found != questions_.end()) return found->second;
  const auto refuse = [&](std::string message, std::string hint) {
    errors.add({.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)});
    return nullptr;
  };
  const facade::VerbRow* row = row_of(asked.verb);
  if (row == nullptr) return refuse(fmt::format("no verb '{}'", asked.verb), "");
  const std::unique_ptr<facade::Form> form = row->form();
  const facade::Option* scenario = form->find("scenario");
  if (scenario != nullptr && asked.scenario.empty() && scenario->is_required)
    return refuse(fmt::format("'{}' needs a scenario", asked.verb), "scenario: FILE names one");
  if (scenario != nullptr && !asked.scenario.empty()) form->take_scenario(asked.scenario);
  for (const Option& option : asked.options) {
    const std::string wrong = give(*form, asked.verb, option.name, option.words);
    if (!wrong.empty())
      return refuse(wrong, fmt::format("`loadfactor {} --help` lists all", asked.verb));
  }
  for (const facade::Option& option : form->options())
    if (option.is_required && !option.is_given && option.name != "scenario")
      return refuse(
          fmt::format("'{}' needs '{}'", asked.verb, option.name),
          fmt::format("an axis --{} or options: {{{}: …}} gives it", option.name, option.name));
  Settings settings;
  settings.threads = 1;
  settings.today = file_.sweep.date;
  auto question = form->question({files_, asked.set, settings, errors});
  if (!question) return nullptr;
  // Where options vary every case has one of its own, and none comes back.
  constexpr std::size_t kMostKept = 1024;
  if (questions_.size() >= kMostKept) questions_.clear();
  return questions_[key] = std::make_shared<const Question>(*std::move(question));
}

// Whether the verbs know the options; what an option means together with others is found case by
// case.
bool CaseMaker::try_options(Diagnostics& diagnostics) const {
  const Sweep& sweep = file_.sweep;
  std::set<std::string> verbs;
  if (sweep.verb) verbs.insert(sweep.verb->value);
  for (const Block& block : sweep.blocks)
    for (std::size_t t = 0; t < block.targets.size(); ++t)
      if (sweep.targets[block.targets[t]].kind == TargetKind::kVerb)
        for (const Point& point : block.points) verbs.insert(point.values[t].text);
  bool is_sound = true;
  std::set<std::string> told;
  const auto check = [&](const std::string& only, const std::string& name,
                         const std::vector<std::string>& words, const WrittenText& at) {
    std::string wrong;
    for (const std::string& verb : verbs) {
      if (!only.empty() && only != verb) continue;
      const std::unique_ptr<facade::Form> form = row_of(verb)->form();
      wrong = give(*form, verb, name, words);
      if (wrong.empty()) return;
    }
    if (wrong.empty()) return;
    is_sound = false;
    if (!told.insert(wrong).second) return;  // The same is wrong with every value of an axis.
    diagnostics.add(file_.error(lf::kUsage, at, wrong, "options are those of the command line"));
  };
  for (const OptionGroup& group : sweep.options)
    for (const Option& option : group.options)
      check(group.verb, option.name, option.words, {.position = option.position});
  for (const Block& block : sweep.blocks)
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
      const Target& target = sweep.targets[block.targets[t]];
      if (target.kind != TargetKind::kOption) continue;
      for (const Point& point : block.points)
        if (!point.values[t].is_blank)
          check("", target.key, {point.values[t].text}, point.values[t]);
    }
  return is_sound;
}

bool CaseMaker::has_cases(Diagnostics& diagnostics) const {
  constexpr std::int64_t kMostTried = 5'000'000;  // Seconds; beyond, whoever runs them finds out.
  const std::int64_t last = std::min(cases(), kMostTried);
  std::int64_t number = 0;
  while (number < last && !counts(number)) ++number;
  if (number < last || last < cases()) return true;
  const auto& filters = file_.sweep.filters;
  diagnostics.add(file_.error(lf::kOutOfRange, {.position = filters.front().position},
                              filters.size() == 1 ? "the filter lets no case through"
                                                  : "the filters together let no case through",
                              "numbers are in the units of the axes; words stand in quotes"));
  return false;
}

bool CaseMaker::counts(std::int64_t number) const {
  if (filters_.empty()) return true;
  const Sweep& sweep = file_.sweep;
  const auto points = points_of(sweep, number);
  const auto value = [&](std::size_t target) -> FilterValue {
    for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
      const auto& targets = sweep.blocks[b].targets;
      const auto found = std::find(targets.begin(), targets.end(), target);
      if (found == targets.end()) continue;
      const auto t = static_cast<std::size_t>(found - targets.begin());
      return filter_value(typed_[b][points[b]][t].cell);
    }
    return {};
  };
  return std::all_of(filters_.begin(), filters_.end(),
                     [&](const Filter& filter) { return filter.holds(value); });
}

MadeCase CaseMaker::make(std::int64_t number) const {
  const Sweep& sweep = file_.sweep;
  const auto points = points_of(sweep, number);
  MadeCase made{.number = number, .axes = std::vector<CellValue>(sweep.targets.size())};
  std::vector<config::Edit> all;
  std::vector<config::Edit> edits;  // Those of them that are not read with the scenario.
  std::vector<std::string> told;
  std::optional<std::uint64_t> seed;
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const Block& block = sweep.blocks[b];
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
      const Target& target = sweep.targets[block.targets[t]];
      const TypedValue& typed = typed_[b][points[b]][t];
      const WrittenText& value = block.points[points[b]].values[t];
      made.axes[block.targets[t]] = typed.cell;
      if (target.kind == TargetKind::kKey) {
        all.push_back({target.key, typed.value});
        if (!is_assignment(target)) edits.push_back(all.back());
      }
      if (target.kind == TargetKind::kSeed) {
        const auto whole = config::parse_integer(value.text);
        if (whole) seed = static_cast<std::uint64_t>(*whole);
      }
      told.push_back(json_pair((target.kind == TargetKind::kOption ? "--" : "") + target.key,
                               value.is_blank ? "" : value.text));
    }
  }
  // What a case takes out goes first: another key may say the same thing in another unit.
  for (auto* each : {&all, &edits})
    std::stable_partition(each->begin(), each->end(), [](const config::Edit& edit) {
      return edit.value == config::AnyValue();
    });
  made.edits = fmt::format("{{{}}}", fmt::join(told, ", "));
  Asked asked = asked_of(points);
  add_from_scenario(asked, all);
  const auto base = base_question(asked, made.errors);
  if (base == nullptr) return made;
  made.question = *base;
  std::visit(Changer{edits, seed}, *made.question);
  return made;
}

std::vector<ResultColumn> CaseMaker::axis_columns() const {
  const Sweep& sweep = file_.sweep;
  std::vector<ResultColumn> columns(sweep.targets.size());
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const auto& targets = sweep.blocks[b].targets;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const Target& target = sweep.targets[targets[t]];
      columns[targets[t]] = {target.column, ColumnKind::kAxis, "",
                             (target.kind == TargetKind::kOption ? "--" : "") + target.key};
      for (const auto& point : typed_[b])
        if (const auto* quantity = std::get_if<AnyQuantity>(&point[t].value))
          columns[targets[t]].unit = base_unit(quantity->dimension);
    }
  }
  return columns;
}

void CaseMaker::open_named_files() const {
  const Sweep& sweep = file_.sweep;
  const auto varies = [&](std::size_t b, const auto& is_wanted) {
    const auto& targets = sweep.blocks[b].targets;
    return std::any_of(targets.begin(), targets.end(),
                       [&](std::size_t t) { return is_wanted(sweep.targets[t]); });
  };
  const auto names_case = [](const Target& target) {
    return target.kind == TargetKind::kScenario || target.kind == TargetKind::kVerb;
  };
  std::vector<std::vector<std::size_t>> starts{std::vector<std::size_t>(sweep.blocks.size(), 0)};
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    if (!varies(b, names_case)) continue;
    const std::size_t count = starts.size();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t p = 1; p < sweep.blocks[b].points.size(); ++p) {
        starts.push_back(starts[i]);
        starts.back()[b] = p;
      }
  }
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b)
    for (std::size_t t = 0; t < sweep.blocks[b].targets.size(); ++t)
      for (std::size_t p = 0; p < sweep.blocks[b].points.size(); ++p) {
        const Target& target = sweep.targets[sweep.blocks[b].targets[t]];
        const WrittenText& value = sweep.blocks[b].points[p].values[t];
        const bool is_file = target.kind == TargetKind::kKey
                                 ? names_file(target.key)
                                 : target.kind == TargetKind::kOption && names_own_file(value.text);
        if (!is_file || value.is_blank) continue;
        for (std::vector<std::size_t> points : starts) {
          points[b] = p;
          Diagnostics ignored;  // What is wrong with a case is told by its row.
          static_cast<void>(base_question(asked_of(points), ignored));
        }
      }
}

std::vector<MadeCase> CaseMaker::one_of_each_verb() const {
  const Sweep& sweep = file_.sweep;
  std::vector<MadeCase> found;
  std::set<std::string> seen;
  const auto take = [&](const std::vector<std::size_t>& points) {
    if (!seen.insert(asked_of(points).verb).second) return;
    std::int64_t number = 0;
    for (std::size_t b = 0; b < points.size(); ++b)
      number = number * static_cast<std::int64_t>(sweep.blocks[b].points.size()) +
               static_cast<std::int64_t>(points[b]);
    found.push_back(make(number));
  };
  std::vector<std::size_t> points(sweep.blocks.size(), 0);
  take(points);
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const auto& targets = sweep.blocks[b].targets;
    const bool varies_verb = std::any_of(targets.begin(), targets.end(), [&](std::size_t t) {
      return sweep.targets[t].kind == TargetKind::kVerb;
    });
    if (!varies_verb) continue;
    for (std::size_t p = 0; p < sweep.blocks[b].points.size(); ++p) {
      points[b] = p;
      take(points);
    }
    points[b] = 0;
  }
  return found;
}

std::vector<std::pair<std::string, std::string>> CaseMaker::inputs() const {
  open_named_files();
  auto all = files_.inputs();
  for (const auto& table : file_.tables) all.emplace_back(table->file, digest_of(table->text));
  for (auto& [name, digest] : all)
    if (!folder_.empty() && name.starts_with(folder_)) name = name.substr(folder_.size());
  return all;
}

}  // namespace loadfactor::sweep
