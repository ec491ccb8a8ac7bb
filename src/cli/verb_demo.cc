// `loadfactor demo`: a shipped question planned from end to end, offline, and what to try next.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/progress_line.h"
#include "facade/tools/catalogue.h"

namespace loadfactor::cli {
namespace {

constexpr const char* kScenario = "scenarios/chatbot-spiky.yaml";

void run_demo(Session& session) {
  if (!session.accepts_text_only()) return;
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  const std::string file = fmt::format("data/{}", kScenario);
  auto scenario = session.environment().scenarios->parse(file, facade::shipped_text(kScenario), {},
                                                         diagnostics);
  if (!scenario) return session.fail(diagnostics);
  PlanQuestion question;
  question.about.scenario = *std::move(scenario);
  question.settings = {.seed = session.options().seed, .today = session.environment().today};
  question.confirm = 1;
  const auto answer = [&] {
    const ProgressLine line(session, "planning");
    return engine->ask(question, diagnostics);
  }();
  if (!answer) return session.fail(diagnostics);
  const auto plan = to_text(*answer, Format::kTable,
                            {.width = session.environment().width,
                             .colour = session.environment().colour,
                             .quiet = session.options().quiet});
  if (!plan) return session.fail(plan.error());
  session.write(fmt::format(
      "A chatbot with spiky traffic: rent, own, or pay per token?\n"
      "$ loadfactor plan {}\n\n"
      "{}"
      "\nNext:\n"
      "  loadfactor init serve -o mine.yaml && loadfactor plan mine.yaml -o report.html\n"
      "  loadfactor fit <your model or config.json> --gpu <your GPU>\n"
      "  loadfactor catalog gpus\n",
      file, *plan));
}

}  // namespace

Command demo_command() {
  return {"demo", "one whole answer now, offline", std::make_shared<facade::Flags>(), run_demo};
}

}  // namespace loadfactor::cli
