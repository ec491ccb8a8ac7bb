// Prices that the scenario writes, held against all that the catalogue knows of the same thing.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

// So many times beyond the ends of the catalogue a price is no price of this thing.
constexpr double kUnheardOf = 3;

template <typename Price>
class Ends {
 public:
  void add(Price low, Price high) {
    low_ = low_ ? std::min(*low_, low) : low;
    high_ = high_ ? std::max(*high_, high) : high;
  }
  bool empty() const { return !low_; }

  void question(CostSetup& setup, std::string what, Price price) const {
    if (empty() || (price >= *low_ / kUnheardOf && price <= *high_ * kUnheardOf)) return;
    setup.note({.id = "unheard-of-price",
                .severity = Severity::kCaution,
                .arguments = {{"what", std::move(what)},
                              {"price", format_display(any(price), 4)},
                              {"low", format_display(any(*low_), 3)},
                              {"high", format_display(any(*high_), 3)}}});
  }

 private:
  std::optional<Price> low_;
  std::optional<Price> high_;
};

using Rents = Ends<DollarsPerGpuSecond>;

constexpr DollarsPerJoule per_kwh(double dollars) {
  return DollarsPerJoule::from_base(dollars / 3.6e6);
}

bool is_of(const std::string& accelerator, const catalog::AcceleratorSpec* chip) {
  return chip == nullptr || accelerator == chip->name;
}

Rents rents(const CostSetup& setup, const catalog::AcceleratorSpec* chip) {
  Rents ends;
  for (const auto& rent : setup.catalog->prices().rent)
    if (is_of(rent.accelerator, chip))
      ends.add(rent.low.value_or(rent.price), rent.high.value_or(rent.price));
  return ends;
}

Ends<Dollars> purchases(const CostSetup& setup, const catalog::AcceleratorSpec* chip) {
  Ends<Dollars> ends;
  for (const auto& row : setup.catalog->prices().capex)
    if (is_of(row.accelerator, chip))
      ends.add(row.low.value_or(row.price), row.high.value_or(row.price));
  for (const auto& node : setup.catalog->nodes()) {
    const bool is_its = chip == nullptr || node.name == chip->node;
    if (!is_its || !node.price || node.gpus <= 0) continue;
    const Dollars each = node.price->capex / node.gpus;
    ends.add(each, each);
  }
  return ends;
}

Ends<DollarsPerJoule> electricity(const CostSetup& setup) {
  Ends<DollarsPerJoule> ends;
  for (const auto& fact : setup.catalog->facility())
    if (fact.name == "electricity_price")
      ends.add(per_kwh(fact.low.value_or(fact.value)), per_kwh(fact.high.value_or(fact.value)));
  return ends;
}

}  // namespace

// A chip that nobody prices is held against the whole market.
void question_prices(CostSetup& setup) {
  const auto& money = setup.money();
  Rents rent = rents(setup, setup.chip);
  if (rent.empty()) rent = rents(setup, nullptr);
  const auto ask = [&](const auto& price, const char* what) {
    if (price) rent.question(setup, what, price->value);
  };
  ask(money.rent.on_demand, "money.rent.on_demand");
  ask(money.rent.reserved_1y, "money.rent.reserved_1y");
  ask(money.rent.reserved_3y, "money.rent.reserved_3y");
  ask(money.rent.spot, "money.rent.spot");
  if (money.own.price) {
    auto bought = purchases(setup, setup.chip);
    if (bought.empty()) bought = purchases(setup, nullptr);
    bought.question(setup, "money.own.price", money.own.price->value);
  }
  if (money.electricity)
    electricity(setup).question(setup, "money.electricity", money.electricity->value);
}

}  // namespace loadfactor::engine
