#include "sweep/run/case_maker.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "base/text/json_text.h"
#include "config/number_text.h"
#include "sweep/digest.h"
#include "sweep/run/cells.h"
#include "sweep/run/fit_options.h"
#include "sweep/run/verb_form.h"

namespace loadfactor::sweep {
namespace {

// Cases that are made to find one that can be asked.
constexpr std::size_t kMostLooked = 200;

// Keys that name files, which are opened where the scenario is read.
bool names_file(const std::string& key) {
  return key.ends_with(".trace") || key.ends_with(".config");
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
  if (!maker->scenarios_.read(diagnostics)) return nullptr;
  for (const auto& text : maker->file_.sweep.filters) {
    auto filter = Filter::parse(text.value, columns, maker->scenarios_.money());
    if (filter) maker->filters_.push_back(*std::move(filter));
    if (!filter)  // Its money alone; the rest was read once already.
      diagnostics.add(maker->file_.error(filter.error().code, {.position = text.position},
                                         filter.error().message, filter.error().hint));
  }
  if (!diagnostics.empty()) return nullptr;
  auto typed = ValueTyper(maker->file_, maker->scenarios_).type_all(diagnostics);
  const bool has_options = maker->try_options(diagnostics) & maker->try_keys(diagnostics);
  if (!typed || !has_options) return nullptr;
  maker->typed_ = *std::move(typed);
  maker->unread_ = unread_in(maker->file_, maker->scenarios_);
  const auto& bases = maker->scenarios_.all();
  maker->reads_keys_ =
      maker->reads_keys_ || std::any_of(bases.begin(), bases.end(),
                                        [](const BaseScenario& base) { return !base.reads_alone; });
  if (!maker->try_option_values(diagnostics) || !maker->filters_fit(diagnostics) ||
      !maker->has_cases(diagnostics))
    return nullptr;
  return maker;
}

// Keys that name files are read with the scenario, together with those that make room for them; and
// so are all where whole answers are kept, which tell what was said and where, and where a scenario
// does not read without them.
bool CaseMaker::reads_keys(const Sweep& sweep) {
  return sweep.keep.answer ||
         std::any_of(sweep.targets.begin(), sweep.targets.end(), [](const Target& each) {
           return each.kind == TargetKind::kKey && names_file(each.key);
         });
}

// A file beside the sweep, which an option may name as a scenario does.
bool CaseMaker::names_own_file(const std::string& word) const {
  return !word.empty() && word != "." && files_.has(beside(folder_, word));
}

const WrittenText* CaseMaker::verb_of_case(const std::vector<std::size_t>& points) const {
  const Sweep& sweep = file_.sweep;
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const Block& block = sweep.blocks[b];
    for (std::size_t t = 0; t < block.targets.size(); ++t)
      if (sweep.targets[block.targets[t]].kind == TargetKind::kVerb)
        return &block.points[points[b]].values[t];
  }
  return nullptr;
}

CaseMaker::Asked CaseMaker::asked_of(const std::vector<std::size_t>& points) const {
  const Sweep& sweep = file_.sweep;
  Asked asked;
  if (sweep.verb) asked.verb = sweep.verb->value;
  asked.scenario = scenarios_.path_of(points);
  if (const WrittenText* verb = verb_of_case(points)) asked.verb = verb->text;
  for (const OptionGroup& group : sweep.options)
    if (group.verb.empty() || group.verb == asked.verb)
      asked.options.insert(asked.options.end(), group.options.begin(), group.options.end());
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const Block& block = sweep.blocks[b];
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
      const Target& target = sweep.targets[block.targets[t]];
      const WrittenText& value = block.points[points[b]].values[t];
      if (target.kind == TargetKind::kOption && value.is_said()) {
        std::erase_if(asked.options,
                      [&](const Option& option) { return option.name == target.key; });
        asked.options.push_back({target.key, {value.text}, value.position});
      }
    }
    if (reads_keys_) {
      const auto set = scenarios_.assignments(block, points[b]);
      asked.set.insert(asked.set.end(), set.begin(), set.end());
    }
  }
  for (Option& option : asked.options)
    for (std::string& word : option.words)
      if (names_own_file(word)) word = beside(folder_, word);
  return asked;
}

