// The description of one layout of a training run.
#include <cmath>
#include <string>
#include <utility>

#include "report/describe/csv.h"
#include "report/train/method_fields.h"
#include "report/train/search_words.h"
#include "report/train/step_words.h"
#include "report/train/train_fields.h"
#include "report/train/train_report.h"

namespace loadfactor::report {
namespace {

constexpr std::string_view kMemoryVerdicts[] = {"fits", "tight", "does not fit"};
constexpr auto kVerdictName = [](MemoryVerdict verdict) { return name_of(verdict); };
constexpr auto kLossName = [](GoodputLoss::Cause cause) { return name_of(cause); };
constexpr auto kLossMeaning = [](GoodputLoss::Cause cause) { return loss_meaning(cause); };

struct Parameters {
  std::int64_t total = 0, active = 0;
};
Parameters parameters_of(const TrainAnswer& a) {
  return {a.parameters_total, a.parameters_active};
}
EstimateOf<Bytes> memory_per_gpu(const TrainAnswer& a) {
  return EstimateOf<Bytes>::exact(a.memory_per_gpu, Basis::kModelled, a.memory.source());
}
std::vector<StepMemory> memory_lines(const TrainAnswer& a) {
  std::vector<StepMemory> out;
  for (const auto& line : a.lines)
    out.push_back({std::string(name_of(line.use)), line.bytes, memory_words(a, line.use)});
  return out;
}

// Failures cost what the model of goodput says, without an interval of their own.
struct Failures {
  const TrainGoodput& goodput;
};
template <auto member>
constexpr auto kModelled = [](const Failures& f) {
  using Q = std::remove_cvref_t<decltype(f.goodput.*member)>;
  return EstimateOf<Q>::exact(f.goodput.*member, Basis::kModelled, f.goodput.value.source());
};

// What only a layout that fits has.
struct Fitting {
  const TrainAnswer& answer;
};
std::optional<Fitting> fitting(const TrainAnswer& a) {
  return a.fits ? std::optional(Fitting{a}) : std::nullopt;
}
struct Shortage {
  std::string shortage, nearest, nearest_changes;
};
std::optional<Shortage> shortage_of(const TrainAnswer& a) {
  if (a.fits) return std::nullopt;
  return Shortage{shortage_words(a), a.nearest, a.nearest_changes};
}
template <auto getter>
constexpr auto kOf = [](const Fitting& f) { return std::invoke(getter, f.answer); };

EstimateOf<FlopsPerSecond> peak_of(const TrainAnswer& a) {
  return EstimateOf<FlopsPerSecond>::exact(a.peak, Basis::kModelled, "catalogue");
}
bool progress_of(const TrainAnswer& a) {
  return !a.stalled;
}
std::optional<std::string> stalled_of(const TrainAnswer& a) {
  return a.stalled ? std::optional(stall_words(*a.stalled)) : std::nullopt;
}
std::optional<std::string> helps_of(const TrainAnswer& a) {
  return a.stalled ? std::optional(remedy_words(*a.stalled)) : std::nullopt;
}
std::optional<Failures> failures_of(const TrainAnswer& a) {
  return a.goodput ? std::optional(Failures{*a.goodput}) : std::nullopt;
}
std::optional<EstimateOf<Seconds>> mtbf_of(const Failures& f) {
  return std::isfinite(f.goodput.mtbf.base()) ? std::optional(kModelled<&TrainGoodput::mtbf>(f))
                                              : std::nullopt;
}
EstimateOf<Tokens> stage_tokens(const RunStage& stage) {
  return EstimateOf<Tokens>::exact(stage.tokens, Basis::kModelled, "scenario");
}
std::optional<std::vector<RunStage>> stages_of(const TrainAnswer& a) {
  return a.stages.empty() ? std::nullopt : std::optional(a.stages);
}
std::optional<EstimateOf<Seconds>> way_binds(const RunOption& way) {
  return binding_time(way.commitment);
}

}  // namespace

std::optional<EstimateOf<Seconds>> binding_time(Seconds commitment) {
  if (commitment <= Seconds()) return std::nullopt;
  return EstimateOf<Seconds>::exact(commitment, Basis::kModelled, "scenario");
}

std::vector<std::string> missed_keys(const std::vector<MissedLimit>& missed) {
  constexpr std::string_view kKeys[] = {"train.deadline", "limits.budget", "limits.site_power",
                                        "limits.rack_power", "limits.headroom"};
  std::vector<std::string> keys;
  for (const auto& limit : missed) keys.emplace_back(kKeys[static_cast<std::size_t>(limit.key)]);
  return keys;
}

template <>
constexpr auto kFields<Parameters> = fields<Parameters>(
    field<&Parameters::total>("total", "All parameters").at_least(1),
    field<&Parameters::active>("active", "Parameters that work for one token").at_least(1));

template <>
constexpr auto kFields<StepMemory> =
    fields<StepMemory>(field<&StepMemory::name>("name", "What takes the memory"),
                       field<&StepMemory::bytes>("bytes", "Memory of the GPU that it takes"),
                       field<&StepMemory::what>("what", "What it is"));

template <>
constexpr auto kFields<Shortage> = fields<Shortage>(
    field<&Shortage::shortage>("shortage", "Needed and available, where it does not fit"),
    field<&Shortage::nearest>("nearest",
                              "The closest layout that fits, as keys; empty: none found"),
    field<&Shortage::nearest_changes>("nearest_changes",
                                      "Which written keys that changes, or what it would take"));

template <>
constexpr auto kFields<GoodputLoss> = fields<GoodputLoss>(
    field<&GoodputLoss::cause, kLossName>("name", "What takes the time"),
    field<&GoodputLoss::share, kPercent>("percent", "Share of the paid time").in("%"),
    field<&GoodputLoss::cause, kLossMeaning>("what", "What it is"));

template <>
constexpr auto kFields<Failures> = fields<Failures>(
    field<Failures>("checkpoint_interval", kModelled<&TrainGoodput::interval>,
                    "Time between two checkpoints"),
    field<Failures>(
        "checkpoint_interval_steps", [](const Failures& f) { return f.goodput.interval_steps; },
        "The same in whole steps; 0: not known"),
    field<Failures>("checkpoint_stall", kModelled<&TrainGoodput::stall>,
                    "Time that one checkpoint takes from the run"),
    field<Failures>("checkpoint_size", kModelled<&TrainGoodput::checkpoint>, "Size of one"),
    field<Failures>(
        "spare_nodes", [](const Failures& f) { return f.goodput.spare_nodes; },
        "Nodes that are paid for and wait to replace broken ones"),
    field<Failures>(
        "losses", [](const Failures& f) { return f.goodput.losses; }, "Where paid time goes"),
    known_field<mtbf_of>("mtbf", "Time between two failures; left out where nothing fails"));

template <>
constexpr auto kFields<RunOption> = fields<RunOption>(
    field<&RunOption::kind, kOptionName>("option", "The way to pay, as money.options writes it"),
    field<&RunOption::rate>("rate", "Price of a GPU"),
    field<&RunOption::gpus>("paid_gpus", "GPUs that are paid for, spares included").at_least(0),
    field<&RunOption::goodput>("goodput", "Share of paid time that failures leave"),
    field<&RunOption::share>("useful_time",
                             "Share of paid time that steady steps take, nothing else lost"),
    known_field<&RunOption::duration>("duration", "Paid time for the tokens asked"),
    known_field<&RunOption::cost>("cost", "Cost of the run, to the end of what binds"),
    known_field<way_binds>("binds", "How long it is paid for at least"));

template <>
constexpr auto kFields<RunStage> = fields<RunStage>(
    field<&RunStage::sequence>("sequence", "Tokens of one sequence").at_least(1),
    field<&RunStage::global_batch>("global_batch", "Sequences of a step").at_least(1),
    field<stage_tokens>("tokens", "Tokens of the stage"),
    field<&RunStage::layout_keys>("layout_keys", "Its layout as keys of a scenario"),
    field<&RunStage::step_time>("step_time", "Time of one step"),
    field<&RunStage::tokens_per_s_per_gpu>("tokens_per_s_per_gpu", "Tokens of one GPU"),
    field<&RunStage::mfu>("mfu", "Model FLOPs over the dense peak"),
    field<&RunStage::work>("work", "Time of its steps, nothing lost to failures"),
    field<&RunStage::share, kPercent>("percent", "Share of the time of all steps")
        .in("%")
        .at_least(0)
        .at_most(100));

template <>
constexpr auto kFields<StepPart> =
    fields<StepPart>(field<step_part_name>("name", "Part of the step"),
                     field<&StepPart::time>("time", "Time that it takes"),
                     field<&StepPart::share, kPercent>("percent", "Share of the step")
                         .in("%")
                         .at_least(0)
                         .at_most(100),
                     field<step_part_meaning>("what", "What it is"));

template <>
constexpr auto kFields<WholeRun> = fields<WholeRun>(
    field<&WholeRun::steady>("steady", "GPU time of a trillion tokens by the steady step"),
    field<&WholeRun::paid>("paid", "The same as it is paid for, spares included"),
    field<&WholeRun::share>("useful_time", "Share of the paid time that steady steps take"),
    field<&WholeRun::losses>("losses", "Where the rest of the paid time goes, the most first"),
    field<&WholeRun::unexplained>(
        "unexplained", "Hours of published runs over those with all losses that have a name")
        .at_least(0));

Value to_value(const WholeRun& run) {
  return described_value<WholeRun>(run, kFields<WholeRun>);
}
Value schema_of(Type<WholeRun>) {
  return described_schema<WholeRun>(kFields<WholeRun>);
}

using A = TrainAnswer;

// A run of several phases is paid for as a whole, not for its trainer alone.
std::string run_verdict(const A& answer) {
  return answer.method ? missed_words(answer.missed) + method_verdict(*answer.method)
                       : train_verdict(answer);
}
auto run_duration(const A& answer) {
  return answer.method ? answer.method->duration : answer.duration;
}
auto run_cost(const A& answer) {
  return answer.method ? answer.method->cost : answer.cost;
}

template <>
constexpr auto kFields<Fitting> = fields<Fitting>(
    field<Fitting>("step_time", kOf<&A::step_time>, "Time of one step"),
    field<Fitting>("tokens_per_s", kOf<&A::tokens_per_s>, "Tokens of all GPUs"),
    field<Fitting>("tokens_per_s_per_gpu", kOf<&A::tokens_per_s_per_gpu>, "Tokens of one GPU"),
    field<Fitting>("mfu", kOf<&A::mfu>, "Model FLOPs over the dense peak"),
    field<Fitting>("hfu", kOf<&A::hfu>, "The same with recomputation"),
    field<Fitting>("peak", kOf<peak_of>, "Dense peak of one GPU"),
    known_field<Fitting>("duration", kOf<run_duration>, "Paid time for the tokens asked"),
    known_field<Fitting>("cost", kOf<run_cost>, "Cost of that time, to the end of what binds"),
    known_field<Fitting>("stages", kOf<stages_of>,
                         "Stages of the run, where it has several; layout, step and rates above "
                         "are the first one's"),
    field<Fitting>("progress", kOf<progress_of>,
                   "False where failures leave no time to train: then there are no days and no "
                   "cost"),
    known_field<Fitting>("stalled", kOf<stalled_of>, "Why a run makes no progress")
        .when("progress", false),
    known_field<Fitting>("helps", kOf<helps_of>, "What would let it make progress")
        .when("progress", false),
    field<Fitting>(
        "missed", [](const Fitting& f) { return missed_keys(f.answer.missed); },
        "Keys of limits that the run does not keep; none where it is feasible"),
    known_field<Fitting>("option", kOf<option_of>,
                         "The way to pay that goodput, days and cost are of; left out where none "
                         "has a price"),
    known_field<Fitting>("binds", kOf<binds_of>, "How long that way is paid for at least"),
    field<Fitting>("ways", kOf<&A::options>,
                   "Every way to pay that has a price, each with a goodput of its own"),
    known_field<Fitting>("goodput", kOf<goodput_of>, "Share of paid time that failures leave"),
    known_field<Fitting>("whole_run", kOf<&A::whole>,
                         "The run as it is paid for, beside the steady step"),
    known_field<Fitting>("failures", kOf<failures_of>, "What failures cost"),
    field<Fitting>("breakdown", kOf<&A::parts>, "The parts of the step; they sum to it"),
    field<Fitting>("reasons", kOf<step_loss_words>, "Why it is not faster, the largest first"));

template <>
constexpr auto kFields<TrainAnswer> = fields<TrainAnswer>(
    field<run_verdict>("verdict", "The answer as one sentence").at_least(1),
    field<&A::model>("model", "Catalogue name"), field<parameters_of>("parameters", "Exact counts"),
    field<&A::accelerator>("accelerator", "Catalogue name"),
    field<&A::stack>("stack", "Name of the software"),
    field<&A::precision>("precision", "Format of the matrix products"),
    field<&A::sequence>("sequence", "Tokens of one sequence").at_least(1),
    field<&A::global_batch>("global_batch", "Sequences of a step").at_least(1),
    field<&A::layout>("layout", "The layout that the figures are of"),
    field<&A::layout_keys>("layout_keys", "The whole layout as keys of a scenario"),
    field<&A::fits>("fits", "Whether the fullest GPU holds it"),
    field<&A::verdict, kVerdictName>("memory_verdict", "How well it fits").one_of(kMemoryVerdicts),
    field<&A::memory>("memory", "Memory that the fullest GPU uses"),
    field<memory_per_gpu>("memory_per_gpu", "Memory that a GPU has"),
    field<fullest_words>("heaviest_stage", "Which GPU is fullest, and when"),
    field<memory_lines>("memory_lines", "How that memory is divided"),
    known_field<&A::method>("method",
                            "The whole step, where a run is more than training on text: "
                            "then all but verdict, duration and cost is of its trainer"),
    spliced<shortage_of>().when("fits", false), spliced<fitting>().when("fits", true));

Value to_value(const TrainAnswer& answer) {
  return described_value<TrainAnswer>(answer, kFields<TrainAnswer>);
}
Value schema_of(Type<TrainAnswer>) {
  return described_schema<TrainAnswer>(kFields<TrainAnswer>);
}

AnswerSchema train_schema() {
  return {"train",
          "train",
          "Answer of `loadfactor train`",
          "One layout of a training run: memory, time, goodput and cost.",
          scenario_schema(),
          schema_of(Type<TrainAnswer>())};
}

std::string train_json(const TrainAnswer& answer, const std::string& file) {
  return print_json(envelope("train", scenario_value(answer.scenario, file), to_value(answer),
                             answer.notices, answer.facts));
}

std::string train_csv(const TrainAnswer& answer) {
  return csv_list(schema_of(Type<TrainAnswer>()), to_value(answer),
                  answer.fits ? "breakdown" : "memory_lines");
}

}  // namespace loadfactor::report
