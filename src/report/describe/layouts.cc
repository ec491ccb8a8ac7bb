// The two kinds of layout, described once for all answers that have one.
#include "loadfactor/fit.h"
#include "report/describe/describe.h"

namespace loadfactor::report {
namespace {

constexpr std::string_view kShardings[] = {"none", "zero-1", "zero-2", "zero-3", "hybrid"};
constexpr std::string_view kSchedules[] = {
    "", "gpipe", "1f1b", "interleaved", "zero-bubble", "zero-bubble-v", "dualpipe"};

}  // namespace

template <>
constexpr auto kFields<ServeLayout> = fields<ServeLayout>(
    field<&ServeLayout::tp>("tp", "GPUs that share the heads and widths of a layer"),
    field<&ServeLayout::pp>("pp", "Pipeline stages"),
    field<&ServeLayout::ep>("ep", "GPUs that the experts of a layer are spread over"),
    field<&ServeLayout::dp>("dp", "Copies of the attention in a replica"),
    field<&ServeLayout::cp>("cp", "GPUs that share the tokens of a prompt"),
    field<&ServeLayout::replicas>("replicas",
                                  "Copies of the model in the pool: all that share the requests, "
                                  "or those that write answers where prompts have their own"),
    field<&ServeLayout::gpus>("gpus", "GPUs of the whole deployment"));

Value to_value(const ServeLayout& layout) {
  return described_value<ServeLayout>(layout, kFields<ServeLayout>);
}
Value schema_of(Type<ServeLayout>) {
  return described_schema<ServeLayout>(kFields<ServeLayout>);
}

template <>
constexpr auto kFields<TrainLayout> = fields<TrainLayout>(
    field<&TrainLayout::gpus>("gpus", "GPUs: tp · pp · cp · dp").at_least(1),
    field<&TrainLayout::tp>("tp", "GPUs that share the heads and widths of a layer").at_least(1),
    field<&TrainLayout::pp>("pp", "Pipeline stages").at_least(1),
    field<&TrainLayout::vp>("vp", "Interleaved chunks of each stage").at_least(1),
    field<&TrainLayout::first_layers>("first_layers",
                                      "Layers of the first stage; all without a pipeline"),
    field<&TrainLayout::last_layers>("last_layers", "Layers of the last stage"),
    field<&TrainLayout::cp>("cp", "GPUs that share the tokens of a sequence").at_least(1),
    field<&TrainLayout::ep>("ep", "GPUs that the experts of a layer are spread over").at_least(1),
    field<&TrainLayout::etp>("etp", "GPUs that share one expert").at_least(1),
    field<&TrainLayout::dp>("dp", "Copies of the model").at_least(1),
    field<&TrainLayout::sharding>("zero", "What is sharded over the copies").one_of(kShardings),
    field<&TrainLayout::shard_group>("shard_group",
                                     "Ranks that share one copy; 0: all, or nothing is sharded"),
    field<&TrainLayout::micro_batch>("micro_batch", "Sequences of one pass on one rank")
        .at_least(1),
    field<&TrainLayout::micro_batches>("micro_batches", "Passes of a step on each copy")
        .at_least(1),
    field<&TrainLayout::recompute>("recompute",
                                   "As a scenario says it: none, selective, full, a list of "
                                   "modules or a number of layers"),
    field<&TrainLayout::schedule>("schedule", "Schedule of the pipeline; empty without one")
        .one_of(kSchedules),
    field<&TrainLayout::sequence_parallel>("sequence_parallel",
                                           "Whether norms are split along the sequence"),
    field<&TrainLayout::offload>("offload", "What lives in host memory"),
    field<&TrainLayout::offload_layers>(
        "offload_layers",
        "Layers of each stage whose activations leave; 0: none, or inputs of all"));

Value to_value(const TrainLayout& layout) {
  return described_value<TrainLayout>(layout, kFields<TrainLayout>);
}
Value schema_of(Type<TrainLayout>) {
  return described_schema<TrainLayout>(kFields<TrainLayout>);
}

}  // namespace loadfactor::report
