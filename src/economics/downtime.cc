#include "economics/downtime.h"

#include <cmath>

namespace loadfactor::economics {

Hertz hazard_per_gpu(double failures, double gpus, Seconds time) {
  return failures / gpus / time;
}

Seconds mean_time_to_interruption(Hertz hazard, double gpus) {
  return 1.0 / (hazard * gpus);
}

Seconds checkpoint_time(Bytes state, BytesPerSecond bandwidth) {
  return state / bandwidth;
}

Seconds checkpoint_interval(Seconds checkpoint, Seconds interruption) {
  return Seconds::from_base(std::sqrt(2.0 * checkpoint.base() * interruption.base()));
}

double checkpoint_overhead(const DowntimeTerms& terms) {
  return terms.checkpoint / terms.interval + 0.5 * (terms.interval / terms.interruption);
}

double goodput(const DowntimeTerms& terms) {
  return 1.0 - (checkpoint_overhead(terms) + terms.restart / terms.interruption);
}

double nodes_in_repair(double nodes, Hertz hazard_per_node, Seconds repair) {
  return nodes * (hazard_per_node * repair);
}

int spares_for(double in_repair, double probability) {
  double term = std::exp(-in_repair);
  double below = term;
  int spares = 0;
  constexpr int kMost = 100'000;
  while (below < probability && spares < kMost) {
    ++spares;
    term *= in_repair / spares;
    below += term;
  }
  return spares;
}

}  // namespace loadfactor::economics
