// The description of what `fleet` answers.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/calendar.h"
#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/fleet/fleet_report.h"

namespace loadfactor::report {
namespace {

using engine::FleetAnswer;
using engine::FleetFullness;
using engine::FleetIdle;
using engine::FleetPoolAnswer;
using engine::FleetReload;
using engine::FleetWay;
using engine::FleetWorkloadAnswer;

constexpr std::string_view kKinds[] = {"online", "batch", "training", "fine-tuning", "reserved"};
constexpr std::string_view kDecisions[] = {"run", "api", "drop", "no-room"};
constexpr std::string_view kHorizons[] = {"week", "year"};

constexpr const char* kSchedule = "schedule of the fleet";

EstimateOf<Dollars> spread_over(Dollars amount, const engine::FleetSpread& spread) {
  const auto [low, high] = std::minmax({amount * spread.low, amount * spread.high});
  // A value that the fleet states is what it costs to drop a workload.
  const bool is_stated = spread.low == spread.high;
  return {amount, low, high, is_stated ? Basis::kAssumed : Basis::kModelled, kSchedule};
}
// Money with its spread, both members of the same part of the answer.
template <auto amount, auto spread>
constexpr auto kMoney = [](const auto& part) { return spread_over(part.*amount, part.*spread); };
template <auto amount, auto spread>
constexpr auto kMaybeMoney = [](const auto& part) {
  return part.*amount ? std::optional(spread_over(*(part.*amount), part.*spread)) : std::nullopt;
};
// What the fleet states is not modelled.
constexpr auto kStated = [](const std::optional<Dollars>& amount) {
  return amount ? std::optional(EstimateOf<Dollars>::exact(*amount, Basis::kAssumed, "fleet"))
                : std::nullopt;
};
// The same prices move both sides of a difference, each by its own mix of ways to pay.
EstimateOf<Dollars> saving_of(const FleetAnswer& a) {
  const auto [low, high] =
      std::minmax({a.separate * a.separate_spread.low - a.per_month * a.spread.low,
                   a.separate * a.separate_spread.high - a.per_month * a.spread.high,
                   a.saving * a.spread.low, a.saving * a.spread.high});
  return {a.saving, low, high, Basis::kModelled, kSchedule};
}
constexpr auto kEnergy = [](const FleetFullness& part) {
  return EstimateOf<Joules>(part.energy, part.energy * part.of_energy.low,
                            part.energy * part.of_energy.high, Basis::kModelled, kSchedule);
};
constexpr auto kCarbon = [](const FleetPoolAnswer& pool) -> std::optional<FigureIn> {
  if (!pool.grams_per_kwh) return std::nullopt;
  const double kilograms = 1000 * carbon_tonnes(pool.after.energy, *pool.grams_per_kwh);
  const EstimateOf<double> carbon(kilograms, kilograms * pool.after.of_energy.low,
                                  kilograms * pool.after.of_energy.high, Basis::kModelled,
                                  kSchedule);
  return FigureIn{carbon.erased(), "kg"};
};
constexpr auto kTime = [](Seconds time) {
  return EstimateOf<Seconds>::exact(time, Basis::kModelled, kSchedule);
};
constexpr auto kMaybeTime = [](const std::optional<Seconds>& time) {
  return time ? std::optional(kTime(*time)) : std::nullopt;
};
constexpr auto kShare = [](double share) {
  return EstimateOf<double>::exact(share, Basis::kModelled, kSchedule);
};
// The part of GPU-hours that is work; it is never more than all of them.
constexpr auto kLoadFactor = [](const auto& part) {
  const double load = part.load_factor;
  return EstimateOf<double>(load, load * part.of_load.low,
                            std::max(load, std::min(1.0, load * part.of_load.high)),
                            Basis::kModelled, kSchedule);
};
constexpr auto kWithin = [](const auto& part) -> std::optional<EstimateOf<double>> {
  if (!part.within_slo) return std::nullopt;
  const double share = *part.within_slo;
  return EstimateOf<double>(share, share * part.of_within.low,
                            std::min(1.0, share * part.of_within.high), Basis::kModelled,
                            "simulation of the schedule");
};
constexpr auto kName = [](const auto& word) { return name_of(word); };
constexpr auto kHorizonName = [](config::FleetHorizon horizon) {
  return kHorizons[static_cast<std::size_t>(horizon)];
};

}  // namespace

template <>
constexpr auto kFields<FleetFullness> = fields<FleetFullness>(
    field<&FleetFullness::gpus>("gpus", "GPUs paid for at the busiest hour"),
    field<FleetFullness>("load_factor", kLoadFactor, "Work done over what the paid GPUs could do"),
    field<&FleetFullness::allocated, kShare>("allocated", "Share of the paid hours that is held"),
    field<FleetFullness>("per_month", kMoney<&FleetFullness::per_month, &FleetFullness::spread>,
                         "What the machines cost"),
    field<FleetFullness>("energy", kEnergy, "What they and their site draw in a month"));

template <>
constexpr auto kFields<FleetWay> = fields<FleetWay>(
    field<&FleetWay::kind, kOptionName>("kind", "How the machines are paid for"),
    field<&FleetWay::gpus>("gpus", "GPUs committed to, or rented at the busiest hour"),
    field<&FleetWay::gpu_hours>("gpu_hours", "Paid for in a month"),
    field<FleetWay>("per_month", kMoney<&FleetWay::per_month, &FleetWay::spread>,
                    "What they cost"));

template <>
constexpr auto kFields<FleetIdle> = fields<FleetIdle>(
    field<&FleetIdle::gpu_hours>("gpu_hours", "Committed to and not needed, in a month"),
    field<&FleetIdle::share, kShare>("share", "Share of the committed hours"),
    field<FleetIdle>("next_idle_hour", kMoney<&FleetIdle::next_idle_hour, &FleetIdle::of_power>,
                     "What one more GPU-hour costs while some are idle"),
    field<FleetIdle>("next_full_hour", kMaybeMoney<&FleetIdle::next_full_hour, &FleetIdle::of_rent>,
                     "What it costs while all are busy"),
    field<FleetIdle>("committed_hour",
                     kMaybeMoney<&FleetIdle::committed_hour, &FleetIdle::of_committed>,
                     "What a GPU-hour of the committed machines costs on average"));

template <>
constexpr auto kFields<FleetPoolAnswer> = fields<FleetPoolAnswer>(
    field<&FleetPoolAnswer::name>("name", "As the fleet calls it"),
    field<&FleetPoolAnswer::accelerator>("accelerator", "Its chip"),
    field<&FleetPoolAnswer::region>("region", "Where it stands; empty where it is not said"),
    field<&FleetPoolAnswer::is_shared>("shared", "Whether workloads share machines"),
    field<&FleetPoolAnswer::machine>("machine", "GPUs of a machine"),
    field<&FleetPoolAnswer::most>("most", "GPUs that there can be"),
    spliced<&FleetPoolAnswer::after>(),
    field<&FleetPoolAnswer::before>("before", "The same workloads with machines of their own"),
    field<&FleetPoolAnswer::ways>("ways", "How the machines are paid for"),
    field<&FleetPoolAnswer::idle>("idle", "What hours that nobody needs are worth"),
    field<&FleetPoolAnswer::grams_per_kwh>(
        "carbon_g_per_kwh", "Carbon of its region's electricity; null where it is not known"),
    field<FleetPoolAnswer>("carbon", kCarbon, "CO2 of its energy in a month, in kg; null likewise"),
    field<&FleetPoolAnswer::load>("load", "Mean GPUs needed by hour of the week"));

template <>
constexpr auto kFields<FleetReload> = fields<FleetReload>(
    field<&FleetReload::load>("load", "Loading the model or the last checkpoint"),
    field<&FleetReload::drain>("drain", "Requests in flight, or writing a checkpoint"));

template <>
constexpr auto kFields<FleetWorkloadAnswer> = fields<FleetWorkloadAnswer>(
    field<&FleetWorkloadAnswer::name>("name", "As the fleet calls it"),
    field<&FleetWorkloadAnswer::kind, kName>("kind", "What work it is").one_of(kKinds),
    field<&FleetWorkloadAnswer::priority>("priority", "The higher one stays where room is short"),
    field<&FleetWorkloadAnswer::decision, kName>("decision", "What to do with it")
        .one_of(kDecisions),
    field<&FleetWorkloadAnswer::pool>("pool", "Where it runs; empty where it does not"),
    field<&FleetWorkloadAnswer::layout>("layout", "A replica or a run, in words"),
    field<&FleetWorkloadAnswer::gpus>("gpus", "GPUs at its busiest hour"),
    field<&FleetWorkloadAnswer::mean_gpus>("mean_gpus", "GPUs on average"),
    field<&FleetWorkloadAnswer::gpu_hours>("gpu_hours", "GPU-hours in the horizon"),
    field<FleetWorkloadAnswer>("load_factor", kLoadFactor,
                               "Work done over what its GPU-hours could do"),
    field<&FleetWorkloadAnswer::is_preemptible>("preemptible", "Whether it may be interrupted"),
    field<&FleetWorkloadAnswer::starts>("starts", "Starts of gangs in the horizon"),
    field<&FleetWorkloadAnswer::lost_hours>("lost_hours", "GPU-hours that starts lose"),
    field<&FleetWorkloadAnswer::reload>("reload", "What a start loses"),
    field<FleetWorkloadAnswer>(
        "per_month", kMoney<&FleetWorkloadAnswer::per_month, &FleetWorkloadAnswer::spread>,
        "Its fair share of the bill"),
    field<FleetWorkloadAnswer>(
        "alone", kMoney<&FleetWorkloadAnswer::alone, &FleetWorkloadAnswer::alone_spread>,
        "What it costs by itself, per month"),
    field<FleetWorkloadAnswer>("marginal",
                               kMoney<&FleetWorkloadAnswer::marginal, &FleetWorkloadAnswer::spread>,
                               "What the bill falls by without it, per month"),
    field<FleetWorkloadAnswer>(
        "api", kMaybeMoney<&FleetWorkloadAnswer::api, &FleetWorkloadAnswer::api_spread>,
        "What tokens would cost, per month"),
    field<&FleetWorkloadAnswer::value, kStated>("value", "What is lost without it, per month"),
    field<FleetWorkloadAnswer>("within_slo", kWithin,
                               "Share of requests within the SLO, simulated with its hours"),
    field<&FleetWorkloadAnswer::keeps_slo>("keeps_slo", "Whether the simulation keeps the SLO"),
    field<&FleetWorkloadAnswer::requests>("requests", "Requests that were simulated"),
    field<&FleetWorkloadAnswer::round_trip>(
        "round_trip", "To its farthest users and back, which is taken off its bounds"),
    field<&FleetWorkloadAnswer::first, kMaybeTime>("first", "When its first job begins"),
    field<&FleetWorkloadAnswer::last, kMaybeTime>("last", "When its last job ends"),
    field<&FleetWorkloadAnswer::week>("week", "Mean GPUs by hour of the week"),
    field<&FleetWorkloadAnswer::days>("days", "Mean GPUs by day of the year; none for a week"));

template <>
constexpr auto kFields<FleetAnswer> = fields<FleetAnswer>(
    field<&FleetAnswer::horizon, kHorizonName>("horizon", "How the hours repeat").one_of(kHorizons),
    field<&FleetAnswer::pools>("pools", "Machines, and how full they are"),
    field<&FleetAnswer::workloads>("workloads", "What to do with each workload"),
    field<FleetAnswer>("per_month", kMoney<&FleetAnswer::per_month, &FleetAnswer::spread>,
                       "What all cost together"),
    field<FleetAnswer>("separate", kMoney<&FleetAnswer::separate, &FleetAnswer::separate_spread>,
                       "What they cost apart, per month"),
    field<saving_of>("saving", "What sharing saves, per month"),
    field<FleetAnswer>("bound", kMoney<&FleetAnswer::bound, &FleetAnswer::spread>,
                       "No schedule costs less, per month"),
    field<&FleetAnswer::gap, kPercent>("gap", "How far the bound is from the cost").in("%"),
    field<FleetAnswer>("within_slo", kWithin,
                       "Share of all simulated requests within their SLO; none where none was"),
    known_field<FleetAnswer>(
        "seconds", [](const FleetAnswer& a) { return std::optional(a.seconds); },
        "CPU time of the schedule; left out by --reproducible")
        .in("seconds")
        .at_least(0));

namespace {

Value value_of(const FleetAnswer& answer) {
  return described_value<FleetAnswer>(answer, kFields<FleetAnswer>);
}

}  // namespace

AnswerSchema fleet_schema() {
  return {"fleet",
          "fleet",
          "Answer of `loadfactor fleet`",
          "Who runs where and when on one fleet, how full it is, and who pays how much.",
          scenario_schema(),
          described_schema<FleetAnswer>(kFields<FleetAnswer>)};
}

std::string fleet_json(const FleetAnswer& answer, const std::string& file, bool is_reproducible) {
  Value value = value_of(answer);
  if (is_reproducible) value = without(std::move(value), {"seconds"});
  return print_json(
      envelope("fleet", scenario_value(answer.fleet, file), std::move(value), answer.notices, {}));
}

std::string fleet_csv(const FleetAnswer& answer) {
  return csv_list(fleet_schema().answer, value_of(answer), "workloads");
}

}  // namespace loadfactor::report
