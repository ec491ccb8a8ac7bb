// `catalog`: what is known, where it came from, and how to add to it.
#include "catalog/catalog.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "facade/body.h"
#include "facade/imports.h"
#include "facade/texts.h"
#include "facade/verbs.h"
#include "report/catalog_entry.h"
#include "report/catalog_report.h"

namespace loadfactor::facade {
namespace {

using catalog::Catalog;

Result<std::string> render_list(const report::CatalogAnswer& answer, Format format,
                                const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::catalog_text(answer, style.width, style.colour);
    case Format::kJson:
      return report::catalog_json(answer);
    case Format::kCsv:
      return report::catalog_csv(answer);
    case Format::kMarkdown:
      return report::catalog_markdown(answer);
    default:
      return no_such_form(format);
  }
}

// The entry that a name means wherever a scenario may write it; nothing for nouns without names.
std::optional<std::string> resolved_name(const catalog::Catalog& catalog, std::string_view noun,
                                         const std::string& name) {
  const auto name_of = [](const auto& found) {
    return found ? std::optional((*found)->name) : std::nullopt;
  };
  if (noun == "gpus") return name_of(catalog.find_accelerator(name));
  if (noun == "models") return name_of(catalog.find_model(name));
  if (noun == "nodes") return name_of(catalog.find_node(name));
  if (noun == "links") return name_of(catalog.find_fabric(name));
  if (noun == "engines") return name_of(catalog.find_engine(name));
  if (noun == "regions") return name_of(catalog.find_region(name));
  return std::nullopt;
}

std::optional<Answer> list_noun(const Desk& desk, const CatalogQuestion& question) {
  const auto& catalog = desk.engine.catalog();
  auto found = report::find_entries(catalog, question.noun, question.match);
  if (found && found->entries.empty())
    if (const auto name = resolved_name(catalog, question.noun, question.match))
      found = report::find_entries(catalog, question.noun, *name);
  if (found) return make_answer<report::CatalogAnswer>("catalog", *std::move(found), render_list);
  auto words = report::catalog_nouns();
  words.insert(words.end(), {"show", "import", "check"});
  const auto nearest = config::suggest(question.noun, words);
  return desk.refuse(
      {.code = lf::kUsage,
       .message = fmt::format("the catalogue has no '{}'", question.noun),
       .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
               fmt::format("one of: {}", fmt::join(words, ", "))});
}

// The list that an entry stands in, and its file.
struct Place {
  std::string_view noun;
  std::string path;
};
struct Shelf {
  std::string_view noun, folder;
  std::optional<std::string> (*find)(const Catalog&, const std::string&);
};
template <auto find>
std::optional<std::string> entry_name(const Catalog& catalog, const std::string& name) {
  const auto found = (catalog.*find)(name);
  return found ? std::optional((*found)->name) : std::nullopt;
}
constexpr std::array kShelves{
    Shelf{"gpus", "hardware/accelerators/", entry_name<&Catalog::find_accelerator>},
    Shelf{"models", "models/", entry_name<&Catalog::find_model>},
    Shelf{"nodes", "hardware/nodes/", entry_name<&Catalog::find_node>},
    Shelf{"links", "hardware/fabrics/", entry_name<&Catalog::find_fabric>},
    Shelf{"engines", "engines/", entry_name<&Catalog::find_engine>},
    Shelf{"regions", "regions/", entry_name<&Catalog::find_region>},
};

// An entry of exactly this name, or of the first noun that knows the name.
std::optional<Place> place_of_entry(const Catalog& catalog, const std::string& name) {
  const auto in = [](const Shelf& shelf, const std::string& entry) {
    return Place{shelf.noun, std::string(shelf.folder) + entry + ".yaml"};
  };
  for (const Shelf& shelf : kShelves)
    if (catalog.find_file(in(shelf, name).path) != nullptr) return in(shelf, name);
  for (const Shelf& shelf : kShelves)
    if (const auto entry = shelf.find(catalog, name)) return in(shelf, *entry);
  return std::nullopt;
}

// The forms of an answer that has no Markdown.
template <typename T>
auto forms(std::string (*text)(const T&), std::string (*json)(const T&),
           std::string (*csv)(const T&)) {
  return [=](const T& answer, Format format, const Style&) -> Result<std::string> {
    if (format == Format::kTable) return text(answer);
    if (format == Format::kJson) return json(answer);
    if (format == Format::kCsv) return csv(answer);
    return no_such_form(format);
  };
}

// The file an entry stands in, as it is: every fact with its source.
std::optional<Answer> show_entry(const Desk& desk, const std::string& name) {
  const auto& catalog = desk.engine.catalog();
  const auto place = place_of_entry(catalog, name);
  const auto* file = place ? catalog.find_file(place->path) : nullptr;
  if (file == nullptr) {
    const auto nearest = catalog.find_accelerator(name);
    return desk.refuse({.code = lf::kUnknownQuantity,
                        .message = fmt::format("nothing in the catalogue is named '{}'", name),
                        .hint = nearest ? "" : nearest.error().hint});
  }
  auto facts = catalog::stated_facts(*file);
  if (!facts) return desk.refuse(facts.error());
  return make_answer<report::EntryAnswer>(
      "catalog",
      {name, std::string(catalog::stem(file->path)), std::string(place->noun), file->shown_as,
       file->text, *std::move(facts)},
      forms(report::entry_text, report::entry_json, report::entry_csv));
}

std::optional<Answer> check_catalog(const Desk& desk, const std::string& today) {
  const auto problems = desk.engine.catalog().check(today);
  if (problems.empty())
    return make_answer<report::SoundCatalog>(
        "catalog", report::sound_catalog(desk.engine.catalog(), today),
        forms(report::sound_text, report::sound_json, report::sound_csv));
  desk.diagnostics.add_all(problems);
  return std::nullopt;
}

std::optional<Answer> import_entry(const Desk& desk, const CatalogQuestion& question) {
  auto imported = import_files(desk.engine.catalog(), question, desk.diagnostics);
  if (!imported) return std::nullopt;
  const std::string text = imported->file.text;
  return text_answer(
      "catalog", {text, imported->file.path.ends_with(".csv")},
      {.remarks = std::move(imported->remarks), .files = {std::move(imported->file)}});
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const CatalogQuestion& question) {
  switch (question.task) {
    case CatalogTask::kList:
      return list_noun(desk, question);
    case CatalogTask::kShow:
      return show_entry(desk, question.match);
    case CatalogTask::kCheck:
      return check_catalog(desk, question.settings.today);
    case CatalogTask::kImport:
      return import_entry(desk, question);
    case CatalogTask::kOverview:
      break;
  }
  return make_answer<report::NounList>(
      "catalog", {report::noun_meanings()},
      forms(report::nouns_text, report::nouns_json, report::nouns_csv));
}

}  // namespace loadfactor::facade
