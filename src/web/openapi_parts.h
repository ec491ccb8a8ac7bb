// Parts of the contract that do not depend on the verbs.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/value.h"

namespace loadfactor::web {

// Where a schema of that name stands.
std::string reference(std::string_view name);
Value text_schema(const char* meaning);
// Options that every question has.
Value::Object common_options();
Value::Object common_schemas();
Value common_parameters();
Value common_responses();
// Everything that may go wrong with a question.
void add_problems(Value::Object& responses);
// Jobs, files, and what can be had by GET.
void add_other_paths(Value::Object& paths);

}  // namespace loadfactor::web
