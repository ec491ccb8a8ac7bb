#include "report/catalog_entry.h"

#include <utility>

#include <fmt/format.h>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/tree.h"

namespace loadfactor::report {
namespace {

using catalog::StatedFact;

std::optional<std::string> unit_of_number(const StatedFact& fact) {
  return fact.number ? std::optional(fact.unit) : std::nullopt;
}

// What was asked for.
struct AskedEntry {
  std::string name;
};
struct AskedCheck {
  std::string today;
};
struct AskedNothing {};

struct KnownNoun {
  std::string noun;
  std::int64_t known = 0;
};
std::vector<KnownNoun> known_nouns(const SoundCatalog& answer) {
  std::vector<KnownNoun> rows;
  for (const auto& [noun, known] : answer.known) rows.push_back({noun, known});
  return rows;
}
// Errors take the place of this answer where a rule is broken.
bool is_sound(const SoundCatalog&) {
  return true;
}

}  // namespace

template <>
constexpr auto kFields<StatedFact> = fields<StatedFact>(
    field<&StatedFact::key>("key", "Where in the entry: blocks by dots, items of a list by [n]"),
    field<&StatedFact::value>("value", "As the file writes it, with its unit"),
    field<&StatedFact::number>("number", "The same as a number in `unit`; null: it is none"),
    field<unit_of_number>("unit", "Unit of `number`; empty: a plain one; null: no number"),
    field<&StatedFact::kind>("kind", "measured, datasheet, published or assumed; empty: not said"),
    field<&StatedFact::source>("source", "Ids of SOURCES.md; empty: not said"),
    field<&StatedFact::date>("date", "When the source said so; empty: not said"),
    field<&StatedFact::line>("line", "Line of the file"));

template <>
constexpr auto kFields<EntryAnswer> = fields<EntryAnswer>(
    field<&EntryAnswer::name>("name", "Catalogue name"),
    field<&EntryAnswer::noun>("noun", "The list that it stands in, as in `catalog NOUN`"),
    field<&EntryAnswer::file>("file", "The file that states it"),
    field<&EntryAnswer::facts>("facts", "All that it states, in the order of the file"));

template <>
constexpr auto kFields<KnownNoun> =
    fields<KnownNoun>(field<&KnownNoun::noun>("noun", "Which list, as in `catalog NOUN`"),
                      field<&KnownNoun::known>("known", "Entries that were checked"));

template <>
constexpr auto kFields<SoundCatalog> = fields<SoundCatalog>(
    field<is_sound>("sound", "True: no rule is broken. Otherwise the errors are printed"),
    field<known_nouns>("lists", "What was checked"));

template <>
constexpr auto kFields<AskedEntry> =
    fields<AskedEntry>(field<&AskedEntry::name>("name", "The name as it was asked for"));
template <>
constexpr auto kFields<AskedCheck> = fields<AskedCheck>(
    field<&AskedCheck::today>("today", "No date may lie after it; empty: not checked"));
template <>
constexpr auto kFields<AskedNothing> = std::array<Field<AskedNothing>, 0>();

template <>
constexpr auto kFields<NounMeaning> =
    fields<NounMeaning>(field<&NounMeaning::noun>("noun", "Its name, as in `catalog NOUN`"),
                        field<&NounMeaning::meaning>("meaning", "What it lists"));
template <>
constexpr auto kFields<NounList> = fields<NounList>(field<&NounList::lists>("lists",
                                                                            "Every list there is"));

std::string entry_text(const EntryAnswer& answer) {
  return fmt::format("# {}\n{}", answer.file, answer.text);
}
std::string entry_json(const EntryAnswer& answer) {
  return print_json(
      envelope("catalog", to_value(AskedEntry{answer.asked}), to_value(answer), {}, {}));
}
std::string entry_csv(const EntryAnswer& answer) {
  return csv_list(schema_of(Type<EntryAnswer>()), to_value(answer), "facts");
}
AnswerSchema entry_schema() {
  return {"catalog-entry",
          "catalog",
          "Answer of `loadfactor catalog show NAME`",
          "An entry of the catalogue, fact by fact.",
          schema_of(Type<AskedEntry>()),
          schema_of(Type<EntryAnswer>())};
}

SoundCatalog sound_catalog(const catalog::Catalog& catalog, std::string today) {
  SoundCatalog answer{std::move(today), {}};
  for (const std::string& noun : catalog_nouns())
    answer.known.emplace_back(
        noun, static_cast<std::int64_t>(find_entries(catalog, noun, "").value().known));
  return answer;
}
std::string sound_text(const SoundCatalog&) {
  return "the catalogue is sound\n";
}
std::string sound_json(const SoundCatalog& answer) {
  return print_json(
      envelope("catalog", to_value(AskedCheck{answer.today}), to_value(answer), {}, {}));
}
std::string sound_csv(const SoundCatalog& answer) {
  return csv_list(schema_of(Type<SoundCatalog>()), to_value(answer), "lists");
}
AnswerSchema check_schema() {
  return {"catalog-check",
          "catalog",
          "Answer of `loadfactor catalog check`",
          "A catalogue in which no rule found fault.",
          schema_of(Type<AskedCheck>()),
          schema_of(Type<SoundCatalog>())};
}

std::string nouns_text(const NounList& answer) {
  std::vector<std::string_view> nouns;
  for (const NounMeaning& list : answer.lists) nouns.push_back(list.noun);
  return fmt::format(
      "Lists:   loadfactor catalog NOUN [WORD], of\n         {}\n"
      "One:     loadfactor catalog show NAME\n"
      "Import:  loadfactor catalog import FILE|FOLDER --save DIR\n"
      "Check:   loadfactor catalog check DIR\n",
      fmt::join(nouns, ", "));
}
std::string nouns_json(const NounList& answer) {
  return print_json(envelope("catalog", to_value(AskedNothing()), to_value(answer), {}, {}));
}
std::string nouns_csv(const NounList& answer) {
  return csv_list(schema_of(Type<NounList>()), to_value(answer), "lists");
}
AnswerSchema nouns_schema() {
  return {"catalog-nouns",
          "catalog",
          "Answer of `loadfactor catalog`",
          "What the catalogue can list.",
          schema_of(Type<AskedNothing>()),
          schema_of(Type<NounList>())};
}

}  // namespace loadfactor::report
