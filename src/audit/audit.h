// Checks a claim against arithmetic, physics, the catalogue and the published record.
#pragma once

#include <string>
#include <vector>

#include "audit/claim.h"
#include "audit/finding.h"
#include "catalog/catalog.h"

namespace loadfactor::audit {

struct AuditedClaim {
  std::string name;
  std::string says;
  std::vector<Finding> findings;  // As sort_findings() leaves them.
  Verdict verdict = Verdict::kUnsupported;
};

// The verdict on a whole claim: inconsistent if a check failed, consistent if every check that
// could be made held, unsupported if none could.
Verdict verdict_of(const std::vector<Finding>& findings);

// The broken ones first, the gravest of them first, else by line.
void sort_findings(std::vector<Finding>& findings);

// Names the catalogue does not know are reported, and the claim is checked without them.
AuditedClaim audit(const Claim& claim, const catalog::Catalog& catalog, Diagnostics& diagnostics);

}  // namespace loadfactor::audit
