// `loadfactor catalog …`: what is known, where it came from, and how to add to it.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/table.h"
#include "catalog/catalog.h"
#include "cli/catalog_import.h"
#include "cli/files.h"
#include "cli/session.h"
#include "config/reader.h"
#include "report/catalog_report.h"

namespace loadfactor::cli {
namespace {

Error usage(std::string message, std::string hint) {
  return Error{.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

void list_noun(Session& session, const std::string& noun, const std::string& match) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto table = report::list_catalog(engine->catalog(), noun, match);
  if (!table) {
    auto words = report::catalog_nouns();
    words.insert(words.end(), {"show", "import", "check"});
    const auto nearest = config::suggest(noun, words);
    return session.fail(
        usage(fmt::format("the catalogue has no '{}'", noun),
              (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
                  fmt::format("one of: {}", fmt::join(words, ", "))));
  }
  if (*format == "json") return session.write(render_json(*table) + "\n");
  if (*format == "csv") return session.write(render_csv(*table));
  if (*format == "md") return session.write(render_markdown(*table));
  session.write(render_text(
      *table, {.width = session.environment().width, .colour = session.environment().colour}));
}

// The file an entry stands in, printed as it is: every fact with its source.
void show_entry(Session& session, const std::string& name) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto& catalog = engine->catalog();
  std::string path;
  if (const auto chip = catalog.find_accelerator(name))
    path = "hardware/accelerators/" + (*chip)->name;
  else if (const auto model = catalog.find_model(name))
    path = "models/" + (*model)->name;
  else if (const auto node = catalog.find_node(name))
    path = "hardware/nodes/" + (*node)->name;
  else if (const auto link = catalog.find_fabric(name))
    path = "hardware/fabrics/" + (*link)->name;
  else if (const auto tool = catalog.find_engine(name))
    path = "engines/" + (*tool)->name;
  else if (const auto region = catalog.find_region(name))
    path = "regions/" + (*region)->name;
  const catalog::DataFile* file = catalog.find_file(path + ".yaml");
  if (file == nullptr) {
    const auto error = catalog.find_accelerator(name);
    return session.fail(
        Error{.code = lf::kUnknownQuantity,
              .message = fmt::format("nothing in the catalogue is named '{}'", name),
              .hint = error ? "" : error.error().hint});
  }
  session.write(fmt::format("# {}\n{}", file->shown_as, file->text));
}

void check_folder(Session& session, const std::vector<std::string>& folders) {
  for (const auto& folder : folders) session.options().catalog_folders.push_back(folder);
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto problems = engine->catalog().check(session.environment().today);
  if (!problems.empty()) return session.fail(problems);
  session.write("the catalogue is sound\n");
}

void run_catalog(Session& session, const std::vector<std::string>& words,
                 const ImportFlags& import) {
  if (words.empty()) {
    return session.write(fmt::format(
        "Lists:   loadfactor catalog {} [WORD]\n"
        "One:     loadfactor catalog show NAME\n"
        "Import:  loadfactor catalog import config.json|FOLDER|prices.json|vms.csv --save DIR\n"
        "Check:   loadfactor catalog check DIR\n",
        fmt::join(report::catalog_nouns(), "|")));
  }
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words.front() == "check") return check_folder(session, rest);
  if (words.front() == "show" || words.front() == "import") {
    if (rest.size() != 1)
      return session.fail(usage(fmt::format("`catalog {}` takes one name", words.front()),
                                fmt::format("write `loadfactor catalog {} NAME`", words.front())));
    return words.front() == "show" ? show_entry(session, rest.front())
                                   : import_file(session, rest.front(), import);
  }
  list_noun(session, words.front(), rest.empty() ? "" : rest.front());
}

}  // namespace

void add_catalog(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("catalog", "what is known, where from, and how to add to it");
  session.add_common_options(*verb);
  auto words = std::make_shared<std::vector<std::string>>();
  auto import = std::make_shared<ImportFlags>();
  verb->add_option("words", *words,
                   "gpus|models|nodes|links|… [WORD], show NAME, import FILE, check DIR")
      ->type_name("WHAT");
  verb->add_option("--save", import->save, "import: the folder to save into")->type_name("DIR");
  verb->add_option("--name", import->name, "import: how to call the model")->type_name("NAME");
  verb->add_option("--as", import->kind, "import: model, litellm or skypilot")->type_name("KIND");
  verb->callback([words, import, &session] { run_catalog(session, *words, *import); });
}

}  // namespace loadfactor::cli
