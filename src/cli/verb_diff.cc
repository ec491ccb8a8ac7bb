// `loadfactor diff A B`: what changed between two scenarios or saved plans, and what it costs.
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/plan_question.h"
#include "cli/session/files.h"
#include "cli/session/gates.h"
#include "cli/session/scenario_files.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "engine/explain/diff.h"
#include "report/plan/diff_report.h"

namespace loadfactor::cli {
namespace {

constexpr const char* kComment = "github-comment";

struct DiffFlags {
  std::string before;
  std::string after;
  std::vector<std::string> gates;
  std::int64_t draws = 4096;
};

// A saved plan as it is, a scenario planned with what is set; nothing after a failure that has been
// told.
std::optional<engine::PlanAnswer> plan_of(Session& session, const std::string& path,
                                          std::int64_t draws) {
  const auto fail = [&session](const auto& problem) {
    session.fail(problem);
    return std::nullopt;
  };
  const auto text = read_file(path);
  if (!text) return fail(text.error());
  if (engine::is_saved_plan(path, *text)) {
    if (!session.options().set.empty())
      return fail(
          Error{.code = lf::kUsage,
                .message = fmt::format("'{}' is a saved plan: nothing can be set in it", path),
                .hint = "give the scenario it was made from"});
    auto saved = engine::read_saved_plan(path, *text);
    if (!saved) return fail(saved.error());
    return *std::move(saved);
  }
  auto files = read_plan_files(session, path);
  if (!files) return std::nullopt;
  files->question.draws = draws;
  const Engine* engine = session.engine();
  if (engine == nullptr) return std::nullopt;
  Diagnostics diagnostics;
  auto answer = engine::make_plan(*engine, files->question, diagnostics);
  if (!answer) return fail(diagnostics);
  return answer;
}

const char* work_of(const engine::PlanAnswer& answer) {
  return answer.is_training ? "training run" : "service";
}

std::string rendered(const Session& session, const std::string& format,
                     const engine::DiffAnswer& answer, const DiffFlags& flags) {
  if (format == kComment) return report::diff_comment(answer);
  if (format == "json")
    return report::diff_json(answer,
                             {flags.before, flags.after.empty() ? flags.before : flags.after});
  if (format == "csv") return report::diff_csv(answer);
  if (format == "md") return report::diff_markdown(answer);
  return report::diff_text(
      answer, {.width = session.environment().width, .colour = session.environment().colour});
}

void run_diff(Session& session, const DiffFlags& flags) {
  std::string format = session.options().format;
  if (format != kComment) {
    const auto known = session.format();
    if (!known) return session.fail(known.error());
    format = *known;
  }
  const auto gates = read_gates(flags.gates);
  if (!gates) return session.fail(gates.error());
  const auto set = std::exchange(session.options().set, {});
  if (flags.after.empty() && set.empty())
    return session.fail(Error{.code = lf::kUsage,
                              .message = "diff compares two plans",
                              .hint = "diff A B, or diff A --set limits.gpus=64 for one change"});
  auto before = plan_of(session, flags.before, flags.draws);
  if (!before) return;
  session.options().set = set;
  auto after = plan_of(session, flags.after.empty() ? flags.before : flags.after, flags.draws);
  if (!after) return;
  if (before->is_training != after->is_training)
    return session.fail(
        Error{.code = lf::kUsage,
              .message =
                  fmt::format("'{}' is a {} and '{}' a {}: their figures mean other things",
                              before->scenario, work_of(*before), after->scenario, work_of(*after)),
              .hint = "compare a service with a service, or a run with a run"});
  auto answer = engine::compare_plans(*std::move(before), *std::move(after));
  if (!judge(session, *gates, answer.after)) return;
  session.write(rendered(session, format, answer, flags));
  tell_gates(session, answer.after);
}

}  // namespace

void add_diff(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("diff", "what changed between two plans, and what it costs");
  session.add_common_options(*verb);
  auto flags = std::make_shared<DiffFlags>();
  verb->get_option("--format")
      ->description("table, json, csv, md or github-comment")
      ->group("Options");
  verb->add_option("before", flags->before, "a scenario, or a plan saved as JSON")
      ->required()
      ->type_name("A");
  verb->add_option("after", flags->after, "the other one; A itself where something is set")
      ->type_name("B");
  add_set_option(*verb, session);
  verb->get_option("--set")->description("replace a value of B: limits.gpus=64");
  add_gate_option(*verb, flags->gates, "exit 1 unless it holds for B: 'cost <= 5000 $/month'");
  verb->add_option("--draws", flags->draws, "of the uncertain inputs")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{64}, std::int64_t{10'000'000}));
  verb->callback([flags, &session] { run_diff(session, *flags); });
}

}  // namespace loadfactor::cli
