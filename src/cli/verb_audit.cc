// `loadfactor audit CLAIM`: is this blueprint or vendor claim consistent?
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/files.h"
#include "cli/session.h"
#include "engine/audit.h"
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

void run_audit(Session& session, const std::string& file) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  const auto text = read_file(file);
  if (!text) return session.fail(text.error());
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  const auto answer = engine::audit_claims(*engine, {.file = file, .text = *text}, diagnostics);
  if (!answer) return session.fail(diagnostics);
  session.write(rendered(session, *format, *answer, file));
}

}  // namespace

void add_audit(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand(
      "audit", "does a blueprint or vendor claim agree with arithmetic, physics and the record?");
  session.add_common_options(*verb);
  auto file = std::make_shared<std::string>();
  verb->add_option("claim", *file, "a claim as YAML or JSON; - reads stdin")
      ->required()
      ->type_name("CLAIM");
  verb->callback([file, &session] { run_audit(session, *file); });
}

}  // namespace loadfactor::cli
