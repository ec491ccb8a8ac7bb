// The description of a plan.
#include <string>
#include <utility>

#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/plan/plan_report.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;
using engine::PlanAssumption;
using engine::PlanFlip;
using engine::PlanGate;
using engine::PlanLever;
using engine::PlanMachine;
using engine::PlanOption;
using engine::PlanOutcome;
using engine::PlanPoint;
using engine::PlanRunner;

constexpr std::string_view kWork[] = {"train", "serve"};
constexpr std::string_view kKinds[] = {"own",     "reserved-1y", "reserved-3y", "on-demand",
                                       "spot",    "api",         "mix",         "autoscaled",
                                       "managed", "alternative"};

constexpr auto kDecision = [](engine::PlanDecision decision) { return words_of(decision); };

// Money and shares of an outcome have the source of the options that they were computed by.
template <typename Q>
EstimateOf<Q> modelled(Q value) {
  return EstimateOf<Q>::exact(value, Basis::kModelled, "plan");
}
constexpr auto kModelledIfKnown = [](const auto& value) {
  return value ? std::optional(modelled(*value)) : std::nullopt;
};

// ---- Options.

template <auto member>
constexpr auto kCost = [](const PlanOption& o) { return std::invoke(member, o.cost); };

// A mix of several ways to pay is one kind; its parts are in the name.
std::string kind_of(const PlanOption& o) {
  return o.cost.owned > 0 || o.cost.reserved > 0 || o.cost.kind.find('+') != std::string::npos
             ? "mix"
             : o.cost.kind;
}
// Only where machines come and go is less than all of them paid for.
std::optional<double> mean_gpus(const PlanOption& o) {
  const bool same = o.cost.gpus >= static_cast<double>(o.gpus) - 1e-9;
  return same ? std::nullopt : std::optional(o.cost.gpus);
}
EstimateOf<Dollars> amount_of(const PlanOption& o) {
  const auto& month = o.cost.per_month;
  return EstimateOf<Dollars>::exact(o.amount, month.basis(), month.source());
}

// ---- Levers and flips.

std::vector<PlanLever> levers_of(const PlanAnswer& a) {
  std::vector<PlanLever> out;
  for (const PlanLever& lever : a.levers)
    if (!lever.edit.empty() && lever.then) out.push_back(lever);
  return out;
}
// What no single key of a scenario says.
struct Remark {
  std::string name, effect;
};
std::vector<Remark> remarks_of(const PlanAnswer& a) {
  std::vector<Remark> out;
  for (const PlanLever& lever : a.levers)
    if (lever.edit.empty() || !lever.then) out.push_back({lever.name, lever.effect});
  return out;
}
struct Flip {
  const PlanFlip& flip;
  engine::PlanDecision from;
};
std::vector<Flip> flips_of(const PlanAnswer& a) {
  std::vector<Flip> out;
  for (const PlanFlip& flip : a.flips) out.push_back({flip, a.decision});
  return out;
}
std::optional<std::string> edit_of(const Flip& f) {
  return f.flip.edit.empty() ? std::nullopt : std::optional(f.flip.edit);
}

// ---- The rest.

std::optional<double> cost_usd(const PlanRunner& r) {
  return r.cost > Dollars() ? std::optional(r.cost.base()) : std::nullopt;
}
std::optional<int> gpus_of(const PlanRunner& r) {
  return r.gpus > 0 ? std::optional(r.gpus) : std::nullopt;
}
std::optional<std::string> accelerator_of(const PlanRunner& r) {
  return r.accelerator.empty() ? std::nullopt : std::optional(r.accelerator);
}
std::string_view work_of(const PlanAnswer& a) {
  return kWork[a.is_training ? 0 : 1];
}
std::optional<double> fleet_load_pct(const PlanAnswer& a) {
  return a.fleet_load ? std::optional(100 * *a.fleet_load) : std::nullopt;
}
Dictionary<double> losses_pct(const PlanAnswer& a) {
  Dictionary<double> out;
  for (const auto& [name, share] : a.losses) out.values.emplace_back(name, 100 * share);
  return out;
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

}  // namespace

template <>
constexpr auto kFields<PlanOption> = fields<PlanOption>(
    field<PlanOption>("name", kCost<&CostOption::name>, "The option as people read it"),
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
    field<PlanOption>("against", kCost<&CostOption::against>, "What the break-even is against"),
    field<PlanOption>("per_month", kCost<&CostOption::per_month>, "Cost of a month"),
    field<amount_of>("cost", "Cost of a month, or of the whole run"),
    field<PlanOption>("per_mtoken", kCost<&CostOption::per_mtoken>,
                      "Cost of a million tokens; null where tokens are not the work"),
    field<&PlanOption::why>("why", "Why it was not chosen; empty for the first"));

