// The description of how a training run scales.
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/train/reason_words.h"
#include "report/train/scale_report.h"
#include "report/train/scale_words.h"
#include "report/train/train_fields.h"

namespace loadfactor::report {
namespace {

template <auto getter>
constexpr auto kOfPoint = [](const ScalePoint& p) { return std::invoke(getter, p.train); };

constexpr auto kDollars = [](const std::optional<Dollars>& amount) {
  return amount ? std::optional(EstimateOf<Dollars>::exact(*amount, Basis::kModelled, "catalogue"))
                : std::nullopt;
};
constexpr auto kRent = [](const std::optional<DollarsPerGpuSecond>& rent) {
  return rent ? std::optional(
                    EstimateOf<DollarsPerGpuSecond>::exact(*rent, Basis::kModelled, "catalogue"))
              : std::nullopt;
};
constexpr auto kPercentIfKnown = [](double share) {
  return share > 0 ? std::optional(100.0 * share) : std::nullopt;
};
constexpr auto kLimitName = [](ScaleLimit limit) { return name_of(limit); };
constexpr auto kChangeName = [](MachineChange change) { return name_of(change); };
constexpr auto kReasonWords = [](const LayoutReasons& why) { return reason_words(why); };
int spare_nodes(const TrainAnswer& a) {
  return a.goodput ? a.goodput->spare_nodes : 0;
}

}  // namespace

using T = TrainAnswer;

template <>
constexpr auto kFields<ScalePoint> = fields<ScalePoint>(
    spliced<ScalePoint>(kOfPoint<&T::layout>),
    field<ScalePoint>("layout_keys", kOfPoint<&T::layout_keys>,
                      "The whole layout as keys of a scenario"),
    field<ScalePoint>("step_time", kOfPoint<&T::step_time>, "Time of one step"),
    field<ScalePoint>("tokens_per_s", kOfPoint<&T::tokens_per_s>, "Tokens of all GPUs"),
    field<ScalePoint>("mfu", kOfPoint<&T::mfu>, "Model FLOPs over the dense peak"),
    field<&ScalePoint::efficiency, kPercent>("efficiency_percent",
                                             "Useful tokens of a GPU over those of the smallest "
                                             "size")
        .in("%"),
    field<&ScalePoint::communication, kPercent>("communication_percent",
                                                "Share of the step: traffic that is not hidden")
        .in("%"),
    field<ScalePoint>("global_batch", kOfPoint<&T::global_batch>, "Sequences of a step")
        .at_least(1),
    field<&ScalePoint::affordable>(
        "affordable", "Within limits.budget; true where no budget or no rent is known"),
    field<&ScalePoint::in_time>("in_time", "By the deadline, where there is one"),
    field<ScalePoint>("spare_nodes", kOfPoint<spare_nodes>,
                      "Nodes that are paid for and wait to replace broken ones"),
    field<ScalePoint>("paid_gpus", kOfPoint<&T::paid_gpus>,
                      "GPUs that are paid for, spares included")
        .at_least(0),
    field<&ScalePoint::binding, kLimitName>(
        "binding",
        "What costs most compared with the smallest size; nothing where "
        "this size is as good"),
    known_field<ScalePoint>("option", kOfPoint<option_of>,
                            "The way to pay that goodput, days and cost are of; left out where "
                            "none has a price"),
    known_field<ScalePoint>("binds", kOfPoint<binds_of>, "How long that way is paid for at least"),
    known_field<&ScalePoint::weak_efficiency, kPercentIfKnown>(
        "weak_efficiency_percent",
        "The efficiency with a batch that grows with the GPUs; not beyond the critical batch")
        .in("%"),
    known_field<ScalePoint>("duration", kOfPoint<&T::duration>, "Paid time for the tokens asked"),
    known_field<ScalePoint>("cost", kOfPoint<&T::cost>,
                            "Cost of that time, to the end of what binds"),
    known_field<ScalePoint>("goodput", kOfPoint<goodput_of>,
                            "Share of paid time that advances the run"),
    known_field<&ScalePoint::day_break_even, kDollars>("day_break_even",
                                                       "Value of a day from which this size pays"),
    known_field<&ScalePoint::marginal, kDollars>(
        "marginal_per_gpu", "Saved days times their value, less the added cost, per added GPU"));

template <>
constexpr auto kFields<ScaleCurve> = fields<ScaleCurve>(
    field<&ScaleCurve::accelerator>("accelerator", "Catalogue name"),
    field<&ScaleCurve::largest>("largest_efficient", "The largest size above the line"),
    field<&ScaleCurve::cheapest>("cheapest", "The size with the lowest cost"),
    field<&ScaleCurve::fastest>("fastest", "The size with the highest rate"),
    field<&ScaleCurve::priced>("priced", "Whether the cheapest is by rent; else by GPU-hours"),
    field<payment_words>("payment",
                         "Which way to pay the costs are of, at which sizes, and how long "
                         "it binds; empty where none has a price"),
    field<&ScaleCurve::counted_as, kOptionName>(
        "efficiency_paid",
        "The way to pay whose goodput efficiencies are counted with; "
        "empty where none has a price"),
    field<&ScaleCurve::too_small>("too_small", "Sizes on which nothing fits"),
    field<&ScaleCurve::excluded>("excluded", "Sizes that were left out, and why"),
    field<&ScaleCurve::points>("points", "Rising sizes"));

template <>
constexpr auto kFields<ScaleOption> = fields<ScaleOption>(
    field<&ScaleOption::what, kChangeName>("what", "A change to the machine"),
    field<&ScaleOption::gain, kPercent>("gain_percent", "Gain in useful tokens").in("%"),
    field<&ScaleOption::why, kReasonWords>("why", "What it takes away"),
    known_field<&ScaleOption::worth, kRent>("worth", "Rent of a GPU up to which it pays"));

template <>
constexpr auto kFields<ScaleAnswer> = fields<ScaleAnswer>(
    field<scale_verdict>("verdict", "Says first when a smaller machine is better").at_least(1),
    field<&ScaleAnswer::model>("model", "Catalogue name"),
    field<&ScaleAnswer::sequence>("sequence", "Tokens of one sequence").at_least(1),
    field<&ScaleAnswer::line, kPercent>("efficiency_line_percent",
                                        "The efficiency that \"how far\" asks about")
        .in("%"),
    field<&ScaleAnswer::curves>("curves", "One curve for each accelerator"),
    field<&ScaleAnswer::next_dollar>("next_dollar", "Changes to the machine, the best first"),
    field<&ScaleAnswer::next_of>("next_dollar_of",
                                 "The machine that they change; empty where there is none"),
    field<decision_words>("decisions", "Decisions in words"),
    field<&ScaleAnswer::headroom, kPercent>("headroom_percent",
                                            "Share of every GPU's memory that stays free, as asked")
        .in("%")
        .at_least(0),
    field<&ScaleAnswer::stopped>("stopped", "Whether it was interrupted: sizes are missing"));

Value to_value(const ScaleAnswer& answer) {
  return described_value<ScaleAnswer>(answer, kFields<ScaleAnswer>);
}
Value schema_of(Type<ScaleAnswer>) {
  return described_schema<ScaleAnswer>(kFields<ScaleAnswer>);
}

AnswerSchema scale_schema() {
  return {"scale",
          "train",
          "Answer of `loadfactor train --scale`",
          "How a training run scales, and what the next dollar is best spent on.",
          scenario_schema(),
          schema_of(Type<ScaleAnswer>())};
}

std::string scale_json(const ScaleAnswer& answer, const std::string& file) {
  return print_json(envelope("train", scenario_value(answer.scenario, file), to_value(answer),
                             answer.notices, answer.facts));
}

std::string scale_csv(const ScaleAnswer& answer) {
  return csv_list(schema_of(Type<ScaleAnswer>()), to_value(answer), "curves.points");
}

}  // namespace loadfactor::report
