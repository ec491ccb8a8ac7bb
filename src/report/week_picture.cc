#include "report/week_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "base/text/bar.h"

namespace loadfactor::report {
namespace {

constexpr std::array<const char*, 7> kDays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<const char*, 6> kShades{"░░", "▒▒", "▓▓", "▓█", "██", "██"};

std::string shade(double value, double full) {
  if (value < 0) return " ·";
  if (full <= 0 || value <= 0) return "  ";
  const double share = std::min(1.0, value / full);
  const auto index = static_cast<std::size_t>(share * 5);
  return kShades[index];
}

}  // namespace

std::string heat_map(const demand::WeekProfile& week, double full) {
  for (const auto& day : week.rate)
    for (const double rate : day)
      if (full <= 0 || rate > full) full = std::max(full, rate);
  std::string text = "       0     3     6     9     12    15    18    21\n";
  for (std::size_t day = 0; day < week.rate.size(); ++day) {
    const bool known = std::any_of(week.rate[day].begin(), week.rate[day].end(),
                                   [](double rate) { return rate >= 0; });
    if (!known) continue;
    text +=
        week.has_calendar ? fmt::format("  {}  ", kDays[day]) : fmt::format("  d{}   ", day + 1);
    for (const double rate : week.rate[day]) text += shade(rate, full);
    text += "\n";
  }
  return text;
}

std::string series_line(std::span<const double> series, int width) {
  const std::size_t columns = std::min(series.size(), static_cast<std::size_t>(std::max(width, 1)));
  std::vector<double> values;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t first = column * series.size() / columns;
    const std::size_t last = std::max(first + 1, (column + 1) * series.size() / columns);
    double sum = 0;
    int known = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (series[i] < 0) continue;
      sum += series[i];
      ++known;
    }
    values.push_back(known > 0 ? sum / known : std::numeric_limits<double>::quiet_NaN());
  }
  return sparkline(values);
}

}  // namespace loadfactor::report
