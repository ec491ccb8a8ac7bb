// The readers of the sections of a scenario, one per key of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/reader.h"
#include "config/scenario.h"

namespace loadfactor::config {

// Gives a value that was read from `key` its place.
template <typename T>
Given<T> placed(const MapReader& reader, std::string_view key, std::optional<T> value) {
  if (!value) return std::nullopt;
  return Placed<T>{*std::move(value), reader.position_of(key)};
}

inline Given<std::string> placed_text(MapReader& reader, std::string_view key) {
  return placed(reader, key, reader.maybe_text(key));
}
inline Given<std::int64_t> placed_integer(MapReader& reader, std::string_view key, Range range) {
  return placed(reader, key, reader.maybe_integer(key, range));
}
// A whole number whose range fits an int.
Given<int> placed_int(MapReader& reader, std::string_view key, Range range);

// Each reads the keys of its map, reports what is wrong with them and finishes the map.
ServeAsk read_serve(MapReader& section);
TrainAsk read_train(MapReader& section);
ScenarioLimits read_limits(MapReader& section);
Money read_money(MapReader& section);

// The key `model` of a section, which is required.
ModelAsk read_model(MapReader& section);

}  // namespace loadfactor::config
