// Growth of traffic as people write it: `8 %/month`, `60 %/year`.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/quantity_text.h"
#include "loadfactor/scenario.h"

namespace loadfactor::config {

std::optional<Growth> parse_growth(std::string_view text) {
  constexpr double kMostGrowth = 10;  // Beyond it somebody wrote 800 % for 8 %.
  constexpr double kMonthsPerYear = 12;
  for (const auto& [period, months] : {std::pair(std::string_view("/month"), 1.0),
                                       std::pair(std::string_view("/year"), kMonthsPerYear)}) {
    if (!text.ends_with(period)) continue;
    std::string_view share = text;
    share.remove_suffix(period.size());
    while (share.ends_with(' ')) share.remove_suffix(1);
    const auto rate = parse_quantity(share, Dimension{}, Expect::kRatio);
    if (!rate || !(rate->value > -1) || rate->value > kMostGrowth) return std::nullopt;
    Growth growth;
    growth.text = std::string(text);
    growth.per_month = std::expm1(std::log1p(rate->value) / months);
    return growth;
  }
  return std::nullopt;
}

double Growth::after(int month) const {
  if (months.empty()) return std::pow(1 + per_month, month);
  if (month <= 0) return 1;
  return months[std::min(static_cast<std::size_t>(month), months.size()) - 1];
}

}  // namespace loadfactor::config
