// `loadfactor demo`: a shipped question planned from end to end, offline, and what to try next.
#include <algorithm>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "catalog/load/embedded_file.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "engine/plan/plan.h"
#include "report/plan/plan_report.h"

namespace loadfactor::cli {
namespace {

constexpr const char* kScenario = "scenarios/chatbot-spiky.yaml";

std::string shipped(std::string_view path) {
  const auto files = catalog::embedded_files();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  return found == files.end() ? std::string() : std::string(found->begin, found->end);
}

void run_demo(Session& session) {
  if (!session.accepts_text_only()) return;
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  engine::PlanQuestion question;
  Diagnostics diagnostics;
  const std::string file = fmt::format("data/{}", kScenario);
  auto scenario = session.environment().scenarios->parse(file, shipped(kScenario), {}, diagnostics);
  if (!scenario) return session.fail(diagnostics);
  question.serving.scenario = *std::move(scenario);
  question.serving.seed = session.options().seed;
  question.today = session.environment().today;
  question.confirm = 1;
  auto answer = engine::make_plan(*engine, question, diagnostics);
  if (!answer) return session.fail(diagnostics);
  if (session.options().quiet) answer->notices.clear();
  std::string text = fmt::format(
      "A chatbot with spiky traffic: rent, own, or pay per token?\n"
      "$ loadfactor plan {}\n\n",
      file);
  text += report::plan_text(
      *answer, {.width = session.environment().width, .colour = session.environment().colour});
  text +=
      "\nNext:\n"
      "  loadfactor init serve -o mine.yaml && loadfactor plan mine.yaml -o report.html\n"
      "  loadfactor fit <your model or config.json> --gpu <your GPU>\n"
      "  loadfactor catalog gpus\n";
  session.write(text);
}

}  // namespace

void add_demo(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("demo", "one whole answer now, offline");
  session.add_common_options(*verb);
  verb->callback([&session] { run_demo(session); });
}

}  // namespace loadfactor::cli
