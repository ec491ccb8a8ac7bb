#include "engine/explain/service_step.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cost/gemm.h"
#include "engine/explain/data_lines.h"
#include "serving/step.h"
#include "workload/layer_products.h"

namespace loadfactor::engine {
namespace {

using ServiceNodes = std::vector<ExplainNode>;
using Kind = ServePart::Kind;

std::string place_in_catalogue(const catalog::Provenance& from) {
  return fmt::format("{}:{}", from.file, from.line);
}

std::string_view key_of(Kind kind) {
  switch (kind) {
    case Kind::kProducts:
      return "products";
    case Kind::kExperts:
      return "experts";
    case Kind::kAttention:
      return "attention";
    case Kind::kElementwise:
      return "elementwise";
    case Kind::kCollectives:
      return "collectives";
    case Kind::kGaps:
      return "gaps";
    case Kind::kHead:
      return "head";
    case Kind::kTower:
      return "tower";
    case Kind::kHost:
      break;
  }
  return "host";
}

// Products of an engine by what they are of, as the calibration names their constants.
std::string_view constant_of(const serving::KernelFormat& format) {
  using cost::KernelVariant;
  if (format.variant == KernelVariant::kWeightOnly8 ||
      format.variant == KernelVariant::kWeightOnly4)
    return "gemm_weight_only";
  const double bits = catalog::row(format.math).bits;
  if (bits >= 16) return "gemm_16";
  return bits >= 8 ? "gemm_8" : "gemm_4";
}

// Which format the engine computes a product in; nothing where it is not among the dense ones.
std::optional<serving::KernelFormat> format_of(const serving::ServingPrecision& precision,
                                               workload::ProductRole role) {
  using Role = workload::ProductRole;
  switch (role) {
    case Role::kMixerIn:
    case Role::kQueryUp:
    case Role::kKeyValueUp:
    case Role::kMixerGroups:
    case Role::kMixerOut:
    case Role::kIndexQuery:
      return precision.attention;
    case Role::kMlpUp:
    case Role::kMlpDown:
    case Role::kSharedUp:
    case Role::kSharedDown:
      return precision.dense;
    case Role::kRouter:
      return serving::KernelFormat{};
    default:
      return std::nullopt;
  }
}

// The parts of a step, either one that only decodes or one with a prompt as well.
class StepTrees {
 public:
  StepTrees(const PlanAnswer& facts, const AskedService& service, bool prompts)
      : lines_(*service.setup->catalog),
        where_(facts),
        setup_(*service.setup),
        answer_(service.answer),
        model_(setup_.model->provenance.file.empty()
                   ? where_.find({"serve.model", "serve.model.config"}, {}, "general-knowledge")
                   : place_in_catalogue(setup_.model->provenance)),
        prompts_(prompts) {
    const auto& layout = setup_.layout();
    sequences_ = std::max(1.0, answer_.running) / layout.pp;
    const double piece =
        std::min(setup_.tokens_in, static_cast<double>(setup_.plan.memory_setup.batched_tokens));
    rows_ = sequences_ + (prompts ? piece / layout.cp / layout.pp : 0.0);
  }

  // The step: what the device does, and what of the host's work shows.
  ExplainNode step() const {
    ServiceNodes parts;
    for (const ServePart& part : answer_.parts) {
      if (part.kind == Kind::kHost || time_of(part) <= Seconds()) continue;
      parts.push_back(tree(part));
    }
    Seconds device;
    for (const ServePart& part : answer_.parts)
      if (part.kind != Kind::kHost) device += time_of(part);
    const Seconds all = prompts_ ? answer_.prompt_step : answer_.decode_step;
    const Seconds shown = all - device;
    if (std::abs(shown.base()) > 1e-12 * all.base())
      parts.push_back(
          leaf(Term::kHostShown, any(shown), lines_.serving(answer_.engine + ".host_step")));
    return node(prompts_ ? Term::kPromptStep : Term::kDecodeStep, Operation::kSum,
                std::move(parts));
  }

