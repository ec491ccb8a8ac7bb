/// A tree of plain data, as JSON knows it. Members keep the order in which they were added.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace loadfactor {

struct Member;

struct Value {
  using List = std::vector<Value>;
  using Object = std::vector<Member>;

  Value();  ///< Null. NOLINTBEGIN(google-explicit-constructor): what it holds is meant.
  Value(bool flag);
  Value(double number);
  Value(std::string text);
  Value(std::string_view text);
  Value(const char* text);
  Value(List items);
  Value(Object members);
  template <typename Count>
  requires std::is_integral_v<Count> Value(Count count)
      : Value(Whole{count}) {}  // NOLINTEND(google-explicit-constructor)
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  /// The member of that name, or nothing.
  const Value* find(std::string_view key) const;
  /// What the value is, or nothing where it is of another kind.
  const List* list() const { return std::get_if<List>(&data); }
  const Object* object() const { return std::get_if<Object>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }

  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Object> data;

 private:
  struct Whole {
    template <typename Count>
    explicit Whole(Count given) : count(static_cast<std::int64_t>(given)) {}
    std::int64_t count;
  };
  explicit Value(Whole number);
};

struct Member {
  std::string key;
  Value value;
};

}  // namespace loadfactor
