// The description of a step of post-training. Only .cc files that describe an answer about training
// include it.
#pragma once

#include <optional>
#include <string_view>

#include "loadfactor/train.h"
#include "report/describe/describe.h"
#include "report/describe/tree.h"
#include "report/train/method_report.h"

namespace loadfactor::report {

inline constexpr auto kPhaseName = [](MethodPhase::Kind kind) { return name_of(kind); };
inline constexpr auto kPhaseMeaning = [](MethodPhase::Kind kind) { return phase_meaning(kind); };
inline constexpr auto kSimulated = [](Seconds time) {
  return EstimateOf<Seconds>::exact(time, Basis::kCalibrated, "serving model, training-results");
};
inline constexpr auto kDrawn = [](Tokens tokens) {
  return EstimateOf<Tokens>::exact(tokens, Basis::kModelled, "scenario");
};
inline constexpr auto kModelMemory = [](Bytes bytes) {
  return EstimateOf<Bytes>::exact(bytes, Basis::kModelled, "weights and states");
};
inline std::optional<EstimateOf<Seconds>> older_step(const MethodAnswer& answer) {
  if (!answer.one_step_off) return std::nullopt;
  return kSimulated(*answer.one_step_off);
}

template <>
inline constexpr auto kFields<MethodPhase> = fields<MethodPhase>(
    field<&MethodPhase::kind, kPhaseName>("name", "What is done"),
    field<&MethodPhase::time>("time", "Time that it takes"),
    field<&MethodPhase::gpus>("gpus", "GPUs that are held for it"),
    field<&MethodPhase::busy, kPercent>("busy_percent", "Share of their time that they compute")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<&MethodPhase::beside>("beside", "Whether it runs beside the other phases"),
    field<&MethodPhase::kind, kPhaseMeaning>("what", "What it is"));

template <>
inline constexpr auto kFields<MethodSplit> = fields<MethodSplit>(
    field<&MethodSplit::rollout_gpus>("rollout_gpus", "GPUs that write answers"),
    field<&MethodSplit::training_gpus>("training_gpus", "GPUs that learn"),
    field<&MethodSplit::tp>("tp", "GPUs of a replica of the engine"),
    field<&MethodSplit::max_seqs>("max_seqs", "Sequences that a replica writes at once"),
    field<&MethodSplit::rollout, kSimulated>("rollout", "Time until the last answer"),
    field<&MethodSplit::learning, kSimulated>("learning", "Time of all other phases"),
    field<&MethodSplit::step, kSimulated>("step_time", "Time of a step"));

template <>
inline constexpr auto kFields<MethodAnswer> = fields<MethodAnswer>(
    field<method_verdict>("verdict", "The answer as one sentence").at_least(1),
    field<&MethodAnswer::method>("method", "The method, as the scenario writes it"),
    field<&MethodAnswer::colocated>("colocated", "Whether the same GPUs write and learn"),
    field<&MethodAnswer::gpus>("gpus", "GPUs of the run"),
    field<&MethodAnswer::rollout_gpus>("rollout_gpus", "GPUs that write answers"),
    field<&MethodAnswer::training_gpus>("training_gpus", "GPUs that learn"),
    field<&MethodAnswer::rollout_tp>("rollout_tp", "GPUs of a replica of the engine"),
    field<&MethodAnswer::rollout_max_seqs>("rollout_max_seqs",
                                           "Sequences that a replica writes at once"),
    field<&MethodAnswer::engine>("engine", "The engine that writes; empty: none does"),
    field<&MethodAnswer::rollout_precision>("rollout_precision", "Format of its weights"),
    field<&MethodAnswer::prompts>("prompts", "Prompts of a step"),
    field<&MethodAnswer::group>("group", "Answers to each"),
    field<&MethodAnswer::answers>("answers", "Answers of a step"),
    field<&MethodAnswer::simulated_answers>(
        "simulated_answers", "Answers that were simulated, of all that are written at once"),
    field<&MethodAnswer::prompt_tokens, kDrawn>("prompt_tokens", "Tokens of a prompt"),
    field<&MethodAnswer::answer_tokens, kDrawn>("answer_tokens", "Tokens of a mean answer"),
    field<&MethodAnswer::longest_answer, kDrawn>("longest_answer", "Tokens of the longest answer"),
    field<&MethodAnswer::step_tokens, kDrawn>("step_tokens", "Tokens that a step learns from"),
    field<&MethodAnswer::off_policy>("off_policy",
                                     "Steps by which answers may be older than the weights"),
    field<&MethodAnswer::step>("step_time", "Time of a step, all phases"),
    field<&MethodAnswer::phases>("phases", "What a step is made of"),
    field<&MethodAnswer::beside, kModelMemory>(
        "beside", "What models beside the trainer's take of each of its GPUs"),
    field<&MethodAnswer::on_host, kModelMemory>(
        "on_host", "What waits in host memory while others work, per GPU of the trainer"),
    field<&MethodAnswer::idle, kPercent>("idle_percent", "GPU time in which nothing is computed")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<&MethodAnswer::idle_tail, kPercent>(
        "idle_tail_percent", "GPU time in which replicas wait for the last answers")
        .in("%"),
    field<&MethodAnswer::idle_pool, kPercent>("idle_pool_percent",
                                              "GPU time in which GPUs wait for other phases")
        .in("%"),
    field<&MethodAnswer::longest_wait, kSimulated>("longest_wait",
                                                   "From the middle answer to the last"),
    field<&MethodAnswer::splits>("splits", "Shares of the GPUs that were tried, the best first"),
    known_field<older_step>("one_step_off", "Time of a step with answers one step older"),
    known_field<&MethodAnswer::steps>("steps", "Steps of the run"),
    known_field<&MethodAnswer::duration>("duration", "Paid time of the run"),
    known_field<&MethodAnswer::cost>("cost", "Cost of that time on all GPUs"),
    known_field<&MethodAnswer::idle_gpu_hours>("idle_gpu_hours",
                                               "GPU-hours of the run in which nothing is computed")
        .in("GPU-hours"));

}  // namespace loadfactor::report
