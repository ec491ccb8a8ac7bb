#include "validation/training/production_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/statistics.h"
#include "calibrate/training_fit.h"
#include "training/job/abilities.h"
#include "training/memory/memory_plan.h"
#include "validation/training/row_model.h"
#include "workload/parameters.h"

namespace loadfactor::validation {
namespace {

constexpr double kTrillion = 1e12;
constexpr double kHour = 3600;
constexpr int kUsualNode = 8;

double power_of_two_near(double value) {
  return std::exp2(std::round(std::log2(std::max(1.0, value))));
}

// Bytes of state that a rank holds where the optimizer is shared by all copies.
double state_bytes(double parameters, double gpus, double ranks) {
  return parameters / ranks * (6.0 + 12.0 / std::max(1.0, gpus / ranks));
}

double likely_gpus(const ProductionRow& row, double parameters,
                   const catalog::AcceleratorSpec& chip) {
  constexpr double kShareOfPeak = 0.4;
  constexpr double kMonth = 30 * 24 * kHour;
  const double active = row.run.active ? *row.run.active * 1e9 : parameters;
  const double peak = chip.arithmetic.rate(catalog::Dtype::kBf16).base();
  const double work = 6.0 * active * row.tokens;
  return std::max<double>(kUsualNode, power_of_two_near(work / (kShareOfPeak * peak) / kMonth));
}

// What failures leave and checkpoints as often as people write them.
training::Goodput goodput_of(const PublishedRun& run, Seconds step,
                             const training::Reliability& reliability,
                             const training::RunLosses& losses) {
  training::GoodputQuestion question;
  question.gpus = run.job.layout.gpus;
  question.gpus_per_node = kUsualNode;
  question.parameters = static_cast<double>(workload::count_parameters(run.model).total());
  if (run.chip.host) question.host_link = run.chip.host->bandwidth;
  question.step = step;
  question.interval = losses.practised(training::goodput(reliability, question).interval);
  return training::goodput(reliability, question);
}

// Beyond a sequence at a time; room for that was left when the layout was chosen.
bool fits(const training::TrainingJob& job) {
  return training::plan_memory(training::memory_question(job)).verdict !=
         training::Verdict::kDoesNotFit;
}

// The fastest layout that can be made of a row, and its tokens per second and accelerator.
struct Fastest {
  std::unique_ptr<PublishedRun> run;
  double rate = 0;
};

Result<Fastest> fastest(const ProductionRow& row, const RunContext& context,
                        const catalog::ModelSpec& model, const catalog::AcceleratorSpec& chip,
                        const training::Calibration& calibration) {
  Fastest best;
  std::optional<Error> why;
  for (const TrainingRow& layout : likely_layouts(row, model, chip)) {
    auto run = make_run(layout, context);
    if (!run) {
      why = std::move(run).error();
      continue;
    }
    const training::TrainingJob& job = (*run)->job;
    const bool can =
        (job.layout.vp <= 1 || job.stack->abilities.has(training::Ability::kInterleaved)) &&
        (job.layout.micro_batch == 1 || fits(job));
    const double rate = can ? calibrate::predict(job, calibration) : 0.0;
    if (rate > best.rate) best = {*std::move(run), rate};
  }
  if (best.run) return best;
  if (why) return *why;
  return Error{.code = lf::kUnknownAccelerator,
               .message = fmt::format("no constants for {}, or no layout that fits", chip.name)};
}

Result<ProductionPrediction> predict(const ProductionRow& row, const RunContext& context,
                                     const training::Calibration& calibration) {
  TRY(const auto* chip, context.catalog->find_accelerator(row.run.accelerator));
  TRY(const auto model, model_of_row(row.run, *context.catalog));
  TRY(const auto found, fastest(row, context, model.spec, *chip, calibration));
  const auto& run = found.run;
  const double rate = found.rate;
  TRY(const auto reliability, training::read_reliability(context.catalog->hazards(), chip->family));
  const double tokens =
      static_cast<double>(run->job.global_batch) * static_cast<double>(run->job.sequence);
  const int gpus = run->job.layout.gpus;
  ProductionPrediction out{.id = row.run.id,
                           .model = row.run.model,
                           .accelerator = chip->name,
                           .gpus = gpus,
                           .from_memory = row.run.quality == "memory"};
  const auto losses = training::read_run_losses(context.catalog->hazards());
  out.goodput = goodput_of(*run, Seconds::from_base(tokens / gpus / rate), reliability, losses);
  out.measured = row.gpu_hours / row.tokens * kTrillion;
  out.steady = kTrillion / rate / kHour;
  const int nodes = std::max(1, gpus / kUsualNode);
  out.with_failures = out.steady * out.goodput.paid_factor(nodes);
  const Seconds time =
      Seconds::from_base(kHour * out.with_failures * row.tokens / kTrillion / gpus);
  out.with_names = out.with_failures * (losses.pay(time).named / time);
  return out;
}

// Logarithms of what every run took over what it should have, one of them left out.
std::vector<double> others(std::span<const ProductionPrediction> runs, std::size_t left_out) {
  std::vector<double> result;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i != left_out) result.push_back(std::log(runs[i].measured / runs[i].with_names));
  }
  return result;
}

