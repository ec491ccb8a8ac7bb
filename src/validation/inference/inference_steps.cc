#include "validation/inference/inference_steps.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/statistics.h"
#include "serving/generation.h"
#include "serving/precision.h"
#include "serving/step.h"
#include "workload/kv_cache.h"
#include "workload/weights.h"

namespace loadfactor::validation {
namespace {

struct Cells {
  const config::CsvTable& table;
  const std::vector<config::CsvCell>& cells;

  std::string text(std::string_view column) const {
    const auto at = table.column(column);
    return at ? cells[*at].text : std::string();
  }
  double number(std::string_view column) const {
    return std::strtod(text(column).c_str(), nullptr);
  }
  int whole(std::string_view column) const { return static_cast<int>(std::lround(number(column))); }
};

// The row's own dimensions win over the catalogue.
Result<catalog::ModelSpec> model_of(const Cells& row, const catalog::Catalog& catalog) {
  catalog::ModelSpec model;
  if (row.number("layers") > 0 && row.number("hidden") > 0 && row.number("heads") > 0 &&
      row.number("ffn") > 0) {
    catalog::LayerSpec layer;
    model.name = row.text("model");
    model.hidden = row.whole("hidden");
    model.embedding.vocab = row.whole("vocab");
    layer.attention.heads = row.whole("heads");
    layer.attention.kv_heads = std::max(1, row.whole("kv_heads"));
    layer.attention.head_dim =
        row.number("head_dim") > 0 ? row.whole("head_dim") : model.hidden / layer.attention.heads;
    layer.mlp.width = row.whole("ffn");
    layer.mlp.kind = row.text("gated") == "0" ? catalog::MlpKind::kPlain : catalog::MlpKind::kGated;
    model.kinds = {layer};
    model.layers.assign(static_cast<std::size_t>(row.whole("layers")), 0);
    return model;
  }
  TRY(const auto* found, catalog.find_model(row.text("model")));
  return *found;
}

struct Measured {
  catalog::ModelSpec model;
  std::unique_ptr<serving::StepModel> step;
  const workload::WeightRecipe* recipe = nullptr;
};

// A roofline that knows how much of it steps of this phase reach, these rows among them.
void add_baseline(InferenceStepValidation& result) {
  std::map<std::string, std::vector<double>> ratios;
  for (const auto& row : result.predictions) ratios[row.metric].push_back(row.measured / row.least);
  for (auto& row : result.predictions)
    row.baseline = row.least * quantile_nearest_rank(ratios[row.metric], 0.5);
}

struct StepErrors {
  std::vector<double> ours;
  std::vector<double> baseline;
  std::vector<double> ratios;
  double covered = 0;

