// Why a step is not shorter: its losses against the dense peak, in words.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "engine/train/train_answer.h"

namespace loadfactor::engine {
namespace {

using training::Part;

struct Loss {
  Seconds time;
  std::string words;
};

std::string pipeline_words(const ChosenLayout& chosen) {
  const auto& layout = chosen.job.layout;
  const std::int64_t count = chosen.job.global_batch / (layout.micro_batch * layout.dp);
  return fmt::format(
      "the pipeline fills and drains: {} micro-batch{} over {} stages{}; a larger "
      "batch, a smaller pp or more virtual stages shrink it",
      count, count == 1 ? "" : "es", layout.pp,
      layout.vp > 1 ? fmt::format(" of {} chunks", layout.vp) : "");
}

std::string tensor_words(const ChosenLayout& chosen) {
  const int tp = chosen.job.layout.tp;
  if (tp > chosen.job.chip->scale_up.domain)
    return fmt::format(
        "tensor parallelism over {} GPUs leaves the scale-up domain of {}; keep tp "
        "within it",
        tp, chosen.job.chip->scale_up.domain);
  return fmt::format(
      "collectives of tp {} that do not hide behind products; a smaller tp, larger "
      "micro-batches or overlapping kernels help",
      tp);
}

std::vector<Loss> losses_of(const ChosenLayout& chosen, Seconds ideal) {
  const auto& time = chosen.time;
  const auto& layout = chosen.job.layout;
  const Seconds products = time[Part::kGemm] + time[Part::kAttention] + time[Part::kHead];
  return {
      {products - ideal,
       "matrix products and attention run below the dense peak: clocks under "
       "load, tiles, memory; larger micro-batches or a smaller tp help a little"},
      {time[Part::kPointwise],
       "norms, activations and casts move bytes instead of computing; "
       "fused or compiled kernels move fewer"},
      {time[Part::kRecompute],
       fmt::format("recomputation ({}) does forward work twice; more memory, a smaller "
                   "micro-batch or more sharding would spare it",
                   recompute_words(layout.recompute))},
      {time[Part::kTp], tensor_words(chosen)},
      {time[Part::kCp], fmt::format("keys and values travel over cp {} ranks", layout.cp)},
      {time[Part::kEp], fmt::format("tokens travel to their experts over ep {} ranks; a smaller "
                                    "ep, or one inside the scale-up domain, sends less",
                                    layout.ep)},
      {time[Part::kFsdp],
       "parameters are gathered layer by layer faster than they can be sent; "
       "a larger micro-batch gives the gathers more to hide behind"},
      {time[Part::kDp], fmt::format("gradients of {} ranks are reduced, and part of it shows; a "
                                    "larger batch makes it rarer",
                                    layout.dp * layout.cp)},
      {time[Part::kP2p], "stages wait for activations on the wire"},
      {time[Part::kBubble], pipeline_words(chosen)},
      {time[Part::kImbalance],
       "the stage with the head is slower and the others wait for it; "
       "fewer layers there would even it out"},
      {time[Part::kOptimizer], layout.offload.optimizer
                                   ? "the optimizer runs on the host"
                                   : "the optimizer reads and writes all of its state; sharding it "
                                     "wider or a larger batch makes it cheaper"},
      {time[Part::kOffload],
       "state or activations travel to the host and back, and part of it shows; offloading less, "
       "or "
       "a larger batch, sends less"},
      {time[Part::kData],
       "data loading binds: the step waits for its input (train.data_rate); more or faster readers "
       "shorten it, more GPUs do not"},
      {time[Part::kHost],
       "the device waits for the host: launches, data, logging; larger kernels, "
       "compiled layers or graphs hide it"},
      {time[Part::kStraggler],
       fmt::format("{} GPUs wait for the slowest host of each step", layout.gpus)},
  };
}

}  // namespace

std::vector<std::string> reasons_not_faster(const ChosenLayout& chosen, Seconds ideal) {
  auto losses = losses_of(chosen, ideal);
  std::stable_sort(losses.begin(), losses.end(),
                   [](const Loss& a, const Loss& b) { return a.time > b.time; });
  std::vector<std::string> reasons;
  constexpr std::size_t kMost = 3;
  for (const Loss& loss : losses) {
    if (reasons.size() == kMost || loss.time <= Seconds()) break;
    reasons.push_back(
        fmt::format("{:.1f} %: {}", 100.0 * (loss.time / chosen.time.total()), loss.words));
  }
  return reasons;
}

}  // namespace loadfactor::engine
