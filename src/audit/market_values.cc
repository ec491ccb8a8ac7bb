// What machines are rented and bought for, and what electricity costs: the ends of the catalogue.
#include <algorithm>
#include <utility>

#include "audit/values.h"

namespace loadfactor::audit {
namespace {

class Ends {
 public:
  void add(double low, double high) {
    low_ = std::min(low_.value_or(low), low);
    high_ = std::max(high_.value_or(high), high);
  }
  bool empty() const { return !low_; }
  void store(Figure lowest, Figure highest, const std::string& source, Values& values) const {
    if (empty()) return;
    values.set(lowest, {*low_, false, source});
    values.set(highest, {*high_, false, source});
  }

 private:
  std::optional<double> low_;
  std::optional<double> high_;
};

bool is_of(const std::string& accelerator, const catalog::AcceleratorSpec* chip) {
  return chip == nullptr || accelerator == chip->name;
}

Ends rents(const catalog::AcceleratorSpec* chip, const catalog::Catalog& catalog) {
  Ends ends;
  for (const auto& rent : catalog.prices().rent) {
    if (is_of(rent.accelerator, chip))
      ends.add(rent.low.value_or(rent.price).base(), rent.high.value_or(rent.price).base());
  }
  return ends;
}

Ends purchases(const catalog::AcceleratorSpec* chip, const catalog::Catalog& catalog) {
  Ends ends;
  for (const auto& row : catalog.prices().capex) {
    if (is_of(row.accelerator, chip))
      ends.add(row.low.value_or(row.price).base(), row.high.value_or(row.price).base());
  }
  for (const auto& node : catalog.nodes()) {
    const bool is_its = chip == nullptr || node.name == chip->node;
    if (!is_its || !node.price || node.gpus <= 0) continue;
    const double each = node.price->capex.base() / node.gpus;
    ends.add(each, each);
  }
  return ends;
}

}  // namespace

// A chip that nobody prices is held against the whole market.
void add_market_values(const catalog::AcceleratorSpec* chip, const catalog::Catalog& catalog,
                       Values& values) {
  Ends rent = rents(chip, catalog);
  if (rent.empty()) rent = rents(nullptr, catalog);
  rent.store(Figure::kLowestRent, Figure::kHighestRent, "catalogue of rents", values);
  Ends purchase = purchases(chip, catalog);
  if (purchase.empty()) purchase = purchases(nullptr, catalog);
  purchase.store(Figure::kLowestCapex, Figure::kHighestCapex, "catalogue of purchases", values);
  constexpr double kJoulesPerKilowattHour = 3.6e6;
  Ends electricity;
  for (const auto& fact : catalog.facility()) {
    if (fact.name == "electricity_price")
      electricity.add(fact.low.value_or(fact.value) / kJoulesPerKilowattHour,
                      fact.high.value_or(fact.value) / kJoulesPerKilowattHour);
  }
  electricity.store(Figure::kLowestElectricity, Figure::kHighestElectricity,
                    "catalogue of electricity prices", values);
}

}  // namespace loadfactor::audit
