// Turns described structs into trees and schemas. Only the .cc file that describes a struct
// includes it; all others call the functions of report/describe/answers.h.
//
//   template <>
//   constexpr auto kFields<ServePart> = fields<ServePart>(
//       field<&ServePart::name>("name", "what takes the time"),
//       field<&ServePart::decode, kCalibrated>("decode", "time in a step that only decodes"));
//
// `field` stands in every answer, `known_field` only where its optional value is there, and
// `spliced` puts the fields of a struct in the place of one. What a field gives follows from the
// type that its getter returns: a member, a member through a function, or a function alone. `when`
// names the field that says whether an optional one is there, so that the schema knows it too.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/quantity_text.h"
#include "report/describe/answers.h"
#include "report/describe/schema.h"

namespace loadfactor::report {

// Values by keys that are not known beforehand.
template <typename T>
struct Dictionary {
  std::vector<std::pair<std::string, T>> values;
};

// A figure in a unit that no dimension has: kg, m2, kWh.
struct FigureIn {
  Estimate estimate;
  std::string unit;
};

// A price whose unit says what it buys.
enum class PricedWork : std::uint8_t { kMillionTokens, kGpuHour, kMonth, kDay };
constexpr std::string_view unit_of(PricedWork work) {
  switch (work) {
    case PricedWork::kMillionTokens:
      return "USD/M tokens";
    case PricedWork::kGpuHour:
      return "USD/GPU-hour";
    case PricedWork::kMonth:
      return "USD/month";
    case PricedWork::kDay:
      break;
  }
  return "USD/day";
}
template <PricedWork work>
struct PriceOf {
  Estimate estimate;

  static constexpr std::string_view kUnit = unit_of(work);
};
template <PricedWork work>
PriceOf<work> priced(const EstimateOf<Dollars>& price) {
  return {price.erased()};
}
template <PricedWork work>
std::optional<PriceOf<work>> priced(const std::optional<EstimateOf<Dollars>>& price) {
  return price ? std::optional(priced<work>(*price)) : std::nullopt;
}

template <typename T>
struct Field : FieldText {
  // Nothing: the field is left out.
  std::optional<Value> (*get)(const T&) = nullptr;

