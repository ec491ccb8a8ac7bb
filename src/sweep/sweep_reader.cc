#include "sweep/sweep_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/number_text.h"
#include "sweep/filter.h"
#include "sweep/parts_reader.h"

namespace loadfactor::sweep {
namespace {

using config::MapReader;
using config::Node;
using config::NodeKind;

void check_verb(const Desk& desk, const WrittenText& verb) {
  const auto& verbs = sweep_verbs();
  if (std::find(verbs.begin(), verbs.end(), verb.text) != verbs.end()) return;
  const auto nearest = config::suggest(verb.text, verbs);
  desk.diagnostics.add(desk.file.error(
      lf::kUnknownWord, verb, fmt::format("'{}' is no verb that can be swept", verb.text),
      nearest ? fmt::format("did you mean '{}'?", *nearest)
              : fmt::format("one of: {}", fmt::join(verbs, ", "))));
}

void check_seed(const Desk& desk, const WrittenText& value) {
  const auto seed = config::parse_integer(value.text);
  if (!value.is_blank && seed && *seed >= 0 && *seed <= kMostSeed) return;
  desk.diagnostics.add(desk.file.error(
      lf::kOutOfRange, value, fmt::format("'{}' is no seed", value.is_blank ? "null" : value.text),
      fmt::format("a whole number from 0 to {}", kMostSeed)));
}

// One word for all cases, or a list that is an axis.
config::Given<std::string> read_word_or_axis(const Desk& desk, MapReader& map, const char* key) {
  const Node* node = map.node(key);
  if (node == nullptr || node->kind == NodeKind::kNull) return std::nullopt;
  if (node->kind != NodeKind::kList) {
    const auto word = map.text_of(*node, key);
    return word ? config::Given<std::string>({*word, node->position}) : std::nullopt;
  }
  const auto target = add_target(desk, key, node->position, "");
  if (!target) return std::nullopt;
  Block block{.targets = {*target}};
  for (const Node& item : node->items)
    if (const auto word = map.text_of(item, key))
      add_value(desk, block, {.text = *word, .position = item.position});
  if (block.points.empty())
    desk.refuse(lf::kEmptyFile, node->position, fmt::format("'{}' is an empty list", key),
                "name at least one");
  else
    desk.sweep().blocks.push_back(std::move(block));
  return std::nullopt;
}

Option read_option(const Desk& desk, const config::Member& member) {
  Option option{.name = member.key, .words = {}, .position = member.key_position};
  if (option.name.starts_with("--")) option.name = option.name.substr(2);
  const Node& value = member.value;
  if (value.kind == NodeKind::kList) {
    for (const Node& item : value.items) option.words.push_back(item.scalar);
  } else if (value.kind == NodeKind::kScalar) {
    option.words.push_back(value.scalar);
  } else {
    desk.refuse(lf::kWrongType, value.position,
                fmt::format("the option '{}' is a word or a list of words", member.key),
                "options of one verb stand below its name: plan: {draws: 64}");
  }
  return option;
}

// Options of all verbs, and below the name of a verb those of one.
void read_options(const Desk& desk, MapReader& map) {
  auto options = map.map("options", false);
  const Node* node = map.node("options");
  if (!options || node == nullptr) return;
  OptionGroup all;
  for (const auto& member : node->members) {
    const auto& verbs = sweep_verbs();
    const bool is_verb = std::find(verbs.begin(), verbs.end(), member.key) != verbs.end();
    if (!is_verb || member.value.kind != NodeKind::kMap) {
      all.options.push_back(read_option(desk, member));
      continue;
    }
    OptionGroup group{.verb = member.key, .options = {}};
    for (const auto& inner : member.value.members)
      group.options.push_back(read_option(desk, inner));
    desk.sweep().options.push_back(std::move(group));
  }
  desk.sweep().options.insert(desk.sweep().options.begin(), std::move(all));
}

void read_filters(const Desk& desk, MapReader& map) {
  for (const Node* node : map.items("filters")) {
    const auto text = map.text_of(*node, "filters");
    if (!text) continue;
    std::vector<std::string> columns;
    for (const Target& target : desk.sweep().targets) columns.push_back(target.column);
    const auto filter = Filter::parse(*text, columns);
    if (!filter) {
      const Error& error = filter.error();
      config::Position at = node->position;
      // Into the text, unless quotes or folds moved it.
      if (node->style == config::ScalarStyle::kPlain) at.column += error.where.column - 1;
      if (node->style == config::ScalarStyle::kQuoted) at.column += error.where.column;
      at.length = error.where.length;
      desk.refuse(error.code, at, error.message, error.hint);
      continue;
    }
    desk.sweep().filters.push_back({*text, node->position});
  }
}

void check_words(const Desk& desk) {
  const Sweep& sweep = desk.sweep();
  if (sweep.verb) check_verb(desk, {.text = sweep.verb->value, .position = sweep.verb->position});
  for (const Block& block : sweep.blocks) {
    for (std::size_t i = 0; i < block.targets.size(); ++i) {
      const TargetKind kind = sweep.targets[block.targets[i]].kind;
      for (const Point& point : block.points) {
        const WrittenText& value = point.values[i];
        if (kind == TargetKind::kVerb) check_verb(desk, value);
        if (kind != TargetKind::kSeed) continue;
        if (!value.is_base) check_seed(desk, value);
      }
    }
  }
}

bool varies(const Sweep& sweep, TargetKind kind) {
  return std::any_of(sweep.targets.begin(), sweep.targets.end(),
                     [&](const Target& target) { return target.kind == kind; });
}

void check_whole(const Desk& desk, const MapReader& map) {
  const Sweep& sweep = desk.sweep();
  if (!sweep.verb && !varies(sweep, TargetKind::kVerb))
    desk.refuse(lf::kMissingKey, map.position(), "a sweep without a verb",
                fmt::format("verb: one of {}", fmt::join(sweep_verbs(), ", ")));
  if (sweep.verb && varies(sweep, TargetKind::kVerb))
    desk.refuse(lf::kContradictoryKeys, sweep.verb->position, "the verb is given and varies",
                "leave out one of both");
  if (sweep.scenario && varies(sweep, TargetKind::kScenario))
    desk.refuse(lf::kContradictoryKeys, sweep.scenario->position,
                "the scenario is given and varies", "leave out one of both");
  if (sweep.blocks.empty() && desk.diagnostics.empty())
    desk.refuse(lf::kMissingKey, map.position(), "nothing varies in this sweep",
                "add axes, samples or cases");
  if (sweep.cases() > kMostCases)
    desk.refuse(lf::kTooLarge, map.position(), fmt::format("more than {} cases", kMostCases),
                "take shorter axes, or sample them: `samples: {method: sobol, count: 4096}`");
}

void read_all(const Desk& desk) {
  MapReader map(desk.document(), desk.document().root, "sweep", desk.diagnostics);
  if (desk.document().root.kind != NodeKind::kMap) return;
  if (desk.needs(map, "sweep", "1") && map.integer("sweep") != kSweepVersion)
    map.report("sweep", lf::kWrongSchema, "a sweep of a version that this program does not read",
               "write sweep: 1");
  Sweep& sweep = desk.sweep();
  if (desk.needs(map, "name", "api-or-own"))
    sweep.name = {map.text("name"), map.position_of("name")};
  map.allow("date");
  if (map.has("date")) sweep.date = map.date("date");
  sweep.verb = read_word_or_axis(desk, map, "verb");
  sweep.scenario = read_word_or_axis(desk, map, "scenario");
  read_options(desk, map);
  read_axes(desk, map);
  read_case_table(desk, map);
  read_samples(desk, map);
  read_filters(desk, map);
  read_keep(desk, map);
  read_report(desk, map);
  map.finish();
  check_words(desk);
  check_whole(desk, map);
}

}  // namespace

const std::vector<std::string>& sweep_verbs() {
  static const std::vector<std::string> kVerbs{"plan", "fit", "train", "serve", "fill", "cost"};
  return kVerbs;
}

std::int64_t Sweep::cases() const {
  std::int64_t count = 1;
  for (const Block& block : blocks) {
    const auto points = static_cast<std::int64_t>(block.points.size());
    if (count > kMostCases / points) return kMostCases + 1;
    count *= points;
  }
  return count;
}

std::vector<std::size_t> points_of(const Sweep& sweep, std::int64_t number) {
  std::vector<std::size_t> points(sweep.blocks.size());
  for (std::size_t i = points.size(); i-- > 0;) {
    const auto size = static_cast<std::int64_t>(sweep.blocks[i].points.size());
    points[i] = static_cast<std::size_t>(number % size);
    number /= size;
  }
  return points;
}

std::int64_t number_of(const Sweep& sweep, const std::vector<std::size_t>& points) {
  std::int64_t number = 0;
  for (std::size_t b = 0; b < points.size(); ++b)
    number = number * static_cast<std::int64_t>(sweep.blocks[b].points.size()) +
             static_cast<std::int64_t>(points[b]);
  return number;
}

Error SweepFile::error(int code, const WrittenText& at, std::string message,
                       std::string hint) const {
  const config::Document& source = at.document == nullptr ? *document : *at.document;
  return source.error(code, at.position, std::move(message), std::move(hint));
}

std::optional<SweepFile> read_sweep(const std::string& file, const std::string& text,
                                    const OpenBeside& open, Diagnostics& diagnostics) {
  auto document =
      file.ends_with(".json") ? config::parse_json(file, text) : config::parse_yaml(file, text);
  if (!document) {
    Error error = document.error();
    if (error.hint.empty()) error.hint = "a sweep begins with sweep: 1, name, scenario and verb";
    diagnostics.add(std::move(error));
    return std::nullopt;
  }
  SweepFile read;
  read.document = std::make_shared<const config::Document>(*std::move(document));
  Diagnostics found;
  read_all({read, found, open});
  diagnostics.add_all(found);
  if (!found.empty()) return std::nullopt;
  return read;
}

}  // namespace loadfactor::sweep
