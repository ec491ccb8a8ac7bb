#include "engine/explain/explain_step.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "engine/explain/data_lines.h"
#include "resolve/train/train_layout.h"
#include "resolve/train/train_setup.h"
#include "training/step/layer_kernels.h"
#include "workload/layer_products.h"

namespace loadfactor::engine {
namespace {

using training::Constant;
using training::Part;
using StepNodes = std::vector<ExplainNode>;

std::string place(const catalog::Provenance& from) {
  return fmt::format("{}:{}", from.file, from.line);
}

// As JSON and people name the products of a layer.
std::string_view role_name(workload::ProductRole role) {
  using Role = workload::ProductRole;
  switch (role) {
    case Role::kMixerIn:
      return "qkv";
    case Role::kQueryUp:
      return "query-up";
    case Role::kKeyValueUp:
      return "key-value-up";
    case Role::kMixerGroups:
      return "head-groups";
    case Role::kMixerOut:
      return "attention-out";
    case Role::kIndexQuery:
      return "index-query";
    case Role::kIndexKey:
      return "index-key";
    case Role::kMlpUp:
      return "mlp-up";
    case Role::kMlpDown:
      return "mlp-down";
    case Role::kLatentDown:
      return "latent-down";
    case Role::kLatentUp:
      return "latent-up";
    case Role::kExpertUp:
      return "expert-up";
    case Role::kExpertDown:
      return "expert-down";
    case Role::kSharedUp:
      return "shared-up";
    case Role::kSharedDown:
      return "shared-down";
    default:
      return "product";
  }
}

// The run of an answer, resolved in its layout.
struct ResolvedRun {
  std::unique_ptr<TrainSetup> setup;
  std::optional<ChosenLayout> chosen;
};

std::optional<ResolvedRun> resolve_run(const Core& engine, const PlanInputs& question,
                                       const TrainAnswer& train) {
  TrainInputs request;
  request.scenario = question.scenario().with(std::span<const config::Edit>(train.layout_edits));
  request.model_files = question.training_files;
  request.accelerator = train.accelerator;
  request.precision = train.precision;
  Diagnostics unread;
  ResolvedRun run;
  run.setup = make_train_setup(request, engine.catalog(), unread);
  if (!run.setup) return std::nullopt;
  run.chosen = choose_layout(*run.setup, run.setup->asked_layout());
  if (!run.chosen || !run.chosen->fits()) return std::nullopt;
  return run;
}

class PartTrees {
 public:
  PartTrees(const catalog::Catalog& catalog, const PlanAnswer& answer, const ResolvedRun& run)
      : lines_(catalog),
        where_(answer),
        setup_(*run.setup),
        job_(run.chosen->job),
        time_(run.chosen->time),
        scene_(scene_of(setup_, job_)),
        context_(scene_.kernel_context()) {
    const auto& layout = job_.layout;
    micro_batches_ = training::micro_batches(job_.global_batch, layout);
    model_ = job_.model->provenance.file.empty()
                 ? where_.find({"train.model", "train.model.config", "train.model.params"}, {},
                               "general-knowledge")
                 : place(job_.model->provenance);
    layout_ = where_.find({"train.layout.pp", "train.layout.micro_batch", "train.layout.gpus",
                           "limits.gpus", "train.global_batch", "train.model"},
                          {}, model_);
  }

  std::optional<ExplainNode> tree(Part part) const {
    switch (part) {
      case Part::kGemm:
        return products();
      case Part::kAttention:
        return attention();
      case Part::kPointwise:
        return pointwise();
      case Part::kHead:
        return head();
      case Part::kOptimizer:
        return optimizer();
      default:
        return other(part);
    }
  }

 private:
  Seconds time(Part part) const { return time_[part]; }
  DataLine line_of(Constant constant) const { return lines_.training(training::name(constant)); }
  static std::string key(Part part) { return std::string(training::name(part)); }

