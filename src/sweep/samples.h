// Points of the unit cube that fill it better than chance does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loadfactor::sweep {

enum class Sampling : std::uint8_t {
  kNone,
  kSobol,           // A scrambled Sobol' sequence [Joe 2008].
  kLatinHypercube,  // One point in every one of `count` strips of each axis [McKay 1979].
  kSaltelli,        // Blocks from which first-order and total indices follow [Saltelli 2010].
};

// Dimensions for which there are direction numbers; a Saltelli design needs two for each axis.
inline constexpr std::size_t kMostDimensions = 21;

using UnitPoint = std::vector<double>;  // Each coordinate in [0, 1).

// Point `index` of the sequence, shifted digit by digit by a number that the seed gives.
UnitPoint sobol_point(std::uint64_t index, std::size_t dimensions, std::uint64_t seed);

// `count` points, or with kSaltelli `count` rows of (dimensions + 2) points: A, B, then A with the
// column of each dimension taken from B.
std::vector<UnitPoint> sample_points(Sampling method, std::size_t count, std::size_t dimensions,
                                     std::uint64_t seed);

// First-order and total indices of each dimension from the values of a Saltelli design in the order
// of its points. Nothing where a value is missing is known: rows with a NaN are left out.
struct SobolIndex {
  double first = 0;
  double total = 0;
  double first_error = 0;  // Standard errors: another sample of as many rows differs by so much.
  double total_error = 0;
};
struct SobolIndices {
  std::vector<SobolIndex> of;
  std::size_t rows = 0;  // Rows that had all their values.
  double variance = 0;
};
SobolIndices sobol_indices(const std::vector<double>& values, std::size_t dimensions);

}  // namespace loadfactor::sweep
