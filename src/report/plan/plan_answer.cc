// The description of a plan.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/plan/flip_range.h"
#include "report/plan/plan_report.h"
#include "report/plan/plan_words.h"
#include "report/plan/years_words.h"

namespace loadfactor::report {
namespace {

using economics::YearBook;
using engine::PlanAnswer;
using engine::PlanAssumption;
using engine::PlanFlip;
using engine::PlanGate;
using engine::PlanLever;
using engine::PlanMachine;
using engine::PlanOption;
using engine::PlanOutcome;
using engine::PlanPoint;
using engine::RunnerUp;

constexpr std::string_view kWork[] = {"train", "serve"};
// In the order of engine::LeverDetail.
constexpr std::string_view kLeverKinds[] = {
    "traffic",   "replicas",    "relaxed",    "memory",    "memory-unneeded", "split-pools", "chip",
    "api-price", "own-or-rent", "idle-hours", "objective", "fleet-size",      "offload"};
static_assert(std::size(kLeverKinds) == std::variant_size_v<engine::LeverDetail>);
constexpr std::string_view kKinds[] = {"own",     "reserved-1y", "reserved-3y", "on-demand",
                                       "spot",    "api",         "mix",         "autoscaled",
                                       "managed", "alternative"};

constexpr std::string_view kMix = "mix";

constexpr auto kDecision = [](engine::PlanDecision decision) { return name_of(decision); };

// Money and shares of an outcome have the source of the options that they were computed by.
template <typename Q>
EstimateOf<Q> modelled(Q value) {
  return EstimateOf<Q>::exact(value, Basis::kModelled, "plan");
}
constexpr auto kModelledIfKnown = [](const auto& value) {
  return value ? std::optional(modelled(*value)) : std::nullopt;
};

constexpr auto kMonthIfKnown = [](const std::optional<EstimateOf<Dollars>>& value) {
  return priced<PricedWork::kMonth>(value);
};

// ---- Options.

template <auto member>
constexpr auto kCost = [](const PlanOption& o) { return std::invoke(member, o.cost); };

constexpr auto kPerMonth = [](const PlanOption& o) {
  return priced<PricedWork::kMonth>(o.cost.per_month);
};
constexpr auto kPerMillion = [](const PlanOption& o) {
  return priced<PricedWork::kMillionTokens>(o.cost.per_mtoken);
};

// A mix of several is one kind; its parts are in the name.
std::string_view kind_of(const PlanOption& o) {
  const OptionKind kind = shown_kind(o.cost.kind, o.cost.owned);
  const bool mixed = o.cost.owned > 0 || o.cost.reserved > 0 || is_mix(kind);
  return mixed ? kMix : name_of(kind);
}
std::string plan_against(const PlanAnswer& a) {
  return a.against ? words_of(*a.against) : std::string();
}
std::string against_of(const PlanOption& o) {
  return o.cost.against ? words_of(*o.cost.against) : std::string();
}
std::string name_of_option(const PlanOption& o) {
  return words_of(o.machines());
}
// Only where machines come and go is less than all of them paid for.
std::optional<double> mean_gpus(const PlanOption& o) {
  const bool same = o.cost.gpus >= static_cast<double>(o.gpus) - 1e-9;
  return same ? std::nullopt : std::optional(o.cost.gpus);
}
EstimateOf<Dollars> amount_of(const PlanOption& o) {
  return o.estimate();
}

// ---- Levers and flips.

struct Lever {
  std::string_view kind;
  std::vector<std::string> sets;
  std::optional<PlanOutcome> then;
  std::string name, effect;
};
// Changes that keys of a scenario make and whose plan was made, or the others.
std::vector<Lever> levers(const PlanAnswer& a, bool with_edit) {
  std::vector<Lever> out;
  for (const PlanLever& lever : a.levers) {
    if ((!lever.sets.empty() && lever.then) != with_edit) continue;
    LeverWords words = lever_words(lever);
    out.push_back({kLeverKinds[lever.detail.index()], lever.sets, lever.then, std::move(words.name),
                   std::move(words.effect)});
  }
  return out;
}
std::vector<Lever> levers_of(const PlanAnswer& a) {
  return levers(a, true);
}
// What no key of a scenario says.
struct Remark {
  Lever lever;
};
std::vector<Remark> remarks_of(const PlanAnswer& a) {
  std::vector<Remark> out;
  for (Lever& lever : levers(a, false)) out.push_back({std::move(lever)});
  return out;
}
struct Flip {
  const PlanFlip& flip;
  engine::PlanDecision from;
  EstimateOf<double> traffic;
};
std::vector<Flip> flips_of(const PlanAnswer& a) {
  std::vector<Flip> out;
  for (const PlanFlip& flip : a.flips) out.push_back({flip, a.decision, range_of(flip, a)});
  return out;
}
std::optional<std::string> edit_of(const Flip& f) {
  return f.flip.edit.empty() ? std::nullopt : std::optional(f.flip.edit);
}

// ---- The rest.

struct NamedRunnerUp {
  const RunnerUp& other;
  RunnerUpWords words;
  const std::optional<EstimateOf<double>>& load;  // The chosen machines'.
  const std::vector<PlanOption>& options;
};
std::vector<NamedRunnerUp> runner_ups_of(const PlanAnswer& a) {
  std::vector<NamedRunnerUp> out;
  for (const RunnerUp& other : a.runner_ups)
    out.push_back({other, runner_up_words(other, a), a.load_factor, a.options});
  return out;
}
std::string runner_up_name(const NamedRunnerUp& r) {
  return r.words.name;
}
std::string runner_up_why(const NamedRunnerUp& r) {
  return r.words.why;
}
std::optional<double> cost_usd(const NamedRunnerUp& r) {
  return r.other.cost > Dollars() ? std::optional(r.other.cost.base()) : std::nullopt;
}
// As far from known as the way to pay for the same machines, or else for others.
std::optional<EstimateOf<Dollars>> cost_of(const NamedRunnerUp& r) {
  const Dollars cost = r.other.cost;
  if (cost <= Dollars()) return std::nullopt;
  const auto is_of = [&](bool same) {
    return std::find_if(r.options.begin(), r.options.end(), [&](const PlanOption& option) {
      const bool fits =
          same ? option.accelerator == r.other.accelerator && option.gpus == r.other.gpus
               : !option.accelerator.empty();
      return fits && option.amount > Dollars();
    });
  };
  auto near = is_of(true);
  if (near == r.options.end()) near = is_of(false);
  if (near == r.options.end()) return modelled(cost);
  return near->estimate(cost / near->amount);
}
std::optional<int> gpus_of(const NamedRunnerUp& r) {
  return r.other.gpus > 0 ? std::optional(r.other.gpus) : std::nullopt;
}
std::optional<std::string> accelerator_of(const NamedRunnerUp& r) {
  return r.other.accelerator.empty() ? std::nullopt : std::optional(r.other.accelerator);
}
// As far from known as the load of the machines that were chosen.
std::optional<EstimateOf<double>> load_of(const NamedRunnerUp& r) {
  if (!r.other.load_factor || !r.load || r.load->value() <= 0)
    return kModelledIfKnown(r.other.load_factor);
  const double ratio = *r.other.load_factor / r.load->value();
  return EstimateOf<double>(*r.other.load_factor, r.load->low() * ratio,
                            std::min(1.0, r.load->high() * ratio), r.load->basis(),
                            r.load->source());
}

// A gate, and the plan whose figures it compares.
struct JudgedGate {
  const PlanGate& gate;
  std::string words;
};
std::vector<JudgedGate> gates_of(const PlanAnswer& a) {
  std::vector<JudgedGate> out;
  for (const PlanGate& gate : a.gates) out.push_back({gate, gate_words(gate, a)});
  return out;
}
template <auto member>
constexpr auto kGate = [](const JudgedGate& g) { return std::invoke(member, g.gate); };

// The machines, and the plan that they are of.
struct NamedMachine {
  const PlanAnswer& answer;
};
std::optional<NamedMachine> machine_of(const PlanAnswer& a) {
  return a.machine ? std::optional(NamedMachine{a}) : std::nullopt;
}
template <auto member>
constexpr auto kMachine =
    [](const NamedMachine& m) { return std::invoke(member, *m.answer.machine); };
std::string machine_layout(const NamedMachine& m) {
  return layout_words(m.answer);
}
std::string machine_option(const NamedMachine& m) {
  return option_words(*m.answer.machine);
}
std::string machine_cooling(const NamedMachine& m) {
  return cooling_words(*m.answer.machine);
}
std::string machine_network(const NamedMachine& m) {
  return network_words(*m.answer.machine);
}

std::vector<std::string> close_calls_of(const PlanAnswer& a) {
  std::vector<std::string> out;
  for (const auto& call : a.close_calls) out.push_back(close_call_words(call));
  return out;
}
std::string_view work_of(const PlanAnswer& a) {
  return kWork[a.is_training ? 0 : 1];
}
std::optional<double> fleet_load_pct(const PlanAnswer& a) {
  return a.fleet_load ? std::optional(100 * *a.fleet_load) : std::nullopt;
}
Dictionary<double> losses_pct(const PlanAnswer& a) {
  Dictionary<double> out;
  for (const auto& loss : a.losses) out.values.emplace_back(loss.name, 100 * loss.share);
  return out;
}
std::optional<WholeRun> whole_run_of(const PlanAnswer& a) {
  return a.is_training && a.training ? a.training->whole : std::nullopt;
}
std::optional<TrainLayout> training_layout(const PlanAnswer& a) {
  return a.is_training && a.training ? std::optional(a.training->layout) : std::nullopt;
}

// The plan, and where its page was written.
struct WrittenPlan {
  const PlanAnswer& answer;
  const std::string& report;
};
std::optional<std::string> report_of(const WrittenPlan& p) {
  return p.report.empty() ? std::nullopt : std::optional(p.report);
}

constexpr auto kAmount = [](Dollars amount) { return modelled(amount); };

// A year of the books, with the lowest and the highest of its figures.
struct BookSpan {
  const YearBook& book;
  const YearBook& low;
  const YearBook& high;
};
template <typename Q>
EstimateOf<Q> between(Q value, Q low, Q high) {
  return EstimateOf<Q>(value, low, high, Basis::kModelled, "plan");
}
template <auto figure>
constexpr auto kSpan = [](const BookSpan& span) {
  return between(span.book.*figure, span.low.*figure, span.high.*figure);
};
// What follows from the scenario alone, and is not modelled.
template <auto figure>
constexpr auto kStated = [](const BookSpan& span) {
  using Figure = std::decay_t<decltype(span.book.*figure)>;
  return EstimateOf<Figure>::exact(span.book.*figure, Basis::kAssumed, "scenario");
};
template <auto figure>
constexpr auto kWhole = [](const engine::LongRunPlan& plan) {
  return between(plan.money.*figure, plan.lowest.*figure, plan.highest.*figure);
};
std::vector<BookSpan> books_of(const engine::LongRunPlan& plan) {
  std::vector<BookSpan> books;
  for (std::size_t i = 0; i < plan.money.years.size(); ++i)
    books.push_back({plan.money.years[i], plan.lowest.years[i], plan.highest.years[i]});
  return books;
}
// Electricity as the scenario or the catalogue has it.
constexpr auto kAmountOfEnergy = [](DollarsPerJoule price) {
  return EstimateOf<DollarsPerJoule>::exact(price, Basis::kAssumed, "scenario or region");
};
constexpr auto kShare = [](double share) { return modelled(share); };
std::string site_option(const engine::SiteFleet& site) {
  return site.paid ? words_of(*site.paid) : std::string();
}
std::string_view long_kind(const engine::LongRunWay& way) {
  return name_of(way.kind);
}

}  // namespace

template <>
constexpr auto kFields<BookSpan> = fields<BookSpan>(
    field<BookSpan>("cost", kSpan<&YearBook::cost>,
                    "Cost as a plan of one moment counts it: machines by their annuity"),
    field<BookSpan>("purchases", kSpan<&YearBook::purchases>, "Paid for machines"),
    field<BookSpan>("resale", kSpan<&YearBook::resale>, "Got for machines that are sold"),
    field<BookSpan>("operating", kSpan<&YearBook::operating>, "Paid for everything else"),
    field<BookSpan>("revenue", kStated<&YearBook::revenue>,
                    "Earned with tokens: the stated price of the stated demand"),
    field<BookSpan>("cash", kSpan<&YearBook::cash>, "All cash before tax; paid is negative"),
    field<BookSpan>("depreciation", kSpan<&YearBook::depreciation>, "Written off in the books"),
    field<BookSpan>("disposal", kSpan<&YearBook::disposal>, "Resale less what the books still had"),
    field<BookSpan>("profit", kSpan<&YearBook::profit>, "Profit before tax"),
    field<BookSpan>("tax", kSpan<&YearBook::tax>, "Tax on it; negative where it is saved"),
    field<BookSpan>(
        "gpus", [](const BookSpan& span) { return span.book.gpus; },
        "GPUs paid for on average in its last month"),
    field<BookSpan>(
        "owned", [](const BookSpan& span) { return span.book.owned; },
        "GPUs owned in its last month"),
    field<BookSpan>("energy", kSpan<&YearBook::energy>, "Energy of the machines and the site"));

template <>
constexpr auto kFields<engine::LongRunWay> = fields<engine::LongRunWay>(
    field<long_kind>("kind", "The way to pay"),
    field<&engine::LongRunWay::accelerator>("accelerator", "Catalogue name; empty for the API"),
    field<&engine::LongRunWay::seller>("seller", "Who sells the tokens; empty for machines"));

template <>
constexpr auto kFields<engine::LongRunPlan> = fields<engine::LongRunPlan>(
    field<long_plan_words>("name", "The plan in words"),
    field<&engine::LongRunPlan::first>("first", "The way from the beginning on"),
    field<&engine::LongRunPlan::then>("then", "The way from a month on; null: the first stays"),
    field<&engine::LongRunPlan::change>("change_month", "That month, from 0"),
    field<engine::LongRunPlan>("npv", kWhole<&economics::YearsResult::npv>,
                               "Net present value of the cash after tax"),
    field<engine::LongRunPlan>("cash", kWhole<&economics::YearsResult::cash>,
                               "Sum of the cash after tax"),
    field<books_of>("years", "The books of each year"));

template <>
constexpr auto kFields<engine::OutgrownWay> = fields<engine::OutgrownWay>(
    field<engine::OutgrownWay>(
        "way", [](const engine::OutgrownWay& out) { return long_way_words(out.way); },
        "A way to pay"),
    field<&engine::OutgrownWay::month>("month", "The month, from 0, in which GPUs are too few"));

template <>
constexpr auto kFields<engine::ComingChip> = fields<engine::ComingChip>(
    field<&engine::ComingChip::accelerator>("accelerator", "Catalogue name"),
    field<&engine::ComingChip::year>("year", "For which it is announced"),
    field<&engine::ComingChip::month>("month", "From which on it is counted to be there, from 0"));

template <>
constexpr auto kFields<engine::PlanYears> = fields<engine::PlanYears>(
    field<&engine::PlanYears::traffic>("traffic", "Mean of each year over today's"),
    field<&engine::PlanYears::plans>("plans", "Ways to have the work done, the highest NPV first"),
    field<&engine::PlanYears::outgrown>("outgrown", "Ways that growth makes impossible"),
    field<&engine::PlanYears::coming>("coming", "Chips that are announced and not there yet"),
    field<&engine::PlanYears::buy_now>("buy_now", "Owning at once; null where nothing is owned"),
    field<&engine::PlanYears::wait>("wait", "Owning after some months of another way"),
    field<&engine::PlanYears::wait_months>("wait_months", "These months"),
    field<&engine::PlanYears::discount>("discount", "Per year"),
    field<&engine::PlanYears::tax>("tax_rate", "On profit"),
    field<&engine::PlanYears::is_macrs>("macrs", "Whether the books write off by MACRS"),
    field<&engine::PlanYears::lead>("lead_months", "From an order to machines that work"),
    field<&engine::PlanYears::rent_drift>("rent_drift",
                                          "Change of rents per year; null where a path is stated"),
    field<&engine::PlanYears::electricity, kAmountOfEnergy>("electricity",
                                                            "Today's price of electricity"),
    field<&engine::PlanYears::grams_per_kwh>(
        "carbon_g_per_kwh", "Carbon of the region's electricity; null where it is not known"));

template <>
constexpr auto kFields<engine::PlanPromise> = fields<engine::PlanPromise>(
    field<&engine::PlanPromise::asked>("asked",
                                       "Availability; null where only zones or deploys are"),
    field<&engine::PlanPromise::zones>("zones", "Zones of which any one may be lost; 0: none"),
    field<&engine::PlanPromise::deployed>("spare", "Replicas that a deploy takes out at once"),
    field<&engine::PlanPromise::spares>("spares", "Replicas that stand by, those for deploys too"),
    field<&engine::PlanPromise::enough, kShare>(
        "availability", "Share of the time in which no more are out, also while a deploy goes on"),
    field<&engine::PlanPromise::plain_gpus>("plain_gpus", "GPUs without the promise"),
    field<&engine::PlanPromise::plain_spares>("plain_spares", "Spares without the promise"),
    field<&engine::PlanPromise::plain_enough, kShare>("plain_availability",
                                                      "Availability without the promise"),
    field<&engine::PlanPromise::plain_per_month, kAmount>(
        "plain_per_month", "Cost of a month of machines without the promise"),
    field<&engine::PlanPromise::more, kModelledIfKnown>("more",
                                                        "What the promise adds to a month"));

template <>
constexpr auto kFields<engine::SiteYears> = fields<engine::SiteYears>(
    field<&engine::SiteYears::best>("best", "The way to have its machines with the highest NPV"),
    field<&engine::SiteYears::electricity, kAmountOfEnergy>("electricity",
                                                            "What electricity costs there"),
    field<&engine::SiteYears::grams_per_kwh>(
        "carbon_g_per_kwh", "Carbon of that electricity; null where it is not known"));

template <>
constexpr auto kFields<engine::SiteFleet> = fields<engine::SiteFleet>(
    field<&engine::SiteFleet::region>("region", "Catalogue name"),
    field<&engine::SiteFleet::share, kPercent>("share_pct", "Part of the demand that it serves")
        .in("%"),
    field<&engine::SiteFleet::is_found>("keeps_promise", "Whether machines there keep the promise"),
    field<&engine::SiteFleet::accelerator>("accelerator", "Catalogue name; empty where none does"),
    field<&engine::SiteFleet::gpus>("gpus", "Whole machines' GPUs at the busiest hour"),
    field<&engine::SiteFleet::replicas>("replicas", "Replicas, spares among them"),
    field<site_option>("option", "The cheapest way to have them; empty where none has a price"),
    field<&engine::SiteFleet::per_month, kMonthIfKnown>("per_month",
                                                        "Cost of a month; null: not known"),
    field<&engine::SiteFleet::is_within_limits>("within_limits",
                                                "Whether it keeps the limits by itself"),
    field<&engine::SiteFleet::years>("years", "Its books; null where no years are asked"));

template <>
constexpr auto kFields<engine::CentralFleet> = fields<engine::CentralFleet>(
    spliced<engine::CentralFleet>([](const engine::CentralFleet& place) { return place.site; }),
    field<&engine::CentralFleet::round_trip>(
        "round_trip", "To the farthest region and back, before the first token of its users"),
    field<&engine::CentralFleet::farthest>("farthest", "That region as people write it"));

template <>
constexpr auto kFields<engine::PlanRegions> = fields<engine::PlanRegions>(
    field<&engine::PlanRegions::sites>("sites", "A fleet in each region for its own users"),
    field<&engine::PlanRegions::gpus>("gpus", "GPUs of all; 0 where some region has none"),
    field<&engine::PlanRegions::replicas>("replicas", "Replicas of all"),
    field<&engine::PlanRegions::per_month, kMonthIfKnown>(
        "per_month", "Cost of a month of all; null: not known"),
    field<&engine::PlanRegions::is_within_limits>("within_limits",
                                                  "Whether all together keep the limits"),
    field<&engine::PlanRegions::places>(
        "places",
        "One place for all users, with a first token that is due earlier by the round "
        "trip: the cheapest first"));

template <>
constexpr auto kFields<PlanOption> = fields<PlanOption>(
    field<name_of_option>("name", "The option as people read it"),
    field<kind_of>("kind", "The way to pay").one_of(kKinds),
    field<&PlanOption::accelerator>("accelerator", "Catalogue name; empty for the API"),
    field<&PlanOption::gpus>("gpus", "Whole machines' GPUs at the busiest hour; 0 for the API"),
    known_field<mean_gpus>("mean_gpus", "GPUs paid for on average, where machines come and go")
        .at_least(0),
    field<PlanOption>("load_factor", kCost<&CostOption::load_factor>,
                      "Work delivered over work paid for; null for the API"),
    field<PlanOption>("break_even", kCost<&CostOption::break_even>,
                      "Load factor from which it pays today; null where there is none"),
    field<PlanOption>("break_even_life", kCost<&CostOption::break_even_life>,
                      "The same averaged over what it binds"),
    field<against_of>("against", "What the break-even is against"),
    field<PlanOption>("per_month", kPerMonth, "Cost of a month"),
    field<amount_of>("cost", "Cost of a month, or of the whole run"),
    field<PlanOption>("per_mtoken", kPerMillion,
                      "Cost of a million tokens; null where tokens are not the work"),
    field<why_not>("why", "Why it was not chosen; empty for the first"));

template <>
constexpr auto kFields<NamedMachine> = fields<NamedMachine>(
    field<NamedMachine>("accelerator", kMachine<&PlanMachine::accelerator>, "Catalogue name"),
    spliced<NamedMachine>(kMachine<&PlanMachine::layout>),
    field<NamedMachine>("prompts", kMachine<&PlanMachine::prompts>,
                        "Replicas that only compute prompts; null where there are none"),
    field<NamedMachine>("nodes", kMachine<&PlanMachine::nodes>,
                        "Whole nodes; 0: cards that fill a part of one"),
    field<NamedMachine>("precision", kMachine<&PlanMachine::precision>,
                        "Format of the weights or matrix products"),
    field<NamedMachine>("kv", kMachine<&PlanMachine::kv_format>,
                        "Format of the KV cache; empty for a training run"),
    field<machine_layout>("layout", "The layout in words"),
    field<machine_option>("procurement", "How the machines are paid for"),
    field<machine_cooling>("cooling", "How they are cooled; empty where not known"),
    field<machine_network>("network", "What joins the nodes; empty where not known"));

template <>
constexpr auto kFields<PlanOutcome> = fields<PlanOutcome>(
    field<&PlanOutcome::decision, kDecision>("decision", "What to do then").one_of(kDecisions),
    field<&PlanOutcome::gpus>("gpus", "GPUs to have then; 0 where the API is used"),
    field<&PlanOutcome::load_factor>("load_factor", "Load factor then; null for the API"),
    field<&PlanOutcome::per_month, kMonthIfKnown>("per_month",
                                                  "Cost of a month then; null: not known"),
    field<&PlanOutcome::cost>("cost",
                              "Cost then, of a month or of the run, as `plan` of the change says; "
                              "null: not known"));

template <>
constexpr auto kFields<Lever> =
    fields<Lever>(field<&Lever::sets>("edits", "Arguments of --set that together make the change"),
                  field<&Lever::then>("then", "The answer after it"),
                  field<&Lever::kind>("kind", "What is changed").one_of(kLeverKinds),
                  field<&Lever::name>("name", "The change in words"),
                  field<&Lever::effect>("effect", "What it does, in words"));

template <>
constexpr auto kFields<Remark> = fields<Remark>(
    field<Remark>(
        "kind", [](const Remark& r) { return r.lever.kind; }, "What would be changed")
        .one_of(kLeverKinds),
    known_field<Remark>(
        "then", [](const Remark& r) { return r.lever.then; }, "The answer after it"),
    field<Remark>(
        "name", [](const Remark& r) { return r.lever.name; }, "What could be done, in words"),
    field<Remark>(
        "effect", [](const Remark& r) { return r.lever.effect; }, "What it would do, in words"));

template <>
constexpr auto kFields<Flip> = fields<Flip>(
    field<edit_of>("edit", "The --set that makes it; null where no key does, or it is rough"),
    field<Flip>(
        "at", [](const Flip& f) { return f.flip.traffic; }, "Multiple of today's traffic")
        .at_least(0),
    field<Flip>(
        "traffic",
        [](const Flip& f) {
          return FigureIn{f.traffic.erased(), "times"};
        },
        "The same, with the range that prices and the load of the machines leave"),
    field<Flip>(
        "from", [](const Flip& f) { return name_of(f.from); }, "Decision today")
        .one_of(kDecisions),
    field<Flip>(
        "to", [](const Flip& f) { return name_of(f.flip.decision); }, "Decision from there on")
        .one_of(kDecisions),
    field<Flip>(
        "gpus", [](const Flip& f) { return f.flip.gpus; },
        "GPUs that work from there on, which `to` counts against those of today; 0: none")
        .at_least(0));

template <>
constexpr auto kFields<NamedRunnerUp> = fields<NamedRunnerUp>(
    field<runner_up_name>("name", "The machines in words"),
    known_field<accelerator_of>("accelerator", "Catalogue name"),
    known_field<gpus_of>("gpus", "GPUs"),
    known_field<load_of>("load_factor", "Work delivered over work paid for"),
    field<cost_usd>("cost_usd", "Cost of a month or of the run; null: not known").in("USD"),
    field<cost_of>("cost", "The same with its range; null: not known"),
    field<runner_up_why>("why", "Why they were not chosen"));

template <>
constexpr auto kFields<JudgedGate> = fields<JudgedGate>(
    field<JudgedGate>("gate", kGate<&PlanGate::text>, "The comparison as it was asked"),
    field<JudgedGate>("holds", kGate<&PlanGate::holds>, "Whether it holds"),
    known_field<JudgedGate>("left", kGate<&PlanGate::left>, "Its left side, in base units"),
    known_field<JudgedGate>("right", kGate<&PlanGate::right>, "Its right side, in base units"),
    field<&JudgedGate::words>("words", "The comparison with its figures"));

template <>
constexpr auto kFields<PlanPoint> = fields<PlanPoint>(
    field<&PlanPoint::gpus>("gpus", "GPUs of the fleet"),
    field<&PlanPoint::load_factor, kPercent>("load_factor_pct", "Work delivered over work possible")
        .in("%"),
    field<&PlanPoint::within_slo, kPercent>("within_slo_pct", "Requests within the SLO").in("%"),
    field<&PlanPoint::efficiency, kPercent>("efficiency_pct",
                                            "Useful tokens of a GPU over the best size; 0: not "
                                            "known")
        .in("%"));

template <>
constexpr auto kFields<PlanAssumption> = fields<PlanAssumption>(
    field<&PlanAssumption::what>("what", "A path of the scenario, or the name of a fact"),
    field<&PlanAssumption::value>("value", "Its value as text"),
    field<&PlanAssumption::basis>("basis", "How it is known"),
    field<&PlanAssumption::source>("source", "Ids of SOURCES.md"),
    field<&PlanAssumption::date>("date", "When it was read"),
    field<&PlanAssumption::where>("where", "File and line that state it"));

template <>
constexpr auto kFields<PlanAnswer> = fields<PlanAnswer>(
    field<plan_verdict>("verdict", "The answer in a sentence or two").at_least(1),
    field<&PlanAnswer::decision, kDecision>("decision", "What to do").one_of(kDecisions),
    field<work_of>("work", "What is planned").one_of(kWork),
    field<&PlanAnswer::load_factor>("load_factor", "Work delivered over work paid for"),
    field<&PlanAnswer::break_even>("break_even", "Load factor from which machines pay"),
    field<plan_against>("against", "What the break-even is against"),
    field<&PlanAnswer::within_slo>("within_slo",
                                   "Share of requests within the SLO; null for training"),
    field<&PlanAnswer::is_close>("close_call",
                                 "Whether a difference that decides may be none at all"),
    field<close_calls_of>("close_calls", "These differences in words"),
    field<machine_of>("plan", "The machines to have, or to weigh against the API"),
    known_field<training_layout>("training_layout", "The whole layout of a training run"),
    field<&PlanAnswer::duration>("duration", "Paid time of a training run"),
    known_field<whole_run_of>("whole_run", "A training run as it is paid for, and the steady step"),
    field<&PlanAnswer::deadline_met>("deadline_met",
                                     "Whether it ends in time; null without a deadline"),
    field<&PlanAnswer::options>("options", "Every way to have the work done, the cheapest first"),
    known_field<&PlanAnswer::promise>("promise",
                                      "What a promised availability, zones or deploys add"),
    known_field<&PlanAnswer::regions>("regions", "A fleet in each region beside one place for all"),
    known_field<&PlanAnswer::years>("years", "Years of the same service, where --years asks"),
    field<runner_ups_of>("runners", "Machines that were not chosen"),
    field<levers_of>("levers", "What single changes of the scenario would do"),
    field<remarks_of>("remarks", "What else could be done, and what it would do"),
    field<flips_of>("flips", "Where the decision changes, nearest first"),
    field<gates_of>("gates", "Comparisons that were asked for"),
    field<fleet_load_pct>("fleet_load_pct", "Load of all GPUs of the plan around the clock")
        .in("%"),
    field<losses_pct>("losses_pct", "Where the empty share goes, in points"),
    field<&PlanAnswer::curve>("curve", "Fleets of other sizes"),
    field<&PlanAnswer::assumptions>("assumptions", "Numbers that the answer rests on"),
    field<&PlanAnswer::commands>("commands", "Commands that dig deeper"));

template <>
constexpr auto kFields<WrittenPlan> =
    fields<WrittenPlan>(spliced<WrittenPlan>([](const WrittenPlan& p) { return p.answer; }),
                        field<report_of>("report", "Where the page was written; null: nowhere"));

Value to_value(const PlanAnswer& answer) {
  return described_value<PlanAnswer>(answer, kFields<PlanAnswer>);
}
Value schema_of(Type<PlanAnswer>) {
  return described_schema<PlanAnswer>(kFields<PlanAnswer>);
}

std::string plan_csv(const PlanAnswer& answer) {
  return csv_list(schema_of(Type<PlanAnswer>()), to_value(answer), "options");
}

AnswerSchema plan_schema() {
  return {"plan",
          "plan",
          "Answer of `loadfactor plan`",
          "What to do, with which machines, paid for how, and what would change it.",
          scenario_schema(),
          schema_of(Type<WrittenPlan>())};
}

std::string plan_json(const PlanAnswer& answer, const std::string& file,
                      const std::string& report) {
  return print_json(envelope("plan", scenario_value(answer.scenario, file),
                             to_value(WrittenPlan{answer, report}), answer.notices, answer.facts));
}

}  // namespace loadfactor::report
