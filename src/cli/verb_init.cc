// `loadfactor init serve|train`: five questions, or flags, and a commented scenario.
#include <filesystem>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/catalog.h"
#include "cli/files.h"
#include "cli/init_questions.h"
#include "cli/session.h"
#include "config/document.h"
#include "config/scenario.h"

namespace loadfactor::cli {
namespace {

struct InitFlags {
  std::vector<std::string> answers;
  bool force = false;
};

// Empty answers are asked for on a terminal, and take their defaults elsewhere.
void ask(Session& session, std::span<const Question> questions, std::vector<std::string>& answers) {
  const Environment& environment = session.environment();
  const bool may_ask = environment.in != nullptr && environment.in_is_terminal;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!answers[i].empty()) continue;
    if (may_ask) {
      *environment.err << fmt::format("{} ({})\n  [{}] ", questions[i].asked, questions[i].help,
                                      questions[i].otherwise)
                       << std::flush;
      std::getline(*environment.in, answers[i]);
    }
    if (answers[i].empty()) answers[i] = questions[i].otherwise;
  }
}

// Names that the catalogue does not have, where they stand.
void check_names(const catalog::Catalog& catalog, const config::Document& document,
                 const config::Scenario& scenario, Diagnostics& diagnostics) {
  const auto refuse = [&](const Error& error, config::Position at) {
    diagnostics.add(document.error(error.code, at, error.message, error.hint));
  };
  for (const auto& chip : scenario.hardware) {
    const auto found = catalog.find_accelerator(chip.value);
    if (!found) refuse(found.error(), chip.position);
  }
  const config::ModelAsk& model = scenario.serve ? scenario.serve->model : scenario.train->model;
  const auto* named = std::get_if<config::CatalogModel>(&model.model);
  if (named == nullptr) return;
  const auto found = catalog.find_model(named->name.value);
  if (!found) refuse(found.error(), named->name.position);
}

Diagnostics problems_of(const catalog::Catalog& catalog, const std::string& text) {
  Diagnostics diagnostics;
  const auto document = config::parse_yaml("answers", text);
  if (!document) {
    diagnostics.add(document.error());
    return diagnostics;
  }
  const auto scenario = config::read_scenario(*document, diagnostics);
  if (scenario) check_names(catalog, *document, *scenario, diagnostics);
  return diagnostics;
}

void write_scenario(Session& session, const std::string& text, bool force) {
  const std::string path = session.options().output;
  if (path.empty()) return session.write(text);
  if (!force && std::filesystem::exists(path))
    return session.fail(Error{.code = lf::kUsage,
                              .message = fmt::format("'{}' exists", path),
                              .hint = "give another name, or --force to replace it"});
  const auto written = write_file(path, text);
  if (!written) return session.fail(written.error());
  session.tell(fmt::format("wrote {}; next: loadfactor plan {}", path, path));
}

using Template = std::string (*)(const std::vector<std::string>&);

void add_kind(CLI::App& verb, Session& session, const char* kind,
              std::span<const Question> questions, Template make) {
  CLI::App* sub = verb.add_subcommand(kind, fmt::format("a scenario with a `{}` section", kind));
  session.add_common_options(*sub);
  auto flags = std::make_shared<InitFlags>();
  flags->answers.resize(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i)
    sub->add_option(std::string(questions[i].flag), flags->answers[i],
                    fmt::format("{} {}", questions[i].asked, questions[i].help));
  sub->add_flag("--force", flags->force, "replace the file of -o if it exists");
  sub->callback([flags, &session, questions, make] {
    ask(session, questions, flags->answers);
    const std::string text = make(flags->answers);
    const Engine* engine = session.engine();
    if (engine == nullptr) return;
    const Diagnostics problems = problems_of(engine->catalog(), text);
    if (!problems.empty()) return session.fail(problems);
    write_scenario(session, text, flags->force);
  });
}

}  // namespace

void add_init(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("init", "five questions, and a commented scenario");
  verb->require_subcommand(1);
  add_kind(*verb, session, "serve", serve_questions(), serve_scenario);
  add_kind(*verb, session, "train", train_questions(), train_scenario);
}

}  // namespace loadfactor::cli
