#include "tests/schema/schema_walk.h"

#include <algorithm>
#include <map>

namespace loadfactor::schema {
namespace {

// Adds the rules that apply to the instance, choosing branches as a validator would.
void add_rules(const JsonSchema& schema, const Json& part, const Json& instance,
               std::vector<const Json*>& rules) {
  const Json& rule = schema.resolve(part);
  if (!rule.is_object()) return;
  rules.push_back(&rule);
  for (const char* key : {"allOf", "anyOf", "oneOf"}) {
    if (!rule.contains(key)) continue;
    for (const Json& branch : rule.at(key)) {
      if (schema.accepts_part(branch, instance)) add_rules(schema, branch, instance, rules);
    }
  }
}

bool closes_a_map(const Json& rule) {
  return rule.is_object() && rule.value("additionalProperties", Json(true)) == false;
}

class MapWalk {
 public:
  explicit MapWalk(const JsonSchema& schema) : schema_(&schema) {}

  void walk(const Json& part, const Json& instance, const Path& path) {
    std::vector<const Json*> rules;
    add_rules(*schema_, part, instance, rules);
    for (const Json* rule : rules) {
      if (instance.is_object()) walk_map(*rule, instance, path);
      if (!instance.is_array() || !rule->contains("items")) continue;
      for (std::size_t i = 0; i < instance.size(); ++i)
        walk(rule->at("items"), instance[i], path / i);
    }
  }

  std::vector<ClosedMap> maps() const {
    std::vector<ClosedMap> maps;
    std::set<std::vector<const Json*>> seen;
    for (const auto& [path, rules] : found_) {
      if (seen.insert(rules).second) maps.push_back({Path(path), rules});
    }
    return maps;
  }

 private:
  void walk_map(const Json& rule, const Json& instance, const Path& path) {
    if (closes_a_map(rule)) {
      auto& rules = found_[path.to_string()];
      if (std::find(rules.begin(), rules.end(), &rule) == rules.end()) rules.push_back(&rule);
    }
    for (const auto& [key, value] : instance.items()) {
      const bool listed = rule.contains("properties") && rule.at("properties").contains(key);
      if (listed)
        walk(rule.at("properties").at(key), value, path / key);
      else if (rule.contains("additionalProperties"))
        walk(rule.at("additionalProperties"), value, path / key);
    }
  }

  const JsonSchema* schema_;
  std::map<std::string, std::vector<const Json*>> found_;
};

void add_closing_rules(const Json& part, std::vector<const Json*>& rules) {
  if (closes_a_map(part)) rules.push_back(&part);
  if (!part.is_structured()) return;
  for (const auto& inner : part) add_closing_rules(inner, rules);
}

}  // namespace

std::vector<ClosedMap> closed_maps(const JsonSchema& schema, const Json& instance) {
  MapWalk walk(schema);
  walk.walk(schema.document(), instance, Path());
  return walk.maps();
}

std::vector<const Json*> closing_rules(const JsonSchema& schema) {
  std::vector<const Json*> rules;
  add_closing_rules(schema.document(), rules);
  return rules;
}

std::set<std::string> keys_of(const Json& rule) {
  std::set<std::string> keys;
  if (!rule.contains("properties")) return keys;
  for (const auto& [key, property] : rule.at("properties").items()) keys.insert(key);
  return keys;
}

std::vector<Path> member_paths(const JsonSchema& schema, const Json& instance) {
  std::vector<Path> paths;
  for (const ClosedMap& map : closed_maps(schema, instance)) {
    for (const auto& [key, value] : instance.at(map.path).items()) paths.push_back(map.path / key);
  }
  return paths;
}

}  // namespace loadfactor::schema
