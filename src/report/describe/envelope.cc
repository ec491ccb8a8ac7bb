#include "report/describe/envelope.h"

#include <utility>

#include "loadfactor/version.h"
#include "report/describe/describe.h"
#include "report/describe/notice_register.h"

namespace loadfactor::report {
namespace {

constexpr std::string_view kSeverities[] = {"note", "caution"};

struct NamedFile {
  std::string name, file;
};
struct Provenance {
  std::string version;
  std::vector<UsedFact> facts;
};

std::string severity_name(const Notice& notice) {
  return std::string(kSeverities[severity_of(notice) == Severity::kCaution ? 1 : 0]);
}

}  // namespace

template <>
constexpr auto kFields<NamedFile> =
    fields<NamedFile>(field<&NamedFile::name>("name", "The scenario's name"),
                      field<&NamedFile::file>("file", "The scenario's file"));

template <>
constexpr auto kFields<Notice> =
    fields<Notice>(field<&Notice::id>("id", "Stable name of what is confessed"),
                   field<severity_name>("severity", "How grave it is").one_of(kSeverities),
                   field<text_of>("text", "The same in words"));

template <>
constexpr auto kFields<UsedFact> =
    fields<UsedFact>(field<&UsedFact::what>("what", "Which figure of which entry"),
                     field<&UsedFact::kind>("kind", "measured, datasheet, published or assumed"),
                     field<&UsedFact::source>("source", "Ids of SOURCES.md"),
                     field<&UsedFact::date>("date", "When it was read"),
                     field<&UsedFact::where>("where", "File and line that state it"));

template <>
constexpr auto kFields<Provenance> =
    fields<Provenance>(field<&Provenance::version>("version", "Version of the program"),
                       field<&Provenance::facts>("facts", "Facts of the catalogue that took part"));

namespace {

Value property(const char* meaning, Value schema) {
  Value::Object out{{"description", meaning}};
  for (const Member& member : *schema.object()) out.push_back(member);
  return out;
}

Value constant(Value value) {
  return Value::Object{{"const", std::move(value)}};
}

}  // namespace

Value scenario_value(const std::string& name, const std::string& file) {
  return to_value(NamedFile{name, file});
}

Value scenario_schema() {
  return schema_of(Type<NamedFile>());
}

Value envelope(std::string_view verb, Value question, Value answer,
               const std::vector<Notice>& notices, const std::vector<UsedFact>& facts) {
  return Value::Object{{"loadfactor", 1},
                       {"verb", verb},
                       {"scenario", std::move(question)},
                       {"answer", std::move(answer)},
                       {"notices", to_value(notices)},
                       {"provenance", to_value(Provenance{LOADFACTOR_VERSION, facts})}};
}

Value document_schema(const AnswerSchema& schema) {
  Value::Object definitions{{"quantity", quantity_definition()}};
  for (const Member& member : schema.definitions) definitions.push_back(member);
  return Value::Object{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", schema.title},
      {"description", schema.description},
      {"type", "object"},
      {"additionalProperties", false},
      {"required",
       Value::List{"loadfactor", "verb", "scenario", "answer", "notices", "provenance"}},
      {"properties",
       Value::Object{
           {"loadfactor", property("The version of this contract", constant(1))},
           {"verb", property("Which verb answered", constant(schema.verb))},
           {"scenario", property("The question as it was asked", schema.question)},
           {"answer", property("What the verb found", schema.answer)},
           {"notices",
            property("What the answer must confess", schema_of(Type<std::vector<Notice>>()))},
           {"provenance", property("What it was computed from", schema_of(Type<Provenance>()))}}},
      {"definitions", std::move(definitions)}};
}

}  // namespace loadfactor::report
