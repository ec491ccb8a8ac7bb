// Every answer that is described, by the name of its schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/describe/envelope.h"

namespace loadfactor::report {

// In the order in which verbs are documented.
std::vector<AnswerSchema> answer_schemas();

// The text of data/schema/NAME.schema.json; empty where no answer of that name is described.
std::string answer_schema_text(std::string_view name);

// The page that names every field of every answer.
std::string answers_page();

}  // namespace loadfactor::report
