#include "web/openapi.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facade/forms/form.h"
#include "loadfactor/version.h"
#include "report/describe/envelope.h"
#include "report/schemas/answer_schemas.h"
#include "web/openapi_parts.h"

namespace loadfactor::web {
namespace {

using Object = Value::Object;
using List = Value::List;

constexpr std::string_view kOldRoot = "#/definitions/";

std::string component_of(std::string_view schema, std::string_view definition) {
  return definition == "quantity" ? std::string(definition)
                                  : std::string(schema) + "_" + std::string(definition);
}

// The same schema, its definitions found among the components.
Value moved(const Value& part, std::string_view schema) {
  if (const auto* list = part.list()) {
    List out;
    for (const Value& item : *list) out.push_back(moved(item, schema));
    return out;
  }
  if (part.object() == nullptr) return part;
  Object out;
  for (const Member& member : *part.object()) {
    const auto* text = member.value.text();
    if (member.key == "$ref" && text != nullptr && text->starts_with(kOldRoot))
      out.push_back({member.key, reference(component_of(schema, text->substr(kOldRoot.size())))});
    else
      out.push_back({member.key, moved(member.value, schema)});
  }
  return out;
}

void add_answer(const report::AnswerSchema& schema, Object& components) {
  const Value document = report::document_schema(schema);
  Object answer;
  for (const Member& member : *document.object()) {
    if (member.key == "$schema") continue;
    if (member.key != "definitions") {
      answer.push_back({member.key, moved(member.value, schema.name)});
      continue;
    }
    for (const Member& definition : *member.value.object()) {
      const std::string name = component_of(schema.name, definition.key);
      const bool is_there = std::any_of(components.begin(), components.end(),
                                        [&](const Member& each) { return each.key == name; });
      if (!is_there) components.push_back({name, moved(definition.value, schema.name)});
    }
  }
  components.push_back({std::string(schema.name) + "_answer", std::move(answer)});
}

Value option_schema(const facade::Option& option) {
  using Kind = facade::Option::Kind;
  Object schema;
  if (option.kind == Kind::kSwitch || option.kind == Kind::kOutput) {
    schema.push_back({"type", "boolean"});
  } else if (option.kind == Kind::kWords) {
    const Value word = Object{{"type", List{"string", "number"}}};
    schema.push_back({"type", List{"array", "string", "number"}});
    schema.push_back({"items", word});
  } else if (option.kind == Kind::kMaybeWord) {
    schema.push_back({"type", List{"boolean", "string", "number"}});
  } else {
    schema.push_back({"type", List{"string", "number"}});
  }
  schema.push_back({"description", option.help});
  return schema;
}

// A question to one verb.
Value question_schema(const facade::Flags& form) {
  Object options = common_options();
  for (const facade::Option& option : form.options())
    options.push_back({option.name, option_schema(option)});
  Object properties{{"scenario", text_schema("The scenario, as YAML or JSON")},
                    {"files", Object{{"$ref", reference("files")}}}};
  if (!form.set_help.empty())
    properties.push_back({"set", Object{{"type", "array"},
                                        {"items", Object{{"type", "string"}}},
                                        {"description", form.set_help}}});
  properties.push_back({"options", Object{{"type", "object"},
                                          {"additionalProperties", false},
                                          {"properties", std::move(options)}}});
  return Object{{"type", "object"}, {"properties", std::move(properties)}};
}

struct VerbPath {
  std::string path;  // `calibrate/kernels`.
  std::string row;   // Whose form it fills in.
  List answers;      // Names of schemas.
};

std::vector<VerbPath> verb_paths() {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSwitches{
      {{"search", "train"}, {"scale", "train"}, {"simulate", "serve"}, {"size", "serve"}}};
  std::vector<VerbPath> paths;
  for (const facade::VerbRow& row : facade::verb_rows()) {
    std::string path(row.name);
    const auto blank = path.find(' ');
    List answers{std::string(row.name)};
    if (blank != std::string::npos) {
      path[blank] = '/';
      answers.clear();
    }
    if (row.name == "catalog")
      answers = {"catalog", "catalog-entry", "catalog-check", "catalog-nouns"};
    if (row.name == "plan") answers.emplace_back("fleet");  // Where several models share a pool.
    paths.push_back({path, std::string(row.name), std::move(answers)});
  }
  for (const auto& [verb, row] : kSwitches) {
    List answers{std::string(verb == "size" ? "sizing" : verb)};
    if (verb == "size") answers.emplace_back("fleet");
    paths.push_back({std::string(verb), std::string(row), std::move(answers)});
  }
  return paths;
}

Value answer_content(const List& answers) {
  List schemas;
  for (const Value& name : answers)
    schemas.push_back(Object{{"$ref", reference(*name.text() + "_answer")}});
  if (schemas.empty()) return Object{{"schema", Object{{"type", "object"}}}};
  if (schemas.size() == 1) return Object{{"schema", schemas.front()}};
  return Object{{"schema", Object{{"anyOf", std::move(schemas)}}}};
}

Value verb_operation(const VerbPath& verb, std::string_view help) {
  std::string id = verb.path;
  if (const auto slash = id.find('/'); slash != std::string::npos) id[slash] = '_';
  const Value by_text = Object{{"schema", Object{{"type", "string"}}}};
  Object responses{
      {"200",
       Object{{"description", "What the command line prints for the same text"},
              {"headers",
               Object{{"Loadfactor-Exit-Status",
                       Object{{"description", "0 an answer, 1 a gate that fails, 3 none feasible"},
                              {"schema", Object{{"type", "integer"}}}}}}},
              {"content", Object{{"application/json", answer_content(verb.answers)}}}}}};
  add_problems(responses);
  return Object{{"operationId", id},
                {"summary", help},
                {"parameters", List{Object{{"$ref", "#/components/parameters/format"}},
                                    Object{{"$ref", "#/components/parameters/set"}}}},
                {"requestBody",
                 Object{{"content",
                         Object{{"application/json",
                                 Object{{"schema", Object{{"$ref", reference(id + "_question")}}}}},
                                {"application/yaml", by_text}}}}},
                {"responses", std::move(responses)}};
}

}  // namespace

Value openapi() {
  Object components = common_schemas();
  for (const report::AnswerSchema& schema : report::answer_schemas())
    add_answer(schema, components);
  Object paths;
  for (const VerbPath& verb : verb_paths()) {
    for (const facade::VerbRow& row : facade::verb_rows()) {
      if (row.name != verb.row) continue;
      const Value operation = verb_operation(verb, row.help);
      components.push_back(
          {*operation.find("operationId")->text() + "_question", question_schema(*row.form())});
      paths.push_back({"/api/v1/" + verb.path, Object{{"post", operation}}});
    }
  }
  add_other_paths(paths);
  return Object{
      {"openapi", "3.1.0"},
      {"info", Object{{"title", "loadfactor"},
                      {"version", LOADFACTOR_VERSION},
                      {"description", "How full are your GPUs, and should you have them?"},
                      {"license", Object{{"name", "See LICENSE"}}}}},
      {"servers", List{Object{{"url", "/"}}}},
      {"security", List{Object{}, Object{{"token", List{}}}}},
      {"paths", std::move(paths)},
      {"components", Object{{"schemas", std::move(components)},
                            {"parameters", common_parameters()},
                            {"responses", common_responses()},
                            {"securitySchemes",
                             Object{{"token", Object{{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace loadfactor::web
