#include "report/serve/serve_words.h"

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"

namespace loadfactor::report {
namespace {

std::string_view metric_name(config::SloMetric metric) {
  switch (metric) {
    case config::SloMetric::kTimeToFirstToken:
      return "ttft";
    case config::SloMetric::kTimePerOutputToken:
      return "tpot";
    case config::SloMetric::kWholeRequest:
      break;
  }
  return "e2e";
}

std::string outlook_words(const SloOutlook& slo, double busy) {
  const std::string_view name = metric_name(slo.metric);
  if (slo.kind == SloOutlook::Kind::kNoSuchTime)
    return fmt::format("{}: answers of one token have none", name);
  const std::string bound =
      fmt::format("{} p{:.0f} of {}", name, 100 * slo.quantile, format_display(any(slo.bound)));
  if (slo.kind == SloOutlook::Kind::kOutOfReach)
    return bound + ": out of reach while more arrives than finishes";
  const bool kept = slo.mean.value() <= slo.bound;
  const bool sure = slo.mean.high() <= slo.bound;
  std::string line =
      fmt::format("{}: the mean is {}{}", bound, format_display(any(slo.mean.value())),
                  !kept  ? ", already above it"
                  : sure ? ", below it by more than the interval"
                         : ", below it by less than the interval");
  constexpr double kQueuesMatter = 0.7;
  if (kept && busy > kQueuesMatter)
    line +=
        fmt::format("; at {:.0f} % of what it could do only `--simulate` says whether p{:.0f} is",
                    100 * busy, 100 * slo.quantile);
  return line;
}

std::string_view where_words(SimulateBinding::Pool pool) {
  if (pool == SimulateBinding::Pool::kOnly) return "";
  return pool == SimulateBinding::Pool::kPrefill ? " (prefill pool)" : " (decode pool)";
}

std::string turned_away_words(std::string_view by, std::int64_t count) {
  return fmt::format("{}: {} {} turned away", by, counted(count, "request"),
                     count == 1 ? "is" : "are");
}

std::string unnamed_words(const SimulateBinding& binding) {
  using Kind = SimulateBinding::Kind;
  const std::string where(where_words(binding.pool));
  switch (binding.kind) {
    case Kind::kFailures:
      return fmt::format("failures: {} down for {} in all, and the queue that was left",
                         counted(binding.count, "replica"), format_display(any(binding.time)));
    case Kind::kQueueBound:
      return turned_away_words("the bound on the queue, or the context", binding.count);
    case Kind::kTooLong:
      return turned_away_words("the context or the KV cache, which they exceed", binding.count);
    case Kind::kTimeouts:
      return fmt::format("the time-outs: {} cancelled with next to nobody waiting",
                         counted(binding.count, "request"));
    case Kind::kPreemptions:
      return "KV cache: requests are preempted and computed again" + where;
    case Kind::kSlots:
      return "max_seqs: every slot is taken at the peak" + where;
    case Kind::kKvCache:
      return "KV cache: it is full at the peak, and requests wait for room" + where;
    case Kind::kPrefillGpus:
      return "the GPUs of the prefill pool: prompts wait for them";
    case Kind::kLatency:
      return fmt::format("latency: the SLO is missed with replicas {:.0f} % full{}",
                         100 * binding.peak, where);
    case Kind::kGpus:
      return "the GPUs: steps run back to back" + where;
    case Kind::kDemand:
      break;
  }
  return fmt::format("demand: at its peak it takes {:.0f} % of what the replicas could deliver",
                     100 * binding.peak);
}

}  // namespace

std::string serve_part_name(const ServePart& part) {
  constexpr std::string_view kNames[] = {"dense products",
                                         "experts",
                                         "attention",
                                         "norms, rotations, activations",
                                         "collectives",
                                         "gaps between kernels",
                                         "head",
                                         "encoder of images or sound",
                                         "host work, partly hidden"};
  return std::string(kNames[static_cast<std::size_t>(part.kind)]);
}

std::string load_words(const ServeLoad& load) {
  switch (load.kind) {
    case ServeLoad::Kind::kConcurrent:
      return requests_text(load.requests) + " requests at a time";
    case ServeLoad::Kind::kArriving:
      return three_figures(load.requests) + " requests per second";
    case ServeLoad::Kind::kSaturated:
      break;
  }
  return "saturated";
}

std::string lengths_words(double in, double out) {
  if (out <= 0) return fmt::format("{:.0f} tokens in, none out", in);
  return fmt::format("{:.0f} tokens in, {:.0f} out", in, out);
}

std::string limit_words(const ServeLimit& limit) {
  const std::string_view each = limit.on_each_rank ? " on each rank" : "";
  switch (limit.kind) {
    case ServeLimit::Kind::kPrefillPool:
      return fmt::format("the prefill pool: {} prompts per second",
                         three_figures(limit.prompts.base()));
    case ServeLimit::Kind::kPrompts:
      if (limit.tokens_out <= 1)
        return fmt::format("reading: texts of {:.0f} tokens fill every step of {:.0f} tokens",
                           limit.tokens_in, limit.step_tokens);
      if (limit.step_tokens <= 0)
        return fmt::format(
            "the work of {:.0f} tokens in for each {:.0f} out: room for more than {:.0f} sequences "
            "would add little",
            limit.tokens_in, limit.tokens_out, limit.sequences);
      return fmt::format(
          "prompts: {:.0f} tokens in for each {:.0f} out fill every step of {:.0f} tokens",
          limit.tokens_in, limit.tokens_out, limit.step_tokens);
    case ServeLimit::Kind::kMaxSequences:
      return fmt::format(
          "the engine's {:.0f} running sequences{} (max_seqs); memory would hold more",
          limit.sequences, each);
    case ServeLimit::Kind::kKvMemory:
      break;
  }
  return fmt::format("KV memory: {:.0f} sequences of {:.0f} tokens{} fill what weights leave free",
                     limit.sequences, limit.tokens_each, each);
}

std::vector<std::string> slo_words(const ServeAnswer& answer) {
  std::vector<std::string> lines;
  for (const SloOutlook& slo : answer.slo)
    lines.push_back(outlook_words(slo, answer.utilisation.value_or(0)));
  return lines;
}

std::string binding_words(const SimulateBinding& binding) {
  const std::string words = unnamed_words(binding);
  return binding.model.empty() ? words : fmt::format("{}: {}", binding.model, words);
}

std::string_view plain_words(WhyPlain why) {
  constexpr std::string_view kWords[] = {"",
                                         "asked for",
                                         "prefill and decode are apart",
                                         "prompts run in steps of their own",
                                         "KV blocks are swapped to host memory",
                                         "victims are chosen by tokens generated",
                                         "requests have priorities",
                                         "admission foresees a share of the answers to come",
                                         "requests time out",
                                         "clients leave"};
  return kWords[static_cast<std::size_t>(why)];
}

}  // namespace loadfactor::report
