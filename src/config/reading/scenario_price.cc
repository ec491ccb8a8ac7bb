// Prices, dates and lists of numbers of a scenario.
#include <string>

#include "base/dimension_text.h"
#include "base/error_codes.h"
#include "config/currency.h"
#include "config/magnitudes.h"
#include "config/number_check.h"
#include "config/number_text.h"
#include "config/reading/scenario_sections.h"

namespace loadfactor::config {

bool complain_about_price(MapReader& reader, std::string_view key, Dimension dimension) {
  const Node* node = reader.node(key);
  if (node == nullptr || node->kind != NodeKind::kScalar) return false;
  const std::string name = "'" + std::string(key) + "'";
  if (is_bare_number(node->scalar)) {
    reader.report(key, lf::kNoCurrency, name + " is a price without a currency",
                  unit_help(dimension, node->scalar));
    return true;
  }
  if (dimension == Dimension{.money = 1}) return false;
  const auto amount = parse_amount(reader.document().currency, node->scalar, Dimension{.money = 1});
  if (!amount) return false;
  const bool over_time = dimension.time != 0 || dimension.energy != 0;
  if (!over_time) return false;
  reader.report(key, lf::kNoPeriod, name + " is an amount of money without a period",
                unit_help(dimension, "3.5"));
  return true;
}

std::vector<double> numbers(MapReader& reader, std::string_view key, Range range) {
  std::vector<double> values;
  for (const Node* item : reader.items(key)) {
    if (item->kind != NodeKind::kScalar) {
      reader.add(reader.document().error(lf::kWrongType, item->position,
                                         "'" + std::string(key) + "' must be a list of numbers"));
      continue;
    }
    auto value = check_number(reader.document(), *item, {key, {kNone, Expect::kRatio}, range});
    if (value)
      values.push_back(*value);
    else
      reader.add(std::move(value).error());
  }
  if (reader.has(key) && reader.items(key).empty())
    reader.report(key, lf::kMissingKey, "'" + std::string(key) + "' is an empty list",
                  "write numbers, such as [0.9, 0.8], or leave it out");
  return values;
}

Given<DollarsPerGpuSecond> placed_gpu_price(MapReader& reader, std::string_view key) {
  return placed_price<DollarsPerGpuSecond>(reader, key, magnitude::kPricePerGpuHour);
}

Given<DollarsPerGpuSecond> placed_gpu_upkeep(MapReader& reader, std::string_view key) {
  return placed_price<DollarsPerGpuSecond>(reader, key, magnitude::kUpkeepPerGpuHour);
}

Given<DollarsPerSecond> placed_running_cost(MapReader& reader, std::string_view key) {
  return placed_price<DollarsPerSecond>(reader, key, magnitude::kRunningCost);
}

Given<Dollars> placed_amount(MapReader& reader, std::string_view key) {
  return placed_price<Dollars>(reader, key, magnitude::kBudget);
}

Given<DollarsPerToken> placed_token_price(MapReader& reader, std::string_view key) {
  return placed_price<DollarsPerToken>(reader, key, magnitude::kPricePerToken);
}

void refuse_both(MapReader& reader, std::string_view whole, std::string_view part) {
  if (!reader.has(whole) || !reader.has(part)) return;
  reader.report(part, lf::kContradictoryKeys,
                "'" + std::string(whole) + "' and '" + std::string(part) + "' exclude each other",
                "keep one of them");
}

Given<std::string> placed_date(MapReader& reader, std::string_view key) {
  if (!reader.has(key)) {
    reader.allow(key);
    return std::nullopt;
  }
  std::string date = reader.date(key);
  if (date.empty()) return std::nullopt;
  return Placed<std::string>{std::move(date), reader.position_of(key)};
}

}  // namespace loadfactor::config
