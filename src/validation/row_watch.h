// How far a validation is, row by row, and whether it goes on.
#pragma once

#include <cstddef>
#include <functional>

namespace loadfactor::validation {

// Called before each row; false ends the work, and what it returns is then of no use.
using RowWatch = std::function<bool(std::size_t done, std::size_t all)>;

// Whether the row after `done` others shall be taken; without a watch all are.
inline bool goes_on(const RowWatch& watch, std::size_t done, std::size_t all) {
  return !watch || watch(done, all);
}

}  // namespace loadfactor::validation
