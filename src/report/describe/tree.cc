#include "report/describe/tree.h"

#include <algorithm>
#include <string>

#include "report/describe/schema_walk.h"

namespace loadfactor::report {
namespace {

std::string kind_of(const Value& any_schema) {
  const Value& schema = present(any_schema);
  if (is_quantity(schema)) {
    const std::string unit = unit_of(schema);
    return unit.empty() ? "quantity" : "quantity in " + unit;
  }
  if (schema.find("enum") != nullptr) {
    std::string words;
    for (const Value& word : *schema.find("enum")->list())
      words += (words.empty() ? "`" : ", `") + leaf_text(word) + "`";
    return words;
  }
  if (const Value* definition = schema.find("$ref"))
    return definition->text()->substr(definition->text()->rfind('/') + 1);
  const Value* type = schema.find("type");
  return type == nullptr ? "any" : leaf_text(*type);
}

std::string in_table(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

}  // namespace

Value without(Value object, const std::vector<std::string_view>& keys) {
  auto& members = std::get<Value::Object>(object.data);
  std::erase_if(members, [&](const Member& member) {
    return std::find(keys.begin(), keys.end(), member.key) != keys.end();
  });
  return object;
}

std::string docs_table(const Value& schema) {
  std::string table = "| field | kind | meaning |\n|---|---|---|\n";
  visit_fields(schema, [&](const std::string& path, const Value& field) {
    const Value* meaning = field.find("description");
    table += "| `" + path + "` | " + kind_of(field) +
             (field.find("anyOf") != nullptr ? " or null" : "") + " | " +
             (meaning == nullptr ? "" : in_table(leaf_text(*meaning))) + " |\n";
  });
  return table;
}

}  // namespace loadfactor::report
