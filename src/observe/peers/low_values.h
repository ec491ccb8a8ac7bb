// Which of some values are too low beside the others to be so by chance.
#pragma once

#include <cstddef>
#include <vector>

namespace loadfactor::observe {

// Fewer than these say nothing of what is usual.
inline constexpr std::size_t kFewestPeers = 4;
// Ways by which the slow ones of a cluster are looked for, each of which could err.
inline constexpr int kSigns = 4;

struct LowTest {
  double looks = 1;         // Values that are looked at in all, by all signs.
  double false_alarms = 0;  // Chance that one is named where none is low.
  double least_effect = 0;  // What is lower by less is not worth naming.
};

struct Low {
  double statistic = 0;    // Student's t against those that are not low.
  double probability = 1;  // The chance of one so low among all that are looked at.
};

// Takes logarithms of ratios in rising order: one for each of the lowest that are no chance.
std::vector<Low> lows_of(const std::vector<double>& rising, const LowTest& rules);

// Chance of a value of Student's t at or below −|t|.
double student_tail(double t, double degrees);

// The value in the middle; of two, the larger.
double middle(std::vector<double> values);

}  // namespace loadfactor::observe
