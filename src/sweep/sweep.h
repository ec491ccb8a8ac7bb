// Many cases of one question: what varies, which cases count and what is kept of each.
//
// A sweep is a product of blocks. A block is a list of points, each of which gives a value to every
// one of the block's targets; a case is one point of each block. Cases are numbered from 0, the
// points of the last block next to each other, and the number alone says what a case is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/document.h"
#include "loadfactor/origin.h"
#include "sweep/samples.h"

namespace loadfactor::sweep {

enum class TargetKind : std::uint8_t { kKey, kOption, kSeed, kVerb, kScenario };

// What an axis changes, and the column of the results that shows it.
struct Target {
  TargetKind kind = TargetKind::kKey;
  std::string key;     // A path of the scenario, or an option without its dashes.
  std::string column;  // Unique in the sweep.
  config::Position position;
};

// A value as it was written or made.
struct WrittenText {
  std::string text;
  bool is_blank = false;  // Takes the key out of the scenario.
  bool is_base = false;   // Changes nothing: the value is the scenario's own.
  config::Position position;
  const config::Document* document = nullptr;  // Where the position is; the sweep's own if none.

  bool is_said() const { return !is_blank && !is_base; }
};

struct Point {
  std::vector<WrittenText> values;  // One for each target of the block.
};

struct Block {
  std::vector<std::size_t> targets;  // Numbers of the sweep's targets.
  std::vector<Point> points;
  Sampling sampling = Sampling::kNone;
  bool is_numeric = false;  // Numbers that we made from two ends, not words that were written.
};

// A figure of the answers, by its path in their JSON.
struct FigureAsk {
  std::string column;
  std::string path;
  config::Position position;
};

struct Keep {
  std::vector<FigureAsk> figures;  // Empty: what an answer says of itself in one number or word.
  bool intervals = false;          // Also the low and high end of each figure.
  bool answer = false;             // The whole JSON, compressed.
};

// What a report shows first; blank: chosen.
struct ReportAsk {
  config::Given<std::string> least;  // The figure whose least value is best,
  config::Given<std::string> most;   // or whose greatest is.
  std::vector<config::Name> pareto;  // `-figure` where more is better.
  config::Given<std::string> phase_x;
  config::Given<std::string> phase_y;
  config::Given<std::string> phase_shows;
};

struct Option {
  std::string name;
  std::vector<std::string> words;  // One for each time that it is given; none for a switch.
  config::Position position;
};

// Options of a verb; of all verbs where it is blank.
struct OptionGroup {
  std::string verb;
  std::vector<Option> options;
};

struct Sweep {
  config::Name name;
  config::Given<std::string> verb;
  config::Given<std::string> scenario;  // As the sweep writes it.
  std::string date;                     // By which ages of prices are told; blank: they are not.
  std::vector<OptionGroup> options;
  std::vector<Target> targets;
  std::vector<Block> blocks;
  std::vector<config::Name> filters;
  Keep keep;
  ReportAsk report;

  std::int64_t cases() const;  // Before filters.
};

// The point of each block that a case is made of.
std::vector<std::size_t> points_of(const Sweep& sweep, std::int64_t number);
// And the number of the case that is made of them.
std::int64_t number_of(const Sweep& sweep, const std::vector<std::size_t>& points);

// Bounds on what is believed of a sweep.
inline constexpr std::int64_t kMostCases = 1'000'000'000;
inline constexpr std::size_t kMostPoints = 1'000'000;
// Up to here every whole number is a double of its own, as filters and readers of exports need it.
inline constexpr std::int64_t kMostSeed = 9'007'199'254'740'991;

}  // namespace loadfactor::sweep