  // Passes of a product: forward, and the gradients of inputs and of weights.
  ExplainNode passes() const {
    return leaf(Term::kProductPasses, any(scene_.frozen ? 2.0 : 3.0), lines_.term("pass"));
  }
  ExplainNode rounds() const {
    return leaf(Term::kMicroBatches, any(micro_batches_),
                where_.find({"train.global_batch", "train.layout.micro_batch"}, {}, layout_));
  }
  ExplainNode stage_layers(std::size_t kind) const {
    ExplainNode layers =
        leaf(Term::kLayers, any(static_cast<double>(scene_.kind_layers[kind])), model_);
    if (job_.layout.pp == 1) return layers;
    return node(Term::kStageLayers, Operation::kQuotient,
                {std::move(layers), leaf(Term::kStagesOfPipeline, any(double(job_.layout.pp)),
                                         where_.find({"train.layout.pp"}, {}, layout_))});
  }
  ExplainNode operations() const {
    return leaf(Term::kOperations, any(Flops::from_base(2.0)), lines_.term("product"));
  }

  // Tokens of a micro-batch where it is these that are the rows, else as many as experts are given.
  ExplainNode rows(const training::TimedProduct& product) const {
    const auto& layout = job_.layout;
    const double tokens =
        static_cast<double>(layout.micro_batch) * static_cast<double>(job_.sequence) / layout.cp;
    if (std::abs(product.shape.rows - tokens) > 1e-9 * tokens)
      return leaf(Term::kRows, any(product.shape.rows), model_);
    ExplainNode all = node(Term::kRows, Operation::kProduct,
                           {leaf(Term::kMicroBatch, any(static_cast<double>(layout.micro_batch)),
                                 where_.find({"train.layout.micro_batch"}, {}, layout_)),
                            leaf(Term::kRowsOfSequence, any(static_cast<double>(job_.sequence)),
                                 where_.find({"train.sequence"}, {}, model_))});
    if (layout.cp == 1) return all;
    return node(Term::kRows, Operation::kQuotient,
                {std::move(all), leaf(Term::kContextRanks, any(static_cast<double>(layout.cp)),
                                      where_.find({"train.layout.cp"}, {}, layout_))});
  }

  // The dense peak of products in the run's format.
  FlopsPerSecond peak(training::Width width) const {
    const bool narrow = width != training::Width::k16;
    return training::peak_rate(*job_.chip, narrow ? job_.precision.compute : catalog::Dtype::kBf16);
  }
  ExplainNode peak_leaf(training::Width width) const {
    return leaf(Term::kPeak, any(peak(width)), place(job_.chip->arithmetic.provenance),
                job_.chip->name);
  }
  ExplainNode sustained(training::Width width) const {
    constexpr std::array<std::string_view, training::kNumWidths> kNames{
        "sustained_16", "sustained_8", "sustained_4"};
    const auto at = static_cast<std::size_t>(width);
    const auto& chip = *setup_.chip_constants;
    return leaf(Term::kSustainedShare, any(chip.sustained[at]),
                lines_.training_chip(chip.accelerator, kNames[at]), chip.accelerator);
  }
  // Work over the rate that is reached: the sustained one, times what shapes leave of it.
  ExplainNode at_rate(ExplainNode work, Seconds taken, Term rest, DataLine rest_from) const {
    const training::Width width = context_.width;
    const double rate = work.value.value / taken.base();
    ExplainNode share = sustained(width);
    const double left = rate / (peak(width).base() * share.value.value);
    return node(Term::kReachedRate, Operation::kProduct,
                {peak_leaf(width), std::move(share), leaf(rest, any(left), std::move(rest_from))});
  }

