// The one place in report/ that knows the JSON library.
#include <nlohmann/json.hpp>

#include "report/describe/tree.h"

namespace loadfactor::report {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Value& value) {
  if (const auto* items = value.list()) {
    Json list = Json::array();
    for (const Value& item : *items) list.push_back(to_json(item));
    return list;
  }
  if (const auto* members = value.object()) {
    Json::object_t object;
    object.reserve(members->size());
    for (const Member& member : *members) object.emplace_back(member.key, to_json(member.value));
    return object;
  }
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return *count;
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  if (const auto* text = value.text()) return *text;
  return nullptr;
}

}  // namespace

std::string print_json(const Value& value) {
  return to_json(value).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string print_compact_json(const Value& value) {
  return to_json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace loadfactor::report
