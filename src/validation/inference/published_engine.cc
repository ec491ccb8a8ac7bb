#include "validation/inference/published_engine.h"

#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "base/error_codes.h"
#include "serving/generation.h"

namespace loadfactor::validation {
namespace {

using catalog::PublishedName;

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Letters of all words; nothing where one of them does not occur.
std::optional<std::size_t> letters_found(const std::vector<std::string>& words,
                                         std::string_view text) {
  std::size_t letters = 0;
  for (const auto& word : words) {
    if (text.find(word) == std::string_view::npos) return std::nullopt;
    letters += word.size();
  }
  return letters;
}

using Match = std::array<std::size_t, 3>;  // Letters in engine, version and notes.

std::optional<Match> match(const PublishedName& name, std::string_view engine,
                           const InferenceRow& row) {
  const auto in_engine = letters_found(name.engine, engine);
  const auto in_version = letters_found(name.version, row.engine_version);
  const auto in_notes = letters_found(name.notes, row.notes + " " + row.harness);
  if (!in_engine || !in_version || !in_notes) return std::nullopt;
  return Match{*in_engine, *in_version, *in_notes};
}

}  // namespace

Result<PublishedEngine> find_published(const catalog::Catalog& catalog, const InferenceRow& row) {
  const std::string engine = lower(row.engine);
  const PublishedName* best = nullptr;
  PublishedEngine found;
  Match most{};
  const auto take = [&](const catalog::EngineSpec& spec, const PublishedName* name,
                        const Match& letters) {
    if (found.engine != nullptr && letters <= most) return;
    best = name;
    most = letters;
    found.engine = &spec;
  };
  for (const auto& spec : catalog.engines()) {
    for (const auto& name : spec.published) {
      if (const auto letters = match(name, engine, row)) take(spec, &name, *letters);
    }
    if (spec.published.empty() && spec.name == engine) take(spec, nullptr, {engine.size(), 0, 0});
  }
  if (found.engine == nullptr)
    return Error{.code = lf::kUnknownEngine,
                 .message = "no engine is published as '" + row.engine + "'",
                 .hint = "add a row to `published` of a file in engines/"};
  found.is_known = most[0] > 0;
  if (best != nullptr) found.narrow_cache = best->narrow_cache;
  if (!row.generation.empty()) {
    TRY(found.traits, serving::named_generation(catalog, *found.engine, row.generation));
    return found;
  }
  const int year = static_cast<int>(row.year.value_or(0));
  TRY(found.traits,
      best == nullptr || best->generation.empty()
          ? serving::generation_of_release(catalog, *found.engine, row.engine_version, year)
          : serving::named_generation(catalog, *found.engine, best->generation));
  return found;
}

}  // namespace loadfactor::validation
