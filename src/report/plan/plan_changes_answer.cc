// The description of what would change a plan: runners-up, levers, remarks, flips and gates.
#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/plan/flip_range.h"
#include "report/plan/plan_parts.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;
using engine::PlanFlip;
using engine::PlanGate;
using engine::PlanLever;
using engine::PlanOption;
using engine::PlanOutcome;
using engine::RunnerUp;

// In the order of engine::LeverDetail.
constexpr std::string_view kLeverKinds[] = {
    "traffic",   "replicas",    "relaxed",    "memory",    "memory-unneeded", "split-pools", "chip",
    "api-price", "own-or-rent", "idle-hours", "objective", "fleet-size",      "offload"};
static_assert(std::size(kLeverKinds) == std::variant_size_v<engine::LeverDetail>);

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
std::vector<Lever> levers_of(const PlanChanges& c) {
  return levers(c.answer, true);
}
// What no key of a scenario says.
struct Remark {
  Lever lever;
};
std::vector<Remark> remarks_of(const PlanChanges& c) {
  std::vector<Remark> out;
  for (Lever& lever : levers(c.answer, false)) out.push_back({std::move(lever)});
  return out;
}
struct Flip {
  const PlanFlip& flip;
  engine::PlanDecision from;
  EstimateOf<double> traffic;
};
std::vector<Flip> flips_of(const PlanChanges& c) {
  std::vector<Flip> out;
  for (const PlanFlip& flip : c.answer.flips)
    out.push_back({flip, c.answer.decision, range_of(flip, c.answer)});
  return out;
}
std::optional<std::string> edit_of(const Flip& f) {
  return f.flip.edit.empty() ? std::nullopt : std::optional(f.flip.edit);
}

struct NamedRunnerUp {
  const RunnerUp& other;
  RunnerUpWords words;
  const std::optional<EstimateOf<double>>& load;  // The chosen machines'.
  const std::vector<PlanOption>& options;
};
std::vector<NamedRunnerUp> runner_ups_of(const PlanChanges& c) {
  const PlanAnswer& a = c.answer;
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
  if (near == r.options.end()) return plan_estimate(cost);
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
    return kPlanEstimateIfKnown(r.other.load_factor);
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
std::vector<JudgedGate> gates_of(const PlanChanges& c) {
  std::vector<JudgedGate> out;
  for (const PlanGate& gate : c.answer.gates) out.push_back({gate, gate_words(gate, c.answer)});
  return out;
}
template <auto member>
constexpr auto kGate = [](const JudgedGate& g) { return std::invoke(member, g.gate); };

}  // namespace

template <>
constexpr auto kFields<PlanOutcome> = fields<PlanOutcome>(
    field<&PlanOutcome::decision, kDecision>("decision", "What to do then").one_of(kDecisions),
    field<&PlanOutcome::gpus>("gpus", "GPUs to have then; 0 where the API is used"),
    field<&PlanOutcome::load_factor>("load_factor", "Load factor then; null for the API"),
    field<&PlanOutcome::per_month, kPriceOfMonthIfKnown>("per_month",
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

constexpr auto kChangeFields = fields<PlanChanges>(
    field<runner_ups_of>("runners", "Machines that were not chosen"),
    field<levers_of>("levers", "What single changes of the scenario would do"),
    field<remarks_of>("remarks", "What else could be done, and what it would do"),
    field<flips_of>("flips", "Where the decision changes, nearest first"),
    field<gates_of>("gates", "Comparisons that were asked for"));

Value to_value(const PlanChanges& changes) {
  return described_value<PlanChanges>(changes, kChangeFields);
}
Value schema_of(Type<PlanChanges>) {
  return described_schema<PlanChanges>(kChangeFields);
}

}  // namespace loadfactor::report
