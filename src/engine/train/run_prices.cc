#include "engine/train/run_prices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "base/statistics.h"
#include "economics/evaluate.h"
#include "economics/uncertainty.h"
#include "economics/unit_cost.h"
#include "engine/cost/cost_answer.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {
namespace {

using catalog::RentTerm;

struct ListedOption {
  OptionKind kind;
  std::optional<RentTerm> term;
};
constexpr std::array kListed{
    ListedOption{OptionKind::kOnDemand, RentTerm::kOnDemand},
    ListedOption{OptionKind::kReserved1y, RentTerm::kReserved1y},
    ListedOption{OptionKind::kReserved3y, RentTerm::kReserved3y},
    ListedOption{OptionKind::kSpot, RentTerm::kSpot},
    ListedOption{OptionKind::kOwn, std::nullopt},
};

bool lists(const config::Money& money, OptionKind option) {
  return std::any_of(money.options.begin(), money.options.end(),
                     [option](const auto& listed) { return listed.value == option; });
}

// Nobody sells training by the token, and what is served elsewhere is not this run's.
CostInputs cost_request(const TrainSetup& setup, KnownCapacity capacity) {
  std::vector<std::string> options;
  for (const ListedOption& way : kListed)
    if (lists(setup.scenario.money, way.kind)) options.emplace_back(name_of(way.kind));
  CostInputs request;
  request.scenario =
      setup.scenario.with({{"serve"},
                           {"money.api"},
                           {"capacity"},
                           {"money.options", std::move(options)},
                           {"hardware", std::vector<std::string>{setup.job.chip->name}}});
  request.capacity = std::move(capacity);
  return request;
}

// A run of so many GPUs whose rate does not matter, by each way to pay with its own share of useful
// time.
KnownCapacity capacity_of(const TrainSetup& setup, const RunSize& run, const PaidTime& kept,
                          const std::optional<PaidTime>& on_spot) {
  const int gpus = run.gpus;
  KnownCapacity capacity{.gpus = static_cast<double>(gpus),
                         .full_plane = TokensPerSecond::from_base(gpus),
                         .load_factor = kept.share(run.work).value(),
                         .busy_by_hour = {},
                         .source = "train",
                         .run = KnownRun{}};
  const auto there = setup.asked_layout().gpus;
  if (there) capacity.run->there = static_cast<double>(there->value);
  for (const ListedOption& way : kListed) {
    if (way.kind == OptionKind::kSpot && !on_spot) continue;
    const PaidTime& paid = way.kind == OptionKind::kSpot ? *on_spot : kept;
    capacity.run->ways.push_back({way.kind, paid.paid_gpus(), paid.share(run.work)});
  }
  return capacity;
}

// Whether several quotes say how far from known a rent is.
bool has_width(const std::optional<EstimateOf<DollarsPerGpuSecond>>& quoted) {
  return quoted && quoted->value() > DollarsPerGpuSecond() && quoted->low() < quoted->high();
}

// As wide as the quotes are apart.
EstimateOf<DollarsPerGpuSecond> with_quotes(DollarsPerGpuSecond rate,
                                            const EstimateOf<DollarsPerGpuSecond>& quoted) {
  const double scale = rate / quoted.value();
  return {rate, quoted.low() * scale, quoted.high() * scale, quoted.basis(), quoted.source()};
}

// As wide as the prices that it is made of are uncertain, each at its ends.
EstimateOf<DollarsPerGpuSecond> with_ends(DollarsPerGpuSecond rate, OptionKind kind,
                                          const CostSetup& priced,
                                          const economics::CostFigures& figures) {
  const auto* middle = figures.find(kind);
  MovedFigure moved(middle->cost.base());
  for (const auto& ends : economics::cases_at_ends(priced.terms, priced.plan.variations)) {
    if (ends.factor == CostFactor::kLoad || ends.factor == CostFactor::kRate) continue;
    const auto at = [&](const economics::CostCase& terms) {
      const auto there = economics::reprice(terms, priced.asked, figures);
      const auto* one = there.find(kind);
      return one != nullptr ? one->cost.base() : middle->cost.base();
    };
    moved.move(at(ends.low), at(ends.high));
  }
  const double scale = middle->cost > DollarsPerSecond() ? rate.base() / middle->cost.base() : 0;
  return {rate, DollarsPerGpuSecond::from_base(moved.low() * scale),
          DollarsPerGpuSecond::from_base(moved.high() * scale), Basis::kModelled, "cost"};
}

// Prices of the ways to pay, into `out`.
class OptionPricer {
 public:
  OptionPricer(const catalog::Catalog& catalog, const TrainSetup& setup, RunPrices& out)
      : catalog_(catalog), setup_(setup), out_(out) {}