void CaseMaker::add_from_scenario(Asked& asked, const std::vector<std::size_t>& points,
                                  const std::vector<config::Edit>& edits) const {
  const BaseScenario* base = scenarios_.of(points);
  if (asked.verb != "fit" || base == nullptr) return;
  const auto before = scenarios_.before_edits(*base, points);
  if (!before) return;
  const auto slash = base->path.rfind('/');
  const std::string folder =
      slash == std::string::npos ? std::string() : base->path.substr(0, slash + 1);
  for (Option& option : fit_options(before->with(edits), folder)) {
    const bool is_given =
        std::any_of(asked.options.begin(), asked.options.end(),
                    [&](const Option& given) { return given.name == option.name; });
    if (!is_given) asked.options.push_back(std::move(option));
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

TypedValue CaseMaker::value_at(const std::vector<std::size_t>& points, std::size_t block,
                               std::size_t t) const {
  const Block& of = file_.sweep.blocks[block];
  if (!of.points[points[block]].values[t].is_base) return typed_[block][points[block]][t];
  const Target& target = file_.sweep.targets[of.targets[t]];
  if (target.kind == TargetKind::kSeed) return {{}, static_cast<std::int64_t>(Settings().seed)};
  const BaseScenario* base = target.kind == TargetKind::kKey ? scenarios_.of(points) : nullptr;
  if (base == nullptr) return {};
  config::AnyValue value;
  if (base->reads_alone) {
    value = base->read.value(target.key);
  } else if (const auto read = scenarios_.before_edits(*base, points)) {
    value = read->value(target.key);
  }
  CellValue cell = cell_of(value);
  return {std::move(value), std::move(cell)};
}

// One key may contradict another, or the scenario that the case has.
bool CaseMaker::agrees(const std::vector<std::size_t>& points, Diagnostics& errors) const {
  const BaseScenario* base = scenarios_.of(points);
  if (base == nullptr || (!unread_.pairs && !unread_.scenarios)) return true;
  const auto all = scenarios_.assignments(points);
  if (all.size() < (unread_.scenarios ? 1U : 2U)) return true;
  return scenarios_.with(*base, all, errors).has_value();
}

MadeCase CaseMaker::make(std::int64_t number) const {
  const Sweep& sweep = file_.sweep;
  const auto points = points_of(sweep, number);
  MadeCase made{.number = number, .axes = std::vector<CellValue>(sweep.targets.size())};
  std::vector<config::Edit> edits;
  std::vector<std::string> told;
  std::optional<std::uint64_t> seed;
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const Block& block = sweep.blocks[b];
    for (std::size_t t = 0; t < block.targets.size(); ++t) {
      const Target& target = sweep.targets[block.targets[t]];
      const WrittenText& value = block.points[points[b]].values[t];
      TypedValue typed = value_at(points, b, t);
      made.axes[block.targets[t]] = std::move(typed.cell);
      if (value.is_base) continue;
      if (target.kind == TargetKind::kKey) edits.push_back({target.key, std::move(typed.value)});
      if (target.kind == TargetKind::kSeed) {
        const auto whole = config::parse_integer(value.text);
        if (whole) seed = static_cast<std::uint64_t>(*whole);
      }
      told.push_back(json_pair((target.kind == TargetKind::kOption ? "--" : "") + target.key,
                               value.is_blank ? "" : value.text));
    }
  }
  made.edits = fmt::format("{{{}}}", fmt::join(told, ", "));
  if (!agrees(points, made.errors)) return made;
  // What a case takes out goes first: another key may say the same thing in another unit.
  std::stable_partition(edits.begin(), edits.end(),
                        [](const config::Edit& edit) { return edit.value == config::AnyValue(); });
  Asked asked = asked_of(points);
  add_from_scenario(asked, points, edits);
  const auto base = base_question(asked, made.errors);
  if (base == nullptr) return made;
  if (reads_keys_) edits.clear();  // They were read with the scenario.
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

std::vector<std::vector<std::size_t>> CaseMaker::kinds_of_cases() const {
  const Sweep& sweep = file_.sweep;
  constexpr std::size_t kMaxKinds = 4096;
  std::vector<std::vector<std::size_t>> kinds{std::vector<std::size_t>(sweep.blocks.size(), 0)};
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b) {
    const auto& targets = sweep.blocks[b].targets;
    const bool names_kind = std::any_of(targets.begin(), targets.end(), [&](std::size_t target) {
      const TargetKind kind = sweep.targets[target].kind;
      return kind == TargetKind::kScenario || kind == TargetKind::kVerb;
    });
    const std::size_t count = names_kind ? kinds.size() : 0;
    std::set<std::pair<std::string, std::string>> seen;
    for (std::size_t p = 0; p < sweep.blocks[b].points.size() && kinds.size() < kMaxKinds; ++p) {
      std::vector<std::size_t> at = kinds.front();
      at[b] = p;
      const Asked asked = asked_of(at);
      const bool is_new = seen.emplace(asked.verb, asked.scenario).second;
      for (std::size_t i = 0; i < count && is_new && p > 0; ++i) {
        kinds.push_back(kinds[i]);
        kinds.back()[b] = p;
      }
    }
  }
  return kinds;
}

void CaseMaker::open_named_files() const {
  const Sweep& sweep = file_.sweep;
  const auto starts = kinds_of_cases();
  // What is wrong with a case is told by its row.
  for (const auto& points : starts) static_cast<void>(make(number_of(sweep, points)));
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b)
    for (std::size_t t = 0; t < sweep.blocks[b].targets.size(); ++t)
      for (std::size_t p = 0; p < sweep.blocks[b].points.size(); ++p) {
        const Target& target = sweep.targets[sweep.blocks[b].targets[t]];
        const WrittenText& value = sweep.blocks[b].points[p].values[t];
        const bool is_file = target.kind == TargetKind::kKey
                                 ? names_file(target.key)
                                 : target.kind == TargetKind::kOption && names_own_file(value.text);
        if (!is_file || !value.is_said()) continue;
        const auto is_opened = [&](const std::vector<std::size_t>& points) {
          const MadeCase made = make(number_of(sweep, points));
          const auto& errors = made.errors.errors();
          return made.question || std::any_of(errors.begin(), errors.end(), [](const Error& error) {
                   return error.code == lf::kCannotRead;
                 });
        };
        bool is_known = false;
        for (std::vector<std::size_t> points : starts) {
          points[b] = p;
          is_known = is_opened(points) || is_known;
        }
        // It may be legal only together with values that others do not begin with.
        if (!is_known) visit_cases_with(sweep, b, p, kMostLooked, is_opened);
      }
}

