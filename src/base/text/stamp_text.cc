#include "base/text/stamp_text.h"

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "base/calendar.h"

namespace loadfactor {
namespace {

// Civil date of days since 1970 [Hinnant].
struct Civil {
  std::int64_t year = 1970;
  unsigned month = 1;
  unsigned day = 1;
};
Civil civil_of(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const auto doe = static_cast<unsigned>(days - era * 146097);
  const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const unsigned mp = (5 * doy + 2) / 153;
  const unsigned month = mp < 10 ? mp + 3 : mp - 9;
  return {static_cast<std::int64_t>(yoe) + era * 400 + (month <= 2 ? 1 : 0), month,
          doy - (153 * mp + 2) / 5 + 1};
}

}  // namespace

std::string stamp_text(double seconds) {
  constexpr auto kOneDay = static_cast<std::int64_t>(kDay.base());
  const auto whole = static_cast<std::int64_t>(std::floor(seconds));
  const std::int64_t day = whole >= 0 ? whole / kOneDay : (whole - kOneDay + 1) / kOneDay;
  const Civil date = civil_of(day);
  const std::int64_t rest = whole - day * kOneDay;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", date.year, date.month, date.day,
                     rest / 3600, rest / 60 % 60, rest % 60);
}

}  // namespace loadfactor
