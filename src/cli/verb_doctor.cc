// `loadfactor doctor`: what a bug report should contain.
#include <memory>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "cli/commands.h"
#include "facade/tools/catalogue.h"
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
  const auto counts = facade::count_catalogue(*engine);
  CatalogQuestion check{.task = CatalogTask::kCheck};
  check.settings.today = session.environment().today;
  Diagnostics problems;
  static_cast<void>(engine->ask(check, problems));
  std::string text = fmt::format("loadfactor {}\n", LOADFACTOR_VERSION);
  text += fmt::format("built      {}, {}\n", compiler(), machine());
  text += fmt::format("cores      {}\n", std::thread::hardware_concurrency());
  text += fmt::format("terminal   {} columns, {}\n", session.environment().width,
                      session.environment().out_is_terminal ? "interactive" : "not interactive");
  text += fmt::format("overlays   {}\n", session.environment().config_folder);
  for (const auto& folder : session.options().catalog_folders)
    text += fmt::format("           {}\n", folder);
  text +=
      fmt::format("catalogue  {} accelerators, {} nodes, {} links, {} models, {} engines\n",
                  counts.accelerators, counts.nodes, counts.links, counts.models, counts.engines);
  text += fmt::format("prices     {} rents, {} API prices, {} regions\n", counts.rents,
                      counts.api_prices, counts.regions);
  text += fmt::format("problems   {}\n", problems.size());
  session.write(text);
  if (!problems.empty()) session.fail(problems);
}

}  // namespace

Command doctor_command() {
  return {"doctor", "what a bug report should contain", std::make_shared<facade::Flags>(),
          run_doctor};
}

}  // namespace loadfactor::cli
