// What repeated timings say: a middle, a spread, and how close the middle comes to the best.
#pragma once

#include <vector>

namespace loadfactor::probe {

struct Summary {
  double median = 0;
  double low = 0;   // 10 % point.
  double high = 0;  // 90 % point.
  double best = 0;  // The smallest.
  int count = 0;

  // Best over median: 1 when every repeat was as good as the best.
  double steadiness() const { return median > 0 ? best / median : 0; }
};

// The value below which `share` of the sorted values lie, between neighbours by proportion.
double quantile(const std::vector<double>& sorted, double share);
Summary summarise(std::vector<double> samples);

// ‖value − reference‖ / ‖reference‖; infinity when any value is not a number or sizes differ.
double relative_error(const std::vector<double>& value, const std::vector<double>& reference);

}  // namespace loadfactor::probe
