// `catalog`: what is known, where it came from, and how to add to it.
#include "catalog/catalog.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "facade/body.h"
#include "facade/imports.h"
#include "facade/texts.h"
#include "facade/verbs.h"
#include "report/catalog_report.h"

namespace loadfactor::facade {
namespace {

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

// Where the entry of exactly this name stands, or of the first noun that knows the name.
std::string path_of_entry(const catalog::Catalog& catalog, const std::string& name) {
  for (const char* folder : {"hardware/accelerators/", "models/", "hardware/nodes/",
                             "hardware/fabrics/", "engines/", "regions/"}) {
    const std::string path = folder + name + ".yaml";
    if (catalog.find_file(path) != nullptr) return path;
  }
  const auto in = [](const char* folder, const std::string& entry) {
    return folder + entry + ".yaml";
  };
  if (const auto chip = catalog.find_accelerator(name))
    return in("hardware/accelerators/", (*chip)->name);
  if (const auto model = catalog.find_model(name)) return in("models/", (*model)->name);
  if (const auto node = catalog.find_node(name)) return in("hardware/nodes/", (*node)->name);
  if (const auto link = catalog.find_fabric(name)) return in("hardware/fabrics/", (*link)->name);
  if (const auto tool = catalog.find_engine(name)) return in("engines/", (*tool)->name);
  if (const auto region = catalog.find_region(name)) return in("regions/", (*region)->name);
  return {};
}

// The file an entry stands in, as it is: every fact with its source.
std::optional<Answer> show_entry(const Desk& desk, const std::string& name) {
  const auto& catalog = desk.engine.catalog();
  if (const auto* file = catalog.find_file(path_of_entry(catalog, name)))
    return text_answer("catalog", {fmt::format("# {}\n{}", file->shown_as, file->text)});
  const auto nearest = catalog.find_accelerator(name);
  return desk.refuse({.code = lf::kUnknownQuantity,
                      .message = fmt::format("nothing in the catalogue is named '{}'", name),
                      .hint = nearest ? "" : nearest.error().hint});
}

std::optional<Answer> check_catalog(const Desk& desk, const std::string& today) {
  const auto problems = desk.engine.catalog().check(today);
  if (problems.empty()) return text_answer("catalog", {"the catalogue is sound\n"});
  desk.diagnostics.add_all(problems);
  return std::nullopt;
}

std::string overview() {
  return fmt::format(
      "Lists:   loadfactor catalog NOUN [WORD], of\n         {}\n"
      "One:     loadfactor catalog show NAME\n"
      "Import:  loadfactor catalog import FILE|FOLDER --save DIR\n"
      "Check:   loadfactor catalog check DIR\n",
      fmt::join(report::catalog_nouns(), ", "));
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
  return text_answer("catalog", {overview()});
}

}  // namespace loadfactor::facade
