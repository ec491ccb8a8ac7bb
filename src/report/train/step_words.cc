#include "report/train/step_words.h"

#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace loadfactor::report {
namespace {

struct PartRow {
  std::string_view key;
  StepPartWords words;
};
constexpr PartRow kParts[] = {
    {"gemm", {"matrix products", "linear layers and experts, both passes"}},
    {"attention", {"attention", "scores and their product with the values"}},
    {"pointwise", {"pointwise", "norms, activations, casts: traffic"}},
    {"head", {"embedding and head", "logits and loss, spread over the stages"}},
    {"recompute", {"recomputation", "forward work done again"}},
    {"tp", {"tensor parallel", "collectives of layers, not hidden"}},
    {"cp", {"context parallel", "keys and values on the ring, not hidden"}},
    {"ep", {"expert all-to-all", "tokens to experts and back, not hidden"}},
    {"fsdp", {"sharded parameters", "gathers and scatters, not hidden"}},
    {"dp", {"data parallel", "gradient reduction, not hidden"}},
    {"p2p", {"pipeline sends", "activations between stages"}},
    {"bubble", {"pipeline bubble", "stages idle while it fills and drains"}},
    {"imbalance", {"uneven stages", "stages that wait for the slowest one"}},
    {"optimizer", {"optimizer", "the update of the parameters"}},
    {"offload", {"offload", "state moved to the host and back, not hidden"}},
    {"host", {"host", "launches, data, logging, not hidden"}},
    {"data", {"data loading", "the step waits for its input"}},
    {"straggler", {"stragglers", "hosts that wait for the slowest host"}},
};

std::string gib(Bytes bytes) {
  return format_in(any(bytes), "GiB", 1) + " GiB";
}

std::string_view moment_words(FullestStage::Moment moment) {
  switch (moment) {
    case FullestStage::Moment::kLoss:
      return "loss";
    case FullestStage::Moment::kBackwardLast:
      return "backward of the last layer";
    case FullestStage::Moment::kBackwardFirst:
      return "backward of the first layer";
    case FullestStage::Moment::kOptimizerStep:
      break;
  }
  return "optimizer step";
}

std::string_view use_words(MemoryUse use) {
  switch (use) {
    case MemoryUse::kWeights:
      return "parameters of this rank, as they rest between steps";
    case MemoryUse::kGradients:
      return "as they accumulate over the micro-batches";
    case MemoryUse::kOptimizer:
      return "master copy and moments";
    case MemoryUse::kActivations:
      return "kept for the backward pass, all micro-batches in flight";
    case MemoryUse::kBackward:
      return "of the layer in its backward pass, computed again or passing";
    case MemoryUse::kLogits:
      return "logits, loss and its gradient";
    case MemoryUse::kBuffers:
      return "gathered parameters, communication buckets, allocator slack";
    case MemoryUse::kContext:
      return "device context, libraries, communicators";
    default:
      return {};
  }
}

}  // namespace

StepPartWords step_part_words(std::string_view key) {
  for (const PartRow& row : kParts)
    if (row.key == key) return row.words;
  return {key, {}};
}

std::string step_part_name(const StepPart& part) {
  return std::string(step_part_words(part.key).name);
}

std::string step_part_meaning(const StepPart& part) {
  return std::string(step_part_words(part.key).what);
}

std::string step_sum_words(const TrainAnswer& answer) {
  const auto ms = [](Seconds time) { return format_in(any(time), "ms", 1); };
  std::vector<std::string> terms;
  for (const StepPart& part : answer.parts)
    terms.push_back(fmt::format("{} {} ms", step_part_name(part), ms(part.time.value())));
  return fmt::format("step {} ms = {}", ms(answer.step_time.value()), fmt::join(terms, " + "));
}

std::string memory_words(const TrainAnswer& answer, MemoryUse use) {
  if (use == MemoryUse::kFree)
    return fmt::format("{:.0f} % of the memory is needed; tight from {:.0f} %",
                       100.0 * answer.memory_fill, 100.0 * answer.tight_from);
  return std::string(use_words(use));
}

std::string fullest_words(const TrainAnswer& answer) {
  const FullestStage& at = answer.fullest;
  const std::string when = fmt::format("at the {}", moment_words(at.moment));
  if (answer.layout.pp == 1) return fmt::format("every GPU is alike; fullest {}", when);
  return fmt::format("stage {} of {} ({} layers, {:.3g} micro-batches in flight), {}", at.stage + 1,
                     answer.layout.pp, at.layers, at.in_flight, when);
}

std::string shortage_words(const TrainAnswer& answer) {
  if (answer.memory_needed <= answer.memory_per_gpu)
    return "the host has no room for what its GPUs would leave there";
  return fmt::format("the fullest GPU needs {} of {}", gib(answer.memory_needed),
                     gib(answer.memory_per_gpu));
}

std::string_view name_of(MemoryVerdict verdict) {
  switch (verdict) {
    case MemoryVerdict::kFits:
      return "fits";
    case MemoryVerdict::kTight:
      return "tight";
    case MemoryVerdict::kDoesNotFit:
      break;
  }
  return "does not fit";
}

std::string_view loss_meaning(GoodputLoss::Cause cause) {
  switch (cause) {
    case GoodputLoss::Cause::kRestarts:
      return "from a crash to the first new step";
    case GoodputLoss::Cause::kLostWork:
      return "since the last checkpoint that was safe";
    case GoodputLoss::Cause::kCheckpoints:
      return "while everybody waits for a copy";
    case GoodputLoss::Cause::kDetection:
      return "of failures that raise no error";
    case GoodputLoss::Cause::kRareCheckpoints:
      return "written as seldom as people do, instead of at the best interval";
    case GoodputLoss::Cause::kEvaluations:
      return "while steps wait for them";
    case GoodputLoss::Cause::kSlowNodes:
      return "all wait for hosts that are slower than the others";
    case GoodputLoss::Cause::kTakenAgain:
      return "after the loss went up";
    case GoodputLoss::Cause::kWarmUp:
      return "until the steps are steady";
    case GoodputLoss::Cause::kUnexplained:
      return "what published runs took beyond all that has a name";
    case GoodputLoss::Cause::kRepairs:
      break;
  }
  return "all spares are in use";
}

std::string constant_words(const UsedConstant& constant) {
  if (!constant.what.empty()) return constant.what;
  return "of the dense peak, by large products in long runs of " + constant.chip;
}

std::string span_name(const TraceSpan& span, int chunks) {
  switch (span.kind) {
    case TraceSpan::Kind::kGradientReduction:
      return "gradient reduction, not hidden";
    case TraceSpan::Kind::kOptimizer:
      return "optimizer";
    case TraceSpan::Kind::kStraggler:
      return "waiting for the slowest host";
    default:
      break;
  }
  constexpr std::string_view kLetters = "FBW";
  const char letter = kLetters[static_cast<std::size_t>(span.kind)];
  if (chunks == 1) return fmt::format("{}{}", letter, span.micro_batch);
  return fmt::format("{}{}.{}", letter, span.micro_batch, span.chunk);
}

std::string_view kind_name(TraceSpan::Kind kind) {
  constexpr std::string_view kNames[] = {"forward", "backward",  "weight gradient",
                                         "dp",      "optimizer", "straggler"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace loadfactor::report
