#include "report/describe/tree.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace loadfactor::report {
namespace {

std::string leaf_text(const Value& value) {
  if (const auto* text = value.text()) return *text;
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return std::to_string(*count);
  const auto* number = std::get_if<double>(&value.data);
  if (number == nullptr) return "";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, *number).ptr};
}

bool is_null(const Value& schema) {
  const Value* type = schema.find("type");
  return type != nullptr && type->text() != nullptr && *type->text() == "null";
}

// Of `X or null` the schema of X, else the schema itself.
const Value& present(const Value& schema) {
  const Value* choices = schema.find("anyOf");
  const bool may_be_null = choices != nullptr && is_null(choices->list()->back());
  return may_be_null ? choices->list()->front() : schema;
}

// A quantity in one unit refers to the definition within `allOf`; elsewhere `allOf` has rules.
bool is_quantity(const Value& schema) {
  const Value* parts = schema.find("allOf");
  return schema.find("$ref") != nullptr ||
         (parts != nullptr && parts->list()->front().find("$ref") != nullptr);
}

using Visitor = std::function<void(const std::string& path, const Value& field)>;
// Visits every field, fields of lists and dictionaries among them.
void visit(const Value& any_schema, const std::string& path, const Visitor& visitor) {
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

bool has_one_value(const Value& any_schema) {
  const Value& schema = present(any_schema);
  if (is_quantity(schema) || schema.find("enum") != nullptr) return true;
  const Value* type = schema.find("type");
  return type != nullptr && type->text() != nullptr && *type->text() != "object" &&
         *type->text() != "array";
}

std::vector<std::string> columns(const Value& schema) {
  std::vector<std::string> paths;
  visit(schema, "", [&](const std::string& path, const Value& field) {
    if (has_one_value(field) && path.find("[]") == std::string::npos &&
        path.find('*') == std::string::npos)
      paths.push_back(path);
  });
  return paths;
}

// What stands at a path, or null.
Value at_path(const Value& value, std::string_view path) {
  const Value* here = &value;
  while (here != nullptr && !path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    here = here->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  if (here == nullptr) return {};
  const Value* inner = here->object() != nullptr ? here->find("value") : nullptr;
  return inner != nullptr ? *inner : *here;
}

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& text : cells) line += (line.empty() ? "" : ",") + cell(text);
  return line + "\n";
}

std::string kind_of(const Value& any_schema) {
  const Value& schema = present(any_schema);
  if (is_quantity(schema)) {
    const Value* unit = schema.find("properties");
    return unit == nullptr ? "quantity"
                           : "quantity in " + leaf_text(*unit->find("unit")->find("const"));
  }
  if (schema.find("enum") != nullptr) {
    std::string words;
    for (const Value& word : *schema.find("enum")->list())
      words += (words.empty() ? "`" : ", `") + leaf_text(word) + "`";
    return words;
  }
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

std::string csv_header(const Value& schema) {
  return csv_line(columns(schema));
}

std::string csv_row(const Value& schema, const Value& value) {
  std::vector<std::string> cells;
  for (const auto& path : columns(schema)) cells.push_back(leaf_text(at_path(value, path)));
  return csv_line(cells);
}

std::string docs_table(const Value& schema) {
  std::string table = "| field | kind | meaning |\n|---|---|---|\n";
  visit(schema, "", [&](const std::string& path, const Value& field) {
    const Value* meaning = field.find("description");
    table += "| `" + path + "` | " + kind_of(field) +
             (field.find("anyOf") != nullptr ? " or null" : "") + " | " +
             (meaning == nullptr ? "" : in_table(leaf_text(*meaning))) + " |\n";
  });
  return table;
}

}  // namespace loadfactor::report
