#include "web/openapi_parts.h"

#include <array>
#include <utility>

namespace loadfactor::web {
namespace {

using Object = Value::Object;
using List = Value::List;

Value typed(const char* type, const char* meaning) {
  return Object{{"type", type}, {"description", meaning}};
}

Value object(List required, Object properties) {
  return Object{
      {"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

Value problem_schema() {
  const Value error =
      object({"code", "message"},
             {{"code", text_schema("LFnnn; `GET /api/v1/explain/LFnnn` tells more")},
              {"message", text_schema("What is wrong")},
              {"hint", text_schema("What to do next")},
              {"file", text_schema("Which text; `-` is the scenario of the request")},
              {"line", typed("integer", "From 1; 0 where there is no place")},
              {"column", typed("integer", "From 1, in characters")},
              {"length", typed("integer", "How many characters are meant")},
              {"notes", Object{{"type", "array"}, {"items", Object{{"type", "string"}}}}},
              {"exit_status", typed("integer", "As the command line has it")}});
  return object({"type", "title", "status"},
                {{"type", text_schema("Which kind of problem")},
                 {"title", text_schema("The same in words")},
                 {"status", typed("integer", "As in the first line of the reply")},
                 {"detail", text_schema("What is wrong here")},
                 {"code", text_schema("LFnnn, where the question is wrong")},
                 {"errors", Object{{"type", "array"}, {"items", error}}}});
}

Value job_schema() {
  return object(
      {"id", "verb", "state", "progress", "seconds"},
      {{"id", text_schema("Its name")},
       {"verb", text_schema("What was asked")},
       {"state", Object{{"enum", List{"queued", "running", "done", "failed", "cancelled"}}}},
       {"progress", Object{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}},
       {"seconds", typed("number", "Since it was asked, or until it ended")},
       {"status", typed("integer", "The status of its result")},
       {"has_answer", typed("boolean", "Whether the result is an answer")}});
}

Value files_schema() {
  const Value more =
      Object{{"type", "object"},
             {"properties",
              Object{{"text", text_schema("The file")},
                     {"base64", text_schema("The file, where it is no text")},
                     {"upload", text_schema("The id of an upload")},
                     {"shown_as", text_schema("How errors call it")},
                     {"size", typed("integer", "Of the whole file")},
                     {"set", Object{{"type", "array"}, {"items", Object{{"type", "string"}}}}}}}};
  return Object{
      {"type", "object"},
      {"description", "Files that the question names, by their names"},
      {"additionalProperties", Object{{"anyOf", List{Object{{"type", "string"}}, more}}}}};
}

Value upload_schema() {
  return object({"id", "name", "bytes"}, {{"id", text_schema("How questions name it")},
                                          {"name", text_schema("How it was called")},
                                          {"bytes", typed("integer", "Its size")}});
}

Value response(const char* meaning, const char* type, Value schema) {
  return Object{{"description", meaning},
                {"content", Object{{type, Object{{"schema", std::move(schema)}}}}}};
}

Value in_path(const char* name) {
  return Object{
      {"name", name}, {"in", "path"}, {"required", true}, {"schema", Object{{"type", "string"}}}};
}

Value in_query(const char* name, const char* meaning) {
  return Object{{"name", name},
                {"in", "query"},
                {"description", meaning},
                {"schema", Object{{"type", "string"}}}};
}

// An operation that answers one thing.
Value operation(const char* id, const char* summary, List parameters, const char* status,
                Value answer) {
  Object responses{{status, std::move(answer)}};
  responses.push_back({"default", Object{{"$ref", "#/components/responses/problem"}}});
  Object out{{"operationId", id}, {"summary", summary}};
  if (!parameters.empty()) out.push_back({"parameters", std::move(parameters)});
  out.push_back({"responses", std::move(responses)});
  return out;
}

Value refer(const char* name) {
  return Object{{"$ref", reference(name)}};
}

Value any_object(const char* meaning) {
  return response(meaning, "application/json", Object{{"type", "object"}});
}

Value with_body(Value made, const char* type, Value schema) {
  Object out = *made.object();
  out.push_back(
      {"requestBody", Object{{"required", true},
                             {"content", Object{{type, Object{{"schema", std::move(schema)}}}}}}});
  return out;
}

void add_jobs(Object& paths) {
  const Value job = response("The job", "application/json", refer("job"));
  const Value question = Object{{"type", "object"},
                                {"required", List{"verb"}},
                                {"properties", Object{{"verb", text_schema("Which question")}}}};
  paths.push_back(
      {"/api/v1/jobs",
       Object{{"post", with_body(operation("add_job", "Ask and come back later", {}, "202", job),
                                 "application/json", question)}}});
  paths.push_back(
      {"/api/v1/jobs/{id}",
       Object{{"get", operation("job", "How far it is", {in_path("id")}, "200", job)},
              {"delete", operation("cancel_job", "Stop it", {in_path("id")}, "200", job)}}});
  paths.push_back({"/api/v1/jobs/{id}/answer",
                   Object{{"get", operation("job_answer", "What came of it", {in_path("id")}, "200",
                                            any_object("The answer"))}}});
  paths.push_back(
      {"/api/v1/jobs/{id}/events",
       Object{{"get", operation("job_events", "How far it is, as it goes", {in_path("id")}, "200",
                                response("Events `progress` and `done`, each with a job",
                                         "text/event-stream", Object{{"type", "string"}}))}}});
}

void add_files(Object& paths) {
  const Value upload = response("The upload", "application/json", refer("upload"));
  paths.push_back(
      {"/api/v1/files",
       Object{{"get", operation("files", "What was sent", {}, "200", any_object("All uploads"))},
              {"post", with_body(operation("add_file", "Send a file before the question",
                                           {in_query("name", "How it is called")}, "201", upload),
                                 "application/octet-stream",
                                 Object{{"type", "string"}, {"format", "binary"}})}}});
  paths.push_back({"/api/v1/files/{id}",
                   Object{{"delete", operation("remove_file", "Forget it", {in_path("id")}, "204",
                                               Object{{"description", "It is gone"}})}}});
}

}  // namespace

std::string reference(std::string_view name) {
  return "#/components/schemas/" + std::string(name);
}

Value text_schema(const char* meaning) {
  return typed("string", meaning);
}

Object common_options() {
  return {{"seed", typed("integer", "Every random number comes from it")},
          {"threads", typed("integer", "How many at most")},
          {"today", typed("string", "YYYY-MM-DD by which prices age")},
          {"quiet", typed("boolean", "Leaves out the notices")},
          {"explain", typed("boolean", "Adds sums and sources")},
          {"reproducible", typed("boolean", "Leaves out run times; true unless said otherwise")}};
}

Object common_schemas() {
  return {{"problem", problem_schema()},
          {"job", job_schema()},
          {"files", files_schema()},
          {"upload", upload_schema()}};
}

Value common_parameters() {
  return Object{
      {"format", in_query("format", "Another form of the answer: table, csv, md, html, files, …")},
      {"set",
       Object{{"name", "set"},
              {"in", "query"},
              {"description", "Replaces a value of a scenario that is the body itself"},
              {"schema", Object{{"type", "array"}, {"items", Object{{"type", "string"}}}}}}}};
}

Value common_responses() {
  return Object{{"problem", response("What went wrong, as RFC 9457 has it",
                                     "application/problem+json", refer("problem"))}};
}

void add_problems(Object& responses) {
  constexpr std::array<const char*, 8> kStatuses{"400", "413", "415", "422",
                                                 "429", "500", "503", "504"};
  for (const char* status : kStatuses)
    responses.push_back({status, Object{{"$ref", "#/components/responses/problem"}}});
}

void add_other_paths(Object& paths) {
  add_jobs(paths);
  add_files(paths);
  const auto get = [&](const char* path, const char* id, const char* summary, List parameters,
                       Value answer) {
    paths.push_back({path, Object{{"get", operation(id, summary, std::move(parameters), "200",
                                                    std::move(answer))}}});
  };
  get("/api/v1/catalog/{noun}", "catalog_list", "What is known of a noun",
      {in_path("noun"), in_query("match", "A word that rows contain")},
      response("A list", "application/json", refer("catalog_answer")));
  get("/api/v1/catalog/show/{name}", "catalog_entry", "An entry", {in_path("name")},
      response("The entry", "application/json", refer("catalog-entry_answer")));
  get("/api/v1/explain/{word}", "explain_word", "What a code or a word means", {in_path("word")},
      response("Its meaning", "application/json", refer("explain_answer")));
  get("/api/v1/schemas", "schemas", "Names of schemas", {}, any_object("The names"));
  get("/api/v1/schemas/{name}", "schema", "A schema", {in_path("name")},
      response("The schema", "application/schema+json", Object{{"type", "object"}}));
  get("/api/v1/scenarios", "scenarios", "Names of scenarios that ship", {},
      any_object("The names"));
  get("/api/v1/scenarios/{name}", "shipped_scenario", "A scenario that ships", {in_path("name")},
      response("Its text", "application/yaml", Object{{"type", "string"}}));
  get("/api/v1/scenario", "opened_scenario", "The scenario that the server was started with", {},
      any_object("Name and text"));
  get("/api/v1/verbs", "verbs", "Every verb and its options", {}, any_object("The verbs"));
  get("/api/v1/status", "status", "What runs and waits", {}, any_object("The state"));
  paths.push_back(
      {"/api/v1/check",
       Object{{"post", with_body(operation("check", "Everything that is wrong with a file of ours",
                                           {}, "200", any_object("`valid` and `errors`")),
                                 "application/yaml", Object{{"type", "string"}})}}});
}

}  // namespace loadfactor::web
