#include "schemas.h"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace loadfactor::fuzz {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

// Files that are written as they are have no figures to hold to a schema.
bool is_text(const Json& document) {
  const Json& answer = document["answer"];
  return answer.is_object() && answer.size() == 1 && answer.contains("text");
}

}  // namespace

struct AnswerSchemas::Compiled {
  valijson::Validator validator;
  valijson::Schema schema;
};

AnswerSchemas::AnswerSchemas(const Json& documents) {
  for (const auto& [verb, all] : documents.items())
    for (const Json& one : all) {
      auto compiled = std::make_unique<Compiled>();
      valijson::SchemaParser(valijson::SchemaParser::kDraft7)
          .populateSchema(Adapter(one), compiled->schema);
      by_verb_[verb].push_back(std::move(compiled));
    }
}
AnswerSchemas::~AnswerSchemas() = default;

Complaints AnswerSchemas::wrong_with(const Json& document) const {
  const auto known = by_verb_.find(document.value("verb", ""));
  if (known == by_verb_.end() || is_text(document)) return {};
  for (const auto& one : known->second)
    if (one->validator.validate(one->schema, Adapter(document), nullptr)) return {};
  auto& last = *known->second.back();
  valijson::ValidationResults results;
  last.validator.validate(last.schema, Adapter(document), &results);
  valijson::ValidationResults::Error deepest, error;
  while (results.popError(error))
    if (error.context.size() >= deepest.context.size()) deepest = error;
  std::string place;
  for (const auto& step : deepest.context) place += step;
  return {"schema: " + place + ": " + deepest.description};
}

}  // namespace loadfactor::fuzz
