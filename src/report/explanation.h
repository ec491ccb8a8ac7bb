// Error codes and terms, explained to people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error_codes.h"
#include "catalog/glossary.h"

namespace loadfactor::report {

std::string explain_code(const ErrorCodeRow& row);
std::string explain_term(const catalog::GlossaryTerm& term);
std::string list_codes(std::span<const ErrorCodeRow> rows);
std::string list_terms(const std::vector<catalog::GlossaryTerm>& terms);

}  // namespace loadfactor::report
