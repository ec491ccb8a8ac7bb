#include "engine/run_prices.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "config/document_text.h"
#include "config/override.h"
#include "economics/evaluate.h"
#include "economics/unit_cost.h"
#include "engine/cost_answer.h"
#include "engine/cost_setup.h"
#include "engine/plan_sizes.h"
#include "engine/train_goodput.h"

namespace loadfactor::engine {
namespace {

using catalog::RentTerm;
using config::MoneyOption;
using economics::OptionKind;

struct ListedWay {
  MoneyOption option;
  OptionKind kind;
  std::optional<RentTerm> term;
};
constexpr std::array kListed{
    ListedWay{MoneyOption::kOnDemand, OptionKind::kOnDemand, RentTerm::kOnDemand},
    ListedWay{MoneyOption::kReserved1y, OptionKind::kReserved1y, RentTerm::kReserved1y},
    ListedWay{MoneyOption::kReserved3y, OptionKind::kReserved3y, RentTerm::kReserved3y},
    ListedWay{MoneyOption::kSpot, OptionKind::kSpot, RentTerm::kSpot},
    ListedWay{MoneyOption::kOwn, OptionKind::kOwn, std::nullopt},
};

bool lists(const config::Money& money, MoneyOption option) {
  return std::any_of(money.options.begin(), money.options.end(),
                     [option](const auto& listed) { return listed.value == option; });
}

bool lists_machines(const config::Money& money) {
  return std::any_of(kListed.begin(), kListed.end(),
                     [&money](const ListedWay& way) { return lists(money, way.option); });
}

// Nobody sells training by the token, and what is served elsewhere is not this run's.
CostRequest cost_request(const TrainSetup& setup, double gpus, double goodput) {
  std::vector<std::string> set = setup.document.overrides;
  std::vector<std::string_view> options;
  for (const ListedWay& way : kListed)
    if (lists(setup.scenario.money, way.option)) options.push_back(kind_name(way.kind));
  set.insert(set.end(), {"serve=", "money.api=", "capacity=",
                         fmt::format("money.options=[{}]", fmt::join(options, ", ")),
                         fmt::format("hardware=[{}]", setup.job.chip->name)});
  CostRequest request;
  const auto& document = setup.document;
  const auto text = config::replaced_text(document.file, document.text, set);
  request.file = document.file + (document.file.ends_with(".json") ? ".yaml" : "");
  request.text = text ? *text : std::string();
  request.capacity = KnownCapacity{.gpus = gpus,
                                   .full_plane = TokensPerSecond::from_base(gpus),
                                   .load_factor = goodput,
                                   .busy_by_hour = {},
                                   .source = "train"};
  return request;
}

// As wide as the quotes are apart.
EstimateOf<DollarsPerGpuSecond> with_quotes(
    DollarsPerGpuSecond rate, const std::optional<EstimateOf<DollarsPerGpuSecond>>& quoted) {
  if (!quoted || quoted->value() <= DollarsPerGpuSecond())
    return {rate, rate, rate, Basis::kModelled, "cost"};
  const double scale = rate / quoted->value();
  return {rate, quoted->low() * scale, quoted->high() * scale, quoted->basis(), quoted->source()};
}

RunPrices on_demand_alone(const catalog::Catalog& catalog, const TrainSetup& setup) {
  RunPrices out;
  const auto rent =
      economics::find_offered_rent(catalog.prices(), setup.job.chip->name, RentTerm::kOnDemand);
  if (rent) out.ways.push_back({"on-demand", rent->rent, {}});
  return out;
}

}  // namespace

const RunPrice* RunPrices::cheapest(std::optional<Seconds> run) const {
  const auto key = [run](const RunPrice& way) {
    const double rate = way.rate.value().base();
    if (run) return std::pair(0, rate * paid_seconds(way, *run).base());
    return std::pair(way.binds > Seconds() ? 1 : 0, rate);
  };
  const auto least =
      std::min_element(ways.begin(), ways.end(),
                       [&key](const RunPrice& a, const RunPrice& b) { return key(a) < key(b); });
  return least == ways.end() ? nullptr : &*least;
}

Seconds paid_seconds(const RunPrice& way, Seconds run) {
  return std::max(run, way.binds);
}

EstimateOf<Dollars> run_cost(const RunPrice& way, double gpus, const EstimateOf<Seconds>& run) {
  const EstimateOf<Seconds> paid{paid_seconds(way, run.value()), paid_seconds(way, run.low()),
                                 paid_seconds(way, run.high()), run.basis(), run.source()};
  return economics::rent_cost(way.rate, gpus, paid);
}

RunPrices run_prices(const catalog::Catalog& catalog, const TrainSetup& setup, double gpus,
                     double goodput) {
  const auto& money = setup.scenario.money;
  if (!lists_machines(money)) return on_demand_alone(catalog, setup);
  RunPrices out;
  Diagnostics unread;
  const auto priced = make_cost_setup(cost_request(setup, gpus, goodput), catalog, unread);
  if (!priced) {
    for (const auto& error : unread.errors()) out.unpriced.push_back(error.message);
    return out;
  }
  const auto figures = economics::evaluate(priced->terms, priced->asked);
  const bool there = setup.asked_layout().gpus.has_value();
  for (const ListedWay& way : kListed) {
    const auto* one = figures.find(way.kind);
    if (!lists(money, way.option) || one == nullptr) continue;
    const auto rate = one->cost / Gpus::from_base(gpus);
    const auto quoted =
        way.term ? economics::find_rent(catalog.prices(), setup.job.chip->name, *way.term)
                 : std::nullopt;
    const bool shared = there && way.kind == OptionKind::kOwn;
    out.ways.push_back({std::string(kind_name(way.kind)), with_quotes(rate, quoted),
                        shared ? Seconds() : one->committed});
  }
  for (const auto& none : priced->unpriced)
    out.unpriced.push_back(fmt::format("{} ({})", none.name, none.why));
  return out;
}

std::optional<Notice> note_prices(const RunPrices& prices, const std::string& chip, double gpus,
                                  std::optional<Seconds> run) {
  const RunPrice* used = prices.cheapest(run);
  const bool plain = prices.unpriced.empty() && prices.ways.size() <= 1;
  if (plain && (used == nullptr || used->binds <= run.value_or(Seconds()))) return std::nullopt;
  const auto words = [&](const RunPrice& way) {
    const double hourly = way.rate.value().base() * 3600.0;
    std::string text = fmt::format("{} at {:.2f} USD per GPU-hour", way.name, hourly);
    if (!run) return text;
    const auto exact = EstimateOf<Seconds>::exact(*run, Basis::kModelled, {});
    text += ", " + format_display(any(run_cost(way, gpus, exact).value()));
    if (way.binds > *run)
      text +=
          fmt::format(" (binds for {}, the run takes {})", days_text(way.binds), days_text(*run));
    return text;
  };
  std::string text = chip + ": ";
  text += used == nullptr ? "no way to pay has a price" : "priced " + words(*used);
  if (used != nullptr && prices.ways.size() > 1) text += ", the cheapest of money.options";
  for (const RunPrice& way : prices.ways)
    if (&way != used) text += "; " + words(way);
  if (!prices.unpriced.empty())
    text += fmt::format("; without a price: {}", fmt::join(prices.unpriced, ", "));
  const bool caution = used == nullptr || !prices.unpriced.empty() || (run && used->binds > *run);
  return Notice{"ways-to-pay", caution ? Severity::kCaution : Severity::kNote, text};
}

}  // namespace loadfactor::engine
