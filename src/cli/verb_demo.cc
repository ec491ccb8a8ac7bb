// `loadfactor demo`: three questions about memory, answered offline, and what to try next.
#include <array>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/session.h"
#include "report/fit_report.h"

namespace loadfactor::cli {
namespace {

struct Question {
  const char* asked;
  const char* command;
  FitRequest request;
};

const std::array<Question, 3>& questions() {
  static const std::array<Question, 3> kQuestions{
      Question{"A small model on one GPU: how many conversations at once?",
               "loadfactor fit llama-3.1-8b --gpu l40s --context 4096",
               {.model = "llama-3.1-8b", .accelerator = "l40s", .context = 4096}},
      Question{"A 70B model on four GPUs, everything in 8 bits",
               "loadfactor fit llama-3.3-70b --gpu h100-sxm --tp 4 --quant fp8 --kv fp8",
               {.model = "llama-3.3-70b",
                .accelerator = "h100-sxm",
                .tp = 4,
                .quantisation = "fp8",
                .kv_dtype = "fp8"}},
      Question{"The largest open mixture of experts on one node?",
               "loadfactor fit deepseek-v3 --gpu h100-sxm --tp 8",
               {.model = "deepseek-v3", .accelerator = "h100-sxm", .tp = 8}},
  };
  return kQuestions;
}

void run_demo(Session& session) {
  if (!session.accepts_text_only()) return;
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  std::string text;
  for (const auto& question : questions()) {
    const auto answer = engine->fit(question.request);
    if (!answer) return session.fail(answer.error());
    text += fmt::format("{}\n$ {}\n\n", question.asked, question.command);
    text += report::fit_text(*answer, {.width = session.environment().width}) + "\n";
  }
  text +=
      "Next:\n"
      "  loadfactor fit <your model or config.json> --gpu <your GPU>\n"
      "  loadfactor catalog gpus\n"
      "  loadfactor explain kv_tokens\n";
  session.write(text);
}

}  // namespace

void add_demo(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("demo", "three answers now, offline");
  session.add_common_options(*verb);
  verb->callback([&session] { run_demo(session); });
}

}  // namespace loadfactor::cli
