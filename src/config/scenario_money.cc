#include <algorithm>
#include <array>
#include <string>

#include "base/error_codes.h"
#include "config/magnitudes.h"
#include "config/scenario_sections.h"

namespace loadfactor::config {
namespace {

constexpr std::array kOptionWords{
    Word<MoneyOption>{"on-demand", MoneyOption::kOnDemand},
    Word<MoneyOption>{"reserved-1y", MoneyOption::kReserved1y},
    Word<MoneyOption>{"reserved-3y", MoneyOption::kReserved3y},
    Word<MoneyOption>{"spot", MoneyOption::kSpot},
    Word<MoneyOption>{"own", MoneyOption::kOwn},
    Word<MoneyOption>{"api", MoneyOption::kApi},
};

std::vector<Placed<MoneyOption>> read_options(MapReader& reader) {
  std::vector<Placed<MoneyOption>> options;
  for (const Node* item : reader.items("options")) {
    const auto word = reader.word_of<MoneyOption>(*item, "options", kOptionWords);
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

Ownership read_ownership(MapReader& reader) {
  Ownership own;
  own.life =
      placed(reader, "life", reader.maybe_quantity<Seconds>("life", magnitude::kServiceLife));
  own.residual = placed(reader, "residual", reader.maybe_ratio("residual"));
  own.discount = placed(reader, "discount", reader.maybe_ratio("discount"));
  reader.finish();
  return own;
}

}  // namespace

ScenarioLimits read_limits(MapReader& section) {
  ScenarioLimits limits;
  limits.gpus = placed_integer(section, "gpus", magnitude::kNumGpus);
  limits.rack_power = placed(section, "rack_power",
                             section.maybe_quantity<Watts>("rack_power", magnitude::kRackPower));
  limits.site_power = placed(section, "site_power",
                             section.maybe_quantity<Watts>("site_power", magnitude::kSitePower));
  limits.budget =
      placed(section, "budget", section.maybe_quantity<Dollars>("budget", magnitude::kBudget));
  const bool swapped =
      limits.rack_power && limits.site_power && limits.rack_power->value > limits.site_power->value;
  if (swapped)
    section.report("rack_power", lf::kInconsistentFigures,
                   "a rack may draw more than the whole site");
  section.finish();
  return limits;
}

Money read_money(MapReader& section) {
  Money money;
  money.options = read_options(section);
  if (auto map = section.map("own", false)) money.own = read_ownership(*map);
  money.electricity =
      placed(section, "electricity",
             section.maybe_quantity<DollarsPerJoule>("electricity", magnitude::kElectricityPrice));
  section.finish();
  return money;
}

}  // namespace loadfactor::config
