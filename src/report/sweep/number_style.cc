#include "report/sweep/number_style.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace loadfactor::report {
namespace {

using sweep::Spread;

constexpr double kFar = 1000;      // Numbers this far apart share no unit.
constexpr double kCounted = 1e15;  // Up to here a count holds them.

// Three figures of the greatest and two of the least.
int decimals_of(double least, double most) {
  const auto places = [](double number, int figures) {
    return figures - 1 - static_cast<int>(std::floor(std::log10(number)));
  };
  constexpr int kMaxPlaces = 9;
  return most > 0 ? std::clamp(std::max(places(most, 3), places(least, 2)), 0, kMaxPlaces) : 0;
}

std::string with_commas(double number, int decimals) {
  if (decimals == 0 && std::abs(number) < kCounted) return format_count(std::llround(number));
  return fmt::format("{:.{}f}", number, decimals);
}

bool is_close(const Spread& spread) {
  return spread.most <= kFar * spread.least;
}

std::string plain_text(double number, const Spread& spread) {
  if (spread.is_whole && spread.most < kCounted) return format_count(std::llround(number));
  if (!is_close(spread)) return three_figures(number);
  return with_commas(number, decimals_of(spread.least, spread.most));
}

std::string dollars(double number, const Spread& spread) {
  constexpr double kWhole = 1000;  // From here on cents say nothing.
  constexpr int kCents = 2;
  const int decimals = spread.most >= kWhole ? 0
                       : is_close(spread) ? std::max(kCents, decimals_of(spread.least, spread.most))
                                          : kCents;
  const bool is_lost = number != 0 && std::abs(number) < 0.5 * std::pow(10, -decimals);
  const std::string size =
      is_lost ? three_figures(std::abs(number)) : with_commas(std::abs(number), decimals);
  return (number < 0 ? "-$" : "$") + size;
}

// The unit that suits a quantity.
std::string unit_of(const AnyQuantity& quantity) {
  constexpr double kMoreThanOne = 1.01;  // `1 day` would lose its plural.
  std::string text = format_display(quantity);
  if (text.starts_with("1 "))
    text = format_display({quantity.value * kMoreThanOne, quantity.dimension});
  return text.substr(std::min(text.find(' '), text.size() - 1) + 1);
}

std::string quantity_text(AnyQuantity quantity, const Spread& spread) {
  if (quantity.dimension == Dimension{} || !is_close(spread)) return format_display(quantity);
  const double middle = std::sqrt(spread.least) * std::sqrt(spread.most);
  const std::string unit = unit_of({middle, quantity.dimension});
  const UnitExpression read = parse_unit(unit);
  if (read.error || read.unit.dimension != quantity.dimension) return format_display(quantity);
  constexpr int kExact = 17;
  const double most = std::stod(format_in({spread.most, quantity.dimension}, unit, kExact));
  const int decimals = decimals_of(most * (spread.least / spread.most), most);
  return format_in(quantity, unit, decimals) + " " + unit;
}

}  // namespace

std::string column_number_text(double number, const std::string& unit, const Spread& seen) {
  // Where nothing was seen but this number, it is alone.
  const double size = std::abs(number);
  const Spread spread = seen.most > 0 ? seen : Spread{size, size, number == std::floor(number)};
  constexpr double kMostShare = 20;  // What is more is a count and no share.
  if (unit == "1" && spread.most <= kMostShare) return percent_text(number);
  if (unit == "1" || unit.empty()) return plain_text(number, spread);
  if (unit.starts_with("USD")) return dollars(number, spread) + unit.substr(3);
  const UnitExpression read = parse_unit(unit);
  if (read.error) return plain_text(number, spread) + " " + unit;
  return quantity_text({number, read.unit.dimension}, spread);
}

}  // namespace loadfactor::report
