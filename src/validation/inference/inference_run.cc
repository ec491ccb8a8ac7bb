#include "validation/inference/inference_run.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "serving/cache_block.h"
#include "serving/precision.h"
#include "validation/inference/inference_load.h"
#include "validation/inference/row_faults.h"
#include "validation/inference/shared_board.h"
#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

using catalog::Dtype;
using catalog::NarrowCache;
using serving::LoadKind;
using serving::Metric;

struct MetricWord {
  std::string_view word;
  Metric metric;
};
constexpr std::array kMetrics{MetricWord{"total_output_tok_s", Metric::kThroughput},
                              MetricWord{"tok_s_per_gpu", Metric::kThroughput},
                              MetricWord{"req_s", Metric::kThroughput},
                              MetricWord{"tpot_ms", Metric::kTimePerToken},
                              MetricWord{"ttft_ms", Metric::kFirstToken},
                              MetricWord{"latency_ms", Metric::kLatency}};

constexpr double kUsualNode = 8;

double launch_stages(const std::string& notes) {
  for (const char* flag :
       {"--pp-size ", "-pp ", "--pipeline-parallel-size ", "--pp_size ", "--pp "}) {
    if (const auto stages = number_after(notes, flag)) return *stages;
  }
  return 0;
}

// A dense model known only by the dimensions of its row.
std::optional<catalog::ModelSpec> model_of_dimensions(const InferenceRow& row) {
  if (!row.layers || !row.hidden || !row.heads || !row.parameters || *row.layers < 1 ||
      *row.heads < 1)
    return std::nullopt;
  constexpr double kUsualVocabulary = 128256;
  constexpr int kUsualHead = 128;
  catalog::ModelSpec model;
  model.name = row.model;
  model.hidden = static_cast<int>(*row.hidden);
  model.embedding.vocab = static_cast<std::int64_t>(kUsualVocabulary);
  catalog::LayerSpec layer;
  layer.attention.heads = static_cast<int>(*row.heads);
  layer.attention.kv_heads = static_cast<int>(row.kv_heads.value_or(*row.heads));
  layer.attention.head_dim = std::max(kUsualHead, static_cast<int>(*row.hidden / *row.heads));
  const double attention = 2.0 * *row.hidden * layer.attention.head_dim *
                           (layer.attention.heads + layer.attention.kv_heads);
  const double rest =
      *row.parameters * 1e9 - 2 * kUsualVocabulary * *row.hidden - *row.layers * attention;
  layer.mlp.width = std::max(1, static_cast<int>(rest / (3 * *row.layers * *row.hidden)));
  model.kinds = {layer};
  model.layers.assign(static_cast<std::size_t>(*row.layers), 0);
  return model;
}

Dtype cache_dtype(const InferenceRow& row, NarrowCache habit, bool moe) {
  const std::string& said = row.kv_precision;
  if (said == "fp8" || said == "int8") return Dtype::kFp8;
  if (!said.empty() && said != "auto") return Dtype::kBf16;
  const bool narrow = row.precision == "fp8" || row.precision == "nvfp4" ||
                      row.precision == "mxfp4" || row.precision == "fp4";
  if (!narrow) return Dtype::kBf16;
  if (habit == NarrowCache::kAlways) return Dtype::kFp8;
  return habit == NarrowCache::kDense && !moe ? Dtype::kFp8 : Dtype::kBf16;
}

}  // namespace

struct RunMaker::Choice {
  const catalog::ModelSpec* model = nullptr;
  const catalog::AcceleratorSpec* chip = nullptr;
  const serving::EngineTraits* engine = nullptr;
  serving::PrecisionChoice precision;
  serving::ServingLayout layout;
  double gpus = 1;
  bool eager = false;
  ReplicaRoom room;
  std::string word;  // The row's word for the precision.
  std::string key;   // Equal for deployments that are alike.
};

double InferenceRun::value_of(const serving::LoadFigures& figures) const {
  constexpr double kMilliseconds = 1e3;
  if (row.metric == "total_output_tok_s") return figures.output_rate.base();
  if (row.metric == "tok_s_per_gpu") return figures.output_rate.base() / pool.gpus;
  if (row.metric == "req_s") return figures.request_rate.base();
  if (row.metric == "tpot_ms") return figures.tpot.base() * kMilliseconds;
  if (row.metric == "ttft_ms") return figures.ttft.base() * kMilliseconds;
  return figures.latency.base() * kMilliseconds;
}

