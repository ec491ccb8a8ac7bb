#include "cost/tiles.h"

#include <algorithm>
#include <cstdint>

namespace loadfactor::cost {
namespace {

// A split K leaves each part at least this deep.
constexpr double kLeastDepth = 256.0;
// The tile that `sustained` is quoted for costs nothing extra.
constexpr double kReferenceLoading = 1.0 / 128.0 + 1.0 / 256.0;

constexpr double loading(const Tile& tile) {
  return tile.per_row + tile.per_column;
}

// std::ceil of what is never negative nor large, without a call to the library.
double round_up(double value) {
  const auto whole = static_cast<double>(static_cast<std::int64_t>(value));
  return whole < value ? whole + 1.0 : whole;
}

// Waves that are paid for: a partial last wave costs a share between its fill and a whole one.
double paid_waves(double waves, double wave_paid) {
  return std::max(1.0, waves + wave_paid * (round_up(waves) - waves));
}

}  // namespace

Seconds tiled_time(const TiledWork& work, const TileMachine& machine,
                   const KernelParameters& parameters) {
  const double reference = 1.0 / (1.0 + parameters.tile_cost * kReferenceLoading);
  const double inverse_units = 1.0 / machine.units;
  const double most_parts = std::max(1.0, work.k / kLeastDepth);
  // Every part of a split K writes fp32 sums and one kernel reads them again. In FLOP of one
  // unit, so that it adds to the arithmetic.
  const double sum_cost = Bytes::from_base(8.0 * work.m * work.n * work.products) / machine.memory *
                          machine.rate / Flops::from_base(2.0 * machine.units);
  double best = 0.0;
  for (const Tile& tile : kTiles) {
    const double tiles =
        round_up(work.m * tile.per_row) * round_up(work.n * tile.per_column) * work.products;
    const double slowness = (1.0 + parameters.tile_cost * loading(tile)) * reference;
    const double area = tile.rows * tile.columns * slowness;
    const double waves = tiles * inverse_units;
    double cost = paid_waves(waves, parameters.wave_paid) * area * (work.k + parameters.half);
    if (waves < 1.0) {
      const double full = std::min(machine.units / tiles, most_parts);
      const double parts = 1.0 + parameters.split * (full - 1.0);
      cost = std::min(cost, area * (work.k / parts + parameters.half) + parts * sum_cost);
    }
    if (best == 0.0 || cost < best) best = cost;
  }
  return Flops::from_base(2.0 * best * machine.units) / machine.rate;
}

}  // namespace loadfactor::cost
