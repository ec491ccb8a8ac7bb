#include "validation/training/published_run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "training/step/model_work.h"
#include "validation/row_text.h"
#include "validation/training/row_check.h"
#include "validation/training/row_layout.h"
#include "validation/training/row_model.h"

namespace loadfactor::validation {

namespace {

using training::AttentionCount;
using training::TrainingJob;

// Counts of a source are cores, not chips: a chip's figures are shared out among its cores.
void split_into_cores(catalog::AcceleratorSpec& chip) {
  const double cores = std::max(1, chip.compute.units);
  for (auto& rate : chip.arithmetic.dense) rate = rate / cores;
  chip.memory.nominal = chip.memory.nominal / cores;
  chip.memory.usable = chip.memory.usable / cores;
  chip.memory.bandwidth = chip.memory.bandwidth / cores;
  chip.scale_up.bandwidth = chip.scale_up.bandwidth / cores;
  if (chip.scale_out) chip.scale_out->bandwidth = chip.scale_out->bandwidth / cores;
}

// Operations per token as the source counted them. Sources that count recomputation say so;
// the PaLM convention (whole matrix) ruled until frameworks of 2025 began to count what a
// causal mask leaves.
double counted_work(const PublishedRun& run) {
  const std::string& notes = run.row.notes;
  const auto& model = run.model;
  const std::int64_t length = run.job.sequence;
  const bool hardware = mentions(notes, "HFU") || mentions(notes, "counts activation recompute") ||
                        mentions(notes, "basis includes recompute");
  const bool causal = mentions(notes, "causal") || run.job.year >= 2025;
  const AttentionCount count =
      causal && !mentions(notes, "non-causal") ? AttentionCount::kCausal : AttentionCount::kFull;
  const Flops forward = training::forward_products_per_token(model) +
                        training::forward_attention_per_token(model, length, count);
  if (!hardware) return 3.0 * forward.base();
  // The head is not recomputed.
  const double head = 2.0 * static_cast<double>(model.embedding.vocab) * model.hidden;
  return 4.0 * forward.base() - head;
}

void set_measured(PublishedRun& run) {
  const TrainingRow& row = run.row;
  const double tokens =
      static_cast<double>(run.job.global_batch) * static_cast<double>(run.job.sequence);
  if (row.tokens_per_second && *row.tokens_per_second > 0) {
    run.measured = *row.tokens_per_second;
  } else if (row.step_time && *row.step_time > 0) {
    run.measured = tokens / *row.step_time / run.job.layout.gpus;
  } else if (row.tflops && *row.tflops > 0) {
    run.measured = *row.tflops * 1e12 / counted_work(run);
    run.converted = true;
  } else if (row.mfu && *row.mfu > 0) {
    const auto& rates = run.chip.arithmetic;
    const double peak = std::max(rates.rate(catalog::Dtype::kBf16).base(),
                                 rates.rate(catalog::Dtype::kFp16).base());
    run.measured = *row.mfu / 100.0 * peak / counted_work(run);
    run.converted = true;
  }
}

bool is_adapter(const TrainingRow& row) {
  return mentions(row.model, "LoRA") || mentions(row.notes, "LoRA") ||
         mentions(row.notes, "task=lora");
}

Tier tier_of(const PublishedRun& run, const RowLayout& layout, bool dimensions) {
  if (is_adapter(run.row)) return Tier::kAdapter;
  if (mentions(run.row.notes, "OOM") && run.measured <= 0) return Tier::kRefused;
  if (!dimensions || !layout.complete || !run.row.sequence) return Tier::kContext;
  if (run.row.quality == "memory" || run.measured <= 0) return Tier::kContext;
  return layout.micro_batch_known && layout.recompute_known ? Tier::kFull : Tier::kPartial;
}

Error incomplete(const std::string& what) {
  Error error;
  error.code = lf::kMissingKey;
  error.message = fmt::format("the {} cannot be known", what);
  return error;
}

Error refused(int code, std::string why) {
  Error error;
  error.code = code;
  error.message = std::move(why);
  return error;
}

std::string configuration_of(const PublishedRun& run) {
  const training::Layout& l = run.job.layout;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", run.row.model, run.chip.name, l.gpus,
                     run.job.sequence, l.tp, l.pp, l.vp, l.cp, l.ep, l.micro_batch,
                     run.job.global_batch,
                     static_cast<int>(training::width_of(run.job.precision.compute)));
}

const training::StackTraits* stack_of(const TrainingRow& row, const catalog::AcceleratorSpec& chip,
                                      const training::StackShelf& stacks) {
  training::StackQuery query;
  query.framework = row.framework;
  query.notes = row.notes;
  query.recompute = row.recompute;
  query.chip_family = chip.family;
  query.year = static_cast<int>(row.year.value_or(0));
  return stacks.match(query);
}

// No source says rank or place: the usual rank beside the projections of attention.
void set_adapters(TrainingJob& job) {
  constexpr int kUsualRank = 16;
  job.trainable_share = training::adapter_share(*job.model, kUsualRank);
  job.adapted_widths = training::adapted_widths(*job.model, training::Adapted::kAttention);
}

void set_job(PublishedRun& run, const RowLayout& layout) {
  TrainingJob& job = run.job;
  job.model = &run.model;
  job.chip = &run.chip;
  job.fabric = layout.fabric;
  job.layout = layout.layout;
  job.global_batch = layout.global_batch;
  job.precision = layout.precision;
  job.sequence = std::llround(run.row.sequence.value_or(static_cast<double>(run.model.context)));
  job.year = static_cast<int>(run.row.year.value_or(2024));
  if (is_adapter(run.row)) set_adapters(job);
  // Real routing is uneven; benchmarks that say nothing force it to be even.
  job.learned_routing = mentions(run.row.notes, "dropless");
}

}  // namespace

