#include "catalog/index/converted.h"

#include <optional>

namespace loadfactor::catalog {
namespace {

template <typename Money>
void multiply(Money& money, double factor) {
  money = money * factor;
}
template <typename Money>
void multiply(std::optional<Money>& money, double factor) {
  if (money) money = *money * factor;
}

// A price with the range that it stands in.
template <typename Row>
void multiply_range(Row& row, double factor) {
  multiply(row.price, factor);
  multiply(row.low, factor);
  multiply(row.high, factor);
}

}  // namespace

void convert(NodeSpec& node, double per_usd) {
  if (!node.price) return;
  multiply(node.price->capex, per_usd);
  multiply(node.price->low, per_usd);
  multiply(node.price->high, per_usd);
}

void convert(FabricSpec& fabric, double per_usd) {
  multiply(fabric.price_per_link, per_usd);
  multiply(fabric.price_per_switch, per_usd);
}

void convert(RegionSpec& region, double per_usd) {
  multiply(region.electricity, per_usd);
  multiply(region.electricity_low, per_usd);
  multiply(region.electricity_high, per_usd);
}

void convert(PriceBook& prices, double per_usd) {
  for (RentPrice& row : prices.rent) multiply_range(row, per_usd);
  for (CapexPrice& row : prices.capex) multiply_range(row, per_usd);
  for (ApiPrice& row : prices.api) {
    multiply(row.input, per_usd);
    multiply(row.cached, per_usd);
    multiply(row.output, per_usd);
    multiply(row.batch_input, per_usd);
  }
  for (RentHistoryPoint& row : prices.history) {
    multiply(row.lowest, per_usd);
    multiply(row.median, per_usd);
    multiply(row.spot_lowest, per_usd);
    multiply(row.spot_median, per_usd);
  }
  for (OwnershipCost& row : prices.ownership) multiply(row.price, per_usd);
}

void convert(std::vector<Fact>& facts, double per_usd) {
  for (Fact& fact : facts) {
    // `USD/kW-month`, `MUSD/MW`: money stands first in the unit.
    const bool is_money = fact.unit.starts_with("USD") || fact.unit.starts_with("MUSD");
    if (!is_money) continue;
    fact.value *= per_usd;
    if (fact.low) *fact.low *= per_usd;
    if (fact.high) *fact.high *= per_usd;
  }
}

}  // namespace loadfactor::catalog