std::vector<MadeCase> CaseMaker::one_of_each_verb() const {
  const Sweep& sweep = file_.sweep;
  std::size_t left = 10 * kMostLooked;
  std::map<std::string, MadeCase> found;
  const auto look = [&](std::size_t block, std::size_t point) {
    visit_cases_with(sweep, block, point, kMostLooked, [&](const std::vector<std::size_t>& points) {
      const std::string verb = asked_of(points).verb;
      const auto known = found.find(verb);
      if (left == 0 || (known != found.end() && known->second.question)) return true;
      --left;
      MadeCase made = make(number_of(sweep, points));
      const bool is_made = made.question.has_value();
      if (is_made || known == found.end()) found.insert_or_assign(verb, std::move(made));
      return is_made;
    });
  };
  std::size_t block = 0;  // The one that has the verb.
  for (std::size_t b = 0; b < sweep.blocks.size(); ++b)
    for (const std::size_t target : sweep.blocks[b].targets)
      if (sweep.targets[target].kind == TargetKind::kVerb) block = b;
  for (std::size_t p = 0; p < sweep.blocks[block].points.size() && left > 0; ++p) look(block, p);
  std::vector<MadeCase> out;
  for (auto& each : found) out.push_back(std::move(each.second));
  std::sort(out.begin(), out.end(),
            [](const MadeCase& a, const MadeCase& b) { return a.number < b.number; });
  return out;
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
