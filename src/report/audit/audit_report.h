// An audit for people and for programs.
#pragma once

#include <string>

#include "engine/audit/audit.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct AuditTextOptions {
  int width = 80;
  bool colour = false;
  bool explain = false;  // Shows the checks that held, and the sources.
};

std::string audit_text(const engine::AuditAnswer& answer, const AuditTextOptions& options);
std::string audit_markdown(const engine::AuditAnswer& answer);
std::string audit_csv(const engine::AuditAnswer& answer);
std::string audit_json(const engine::AuditAnswer& answer, const std::string& file);

AnswerSchema audit_schema();

}  // namespace loadfactor::report