std::vector<std::string> InferenceRun::interval_groups() const {
  return serving::interval_groups(pool.step->deployment(), metric, load.kind);
}

std::vector<std::string> InferenceRun::simulated_groups() const {
  return serving::simulated_groups(pool.step->deployment(), metric, load.kind);
}

Result<const catalog::ModelSpec*> RunMaker::model_of(const InferenceRow& row) {
  auto found = catalog_->find_model(row.model);
  if (found) return *found;
  auto& place = models_[row.model];
  if (place == nullptr) {
    auto made = model_of_dimensions(row);
    if (!made) return std::move(found).error();
    place = std::make_unique<catalog::ModelSpec>(*std::move(made));
  }
  return static_cast<const catalog::ModelSpec*>(place.get());
}

Result<const RunMaker::Made*> RunMaker::deployment(const Choice& choice) {
  const auto found = made_.find(choice.key);
  if (found != made_.end()) return static_cast<const Made*>(&found->second);
  TRY(const auto* kernels, hardware_->kernels(*choice.chip));
  TRY(const auto* network, hardware_->network(*choice.chip, choice.engine->one_shot));
  TRY(const auto* engine, catalog_->find_engine(choice.engine->engine));
  Made made;
  made.step = std::make_unique<serving::StepModel>(
      serving::ServingDeployment{choice.model, choice.chip, kernels, network, choice.engine,
                                 choice.precision.kernels, choice.layout, choice.eager});
  serving::ServingSetup setup;
  setup.model = choice.model;
  setup.chip = choice.chip;
  setup.engine = engine;
  setup.recipe =
      choice.precision.recipe != nullptr ? choice.precision.recipe : &workload::kBf16Weights;
  setup.kv.kv = choice.precision.kernels.kv;
  setup.memory_fraction = choice.engine->memory_fraction;
  setup.batched_tokens = std::min<std::int64_t>(choice.engine->chunk_on(*choice.chip), 16384);
  setup.max_sequences = std::min<std::int64_t>(choice.engine->max_sequences_on(*choice.chip), 1024);
  const serving::ServingLayout& cut = choice.layout;
  made.memory = serving::divide_memory(setup, {.tp = cut.tp,
                                               .ep = cut.ep,
                                               .etp = cut.expert_tp(),
                                               .pp = cut.pp,
                                               .dp = cut.dp,
                                               .uneven = true});
  return static_cast<const Made*>(&made_.emplace(choice.key, std::move(made)).first->second);
}

serving::Pool RunMaker::pool_of(Choice& choice, const Made& made, const serving::Load& load) const {
  // A deployment that was measured fitted, whatever our sum of its memory says.
  constexpr double kLeastShare = 0.02;
  const auto tokens =
      static_cast<std::int64_t>(std::ceil(load.input + choice.engine->reserve * load.output));
  double slots = 1e9;
  for (const auto& gpu : made.memory.stages) {
    const Bytes space = std::max(gpu.kv.value, gpu.total * kLeastShare);
    const Bytes one = gpu.profile.bytes(tokens);
    if (one > Bytes()) slots = std::min(slots, space / one);
  }
  serving::Pool pool;
  pool.step = made.step.get();
  pool.replicas = std::max(choice.gpus / choice.layout.gpus(), 1.0 / 16) * choice.layout.dp;
  choice.room.most_sequences = static_cast<double>(choice.engine->max_sequences_on(*choice.chip));
  choice.room.tokens = slots * static_cast<double>(tokens);
  pool.set_slots(slots, choice.room.most_sequences);
  pool.gpus = choice.gpus;
  pool.chunk = static_cast<double>(choice.engine->chunk_on(*choice.chip));
  pool.kv_per_token = made.memory.stages.front().profile.per_token() * choice.layout.pp;
  return pool;
}