// As far as nine of ten of the others lie from their middle, with one more for the run itself.
double reach(std::vector<double> of, double middle) {
  for (double& value : of) value = std::abs(value - middle);
  std::sort(of.begin(), of.end());
  const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(of.size() + 1)));
  return of[std::min(rank, of.size()) - 1];
}

double percent_off(double predicted, double measured) {
  return 100.0 * std::abs(predicted / measured - 1.0);
}

void leave_each_out(ProductionValidation& result) {
  constexpr std::size_t kFewest = 3;
  std::vector<double> steady;
  std::vector<double> ours;
  int covered = 0;
  for (std::size_t i = 0; i < result.predictions.size(); ++i) {
    ProductionPrediction& run = result.predictions[i];
    const std::vector<double> rest = others(result.predictions, i);
    const bool some = rest.size() >= kFewest;
    const double middle = some ? quantile_nearest_rank(rest, 0.5) : 0.0;
    const double far = some ? reach(rest, middle) : 1.0;
    run.predicted = run.with_names * std::exp(middle);
    run.low = run.predicted * std::exp(-far);
    run.high = run.predicted * std::exp(far);
    covered += run.low <= run.measured && run.measured <= run.high ? 1 : 0;
    steady.push_back(percent_off(run.steady, run.measured));
    ours.push_back(percent_off(run.predicted, run.measured));
  }
  if (ours.empty()) return;
  result.steady_error = error_figures(steady);
  result.abs_error = error_figures(ours);
  result.interval_coverage = 100.0 * covered / static_cast<double>(ours.size());
  const auto all = others(result.predictions, result.predictions.size());
  const double middle = quantile_nearest_rank(all, 0.5);
  const double far = all.size() >= kFewest ? reach(all, middle) : 1.0;
  result.other_losses = std::exp(middle);
  result.other_low = std::exp(middle - far);
  result.other_high = std::exp(middle + far);
}

}  // namespace

