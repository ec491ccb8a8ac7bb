// `audit`: is a claim consistent?
#include "engine/audit/audit.h"

#include <utility>

#include <fmt/format.h>

#include "facade/body.h"
#include "facade/verbs.h"
#include "report/audit/audit_report.h"

namespace loadfactor::facade {
namespace {

Result<std::string> render_audit(const engine::AuditAnswer& answer, const std::string& file,
                                 Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::audit_text(
          answer, {.width = style.width, .colour = style.colour, .explain = style.explain});
    case Format::kJson:
      return report::audit_json(answer, file);
    case Format::kCsv:
      return report::audit_csv(answer);
    case Format::kMarkdown:
      return report::audit_markdown(answer);
    default:
      return no_such_form(format);
  }
}

// `consistent`: no check of any claim failed, and at least one could be made. `not inconsistent`:
// none failed.
GateVerdict judge_claims(AuditGate gate, const engine::AuditAnswer& answer) {
  const bool is_strict = gate == AuditGate::kConsistent;
  bool holds = true;
  std::string words;
  for (const auto& claim : answer.claims) {
    const bool kept = is_strict ? claim.verdict == audit::Verdict::kConsistent
                                : claim.verdict != audit::Verdict::kInconsistent;
    holds = holds && kept;
    words += fmt::format("{}{} is {}", words.empty() ? "" : ", ", claim.name, name(claim.verdict));
  }
  return {holds, fmt::format("{}: {}", is_strict ? "consistent" : "not inconsistent", words)};
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const AuditQuestion& question) {
  const std::string& file = question.claim.shown();
  auto answer = engine::audit_claims(
      desk.engine, {.file = file, .text = std::string(question.claim.bytes)}, desk.diagnostics);
  if (!answer) return std::nullopt;
  Beside beside;
  if (question.gate) {
    beside.gates.push_back(judge_claims(*question.gate, *answer));
    if (!beside.gates.front().holds) beside.outcome = Outcome::kNo;
  }
  return make_answer<engine::AuditAnswer>(
      "audit", *std::move(answer),
      [file](const engine::AuditAnswer& audit, Format format, const Style& style) {
        return render_audit(audit, file, format, style);
      },
      std::move(beside));
}

}  // namespace loadfactor::facade
