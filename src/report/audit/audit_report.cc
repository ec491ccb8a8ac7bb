#include "report/audit/audit_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/text/tone.h"
#include "base/wrap.h"
#include "report/audit/audit_words.h"

namespace loadfactor::report {
namespace {

using audit::AuditedClaim;
using audit::Finding;
using audit::Verdict;

std::size_t count(const AuditedClaim& claim, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(claim.findings.begin(), claim.findings.end(),
                    [verdict](const Finding& finding) { return finding.verdict == verdict; }));
}

std::string checks(std::size_t number) {
  return fmt::format("{} check{}", number, number == 1 ? "" : "s");
}

std::string verdict_sentence(const AuditedClaim& claim) {
  const std::size_t broken = count(claim, Verdict::kInconsistent);
  const std::size_t doubtful = count(claim, Verdict::kUnsupported);
  const std::string held =
      fmt::format("{} held", checks(claim.findings.size() - broken - doubtful));
  if (claim.findings.empty())
    return fmt::format("UNSUPPORTED: nothing in '{}' can be checked against anything", claim.name);
  if (broken > 0)
    return fmt::format("INCONSISTENT: {} of {} in '{}' contradict the claim; {}", broken,
                       checks(claim.findings.size()), claim.name, held);
  if (doubtful > 0)
    return fmt::format("UNSUPPORTED: {} of {} in '{}' nobody has shown; {}", doubtful,
                       checks(claim.findings.size()), claim.name, held);
  return fmt::format("CONSISTENT: all {} of '{}' held", checks(claim.findings.size()), claim.name);
}

Tone tone_of(const Finding& finding) {
  if (finding.verdict == Verdict::kInconsistent) return Tone::kBad;
  return finding.verdict == Verdict::kUnsupported ? Tone::kCaution : Tone::kPlain;
}

std::string in_lines(const std::string& text, int width, const std::string& indent) {
  std::string out;
  for (const auto& line : wrap(text, width - static_cast<int>(indent.size())))
    out += indent + line + "\n";
  return out;
}

std::string finding_text(const Finding& finding, const AuditTextOptions& options, int number) {
  const std::string head =
      fmt::format("{}. {}: {}", number, claim_words(finding),
                  finding.verdict == Verdict::kConsistent ? "holds" : why_words(finding));
  const std::string place =
      fmt::format("{} (line {}, {})", head, finding.line, name(finding.ground));
  std::string text = paint(in_lines(place, options.width, " "), tone_of(finding), options.colour);
  text += in_lines(fmt::format("computed: {}", computed_words(finding)), options.width, "    ");
  text += in_lines(sum_words(finding), options.width, "    ");
  if (options.explain && !finding.source.empty())
    text += in_lines("source: " + finding.source, options.width, "    ");
  return text;
}

std::string claim_text(const AuditedClaim& claim, const AuditTextOptions& options) {
  std::string text = in_lines(verdict_sentence(claim), options.width, "");
  if (!claim.says.empty()) text += in_lines("\"" + claim.says + "\"", options.width, "  ");
  text += "\n";
  int number = 0;
  for (const Finding& finding : claim.findings) {
    if (finding.verdict == Verdict::kConsistent && !options.explain) continue;
    text += finding_text(finding, options, ++number);
  }
  return text + (number > 0 ? "\n" : "");
}

std::string summary_text(const engine::AuditAnswer& answer, const AuditTextOptions& options) {
  Table table({{.name = "claim", .wraps = true},
               {.name = "verdict"},
               {.name = "checks", .align = Align::kRight},
               {.name = "first finding", .wraps = true}});
  for (const auto& claim : answer.claims) {
    const bool broken = claim.verdict != Verdict::kConsistent && !claim.findings.empty();
    table.add_row({claim.name, std::string(name(claim.verdict)),
                   fmt::to_string(claim.findings.size()),
                   broken ? fmt::format("{}; computed {}", claim_words(claim.findings.front()),
                                        computed_words(claim.findings.front()))
                          : ""});
  }
  return render_text(table, {.width = options.width, .colour = options.colour}) + "\n";
}

Table findings_table(const engine::AuditAnswer& answer) {
  Table table({{.name = "claim of"},
               {.name = "verdict"},
               {.name = "claim", .wraps = true},
               {.name = "computed", .wraps = true},
               {.name = "severity"},
               {.name = "ground"},
               {.name = "sum", .wraps = true},
               {.name = "why", .wraps = true},
               {.name = "line", .align = Align::kRight},
               {.name = "source", .wraps = true}});
  for (const auto& claim : answer.claims) {
    for (const auto& finding : claim.findings)
      table.add_row({claim.name, std::string(name(finding.verdict)), claim_words(finding),
                     computed_words(finding), std::string(audit::severity(finding)),
                     std::string(name(finding.ground)), sum_words(finding), why_words(finding),
                     fmt::to_string(finding.line), finding.source});
  }
  return table;
}

}  // namespace

std::string audit_text(const engine::AuditAnswer& answer, const AuditTextOptions& options) {
  std::string text;
  if (answer.claims.size() > 1) text += summary_text(answer, options);
  for (const auto& claim : answer.claims) {
    const bool quiet = answer.claims.size() > 1 && claim.verdict == Verdict::kConsistent;
    if (!quiet || options.explain) text += claim_text(claim, options);
  }
  return text;
}

std::string audit_markdown(const engine::AuditAnswer& answer) {
  std::string text;
  for (const auto& claim : answer.claims) text += verdict_sentence(claim) + "\n\n";
  return text + render_markdown(findings_table(answer));
}

}  // namespace loadfactor::report
