#include "report/serve/fit_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace loadfactor::report {
namespace {

std::string gib(Bytes bytes) {
  return format_in(any(bytes), "GiB", 1) + " GiB";
}

std::string mixer_words(const ModelOutline& model) {
  switch (model.mixer) {
    case ModelOutline::Mixer::kHeads:
      return fmt::format("{} KV heads × {}", model.kv_heads, model.head_dim);
    case ModelOutline::Mixer::kLatent:
      return fmt::format("latent attention {} + {}", model.kv_heads, model.head_dim);
    case ModelOutline::Mixer::kStateSpace:
      return "state-space layers";
    case ModelOutline::Mixer::kNoAttention:
      break;
  }
  return "no attention";
}

bool lacks_tower(const FitAnswer& answer) {
  return std::any_of(answer.notices.begin(), answer.notices.end(),
                     [](const Notice& notice) { return notice.id == "uncounted-tower"; });
}

std::string weights_words(const FitAnswer& answer) {
  const StoredWeights& stored = answer.stored;
  const bool lacks = lacks_tower(answer);
  const char* unknown = lacks ? "; its tower is not known and comes on top" : "";
  if (stored.converted == StoredWeights::Converted::kNothing)
    return fmt::format("all tensors{} in {}, exact from the architecture{}",
                       lacks ? " of the text layers" : "", stored.plain, unknown);
  const bool experts = stored.converted == StoredWeights::Converted::kExperts;
  return fmt::format("{} {} {} + {} {} elsewhere{}", gib(stored.in_format), answer.quantisation,
                     experts ? "experts" : "linears", gib(stored.elsewhere), stored.plain, unknown);
}

std::string cache_words(const FitAnswer& answer) {
  if (!answer.keeps_past) return "nothing is kept of a text once it is read; room for larger steps";
  if (answer.kv_per_token <= BytesPerToken()) return "the layers keep a fixed state";
  const auto count = [](double value) { return format_count(static_cast<long long>(value)); };
  return fmt::format("{} tokens over {} GPU{} at {} B/token, {}",
                     count(answer.kv_tokens.value().base()), answer.layout.gpus,
                     answer.layout.gpus == 1 ? "" : "s", count(answer.kv_per_token.base()),
                     answer.kv_dtype);
}

std::string cache_sum(const FullestGpu& gpu) {
  const std::string visible =
      fmt::format("({} − {} of the driver)", gib(gpu.total), gib(gpu.driver));
  const std::string parts = fmt::format("{} weights − {} activations − {} context and graphs",
                                        gib(gpu.weights), gib(gpu.activations), gib(gpu.context));
  switch (gpu.fraction_of) {
    case FullestGpu::FractionOf::kTotal:
      return fmt::format(
          "KV cache {} = {:.2f} × {} − {}{}", gib(gpu.kv), gpu.fraction, visible, parts,
          gpu.graphs_on_top > Bytes()
              ? fmt::format(" + {} graphs, which come on top", gib(gpu.graphs_on_top))
              : "");
    case FullestGpu::FractionOf::kStatic:
      return fmt::format("KV cache {} = {:.2f} × {} − {} weights", gib(gpu.kv), gpu.fraction,
                         visible, gib(gpu.weights));
    case FullestGpu::FractionOf::kFree:
      break;
  }
  return fmt::format("KV cache {} = {:.2f} × ({} − {})", gib(gpu.kv), gpu.fraction, visible, parts);
}

}  // namespace

std::string architecture_words(const ModelOutline& model) {
  const std::string kind =
      model.experts > 0 ? fmt::format("{} experts, {} active", model.experts, model.active_experts)
                        : "dense";
  return fmt::format("{} · {} layers, {}", kind, model.layers, mixer_words(model));
}

std::string memory_words(const FitAnswer& answer, MemoryUse use) {
  switch (use) {
    case MemoryUse::kWeights:
      return weights_words(answer);
    case MemoryUse::kKvCache:
      return cache_words(answer);
    case MemoryUse::kActivations:
      return fmt::format("largest step of {} tokens, {} sequences",
                         format_count(answer.fullest.step_tokens),
                         format_count(answer.max_sequences));
    case MemoryUse::kContextAndGraphs:
      return "process, libraries, communicators, captured graphs";
    case MemoryUse::kKeptFree:
      return fmt::format("memory fraction {:.2f} of {}", answer.fullest.fraction,
                         answer.engine_title);
    default:
      return {};
  }
}

std::string shortage_words(const FitAnswer& answer) {
  const FullestGpu& gpu = answer.fullest;
  const Bytes others = gpu.weights + gpu.activations + gpu.context;
  std::string text;
  if (gpu.kv <= Bytes()) {
    text = fmt::format("weights ({}), activations and context need {} per GPU; {} may use {} of {}",
                       gib(gpu.weights), gib(others), answer.engine_title, gib(others + gpu.kv),
                       gib(gpu.total));
  } else {
    text = fmt::format("one sequence of {} tokens needs {} of KV cache per GPU, {} are left",
                       format_count(answer.context), gib(gpu.one_sequence), gib(gpu.kv));
  }
  if (answer.closest)
    text +=
        fmt::format("; closest that fits: {} GPU{} (tp {}, pp {})", answer.closest->gpus,
                    answer.closest->gpus == 1 ? "" : "s", answer.closest->tp, answer.closest->pp);
  return text;
}

std::vector<std::string> sum_words(const FitAnswer& answer) {
  return {cache_sum(answer.fullest),
          fmt::format(
              "one sequence of {} tokens = {} per GPU, so {} fit", format_count(answer.context),
              format_display(any(answer.fullest.one_sequence), 4), format_count(answer.sequences))};
}

}  // namespace loadfactor::report
