// Parts of a JSON Schema, made of what descriptions say.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/value.h"

namespace loadfactor::report {

// {"value":…,"low":…,"high":…,"unit":…,"basis":…,"source":…}.
Value quantity_value(const Estimate& estimate);

// How a field may be missing.
enum class Presence : std::uint8_t {
  kAlways,     // It stands there, null where nothing is known.
  kWhenKnown,  // It is left out where nothing is known.
  kSpliced,    // Its own fields stand in its place, or none where nothing is known.
};

// What another field of the same object says.
struct Condition {
  std::string_view field;
  bool is = true;

  bool operator==(const Condition&) const = default;
};

// All that a description says of a field, apart from how its value is had.
struct FieldText {
  std::string_view name;
  std::string_view meaning;
  Value (*schema)() = nullptr;
  Presence presence = Presence::kAlways;
  std::string_view unit = {};                    // The unit of a plain number.
  std::span<const std::string_view> words = {};  // The only texts that occur; empty: any.
  std::optional<double> least = {};              // Bounds of a plain number,
  std::optional<double> most = {};               // or of the number of items.
  std::optional<Condition> condition = {};       // It is there exactly when this holds.
};

Value type_schema(std::string_view json_type);
// An integer that counts something.
Value count_schema();
// A figure with interval, basis and source, in this unit; any unit where it is empty.
Value quantity_schema(std::string_view unit);
Value list_schema(Value items);
// Keys that are not known beforehand.
Value dictionary_schema(Value values);
Value nullable_schema(Value schema);
// One of two shapes.
Value either_schema(Value one, Value other);
Value field_schema(const FieldText& field);
Value object_schema(const std::vector<FieldText>& fields);

// The definition that all quantities of a schema refer to.
Value quantity_definition();

}  // namespace loadfactor::report
