// Ages of prices.
#pragma once

#include <optional>
#include <string_view>

namespace loadfactor::engine {

// Days from 1970-01-01 to a date YYYY, YYYY-MM or YYYY-MM-DD; of a month or year the last day.
std::optional<int> day_number(std::string_view date);

// How many days lie between a date and today, at least; nothing if either is not known.
std::optional<int> age_in_days(std::string_view date, std::string_view today);

// Days from one date to another, below 0 where the other is earlier; nothing if either is not
// known.
std::optional<int> days_between(std::string_view from, std::string_view to);

// True if a date begins after today.
bool is_future(std::string_view date, std::string_view today);

// A price older than this raises a notice.
inline constexpr int kOldPriceDays = 90;

}  // namespace loadfactor::engine
