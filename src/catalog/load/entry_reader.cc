#include "catalog/load/entry_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error_codes.h"
#include "base/quoted.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Word;

constexpr std::array kSourceKinds{
    Word<SourceKind>{"measured", SourceKind::kMeasured},
    Word<SourceKind>{"datasheet", SourceKind::kDatasheet},
    Word<SourceKind>{"published", SourceKind::kPublished},
    Word<SourceKind>{"assumed", SourceKind::kAssumed},
};

// An entry is a page or two; a megabyte of it is a mistake.
constexpr config::Limits kEntryLimits{
    .bytes = std::size_t{1} << 20U, .depth = 16, .nodes = 20'000, .scalar_bytes = 4096};

bool is_catalogue_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace

std::optional<config::Document> open_entry(const DataFile& file, Diagnostics& diagnostics) {
  auto document = config::parse_yaml(file.shown_as, file.text, kEntryLimits);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  if (document->root.kind != config::NodeKind::kMap) {
    diagnostics.add(document->error(lf::kWrongType, document->root.position,
                                    "an entry of the catalogue is a map of keys and values",
                                    "begin with 'schema: …' and 'name: …'"));
    return std::nullopt;
  }
  return *std::move(document);
}

EntryHead read_head(MapReader& reader, std::string_view schema, const DataFile& file) {
  const std::string written = reader.text("schema");
  if (!written.empty() && written != schema) {
    reader.report("schema", lf::kWrongSchema,
                  "this folder holds '" + std::string(schema) + "', not " + in_quotes(written),
                  "write 'schema: " + std::string(schema) + "'");
  }
  EntryHead head{.name = reader.text("name"), .title = reader.text("title")};
  const std::string_view expected = stem(file.path);
  if (!head.name.empty() && head.name != expected) {
    reader.report("name", lf::kNameMismatch,
                  "the name " + in_quotes(head.name) + " differs from the file's, '" +
                      std::string(expected) + "'",
                  "the file's name without .yaml and the entry's must be one");
  } else if (!head.name.empty() && !is_catalogue_name(head.name)) {
    reader.report("name", lf::kNameMismatch, in_quotes(head.name) + " is not a catalogue name",
                  "use lower-case letters, digits, '-' and '.'");
  }
  return head;
}

Provenance read_provenance(MapReader& block) {
  Provenance provenance;
  provenance.kind = block.word<SourceKind>("kind", kSourceKinds, SourceKind::kAssumed);
  provenance.sources = block.texts("source");
  if (!block.has("source")) {
    block.report("source", lf::kMissingKey, block.what() + " needs 'source'",
                 "write the id of a row in SOURCES.md");
  } else if (provenance.sources.empty()) {
    block.report("source", lf::kWrongType, "'source' names no source",
                 "write the id of a row in SOURCES.md");
  }
  provenance.date = block.date("date");
  provenance.file = block.document().file;
  provenance.line = block.position().line;
  return provenance;
}

std::optional<Topology> read_topology(MapReader& block) {
  std::array<Word<Topology>, kTopologies.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = {kTopologies[i].text, kTopologies[i].value};
  if (!block.has("topology")) block.text("topology");  // Reports its absence.
  return block.maybe_word<Topology>("topology", words);
}

Provenance combine(std::initializer_list<const Provenance*> parts, std::string file) {
  Provenance whole{.kind = SourceKind::kMeasured, .file = std::move(file), .line = 1};
  for (const Provenance* part : parts) {
    if (part == nullptr) continue;
    whole.kind = std::max(whole.kind, part->kind);
    whole.date = std::max(whole.date, part->date);
    for (const auto& source : part->sources) {
      if (std::find(whole.sources.begin(), whole.sources.end(), source) == whole.sources.end()) {
        whole.sources.push_back(source);
      }
    }
  }
  return whole;
}

std::string_view text_of(SourceKind kind) {
  for (const auto& row : kSourceKinds) {
    if (row.value == kind) return row.text;
  }
  return "assumed";
}

std::optional<SourceKind> find_source_kind(std::string_view word) {
  for (const auto& row : kSourceKinds) {
    if (row.text == word) return row.value;
  }
  return std::nullopt;
}

std::optional<double> read_measure(MapReader& block, std::string_view key, std::string_view unit,
                                   config::Range range) {
  const std::string text = block.text(key);
  if (text.empty()) return std::nullopt;
  const std::string example = "write '100 " + std::string(unit) + "'";
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || !std::isfinite(value)) {
    block.report(key, lf::kNotANumber, in_quotes(text) + " is not a number with a unit", example);
    return std::nullopt;
  }
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (rest != unit) {
    block.report(key, rest.empty() ? lf::kMissingUnit : lf::kWrongUnit,
                 "'" + std::string(key) + "' is written in " + std::string(unit), example);
    return std::nullopt;
  }
  if (value < range.low || value > range.high) {
    block.report(key, lf::kOutOfRange, in_quotes(text) + " is outside what is plausible",
                 "check the figure and its unit");
    return std::nullopt;
  }
  return value;
}

}  // namespace loadfactor::catalog
