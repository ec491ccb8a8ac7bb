// Small pictures in text: what share of a whole, what memory is filled with, how a series runs.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace loadfactor {

// A bar of `width` columns, filled to `fraction` of it in eighths of a column: ████▌.
// The fraction is held within [0, 1]; blanks fill up the rest.
std::string fraction_bar(double fraction, int width);

struct BarSegment {
  std::string label;
  double amount = 0.0;     // Any unit; must not be negative.
  std::string fill = "█";  // One column wide.
};

// How many of `width` columns each segment gets. They add up to `width` exactly (largest
// remainders), and a segment that is not empty gets at least one where there are enough.
std::vector<int> segment_widths(std::span<const BarSegment> segments, int width);

// The framed bar ▕███▒▒▒░░    ▏ of `width` columns inside the frame.
std::string stacked_bar(std::span<const BarSegment> segments, int width);

// The line under a stacked bar: each label where its segment begins, or as near behind it as the
// one before allows. Labels that would pass the end of the bar are left out.
std::string stacked_bar_labels(std::span<const BarSegment> segments, int width);

// One character per value, from ▁ for zero to █ for the largest; a blank for what is unknown.
std::string sparkline(std::span<const double> values);

}  // namespace loadfactor