  constexpr Field in(std::string_view plain_unit) const {
    Field out = *this;
    out.unit = plain_unit;
    return out;
  }
  constexpr Field one_of(std::span<const std::string_view> allowed) const {
    Field out = *this;
    out.words = allowed;
    return out;
  }
  constexpr Field at_least(double bound) const {
    Field out = *this;
    out.least = bound;
    return out;
  }
  constexpr Field at_most(double bound) const {
    Field out = *this;
    out.most = bound;
    return out;
  }
  constexpr Field when(std::string_view other, bool is) const {
    Field out = *this;
    out.condition = Condition{other, is};
    return out;
  }
};

// The description of a struct, specialised once.
template <typename T>
constexpr int kFields = 0;
template <typename T>
concept Described = !std::is_same_v<decltype(kFields<T>), const int>;

template <typename T>
Value to_value(const T& x) requires(!Described<T>) {
  return x;
}
inline Value to_value(const Estimate& x) {
  return quantity_value(x);
}
inline Value to_value(const FigureIn& x) {
  Value out = quantity_value(x.estimate);
  for (Member& member : std::get<Value::Object>(out.data)) {
    if (member.key == "unit") member.value = x.unit;
  }
  return out;
}
template <PricedWork work>
Value to_value(const PriceOf<work>& x) {
  return to_value(FigureIn{x.estimate, std::string(PriceOf<work>::kUnit)});
}
template <typename Q>
Value to_value(const EstimateOf<Q>& x) {
  return quantity_value(x.erased());
}
template <typename T>
Value to_value(const std::optional<T>& x);
template <typename T>
Value to_value(const std::vector<T>& list);
template <typename T, std::size_t N>
Value to_value(const std::array<T, N>& list);
template <typename T>
Value to_value(const Dictionary<T>& dictionary);
template <Described T>
Value to_value(const T& x);

inline Value schema_of(Type<bool>) {
  return type_schema("boolean");
}
inline Value schema_of(Type<double>) {
  return type_schema("number");
}
inline Value schema_of(Type<std::string>) {
  return type_schema("string");
}
inline Value schema_of(Type<std::string_view>) {
  return type_schema("string");
}
inline Value schema_of(Type<Estimate>) {
  return quantity_schema("");
}
inline Value schema_of(Type<FigureIn>) {
  return quantity_schema("");
}
template <PricedWork work>
Value schema_of(Type<PriceOf<work>>) {
  return quantity_schema(PriceOf<work>::kUnit);
}
template <typename Count>
requires std::is_integral_v<Count> Value schema_of(Type<Count>) {
  return count_schema();
}
template <typename Q>
Value schema_of(Type<EstimateOf<Q>>) {
  return quantity_schema(base_unit(any(Q()).dimension));
}
template <typename T>
Value schema_of(Type<std::optional<T>>);
template <typename T>
Value schema_of(Type<std::vector<T>>);
template <typename T, std::size_t N>
Value schema_of(Type<std::array<T, N>>);
template <typename T>
Value schema_of(Type<Dictionary<T>>);
template <Described T>
Value schema_of(Type<T>);

template <typename T>
Value to_value(const std::optional<T>& x) {
  return x ? to_value(*x) : Value();
}
template <typename T>
Value to_value(const std::vector<T>& list) {
  Value::List items;
  items.reserve(list.size());
  for (const auto& x : list) items.push_back(to_value(static_cast<const T&>(x)));
  return items;
}
template <typename T, std::size_t N>
Value to_value(const std::array<T, N>& list) {
  return to_value(std::vector<T>(list.begin(), list.end()));
}
template <typename T>
Value to_value(const Dictionary<T>& dictionary) {
  Value::Object members;
  for (const auto& [key, x] : dictionary.values) members.push_back({key, to_value(x)});
  return members;
}

template <typename T>
Value schema_of(Type<std::optional<T>>) {
  return nullable_schema(schema_of(Type<T>()));
}
template <typename T>
Value schema_of(Type<std::vector<T>>) {
  return list_schema(schema_of(Type<T>()));
}
template <typename T, std::size_t N>
Value schema_of(Type<std::array<T, N>>) {
  return list_schema(schema_of(Type<T>()));
}
template <typename T>
Value schema_of(Type<Dictionary<T>>) {
  return dictionary_schema(schema_of(Type<T>()));
}

template <typename T>
struct OwnerOf;
template <typename T, typename M>
struct OwnerOf<M T::*> {
  using type = T;
};
template <typename T, typename R>
struct OwnerOf<R (*)(const T&)> {
  using type = T;
};
template <typename T>
struct OptionalOf : std::false_type {
  using type = T;
};
template <typename T>
struct OptionalOf<std::optional<T>> : std::true_type {
  using type = T;
};

// What a getter gives, as a type of its own.
template <typename Get, typename T>
using Got = std::remove_cvref_t<std::invoke_result_t<Get, const T&>>;

template <typename T, typename Get>
constexpr Field<T> make_field(std::string_view name, std::string_view meaning, Presence presence,
                              Get) {
  static_assert(std::is_empty_v<Get>, "a getter carries nothing; name functions as field<getter>");
  using R = Got<Get, T>;
  Field<T> out;
  out.name = name;
  out.meaning = meaning;
  out.presence = presence;
  if (presence == Presence::kWhenKnown) {
    out.schema = [] { return schema_of(Type<typename OptionalOf<R>::type>()); };
    out.get = [](const T& x) -> std::optional<Value> {
      Value value = to_value(Get{}(x));
      if (value.is_null()) return std::nullopt;
      return value;
    };
  } else {
    out.schema = [] { return schema_of(Type<R>()); };
    out.get = [](const T& x) -> std::optional<Value> { return to_value(Get{}(x)); };
  }
  return out;
}

// A member as it is, or what `through` makes of it.
template <auto member, auto through>
struct Through {
  template <typename T>
  auto operator()(const T& x) const {
    return through(std::invoke(member, x));
  }
};
struct AsItIs {
  template <typename T>
  constexpr T operator()(const T& x) const {
    return x;
  }
};
inline constexpr AsItIs kAsItIs{};

template <auto member, auto through = kAsItIs>
constexpr auto field(std::string_view name, std::string_view meaning) {
  using T = typename OwnerOf<decltype(member)>::type;
  return make_field<T>(name, meaning, Presence::kAlways, Through<member, through>{});
}
template <typename T, typename Get>
constexpr Field<T> field(std::string_view name, Get get, std::string_view meaning) {
  return make_field<T>(name, meaning, Presence::kAlways, get);
}
template <auto member, auto through = kAsItIs>
constexpr auto known_field(std::string_view name, std::string_view meaning) {
  using T = typename OwnerOf<decltype(member)>::type;
  return make_field<T>(name, meaning, Presence::kWhenKnown, Through<member, through>{});
}
template <typename T, typename Get>
constexpr Field<T> known_field(std::string_view name, Get get, std::string_view meaning) {
  return make_field<T>(name, meaning, Presence::kWhenKnown, get);
}
template <auto member>
constexpr auto spliced() {
  using T = typename OwnerOf<decltype(member)>::type;
  return make_field<T>("", "", Presence::kSpliced, Through<member, kAsItIs>{});
}
template <typename T, typename Get>
constexpr Field<T> spliced(Get get) {
  return make_field<T>("", "", Presence::kSpliced, get);
}

template <typename T, typename... Rows>
constexpr std::array<Field<T>, sizeof...(Rows)> fields(const Rows&... rows) {
  return {rows...};
}

template <typename T>
Value described_value(const T& x, std::span<const Field<T>> rows) {
  Value::Object members;
  for (const Field<T>& row : rows) {
    std::optional<Value> value = row.get(x);
    if (!value) continue;
    if (row.presence == Presence::kSpliced) {
      if (value->is_null()) continue;
      for (Member& member : std::get<Value::Object>(value->data))
        members.push_back(std::move(member));
    } else {
      members.push_back({std::string(row.name), *std::move(value)});
    }
  }
  return members;
}
template <typename T>
Value described_schema(std::span<const Field<T>> rows) {
  return object_schema(std::vector<FieldText>(rows.begin(), rows.end()));
}

template <Described T>
Value to_value(const T& x) {
  return described_value<T>(x, kFields<T>);
}
template <Described T>
Value schema_of(Type<T>) {
  return described_schema<T>(kFields<T>);
}

// A share as percent.
inline constexpr auto kPercent = [](double share) { return 100 * share; };
// An option, as scenarios and JSON write it; empty where there is none.
inline constexpr auto kOptionName = [](const auto& kind) { return name_of(kind); };

}  // namespace loadfactor::report
