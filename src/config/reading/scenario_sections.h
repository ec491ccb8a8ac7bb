// The readers of the sections of a scenario, one per key of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/reader.h"
#include "loadfactor/scenario.h"

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

// Reports a number without a currency and an amount of money where a rate belongs.
bool complain_about_price(MapReader& reader, std::string_view key, Dimension dimension);

// The keys of `deployment` that are about running it.
Operations read_operations(MapReader& reader);

// Each reads the keys of its map, reports what is wrong with them and finishes the map.
ServeSection read_serve(MapReader& section);
TrainSection read_train(MapReader& section);
ScenarioLimits read_limits(MapReader& section);
Money read_money(MapReader& section);
CapacitySection read_capacity(MapReader& section);
FacilitySection read_facility(MapReader& section);

// The parts of `train` that say what is learned from; check_tuning() holds them to the rest of it.
std::optional<MethodSection> read_method(MapReader& section);
std::optional<ExampleSection> read_examples(MapReader& section);
void check_tuning(MapReader& section, const TrainSection& ask);

// The parts of `money`.
Ownership read_ownership(MapReader& section);
RentSection read_rent(MapReader& section);
SpotSection read_spot(MapReader& section);
ApiSection read_api(MapReader& section);
AlternativeSection read_alternative(MapReader& section);
RentProcessSection read_rent_process(MapReader& section);

// A price, which needs a currency (LF301) and, where it is money over time, a period (LF306).
template <typename Q>
Given<Q> placed_price(MapReader& reader, std::string_view key, Range range) {
  if (complain_about_price(reader, key, DimensionOf<Q>::kValue)) return std::nullopt;
  return placed(reader, key, reader.maybe_quantity<Q>(key, range));
}
// The numbers of a list; one number counts as a list of one.
std::vector<double> numbers(MapReader& reader, std::string_view key, Range range);
inline Given<double> placed_ratio(MapReader& reader, std::string_view key,
                                  Range range = {0.0, 1.0}) {
  return placed(reader, key, reader.maybe_ratio(key, range));
}
Given<std::string> placed_date(MapReader& reader, std::string_view key);

// A physical quantity that may be left out.
template <typename Q>
Given<Q> placed_quantity(MapReader& reader, std::string_view key, Range range) {
  return placed(reader, key, reader.maybe_quantity<Q>(key, range));
}

// The prices and times that the sections of `money` share.
Given<DollarsPerGpuSecond> placed_gpu_price(MapReader& reader, std::string_view key);
Given<DollarsPerGpuSecond> placed_gpu_upkeep(MapReader& reader, std::string_view key);
Given<DollarsPerSecond> placed_running_cost(MapReader& reader, std::string_view key);
Given<Dollars> placed_amount(MapReader& reader, std::string_view key);
Given<DollarsPerToken> placed_token_price(MapReader& reader, std::string_view key);

// Reports `part` where `whole`, which answers the same question, stands beside it.
void refuse_both(MapReader& reader, std::string_view whole, std::string_view part);

// The key `model` of a section, which is required.
ModelSection read_model(MapReader& section);

}  // namespace loadfactor::config
