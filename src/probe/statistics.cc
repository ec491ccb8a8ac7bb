#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace loadfactor::probe {

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

Summary summarise(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.5), quantile(samples, 0.1), quantile(samples, 0.9), samples.front(),
          static_cast<int>(samples.size())};
}

double relative_error(const std::vector<double>& value, const std::vector<double>& reference) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (value.size() != reference.size() || value.empty()) return kWrong;
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!std::isfinite(value[i])) return kWrong;
    difference += (value[i] - reference[i]) * (value[i] - reference[i]);
    norm += reference[i] * reference[i];
  }
  return norm > 0 ? std::sqrt(difference / norm) : kWrong;
}

}  // namespace loadfactor::probe
