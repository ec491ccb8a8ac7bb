#include <algorithm>
#include <array>
#include <string>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "config/currency.h"
#include "config/magnitudes.h"
#include "config/reading/scenario_sections.h"
#include "config/scenario/scenario_words.h"

namespace loadfactor::config {
namespace {

std::vector<Placed<OptionKind>> read_options(MapReader& reader) {
  std::vector<Placed<OptionKind>> options;
  for (const Node* item : reader.items("options")) {
    const auto word = reader.word_of<OptionKind>(*item, "options", kOptionWords);
    if (!word) continue;
    const bool twice = std::any_of(options.begin(), options.end(),
                                   [&](const auto& option) { return option.value == *word; });
    if (twice)
      reader.add(reader.document().error(lf::kDuplicateName, item->position,
                                         "'" + item->scalar + "' is listed twice"));
    options.push_back({*word, item->position});
  }
  if (reader.has("options") && reader.items("options").empty())
    reader.report("options", lf::kMissingKey, "'options' is an empty list",
                  "name one, or leave 'options' out to compare all");
  return options;
}

TrainingSizeSection read_training_size(MapReader& reader) {
  TrainingSizeSection ask;
  using GpuTime = Quantity<Dimension{.time = 1, .gpu = 1}>;
  ask.work = {reader.quantity<GpuTime>("work", magnitude::kGpuTime), reader.position_of("work")};
  ask.serial = {reader.ratio("serial"), reader.position_of("serial")};
  if (!complain_about_price(reader, "delay_cost", DimensionOf<DollarsPerSecond>::kValue))
    ask.delay_cost = {reader.quantity<DollarsPerSecond>("delay_cost", magnitude::kRunningCost),
                      reader.position_of("delay_cost")};
  reader.finish();
  return ask;
}

WaitingSection read_waiting(MapReader& reader) {
  WaitingSection ask;
  ask.gain = {reader.ratio("gain", magnitude::kPerformance), reader.position_of("gain")};
  ask.wait = {reader.quantity<Seconds>("wait", magnitude::kDeadline), reader.position_of("wait")};
  reader.finish();
  return ask;
}

UncertaintySection read_uncertainty(MapReader& reader) {
  UncertaintySection ask;
  ask.rent = placed_ratio(reader, "rent");
  ask.capital = placed_ratio(reader, "capital");
  ask.residual = placed_ratio(reader, "residual");
  ask.electricity = placed_ratio(reader, "electricity");
  ask.pue = placed_ratio(reader, "pue");
  ask.rate = placed_ratio(reader, "rate");
  ask.load_factor = placed_ratio(reader, "load_factor");
  ask.api = placed_ratio(reader, "api");
  reader.finish();
  return ask;
}

CurrencySection read_currency(MapReader& reader) {
  CurrencySection ask;
  ask.code = {reader.text("code"), reader.position_of("code")};
  if (reader.has("code") && !is_currency_code(ask.code.value))
    reader.report("code", lf::kWrongType, "'code' is no currency", "three letters: code: EUR");
  ask.per_usd = {reader.ratio("per_usd", magnitude::kPerDollar), reader.position_of("per_usd")};
  if (ask.code.value == "USD" && ask.per_usd.value != 1)
    reader.report("per_usd", lf::kInconsistentFigures, "a US dollar is worth one US dollar",
                  "leave 'currency' out, or name the other currency");
  ask.date = placed_date(reader, "date");
  reader.finish();
  return ask;
}

void read_parts(MapReader& section, Money& money) {
  if (auto map = section.map("currency", false)) money.currency = read_currency(*map);
  if (auto map = section.map("own", false)) money.own = read_ownership(*map);
  if (auto map = section.map("rent", false)) money.rent = read_rent(*map);
  if (auto map = section.map("spot", false)) money.spot = read_spot(*map);
  if (auto map = section.map("api", false)) money.api = read_api(*map);
  if (auto map = section.map("training", false)) money.training = read_training_size(*map);
  if (auto map = section.map("waiting", false)) money.waiting = read_waiting(*map);
  if (auto map = section.map("uncertainty", false)) money.uncertainty = read_uncertainty(*map);
  if (auto map = section.map("rent_process", false)) money.rent_process = read_rent_process(*map);
  for (auto& map : section.maps("alternatives", false))
    money.alternatives.push_back(read_alternative(map));
}

// Money for a run; for a service money a month, with or without saying so.
Given<Dollars> read_budget(MapReader& section) {
  constexpr Dimension kOverTime = DimensionOf<DollarsPerSecond>::kValue;
  const Node* node = section.node("budget");
  const bool is_rate = node != nullptr && node->kind == NodeKind::kScalar &&
                       parse_amount(section.document().currency, node->scalar, kOverTime);
  if (!is_rate) return placed_quantity<Dollars>(section, "budget", magnitude::kBudget);
  const auto rate = placed_quantity<DollarsPerSecond>(section, "budget", magnitude::kRunningCost);
  if (!rate) return std::nullopt;
  return Placed<Dollars>{rate->value * kMonth, rate->position};
}

}  // namespace

ScenarioLimits read_limits(MapReader& section) {
  ScenarioLimits limits;
  limits.gpus = placed_integer(section, "gpus", magnitude::kNumGpus);
  limits.rack_power = placed_quantity<Watts>(section, "rack_power", magnitude::kRackPower);
  limits.site_power = placed_quantity<Watts>(section, "site_power", magnitude::kSitePower);
  limits.budget = read_budget(section);
  limits.headroom = placed_ratio(section, "headroom");
  const bool swapped =
      limits.rack_power && limits.site_power && limits.rack_power->value > limits.site_power->value;
  if (swapped)
    section.report("rack_power", lf::kInconsistentFigures,
                   "a rack may draw more than the whole site");
  if (section.has("deadline")) {
    section.allow("deadline");
    section.report("deadline", lf::kUnknownKey, "unknown key \"deadline\" in 'limits'",
                   "a run's deadline is written train.deadline, such as 'train: {deadline: 30 "
                   "days}'");
  }
  section.finish();
  return limits;
}

Money read_money(MapReader& section) {
  Money money;
  money.options = read_options(section);
  read_parts(section, money);
  money.region = placed_text(section, "region");
  money.electricity =
      placed_price<DollarsPerJoule>(section, "electricity", magnitude::kElectricityPrice);
  money.people = placed_running_cost(section, "people");
  money.horizon = placed_quantity<Seconds>(section, "horizon", magnitude::kServiceLife);
  money.path = numbers(section, "path", magnitude::kPriceFactor);
  money.tax = placed_ratio(section, "tax", {0.0, 0.99});
  money.revenue = placed_token_price(section, "revenue");
  money.as_of = placed_date(section, "as_of");
  money.claimed_break_even = placed_ratio(section, "claimed_break_even");
  section.finish();
  return money;
}

}  // namespace loadfactor::config