// Degrees as the row states them, or the fewest GPUs that hold the weights.
RunMaker::Degrees RunMaker::degrees_of(const InferenceRow& row, const Choice& choice,
                                       const serving::Load& load) const {
  constexpr double kWeightShare = 0.7;
  const bool moe = choice.model->has_experts();
  const double cores = std::max(1.0, row.cores_per_chip.value_or(1));
  Degrees d;
  d.tp = std::max(1.0, row.tp.value_or(0) / cores);
  d.pp = std::max({1.0, row.pp.value_or(1), launch_stages(row.notes)});
  d.ep = moe ? std::max(1.0, row.ep.value_or(1)) : 1;
  d.gpus = cores > 1 ? d.tp : row.gpus.value_or(std::max(d.tp, d.ep) * d.pp);
  if (launch_stages(row.notes) > 0) d.gpus = std::max(d.gpus, d.tp * d.pp);
  if (!row.tp) {
    if (!row.gpus) d.gpus = kUsualNode;
    const auto& recipe =
        choice.precision.recipe != nullptr ? *choice.precision.recipe : workload::kBf16Weights;
    const Bytes weights = workload::weight_bytes(*choice.model, recipe).total();
    const Bytes room = choice.chip->memory.usable * kWeightShare;
    for (d.tp = 1; d.tp < std::min(d.gpus, kUsualNode) && weights / d.tp > room;) d.tp *= 2;
    if (serving::has_latent_attention(*choice.model)) {
      d.ep = std::min(d.gpus, kUsualNode);
      d.tp = 1;
    }
  }
  const bool one_phase = load.kind == LoadKind::kPrefillOnly || load.kind == LoadKind::kDecodeOnly;
  if (one_phase && moe && !row.ep && d.tp <= 1 && d.gpus > 1) d.ep = d.gpus;
  d.gpus = std::max(d.gpus, 1.0);
  return d;
}

Result<serving::Pool> RunMaker::make_pool(Choice& choice, const Degrees& d,
                                          const serving::Load& load) {
  const double ranks = std::max(d.tp * d.copies, d.ep);
  choice.layout = {static_cast<int>(d.tp), static_cast<int>(d.pp), static_cast<int>(d.ep),
                   std::max(1, static_cast<int>(ranks / d.tp))};
  choice.gpus = d.workers > 0 ? d.workers * choice.layout.gpus() : d.gpus;
  const auto& cut = choice.layout;
  choice.key =
      fmt::format("{}|{}|{}|{}|{}|{}.{}.{}.{}|{}|{}", choice.model->name, choice.chip->name,
                  choice.engine->name, choice.word, catalog::name(choice.precision.kernels.kv),
                  cut.tp, cut.pp, cut.ep, cut.dp, choice.eager, choice.engine->overlap);
  TRY(const auto* made, deployment(choice));
  return pool_of(choice, *made, load);
}

Result<RunMaker::Degrees> RunMaker::best_degrees(const Degrees& least, Choice& choice,
                                                 const serving::Load& load) {
  std::vector<Degrees> candidates{least};
  for (double tp = least.tp * 2; tp <= std::min(least.gpus, kUsualNode); tp *= 2) {
    Degrees wider = least;
    wider.tp = tp;
    if (wider.ep > 1) wider.ep = std::max(wider.ep, tp);
    candidates.push_back(wider);
  }
  Degrees best = least;
  TokensPerSecond most;
  const serving::Constants constants = calibration_->values();
  for (const Degrees& degrees : candidates) {
    TRY(const serving::Pool pool, make_pool(choice, degrees, load));
    const auto rate = serving::closed_form(pool, load, constants).output_rate;
    if (rate <= most) continue;
    most = rate;
    best = degrees;
  }
  return best;
}

Result<RunMaker::Choice> RunMaker::choose(const InferenceRow& row, const PublishedEngine& engine) {
  Choice choice;
  TRY(choice.model, model_of(row));
  TRY(choice.chip, catalog_->find_accelerator(row.accelerator));
  choice.engine = engine.traits;
  choice.room.block_tokens = serving::cache_block(*engine.engine);
  choice.word = row.precision;
  choice.precision = serving::choose_precision(row.precision, *choice.model, *choice.chip);
  choice.precision.kernels.kv = cache_dtype(row, engine.narrow_cache, choice.model->has_experts());
  choice.eager = row.eager == "yes";
  return choice;
}

