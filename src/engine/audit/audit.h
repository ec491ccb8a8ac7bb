// Is a claim consistent with arithmetic, physics, the published record and our own model?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "engine/core.h"
#include "loadfactor/estimate.h"

namespace loadfactor::engine {

struct AuditInputs {
  std::string file;
  std::string text;
};

struct AuditAnswer {
  std::vector<audit::AuditedClaim> claims;
  std::vector<Notice> notices;
};

// Nothing if the file has errors.
std::optional<AuditAnswer> audit_claims(const Core& engine, const AuditInputs& request,
                                        Diagnostics& diagnostics);

}  // namespace loadfactor::engine
