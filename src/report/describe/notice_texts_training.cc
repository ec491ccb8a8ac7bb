// What is said of a training run and of the layouts that a search weighs.
#include "report/describe/notice_texts.h"

namespace loadfactor::report {
namespace {

constexpr NoticeText kTexts[] = {
    {"better-layout",
     "`train --search` finds a layout with {gain} more tokens per second on the same GPUs: --set "
     "'{edit}'"},
    {"better-machine",
     "`train --search` finds a run that costs {cheaper} less on {machines}: {edit}"},
    {"better-machine",
     "`train --search` finds a run that takes {sooner} less time on {machines}: {edit}"},
    {"bridge-not-known",
     "pairs of these cards meet on the bus, as nobody says that the bridge between them was "
     "bought: "
     "with it the step takes {factor} times as long"},
    {"budget-without-tokens",
     "limits.budget binds no layout: write train.tokens, so that a run has a length and a cost"},
    {"bus-not-known",
     "nobody says how the cards of {node} lie on its bus, so that all reach one another like "
     "neighbours; in a box like the slowest that was measured the step takes {factor} times as "
     "long. "
     "A node of your own with `bus` in --catalog says it"},
    {"checkpoint-interval",
     "train.failures.interval of {asked} is shorter than a step or than the writing of a "
     "checkpoint: counted as one every {every}"},
    {"checkpoint-interval",
     "a checkpoint every {every} is what <was asked{was_asked}><loses least{loses_least}>, and "
     "oftener than most stacks manage< (usual: {usual})>; train.failures.interval sets it"},
    {"chosen-layout", "chosen: {keys}"},
    {"chosen-layout", "chosen, the shortest step of {layouts} layouts: {keys}"},
    {"chosen-layout", "the fewest GPUs that hold one sequence chosen{fewest_gpus}; --tp sets it"},
    {"chosen-layout", "tp as wide as ep chosen{as_wide_as_ep}; --tp sets it"},
    {"chosen-layout",
     "{layout} of {accelerator} chosen: the cheapest within the SLO, as `serve --search` weighs "
     "them; deployment.tp and --gpu set others"},
    {"deadline-missed", "the deadline of {limit} is missed"},
    {"deadline-missed", "the fastest takes {time} of the {deadline} that the deadline leaves"},
    {"default-accelerator", "{accelerator} assumed; {key} names another"},
    {"default-batch",
     "a global batch of {batch} sequences assumed (about 4 M tokens); train.global_batch sets it"},
    {"default-batch",
     "a global batch of {batch_of_all} sequences at every size assumed, about 4 M tokens on the "
     "smallest; train.global_batch sets it"},
    {"default-precision", "bf16 assumed; train.precision names another"},
    {"default-precision",
     "weights in {stored}, as the checkpoint is stored; serve.precision names another"},
    {"default-rank", "adapters of rank {rank} assumed; train.lora sets it"},
    {"default-sequence", "sequences of {tokens} tokens assumed; train.sequence sets it"},
    {"default-stack", "software: {stack} assumed; train.stack names another"},
    {"dropped-tokens",
     "experts drop {share} of the busiest rank's tokens at this capacity factor: the model learns "
     "less from them, which no figure here counts"},
    {"efficiency-as-paid",
     "{accelerator}: efficiencies count every size as paid {option}, as the smallest is, so "
     "that they compare; days and cost are of each size's own way to pay"},
    {"elastic",
     "going on with fewer nodes<: spares, or waiting for repairs, cost no more{waits}>< saves "
     "{share} of the "
     "paid time against the better of waiting and spares>< ({cost})>< with {spares}>"},
    {"few-spares",
     "train.failures.spares: <none{none_replaced} of {in_repair} in repair on average is><no "
     "more than {replaced} of {in_repair} in repair on average {replaced?is|are}> replaced at "
     "once, so that the job waits {waiting} of its time; {spares} would leave a goodput of "
     "{goodput}"},
    {"filled-examples",
     "{share} of what is computed is filling, which teaches nothing: the run takes {factor} times "
     "as long as with examples.packing: true"},
    {"first-accelerator", "the first of {candidates} candidates is taken"},
    {"first-accelerator",
     "the first of {candidates} candidates is launched: {launched}; `loadfactor plan SCENARIO "
     "--emit DIR` launches the one that it recommends"},
    {"first-accelerator", "the first of {candidates} candidates is predicted: {predicted}"},
    {"first-accelerator",
     "the first of {candidates} candidates is priced: {priced}; `money.alternatives` prices the "
     "others beside it"},
    {"goodput-counted", "days and cost count what whole runs lose ({share} of the paid time)"},
    {"headroom", "{share} of the memory of every GPU stay free, as asked"},
    {"host-too-small",
     "{needed} per GPU would wait in host memory, and a host has {there} for each; a smaller "
     "micro-batch or less in train.layout.offload needs less"},
    {"left-out-by-stack", "{stack} cannot run, so that no layout has them: {abilities}"},
    {"less-than-a-step",
     "{tokens} tokens are less than one step of {step}: time and cost are of that part of a "
     "step; give train.tokens as a count of all tokens, or a smaller train.global_batch"},
    {"limit-missed",
     "limits.headroom of {headroom} ({needed} of the memory is needed; `train --search` keeps it) "
     "is missed"},
    {"limit-missed",
     "<limits.site_power of {site_power}><limits.rack_power of {rack_power}> (<one node draws "
     "{node_drawn} of the {rack} that a rack has><with spares, {gpus_with_spares} GPUs in all, it "
     "><draws {drawn} of the {site} that the site has, which feed {fed}>) is missed"},
    {"limits-without-tokens",
     "{limits} cannot be judged: write train.tokens, so that the run has a length and a cost"},
    {"long-sequence",
     "sequences of {tokens} tokens are longer than the {longest} that {model} was released with"},
    {"lossy-gradients",
     "gradients are compressed with a loss: a run may need more steps, which no figure here "
     "counts"},
    {"no-deadline",
     "the run takes {time}, and no deadline is written: `train.deadline: 90 days` asks for the "
     "best within it"},
    {"no-progress",
     "failures, restarts and checkpoints leave no time to train: the run would not end, so that "
     "it has no days and no cost"},
    {"no-sequence-parallelism", "sequence parallelism has no effect with tp 1"},
    {"no-sequence-parallelism",
     "sequences of {tokens} tokens do not divide by tp · cp = {ranks}: counted without sequence "
     "parallelism; nearest that does: sequence: {nearest}"},
    {"nothing-to-shard", "zero: {zero} has no effect: there is one data-parallel rank"},
    {"other-vocabulary",
     "the teacher has {theirs} tokens and the model {ours}: a teacher says how likely each token "
     "is, which teaches a model of the same tokens alone; another's texts are trained on as texts"},
    {"packed-examples",
     "{texts} examples share a sequence, and none of it is filled up; attention is counted over "
     "the whole sequence, which is the most it can be"},
    {"placement",
     "rail-aligned{rail}: every NIC on its own rail, which is what the network model assumes of "
     "packed nodes too"},
    {"placement",
     "spread over racks: the network of every GPU counts 1/{oversubscription}, an "
     "oversubscribed spine ({fact})"},
    {"placement",
     "fragmented{fragmented}: half of every node is somebody else's, so scale-up domains are "
     "half as large"},
    {"run-does-not-fit",
     "as it is laid out the run does not fit on these machines: what they cost is theirs alone; "
     "`train` says what would fit"},
    {"sharded-pipeline",
     "parameters are gathered again for every micro-batch of the pipeline, and gradients "
     "accumulate unsharded: zero: 1 is usually faster"},
    {"sizes-searched",
     "no number of GPUs is given: searched on {fewest}, the fewest on which <every accelerator "
     "holds it{every_accelerator}><it fits{one_accelerator}>; --gpus names other numbers"},
    {"sizes-searched",
     "searched on {allowed} {allowed?GPU|GPUs}, as limits.gpus allows; --gpus names other "
     "numbers"},
    {"sizes-searched",
     "searched on {weighed} {weighed?GPU|GPUs}: from the fewest that may hold the model <to "
     "limits.gpus{limited}><on, as limits.gpus says no other number{unlimited}>; --gpus names "
     "other numbers"},
    {"slow-baseline",
     "{accelerator}: efficiency is over {gpus}, which {gpus?keeps|keep} {state} on the host: "
     "figures above 100 % show what that costs"},
    {"stack", "software: {stack}"},
    {"stages-counted",
     "days and money are of all {stages} stages; layout, step and rate are the first one's, and "
     "the "
     "later ones, each in its own quickest layout on the same GPUs, take {later} of the time of "
     "all "
     "steps; `train` lists them"},
    {"starved-pipeline", "{micro_batches} micro-batches do not fill {stages} stages"},
    {"tight-memory", "memory is tight: {needed} is needed, and fragmentation may end it"},
    {"tp-beyond-domain",
     "tp {tp} leaves the scale-up domain of {domain}: <no layout within it is among the "
     "best{none_within}><the best within it is {behind} behind>"},
    {"tp-beyond-domain",
     "{code}: tp {tp} reaches beyond the scale-up domain of {accelerator} ({domain}): every "
     "layer waits for the network; nearest within it: tp: {nearest}"},
    {"tp-beyond-domain",
     "tp {tp} reaches beyond the scale-up domain of {accelerator} ({domain}): it fits, but will "
     "be slow"},
    {"trace-too-long", "a step has too many events to draw: no trace was made"},
    {"uneven-stages",
     "{layers} layers over {stages}: {empty} beside embedding and head left empty"},
    {"uneven-stages",
     "{code}: {layers} layers do not divide by {stages}: some stages hold a layer more and the "
     "others wait; nearest that divides: {nearest}"},
    {"unpaired-stages",
     "DualPipe pairs the stages of two directions, and pp is {pp}: counted as if the middle one "
     "were its own; nearest that pairs: pp: {less} or {more}"},
    {"value-model",
     "{model} is the value model: it learns on the same GPUs in {precision}, tp {tp} · pp {pp} · "
     "dp {dp}, {sharding}"},
    {"weak-curve-ends",
     "{accelerator}: no weak efficiency from {gpus} GPUs on: a batch that had grown with them "
     "would be beyond the critical one of {critical} tokens"},
};

}  // namespace

std::span<const NoticeText> training_texts() {
  return kTexts;
}

}  // namespace loadfactor::report