 private:
  Seconds time_of(const ServePart& part) const { return prompts_ ? part.prompt : part.decode; }
  ExplainNode part_leaf(const ServePart& part, DataLine from) const {
    return leaf(Term::kServePart, any(time_of(part)), std::move(from),
                std::string(key_of(part.kind)));
  }

  ExplainNode tree(const ServePart& part) const {
    const bool plain = setup_.plan.step->deployment().speculation.tokens <= 0;
    switch (part.kind) {
      case Kind::kProducts:
        return plain ? products(part) : part_leaf(part, lines_.serving("gemm_16"));
      case Kind::kHead:
        return plain ? head(part) : part_leaf(part, lines_.serving("reading"));
      case Kind::kExperts:
        return experts(part);
      case Kind::kAttention:
        return attention(part);
      case Kind::kElementwise:
        return elementwise(part);
      case Kind::kCollectives:
        return part_leaf(part, lines_.serving("comm_latency"));
      case Kind::kGaps:
        return part_leaf(part, lines_.serving(answer_.engine + ".launch"));
      case Kind::kTower:
        return part_leaf(part, {model_, {}});
      case Kind::kHost:
        break;
    }
    return part_leaf(part, lines_.serving(answer_.engine + ".host_step"));
  }

  const serving::ServingDeployment& deployment() const { return setup_.plan.step->deployment(); }
  const cost::ChipModel& kernels() const { return *deployment().kernels; }
  DataLine fit_line(const cost::KernelKey& key) const {
    return lines_.kernel(kernels().donor(key), kernels().fit(key));
  }
  std::string precision() const {
    return where_.find({"serve.precision", "serve.deployment.precision"}, {}, model_);
  }
  std::string chip_memory() const { return place_in_catalogue(setup_.chip->memory.provenance); }

  ExplainNode shape_leaf(Term term, double value) const { return leaf(term, any(value), model_); }
  ExplainNode rows() const {
    if (!prompts_)
      return leaf(Term::kRunningSequences, any(sequences_),
                  where_.find({"serve.deployment.max_seqs", "serve.demand"}, {}, chip_memory()));
    return leaf(Term::kRows, any(rows_),
                where_.find({"serve.demand.tokens_in", "serve.demand.trace"}, {}, model_));
  }

  // Bytes over the bandwidth that such kernels reach.
  ExplainNode read(Term term, ExplainNode bytes, Seconds taken, DataLine from,
                   std::string of) const {
    const double peak = kernels().rates().memory.base();
    const double share = bytes.value.value / taken.base() / peak;
    ExplainNode rate = node(Term::kReachedBandwidth, Operation::kProduct,
                            {leaf(Term::kPeakBandwidth, any(kernels().rates().memory),
                                  chip_memory(), setup_.chip->name),
                             leaf(Term::kBandwidthShare, any(share), std::move(from))});
    return node(term, Operation::kQuotient, {std::move(bytes), std::move(rate)}, std::move(of));
  }

