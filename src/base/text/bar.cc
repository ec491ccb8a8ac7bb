#include "base/text/bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "base/check.h"
#include "base/display_width.h"

namespace loadfactor {
namespace {

constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
constexpr std::array<std::string_view, 8> kHeights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// Takes columns from the widest segments for those that are there but got none.
void show_small_ones(std::span<const BarSegment> segments, std::vector<int>& widths) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0 || segments[i].amount <= 0.0) continue;
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= 1) return;
    --*widest;
    widths[i] = 1;
  }
}

}  // namespace

std::string fraction_bar(double fraction, int width) {
  const double share = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const auto eighths = static_cast<int>(std::lround(share * 8.0 * width));
  return pad_right(
      repeated("█", eighths / 8) + std::string(kEighths[static_cast<std::size_t>(eighths % 8)]),
      width);
}

std::vector<int> segment_widths(std::span<const BarSegment> segments, int width) {
  double total = 0.0;
  for (const BarSegment& segment : segments) {
    LF_CHECK(segment.amount >= 0.0, "a segment of a bar is negative");
    total += segment.amount;
  }
  std::vector<int> widths(segments.size(), 0);
  if (total <= 0.0) return widths;

  std::vector<double> remainders;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double ideal = segments[i].amount / total * width;
    widths[i] = static_cast<int>(std::floor(ideal));
    remainders.push_back(ideal - widths[i]);
  }
  std::vector<std::size_t> order(segments.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  int missing = width - std::accumulate(widths.begin(), widths.end(), 0);
  for (std::size_t i = 0; missing > 0; i = (i + 1) % order.size(), --missing) ++widths[order[i]];
  show_small_ones(segments, widths);
  return widths;
}

std::string stacked_bar(std::span<const BarSegment> segments, int width) {
  const std::vector<int> widths = segment_widths(segments, width);
  std::string text;
  for (std::size_t i = 0; i < segments.size(); ++i) text += repeated(segments[i].fill, widths[i]);
  return "▕" + pad_right(text, width) + "▏";
}

std::string stacked_bar_labels(std::span<const BarSegment> segments, int width) {
  const std::vector<int> widths = segment_widths(segments, width);
  std::string text = " ";  // Under the frame.
  int begin = 1;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const int used = display_width(text);
    const int at = std::max(begin, used > 1 ? used + 1 : 1);
    begin += widths[i];
    if (widths[i] == 0 || at + display_width(segments[i].label) > width + 2) continue;
    text = pad_right(text, at) + segments[i].label;
  }
  return text;
}

std::string sparkline(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  std::string text;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      text += ' ';
      continue;
    }
    const double share = largest > 0.0 ? std::clamp(value / largest, 0.0, 1.0) : 0.0;
    text += kHeights[static_cast<std::size_t>(std::lround(share * 7.0))];
  }
  return text;
}

}  // namespace loadfactor