  void add(const InferenceStep& row) {
    ours.push_back(100 * std::abs(row.predicted / row.measured - 1));
    baseline.push_back(100 * std::abs(row.baseline / row.measured - 1));
    ratios.push_back(row.predicted / row.measured);
    covered += row.low <= row.measured && row.measured <= row.high ? 1 : 0;
  }
  double coverage() const { return 100 * covered / static_cast<double>(ours.size()); }
};

void summarise(InferenceStepValidation& result) {
  constexpr double kLongPrompt = 2048;
  add_baseline(result);
  std::map<std::string, StepErrors> groups;
  StepErrors all;
  for (const auto& row : result.predictions) {
    all.add(row);
    groups[row.metric].add(row);
    const bool prefill = row.metric == "prefill";
    if (prefill && row.device_bound) groups["prefill, device-bound"].add(row);
    if (prefill && row.tokens >= kLongPrompt) groups["prefill, 2,048 tokens and more"].add(row);
    const bool fp8 = row.subject.find("fp8") != std::string::npos;
    groups[row.metric + (fp8 ? ", fp8" : ", bf16")].add(row);
  }
  for (const auto& [name, errors] : groups) {
    result.groups.push_back({name, static_cast<int>(errors.ours.size()), error_figures(errors.ours),
                             error_figures(errors.baseline),
                             100 * (quantile_nearest_rank(errors.ratios, 0.5) - 1),
                             errors.coverage()});
  }
  if (all.ours.empty()) return;
  result.abs_error = error_figures(all.ours);
  result.baseline = error_figures(all.baseline);
  result.interval_coverage = all.coverage();
}

}  // namespace

bool holds_inference_steps(const config::CsvTable& table) {
  return table.column("phase").has_value();
}

Result<InferenceStepValidation> validate_inference_steps(
    const config::CsvTable& table, const catalog::AcceleratorSpec& chip,
    const catalog::Catalog& catalog, serving::HardwareShelf& hardware,
    const serving::ServingCalibration& calibration, const RowWatch& watch) {
  for (const std::string_view column :
       {"model", "phase", "batch", "tokens_in", "kv_len", "seconds"}) {
    if (table.column(column)) continue;
    Error error{
        .code = lf::kMissingColumn,
        .message = "a table of inference steps needs the column '" + std::string(column) + "'"};
    error.where.file = table.file;
    return error;
  }
  TRY(const auto* kernels, hardware.kernels(chip));
  TRY(const auto* network, hardware.network(chip, false));
  TRY(const auto* spec, catalog.find_engine(catalog.lineup().engines.steps));
  TRY(const auto* engine, serving::generation_of(catalog, *spec, "", chip));
  const serving::Constants constants = calibration.values();
  std::map<std::string, Measured> models;
  InferenceStepValidation result;
  for (const auto& cells : table.rows) {
    if (!goes_on(watch, static_cast<std::size_t>(result.rows), table.rows.size())) break;
    const Cells row{table, cells};
    const std::string id = "row-" + std::to_string(++result.rows);
    const std::string precision = row.text("precision").empty() ? "bf16" : row.text("precision");
    const double seconds = row.number("seconds");
    if (!(seconds > 0) || !(row.number("batch") > 0)) {
      result.skipped.push_back({id, "batch or time is missing"});
      continue;
    }
    auto& place = models[row.text("model") + "|" + precision + "|" + row.text("layers")];
    if (place.step == nullptr) {
      auto model = model_of(row, catalog);
      if (!model) {
        result.skipped.push_back({id, model.error().message});
        continue;
      }
      place.model = *std::move(model);
      const auto choice = serving::choose_precision(precision, place.model, chip);
      place.recipe = choice.recipe != nullptr ? choice.recipe : &workload::kBf16Weights;
      place.step = std::make_unique<serving::StepModel>(serving::ServingDeployment{
          &place.model, &chip, kernels, network, engine, choice.kernels, {}, false});
    }
    const bool prefill = row.text("phase") == "prefill";
    const double batch = row.number("batch");
    const double context = row.number("kv_len");
    InferenceStep step{.id = id, .metric = prefill ? "prefill" : "decode"};
    step.subject =
        fmt::format("{} {} batch {:g} context {:g}", row.text("model"), precision, batch, context);
    step.tokens = row.number("tokens_in");
    serving::StepBatch total;
    if (prefill) {
      total = {.prompt_tokens = step.tokens,
               .chunk = step.tokens / batch,
               .past = std::max(0.0, context - step.tokens / batch),
               .finishing = batch};
    } else {
      total = {.sequences = batch, .context = context};
    }
    const auto parts = place.step->parts(total, constants);
    const Seconds device = parts.products + parts.attention + parts.experts + parts.elementwise +
                           parts.launch + parts.head;
    step.device_bound = !prefill || device > 0.98 * (parts.total - parts.host);
    step.measured = seconds;
    step.predicted = parts.total.base();
    step.least = place.step->least(total).base();
    const auto width =
        calibration.interval(serving::Metric::kLatency,
                             {!step.device_bound ? "host-bound step" : step.metric + " step"});
    step.low = step.predicted * std::exp(width.low);
    step.high = step.predicted * std::exp(width.high);
    result.predictions.push_back(std::move(step));
  }
  summarise(result);
  return result;
}

}  // namespace loadfactor::validation
