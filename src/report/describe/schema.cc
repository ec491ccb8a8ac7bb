#include "report/describe/schema.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

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

// Fields that are there together or not at all.
struct Group {
  std::optional<Condition> condition;  // When they are; nothing: when the first one is.
  std::vector<std::string> required;
  std::vector<std::string> all;
};

Value::List values_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

// If the condition holds, the group is there; else nothing of it is.
Value rule_of(const Group& group) {
  if (!group.condition)
    return Value::Object{
        {"if", Value::Object{{"required", Value::List{group.required.front()}}}},
        {"then", Value::Object{{"required", values_of(group.required)}}},
    };
  const std::string key(group.condition->field);
  Value::Object absent;
  for (const std::string& name : group.all) absent.push_back({name, false});
  return Value::Object{
      {"if", Value::Object{{"required", Value::List{key}},
                           {"properties",
                            Value::Object{{key, Value::Object{{"const", group.condition->is}}}}}}},
      {"then", Value::Object{{"required", values_of(group.required)}}},
      {"else", Value::Object{{"properties", std::move(absent)}}}};
}

// Puts the schema of an object together.
class ObjectSchema {
 public:
  void add(const FieldText& field) {
    properties_.push_back({std::string(field.name), field_schema(field)});
    if (field.presence == Presence::kAlways) required_.push_back(field.name);
    if (field.condition)
      add_group({field.condition, {std::string(field.name)}, {std::string(field.name)}});
  }

  // The members that a spliced field brings along; none is required where it may be missing.
  void splice(const FieldText& field) {
    const Value schema = field.schema();
    const Value* choices = schema.find("anyOf");
    const Value& inner = choices == nullptr ? schema : choices->list()->front();
    Group group{field.condition, {}, {}};
    for (const Member& member : *inner.find("properties")->object()) {
      const bool is_new =
          std::none_of(properties_.begin(), properties_.end(),
                       [&](const Member& known) { return known.key == member.key; });
      if (!is_new) continue;
      properties_.push_back(member);
      group.all.push_back(member.key);
    }
    if (const Value* rules = inner.find("allOf"))
      for (const Value& rule : *rules->list()) rules_.push_back(rule);
    for (const Value& name : *inner.find("required")->list()) {
      if (choices == nullptr) required_.push_back(name);
      group.required.push_back(*name.text());
    }
    if (choices != nullptr && !group.required.empty()) add_group(std::move(group));
  }

  Value take() {
    for (const Group& group : groups_) rules_.push_back(rule_of(group));
    Value::Object out{{"type", "object"},
                      {"additionalProperties", false},
                      {"required", std::move(required_)},
                      {"properties", std::move(properties_)}};
    if (!rules_.empty()) out.push_back({"allOf", std::move(rules_)});
    return out;
  }

 private:
  // Groups under one condition are one.
  void add_group(Group group) {
    for (Group& known : groups_) {
      if (!group.condition || known.condition != group.condition) continue;
      known.required.insert(known.required.end(), group.required.begin(), group.required.end());
      known.all.insert(known.all.end(), group.all.begin(), group.all.end());
      return;
    }
    groups_.push_back(std::move(group));
  }

  Value::Object properties_;
  Value::List required_;
  Value::List rules_;
  std::vector<Group> groups_;
};

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
  // Money is in US dollars unless the scenario has another currency.
  constexpr std::string_view kDollars = "USD";
  const Value allowed =
      unit.starts_with(kDollars)
          ? Value::Object{{"pattern", fmt::format("^[A-Z]{{3}}{}$", unit.substr(kDollars.size()))},
                          {"default", unit}}
          : Value::Object{{"const", unit}};
  return Value::Object{
      {"allOf", Value::List{Value::Object{{"$ref", kQuantity}}}},
      {"properties", Value::Object{{"unit", allowed}}},
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
  if (!field.unit.empty()) out.push_back({"unit", field.unit});
  return out;
}

Value object_schema(const std::vector<FieldText>& fields) {
  ObjectSchema schema;
  for (const FieldText& field : fields) {
    if (field.presence == Presence::kSpliced)
      schema.splice(field);
    else
      schema.add(field);
  }
  return schema.take();
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
