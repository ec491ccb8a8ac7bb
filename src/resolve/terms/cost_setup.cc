#include "resolve/terms/cost_setup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/distributions.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/load/entry_reader.h"
#include "catalog/used_fact.h"
#include "resolve/model/sold_alone.h"
#include "resolve/terms/cost_dates.h"

namespace loadfactor::engine {
namespace {

using economics::bit;

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

economics::OptionSet options_asked(const config::Money& money) {
  const auto wants = [&](OptionKind option) { return money.asks_for(option); };
  economics::OptionSet asked = bit(OptionKind::kAlternative) | bit(OptionKind::kManaged);
  const bool on_demand = wants(OptionKind::kOnDemand);
  if (on_demand) asked |= bit(OptionKind::kOnDemand) | bit(OptionKind::kAutoscaled);
  if (wants(OptionKind::kReserved1y)) asked |= bit(OptionKind::kReserved1y);
  if (wants(OptionKind::kReserved3y)) asked |= bit(OptionKind::kReserved3y);
  if (wants(OptionKind::kSpot)) asked |= bit(OptionKind::kSpot);
  if (wants(OptionKind::kApi)) asked |= bit(OptionKind::kApi);
  if (on_demand && (wants(OptionKind::kReserved1y) || wants(OptionKind::kReserved3y)))
    asked |= bit(OptionKind::kThreeTier);
  if (!wants(OptionKind::kOwn)) return asked;
  asked |= bit(OptionKind::kOwn);
  if (on_demand) asked |= bit(OptionKind::kOwnBurst);
  if (wants(OptionKind::kSpot)) asked |= bit(OptionKind::kOwnSpotBurst);
  return asked;
}

void check_dates(const CostSetup& setup, Diagnostics& diagnostics) {
  const auto check = [&](const config::Given<std::string>& date) {
    if (!date || !is_future(date->value, setup.today)) return;
    diagnostics.add(
        setup.error(lf::kFutureDate, date->position,
                    fmt::format("{} lies in the future: today is {}", date->value, setup.today),
                    "write the day the price was seen"));
  };
  check(setup.money().as_of);
  check(setup.money().own.as_of);
  check(setup.money().rent.as_of);
  if (setup.money().api) check(setup.money().api->as_of);
  for (const auto& other : setup.money().alternatives) check(other.as_of);
}

// A demand of which mean and spread are known, as hours of equal weight.
std::vector<double> normal_hours(double mean, double deviation) {
  constexpr int kHours = 2000;
  std::vector<double> hours;
  hours.reserve(kHours);
  for (int i = 0; i < kHours; ++i)
    hours.push_back(std::max(0.0, mean + deviation * normal_quantile((i + 0.5) / kHours)));
  return hours;
}

void read_shape(CostSetup& setup, const config::CapacitySection& ask, double& peak, double& mean) {
  if (ask.hours) {
    setup.hours = ask.hours->value;
    setup.terms.capacity.by_hour = economics::LoadCurve(setup.hours);
    peak = setup.terms.capacity.by_hour.peak();
    mean = setup.terms.capacity.by_hour.mean();
  } else if (ask.mean) {
    mean = ask.mean->value;
    const double deviation = ask.deviation ? ask.deviation->value : 0.0;
    setup.terms.capacity.by_hour = economics::LoadCurve(normal_hours(mean, deviation));
    // Two standard deviations: enough for all but one hour in forty-four.
    peak = mean + 2.0 * deviation;
  }
}

// Tokens that arrive on average: as stated, or those of the service's requests.
std::optional<TokensPerSecond> tokens_asked(const CostSetup& setup,
                                            const config::CapacitySection& ask) {
  if (ask.demand) return ask.demand->value;
  return setup.demand ? std::optional(setup.demand->tokens()) : std::nullopt;
}

void read_load(CostSetup& setup, const config::CapacitySection& ask, double mean) {
  auto& capacity = setup.terms.capacity;
  const auto asked = tokens_asked(setup, ask);
  if (ask.load_factor) {
    capacity.load_factor = ask.load_factor->value;
    capacity.is_of_demand = false;
    setup.load.reset();
  } else if (asked && mean <= 0 && capacity.full_plane > TokensPerSecond()) {
    capacity.load_factor = std::min(1.0, *asked / capacity.full_plane);
    capacity.is_of_demand = capacity.load_factor < 1;
    capacity.unserved = std::max(TokensPerSecond(), *asked - capacity.full_plane);
    if (capacity.unserved > TokensPerSecond())
      setup.note({.id = "unserved",
                  .arguments = {{"arriving", format_display(any(*asked))},
                                {"made", format_display(any(capacity.full_plane))}}});
  } else if (mean > 0) {
    capacity.load_factor = std::min(1.0, mean / capacity.gpus);
  } else if (capacity.load_factor <= 0) {
    capacity.load_factor = 1;
    setup.note({.id = "assumed-full"});
  }
}

economics::RunWork work_of(const KnownCapacity& known) {
  const KnownRun& run = *known.run;
  economics::RunWork work{.tokens = run.tokens,
                          .owned_bound = std::max(0.0, 1.0 - run.there / known.gpus)};
  for (const RunWay& way : run.ways) {
    const double relative = known.load_factor > 0 ? way.share.value() / known.load_factor : 1.0;
    work.ways.at(static_cast<std::size_t>(way.kind)) = {.gpus = way.gpus, .relative = relative};
  }
  return work;
}

void use_known(CostSetup& setup, const KnownCapacity& known) {
  auto& capacity = setup.terms.capacity;
  capacity.gpus = known.gpus;
  capacity.full_plane = known.full_plane;
  capacity.load_factor = known.load_factor;
  setup.rate_variation = known.variation;
  setup.run = known.run;
  setup.load = known.load;
  setup.hours = known.busy_by_hour;
  capacity.by_hour = economics::LoadCurve(setup.hours);
  capacity.node = std::max(1.0, known.replica);
  if (known.run) capacity.run = work_of(known);
  capacity.is_of_demand = !known.run;
  for (std::size_t units = 0; units < known.on.size(); ++units)
    if (known.on[units] > 0) capacity.on.push_back({static_cast<int>(units), known.on[units]});
}

// The same deployment on as many GPUs as there are: whole replicas, and no hour needs more of them.
// Nothing, and the reason, where they hold none.
std::optional<KnownCapacity> on_stated_gpus(const CostSetup& setup, KnownCapacity known,
                                            Diagnostics& diagnostics) {
  const auto& stated = setup.scenario.capacity->gpus;
  if (!stated || static_cast<double>(stated->value) == known.gpus) return known;
  if (auto fault = find_gpus_fault(setup.scenario, known.gpus)) {
    diagnostics.add(*std::move(fault));
    return std::nullopt;
  }
  const auto gpus = static_cast<double>(stated->value);
  const double units = std::floor(gpus / known.replica + 1e-9);
  if (units < 1) {
    diagnostics.add(setup.error(
        lf::kDoesNotFit, stated->position,
        fmt::format("{} GPUs hold no replica: it takes {:.0f}", stated->value, known.replica),
        fmt::format("capacity.gpus: {:.0f}, a smaller precision or less tp", known.replica)));
    return std::nullopt;
  }
  known.full_plane = known.full_plane * (units * known.replica / known.gpus);
  known.gpus = gpus;
  for (double& busy : known.busy_by_hour) busy = std::min(busy, units * known.replica);
  return known;
}

void confess_assumptions(CostSetup& setup) {
  const auto assumed = take_assumed(setup);
  if (!assumed.empty())
    setup.note({.id = "assumed-facts", .arguments = {{"facts", joined(assumed)}}});
  std::vector<std::string> old;
  for (const auto& price : setup.prices) {
    if (price.age_days && *price.age_days > kOldPriceDays)
      old.push_back(fmt::format("{} ({}, {} days)", price.what, price.date, *price.age_days));
  }
  if (!old.empty())
    setup.note({.id = "stale-price",
                .arguments = {{"days", std::to_string(kOldPriceDays)}, {"prices", joined(old)}}});
}

}  // namespace

std::vector<std::string> take_assumed(CostSetup& setup) {
  std::vector<std::string> assumed = std::exchange(setup.assumed, {});
  std::sort(assumed.begin(), assumed.end());
  assumed.erase(std::unique(assumed.begin(), assumed.end()), assumed.end());
  return assumed;
}

std::string per_hour_text(DollarsPerSecond price) {
  return fmt::format("{:.4g} USD/h", (price * kHour).base());
}

const catalog::Fact* CostSetup::find_fact(std::string_view name, std::string_view variant) const {
  for (const auto& row : catalog->facility()) {
    if (row.name == name && row.variant == variant) return &row;
  }
  return nullptr;
}

double CostSetup::fact(std::string_view name, std::string_view variant) {
  const catalog::Fact* row = find_fact(name, variant);
  if (row == nullptr) {
    missing.add({.code = lf::kPriceNotFound,
                 .message = fmt::format("the catalogue has no {} of {}", name, variant),
                 .hint = fmt::format("add a row `{},{},…` to facility/facility.csv", name, variant),
                 .where = {.file = "facility/facility.csv"}});
    return std::numeric_limits<double>::quiet_NaN();
  }
  UsedFact used = catalog::used_fact(*row);
  const std::string what = used.what;
  const auto& from = row->provenance;
  const bool known = std::any_of(facts.begin(), facts.end(),
                                 [&](const UsedFact& other) { return other.what == what; });
  if (!known) facts.push_back(std::move(used));
  // Spreads are assumed by nature, and the answer says so where it shows them.
  const bool spread = name == "uncertainty" || name == "correlation";
  if (from.kind == catalog::SourceKind::kAssumed && !spread) assumed.push_back(what);
  return row->value;
}

std::string rent_fact_id(std::string_view term, std::string_view accelerator) {
  return fmt::format("rent/{}/{}", term, accelerator);
}

void CostSetup::use_price(std::string id, std::string what, std::string price,
                          const catalog::Provenance& from) {
  const bool is_assumed = from.kind == catalog::SourceKind::kAssumed;
  const bool again = std::any_of(prices.begin(), prices.end(),
                                 [&](const UsedPrice& used) { return used.what == what; });
  if (again) return;
  facts.push_back({what, std::string(catalog::text_of(from.kind)), joined(from.sources), from.date,
                   fmt::format("{}:{}", from.file, from.line), price, std::move(id)});
  prices.push_back({std::move(what), std::move(price), from.date, age_in_days(from.date, today),
                    joined(from.sources), is_assumed});
}

void CostSetup::use_written_price(std::string id, std::string what, std::string price,
                                  config::Position at, const config::Given<std::string>& as_of) {
  const std::string where = at.giver == config::Giver::kFile
                                ? fmt::format("{}:{}", scenario.file(), at.line)
                                : to_text(scenario.origin(at));
  const auto& dated = as_of ? as_of : money().as_of;
  const std::string date = dated ? dated->value : std::string();
  facts.push_back({what, "assumed", "your scenario", date, where, price, std::move(id)});
  prices.push_back({std::move(what), std::move(price), date.empty() ? "not dated" : date,
                    age_in_days(date, today), where, true});
}

std::optional<Error> find_gpus_fault(const config::Scenario& scenario, double deployed) {
  if (!scenario.capacity || !scenario.capacity->gpus) return std::nullopt;
  const auto& stated = *scenario.capacity->gpus;
  const auto& deployment = scenario.serve ? scenario.serve->deployment : std::nullopt;
  const bool is_written =
      scenario.train || (deployment && (deployment->pool.replicas || deployment->prefill));
  if (!is_written || static_cast<double>(stated.value) == deployed) return std::nullopt;
  return scenario.error(
      lf::kContradictoryKeys, stated.position,
      fmt::format("{} GPUs are there, and {:.0f} are {}", stated.value, deployed,
                  scenario.serve ? "written as the deployment" : "what the run is laid out on"),
      scenario.serve
          ? "leave out capacity.gpus or serve.deployment.replicas"
          : fmt::format("capacity.gpus: {:.0f}, or train.layout.gpus: {}", deployed, stated.value));
}

void read_capacity(CostSetup& setup, const CostInputs& request, Diagnostics& diagnostics) {
  auto& capacity = setup.terms.capacity;
  if (!setup.scenario.capacity) {
    if (request.capacity) return use_known(setup, *request.capacity);
    diagnostics.add(
        setup.error(lf::kNoCapacity, setup.scenario.position,
                    "how many GPUs there are and how full they are is not said",
                    "add capacity: {gpus: 8, rate: 1200 tokens/s/GPU, load_factor: 40 %}"));
    return;
  }
  const config::CapacitySection& ask = *setup.scenario.capacity;
  if (request.capacity) {
    const auto known = on_stated_gpus(setup, *request.capacity, diagnostics);
    if (!known) return;
    use_known(setup, *known);
  }
  if (ask.node)
    capacity.node = capacity.machine = static_cast<double>(ask.node->value);
  else if (ask.gpus)
    capacity.machine = 1;  // As many as are written, and no more.
  if (ask.most_load) capacity.most_load = ask.most_load->value;
  double peak = 0;
  double mean = 0;
  read_shape(setup, ask, peak, mean);
  if (ask.gpus)
    capacity.gpus = static_cast<double>(ask.gpus->value);
  else if (peak > 0)
    capacity.gpus = std::ceil(peak / capacity.node - 1e-9) * capacity.node;
  if (capacity.gpus <= 0) {
    diagnostics.add(setup.error(lf::kNoCapacity, ask.position, "the number of GPUs is not said",
                                "add gpus: 8 to 'capacity'"));
    return;
  }
  if (ask.rate) capacity.full_plane = ask.rate->value * Gpus::from_base(capacity.gpus);
  read_load(setup, ask, mean);
}

namespace {

// GPUs of the smallest machine that is sold: boards of modules come whole, cards one by one.
double gpus_of_machine(const CostSetup& setup) {
  if (setup.chip == nullptr || setup.node == nullptr || setup.node->gpus <= 0) return 1;
  return is_sold_alone(*setup.chip) ? 1 : setup.node->gpus;
}

}  // namespace

void choose_machine(CostSetup& setup, Diagnostics& diagnostics) {
  if (const auto& currency = setup.money().currency)
    setup.note({.id = "currency",
                .arguments = {{"code", currency->code.value},
                              {"rate", fmt::format("{:.6g}", currency->per_usd.value)},
                              {"date", currency->date ? currency->date->value : ""}}});
  const auto& candidates = setup.scenario.hardware;
  for (const auto& candidate : candidates) {
    const auto found = setup.catalog->find_accelerator(candidate.value);
    if (!found)
      diagnostics.add(setup.error(found.error().code, candidate.position, found.error().message,
                                  found.error().hint));
    else if (setup.chip == nullptr)
      setup.chip = *found;
  }
  if (candidates.empty()) {
    const auto standard = setup.catalog->find_accelerator(setup.catalog->lineup().standard);
    if (standard) setup.chip = *standard;
    if (setup.chip != nullptr)
      setup.note({.id = "default-accelerator",
                  .arguments = {{"accelerator", setup.chip->title}, {"key", "`hardware`"}}});
  }
  if (candidates.size() > 1 && setup.chip != nullptr)
    setup.note({.id = "first-accelerator",
                .arguments = {{"candidates", std::to_string(candidates.size())},
                              {"priced", setup.chip->title}}});
  if (setup.chip != nullptr && setup.chip->status == catalog::Status::kAnnounced)
    setup.note({.id = "announced-chip",
                .arguments = {{"accelerator", setup.chip->title},
                              {"year", std::to_string(setup.chip->released)}}});
  const auto& facility = setup.scenario.facility;
  if (facility && facility->node) {
    const auto node = setup.catalog->find_node(facility->node->value);
    if (node)
      setup.node = *node;
    else
      diagnostics.add(setup.error(node.error().code, facility->node->position, node.error().message,
                                  node.error().hint));
  } else if (setup.chip != nullptr && !setup.chip->node.empty()) {
    const auto node = setup.catalog->find_node(setup.chip->node);
    if (node) setup.node = *node;
  }
  if (!setup.money().region) return;
  const auto region = setup.catalog->find_region(setup.money().region->value);
  if (region)
    setup.region = *region;
  else
    diagnostics.add(setup.error(region.error().code, setup.money().region->position,
                                region.error().message, region.error().hint));
}

std::unique_ptr<CostSetup> make_cost_setup(const CostInputs& request,
                                           const catalog::Catalog& catalog,
                                           Diagnostics& diagnostics) {
  auto setup = std::make_unique<CostSetup>();
  setup->scenario = request.scenario;
  setup->catalog = &catalog;
  setup->today = request.today;
  setup->seed = request.seed;
  setup->draws = request.draws;
  setup->bill_of = request.bill_of;
  setup->demand = request.demand;
  setup->asked = options_asked(setup->money());
  check_dates(*setup, diagnostics);
  choose_machine(*setup, diagnostics);
  setup->terms.capacity.machine = gpus_of_machine(*setup);
  read_capacity(*setup, request, diagnostics);
  if (!diagnostics.empty()) return nullptr;
  read_owning(*setup);
  read_instances(*setup);
  read_renting(*setup);
  read_api(*setup);
  read_alternatives(*setup, diagnostics);
  if (!diagnostics.empty()) return nullptr;
  read_uncertainty(*setup);
  diagnostics.add_all(setup->missing);
  if (!diagnostics.empty()) return nullptr;
  question_prices(*setup);
  confess_assumptions(*setup);
  return setup;
}

}  // namespace loadfactor::engine
