#include "demand/deferral.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loadfactor::demand {
namespace {

// What a queue holds while a week goes round twice: the second time begins with what the first has
// left. Rates of the second round are the ones that repeat.
Deferral let_through(std::span<const double> rates, double window, double most) {
  Deferral out{.most = most};
  double backlog = 0;
  double deepest = 0;
  for (int round = 0; round < 2; ++round) {
    out.rates.clear();
    for (const double rate : rates) {
      const double left = std::max(0.0, backlog + (std::max(rate, 0.0) - most) * window);
      out.rates.push_back(std::max(rate, 0.0) + (backlog - left) / window);
      backlog = left;
      deepest = std::max(deepest, backlog);
    }
  }
  out.longest = Seconds::from_base(most > 0 ? deepest / most : 0);
  return out;
}

}  // namespace

Deferral defer(std::span<const double> rates, Seconds window, Seconds wait) {
  if (rates.empty()) return {};
  const auto busy = [](double sum, double rate) { return sum + std::max(rate, 0.0); };
  const double mean =
      std::accumulate(rates.begin(), rates.end(), 0.0, busy) / static_cast<double>(rates.size());
  double high = std::max(mean, *std::max_element(rates.begin(), rates.end()));
  // At the mean itself a queue of a week just comes back to where it was.
  constexpr double kOverMean = 1.001;
  double low = std::min(high, mean * kOverMean);
  const auto is_kept = [&](double most) {
    return let_through(rates, window.base(), most).longest <= wait;
  };
  if (is_kept(low)) high = low;
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings && high > low; ++i) {
    const double middle = 0.5 * (low + high);
    (is_kept(middle) ? high : low) = middle;
  }
  return let_through(rates, window.base(), high);
}

Trace deferred(Trace trace, Hertz most) {
  const auto gap = static_cast<Nanoseconds>(std::llround(1e9 / most.base()));
  Nanoseconds free_at = 0;
  for (auto& request : trace.requests) {
    request.at = std::max(request.at, free_at);
    free_at = request.at + gap;
  }
  return trace;
}

}  // namespace loadfactor::demand
