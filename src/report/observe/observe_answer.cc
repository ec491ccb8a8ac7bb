// The description of what `observe` answers.
#include <cmath>
#include <string>
#include <utility>

#include "base/calendar.h"
#include "report/describe/csv.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/observe/observe_report.h"

namespace loadfactor::report {
namespace {

using engine::AdviceRow;
using engine::FaultRow;
using engine::GroupBy;
using engine::LatencyPair;
using engine::LossLeaf;
using engine::LyingRow;
using engine::ObserveAnswer;
using engine::PaidPrice;
using engine::PredictedRun;
using engine::PredictedService;
using engine::ServiceRow;
using engine::StragglerRow;
using engine::TrainingRow;
using engine::UseGroup;
using observe::Loss;

constexpr const char* kMetricsSource = "metrics";

template <typename Q>
EstimateOf<Q> measured(Q value) {
  return EstimateOf<Q>::exact(value, Basis::kMeasured, kMetricsSource);
}
EstimateOf<double> share_estimate(double value) {
  return EstimateOf<double>::exact(value, Basis::kModelled, kMetricsSource);
}
EstimateOf<Dollars> money_estimate(Dollars value) {
  return EstimateOf<Dollars>::exact(value, Basis::kModelled, kMetricsSource);
}
FigureIn gpu_hours_figure(double hours) {
  return {share_estimate(hours).erased(), "GPU-hours"};
}

constexpr auto kShare = [](double value) { return share_estimate(value); };
constexpr auto kMoney = [](Dollars value) { return money_estimate(value); };
constexpr auto kMaybeMoney = [](const std::optional<Dollars>& value) {
  return value ? std::optional(money_estimate(*value)) : std::nullopt;
};
constexpr auto kGpuHours = [](double value) { return gpu_hours_figure(value); };
constexpr auto kSeconds = [](double value) { return measured(Seconds::from_base(value)); };
constexpr auto kMaybeSeconds = [](const std::optional<double>& value) {
  return value ? std::optional(measured(Seconds::from_base(*value))) : std::nullopt;
};
constexpr auto kTime = [](Seconds value) { return measured(value); };
constexpr auto kMaybeTime = [](const std::optional<Seconds>& value) {
  return value ? std::optional(measured(*value)) : std::nullopt;
};
constexpr auto kPredictedTime = [](Seconds value) {
  return EstimateOf<Seconds>::exact(value, Basis::kModelled, "train");
};
constexpr auto kMaybeShare = [](const std::optional<double>& value) {
  return value ? std::optional(share_estimate(*value)) : std::nullopt;
};
constexpr auto kRate = [](double value) { return measured(TokensPerSecond::from_base(value)); };
constexpr auto kHertz = [](double value) { return measured(Hertz::from_base(value)); };

struct Window {
  std::string from, to;
};
Window window_of(const ObserveAnswer& answer) {
  return {stamp_text(answer.from), stamp_text(answer.to)};
}
// What a service does in a time is known where its counters were seen twice.
template <auto tells, auto member, auto through>
constexpr auto kWhere = [](const ServiceRow& row) {
  return (row.*tells)() ? std::optional(through(row.*member)) : std::nullopt;
};
// A load factor of a service, as far as the rate is known that it has when full.
template <auto member>
constexpr auto kLoadOf = [](const ServiceRow& row) -> std::optional<EstimateOf<double>> {
  if (!row.tells_load()) return std::nullopt;
  const auto range = row.range_of(row.*member);
  const char* source = std::isfinite(row.full_range.high) ? kMetricsSource : "upper bound";
  return EstimateOf<double>(row.*member, range.low, range.high, Basis::kModelled, source);
};
// The step of a run is known where a log tells it.
constexpr auto kStepOfRun = [](const TrainingRow& row) {
  return row.step > Seconds() ? std::optional(measured(row.step)) : std::nullopt;
};
constexpr auto kPlain = [](double value) { return value; };

struct Losses {
  double unallocated, idle, waiting, unsaturated, failed;
};
Losses losses_of(const ObserveAnswer& answer) {
  const auto at = [&](Loss loss) { return answer.losses[static_cast<std::size_t>(loss)]; };
  return {at(Loss::kUnallocated), at(Loss::kIdle), at(Loss::kWaiting), at(Loss::kUnsaturated),
          at(Loss::kFailed)};
}

std::string_view loss_of_leaf(const LossLeaf& leaf) {
  return loss_name(loss_of(leaf.cause));
}
std::string_view cause_of_leaf(const LossLeaf& leaf) {
  return cause_name(leaf.cause);
}
std::string_view by_of(const UseGroup& group) {
  static constexpr std::array<std::string_view, 4> kNames{"team", "workload", "model",
                                                          "accelerator"};
  return kNames[static_cast<std::size_t>(group.by)];
}
EstimateOf<double> load_of_group(const UseGroup& group) {
  return {group.load_factor, group.load_range.low, group.load_range.high, Basis::kModelled,
          group.is_bound ? "upper bound" : kMetricsSource};
}
std::string name_of_group(const UseGroup& group) {
  return group_name(group);
}
std::string_view sign_of(const StragglerRow& row) {
  static constexpr std::array<std::string_view, 4> kNames{"tensor", "clock", "power", "steps"};
  return kNames[static_cast<std::size_t>(row.sign)];
}
std::string_view kind_of_fault(const FaultRow& row) {
  static constexpr std::array<std::string_view, 7> kNames{
      "xid", "ecc", "remapped-rows", "remap-failure", "nvlink", "thermal", "power"};
  return kNames[static_cast<std::size_t>(row.kind)];
}
std::string_view kind_of_advice(const AdviceRow& row) {
  static constexpr std::array<std::string_view, 9> kNames{
      "give-back", "reclaim",   "shrink",      "move-to-api", "raise-batch",
      "mend-node", "mend-rank", "consolidate", "save-every"};
  return kNames[static_cast<std::size_t>(row.kind)];
}
PriceOf<PricedWork::kGpuHour> price_of_row(const PaidPrice& row) {
  return {money_estimate(Dollars::from_base(row.price.base() * kHour.base())).erased()};
}

struct Sources {
  std::vector<std::string> sources;
};

}  // namespace

template <>
constexpr auto kFields<Window> =
    fields<Window>(field<&Window::from>("from", "Beginning of the window, UTC"),
                   field<&Window::to>("to", "End of the window, UTC"));

template <>
constexpr auto kFields<Losses> = fields<Losses>(
    field<&Losses::unallocated, kShare>("unallocated", "Held by nobody"),
    field<&Losses::idle, kShare>("idle", "Held, and nothing runs"),
    field<&Losses::waiting, kShare>("waiting", "Starting, pausing, or spinning"),
    field<&Losses::unsaturated, kShare>("unsaturated", "Working below what it reaches when full"),
    field<&Losses::failed, kShare>("failed", "Work of jobs that failed, done again"));

template <>
constexpr auto kFields<LossLeaf> =
    fields<LossLeaf>(field<loss_of_leaf>("loss", "The loss that it belongs to; `load` is no loss"),
                     field<cause_of_leaf>("cause", "What it is"),
                     field<&LossLeaf::share, kShare>("share", "Share of the bill"),
                     field<&LossLeaf::gpu_hours, kGpuHours>("gpu_hours", "Time of GPUs"),
                     field<&LossLeaf::cost, kMoney>("cost", "What it cost"));

template <>
constexpr auto kFields<UseGroup> = fields<UseGroup>(
    field<by_of>("by", "What the group shares: team, workload, model or accelerator"),
    field<name_of_group>("name", "Name of the group"),
    field<&UseGroup::gpu_hours, kGpuHours>("gpu_hours", "Time of GPUs that it paid for"),
    field<load_of_group>("load_factor", "Work delivered over capacity paid"),
    field<&UseGroup::cost, kMoney>("cost", "What it cost"),
    field<&UseGroup::empty, kMoney>("empty", "What of it paid for nothing"),
    known_field<&UseGroup::busy, kMaybeShare>(
        "busy",
        "Share of time with a kernel, while it worked, or of all "
        "its time where it never did"),
    known_field<&UseGroup::tensor, kMaybeShare>(
        "tensor", "Share of cycles of tensor cores, in the same time"),
    known_field<&UseGroup::dram, kMaybeShare>("dram",
                                              "Share of cycles of memory, in the same time"));

template <>
constexpr auto kFields<StragglerRow> = fields<StragglerRow>(
    field<&StragglerRow::gpu>("gpu", "Its UUID, or node and index; a rank of a run, by its log"),
    field<&StragglerRow::node>("node", "Where it stands"),
    field<&StragglerRow::workload>("workload", "Whose peers it was compared with"),
    field<sign_of>("sign", "What shows it: tensor, clock, power or steps"),
    field<&StragglerRow::ratio, kShare>("ratio", "Its figure over the middle of its peers"),
    field<&StragglerRow::statistic>("statistic", "Student's t against those that are not slow"),
    field<&StragglerRow::probability>("probability", "Chance of one so low among all compared"),
    field<&StragglerRow::per_month, kMoney>("per_month", "What waiting for it costs"));

template <>
constexpr auto kFields<FaultRow> =
    fields<FaultRow>(field<&FaultRow::gpu>("gpu", "Its UUID, or node and index"),
                     field<&FaultRow::node>("node", "Where it stands"),
                     field<kind_of_fault>("kind", "What is wrong"),
                     field<&FaultRow::value>("value", "A code, a count, or a share of the time"));

template <>
constexpr auto kFields<LyingRow> = fields<LyingRow>(
    field<&LyingRow::team>("team", "Whose"), field<&LyingRow::workload>("workload", "Which"),
    field<&LyingRow::busy, kShare>("busy", "What the counter of running kernels shows"),
    field<&LyingRow::tensor, kShare>("tensor", "What tensor cores show"),
    known_field<&LyingRow::dram, kMaybeShare>("dram", "What memory shows"),
    field<&LyingRow::cost, kMoney>("cost", "What it cost"));

template <>
constexpr auto kFields<LatencyPair> = fields<LatencyPair>(
    known_field<&LatencyPair::p50, kMaybeSeconds>("p50", "Half are quicker"),
    known_field<&LatencyPair::p95, kMaybeSeconds>("p95", "Nineteen of twenty are quicker"),
    field<&LatencyPair::last_bound, kSeconds>("last_bound",
                                              "What is not known lies above this one"));

template <>
constexpr auto kFields<PredictedService> = fields<PredictedService>(
    field<&PredictedService::scenario>("scenario", "Whose deployment it is"),
    field<&PredictedService::full_rate>("full_rate", "Output tokens when it is full"),
    known_field<&PredictedService::ttft>(
        "ttft", "Mean under the load that was found; left out where that is more than it can do"),
    known_field<&PredictedService::tpot>(
        "tpot", "Mean under the load that was found; left out where that is more than it can do"),
    field<&PredictedService::running>("running", "Requests in a batch, on average"),
    field<&PredictedService::load_factor>("load_factor", "Measured over the full rate"),
    field<&PredictedService::is_feasible>("feasible", "Whether it can do what it did"));

template <>
constexpr auto kFields<ServiceRow> = fields<ServiceRow>(
    field<&ServiceRow::team>("team", "Whose"), field<&ServiceRow::name>("name", "Its workload"),
    field<&ServiceRow::model>("model", "As the engine names it"),
    field<&ServiceRow::engine>("engine", "What serves it"),
    field<&ServiceRow::replicas>("replicas", "Copies of the model that stood at once"),
    field<&ServiceRow::gpus_each>("gpus_each", "GPUs of a replica"),
    known_field<ServiceRow>("requests",
                            kWhere<&ServiceRow::tells_requests, &ServiceRow::requests_rate, kHertz>,
                            "Requests finished"),
    known_field<ServiceRow>("tokens_in",
                            kWhere<&ServiceRow::tells_lengths, &ServiceRow::tokens_in, kPlain>,
                            "Tokens that a request brings, on average"),
    known_field<ServiceRow>("tokens_out",
                            kWhere<&ServiceRow::tells_lengths, &ServiceRow::tokens_out, kPlain>,
                            "Tokens that a request gets, on average"),
    known_field<ServiceRow>("tokens_in_rate",
                            kWhere<&ServiceRow::tells_load, &ServiceRow::tokens_in_rate, kRate>,
                            "Prompt tokens"),
    known_field<ServiceRow>("tokens_out_rate",
                            kWhere<&ServiceRow::tells_load, &ServiceRow::tokens_out_rate, kRate>,
                            "Output tokens"),
    field<&ServiceRow::running>("running", "Requests at once, while any run"),
    known_field<&ServiceRow::cache, kMaybeShare>("cache", "Share of the cache in use"),
    known_field<&ServiceRow::prefix_hit_rate>("prefix_hit_rate", "Prompt tokens found in cache"),
    field<&ServiceRow::preemptions>("preemptions", "Requests that were put back"),
    known_field<&ServiceRow::ttft>("ttft", "Time to first token"),
    known_field<&ServiceRow::tpot>("tpot", "Time per output token"),
    known_field<ServiceRow>("load_factor", kLoadOf<&ServiceRow::load_factor>,
                            "Tokens over those of full replicas"),
    known_field<ServiceRow>("busiest_hour", kLoadOf<&ServiceRow::busiest_hour>,
                            "Load factor of the busiest hour"),
    field<&ServiceRow::cost, kMoney>("cost", "What its GPUs cost"),
    known_field<&ServiceRow::api_cost, kMaybeMoney>("api_cost", "What an API asks for the tokens"),
    field<&ServiceRow::api_name>("api", "Whose: the one that `plan` compares with; may be empty"),
    known_field<&ServiceRow::predicted>("predicted", "What the model says of it"),
    known_field<&ServiceRow::error>("error",
                                    "Measured time per token over the predicted, less one"));

template <>
constexpr auto kFields<PredictedRun> = fields<PredictedRun>(
    field<&PredictedRun::step, kPredictedTime>("step", "Time of a step"),
    field<&PredictedRun::mfu, kShare>("mfu", "Model FLOPs over the dense peak"),
    field<&PredictedRun::hfu, kShare>("hfu", "The same with operations that are done again"),
    field<&PredictedRun::tokens_rate>("tokens_rate", "Tokens per second of a GPU"),
    field<&PredictedRun::goodput, kShare>("goodput", "Share of the paid time that advances it"),
    field<&PredictedRun::save_every, kPredictedTime>("save_every", "Best time between checkpoints"),
    field<&PredictedRun::save_stall, kPredictedTime>("save_stall", "What one holds the run up"));

template <>
constexpr auto kFields<TrainingRow> = fields<TrainingRow>(
    field<&TrainingRow::log>("log", "Where it was read"),
    field<&TrainingRow::framework>("framework", "Whose log it is"),
    field<&TrainingRow::scenario>("scenario", "What it is compared with; may be empty"),
    field<&TrainingRow::gpus>("gpus", "That it runs on; 0: not told"),
    field<&TrainingRow::steps>("steps", "Steps that count"),
    field<&TrainingRow::repeated>("repeated", "Steps that were done again after a stop"),
    field<&TrainingRow::restarts>("restarts", "How often it began anew"),
    known_field<TrainingRow>("step", kStepOfRun,
                             "The middle of its steps; none where no log tells"),
    field<&TrainingRow::wall, kTime>("wall", "From its first step to its last"),
    field<&TrainingRow::has_stamps>("stamped", "Whether stops between steps are seen"),
    field<&TrainingRow::goodput, kShare>("goodput", "Share of that time in steps that count"),
    field<&TrainingRow::lost, kShare>("lost", "Share in steps that were done again"),
    known_field<&TrainingRow::mfu, kMaybeShare>("mfu", "Model FLOPs over the dense peak"),
    known_field<&TrainingRow::logged_mfu, kMaybeShare>(
        "logged_mfu", "The same, by the FLOPs that its log counts"),
    known_field<&TrainingRow::tensor, kMaybeShare>(
        "tensor", "Share of cycles of tensor cores while it worked: MFU is at most that"),
    known_field<&TrainingRow::tokens_rate>("tokens_rate", "Tokens per second of a GPU"),
    known_field<&TrainingRow::mtbf, kMaybeTime>("mtbf", "Between two stops"),
    known_field<&TrainingRow::save_every, kMaybeTime>("save_every", "Work between two checkpoints"),
    known_field<&TrainingRow::save_stall, kMaybeTime>("save_stall", "What one held the run up"),
    known_field<&TrainingRow::best_save_every, kMaybeTime>("best_save_every",
                                                           "The best for the stops that were seen"),
    known_field<&TrainingRow::predicted>("predicted", "What the model says of it"),
    known_field<&TrainingRow::error>("error", "Measured step over the predicted, less one"));

template <>
constexpr auto kFields<AdviceRow> = fields<AdviceRow>(
    field<kind_of_advice>("kind", "What to do"), field<&AdviceRow::whom>("whom", "With whom"),
    field<&AdviceRow::other>(
        "other", "The workload that takes it in, or the cluster whose GPUs they are; may be empty"),
    field<&AdviceRow::edit>("edit",
                            "The --set that plans it on the scenario of --to; may be empty"),
    field<&AdviceRow::flag>("flag",
                            "The engine's own option to change, as it spells it; may be empty"),
    field<&AdviceRow::count>("count", "GPUs or replicas that it is about"),
    field<&AdviceRow::saves, kMoney>("saves", "Per month"),
    field<advice_words>("why", "What it rests on"));

template <>
constexpr auto kFields<PaidPrice> = fields<PaidPrice>(
    field<&PaidPrice::accelerator>("accelerator", "As exporters call it"),
    field<&PaidPrice::chip>("chip", "As the catalogue calls it; empty where it has none"),
    field<&PaidPrice::gpus>("gpus", "GPUs of this kind that were seen"),
    field<price_of_row>("price", "What a GPU costs"),
    field<&PaidPrice::from>("from", "Who says so"));

template <>
constexpr auto kFields<ObserveAnswer> = fields<ObserveAnswer>(
    field<&ObserveAnswer::load_factor>("load_factor", "Work delivered over capacity paid"),
    field<&ObserveAnswer::is_load_known>("load_known", "False: the load factor may be anything"),
    known_field<&ObserveAnswer::load_now>("load_now", "The same over the last hour"),
    known_field<&ObserveAnswer::break_even>("break_even", "Load factor that pays for the GPUs"),
    field<window_of>("window", "What was looked at"),
    field<&ObserveAnswer::gpus>("gpus", "GPUs that were seen"),
    field<&ObserveAnswer::nodes>("nodes", "Nodes that they stand in"),
    field<&ObserveAnswer::seen_share, kShare>("seen", "Share of the paid time with samples"),
    field<&ObserveAnswer::bill>("bill", "What the GPUs cost in the window"),
    field<losses_of>("losses", "Shares of the bill; with the load factor they sum to 1"),
    field<&ObserveAnswer::leaves>("causes", "The losses by cause, and the load"),
    field<&ObserveAnswer::groups>("groups", "By team, workload, model and accelerator"),
    field<&ObserveAnswer::week>("week", "Load factor by day from Monday and hour, UTC"),
    field<&ObserveAnswer::stragglers>("stragglers", "GPUs slower than their peers"),
    field<&ObserveAnswer::stragglers_tested>("stragglers_tested", "GPUs that were compared"),
    field<&ObserveAnswer::ranks_tested>("ranks_tested", "Ranks of runs that were compared"),
    field<&ObserveAnswer::false_alarms>("false_alarms",
                                        "Chance that one is named in a cluster without any"),
    field<&ObserveAnswer::faults>("faults", "GPUs that fail or are held back"),
    field<&ObserveAnswer::lying>(
        "lying", "Busy by the counter of running kernels, and idle by what sees work"),
    field<&ObserveAnswer::services>("services", "What was served, beside what is predicted"),
    field<&ObserveAnswer::training>("training", "Runs by their logs, beside what is predicted"),
    field<&ObserveAnswer::advice>("advice", "What to do, the most money first"),
    field<&ObserveAnswer::prices>("prices", "What a GPU costs"));

template <>
constexpr auto kFields<Sources> =
    fields<Sources>(field<&Sources::sources>("sources", "Files and servers that were read"));

namespace {

Value value_of(const ObserveAnswer& answer) {
  return described_value<ObserveAnswer>(answer, kFields<ObserveAnswer>);
}

}  // namespace

AnswerSchema observe_schema() {
  return {"observe",
          "observe",
          "Answer of `loadfactor observe`",
          "How full a cluster is, who flies empty, and what would mend it.",
          described_schema<Sources>(kFields<Sources>),
          described_schema<ObserveAnswer>(kFields<ObserveAnswer>)};
}

std::string observe_json(const ObserveAnswer& answer) {
  const Sources sources{answer.sources};
  return print_json(envelope("observe", described_value<Sources>(sources, kFields<Sources>),
                             value_of(answer), answer.notices, {}));
}

std::string observe_csv(const ObserveAnswer& answer) {
  return csv_list(observe_schema().answer, value_of(answer), "groups");
}

}  // namespace loadfactor::report
