// What a schema that descriptions made says of its fields.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "loadfactor/value.h"

namespace loadfactor::report {

// The schema of X where the given one is `X or null`, else the given one.
const Value& present(const Value& schema);

// Whether it is a figure with interval, unit, basis and source.
bool is_quantity(const Value& schema);
// The unit that all values of a field have; empty where it is not known beforehand.
std::string unit_of(const Value& schema);
// Whether a value of it is one number, text, flag or quantity.
bool has_one_value(const Value& schema);

// Visits every field, fields of lists (`[]`) and of dictionaries (`*`) among them.
using FieldVisitor = std::function<void(const std::string& path, const Value& field)>;
void visit_fields(const Value& schema, const FieldVisitor& visitor);

// The schema of the field at a path, without `[]`; nothing where there is none.
const Value* find_field(const Value& schema, std::string_view path);

// A number, text or flag in the shortest form that reads back the same; empty for all else.
std::string leaf_text(const Value& value);

}  // namespace loadfactor::report
