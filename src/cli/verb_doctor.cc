// `loadfactor doctor`: what a bug report should contain.
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "catalog/catalog.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "loadfactor/version.h"

namespace loadfactor::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
  return fmt::format("gcc {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
}

std::string machine() {
#if defined(__aarch64__)
  return "aarch64";
#elif defined(__x86_64__)
  return "x86-64";
#else
  return "another architecture";
#endif
}

void run_doctor(Session& session) {
  if (!session.accepts_text_only()) return;
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto& catalog = engine->catalog();
  const auto problems = catalog.check(session.environment().today);
  std::string text = fmt::format("loadfactor {}\n", LOADFACTOR_VERSION);
  text += fmt::format("built      {}, {}\n", compiler(), machine());
  text += fmt::format("cores      {}\n", std::thread::hardware_concurrency());
  text += fmt::format("terminal   {} columns, {}\n", session.environment().width,
                      session.environment().out_is_terminal ? "interactive" : "not interactive");
  text += fmt::format("overlays   {}\n", session.environment().config_folder);
  for (const auto& folder : session.options().catalog_folders)
    text += fmt::format("           {}\n", folder);
  text += fmt::format("catalogue  {} accelerators, {} nodes, {} links, {} models, {} engines\n",
                      catalog.accelerators().size(), catalog.nodes().size(),
                      catalog.fabrics().size(), catalog.models().size(), catalog.engines().size());
  text +=
      fmt::format("prices     {} rents, {} API prices, {} regions\n", catalog.prices().rent.size(),
                  catalog.prices().api.size(), catalog.regions().size());
  text += fmt::format("problems   {}\n", problems.size());
  session.write(text);
  if (!problems.empty()) session.fail(problems);
}

}  // namespace

void add_doctor(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("doctor", "what a bug report should contain");
  session.add_common_options(*verb);
  verb->callback([&session] { run_doctor(session); });
}

}  // namespace loadfactor::cli
