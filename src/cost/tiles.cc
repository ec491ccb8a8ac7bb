#include "cost/tiles.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::cost {
namespace {

// A split K leaves each part at least this deep.
constexpr double kLeastDepth = 256.0;
// The tile that `sustained` is quoted for costs nothing extra.
constexpr double kReferenceLoading = 1.0 / 128.0 + 1.0 / 256.0;

double loading(const Tile& tile) {
  return 1.0 / tile.rows + 1.0 / tile.columns;
}

// Waves that are paid for: a partial last wave costs a share between its fill and a whole one.
double paid_waves(double waves, double wave_paid) {
  return std::max(1.0, waves + wave_paid * (std::ceil(waves) - waves));
}

}  // namespace

Seconds tiled_time(const TiledWork& work, const TileMachine& machine,
                   const KernelParameters& parameters) {
  const double reference = 1.0 / (1.0 + parameters.tile_cost * kReferenceLoading);
  const double inverse_units = 1.0 / machine.units;
  const double most_parts = std::max(1.0, work.k / kLeastDepth);
  double best = 0.0;
  double best_parts = 1.0;
  for (const Tile& tile : kTiles) {
    const double tiles =
        std::ceil(work.m / tile.rows) * std::ceil(work.n / tile.columns) * work.products;
    const double slowness = (1.0 + parameters.tile_cost * loading(tile)) * reference;
    double waves = tiles * inverse_units;
    double parts = 1.0;
    if (waves < 1.0) parts += parameters.split * (std::min(1.0 / waves, most_parts) - 1.0);
    const double depth = work.k / parts + parameters.half;
    waves = paid_waves(waves * parts, parameters.wave_paid);
    const double cost = waves * tile.rows * tile.columns * depth * slowness;
    if (best == 0.0 || cost < best) {
      best = cost;
      best_parts = parts;
    }
  }
  Seconds time = Flops::from_base(2.0 * best * machine.units) / machine.rate;
  if (best_parts > 1.0) {
    // Every part writes fp32 sums and one kernel reads them again.
    time += Bytes::from_base(8.0 * best_parts * work.m * work.n * work.products) / machine.memory;
  }
  return time;
}

}  // namespace loadfactor::cost
