// What training runs did by their logs, beside what the model predicts of the same scenario.
#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/observe/observe_ranks.h"
#include "observe/peers/low_values.h"
#include "observe/run_log.h"
#include "training/reliability.h"

namespace loadfactor::engine {
namespace {

using observe::Cause;
using observe::RunUse;

// One scenario stands for every log; of several, the first belongs to the first log.
const TrainInputs* run_scenario_of(const ObserveInputs& inputs, std::size_t log) {
  if (inputs.runs.empty()) return nullptr;
  if (inputs.runs.size() == 1) return inputs.runs.data();
  return log < inputs.runs.size() ? &inputs.runs[log] : nullptr;
}

// Tokens of one GPU and samples of all in a step, by the scenario or by the log itself.
struct StepWork {
  double tokens = 0;
  double samples = 0;
};
StepWork work_of(const calibrate::TrainingLog& log, const std::optional<TrainAnswer>& predicted) {
  if (predicted) {
    const auto samples = static_cast<double>(predicted->global_batch);
    return {
        samples * static_cast<double>(predicted->sequence) / std::max(1, predicted->layout.gpus),
        samples};
  }
  StepWork work;
  if (log.global_batch) work.samples = log.global_batch->value;
  if (log.global_batch && log.sequence && log.gpus)
    work.tokens = log.global_batch->value * log.sequence->value / std::max(1.0, log.gpus->value);
  return work;
}

std::optional<RunUse> use_of(const observe::StepLog& of, const StepWork& work) {
  const observe::StepLog log = steps_of_one(of);
  const auto filled = log.training.with_work(work.tokens, work.samples);
  observe::RunLog run;
  for (std::size_t i = 0; i < filled.steps.size(); ++i)
    run.steps.push_back({filled.steps[i].step, filled.steps[i].duration.base(), log.stamps[i]});
  run.saves = log.saves;
  return use_of_run(run);
}

}  // namespace

PredictedRun predicted_run(const TrainAnswer& predicted) {
  PredictedRun out;
  out.step = predicted.step_time.value();
  out.mfu = predicted.mfu.value();
  out.hfu = predicted.hfu.value();
  out.tokens_rate = predicted.tokens_per_s_per_gpu.value().base();
  if (predicted.goodput) {
    out.goodput = predicted.goodput->value.value();
    out.save_every = predicted.goodput->interval;
    out.save_stall = predicted.goodput->stall;
  }
  return out;
}

namespace {

void add_prediction(const TrainAnswer& predicted, TrainingRow& row) {
  row.scenario = predicted.scenario;
  row.gpus = predicted.layout.gpus;
  row.accelerator = predicted.accelerator;
  if (!predicted.fits) return;
  const PredictedRun out = predicted_run(predicted);
  // The same work on the same peak: MFU is as the step is shorter.
  row.mfu = out.mfu * (out.step / row.step);
  row.error = row.step / out.step - 1;
  row.predicted = out;
}

// The middle of what steps tell, after those that warm up; nothing where they do not.
template <typename Figure>
std::optional<double> usual_figure(std::size_t steps, Figure figure_of) {
  std::vector<double> told;
  for (std::size_t i = steps / 5; i < steps; ++i)
    if (const double figure = figure_of(i); figure > 0) told.push_back(figure);
  if (told.empty()) return std::nullopt;
  return observe::middle(std::move(told));
}

// What the log itself counts: tokens, and operations over the peak of the GPU.
void add_counts(const observe::StepLog& log, const StepWork& work,
                const std::optional<TrainAnswer>& predicted, TrainingRow& row) {
  const auto& steps = log.training.steps;
  const auto usual = [&](auto figure) { return usual_figure(steps.size(), figure); };
  row.tokens_rate = usual([&](std::size_t i) { return steps[i].tokens_per_second; });
  if (!row.tokens_rate && work.tokens > 0 && row.step > Seconds())
    row.tokens_rate = work.tokens / row.step.base();
  row.logged_mfu = usual([&](std::size_t i) { return log.mfus[i]; });
  const auto tflops = usual([&](std::size_t i) { return steps[i].tflops; });
  constexpr double kTera = 1e12;
  if (tflops && predicted && predicted->fits && predicted->peak > FlopsPerSecond())
    row.logged_mfu = *tflops * kTera / predicted->peak.base();
}

// The best interval for the stops that were seen, and what keeping the present one costs.
void judge_saves(TrainingRow& row) {
  if (!row.mtbf || !row.save_every) return;
  // A stall too short to be seen between lines is taken from the prediction.
  const bool is_seen = row.save_stall && *row.save_stall > Seconds();
  if (!is_seen && row.predicted) row.save_stall = row.predicted->save_stall;
  if (!row.save_stall || *row.save_stall <= Seconds()) return;
  row.best_save_every = training::best_interval(*row.save_stall, *row.mtbf);
  const auto kept = [&](Seconds interval) {
    return training::first_order_goodput(*row.save_stall, interval, *row.mtbf, Seconds());
  };
  row.save_gain = std::max(0.0, kept(*row.best_save_every) - kept(*row.save_every));
}

TrainingRow row_of(const observe::StepLog& log, const RunUse& use) {
  TrainingRow row;
  row.log = log.training.file;
  row.framework = log.training.framework;
  row.steps = use.steps;
  row.repeated = use.repeated;
  row.restarts = use.restarts;
  row.step = Seconds::from_base(use.step_seconds);
  row.wall = Seconds::from_base(use.wall_seconds);
  row.goodput = use.goodput;
  row.lost = use.lost;
  row.has_stamps = use.has_stamps;
  const auto maybe = [](const std::optional<double>& seconds) {
    return seconds ? std::optional(Seconds::from_base(*seconds)) : std::nullopt;
  };
  row.save_every = maybe(use.save_every);
  row.save_stall = maybe(use.save_stall);
  row.mtbf = maybe(use.mtbf);
  if (log.training.gpus) row.gpus = static_cast<int>(log.training.gpus->value);
  row.last = log.stamps.empty() ? std::nullopt : log.stamps.back();
  return row;
}

}  // namespace

Result<std::vector<TrainingRow>> measure_runs(std::span<const observe::TextFile> files,
                                              const ObserveInputs& inputs, const Core& engine,
                                              Diagnostics& diagnostics) {
  TRY(const std::vector<RunLogs> runs, read_runs(files));
  std::vector<TrainingRow> rows;
  std::vector<RunRanks> ranks;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const observe::StepLog& log = runs[i].lead();
    std::optional<TrainAnswer> predicted;
    if (const TrainInputs* asked = run_scenario_of(inputs, i))
      predicted = engine.train(*asked, diagnostics);
    const StepWork work = work_of(log.training, predicted);
    const auto use = use_of(log, work);
    if (!use)
      return Error{
          .code = lf::kNoMeasurement,
          .message = "rates of steps are told, and nothing says how many tokens a step has",
          .hint = "--scenario with the run's batch and sequence",
          .where = {.file = log.training.file, .line = log.training.first_line}};
    TrainingRow row = row_of(log, *use);
    if (predicted) add_prediction(*predicted, row);
    add_counts(log, work, predicted, row);
    judge_saves(row);
    row.log = runs[i].name;
    ranks.push_back(ranks_of(runs[i]));
    // As many ranks as are told of have a GPU each.
    if (row.gpus == 0 && ranks.back().ranks.size() > 1 && !ranks.back().are_nodes)
      row.gpus = static_cast<int>(ranks.back().ranks.size());
    rows.push_back(std::move(row));
  }
  find_slow_ranks(ranks, rows);
  return rows;
}

observe::Account account_of(std::span<const TrainingRow> runs) {
  observe::Account account;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const TrainingRow& run = runs[i];
    observe::WorkloadUse use;
    use.workload = static_cast<int>(i);
    use.team = run.framework;
    use.name = run.scenario.empty() ? run.log : run.scenario;
    use.accelerator = run.accelerator;
    use.mean_gpus = run.gpus;
    const double seconds = run.wall.base() * std::max(1, run.gpus);
    use.use[Cause::kLoad] = seconds * run.goodput;
    use.use[Cause::kFailed] = seconds * run.lost;
    use.use[Cause::kPause] = seconds * std::max(0.0, 1 - run.goodput - run.lost);
    use.active_seconds = use.use[Cause::kLoad];
    account.all += use.use;
    account.gpus += run.gpus;
    account.uses.push_back(std::move(use));
  }
  account.known_seconds = account.all.total();
  return account;
}

}  // namespace loadfactor::engine