// The card with the power that the run allowed it; as its maker states it where none is said.
const catalog::AcceleratorSpec* RunMaker::limited(const catalog::AcceleratorSpec& chip,
                                                  const InferenceRow& row) {
  if (!row.power_limit_w || *row.power_limit_w <= 0 ||
      *row.power_limit_w >= chip.power.rated.base())
    return &chip;
  const std::string name = fmt::format("{} at {:g} W", chip.name, *row.power_limit_w);
  auto& place = limited_[name];
  if (place == nullptr) {
    place = std::make_unique<catalog::AcceleratorSpec>(chip);
    place->name = name;
    place->power.rated = Watts::from_base(*row.power_limit_w);
    place->measured_matmul.reset();  // Its rate was measured with all of the power.
  }
  return place.get();
}

// The engine with as much of its host work hidden as the run had.
const serving::EngineTraits* RunMaker::overlapping(const serving::EngineTraits& traits,
                                                   const InferenceRow& row) {
  if (!row.host_overlap) return &traits;
  const double overlap = std::min(1.0, *row.host_overlap);
  auto& place = overlapping_[fmt::format("{} {:g}", traits.name, overlap)];
  if (place == nullptr) {
    place = std::make_unique<serving::EngineTraits>(traits);
    place->overlap = overlap;
  }
  return place.get();
}

Result<bool> RunMaker::add_pools(InferenceRun& run, Choice& choice) {
  Degrees degrees = degrees_of(run.row, choice, run.load);
  if (!run.row.tp && run.load.kind == LoadKind::kOffline) {
    TRY(degrees, best_degrees(degrees, choice, run.load));
  }
  const PoolShape prompts = pool_shape(run.row.prefill_pool);
  const PoolShape answers = pool_shape(run.row.decode_pool);
  if (run.load.kind != LoadKind::kSplit || prompts.workers == 0 || answers.workers == 0) {
    TRY(run.pool, make_pool(choice, degrees, run.load));
    return true;
  }
  const auto of_pool = [&](const PoolShape& shape) {
    const double experts = run.moe ? shape.ep : 1;
    const double copies = run.moe ? shape.dp : 1;
    return Degrees{static_cast<double>(shape.tp),     1, experts, 0, copies,
                   static_cast<double>(shape.workers)};
  };
  TRY(run.prefill, make_pool(choice, of_pool(prompts), run.load));
  TRY(run.pool, make_pool(choice, of_pool(answers), run.load));
  run.pool.prompts = &*run.prefill;
  run.pool.gpus = run.row.gpus.value_or(run.pool.gpus + run.prefill->gpus);
  return true;
}

Result<std::unique_ptr<InferenceRun>> RunMaker::make(const InferenceRow& stated) {
  if (!remarks_) remarks_ = RowRemarks::read(*catalog_);
  if (!*remarks_) return remarks_->error();
  InferenceRow row = (*remarks_)->completed(stated);
  if (row.gpus) *row.gpus *= chips_per_board(row.accelerator);
  const auto metric = std::find_if(kMetrics.begin(), kMetrics.end(),
                                   [&](const MetricWord& m) { return m.word == row.metric; });
  if (metric == kMetrics.end() || !row.value || *row.value <= 0) {
    return Error{.code = lf::kMissingKey,
                 .message = "no metric '" + row.metric + "' with a positive value"};
  }
  const auto refused = [](std::string reason) {
    return Error{.code = lf::kOutOfRange, .message = std::move(reason)};
  };
  if (auto fault = find_row_fault(row, *calibration_)) return refused(*std::move(fault));
  auto run = std::make_unique<InferenceRun>();
  run->row = row;
  run->metric = metric->metric;
  run->measured = *row.value;
  run->source = source_of(row);
  TRY(const auto engine, find_published(*catalog_, row));
  run->engine = engine.traits;
  TRY(Choice choice, choose(row, engine));
  const auto* chip = choice.chip;
  choice.chip = limited(*chip, row);
  choice.engine = overlapping(*choice.engine, row);
  if (auto fault = find_degree_fault(row, *choice.model)) return refused(*std::move(fault));
  run->moe = choice.model->has_experts();
  run->family = serving::chip_family(*choice.chip);
  run->chip = chip->name;
  run->load = load_of_row(row, *calibration_);
  TRY(const bool added, add_pools(*run, choice));
  (void)added;
  run->room = choice.room;
  run->deployment = fmt::format("{}|{}|{}", run->source, choice.key, choice.gpus);
  return run;
}

}  // namespace loadfactor::validation
