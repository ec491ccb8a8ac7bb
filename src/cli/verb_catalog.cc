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
#include "cli/session/files.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
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

// Where the entry of exactly this name stands, or of the first noun that knows the name.
std::string path_of(const catalog::Catalog& catalog, const std::string& name) {
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

// The file an entry stands in, printed as it is: every fact with its source.
void show_entry(Session& session, const std::string& name) {
  if (!session.accepts_text_only()) return;
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto& catalog = engine->catalog();
  const catalog::DataFile* file = catalog.find_file(path_of(catalog, name));
  if (file != nullptr) return session.write(fmt::format("# {}\n{}", file->shown_as, file->text));
  const auto nearest = catalog.find_accelerator(name);
  session.fail(Error{.code = lf::kUnknownQuantity,
                     .message = fmt::format("nothing in the catalogue is named '{}'", name),
                     .hint = nearest ? "" : nearest.error().hint});
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
    return session.write(
        fmt::format("Lists:   loadfactor catalog NOUN [WORD], of\n         {}\n"
                    "One:     loadfactor catalog show NAME\n"
                    "Import:  loadfactor catalog import FILE|FOLDER --save DIR\n"
                    "Check:   loadfactor catalog check DIR\n",
                    fmt::join(report::catalog_nouns(), ", ")));
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
  if (rest.size() > 1) {
    return session.fail(usage(fmt::format("`catalog {}` takes one word to look for", words.front()),
                              "put words with blanks into quotes"));
  }
  list_noun(session, words.front(), rest.empty() ? "" : rest.front());
}

}  // namespace

void add_catalog(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("catalog", "what is known, where from, and how to add to it");
  session.add_common_options(*verb);
  auto words = std::make_shared<std::vector<std::string>>();
  auto import = std::make_shared<ImportFlags>();
  verb->add_option("words", *words, "gpus|models|… [WORD], show, import, check")->type_name("WHAT");
  verb->add_option("--save", import->save, "import: the folder to save into")->type_name("DIR");
  verb->add_option("--name", import->name, "import: how to call the model")->type_name("NAME");
  verb->add_option("--as", import->kind, "import: model, litellm or skypilot")->type_name("KIND");
  verb->callback([words, import, &session] { run_catalog(session, *words, *import); });
}

}  // namespace loadfactor::cli