  // One product in all layers that have it, by the chip's table.
  ExplainNode product(double layers, const workload::LayerProduct& one,
                      const serving::KernelFormat& format, double row_count, ExplainNode row_node,
                      std::string_view name) const {
    const auto shape = one.over(std::ceil(row_count));
    const cost::GemmCall call{{.m = static_cast<std::int64_t>(shape.rows),
                               .n = static_cast<std::int64_t>(shape.columns),
                               .k = static_cast<std::int64_t>(shape.inner),
                               .batch = static_cast<std::int64_t>(shape.groups)},
                              format.math,
                              format.variant};
    const cost::KernelKey key{cost::KernelClass::kGemm, format.math, format.variant};
    const auto taken = cost::estimate_gemm(call, kernels().rates(), kernels().fit(key));
    std::string of =
        fmt::format("{} {:.0f} × {:.0f} × {:.0f}", name, shape.rows, shape.columns, shape.inner);
    ServiceNodes counts{shape_leaf(Term::kColumns, shape.columns),
                        shape_leaf(Term::kInner, shape.inner)};
    ExplainNode layer_count = leaf(Term::kLayers, any(layers), model_);
    const auto add_counts = [&](ServiceNodes factors) {
      factors.push_back(std::move(layer_count));
      if (shape.groups != 1) factors.push_back(shape_leaf(Term::kGroups, shape.groups));
      return factors;
    };
    if (taken.bound == cost::Bound::kArithmetic) {
      ServiceNodes factors{
          leaf(Term::kOperations, any(Flops::from_base(2.0)), lines_.term("product")),
          std::move(row_node), std::move(counts[0]), std::move(counts[1])};
      return computed(node(Term::kProductWork, Operation::kProduct, add_counts(std::move(factors))),
                      key, taken.duration * layers, std::move(of));
    }
    const double each = cost::weight_bytes(format.math, format.variant);
    counts.push_back(leaf(Term::kBytesOfWeight, any(Bytes::from_base(each)), precision()));
    return read(Term::kProductTime,
                node(Term::kWeightBytes, Operation::kProduct, add_counts(std::move(counts))),
                taken.duration * layers, fit_line(key), std::move(of));
  }
  // Operations over the rate that such kernels reach on a product of this shape.
  ExplainNode computed(ExplainNode work, const cost::KernelKey& key, Seconds taken,
                       std::string of) const {
    const DataLine from = fit_line(key);
    const double rate = work.value.value / taken.base();
    const double sustained = kernels().fit(key).parameters.sustained;
    const FlopsPerSecond peak = kernels().rates().rate(key.dtype);
    return node(
        Term::kProductTime, Operation::kQuotient,
        {std::move(work),
         node(Term::kReachedRate, Operation::kProduct,
              {leaf(Term::kPeak, any(peak), place_in_catalogue(setup_.chip->arithmetic.provenance),
                    setup_.chip->name),
               leaf(Term::kSustainedShare, any(sustained), from),
               leaf(Term::kShapeShare, any(rate / peak.base() / sustained), from)})},
        std::move(of));
  }

  // What the chip's tables say, as such an engine runs it.
  ExplainNode in_engine(const ServePart& part, ExplainNode table, std::string_view constant) const {
    const double factor = time_of(part).base() / table.value.value;
    return node(Term::kServePart, Operation::kProduct,
                {std::move(table),
                 leaf(Term::kEngineFactor, any(factor), lines_.serving(constant), answer_.engine)},
                std::string(key_of(part.kind)));
  }

  ExplainNode products(const ServePart& part) const {
    const auto& model = *setup_.model;
    const auto& layout = setup_.layout();
    std::vector<double> counts(model.kinds.size(), 0.0);
    for (const auto kind : model.layers) counts[kind] += 1;
    ServiceNodes all;
    std::string_view constant = "gemm_16";
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const workload::Sharding ranks{.tp = layout.tp, .ep = layout.ep, .etp = layout.expert_tp()};
      for (const auto& one : workload::layer_products(model, model.kinds[i], ranks)) {
        const auto format = format_of(deployment().precision, one.role);
        if (!format) continue;
        if (one.role == workload::ProductRole::kMlpUp) constant = constant_of(*format);
        all.push_back(product(counts[i], one, *format, rows_, rows(), service_role(one.role)));
      }
    }
    if (all.empty()) return part_leaf(part, lines_.serving(constant));
    return in_engine(part, node(Term::kTableTime, Operation::kSum, std::move(all)), constant);
  }

  static std::string_view service_role(workload::ProductRole role) {
    using Role = workload::ProductRole;
    switch (role) {
      case Role::kMixerIn:
        return "qkv";
      case Role::kMixerOut:
        return "attention-out";
      case Role::kMlpUp:
        return "mlp-up";
      case Role::kMlpDown:
        return "mlp-down";
      case Role::kSharedUp:
        return "shared-up";
      case Role::kSharedDown:
        return "shared-down";
      case Role::kRouter:
        return "router";
      default:
        return "latent";
    }
  }

