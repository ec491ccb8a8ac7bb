// Error codes and terms, explained to people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error_codes.h"
#include "catalog/spec/glossary.h"
#include "engine/explain/explain.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

std::string explain_code(const ErrorCodeRow& row);
std::string explain_term(const catalog::GlossaryTerm& term);
std::string list_codes(std::span<const ErrorCodeRow> rows);
std::string list_terms(const std::vector<catalog::GlossaryTerm>& terms);

// A number down to its sources, one line for each node.
std::string explain_tree(const engine::ExplainNode& tree);
struct ExplainedQuantity {
  std::string quantity;
  std::string scenario;
  std::string file;
};
std::string explain_json(const engine::ExplainNode& tree, const ExplainedQuantity& asked);

AnswerSchema explain_schema();

}  // namespace loadfactor::report
