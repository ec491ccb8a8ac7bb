#include "base/figure_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"

namespace loadfactor {

std::string dollars_text(Dollars amount) {
  constexpr double kCent = 0.01;
  const double size = std::abs(amount.base());
  if (size > 0 && size < kCent / 2) return "<$0.01";
  if (size > 0 && size < 1) return fmt::format("${:.2f}", amount.base());
  if (size >= 1e6) return "$" + format_short_count(amount.base(), 4);
  return "$" + format_count(std::llround(amount.base()));
}

std::string amount_text(Dollars amount) {
  constexpr auto kWithCents = Dollars::from_base(100);
  if (amount <= Dollars()) return "–";
  return amount < kWithCents ? fmt::format("{:.2f}", amount.base())
                             : format_count(std::llround(amount.base()));
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string uptime_text(double share) {
  constexpr int kMostDecimals = 9;
  const double missing = 100 * (1 - share);
  if (missing <= 0) return "100 %";
  const int decimals = std::max(1, static_cast<int>(std::ceil(1 - std::log10(missing))));
  if (decimals > kMostDecimals) return "more than 99.9999999 %";
  // Downwards, so that what falls short of a promise never reads as if it kept it.
  const double scale = std::pow(10.0, decimals);
  const double shown = std::floor(100 * share * scale * (1 + 1e-15) + 1e-6) / scale;
  std::string text = fmt::format("{:.{}f}", shown, decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " %";
}

std::string three_figures(double value) {
  constexpr double kWhole = 999.5;    // From here on three figures are whole ones,
  constexpr double kMaxWhole = 1e15;  // and up to here a count holds them.
  const double size = std::abs(value);
  if (!(size >= kWhole && size < kMaxWhole)) return fmt::format("{:.3g}", value);
  const double last = std::pow(10.0, std::floor(std::log10(size)) - 2);
  return format_count(std::llround(std::round(value / last) * last));
}

std::string requests_text(double count) {
  const bool is_whole = count == std::floor(count) && std::abs(count) < 1e15;
  return is_whole ? format_count(static_cast<long long>(count)) : fmt::format("{:g}", count);
}

std::string days_text(Seconds time) {
  constexpr double kFewDays = 2;
  const double hours = time / kHour;
  constexpr double kYears = 3;  // Beyond, days say nothing to anyone.
  const double years = time / kYear;
  if (years >= 1000) return format_short_count(years) + " years";
  if (years >= kYears) return fmt::format("{:.1f} years", years);
  if (hours >= 24 * kFewDays) return fmt::format("{:.1f} days", hours / 24);
  return hours >= 1 ? fmt::format("{:.1f} h", hours) : fmt::format("{:.0f} min", hours * 60);
}

}  // namespace loadfactor
