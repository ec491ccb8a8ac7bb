#include "economics/training_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loadfactor::economics {

Seconds training_time(const TrainingTerms& terms, double gpus) {
  const Gpus all = Gpus::from_base(gpus);
  return terms.work * (1.0 + terms.serial * (gpus - 1.0)) / all;
}

Dollars training_cost(const TrainingTerms& terms, double gpus) {
  const Seconds time = training_time(terms, gpus);
  return terms.gpu * gpus * time + terms.delay * time;
}

double best_training_size(const TrainingTerms& terms) {
  if (terms.serial == 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(terms.delay / terms.gpu * (1.0 - terms.serial) / terms.serial);
}

Dollars next_gpu_value(const TrainingTerms& terms, double gpus) {
  return training_cost(terms, gpus) - training_cost(terms, gpus + 1.0);
}

DollarsPerSecond next_serving_gpu_value(TokensPerSecond unserved, TokensPerSecond per_gpu,
                                        DollarsPerToken price, DollarsPerSecond cost) {
  return std::max(TokensPerSecond(), std::min(unserved, per_gpu)) * price - cost;
}

}  // namespace loadfactor::economics