Result<std::vector<ProductionRow>> read_production_rows(const config::CsvTable& table) {
  const auto tokens = table.column("tokens_b");
  const auto hours = table.column("accelerator_hours");
  if (!tokens || !hours) {
    Error error{.code = lf::kMissingColumn,
                .message = fmt::format("a table of whole runs needs the column '{}'",
                                       tokens ? "accelerator_hours" : "tokens_b"),
                .hint = "tokens_b: billions of tokens; accelerator_hours: what was paid"};
    error.where.file = table.file;
    return error;
  }
  TRY(const auto runs, read_training_rows(table));
  const auto batch = table.column("batch_tokens_m");
  std::vector<ProductionRow> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto number = [&](std::size_t column) {
      return std::strtod(table.rows[i][column].text.c_str(), nullptr);
    };
    ProductionRow row{runs[i], number(*tokens) * 1e9, number(*hours)};
    const double step = batch ? number(*batch) * 1e6 : 0.0;
    if (step > 0 && row.run.sequence) row.run.global_batch = step / *row.run.sequence;
    if (!(row.tokens > 0) || !(row.gpu_hours > 0) || !std::isfinite(row.gpu_hours / row.tokens))
      row.run.problem = "tokens_b, accelerator_hours: not positive";
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

// The batch as it is stated, or as many tokens as steps usually have and eight micro-batches for
// each stage of a pipeline; whole micro-batches on every copy.
void set_batch(TrainingRow& run) {
  constexpr double kUsualTokens = 4'194'304;
  constexpr double kMicroBatchesPerStage = 8;
  const double pp = run.pp.value_or(1);
  const double copies = std::max(1.0, std::floor(*run.gpus / (run.tp.value_or(1) * pp)));
  run.dp = copies;
  const double usual = std::max(std::ceil(kUsualTokens / *run.sequence / copies),
                                pp > 1 ? kMicroBatchesPerStage * pp : 1.0);
  const double stated = run.global_batch ? std::round(*run.global_batch / copies) : usual;
  run.global_batch = copies * std::max(1.0, stated);
}

// The micro-batch as it is stated, or each that divides what a copy computes.
void add_micro_batches(TrainingRow run, std::vector<TrainingRow>& layouts) {
  constexpr double kMaxMicroBatch = 8;
  if (run.micro_batch) {
    layouts.push_back(std::move(run));
    return;
  }
  const double sequences = *run.global_batch / *run.dp;
  for (double micro = 1; micro <= std::min(kMaxMicroBatch, sequences); micro *= 2) {
    if (std::fmod(sequences, micro) != 0) break;
    run.micro_batch = micro;
    layouts.push_back(run);
  }
}

}  // namespace

std::vector<TrainingRow> likely_layouts(const ProductionRow& row, const catalog::ModelSpec& model,
                                        const catalog::AcceleratorSpec& chip) {
  constexpr double kRoom = 0.6;
  constexpr double kUsualSequence = 4096;
  const bool experts = model.has_experts();
  const auto parameters = static_cast<double>(workload::count_parameters(model).total());
  const double room = kRoom * chip.memory.nominal.base();
  TrainingRow run = row.run;
  if (!run.gpus) run.gpus = likely_gpus(row, parameters, chip);
  run.gpus_per_node = run.gpus_per_node.value_or(kUsualNode);
  if (run.sharding.empty()) run.sharding = "ZeRO-1";
  run.sequence =
      run.sequence.value_or(std::min(kUsualSequence, static_cast<double>(model.context)));
  std::vector<TrainingRow> layouts;
  const auto add = [&](double tp, double pp, double ep) {
    const double ranks = tp * pp;
    const bool whole = std::fmod(*run.gpus, ranks) == 0 && ranks * ep <= *run.gpus;
    if (!whole || state_bytes(parameters, *run.gpus, ranks * ep) > room) return;
    TrainingRow one = run;
    one.tp = tp;
    one.pp = pp;
    if (experts) one.ep = ep;
    set_batch(one);
    add_micro_batches(one, layouts);
    if (pp == 1 || !one.schedule.empty()) return;
    one.schedule = "interleaved";
    add_micro_batches(std::move(one), layouts);
  };
  for (double pp = 1; pp <= model.num_layers(); pp *= 2) {
    for (double tp = 1; tp <= (experts ? 1 : kUsualNode); tp *= 2) {
      if (!experts) add(tp, pp, 1);
    }
    for (const double ep : {8.0, 64.0}) {
      if (experts) add(1, pp, ep);
    }
  }
  return layouts;
}

ProductionValidation validate_production(std::span<const ProductionRow> rows,
                                         const RunContext& context,
                                         const training::CalibrationFile& file) {
  ProductionValidation result;
  result.rows = static_cast<int>(rows.size());
  const training::Calibration calibration = file.calibration();
  for (const ProductionRow& row : rows) {
    if (!row.run.problem.empty()) {
      result.skipped.push_back({row.run.id, row.run.problem, "not positive"});
      continue;
    }
    auto predicted = predict(row, context, calibration);
    if (predicted)
      result.predictions.push_back(*std::move(predicted));
    else
      result.skipped.push_back({row.run.id, predicted.error().message, "not known"});
  }
  result.named = training::read_run_losses(context.catalog->hazards());
  leave_each_out(result);
  return result;
}

}  // namespace loadfactor::validation
