#include "launch/vocabulary/reading_tables.h"

#include <algorithm>
#include <cctype>

#include "launch/vocabulary/table.h"

namespace loadfactor::launch {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : lower(name)) {
    if (c == '-' || c == '_' || c == '.' || c == '/') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

Images::Images() : rows_(read_table("images.csv")) {}

std::string Images::program(std::string_view image) const {
  image = image.substr(0, image.find('@'));
  const auto slash = image.rfind('/');
  if (const auto colon = image.rfind(':');
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash))
    image = image.substr(0, colon);
  for (const auto& row : rows_)
    if (image == row[0] || image.ends_with("/" + row[0])) return row[1];
  return {};
}

OldNames::OldNames(std::string_view program) : rows_(read_table("old_names.csv")) {
  std::erase_if(rows_, [&](const auto& row) { return row[0] != program; });
}

std::string_view OldNames::current(std::string_view written) const {
  for (const auto& row : rows_)
    if (row[1] == written) return row[2];
  return written;
}

std::vector<std::string> variables_of(std::string_view program) {
  std::vector<std::string> names;
  for (auto& row : read_table("environment.csv"))
    if (row[0] == program) names.push_back(std::move(row[1]));
  return names;
}

Harmless::Harmless(std::string_view program) {
  for (const auto& row : read_table("harmless.csv"))
    if (row[0] == program) rows_.push_back({row[1], row[2]});
}

bool Harmless::has(std::string_view name, std::string_view value) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    const std::string_view known = row.name;
    const bool is_it =
        known.ends_with('*') ? name.starts_with(known.substr(0, known.size() - 1)) : name == known;
    return is_it && (row.value.empty() || row.value == value);
  });
}

std::optional<std::string> precision_of_quantization(std::string_view program,
                                                     std::string_view word) {
  for (const auto& row : read_table("quantizations.csv"))
    if (row[0] == program && row[1] == word) return row[2];
  return std::nullopt;
}

std::string precision_in_name(std::string_view name) {
  const auto words = name_words(name);
  for (const auto& row : read_table("checkpoint_formats.csv"))
    if (std::find(words.begin(), words.end(), row[0]) != words.end()) return row[1];
  return {};
}

std::vector<TrainerFlag> read_trainer_flags() {
  std::vector<TrainerFlag> flags;
  for (auto& row : read_table("trainer.csv")) {
    const FlagKind kind = row[1] == "switch"    ? FlagKind::kSwitch
                          : row[1] == "integer" ? FlagKind::kInteger
                          : row[1] == "list"    ? FlagKind::kList
                                                : FlagKind::kText;
    flags.push_back(
        {{row[0], {}, kind, {}, {}}, std::move(row[2]), std::move(row[3]), std::move(row[4])});
  }
  return flags;
}

std::optional<KnownOptimizer> optimizer_named(std::string_view name) {
  for (auto& row : read_table("optimizers.csv"))
    if (row[0] == name) return KnownOptimizer{std::move(row[1]), std::move(row[2])};
  return std::nullopt;
}

std::vector<TitanKey> read_titan_keys() {
  std::vector<TitanKey> keys;
  for (auto& row : read_table("torchtitan_keys.csv"))
    keys.push_back(
        {std::move(row[0]), std::move(row[1]), std::move(row[2]), split_cell(row[3], '|')});
  return keys;
}

bool counts_running(std::string_view query) {
  constexpr std::string_view kOwn = "loadfactor_requests";  // The name that `emit` gives it.
  std::string plain(query);
  if (plain.find(kOwn) != std::string::npos) return true;
  std::replace(plain.begin(), plain.end(), ':', '_');
  for (auto& row : read_table("observe.csv")) {
    if (row[2] != "running") continue;
    std::string metric = row[1];
    std::replace(metric.begin(), metric.end(), ':', '_');
    if (plain.find(metric) != std::string::npos) return true;
  }
  return false;
}

}  // namespace loadfactor::launch
