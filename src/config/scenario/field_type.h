// Fields of a scenario as values of any type, and back. For the table of slots alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/scenario/scenario_words.h"
#include "loadfactor/scenario.h"

namespace loadfactor::config {

inline constexpr Position kPlannerPosition{.giver = Giver::kPlanner};

// The words of a closed set.
template <typename T>
std::span<const Word<T>> words_of() {
  if constexpr (std::is_same_v<T, ModuleWord>) return kModuleWords;
  if constexpr (std::is_same_v<T, RecomputeWord>) return kRecomputeWords;
  if constexpr (std::is_same_v<T, ScheduleWord>) return kScheduleWords;
  if constexpr (std::is_same_v<T, GradientWord>) return kGradientWords;
  if constexpr (std::is_same_v<T, OffloadWord>) return kOffloadWords;
  if constexpr (std::is_same_v<T, MomentWord>) return kMomentWords;
  if constexpr (std::is_same_v<T, KeptWord>) return kKeptWords;
  if constexpr (std::is_same_v<T, DispatchWord>) return kDispatchWords;
  if constexpr (std::is_same_v<T, CompressionWord>) return kCompressionWords;
  if constexpr (std::is_same_v<T, CheckpointWord>) return kCheckpointWords;
  if constexpr (std::is_same_v<T, MethodWord>) return kMethodWords;
  if constexpr (std::is_same_v<T, PlacementWord>) return kPlacementWords;
  if constexpr (std::is_same_v<T, PreemptionWord>) return kPreemptionWords;
  if constexpr (std::is_same_v<T, OptionKind>) return kOptionWords;
  if constexpr (std::is_same_v<T, Offtake>) return kOfftakeWords;
  if constexpr (std::is_same_v<T, DepreciationWord>) return kDepreciationWords;
  if constexpr (std::is_same_v<T, LoraTargets>) return kLoraTargets;
}

template <typename T>
std::string word_text(T value) {
  for (const auto& word : words_of<T>())
    if (word.value == value) return std::string(word.text);
  return {};
}

template <typename T>
std::optional<T> find_word(const std::string& text) {
  for (const auto& word : words_of<T>())
    if (word.text == text) return word.value;
  return std::nullopt;
}

// The general case: bool, double, texts and numbers are kinds of values themselves.
template <typename T>
struct FieldType {
  static AnyValue to_any(const T& value) { return value; }
  static std::optional<T> from(const AnyValue& value) {
    const T* const held = std::get_if<T>(&value);
    return held == nullptr ? std::nullopt : std::optional<T>(*held);
  }
};

template <std::integral T>
requires(!std::same_as<T, bool>) struct FieldType<T> {
  static AnyValue to_any(T value) { return std::int64_t{value}; }
  static std::optional<T> from(const AnyValue& value) {
    const auto* const held = std::get_if<std::int64_t>(&value);
    if (held == nullptr || *held > std::numeric_limits<T>::max() ||
        *held < std::numeric_limits<T>::min())
      return std::nullopt;
    return static_cast<T>(*held);
  }
};

template <typename T>
requires std::is_enum_v<T>
struct FieldType<T> {
  static AnyValue to_any(T value) { return word_text(value); }
  static std::optional<T> from(const AnyValue& value) {
    const auto* const held = std::get_if<std::string>(&value);
    return held == nullptr ? std::nullopt : find_word<T>(*held);
  }
};

template <typename T>
requires std::is_enum_v<T>
struct FieldType<std::vector<T>> {
  static AnyValue to_any(const std::vector<T>& words) {
    std::vector<std::string> texts;
    for (const T word : words) texts.push_back(word_text(word));
    return texts;
  }
  static std::optional<std::vector<T>> from(const AnyValue& value) {
    const auto* const held = std::get_if<std::vector<std::string>>(&value);
    if (held == nullptr) return std::nullopt;
    std::vector<T> words;
    for (const auto& text : *held) {
      const auto word = find_word<T>(text);
      if (!word) return std::nullopt;
      words.push_back(*word);
    }
    return words;
  }
};

template <Dimension D>
struct FieldType<Quantity<D>> {
  static AnyValue to_any(Quantity<D> value) { return any(value); }
  static std::optional<Quantity<D>> from(const AnyValue& value) {
    const auto* const held = std::get_if<AnyQuantity>(&value);
    if (held == nullptr || !(held->dimension == D)) return std::nullopt;
    return Quantity<D>::from_base(held->value);
  }
};

// Fields that are always there cannot be blank.
template <typename T>
AnyValue read(const T& field) {
  return FieldType<T>::to_any(field);
}
template <typename T>
AnyValue read(const Placed<T>& field) {
  return FieldType<T>::to_any(field.value);
}
template <typename T>
AnyValue read(const Given<T>& field) {
  return field ? FieldType<T>::to_any(field->value) : AnyValue();
}
// Lists of placed values, and of numbers, are blank when they are empty.
template <typename T>
AnyValue read(const std::vector<Placed<T>>& field) {
  if (field.empty()) return {};
  std::vector<std::string> texts;
  for (const auto& item : field) texts.push_back(std::get<std::string>(read(item)));
  return texts;
}
inline AnyValue read(const std::vector<double>& field) {
  return field.empty() ? AnyValue() : AnyValue(field);
}

// Where a field was given; nothing for fields that keep no place.
template <typename T>
std::optional<Position> place_of(const T& /*field*/) {
  return std::nullopt;
}
template <typename T>
std::optional<Position> place_of(const Placed<T>& field) {
  return field.position;
}
template <typename T>
std::optional<Position> place_of(const Given<T>& field) {
  return field ? std::optional(field->position) : std::nullopt;
}
template <typename T>
std::optional<Position> place_of(const std::vector<Placed<T>>& field) {
  return field.empty() ? std::nullopt : std::optional(field.front().position);
}

template <typename T>
bool write(T& field, const AnyValue& value) {
  const auto given = FieldType<T>::from(value);
  if (given) field = *given;
  return given.has_value();
}
template <typename T>
bool write(Placed<T>& field, const AnyValue& value) {
  const bool is_written = write(field.value, value);
  if (is_written) field.position = kPlannerPosition;
  return is_written;
}
template <typename T>
bool write(Given<T>& field, const AnyValue& value) {
  if (std::holds_alternative<Blank>(value)) {
    field.reset();
    return true;
  }
  auto given = FieldType<T>::from(value);
  if (given) field = Placed<T>{*std::move(given), kPlannerPosition};
  return given.has_value();
}
template <typename T>
bool write(std::vector<Placed<T>>& field, const AnyValue& value) {
  if (std::holds_alternative<Blank>(value)) {
    field.clear();
    return true;
  }
  const auto* const texts = std::get_if<std::vector<std::string>>(&value);
  if (texts == nullptr) return false;
  std::vector<Placed<T>> items(texts->size());
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!write(items[i], AnyValue((*texts)[i]))) return false;
  field = std::move(items);
  return true;
}
inline bool write(std::vector<double>& field, const AnyValue& value) {
  const auto* const numbers = std::get_if<std::vector<double>>(&value);
  if (numbers != nullptr) field = *numbers;
  if (std::holds_alternative<Blank>(value)) field.clear();
  return numbers != nullptr || std::holds_alternative<Blank>(value);
}

}  // namespace loadfactor::config
