/// Values of a scenario that remember who gave them, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "loadfactor/result.h"

namespace loadfactor::config {

enum class Giver : std::uint8_t { kFile, kSet, kDefault, kPlanner };

/// Where a value stands.
struct Position {
  std::uint32_t line = 0;    ///< From 1; 0 is the whole file. For kSet it counts the assignments.
  std::uint32_t column = 0;  ///< From 1, in characters.
  std::uint32_t length = 1;  ///< Length of the word as written, in characters.
  Giver giver = Giver::kFile;

  friend bool operator==(const Position&, const Position&) = default;
};

/// A value and the place that a complaint about it points at.
template <typename T>
struct Placed {
  T value{};
  Position position;
};
template <typename T>
using Given = std::optional<Placed<T>>;
using Name = Placed<std::string>;

/// Who gave a value, and the place in the file or in the assignment of --set.
struct Origin {
  Giver giver = Giver::kFile;
  SourceSpan where;
};

/// `chat.yaml:4:14`, `--set`, `default` or `planner`.
std::string to_text(const Origin& origin);

}  // namespace loadfactor::config
