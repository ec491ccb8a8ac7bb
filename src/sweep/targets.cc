// What an axis may change.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "loadfactor/scenario.h"
#include "sweep/parts_reader.h"

namespace loadfactor::sweep {
namespace {

// Columns that every table of results has.
constexpr std::array<std::string_view, 8> kReserved{"case_number", "status", "code",  "error",
                                                    "edits",       "answer", "rowid", "checksum"};

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

// With `#` for the numbers of items, as scenario_keys() has them.
std::string with_marks(const std::string& path) {
  std::string out;
  std::size_t from = 0;
  while (from <= path.size()) {
    const std::size_t end = std::min(path.find('.', from), path.size());
    const std::string part = path.substr(from, end - from);
    out += (out.empty() ? "" : ".") + (is_digits(part) ? "#" : part);
    from = end + 1;
  }
  return out;
}

const std::vector<config::ScenarioKey>& all_keys() {
  static const auto kKeys = config::scenario_keys();
  return kKeys;
}

std::optional<std::string> wrong_key(const std::string& path) {
  const std::string wanted = with_marks(path);
  std::vector<std::string> names;
  for (const auto& key : all_keys()) {
    if (key.path == wanted && !key.is_section) return std::nullopt;
    if (key.path == wanted) {
      const char* hint = "it is a section: name one of its keys";
      return hint;
    }
    names.push_back(key.path);
  }
  const auto nearest = config::suggest(wanted, names);
  if (nearest) {
    std::string hint = fmt::format("did you mean '{}'?", *nearest);
    return hint;
  }
  // A key whose first part is missing: `tokens_in` for `serve.demand.tokens_in`.
  for (const auto& key : all_keys())
    if (key.path.ends_with("." + wanted)) {
      std::string hint = fmt::format("did you mean '{}'?", key.path);
      return hint;
    }
  const char* hint =
      "a path of the scenario such as serve.demand.tokens_in, an option such as --gpu, or seed";
  return hint;
}

std::string plain_column(const std::string& key, bool is_whole) {
  std::string name = is_whole ? key : key.substr(key.rfind('.') + 1);
  for (char& c : name)
    if (c == '.' || c == '-') c = '_';
  return name;
}

TargetKind kind_of(const std::string& word) {
  if (word.starts_with("--")) return TargetKind::kOption;
  if (word == "seed") return TargetKind::kSeed;
  if (word == "verb") return TargetKind::kVerb;
  if (word == "scenario") return TargetKind::kScenario;
  return TargetKind::kKey;
}

}  // namespace

bool is_reserved_column(std::string_view name) {
  return std::any_of(kReserved.begin(), kReserved.end(),
                     [&](std::string_view word) { return is_same_column(word, name); });
}

bool is_column_name(std::string_view name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const bool is_plain = !name.empty() && name.size() <= 60 &&
                        std::all_of(name.begin(), name.end(), is_word) &&
                        std::isdigit(static_cast<unsigned char>(name.front())) == 0;
  return is_plain && !is_reserved_column(name);
}

bool is_column_taken(const Sweep& sweep, std::string_view name) {
  const auto is_called = [&](const auto& column) { return is_same_column(column.column, name); };
  return std::any_of(sweep.targets.begin(), sweep.targets.end(), is_called) ||
         std::any_of(sweep.keep.figures.begin(), sweep.keep.figures.end(), is_called);
}

bool is_same_column(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return small(x) == small(y); });
}

std::optional<std::size_t> add_target(const Desk& desk, const std::string& word,
                                      config::Position at, const std::string& column,
                                      const config::Document* document) {
  const config::Document& source = document == nullptr ? desk.document() : *document;
  const auto refuse = [&](int code, std::string message, std::string hint = {}) {
    desk.diagnostics.add(source.error(code, at, std::move(message), std::move(hint)));
    return std::nullopt;
  };
  Target target{.kind = kind_of(word), .key = word, .column = column, .position = at};
  if (target.kind == TargetKind::kOption) target.key = word.substr(2);
  if (target.kind == TargetKind::kKey) {
    if (const auto hint = wrong_key(word))
      return refuse(lf::kUnknownKey, fmt::format("a scenario has no key '{}'", word), *hint);
  }
  for (const Target& other : desk.sweep().targets)
    if (other.kind == target.kind && other.key == target.key)
      return refuse(lf::kContradictoryKeys, fmt::format("'{}' varies twice", word),
                    "keep one of the two axes");
  if (target.column.empty()) target.column = plain_column(target.key, false);
  if (column.empty() &&
      (is_column_taken(desk.sweep(), target.column) || !is_column_name(target.column)))
    target.column =
        (target.kind == TargetKind::kOption ? "option_" : "") + plain_column(target.key, true);
  if (!is_column_name(target.column))
    return refuse(lf::kUnknownWord,
                  fmt::format("'{}' cannot be the name of a column", target.column),
                  "letters, digits and _, not a digit first; `name: traffic` gives another");
  if (is_column_taken(desk.sweep(), target.column))
    return refuse(lf::kDuplicateName, fmt::format("two axes are called '{}'", target.column),
                  "`name: traffic` gives one another name");
  desk.sweep().targets.push_back(std::move(target));
  return desk.sweep().targets.size() - 1;
}

}  // namespace loadfactor::sweep
