// The description of a plan.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/describe/csv.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/plan/plan_parts.h"
#include "report/plan/plan_report.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;
using engine::PlanAssumption;
using engine::PlanPoint;

constexpr std::string_view kWork[] = {"train", "serve"};

std::string plan_against(const PlanAnswer& a) {
  return a.against ? words_of(*a.against) : std::string();
}
std::optional<NamedMachine> machine_of(const PlanAnswer& a) {
  return a.machine ? std::optional(NamedMachine{a}) : std::nullopt;
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

}  // namespace

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
    spliced<PlanAnswer>([](const PlanAnswer& a) { return PlanChanges{a}; }),
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
