// `loadfactor audit CLAIM`: is this blueprint or vendor claim consistent?
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/session/files.h"
#include "cli/session/gates.h"
#include "cli/session/session.h"
#include "cli/verbs.h"
#include "engine/audit/audit.h"
#include "report/audit_report.h"

namespace loadfactor::cli {
namespace {

std::string rendered(const Session& session, const std::string& format,
                     const engine::AuditAnswer& answer, const std::string& file) {
  if (format == "json") return report::audit_json(answer, file);
  if (format == "csv") return report::audit_csv(answer);
  if (format == "md") return report::audit_markdown(answer);
  return report::audit_text(answer, {.width = session.environment().width,
                                     .colour = session.environment().colour,
                                     .explain = session.options().explain});
}

struct AuditFlags {
  std::string file;
  std::string gate;
};

// `consistent`: no check of any claim failed, and at least one could be made. `not inconsistent`:
// none failed.
bool is_gate(const std::string& text) {
  return text == "consistent" || text == "not inconsistent";
}

void judge_claims(Session& session, const std::string& gate, const engine::AuditAnswer& answer) {
  bool holds = true;
  std::string words;
  for (const auto& claim : answer.claims) {
    const bool kept = gate == "consistent" ? claim.verdict == audit::Verdict::kConsistent
                                           : claim.verdict != audit::Verdict::kInconsistent;
    holds = holds && kept;
    words += fmt::format("{}{} is {}", words.empty() ? "" : ", ", claim.name, name(claim.verdict));
  }
  tell_gate(session, holds, fmt::format("{}: {}", gate, words));
}

void run_audit(Session& session, const AuditFlags& flags) {
  const std::string& file = flags.file;
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  if (!flags.gate.empty() && !is_gate(flags.gate))
    return session.fail(Error{.code = lf::kUsage,
                              .message = fmt::format("no gate '{}'", flags.gate),
                              .hint = "one of: consistent, 'not inconsistent'"});
  const auto text = read_file(file);
  if (!text) return session.fail(text.error());
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  const auto answer = engine::audit_claims(*engine, {.file = file, .text = *text}, diagnostics);
  if (!answer) return session.fail(diagnostics);
  session.write(rendered(session, *format, *answer, file));
  if (!flags.gate.empty()) judge_claims(session, flags.gate, *answer);
}

}  // namespace

void add_audit(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand(
      "audit", "does a blueprint or vendor claim agree with arithmetic, physics and the record?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<AuditFlags>();
  verb->add_option("claim", flags->file, "a claim as YAML or JSON; - reads stdin")
      ->required()
      ->type_name("CLAIM");
  verb->add_option("--gate", flags->gate,
                   "exit 1 unless every claim is 'consistent', or 'not inconsistent'")
      ->type_name("VERDICT");
  verb->callback([flags, &session] { run_audit(session, *flags); });
}

}  // namespace loadfactor::cli