template <>
constexpr auto kFields<PlanMachine> = fields<PlanMachine>(
    field<&PlanMachine::accelerator>("accelerator", "Catalogue name"),
    field<&PlanMachine::precision>("precision", "Format of the weights or matrix products"),
    field<&PlanMachine::kv_format>("kv", "Format of the KV cache; empty for a training run"),
    spliced<&PlanMachine::layout>(),
    field<&PlanMachine::prompts>("prompts",
                                 "Replicas that only compute prompts; null where there are none"),
    field<&PlanMachine::nodes>("nodes", "Whole nodes"),
    field<&PlanMachine::layout_words>("layout", "The layout in words"),
    field<&PlanMachine::procurement>("procurement", "How the machines are paid for"),
    field<&PlanMachine::cooling>("cooling", "How they are cooled; empty where not known"),
    field<&PlanMachine::network>("network", "What joins the nodes; empty where not known"));

template <>
constexpr auto kFields<PlanOutcome> = fields<PlanOutcome>(
    field<&PlanOutcome::decision, kDecision>("decision", "What to do then").one_of(kDecisions),
    field<&PlanOutcome::gpus>("gpus", "GPUs to have then; 0 where the API is used"),
    field<&PlanOutcome::load_factor, kModelledIfKnown>("load_factor",
                                                       "Load factor then; null for the API"),
    field<&PlanOutcome::per_month, kModelledIfKnown>("per_month",
                                                     "Cost of a month then; null: not known"));

template <>
constexpr auto kFields<PlanLever> = fields<PlanLever>(
    field<&PlanLever::edit>("edit", "The --set that makes the change").at_least(1),
    field<&PlanLever::then>("then", "The answer after it"),
    field<&PlanLever::name>("name", "The change in words"),
    field<&PlanLever::effect>("effect", "What it does, in words"));

template <>
constexpr auto kFields<Remark> =
    fields<Remark>(field<&Remark::name>("name", "What could be done, in words"),
                   field<&Remark::effect>("effect", "What it would do, in words"));

template <>
constexpr auto kFields<Flip> = fields<Flip>(
    field<edit_of>("edit", "The --set that makes it; null where no key sets the traffic"),
    field<Flip>(
        "at", [](const Flip& f) { return f.flip.traffic; }, "Multiple of today's traffic")
        .at_least(0),
    field<Flip>(
        "from", [](const Flip& f) { return words_of(f.from); }, "Decision today")
        .one_of(kDecisions),
    field<Flip>(
        "to", [](const Flip& f) { return words_of(f.flip.decision); }, "Decision from there on")
        .one_of(kDecisions));

template <>
constexpr auto kFields<PlanRunner> = fields<PlanRunner>(
    field<&PlanRunner::name>("name", "The machines in words"),
    known_field<accelerator_of>("accelerator", "Catalogue name"),
    known_field<gpus_of>("gpus", "GPUs"),
    known_field<&PlanRunner::load_factor, kModelledIfKnown>("load_factor",
                                                            "Work delivered over work paid for"),
    field<cost_usd>("cost_usd", "Cost of a month or of the run; null: not known").in("USD"),
    field<&PlanRunner::why>("why", "Why they were not chosen"));

template <>
constexpr auto kFields<PlanGate> =
    fields<PlanGate>(field<&PlanGate::text>("gate", "The comparison as it was asked"),
                     field<&PlanGate::holds>("holds", "Whether it holds"),
                     known_field<&PlanGate::left>("left", "Its left side, in base units"),
                     known_field<&PlanGate::right>("right", "Its right side, in base units"),
                     field<&PlanGate::words>("words", "The comparison with its figures"));

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
    field<&PlanAnswer::verdict>("verdict", "The answer in a sentence or two").at_least(1),
    field<&PlanAnswer::decision, kDecision>("decision", "What to do").one_of(kDecisions),
    field<work_of>("work", "What is planned").one_of(kWork),
    field<&PlanAnswer::load_factor>("load_factor", "Work delivered over work paid for"),
    field<&PlanAnswer::break_even>("break_even", "Load factor from which machines pay"),
    field<&PlanAnswer::against>("against", "What the break-even is against"),
    field<&PlanAnswer::within_slo>("within_slo",
                                   "Share of requests within the SLO; null for training"),
    field<&PlanAnswer::is_close>("close_call",
                                 "Whether a difference that decides may be none at all"),
    field<&PlanAnswer::close_calls>("close_calls", "These differences in words"),
    field<&PlanAnswer::machine>("plan", "The machines to have, or to weigh against the API"),
    known_field<training_layout>("training_layout", "The whole layout of a training run"),
    field<&PlanAnswer::duration>("duration", "Paid time of a training run"),
    field<&PlanAnswer::deadline_met>("deadline_met",
                                     "Whether it ends in time; null without a deadline"),
    field<&PlanAnswer::options>("options", "Every way to have the work done, the cheapest first"),
    field<&PlanAnswer::runners>("runners", "Machines that were not chosen"),
    field<levers_of>("levers", "What single changes of the scenario would do"),
    field<remarks_of>("remarks", "What else could be done, and what it would do"),
    field<flips_of>("flips", "Where the decision changes, nearest first"),
    field<&PlanAnswer::gates>("gates", "Comparisons that were asked for"),
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
