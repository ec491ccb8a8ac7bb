// Answers as CSV. Columns and rows are those of the descriptions, in base units, so that all
// answers of a verb have the same.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/value.h"

namespace loadfactor::report {

// A row for each item of the list at a path, a column for each of its fields. A quantity has its
// value, `.low` and `.high`, and `.unit` where the schema does not fix it; lists and dictionaries
// are left out. On the way through a list (`curves.points`) the fields of its items stand before
// those of the last list, as `curves.…`.
std::string csv_list(const Value& schema, const Value& answer, std::string_view path);

// A row for each number, text and flag of an answer: its path, value, interval, unit, basis and
// source. Lists and dictionaries are left out, and what is not known.
std::string csv_fields(const Value& schema, const Value& answer);

}  // namespace loadfactor::report
