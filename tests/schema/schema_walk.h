// Walks a document and its schema side by side.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/schema/json_schema.h"

namespace loadfactor::schema {

using Path = Json::json_pointer;

// A map of a document and the rules that close it: those that list its keys and allow no others.
// There are several where the document does not tell them apart.
struct ClosedMap {
  Path path;
  std::vector<const Json*> rules;
};

// The closed maps of a document that the schema accepts; of those under the same rules the first.
std::vector<ClosedMap> closed_maps(const JsonSchema& schema, const Json& instance);

// Every rule of the schema that closes a map.
std::vector<const Json*> closing_rules(const JsonSchema& schema);

// The keys a rule lists.
std::set<std::string> keys_of(const Json& rule);

// The places of the values of these maps.
std::vector<Path> member_paths(const JsonSchema& schema, const Json& instance);

// Calls `visit(key, part)` for every property of every rule.
template <typename Visit>
void for_each_property(const Json& part, const Visit& visit) {
  if (part.is_object() && part.contains("properties") && part.contains("type")) {
    for (const auto& [key, property] : part.at("properties").items()) visit(key, property);
  }
  if (!part.is_structured()) return;
  for (const auto& inner : part) for_each_property(inner, visit);
}

}  // namespace loadfactor::schema
