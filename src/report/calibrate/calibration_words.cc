#include "report/calibrate/calibration_words.h"

#include <fmt/format.h>

namespace loadfactor::report {
namespace {

std::string figures_line(const validation::InferenceGroup& g) {
  return fmt::format(
      "{:12} {:20} {:11} n {:5} weighted {:5.1f}/{:6.1f} (base {:5.1f}/{:6.1f}) rows "
      "{:5.1f}/{:6.1f} bias {:+6.1f} cover {:4.0f}",
      g.by, g.name, g.metric, g.rows, g.weighted.median, g.weighted.p90, g.weighted_baseline.median,
      g.weighted_baseline.p90, g.ours.median, g.ours.p90, g.bias, g.coverage);
}

}  // namespace

std::string site_sources(const std::string& today) {
  return fmt::format(
      "| id | document | date |\n|---|---|---|\n| site | measurements of this site | {} |\n",
      today.substr(0, 7));
}

std::string beyond_peak_words(const TrainAnswer& answer, Seconds took, double share) {
  return fmt::format(
      "a step of {:.4g} s would take {:.2f} times the peak of {} x {}, which is impossible: it is "
      "predicted to take {:.4g} s, at an MFU of {:.0f} %",
      took.base(), share, answer.layout.gpus, answer.accelerator, answer.step_time.value().base(),
      100 * answer.mfu.value());
}

std::string measured_words(std::string_view kind) {
  if (kind == "steps") return "training steps";
  if (kind == "held") return "loads held by the probe";
  return std::string(kind);
}

std::string words_of(const PoorFit& fit) {
  return fmt::format("left out: {} of {}: {:.1f} % off on shapes left out", fit.kernel, fit.chip,
                     100.0 * fit.median_error);
}

std::string refit_words(const validation::ServingRecalibration& result, bool all_groups) {
  std::string text;
  for (const auto* part : {&result.in_sample, &result.out_of_source}) {
    text += part == &result.in_sample ? "in sample\n" : "out of source\n";
    for (const auto& group : part->groups) {
      if (group.by == "metric" || group.by == "class" ||
          (all_groups && part == &result.out_of_source))
        text += "  " + figures_line(group) + "\n";
    }
  }
  return text;
}

std::string refit_words(const validation::Recalibration& result) {
  return fmt::format("{} runs fitted; intervals cover {:.1f} % out of source\n", result.runs.size(),
                     result.coverage_by_source);
}

std::string_view words_of(engine::Measurement measurement) {
  using engine::Measurement;
  switch (measurement) {
    case Measurement::kProducts:
      return "the plan's matrix products: loadfactor probe --for SCENARIO";
    case Measurement::kAttention:
      return "attention at the plan's lengths: loadfactor probe --for SCENARIO";
    case Measurement::kMemory:
      return "memory bandwidth and the optimizer: loadfactor probe";
    case Measurement::kCollectives:
      return "collectives over the plan's GPUs: nccl-tests, or mpirun loadfactor-probe";
    case Measurement::kMoreMicroBatches:
      return "one step with twice the micro-batches: --step-time";
    case Measurement::kSmallStep:
      return "one step on one GPU at a small batch: --step-time";
    case Measurement::kStepLog:
      return "a log of steps at the plan's size: Megatron, torchtitan, DeepSpeed";
    case Measurement::kMixtureRun:
      return "one run of the mixture at the plan's batch: vllm bench serve";
    case Measurement::kDecoding:
      return "decoding over the plan's context: loadfactor probe --for SCENARIO";
    case Measurement::kPromptRun:
      return "one run of long prompts and single tokens: vllm bench serve";
    case Measurement::kSingleRun:
      break;
  }
  return "one run at concurrency 1: vllm bench serve";
}

std::string words_of(const engine::ProbeAdvice& advice) {
  return fmt::format("± {:.1f} % of the time, {:.0f} % of its variance: {}", 100 * advice.narrows,
                     100 * advice.variance, words_of(advice.measurement));
}

}  // namespace loadfactor::report
