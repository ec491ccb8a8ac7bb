#include "loadfactor/value.h"

#include <utility>

namespace loadfactor {

Value::Value() = default;
Value::Value(bool flag) : data(flag) {}
Value::Value(double number) : data(number) {}
Value::Value(Whole number) : data(number.count) {}
Value::Value(std::string text) : data(std::move(text)) {}
Value::Value(std::string_view text) : data(std::string(text)) {}
Value::Value(const char* text) : data(std::string(text)) {}
Value::Value(List items) : data(std::move(items)) {}
Value::Value(Object members) : data(std::move(members)) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

const Value* Value::find(std::string_view key) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  for (const Member& member : *members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

}  // namespace loadfactor
