#include "report/describe/schema_walk.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <variant>

namespace loadfactor::report {
namespace {

bool is_of_type(const Value& schema, std::string_view wanted) {
  const Value* type = schema.find("type");
  return type != nullptr && type->text() != nullptr && *type->text() == wanted;
}

void visit(const Value& any_schema, const std::string& path, const FieldVisitor& visitor) {
  const Value& schema = present(any_schema);
  if (is_quantity(schema)) return;
  if (const Value* shapes = schema.find("anyOf")) {
    for (const Value& shape : *shapes->list()) visit(shape, path, visitor);
    return;
  }
  if (const Value* items = schema.find("items")) visit(*items, path + "[]", visitor);
  const Value* others = schema.find("additionalProperties");
  if (others != nullptr && others->object() != nullptr) visit(*others, path + ".*", visitor);
  const Value* properties = schema.find("properties");
  if (properties == nullptr) return;
  for (const Member& member : *properties->object()) {
    const std::string inner = path.empty() ? member.key : path + "." + member.key;
    visitor(inner, member.value);
    visit(member.value, inner, visitor);
  }
}

}  // namespace

const Value& present(const Value& schema) {
  const Value* choices = schema.find("anyOf");
  const bool may_be_null = choices != nullptr && is_of_type(choices->list()->back(), "null");
  return may_be_null ? choices->list()->front() : schema;
}

// A quantity in one unit refers to the definition within `allOf`; elsewhere `allOf` has rules.
bool is_quantity(const Value& schema) {
  const Value* parts = schema.find("allOf");
  const Value* definition = (parts == nullptr ? schema : parts->list()->front()).find("$ref");
  return definition != nullptr && *definition->text() == "#/definitions/quantity";
}

std::string unit_of(const Value& any_schema) {
  if (const Value* unit = any_schema.find("unit")) return leaf_text(*unit);
  const Value& schema = present(any_schema);
  const Value* properties = is_quantity(schema) ? schema.find("properties") : nullptr;
  if (properties == nullptr) return "";
  const Value* unit = properties->find("unit");
  const Value* fixed = unit->find("const");
  return leaf_text(fixed != nullptr ? *fixed : *unit->find("default"));
}

bool has_one_value(const Value& any_schema) {
  const Value& schema = present(any_schema);
  if (is_quantity(schema) || schema.find("enum") != nullptr) return true;
  return schema.find("type") != nullptr && !is_of_type(schema, "object") &&
         !is_of_type(schema, "array");
}

void visit_fields(const Value& schema, const FieldVisitor& visitor) {
  visit(schema, "", visitor);
}

const Value* find_field(const Value& schema, std::string_view path) {
  const Value* here = &schema;
  while (!path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    const Value* whole = &present(*here);
    if (const Value* items = whole->find("items")) whole = &present(*items);
    if (const Value* shapes = whole->find("anyOf")) {
      for (const Value& shape : *shapes->list())
        if (const Value* found = find_field(shape, path)) return found;
      return nullptr;
    }
    const Value* properties = whole->find("properties");
    here = properties == nullptr ? nullptr : properties->find(path.substr(0, dot));
    if (here == nullptr) return nullptr;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return here;
}

std::string leaf_text(const Value& value) {
  if (const auto* text = value.text()) return *text;
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return std::to_string(*count);
  const auto* number = std::get_if<double>(&value.data);
  if (number == nullptr) return "";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, *number).ptr};
}

}  // namespace loadfactor::report
