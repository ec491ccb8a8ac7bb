// The cheapest deployments, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "engine/fill/serve_search.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

// What is worth saying beside the table, a sentence each.
std::vector<std::string> search_remarks(const engine::SizeAnswer& answer);
std::string search_text(const engine::SizeAnswer& answer, int width, bool colour);
std::string search_markdown(const engine::SizeAnswer& answer);
std::string search_csv(const engine::SizeAnswer& answer);
std::string search_json(const engine::SizeAnswer& answer, const std::string& file,
                        bool reproducible);
std::string size_verdict(const engine::SizeAnswer& answer);

AnswerSchema size_schema();

}  // namespace loadfactor::report
