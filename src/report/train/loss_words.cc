// Why a step is not faster, in words.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "report/train/reason_words.h"

namespace loadfactor::report {
namespace {

std::string pipeline_words(const TrainLayout& layout) {
  return fmt::format(
      "the pipeline fills and drains: {} micro-batch{} over {} stages{}; a larger batch, a smaller "
      "pp or more virtual stages shrink it",
      layout.micro_batches, layout.micro_batches == 1 ? "" : "es", layout.pp,
      layout.vp > 1 ? fmt::format(" of {} chunks", layout.vp) : "");
}

std::string tensor_words(const StepLoss& loss, const TrainLayout& layout) {
  if (loss.domain > 0)
    return fmt::format(
        "tensor parallelism over {} GPUs leaves the scale-up domain of {}; keep tp within it",
        layout.tp, loss.domain);
  return fmt::format(
      "collectives of tp {} that do not hide behind products; a smaller tp, larger micro-batches "
      "or "
      "overlapping kernels help",
      layout.tp);
}

std::string optimizer_words(const TrainLayout& layout) {
  const auto& moved = layout.offload;
  if (std::find(moved.begin(), moved.end(), "optimizer") != moved.end())
    return "the optimizer runs on the host";
  return "the optimizer reads and writes all of its state; sharding it wider or a larger batch "
         "makes it cheaper";
}

// Losses whose words have no figures.
struct PlainRow {
  std::string_view part;
  std::string_view words;
};
constexpr PlainRow kPlain[] = {
    {"gemm",
     "matrix products and attention run below the dense peak: clocks under load, tiles, memory; "
     "larger micro-batches or a smaller tp help a little"},
    {"pointwise",
     "norms, activations and casts move bytes instead of computing; fused or compiled kernels move "
     "fewer"},
    {"fsdp",
     "parameters are gathered layer by layer faster than they can be sent; a larger micro-batch "
     "gives the gathers more to hide behind"},
    {"p2p", "stages wait for activations on the wire"},
    {"imbalance",
     "the stage with the head is slower and the others wait for it; fewer layers there would even "
     "it out"},
    {"offload",
     "state or activations travel to the host and back, and part of it shows; offloading less, or "
     "a "
     "larger batch, sends less"},
    {"data",
     "data loading binds: the step waits for its input (train.data_rate); more or faster readers "
     "shorten it, more GPUs do not"},
    {"host",
     "the device waits for the host: launches, data, logging; larger kernels, compiled layers or "
     "graphs hide it"},
};

std::string words_of(const StepLoss& loss, const TrainLayout& layout) {
  for (const PlainRow& row : kPlain)
    if (row.part == loss.part) return std::string(row.words);
  if (loss.part == "recompute")
    return fmt::format(
        "recomputation ({}) does forward work twice; more memory, a smaller micro-batch or more "
        "sharding would spare it",
        layout.recompute);
  if (loss.part == "tp") return tensor_words(loss, layout);
  if (loss.part == "cp") return fmt::format("keys and values travel over cp {} ranks", layout.cp);
  if (loss.part == "ep")
    return fmt::format(
        "tokens travel to their experts over ep {} ranks; a smaller ep, or one inside the scale-up "
        "domain, sends less",
        layout.ep);
  if (loss.part == "dp")
    return fmt::format(
        "gradients of {} ranks are reduced, and part of it shows; a larger batch makes it rarer",
        layout.dp * layout.cp);
  if (loss.part == "bubble") return pipeline_words(layout);
  if (loss.part == "optimizer") return optimizer_words(layout);
  return fmt::format("{} GPUs wait for the slowest host of each step", layout.gpus);
}

}  // namespace

std::vector<std::string> step_loss_words(const TrainAnswer& answer) {
  std::vector<std::string> out;
  for (const StepLoss& loss : answer.reasons)
    out.push_back(fmt::format("{:.1f} %: {}", 100.0 * loss.share, words_of(loss, answer.layout)));
  return out;
}

}  // namespace loadfactor::report
