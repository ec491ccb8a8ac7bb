#include "search/replicas_on.h"

#include <algorithm>
#include <cmath>

#include "search/serving_sizing.h"
#include "serving/load_factor.h"

namespace loadfactor::search {

double mean_of(const ReplicasOn& on) {
  double sum = 0;
  for (std::size_t count = 0; count < on.size(); ++count)
    sum += static_cast<double>(count) * on[count];
  return sum;
}

ReplicasOn with_spares(ReplicasOn on, int spares) {
  on.insert(on.begin(), static_cast<std::size_t>(std::max(0, spares)), 0.0);
  return on;
}

ReplicasOn replicas_followed(const std::vector<double>& rates, double each, double cold_start) {
  const auto ahead = static_cast<std::size_t>(std::ceil(cold_start / kWindowSeconds));
  ReplicasOn on;
  double known = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (rates[i] < 0) continue;
    double needed = rates[i];
    for (std::size_t j = i; j < std::min(rates.size(), i + ahead + 1); ++j)
      needed = std::max(needed, rates[j]);
    const auto count = static_cast<std::size_t>(
        std::clamp(std::ceil(needed / each), 1.0, serving::kMostReplicas + 1.0));
    if (on.size() <= count) on.resize(count + 1);
    on[count] += 1;
    known += 1;
  }
  for (double& windows : on) windows /= known;
  return on;
}

}  // namespace loadfactor::search
