// A tree of plain data, as JSON knows it. Members keep the order in which they were added.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace loadfactor {

struct Member;

struct Value {
  using List = std::vector<Value>;
  using Object = std::vector<Member>;

  Value();  // Null.
  Value(bool flag);
  Value(double number);
  Value(std::string text);
  Value(std::string_view text);
  Value(const char* text);
  Value(List items);
  Value(Object members);
  template <typename Count>
  requires std::is_integral_v<Count> Value(Count count) : data(static_cast<std::int64_t>(count)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  // The member of that name, or nothing.
  const Value* find(std::string_view key) const;
  // What the value is, or nothing where it is of another kind.
  const List* list() const { return std::get_if<List>(&data); }
  const Object* object() const { return std::get_if<Object>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }

  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Object> data;
};

struct Member {
  std::string key;
  Value value;
};

inline Value::Value() = default;
inline Value::Value(bool flag) : data(flag) {}
inline Value::Value(double number) : data(number) {}
inline Value::Value(std::string text) : data(std::move(text)) {}
inline Value::Value(std::string_view text) : data(std::string(text)) {}
inline Value::Value(const char* text) : data(std::string(text)) {}
inline Value::Value(List items) : data(std::move(items)) {}
inline Value::Value(Object members) : data(std::move(members)) {}

}  // namespace loadfactor
