#include "facade/json.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "loadfactor/ask.h"

namespace loadfactor::facade {
namespace {

using Json = nlohmann::ordered_json;

Value value_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return json.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return json.get<std::int64_t>();
    case Json::value_t::number_float:
      return json.get<double>();
    case Json::value_t::string:
      return json.get<std::string>();
    case Json::value_t::array: {
      Value::List items;
      for (const Json& item : json) items.push_back(value_of(item));
      return items;
    }
    case Json::value_t::object: {
      Value::Object members;
      for (const auto& [key, item] : json.items()) members.push_back({key, value_of(item)});
      return members;
    }
    default:
      return {};
  }
}

Json error_value(const Error& error) {
  Json out{{"code", fmt::format("LF{:03}", error.code)}, {"message", error.message}};
  if (!error.hint.empty()) out["hint"] = error.hint;
  if (!error.where.file.empty()) out["file"] = error.where.file;
  if (error.where.line > 0) {
    out["line"] = error.where.line;
    out["column"] = error.where.column;
    out["length"] = error.where.length;
  }
  if (!error.notes.empty()) out["notes"] = error.notes;
  out["exit_status"] = exit_status(error.code);
  return out;
}

std::string printed(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string text_json(std::string_view verb, const std::string& text) {
  return printed(Json{{"loadfactor", 1},
                      {"verb", verb},
                      {"answer", Json{{"text", text}}},
                      {"notices", Json::array()}});
}

Value value_of_json(const std::string& text) {
  return value_of(Json::parse(text, nullptr, false));
}

}  // namespace loadfactor::facade

namespace loadfactor {

std::string to_json(const Error& error) {
  Diagnostics all;
  all.add(error);
  return to_json(all);
}

std::string to_json(const Diagnostics& diagnostics) {
  facade::Json errors = facade::Json::array();
  for (const Error& error : diagnostics.errors()) errors.push_back(facade::error_value(error));
  return facade::printed(facade::Json{{"loadfactor", 1}, {"errors", std::move(errors)}});
}

}  // namespace loadfactor
