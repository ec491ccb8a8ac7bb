#include "audit/audit.h"

#include <algorithm>

#include "audit/rule.h"
#include "audit/values.h"

namespace loadfactor::audit {

Verdict verdict_of(const std::vector<Finding>& findings) {
  if (findings.empty()) return Verdict::kUnsupported;
  Verdict worst = Verdict::kConsistent;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

void sort_findings(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    if (a.verdict != b.verdict) return a.verdict > b.verdict;
    return a.line < b.line;
  });
}

AuditedClaim audit(const Claim& claim, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const Values values = gather_values(claim, catalog, diagnostics);
  AuditedClaim audited{.name = claim.name, .says = claim.says};
  for (const ProductRule& rule : product_rules()) {
    if (auto finding = apply(rule, claim, values)) audited.findings.push_back(*std::move(finding));
  }
  for (const FormulaRule rule : formula_rules()) {
    if (auto finding = rule(claim, values)) audited.findings.push_back(*std::move(finding));
  }
  sort_findings(audited.findings);
  audited.verdict = verdict_of(audited.findings);
  return audited;
}

}  // namespace loadfactor::audit