std::vector<SiteFact> read_sites(const config::CsvTable& table, Diagnostics& diagnostics) {
  std::vector<SiteFact> sites;
  const auto source = table.column("source");
  const auto rate = table.column("scale_out_gbps");
  const auto document = table.column("document");
  if (!source || !rate || !document) return sites;
  for (const auto& cells : table.rows) {
    const double gbps = std::strtod(cells[*rate].text.c_str(), nullptr);
    if (gbps <= 0) {
      diagnostics.add(table.error(lf::kNotANumber, cells[*rate], "not a rate in Gb/s"));
      continue;
    }
    sites.push_back(
        {cells[*source].text, BytesPerSecond::from_base(gbps * 1e9 / 8.0), cells[*document].text});
  }
  return sites;
}

Result<std::unique_ptr<PublishedRun>> make_run(const TrainingRow& row, const RunContext& context) {
  if (!row.problem.empty()) return refused(lf::kNotANumber, row.problem);
  auto run = std::make_unique<PublishedRun>();
  run->row = row;
  TRY(const auto* chip, context.catalog->find_accelerator(row.accelerator));
  run->chip = *chip;
  if (mentions(row.accelerator, "Core")) split_into_cores(run->chip);
  TRY(auto model, model_of_row(row, *context.catalog));
  run->model = std::move(model.spec);
  if (!row.gpus) return incomplete("number of accelerators");
  if (const auto wrong = impossible_layout(row, run->model); !wrong.empty())
    return refused(lf::kNotDivisible, wrong);
  if (*row.gpus > 1 && (!row.tp || !row.pp)) return incomplete("layout");
  run->job.stack = stack_of(row, run->chip, *context.stacks);
  if (run->job.stack == nullptr) return incomplete("software");
  const RowLayout layout = layout_of_row(row, *run->job.stack, run->chip, run->model.num_layers());
  set_job(*run, layout);
  if (run->job.sequence <= 0) return incomplete("sequence length");
  for (const SiteFact& site : context.sites) {
    if (mentions(row.source, site.source) && !run->job.fabric.scale_out) {
      run->job.fabric.scale_out = site.scale_out;
    }
  }
  run->recompute_known = layout.recompute_known;
  if (!layout.micro_batch_known) run->job.layout.micro_batch = likely_micro_batch(run->job);
  if (!layout.recompute_known) run->job.layout.recompute.kind = likely_recompute(run->job);
  set_measured(*run);
  run->tier = tier_of(*run, layout, model.from_row);
  run->publication = publication_of(row.source);
  run->moe = std::any_of(run->model.kinds.begin(), run->model.kinds.end(),
                         [](const catalog::LayerSpec& k) { return k.moe.experts > 0; });
  run->configuration = configuration_of(*run);
  return run;
}

training::JobClass job_class(const PublishedRun& run, const training::ChipConstants& chip) {
  if (run.moe) return training::JobClass::kMoe;
  if (!chip.has_tables || chip.accelerator != run.chip.name) {
    return training::JobClass::kDenseNoTables;
  }
  return run.tier == Tier::kFull ? training::JobClass::kDense : training::JobClass::kDenseMissing;
}

}  // namespace loadfactor::validation
