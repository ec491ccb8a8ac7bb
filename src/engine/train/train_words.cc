#include "engine/train/train_words.h"

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/quantity_text.h"

namespace loadfactor::engine {

std::string parallel_words(const TrainLayout& layout) {
  std::string text = fmt::format("tp {} × pp {} × dp {}", layout.tp, layout.pp, layout.dp);
  if (layout.cp > 1) text += fmt::format(" × cp {}", layout.cp);
  if (layout.ep > 1) text += fmt::format(", ep {}", layout.ep);
  return text;
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

}  // namespace loadfactor::engine