  // The logits of every sequence that gets a token.
  ExplainNode head(const ServePart& part) const {
    const double count = sequences_ + (prompts_ ? 1.0 / setup_.layout().pp : 0.0);
    const auto one = workload::head_product(
        *setup_.model, {.tp = setup_.layout().tp, .ep = setup_.layout().ep, .etp = 1});
    return in_engine(
        part,
        product(1, one, {}, count,
                leaf(Term::kRows, any(std::ceil(count)),
                     where_.find({"serve.deployment.max_seqs", "serve.demand"}, {}, chip_memory())),
                "head"),
        "reading");
  }

  ExplainNode experts(const ServePart& part) const {
    const auto& format = deployment().precision.experts;
    const cost::KernelKey key{cost::KernelClass::kGroupedGemm, format.math, format.variant};
    double dense = 0;
    const auto& layout = setup_.layout();
    for (const auto kind : setup_.model->layers) {
      for (const auto& one : workload::layer_products(
               *setup_.model, setup_.model->kinds[kind],
               {.tp = layout.tp, .ep = layout.ep, .etp = layout.expert_tp()})) {
        const auto of = format_of(deployment().precision, one.role);
        if (of) dense += one.weights() * cost::weight_bytes(of->math, of->variant);
      }
    }
    const Bytes all = setup_.plan.step->weight_bytes_read(rows_);
    return read(Term::kServePart,
                leaf(Term::kExpertBytes, any(all - Bytes::from_base(dense)), model_), time_of(part),
                fit_line(key), std::string(key_of(part.kind)));
  }

  // Keys and values of all that runs, read once; a prompt's own scores come on top.
  ExplainNode attention(const ServePart& part) const {
    const bool narrow = catalog::bytes_per_element(deployment().precision.kv) < 2.0;
    const cost::KernelKey decode{
        cost::KernelClass::kDecodeAttention, catalog::Dtype::kBf16,
        narrow ? cost::KernelVariant::kNarrowCache : cost::KernelVariant::kPlain};
    const cost::KernelKey prefill{cost::KernelClass::kAttention, catalog::Dtype::kBf16,
                                  cost::KernelVariant::kPlain};
    if (prompts_ || setup_.model->window() > 0)
      return part_leaf(part, fit_line(prompts_ ? prefill : decode));
    const auto& layout = setup_.layout();
    const Bytes each = setup_.plan.kv_per_token / (layout.tp * layout.cp);
    ExplainNode bytes =
        node(Term::kCacheBytes, Operation::kProduct,
             {rows(),
              leaf(Term::kContextTokens, any(setup_.tokens_in + 0.5 * setup_.tokens_out),
                   where_.find({"serve.demand.tokens_in", "serve.demand.trace"}, {}, model_)),
              leaf(Term::kKvOfToken, any(each), model_)});
    if (bytes.value.value <= 0) return part_leaf(part, fit_line(decode));
    return read(Term::kServePart, std::move(bytes), time_of(part), fit_line(decode),
                std::string(key_of(part.kind)));
  }

  ExplainNode elementwise(const ServePart& part) const {
    const bool gddr = setup_.chip->memory.type.starts_with("gddr");
    const char* name = gddr ? "elementwise_gddr" : "elementwise";
    const double share = setup_.constants[gddr ? serving::Constant::kElementwiseGddr
                                               : serving::Constant::kElementwise];
    const Bytes bytes = kernels().rates().memory * time_of(part) * share;
    return read(Term::kServePart, leaf(Term::kLeastTraffic, any(bytes), model_), time_of(part),
                lines_.serving(name), std::string(key_of(part.kind)));
  }

  DataLines lines_;
  SourceFinder where_;
  const ServeSetup& setup_;
  const ServeAnswer& answer_;
  std::string model_;
  bool prompts_ = false;
  double sequences_ = 1;
  double rows_ = 1;
};

}  // namespace

ExplainNode service_step_tree(const PlanAnswer& facts, const AskedService& service, bool prompts) {
  return StepTrees(facts, service, prompts).step();
}

}  // namespace loadfactor::engine