  ExplainNode product(const training::TimedProduct& one, std::size_t kind) const {
    const auto& shape = one.shape;
    StepNodes factors{operations(), rows(one), leaf(Term::kColumns, any(shape.columns), model_),
                      leaf(Term::kInner, any(shape.inner), model_)};
    if (shape.groups != 1) factors.push_back(leaf(Term::kGroups, any(shape.groups), model_));
    factors.push_back(passes());
    factors.push_back(stage_layers(kind));
    factors.push_back(rounds());
    ExplainNode work = node(Term::kProductWork, Operation::kProduct, std::move(factors));
    const Seconds taken = (one.time.forward + one.time.backward) *
                          (scene_.kind_layers[kind] / double(job_.layout.pp) * micro_batches_);
    const bool expert = one.role == workload::ProductRole::kExpertUp ||
                        one.role == workload::ProductRole::kExpertDown;
    const DataLine from = line_of(expert ? Constant::kGroupedGemm : Constant::kKernelGap);
    ExplainNode rate = at_rate(work, taken, Term::kShapeShare, from);
    return node(Term::kProductTime, Operation::kQuotient, {std::move(work), std::move(rate)},
                fmt::format("{} {:.0f} × {:.0f} × {:.0f}", role_name(one.role), shape.rows,
                            shape.columns, shape.inner));
  }

  std::optional<ExplainNode> products() const {
    StepNodes all;
    for (std::size_t kind = 0; kind < job_.model->kinds.size(); ++kind) {
      if (scene_.kind_layers[kind] == 0) continue;
      for (const auto& one : training::timed_products(job_, context_, job_.model->kinds[kind]))
        if (one.time.forward > Seconds()) all.push_back(product(one, kind));
    }
    if (all.empty()) return std::nullopt;
    return paced(Part::kGemm, std::move(all));
  }

  // The sum at the pace of the software and of what a site measured of the part. What is beside it,
  // adapters say, is a leaf.
  ExplainNode paced(Part part, StepNodes all) const {
    ExplainNode sum = node(Term::kStepPart, Operation::kSum, std::move(all), key(part));
    const double pace = scene_.pace * job_.measured[part];
    if (pace != 1) {
      const DataLine from{
          lines_.place("calibration/training.yaml", "software:\n", job_.stack->family),
          {0, "training-results"}};
      sum.term = Term::kModelledTime;
      sum = node(Term::kStepPart, Operation::kProduct,
                 {std::move(sum), leaf(Term::kSoftwarePace, any(pace), from, job_.stack->name)},
                 key(part));
    }
    const Seconds rest = time(part) - Seconds::from_base(sum.value.value);
    if (std::abs(rest.base()) <= 1e-9 * time(part).base()) return sum;
    sum.term = Term::kModelledTime;
    return node(Term::kStepPart, Operation::kSum,
                {std::move(sum), leaf(Term::kBesideProducts, any(rest),
                                      where_.find({"train.adapters", "train.method"}, {}, model_))},
                key(part));
  }

  // Scores and their gradients, of a causal mask.
  std::optional<ExplainNode> attention() const {
    const double tokens = static_cast<double>(job_.global_batch) *
                          static_cast<double>(job_.sequence) / job_.layout.gpus;
    const Flops each = scene_.attention_per_token;
    if (each <= Flops()) return std::nullopt;
    const AnyQuantity per_token{each.base(), any(each).dimension};
    ExplainNode work =
        node(Term::kAttentionWork, Operation::kProduct,
             {leaf(Term::kAttentionOfToken, per_token, model_),
              leaf(Term::kTokensOfGpu, any(tokens),
                   where_.find({"train.global_batch", "train.sequence"}, {}, layout_)),
              leaf(Term::kProductPasses, any(3.0), lines_.term("pass"))});
    const training::Width wide = training::Width::k16;
    const auto& chip = *setup_.chip_constants;
    const double share =
        work.value.value / time(Part::kAttention).base() / peak(wide).base() / chip.attention;
    ExplainNode rate =
        node(Term::kReachedRate, Operation::kProduct,
             {peak_leaf(wide),
              leaf(Term::kSustainedShare, any(chip.attention),
                   lines_.training_chip(chip.accelerator, "attention"), chip.accelerator),
              leaf(Term::kAttentionShare, any(share), line_of(Constant::kAttentionBackward))});
    return node(Term::kStepPart, Operation::kQuotient, {std::move(work), std::move(rate)},
                key(Part::kAttention));
  }

