// What is said of metrics of GPUs and engines that a cluster sends.
#include "report/describe/notice_texts.h"

namespace loadfactor::report {
namespace {

constexpr NoticeText kTexts[] = {
    {"absent-samples",
     "{samples} samples are no numbers or marks of absent sensors, and were left out"},
    {"ambiguous-clusters",
     "{hosts} {hosts?host|hosts}, {first} the first, {hosts?is|are} in several clusters, and a "
     "source does not say of which one it tells: what it says is joined with none of them; sacct's "
     "column Cluster, or a label `cluster`, tells"},
    {"assumed-size",
     "the size of the cluster is taken as the most GPUs ever allocated at once; --gpus sets it"},
    {"beyond-prediction",
     "{service}: {did} output tokens per second came out, and the scenario {scenario} can do "
     "{full} "
     "as predicted: its queue would grow for as long as the load lasts, so that no time is "
     "predicted; what runs is another deployment, or quicker than predicted"},
    {"counter-restarts",
     "counters began anew {restarts} {restarts?time|times}, as those of a program do that is "
     "started "
     "again ({first}{restarts?| the first}): what they counted between the last look before it and "
     "the start is in no figure"},
    {"data-parallel",
     "{service}: {processes} {processes?process answers|processes answer} for {copies} copies of "
     "the model, by the labels `engine` or `dp_rank`: each counts as a replica with its part of "
     "the GPUs, as without experts that copies share"},
    {"duplicate-series", "{series} series tell what others tell, and were not counted twice"},
    {"faster-than-predicted",
     "{service}: a token takes {measured}, {times} times the {predicted} ({low} to {high}) that "
     "the "
     "scenario {scenario} predicts<; it runs on {seen}, the scenario on {planned}><; nothing in "
     "its metrics says why{unexplained}, such as another precision or speculative decoding>: it "
     "may do more when full than predicted, so that its load factor may be lower"},
    {"few-full-hours",
     "{workloads} {workloads?workload|workloads}< ({first})> worked in fewer than ten hours of "
     "this "
     "window: the fullest is taken to be full, so that the load factor is an upper bound; a longer "
     "--since tells more"},
    {"full-by-peak",
     "{service}: what it does when full is taken from its fullest ten minutes, so that its load "
     "factor is an upper bound; --scenario predicts it"},
    {"guessed-gpus",
     "jobs that shared a node from beginning to end used its GPUs unlike, and nothing says which "
     "GPU was whose: how full each of {workloads} workloads was is a guess ({first}), and nothing "
     "is advised about them"},
    {"joined-by-place",
     "{gpus} {gpus?GPU is|GPUs are} told of with and without a UUID ({first} the first): what is "
     "told without one is of the GPU of the same node and index"},
    {"late-samples", "{samples} samples lie outside of the window, and were left out"},
    {"load-is-allocation",
     "no metrics of GPUs were given: those that are held are taken to be full, so that the load "
     "factor is an upper bound; add those of dcgm-exporter, or of AMD's device-metrics-exporter"},
    {"logs-alone",
     "step logs are all that was given: the load factor is the share of the time in steps that "
     "count; add metrics of the GPUs to see how full they are in those"},
    {"machines-by-file",
     "{files} logs name no machine, and tell of the same GPUs at the same time: each is taken to "
     "be of a machine of its own, by the name of its file"},
    {"mfu-above-counter",
     "{run}: its steps and the model's operations make an MFU of {modelled}, which is more than "
     "the "
     "{tensor} of cycles in which tensor cores worked: the scenario is of another model, batch or "
     "number of GPUs than the run"},
    {"mfu-by-log",
     "{run}: by the operations that its log counts its MFU is {logged}, by those of the scenario's "
     "model {modelled}: the log counts otherwise (attention, work that is done again), or the "
     "scenario is not of it"},
    {"mixed-service",
     "{service} runs on {kinds} kinds of GPUs: it is compared and written as if all were {first}"},
    {"moved-gpus",
     "{gpus} {gpus?GPU was|GPUs were} told of in one cluster and later in another ({first}{gpus?| "
     "the first}): each counts once, where it was seen last"},
    {"no-gpu-metrics",
     "no metrics of GPUs were given, so that there is no bill: the load factor is that of the "
     "engines alone; add those of dcgm-exporter, or of AMD's device-metrics-exporter"},
    {"no-gpu-price",
     "no price of '{accelerator}' is known: its time costs nothing here; --price says what you "
     "pay"},
    {"no-owners",
     "nothing says to whom GPUs belong: idle ones may be held or not; <run dcgm-exporter with "
     "DCGM_EXPORTER_KUBERNETES=true, or {dcgm}><let AMD's exporter name pods, or {amd}>give the "
     "output of sacct"},
    {"no-profiling",
     "only {metric} is known, which is 100 % whenever any kernel runs: the load factor is an upper "
     "bound<; add the lines 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE, gauge, tensor' and "
     "'DCGM_FI_PROF_DRAM_ACTIVE, gauge, memory' to the counters of dcgm-exporter{dcgm}><; add "
     "GPU_UMC_ACTIVITY to the Fields of AMD's exporter{amd}><; ask nvidia-smi for "
     "utilization.memory, too, and dcgm-exporter for more{smi}><; nvidia-smi dmon -s puc tells of "
     "memory, too{dmon}><; rocm-smi --showuse --showmemuse tells of memory, too{rocm}>"},
    {"no-requests",
     "{service}: nothing counts its requests: how many they are, and how long, is unknown"},
    {"no-tensor-sensor",
     "of {gpus} {gpus?GPU|GPUs} nothing but {metric} tells how full {gpus?its|their} work is, "
     "which "
     "is 100 % whenever any kernel runs: the load factor is an upper bound"},
    {"no-tokens",
     "{service}: nothing counts its tokens, so that how full it is follows from its GPUs alone"},
    {"not-predicted", "{service} cannot be predicted: {why}"},
    {"one-machine",
     "{files} logs name no machine, and their times do not overlap: they are taken to be of one "
     "machine; a column of host names would tell"},
    {"one-scrape",
     "{service}: its counters were read once, which tells no rate: requests, tokens per second and "
     "load factor are unknown, and lengths and latencies are those since it was started; give a "
     "second scrape, or the address of a server"},
    {"other-model",
     "{scenario} is not of what is served here ({model} there, {served} here): nothing is compared "
     "with it, and no full rate is taken from it"},
    {"ratio-as-percent",
     "{metric} is a ratio by its name and is often above 1: it is taken to be a percentage"},
    {"renamed-cluster",
     "the cluster {old} is called {name} later in the window: both are counted as one"},
    {"renamed-metrics",
     "{metrics} {metrics?metric was|metrics were} renamed on the way here and {metrics?is|are} not "
     "read, such as {first}, which its engine calls {known}"},
    {"renamed-nodes",
     "{nodes} {nodes?node goes|nodes go} by two names, as {old}, which is {name}: both are counted "
     "as one"},
    {"server-warnings", "the server warns that its answer is not all of it: {first}"},
    {"slower-than-predicted",
     "{service}: a token takes {measured}, {times} times the {predicted} ({low} to {high}) that "
     "the "
     "scenario {scenario} predicts<; it runs on {seen}, the scenario on {planned}><; {preemptions} "
     "requests were put back for want of cache><; nothing in its metrics says why{unexplained}: "
     "its settings, its precision or its host are not what the scenario says>; it may do less when "
     "full than predicted, so that its load factor may be higher"},
    {"small-percent",
     "{metric} is never above 1 and is read as a percentage, as its exporter defines it; where a "
     "collector makes a ratio of it, let it <rename it to {ratio}><leave it as it is{leave}>"},
    {"too-little-seen",
     "a day of samples is the least that advice can rest on, of half of the GPU time: nothing is "
     "recommended"},
    {"unjoined-service",
     "{service}: nothing says which GPUs it runs on, so that it is judged apart from them and its "
     "load is not in that of the GPUs; labels `namespace` and `pod` in the metrics of both would "
     "join them"},
    {"unseen-gpus",
     "no metrics tell what {gpus} {gpus?GPU|GPUs} on {nodes} {nodes?node|nodes} {gpus?does|do}<"
     " ({only})>< ({first} the first)>: where held, for {hours} GPU-hours, {gpus?it is|they are} "
     "taken to be full, so "
     "that the load factor is an upper bound"},
    {"unseen-time",
     "{share} of the paid GPU time has no samples: each GPU is taken to have done then what it did "
     "otherwise"},
    {"weighted-by-hours",
     "not every kind of GPU has a price: the load factor and its losses are shares of GPU-hours, "
     "not of the bill"},
};

}  // namespace

std::span<const NoticeText> metrics_texts() {
  return kTexts;
}

}  // namespace loadfactor::report
