#include "tests/schema/json_schema.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "config/number_text.h"
#include "tests/broken/broken_inputs.h"

namespace loadfactor::schema {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

std::unique_ptr<valijson::Schema> compile(const Json& document) {
  auto schema = std::make_unique<valijson::Schema>();
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(Adapter(document), *schema);
  return schema;
}

// A number as our readers take it; JSON Schema counts 64.0 among the integers.
std::optional<Json> number_in(std::string_view text) {
  if (!config::is_bare_number(text) || config::refuse_leading_zero(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr double kExact = 9007199254740992.0;  // 2^53.
  const bool whole = value == std::floor(value) && std::abs(value) <= kExact;
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json scalar_to_json(const config::Node& node) {
  if (node.style == config::ScalarStyle::kQuoted) return node.scalar;
  if (node.scalar == "true") return true;
  if (node.scalar == "false") return false;
  if (auto number = number_in(node.scalar)) return *std::move(number);
  return node.scalar;
}

}  // namespace

struct JsonSchema::Compiled {
  std::unique_ptr<valijson::Schema> whole;
  // By their place in the document; compiled when they are first asked for.
  std::map<const Json*, std::unique_ptr<valijson::Schema>> parts;
};

JsonSchema::JsonSchema(Json document)
    : document_(std::move(document)), compiled_(std::make_unique<Compiled>()) {
  compiled_->whole = compile(document_);
}
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema::~JsonSchema() = default;

bool JsonSchema::accepts(const Json& instance) const {
  return valijson::Validator().validate(*compiled_->whole, Adapter(instance), nullptr);
}

std::string JsonSchema::complaints(const Json& instance) const {
  valijson::ValidationResults results;
  if (valijson::Validator().validate(*compiled_->whole, Adapter(instance), &results)) return {};
  std::string lines;
  for (const auto& error : results) {
    for (const auto& step : error.context) lines += step;
    lines += ": " + error.description + "\n";
  }
  return lines;
}

bool JsonSchema::accepts_part(const Json& part, const Json& instance) const {
  auto& compiled = compiled_->parts[&part];
  if (!compiled) {
    compiled = compile(Json{{"definitions", document_.value("definitions", Json::object())},
                            {"allOf", Json::array({part})}});
  }
  return valijson::Validator().validate(*compiled, Adapter(instance), nullptr);
}

const Json& JsonSchema::resolve(const Json& part) const {
  const auto reference = part.find("$ref");
  if (reference == part.end()) return part;
  const auto path = reference->get<std::string>().substr(1);  // Without the '#'.
  return resolve(document_.at(Json::json_pointer(path)));
}

JsonSchema load_schema(const std::string& name) {
  const auto folder = std::filesystem::path(LF_SOURCE_DIR) / "data/schema";
  return JsonSchema(Json::parse(broken::read_file(folder / (name + ".schema.json"))));
}

Json to_json(const config::Node& node) {
  switch (node.kind) {
    case config::NodeKind::kNull:
      return nullptr;
    case config::NodeKind::kScalar:
      return scalar_to_json(node);
    case config::NodeKind::kList: {
      Json list = Json::array();
      for (const auto& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case config::NodeKind::kMap:
      break;
  }
  Json map = Json::object();
  for (const auto& member : node.members) map[member.key] = to_json(member.value);
  return map;
}

}  // namespace loadfactor::schema