  // `kept` is the time of machines that nobody takes away.
  void add(const RunSize& run, const PaidTime& kept, const std::optional<PaidTime>& on_spot) {
    Diagnostics unread;
    const auto priced = make_cost_setup(
        cost_request(setup_, capacity_of(setup_, run, kept, on_spot)), catalog_, unread);
    if (!priced) {
      for (const auto& error : unread.errors()) out_.unpriced.push_back(error.message);
      return;
    }
    const auto figures = economics::evaluate(priced->terms, priced->asked);
    for (const ListedOption& way : kListed) {
      const auto* one = figures.find(way.kind);
      if (one == nullptr || !lists(setup_.scenario.money, way.kind)) continue;
      const PaidTime& paid = way.kind == OptionKind::kSpot ? *on_spot : kept;
      keep({way.kind, rate_of(way, *one, paid, *priced, figures), paid, one->term});
    }
    for (const auto& none : priced->unpriced)
      if (is_listed(none.kind))
        out_.unpriced.push_back(fmt::format("{} ({})", none.name, none.why));
  }

  void add_on_demand(const PaidTime& paid) {
    const auto rent =
        economics::find_offered_rent(catalog_.prices(), setup_.job.chip->name, RentTerm::kOnDemand);
    if (rent) keep({OptionKind::kOnDemand, rent->rent, paid});
  }

 private:
  bool is_listed(OptionKind kind) const {
    return std::any_of(kListed.begin(), kListed.end(), [&](const ListedOption& way) {
      return way.kind == kind && lists(setup_.scenario.money, way.kind);
    });
  }
  EstimateOf<DollarsPerGpuSecond> rate_of(const ListedOption& way,
                                          const economics::OptionFigures& one, const PaidTime& paid,
                                          const CostSetup& priced,
                                          const economics::CostFigures& figures) const {
    const auto rate = one.cost / Gpus::from_base(paid.paid_gpus());
    const auto quoted =
        way.term ? economics::find_rent(catalog_.prices(), setup_.job.chip->name, *way.term)
                 : std::nullopt;
    return has_width(quoted) ? with_quotes(rate, *quoted)
                             : with_ends(rate, way.kind, priced, figures);
  }
  // A run that never ends has no price.
  void keep(RunPrice way) {
    if (way.paid.stalls()) {
      out_.stalled.push_back(way.kind);
      return;
    }
    out_.options.push_back(std::move(way));
  }

  const catalog::Catalog& catalog_;
  const TrainSetup& setup_;
  RunPrices& out_;
};

}  // namespace

std::vector<std::string> RunPrices::all_unpriced() const {
  std::vector<std::string> all = unpriced;
  for (const OptionKind kind : stalled) all.emplace_back(name_of(kind));
  return all;
}

Seconds RunPrice::paid_seconds(Seconds work) const {
  return term.paid_seconds(paid.run(work));
}

Seconds RunPrice::longest_run(Dollars budget) const {
  return term.longest_run(budget / (rate.value() * Gpus::from_base(paid.paid_gpus())));
}

Dollars RunPrice::cost(Seconds work) const {
  return rate.value() * Gpus::from_base(paid.paid_gpus()) * paid_seconds(work);
}

EstimateOf<Dollars> RunPrice::cost(const EstimateOf<Seconds>& work) const {
  const auto run = paid.run(work);
  const EstimateOf<Seconds> time{term.paid_seconds(run.value()), term.paid_seconds(run.low()),
                                 term.paid_seconds(run.high()), run.basis(), run.source()};
  return economics::rent_cost(rate, paid.paid_gpus(), time);
}

const RunPrice* RunPrices::chosen(std::optional<Seconds> work, PayRule rule) const {
  using Key = std::array<double, 3>;
  const auto key = [&](const RunPrice& way) -> Key {
    const Seconds one = work.value_or(Seconds::from_base(1.0));
    const Seconds run = way.paid.run(one);
    const double hourly = (way.rate.value() * Gpus::from_base(way.paid.paid_gpus())).base();
    const double cost = work ? way.cost(one).base() : hourly * run.base();
    const bool over = work && budget && cost > budget->base();
    const bool late = work && deadline && run > *deadline;
    const double binding = !work && way.term.commitment > Seconds() ? 1.0 : 0.0;
    if (rule == PayRule::kSoonest) return {over ? 1.0 : binding, run.base(), cost};
    return {over || late ? 1.0 : binding, cost, run.base()};
  };
  const auto least =
      std::min_element(options.begin(), options.end(),
                       [&key](const RunPrice& a, const RunPrice& b) { return key(a) < key(b); });
  return least == options.end() ? nullptr : &*least;
}

const PaidTime& RunPrices::paid(std::optional<Seconds> work, PayRule rule) const {
  const RunPrice* way = chosen(work, rule);
  return way != nullptr ? way->paid : plain;
}