  // Bytes over the bandwidth that streams reach.
  ExplainNode moved(Part part, ExplainNode bytes) const {
    return node(Term::kStepPart, Operation::kQuotient, {std::move(bytes), bandwidth()}, key(part));
  }
  BytesPerSecond reached_bandwidth() const { return scene_.machine.memory; }
  ExplainNode bandwidth() const {
    return node(Term::kReachedBandwidth, Operation::kProduct,
                {leaf(Term::kPeakBandwidth, any(job_.chip->memory.bandwidth),
                      place(job_.chip->memory.provenance), job_.chip->name),
                 leaf(Term::kBandwidthShare, any(scene_.constant(Constant::kHbmEfficiency)),
                      line_of(Constant::kHbmEfficiency))});
  }
  // So many bytes, as a count times a fitted number of passes or bytes for each.
  ExplainNode traffic(Part part, Term counted, double each, Constant constant) const {
    const Bytes all = reached_bandwidth() * time(part);
    return node(Term::kTraffic, Operation::kProduct,
                {leaf(counted, any(all / each), model_),
                 leaf(Term::kPassesOfKernels, any(each), line_of(constant))});
  }

  std::optional<ExplainNode> pointwise() const {
    using training::PointwiseClass;
    const double passes = training::pointwise_factor(context_);
    const auto kind = job_.stack->pointwise;
    const Constant constant = kind == PointwiseClass::kFused      ? Constant::kPointwiseFused
                              : kind == PointwiseClass::kCompiled ? Constant::kPointwiseCompiled
                                                                  : Constant::kPointwiseEager;
    return moved(Part::kPointwise,
                 traffic(Part::kPointwise, Term::kLeastTraffic, passes, constant));
  }

  std::optional<ExplainNode> optimizer() const {
    if (job_.layout.offload.optimizer) return other(Part::kOptimizer);
    const Constant constant =
        job_.stack->fused_optimizer ? Constant::kOptimizerFused : Constant::kOptimizerForeach;
    return moved(Part::kOptimizer, traffic(Part::kOptimizer, Term::kUpdatedParameters,
                                           scene_.constant(constant), constant));
  }

  // Logits of every token: two operations for each number of the vocabulary's table.
  std::optional<ExplainNode> head() const {
    const auto product =
        workload::head_product(*job_.model, {.tp = job_.layout.tp, .ep = 1, .etp = 1});
    const double tokens = static_cast<double>(job_.global_batch) *
                          static_cast<double>(job_.sequence) / job_.layout.dp / job_.layout.cp /
                          job_.layout.pp;
    ExplainNode work =
        node(Term::kProductWork, Operation::kProduct,
             {operations(),
              leaf(Term::kTokensOfGpu, any(tokens),
                   where_.find({"train.global_batch", "train.sequence"}, {}, layout_)),
              leaf(Term::kColumns, any(product.columns), model_),
              leaf(Term::kInner, any(product.inner), model_), passes()});
    const auto& chip = *setup_.chip_constants;
    const training::Width wide = training::Width::k16;
    const double sustained_share = chip.sustained[0];
    const double left =
        work.value.value / time(Part::kHead).base() / peak(wide).base() / sustained_share;
    ExplainNode rate = node(Term::kReachedRate, Operation::kProduct,
                            {peak_leaf(wide), sustained(wide),
                             leaf(Term::kHeadShare, any(left), lines_.training("loss_passes"))});
    return node(Term::kStepPart, Operation::kQuotient, {std::move(work), std::move(rate)},
                key(Part::kHead));
  }

