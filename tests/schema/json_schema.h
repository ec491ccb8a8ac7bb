// A JSON Schema that can be asked about documents, and our trees as JSON documents.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/document.h"

namespace loadfactor::schema {

using Json = nlohmann::json;

class JsonSchema {
 public:
  // Throws if it is no schema, which fails the test that asked.
  explicit JsonSchema(Json document);
  JsonSchema(JsonSchema&&) noexcept;
  ~JsonSchema();

  const Json& document() const { return document_; }
  bool accepts(const Json& instance) const;
  // Everything that is wrong with it, a line each; empty if it is accepted.
  std::string complaints(const Json& instance) const;
  // Whether a part of this schema accepts the instance.
  bool accepts_part(const Json& part, const Json& instance) const;
  // The definition that a part refers to, or the part itself.
  const Json& resolve(const Json& part) const;

 private:
  struct Compiled;
  Json document_;
  std::unique_ptr<Compiled> compiled_;
};

// data/schema/NAME.schema.json.
JsonSchema load_schema(const std::string& name);

// The tree as a JSON document: a plain scalar that our readers take for a number or for true or
// false becomes one. Of a key that stands twice the last value is kept.
Json to_json(const config::Node& node);

}  // namespace loadfactor::schema
