// The parts of a sweep file, each read in a file of its own.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "sweep/sweep.h"
#include "sweep/sweep_reader.h"

namespace loadfactor::sweep {

// What reading needs beside the map at hand.
struct Desk {
  SweepFile& file;
  Diagnostics& diagnostics;
  const OpenBeside& open;

  Sweep& sweep() const { return file.sweep; }
  const config::Document& document() const { return *file.document; }
  void refuse(int code, config::Position at, std::string message, std::string hint = {}) const {
    diagnostics.add(document().error(code, at, std::move(message), std::move(hint)));
  }
  // Whether a map has a key that it must have; where it has not, `written` says how it looks.
  bool needs(config::MapReader& map, std::string_view key, std::string_view written) const {
    map.allow(key);
    if (map.has(key)) return true;
    refuse(lf::kMissingKey, map.position(), fmt::format("'{}' needs '{}'", map.what(), key),
           fmt::format("write {}: {}", key, written));
    return false;
  }
};

// Adds what a word names: `serve.demand.tokens_in`, `--gpu`, `seed`, `verb` or `scenario`. Nothing,
// and the reason, where there is no such thing or it varies already.
std::optional<std::size_t> add_target(const Desk& desk, const std::string& word,
                                      config::Position at, const std::string& column,
                                      const config::Document* document = nullptr);

// Adds a value to an axis of one key, or refuses it where it stands there already.
void add_value(const Desk& desk, Block& block, WrittenText value);

void read_axes(const Desk& desk, config::MapReader& map);
void read_samples(const Desk& desk, config::MapReader& map);
void read_case_table(const Desk& desk, config::MapReader& map);
void read_keep(const Desk& desk, config::MapReader& map);
void read_report(const Desk& desk, config::MapReader& map);

// A number with what stands behind it: `0.1 M` is 0.1 and `M`.
struct NumberWithUnit {
  double number = 0;
  std::string unit;
};
inline constexpr std::array<std::pair<std::string_view, double>, 4> kPowersOfTen{
    {{"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"T", 1e12}}};
std::optional<NumberWithUnit> split_number(std::string_view text);
// Twelve digits, so that the last bits of a logarithm are not part of what a case is.
std::string number_with_unit(double number, const std::string& unit);
// Every digit of a whole number.
std::string whole_number(double number, const std::string& unit);

// The ends of an axis.
struct Ends {
  double from = 0;
  double to = 0;
  std::string unit;
  bool is_log = false;
  bool is_whole = false;  // Made numbers are rounded to whole ones.

  double at(double share) const;
};
std::optional<Ends> read_ends(const Desk& desk, config::MapReader& axis);

// Every table of results has a column that is called so.
bool is_reserved_column(std::string_view name);
// A column of the results may be called so.
bool is_column_name(std::string_view name);
// Whether two columns have one name: a database does not tell capitals from small letters.
bool is_same_column(std::string_view a, std::string_view b);
// Whether an axis or a figure is called so.
bool is_column_taken(const Sweep& sweep, std::string_view name);

}  // namespace loadfactor::sweep
