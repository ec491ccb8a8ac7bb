// The description of audited claims.
#include <algorithm>
#include <string>
#include <utility>

#include "report/audit/audit_report.h"
#include "report/audit/audit_words.h"
#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"

namespace loadfactor::report {
namespace {

using audit::AuditedClaim;
using audit::Finding;
using audit::Verdict;
using engine::AuditAnswer;

constexpr std::string_view kVerdicts[] = {"consistent", "unsupported", "inconsistent"};
constexpr std::string_view kSeverities[] = {"error", "caution", "none"};
constexpr std::string_view kRelations[] = {"equals", "at-most", "at-least", "whole", "agrees"};

// A finding, and the claim it belongs to.
struct FindingOf {
  const std::string& claim;
  const Finding& finding;
};
std::vector<FindingOf> findings_of(const AuditAnswer& answer) {
  std::vector<FindingOf> out;
  for (const auto& claim : answer.claims)
    for (const auto& finding : claim.findings) out.push_back({claim.name, finding});
  return out;
}
std::string_view worst_of(const AuditAnswer& answer) {
  Verdict worst = Verdict::kConsistent;
  for (const auto& claim : answer.claims) worst = std::max(worst, claim.verdict);
  return name(worst);
}
std::string_view verdict_of(const AuditedClaim& claim) {
  return name(claim.verdict);
}
std::int64_t checks_of(const AuditedClaim& claim) {
  return static_cast<std::int64_t>(claim.findings.size());
}
template <auto getter>
constexpr auto kOf = [](const FindingOf& f) { return std::invoke(getter, f.finding); };
std::string_view finding_verdict(const Finding& finding) {
  return name(finding.verdict);
}
std::string_view ground_of(const Finding& finding) {
  return name(finding.ground);
}
std::string_view rule_of(const Finding& finding) {
  return id_of(finding.check);
}
std::string key_of(const Finding& finding) {
  const audit::FigureRow& row = audit::row_of(finding.figure);
  return std::string(name(row.section)) + "." + std::string(row.key);
}
std::string_view relation_of(const Finding& finding) {
  return name(finding.relation);
}
Estimate stated_of(const Finding& finding) {
  const Dimension dimension = audit::row_of(finding.figure).dimension;
  return {finding.stated, finding.stated, finding.stated, dimension, Basis::kAssumed, {}};
}
Estimate follows_of(const Finding& finding) {
  const Dimension dimension = audit::row_of(finding.follows).dimension;
  return {finding.computed,
          finding.low.value_or(finding.computed),
          finding.high.value_or(finding.computed),
          dimension,
          Basis::kModelled,
          finding.source};
}
std::string_view severity_of(const Finding& finding) {
  return audit::severity(finding);
}

struct ClaimFile {
  std::string file;
};

}  // namespace

template <>
constexpr auto kFields<ClaimFile> =
    fields<ClaimFile>(field<&ClaimFile::file>("file", "The file of the claim"));

template <>
constexpr auto kFields<AuditedClaim> = fields<AuditedClaim>(
    field<&AuditedClaim::name>("name", "Name of the claim"),
    field<verdict_of>("verdict", "What follows from all its checks").one_of(kVerdicts),
    field<checks_of>("checks", "Pairs of figures that were checked"));

template <>
constexpr auto kFields<FindingOf> = fields<FindingOf>(
    field<FindingOf>(
        "of", [](const FindingOf& f) { return f.claim; }, "The claim it belongs to"),
    field<FindingOf>("rule", kOf<rule_of>, "Stable id of the rule"),
    field<FindingOf>("claim", kOf<claim_words>, "What is claimed, in words"),
    field<FindingOf>("computed", kOf<computed_words>, "What follows from the rest, in words"),
    field<FindingOf>("severity", kOf<severity_of>,
                     "error: it cannot hold; caution: nobody has shown it; none")
        .one_of(kSeverities),
    field<FindingOf>("verdict", kOf<finding_verdict>, "What follows from the check")
        .one_of(kVerdicts),
    field<FindingOf>("sum", kOf<sum_words>, "The sum in words"),
    field<FindingOf>("source", kOf<&Finding::source>, "Ids of SOURCES.md, or places in files"),
    field<FindingOf>("why", kOf<why_words>, "What it means; empty where the check holds"),
    field<FindingOf>("ground", kOf<ground_of>, "What the check rests on"),
    field<FindingOf>("line", kOf<&Finding::line>, "Line of the claim's file"),
    field<FindingOf>("ratio", kOf<&Finding::ratio>, "Claimed over computed"),
    field<FindingOf>("figure", kOf<key_of>, "Section and key of the figure that is checked"),
    field<FindingOf>("relation", kOf<relation_of>, "What the claimed figure must be to the other")
        .one_of(kRelations),
    field<FindingOf>("stated", kOf<stated_of>, "The figure as claimed, or as the claim implies it"),
    field<FindingOf>("follows", kOf<follows_of>, "What follows from the rest of the claim"));

template <>
constexpr auto kFields<AuditAnswer> = fields<AuditAnswer>(
    field<&AuditAnswer::claims>("claims", "The claims of the file"),
    field<findings_of>("findings", "One finding for every check"),
    field<worst_of>("verdict", "What follows from all checks").one_of(kVerdicts));

Value to_value(const AuditAnswer& answer) {
  return described_value<AuditAnswer>(answer, kFields<AuditAnswer>);
}
Value schema_of(Type<AuditAnswer>) {
  return described_schema<AuditAnswer>(kFields<AuditAnswer>);
}

AnswerSchema audit_schema() {
  return {"audit",
          "audit",
          "Answer of `loadfactor audit`",
          "Every pair of figures of a claim that can be checked, with what follows from the rest.",
          schema_of(Type<ClaimFile>()),
          schema_of(Type<AuditAnswer>())};
}

std::string audit_json(const AuditAnswer& answer, const std::string& file) {
  return print_json(
      envelope("audit", to_value(ClaimFile{file}), to_value(answer), answer.notices, {}));
}

std::string audit_csv(const AuditAnswer& answer) {
  return csv_list(schema_of(Type<AuditAnswer>()), to_value(answer), "findings");
}

}  // namespace loadfactor::report
