// The description of the best layouts of a training run.
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/train/method_fields.h"
#include "report/train/reason_words.h"
#include "report/train/search_report.h"
#include "report/train/search_words.h"
#include "report/train/train_fields.h"

namespace loadfactor::report {
namespace {

constexpr std::string_view kObjectives[] = {"time", "cost", "energy", "cost-by-deadline"};

template <auto getter>
constexpr auto kTrain = [](const SearchPlan& p) { return std::invoke(getter, p.train); };

// Dollars of the run, or of a token where no tokens are said.
std::optional<Estimate> cost_of(const TrainAnswer& a) {
  if (a.cost) return a.cost->erased();
  return a.cost_per_token ? std::optional(a.cost_per_token->erased()) : std::nullopt;
}
EstimateOf<Watts> power_of(const SearchPlan& p) {
  return EstimateOf<Watts>::exact(p.power, Basis::kModelled, "catalogue");
}
std::optional<std::string> best_in_of(const SearchPlan& p) {
  return p.best_in.empty() ? std::nullopt : std::optional(front_words(p.best_in));
}
std::optional<std::string> nearest_of(const SearchAnswer& a) {
  std::string words = nearest_words(a);
  return words.empty() ? std::nullopt : std::optional(std::move(words));
}
constexpr auto kObjectiveWords = [](Objective objective) { return objective_words(objective); };
constexpr auto kReasonWords = [](const LayoutReasons& why) { return reason_words(why); };
std::string_view objective_key(const SearchAnswer& a) {
  return kObjectives[static_cast<std::size_t>(a.objective)];
}

// The whole step of a method, not that of its trainer alone.
std::string whole_verdict(const SearchAnswer& answer) {
  return answer.method ? method_verdict(*answer.method) : search_verdict(answer);
}

}  // namespace

using T = TrainAnswer;

template <>
constexpr auto kFields<SearchPlan> = fields<SearchPlan>(
    field<SearchPlan>("accelerator", kTrain<&T::accelerator>, "Catalogue name"),
    spliced<SearchPlan>(kTrain<&T::layout>),
    field<SearchPlan>("layout_keys", kTrain<&T::layout_keys>,
                      "The whole layout as keys of a scenario"),
    field<SearchPlan>("precision", kTrain<&T::precision>, "Format of the matrix products"),
    field<SearchPlan>("step_time", kTrain<&T::step_time>, "Time of one step"),
    field<SearchPlan>("tokens_per_s", kTrain<&T::tokens_per_s>, "Tokens of all GPUs"),
    field<SearchPlan>("mfu", kTrain<&T::mfu>, "Model FLOPs over the dense peak"),
    field<SearchPlan>("memory", kTrain<&T::memory>, "Memory that the fullest GPU uses"),
    field<&SearchPlan::memory_share, kPercent>("memory_percent", "Share of its memory").in("%"),
    known_field<SearchPlan>("cost", kTrain<cost_of>,
                            "Cost of the tokens asked, or of one token where none are said"),
    known_field<SearchPlan>("option", kTrain<option_of>,
                            "The way to pay that goodput, days and cost are of; left out where "
                            "none has a price"),
    known_field<SearchPlan>("binds", kTrain<binds_of>, "How long that way is paid for at least"),
    known_field<SearchPlan>("duration", kTrain<&T::duration>, "Paid time for the tokens asked"),
    known_field<SearchPlan>("whole_run", kTrain<&TrainAnswer::whole>,
                            "The run as it is paid for, beside the steady step"),
    known_field<SearchPlan>("goodput", kTrain<goodput_of>,
                            "Share of paid time that advances the run"),
    field<&SearchPlan::step_energy>("step_energy", "Energy of one step at the nodes"),
    known_field<&SearchPlan::run_energy>(
        "run_energy",
        "Energy of the whole paid time at the nodes; left out where the tokens are not said"),
    field<power_of>("power", "Power of all nodes at most"),
    field<&SearchPlan::behind, kPercent>("behind_percent", "How far it is behind the best").in("%"),
    field<&SearchPlan::why, kReasonWords>("why", "Why it is the best, or why not"),
    known_field<best_in_of>("best_in", "What nothing beats it in, of plans on the front"));

template <>
constexpr auto kFields<SearchAnswer> = fields<SearchAnswer>(
    field<whole_verdict>("verdict", "The answer as one sentence").at_least(1),
    field<&SearchAnswer::model>("model", "Catalogue name"),
    field<&SearchAnswer::objective, kObjectiveWords>("objective",
                                                     "What plans are judged by, in words"),
    field<objective_key>("objective_key", "The same as a word").one_of(kObjectives),
    field<&SearchAnswer::sequence>("sequence", "Tokens of one sequence").at_least(1),
    field<&SearchAnswer::enumerated>("enumerated", "Legal layouts"),
    field<&SearchAnswer::evaluated>("evaluated", "Layouts whose step was computed"),
    field<&SearchAnswer::machines>("machines", "Machines that were searched"),
    field<&SearchAnswer::exhaustive>("exhaustive", "Whether no layout was dismissed by a bound"),
    field<&SearchAnswer::stopped>("stopped", "Whether it was interrupted"),
    field<&SearchAnswer::headroom, kPercent>("headroom_percent",
                                             "Share of every GPU's memory that stays free, as "
                                             "asked")
        .in("%")
        .at_least(0),
    known_field<SearchAnswer>(
        "seconds", [](const SearchAnswer& a) { return std::optional(a.seconds); },
        "CPU time of the search; left out by --reproducible")
        .in("seconds")
        .at_least(0),
    field<&SearchAnswer::plans>("plans", "The best plans, best first"),
    field<&SearchAnswer::front>("front", "Plans that nothing beats in everything at once"),
    field<&SearchAnswer::excluded>("excluded", "Machines that a limit excludes"),
    field<&SearchAnswer::missed, missed_keys>(
        "missed",
        "Keys of limits that every plan misses, or the first one where it is shown all the same"),
    known_field<&SearchAnswer::method>("method",
                                       "The whole step, where a run is more than training on text: "
                                       "then the plans are of its trainer"),
    known_field<nearest_of>("nearest", "What comes closest, where there is no plan"));

Value to_value(const SearchAnswer& answer) {
  return described_value<SearchAnswer>(answer, kFields<SearchAnswer>);
}
Value schema_of(Type<SearchAnswer>) {
  return described_schema<SearchAnswer>(kFields<SearchAnswer>);
}

AnswerSchema search_schema() {
  return {"search",
          "train",
          "Answer of `loadfactor train --search`",
          "The best layouts of a training run, over all its accelerators.",
          scenario_schema(),
          schema_of(Type<SearchAnswer>())};
}

std::string search_json(const SearchAnswer& answer, const std::string& file, bool reproducible) {
  Value value = to_value(answer);
  if (reproducible) value = without(std::move(value), {"seconds"});
  return print_json(envelope("train", scenario_value(answer.scenario, file), std::move(value),
                             answer.notices, answer.facts));
}

std::string search_csv(const SearchAnswer& answer) {
  return csv_list(schema_of(Type<SearchAnswer>()), to_value(answer), "plans");
}

}  // namespace loadfactor::report
