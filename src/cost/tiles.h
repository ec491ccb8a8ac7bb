// How long tiles of a matrix product occupy the units of a chip.
#pragma once

#include <array>

#include "cost/kernel_fit.h"
#include "loadfactor/quantity.h"

namespace loadfactor::cost {

// Sides are powers of two, so that their inverses are exact.
struct Tile {
  double rows;
  double columns;
  double per_row = 1.0 / rows;
  double per_column = 1.0 / columns;
};

// The shapes that libraries of all vendors share. One operand row and column feed rows × columns
// products, so that a small tile spends more of its time loading.
inline constexpr std::array kTiles{Tile{256, 256}, Tile{256, 128}, Tile{128, 256}, Tile{128, 128},
                                   Tile{128, 64},  Tile{64, 256},  Tile{64, 128},  Tile{64, 64}};

// Work for the tile model: `products` independent m × n × k products.
struct TiledWork {
  double m = 0.0;
  double n = 0.0;
  double k = 0.0;
  double products = 1.0;
};

struct TileMachine {
  double units = 1.0;
  FlopsPerSecond rate;    // Sustained rate of all units together.
  BytesPerSecond memory;  // Bandwidth for the partial sums of a split K.
};

// The best tile's time.
Seconds tiled_time(const TiledWork& work, const TileMachine& machine,
                   const KernelParameters& parameters);

}  // namespace loadfactor::cost
