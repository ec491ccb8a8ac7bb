#include "report/describe/schema.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/quantity_text.h"

namespace loadfactor::report {
namespace {

constexpr const char* kQuantity = "#/definitions/quantity";
constexpr std::string_view kBases[] = {"measured", "calibrated", "modelled", "assumed"};

Value text_field(const char* meaning, bool may_be_empty = true) {
  Value::Object out{{"description", meaning}, {"type", "string"}};
  if (!may_be_empty) out.push_back({"minLength", 1});
  return out;
}

Value number_field(const char* meaning) {
  return Value::Object{{"description", meaning}, {"type", "number"}};
}

std::string meaning_of(const FieldText& field) {
  std::string text(field.meaning);
  if (!field.unit.empty()) text += ", in " + std::string(field.unit);
  return text;
}

void add_bound(std::string_view key, const std::optional<double>& bound, Value::Object& schema) {
  if (!bound) return;
  schema.push_back({std::string(key), *bound == static_cast<double>(static_cast<int>(*bound))
                                          ? Value(static_cast<int>(*bound))
                                          : Value(*bound)});
}

// The members that a spliced field brings along; none is required where it may be missing.
void splice(const FieldText& field, Value::Object& properties, Value::List& required) {
  const Value schema = field.schema();
  const Value* choices = schema.find("anyOf");
  const Value& inner = choices == nullptr ? schema : choices->list()->front();
  for (const Member& member : *inner.find("properties")->object()) {
    const bool is_new = std::none_of(properties.begin(), properties.end(),
                                     [&](const Member& known) { return known.key == member.key; });
    if (is_new) properties.push_back(member);
  }
  if (choices != nullptr) return;
  for (const Value& name : *inner.find("required")->list()) required.push_back(name);
}

}  // namespace

Value quantity_value(const Estimate& estimate) {
  return Value::Object{{"value", estimate.value},
                       {"low", estimate.low},
                       {"high", estimate.high},
                       {"unit", base_unit(estimate.dimension)},
                       {"basis", basis_name(estimate.basis)},
                       {"source", estimate.source}};
}

Value type_schema(std::string_view json_type) {
  return Value::Object{{"type", json_type}};
}

Value count_schema() {
  return Value::Object{{"type", "integer"}, {"minimum", 0}};
}

Value quantity_schema(std::string_view unit) {
  if (unit.empty()) return Value::Object{{"$ref", kQuantity}};
  return Value::Object{
      {"allOf", Value::List{Value::Object{{"$ref", kQuantity}}}},
      {"properties", Value::Object{{"unit", Value::Object{{"const", unit}}}}},
  };
}

Value list_schema(Value items) {
  return Value::Object{{"type", "array"}, {"items", std::move(items)}};
}

Value dictionary_schema(Value values) {
  return Value::Object{{"type", "object"}, {"additionalProperties", std::move(values)}};
}

Value nullable_schema(Value schema) {
  return Value::Object{{"anyOf", Value::List{std::move(schema), type_schema("null")}}};
}

Value either_schema(Value one, Value other) {
  return Value::Object{{"anyOf", Value::List{std::move(one), std::move(other)}}};
}

Value field_schema(const FieldText& field) {
  Value::Object out{{"description", meaning_of(field)}};
  if (!field.words.empty()) {
    out.push_back({"enum", Value::List(field.words.begin(), field.words.end())});
    return out;
  }
  const Value schema = field.schema();
  for (const Member& member : *schema.object()) {
    if (member.key != "minimum" || !field.least) out.push_back(member);
  }
  const Value* type = schema.find("type");
  const bool is_list = type != nullptr && *type->text() == "array";
  const bool is_text = type != nullptr && *type->text() == "string";
  add_bound(is_list ? "minItems" : (is_text ? "minLength" : "minimum"), field.least, out);
  add_bound(is_list ? "maxItems" : (is_text ? "maxLength" : "maximum"), field.most, out);
  return out;
}

Value object_schema(const std::vector<FieldText>& fields) {
  Value::Object properties;
  Value::List required;
  for (const FieldText& field : fields) {
    if (field.presence == Presence::kSpliced) {
      splice(field, properties, required);
      continue;
    }
    properties.push_back({std::string(field.name), field_schema(field)});
    if (field.presence == Presence::kAlways) required.push_back(field.name);
  }
  return Value::Object{{"type", "object"},
                       {"additionalProperties", false},
                       {"required", std::move(required)},
                       {"properties", std::move(properties)}};
}

Value quantity_definition() {
  return Value::Object{
      {"title", "A figure with what is known about it"},
      {"type", "object"},
      {"additionalProperties", false},
      {"required", Value::List{"value", "low", "high", "unit", "basis", "source"}},
      {"properties",
       Value::Object{
           {"value", number_field("The best estimate, in the unit, as are low and high")},
           {"low", number_field("The low end of the interval")},
           {"high", number_field("The high end of the interval")},
           {"unit", text_field("The unit, such as USD, W or 1", false)},
           {"basis", Value::Object{{"description", "How the figure came about"},
                                   {"enum", Value::List(std::begin(kBases), std::end(kBases))}}},
           {"source", text_field("Ids of SOURCES.md or places in files")}}}};
}

}  // namespace loadfactor::report