  // What is one number of the model: a leaf at the constant that weighs most in it.
  std::optional<ExplainNode> other(Part part) const {
    const auto at = [&](DataLine from) {
      return leaf(Term::kStepPart, any(time(part)), std::move(from), key(part));
    };
    switch (part) {
      case Part::kTp:
        return at(line_of(Constant::kTpSkew));
      case Part::kCp:
        return at(line_of(Constant::kCpHidden));
      case Part::kEp:
        return at(line_of(Constant::kEpHidden));
      case Part::kFsdp:
      case Part::kDp:
        return at(line_of(Constant::kDpHidden));
      case Part::kP2p:
        return at(line_of(Constant::kP2p));
      case Part::kOptimizer:
        return at(line_of(Constant::kOptimizerHost));
      case Part::kHost:
        return at(line_of(Constant::kStepFixed));
      case Part::kStraggler:
        return at(line_of(Constant::kStraggler));
      case Part::kRecompute:
        return at({where_.find({"train.layout.recompute"}, {}, model_), {}});
      case Part::kBubble:
      case Part::kImbalance:
        return at({where_.find({"train.layout.pp", "train.layout.schedule"}, {}, layout_), {}});
      case Part::kData:
        return at({where_.find({"train.loader"}, {}, layout_), {}});
      default:
        return std::nullopt;
    }
  }

  DataLines lines_;
  SourceFinder where_;
  const TrainSetup& setup_;
  const training::TrainingJob& job_;
  const training::StepTime& time_;
  training::StepScene scene_;
  training::KernelContext context_;
  double micro_batches_ = 1;
  std::string model_;
  std::string layout_;
};

// The share of the memory that a run needs, or its step: what a layout is chosen by.
ExplainNode rival(const DataLines& lines, const TrainAnswer& train, const std::string& memory) {
  ExplainNode degree = leaf(Term::kTp, any(static_cast<double>(train.layout.tp)), "train");
  ExplainNode figure = train.fits ? leaf(Term::kRivalStep, any(train.step_time.value()),
                                         lines.training("hbm_efficiency"))
                                  : leaf(Term::kRivalMemory, any(train.memory_fill), memory);
  degree.source = figure.source;
  return node(Term::kRival, Operation::kChoice, {std::move(degree), std::move(figure)},
              fmt::format("tp {}", train.layout.tp));
}

}  // namespace

std::vector<ExplainNode> explain_step_parts(const Core& engine, const PlanInputs& question,
                                            const PlanAnswer& answer) {
  const TrainAnswer& train = *answer.training;
  const auto run = resolve_run(engine, question, train);
  if (!run) return {};
  const PartTrees trees(engine.catalog(), answer, *run);
  std::vector<ExplainNode> parts;
  for (const StepPart& part : train.parts) {
    for (std::size_t i = 0; i < training::kNumParts; ++i) {
      const auto which = static_cast<Part>(i);
      if (training::name(which) != part.key) continue;
      auto tree = trees.tree(which);
      const double said = part.time.value().base();
      if (tree && std::abs(tree->value.value - said) <= 1e-9 * said)
        parts.push_back(*std::move(tree));
    }
  }
  return parts;
}

std::optional<ExplainNode> explain_training_tp(const Core& engine, const PlanInputs& question,
                                               const PlanAnswer& answer) {
  constexpr int kMostTried = 16;
  const TrainAnswer& train = *answer.training;
  const SourceFinder where(answer);
  const std::string written = where.find({"train.layout.tp"}, {}, {});
  if (!written.empty()) return leaf(Term::kTp, any(static_cast<double>(train.layout.tp)), written);
  const std::string memory = where.find({}, {"memory"}, "general-knowledge");
  const DataLines lines(engine.catalog());
  StepNodes rivals{rival(lines, train, memory)};
  for (int tp = 1; tp <= kMostTried; tp *= 2) {
    if (tp == train.layout.tp) continue;
    TrainInputs request;
    request.scenario = question.scenario().with(
        {config::Edit{"train.layout.tp", std::int64_t{tp}},
         config::Edit{"train.layout.gpus", std::int64_t{train.layout.gpus}}});
    request.model_files = question.training_files;
    request.accelerator = train.accelerator;
    request.precision = train.precision;
    Diagnostics unread;
    const auto other = engine.train(request, unread);
    if (other && other->layout.tp == tp) rivals.push_back(rival(lines, *other, memory));
  }
  return node(Term::kTp, Operation::kChoice, std::move(rivals));
}

}  // namespace loadfactor::engine
