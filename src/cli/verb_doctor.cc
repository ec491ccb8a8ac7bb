// `loadfactor doctor`: what a bug report should contain.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "cli/build_info.h"
#include "cli/commands.h"
#include "cli/live_page.h"
#include "cli/outside/on_path.h"
#include "cli/outside/probe_program.h"
#include "cli/print_page.h"
#include "cli/workbook/write_workbook.h"
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

// Programs that some answers want and none needs.
struct OptionalPart {
  std::string_view program;
  std::string_view what_for;
};
constexpr std::string_view kBrowser = "chromium";  // Or another that prints.
constexpr std::array kOptionalParts = {
    OptionalPart{kBrowser, "plan -o plan.pdf (Chromium or Chrome)"},
    OptionalPart{"sbatch", "sweeps and launches on Slurm"},
    OptionalPart{"sacct", "observe slurm:"},
    OptionalPart{"mpirun", "sweeps and searches by loadfactor-mpi"},
    OptionalPart{"kubectl", "applying what emit kubernetes writes"},
    OptionalPart{"promtool", "checking what emit prometheus-rules writes"},
    OptionalPart{"nvidia-smi", "probe, and observe of this machine"}};

bool is_here(std::string_view program) {
  return program == kBrowser ? find_browser().has_value() : find_on_path(program).has_value();
}

std::string optional_parts() {
  std::string text, missing;
  for (const OptionalPart& part : kOptionalParts) {
    const bool here = is_here(part.program);
    text += fmt::format("{:<10} {:<12} for {}\n", text.empty() ? "optional" : "",
                        fmt::format("{}{}", part.program, here ? "" : " -"), part.what_for);
    if (!here) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", part.program);
  }
  return text + fmt::format("missing    {}\n", missing.empty() ? "none of these" : missing);
}

// What this copy of the program cannot do.
std::string left_out() {
  std::string text;
  const auto say = [&](std::string_view what) {
    text += fmt::format("{:<10} {}\n", text.empty() ? "left out" : "", what);
  };
  if (!can_write_workbooks()) say("workbooks (plan -o plan.xlsx): built without libxlsxwriter");
  if (find_page_engine().empty()) say("live pages (plan --live): `make wasm` builds their engine");
  if (find_probe().empty()) say("probe: no loadfactor-probe, which a CUDA or ROCm toolkit builds");
  return text;
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
  std::string text =
      fmt::format("loadfactor {}, commit {}\n", LOADFACTOR_VERSION, LOADFACTOR_COMMIT);
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
  text += fmt::format("newest     {}\n", LOADFACTOR_DATA_DATE);
  text += optional_parts();
  text += left_out();
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
