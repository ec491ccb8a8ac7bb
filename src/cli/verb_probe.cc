// `loadfactor probe`: measures this machine's accelerator with the program built beside this one.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error_codes.h"
#include "cli/commands.h"
#include "cli/disk_files.h"
#include "cli/outside/probe_program.h"
#include "cli/session/files.h"
#include "facade/tools/probe_advice.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

struct ProbeFlags final : facade::Flags {
  ProbeFlags() {
    flag("quick", quick, "half a minute instead of three");
    word("for", scenario, "measure the shapes of this plan too", "SCENARIO");
    words("only", only, "sections to measure", "SECTION").takes_several = true;
    number("load-seconds", load_seconds, "how long each load is held", "N", 0.1, 600.0);
  }
  bool quick = false;
  std::string scenario;
  std::vector<std::string> only;
  double load_seconds = 0;
};

// Runs it with our standard streams; its exit status, or nothing where it could not start.
std::optional<int> run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return std::nullopt;
  return WEXITSTATUS(status) == 127 ? std::nullopt : std::optional(WEXITSTATUS(status));
}

// What to measure for a scenario, whether it trains or serves; nothing when it fails.
std::optional<facade::ProbeAdvice> advice_for(Session& session, const std::string& path) {
  DiskFiles files(session);
  Diagnostics diagnostics;
  const auto about = facade::read_scenario_from({files, session.options().set, {}, diagnostics},
                                                path, "calibrate");
  if (!about) return session.fail(diagnostics), std::nullopt;
  const Engine* engine = session.engine();
  if (engine == nullptr) return std::nullopt;
  auto advice = facade::advise_probe(*engine, *about, diagnostics);
  if (!advice) session.fail(diagnostics);
  return advice;
}

// The plan's shapes in a file of their own, and the advice told; false when the plan fails.
bool prepare_plan(Session& session, const std::string& scenario, std::string& shapes_file) {
  const auto advice = advice_for(session, scenario);
  if (!advice) return false;
  session.tell("What would narrow this plan most:");
  for (const auto& sentence : advice->sentences) session.tell("  " + sentence);
  if (advice->shapes.empty()) return true;
  shapes_file =
      (fs::temp_directory_path() / fmt::format("loadfactor-shapes-{}", getpid())).string();
  const auto written =
      write_file(shapes_file, fmt::format("{}\n", fmt::join(advice->shapes, "\n")));
  if (!written) session.fail(written.error());
  return written.has_value();
}

std::vector<std::string> words_of(const Session& session, const ProbeFlags& flags,
                                  const std::string& program, const std::string& shapes_file) {
  std::vector<std::string> words{program};
  if (flags.quick) words.emplace_back("--quick");
  if (session.options().quiet) words.emplace_back("--silent");
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--output", session.options().output);
  add("--shapes", shapes_file);
  for (const std::string& section : flags.only) add("--only", section);
  if (flags.load_seconds > 0) add("--load-seconds", fmt::format("{}", flags.load_seconds));
  add("--seed", std::to_string(session.options().seed));
  return words;
}

Error no_probe() {
  return Error{.code = lf::kNoProbe,
               .message = "no accelerator can be measured here: this copy has no probe",
               .hint =
                   "with a CUDA or ROCm toolkit: cmake -S src/probe -B build/probe && cmake "
                   "--build build/probe"};
}

void run_probe(Session& session, const ProbeFlags& flags) {
  std::string shapes_file;
  if (!flags.scenario.empty() && !prepare_plan(session, flags.scenario, shapes_file)) return;
  const std::string program = find_probe();
  const auto status =
      program.empty() ? std::nullopt : run_program(words_of(session, flags, program, shapes_file));
  std::error_code ignored;
  if (!shapes_file.empty()) fs::remove(shapes_file, ignored);
  if (!status) return session.fail(no_probe());
  session.set_status(*status);
}

}  // namespace

Command probe_command() {
  auto flags = std::make_shared<ProbeFlags>();
  return {"probe", "measure this machine's accelerator", flags,
          [flags](Session& session) { run_probe(session, *flags); }};
}

}  // namespace loadfactor::cli