RunPrices run_prices(const catalog::Catalog& catalog, const TrainSetup& setup, const RunSize& run) {
  const auto time = [&](bool on_spot) { return paid_time(catalog, setup, run, on_spot); };
  const auto& money = setup.scenario.money;
  RunPrices out;
  if (setup.ask().deadline) out.deadline = setup.ask().deadline->value;
  if (setup.scenario.limits.budget) out.budget = setup.scenario.limits.budget->value;
  out.plain = time(only_spot(money));
  OptionPricer pricer(catalog, setup, out);
  if (!lists_machines(money)) {
    pricer.add_on_demand(out.plain);
    return out;
  }
  std::optional<PaidTime> on_spot;
  if (lists(money, OptionKind::kSpot)) on_spot = time(true);
  pricer.add(run, only_spot(money) ? time(false) : out.plain, on_spot);
  return out;
}

namespace {

// The limits within which a way was chosen, or within which none is.
void add_limits(const RunPrices& prices, const RunPrice& used, Seconds work, PayRule rule,
                Notice& notice) {
  const bool dated = prices.deadline && rule == PayRule::kCheapest;
  const bool late = dated && used.paid.run(work) > *prices.deadline;
  const bool over = prices.budget && used.cost(work) > *prices.budget;
  if (!dated && !prices.budget) return;
  const bool is_kept = !late && !over;
  const char* limits = is_kept ? "within_deadline" : "none_within_deadline";
  if (!dated) limits = is_kept ? "within_budget" : "none_within_budget";
  if (dated && prices.budget) limits = is_kept ? "within_both" : "none_within_both";
  notice.arguments.push_back({limits, ""});
}

// A way to pay with its price, and with what the run takes and costs by it.
Notice way_phrase(const RunPrice& way, std::optional<Seconds> work) {
  const double hourly = way.rate.value().base() * 3600.0;
  Notice phrase{.id = "way-to-pay",
                .arguments = {{"option", std::string(name_of(way.kind))},
                              {"price", fmt::format("{:.2f}", hourly)}}};
  if (!work) return phrase;
  const Seconds run = way.paid.run(*work);
  auto& arguments = phrase.arguments;
  arguments.push_back({"days", days_text(run)});
  arguments.push_back({"cost", format_display(any(way.cost(*work)))});
  if (way.term.commitment > run) {
    if (way.term.bound < 1.0)
      arguments.push_back({"share", fmt::format("{:.0f} %", 100.0 * way.term.bound)});
    arguments.push_back(
        {way.term.bound < 1.0 ? "share_binds" : "binds", days_text(way.term.commitment)});
  }
  if (way.term.is_renewed(run))
    arguments.push_back(
        {way.term.onward ? "terms_or_on_demand" : "terms", days_text(way.term.commitment)});
  return phrase;
}

}  // namespace

std::optional<Notice> note_prices(const RunPrices& prices, const std::string& chip,
                                  std::optional<Seconds> work, PayRule rule) {
  const RunPrice* used = prices.chosen(work, rule);
  const bool is_bound =
      used != nullptr && used->term.commitment > (work ? used->paid.run(*work) : Seconds());
  const bool renewed = used != nullptr && work && used->term.is_renewed(used->paid.run(*work));
  const bool all_priced = prices.unpriced.empty() && prices.stalled.empty();
  if (all_priced && prices.options.size() <= 1 && !is_bound && !renewed) return std::nullopt;
  const bool caution = used == nullptr || !all_priced || (work && is_bound);
  Notice notice{.id = "ways-to-pay",
                .severity = caution ? Severity::kCaution : Severity::kNote,
                .arguments = {{"machine", chip}}};
  if (used != nullptr) notice.arguments.push_back({"used", "", {way_phrase(*used, work)}});
  if (used != nullptr && prices.options.size() > 1) {
    notice.arguments.push_back({rule == PayRule::kSoonest ? "soonest" : "cheapest", ""});
    if (work) add_limits(prices, *used, *work, rule, notice);
  }
  std::vector<Notice> others;
  for (const RunPrice& way : prices.options)
    if (&way != used) others.push_back(way_phrase(way, work));
  if (!others.empty()) notice.arguments.push_back({"others", "", std::move(others)});
  if (!prices.unpriced.empty())
    notice.arguments.push_back({"unpriced", fmt::format("{}", fmt::join(prices.unpriced, ", "))});
  std::vector<std::string_view> stalled;
  for (const OptionKind kind : prices.stalled) stalled.push_back(name_of(kind));
  if (!stalled.empty())
    notice.arguments.push_back({"stalled", fmt::format("{}", fmt::join(stalled, ", "))});
  return notice;
}

}  // namespace loadfactor::engine
