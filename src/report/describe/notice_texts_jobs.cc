// What is said of jobs that a cluster ran, as its queue and its accounts tell of them.
#include "report/describe/notice_texts.h"

namespace loadfactor::report {
namespace {

constexpr NoticeText kTexts[] = {
    {"busy-unknown",
     "jobs say what was allocated, not what was busy; --busy takes the mean GPU activity from "
     "your metrics"},
    {"empty-before-first-job",
     "nothing is told of the first {hours} hours of the window: the GPUs of the list of nodes are "
     "taken to have been free then; a shorter --since leaves them out"},
    {"ends-unknown", "no column says how jobs ended: what of their work is useful is not known"},
    {"failed-work",
     "jobs that failed lost all their work here; --checkpoint says how much of it a checkpoint "
     "saves"},
    {"jobs-after-window",
     "{jobs} {jobs?job|jobs} that held GPUs began when the window had ended ({first} the first), "
     "and {jobs?is|are} in no figure<: --now {now} shows {jobs?it|them}>"},
    {"jobs-before-window",
     "{jobs} {jobs?job|jobs} that held GPUs ended before the window begins ({first} the first), "
     "and {jobs?is|are} in no figure<: --since {since} shows {jobs?it|them}>"},
    {"jobs-cut-off",
     "{file}: {rows} row, the last (line {first}), ends in the middle and was passed over: the "
     "file "
     "is cut off there, and what came behind it is in no figure"},
    {"jobs-cut-short",
     "{file}: {rows} {rows?row|rows} of jobs {rows?was|were} passed over, for a column is too "
     "narrow for GPUs or nodes (the first is line {first}): print them with `sacct -P`"},
    {"jobs-end-before-start",
     "{file}: {rows} {rows?row|rows} of jobs {rows?was|were} passed over, for End stands before "
     "Start (the first is line {first})"},
    {"jobs-many-cells",
     "{file}: {rows} {rows?row|rows} of jobs {rows?was|were} passed over, for {rows?it has|they "
     "have} more cells than the header (the first is line {first}): a name may hold what separates "
     "columns, so print JobName last"},
    {"jobs-odd-count",
     "{file}: {rows} {rows?row|rows} of jobs {rows?was|were} passed over, for the count of GPUs is "
     "no number that can be (the first is line {first})"},
    {"jobs-odd-date",
     "{file}: {rows} {rows?row|rows} of jobs {rows?was|were} passed over, for a date may be read "
     "in "
     "two ways or none (the first is line {first}): write 2026-02-01T10:00:00, the year first"},
    {"jobs-odd-nodes",
     "{file}: {rows} {rows?row|rows} of jobs {rows?was|were} passed over, for the list of nodes is "
     "cut off or names more than anybody has (the first is line {first}): print NodeList with "
     "`sacct -P`"},
    {"jobs-of-shards",
     "{jobs} {jobs?job holds|jobs hold} shards of GPUs, and nothing says how many shards a GPU of "
     "{jobs?its|their} nodes has ({first} the first): {jobs?it is|they are} in no figure; `sinfo "
     "-N "
     "-o '%P|%N|%t|%G'` tells"},
    {"jobs-of-unknown-state",
     "{file}: {rows} {rows?job has|jobs have} a state that is not known here (the first is line "
     "{first}): {rows?it is|they are} counted by {rows?its|their} times, and not as failed"},
    {"jobs-without-end",
     "{file}: {rows} {rows?row|rows} of jobs {rows?was|were} passed over, for {rows?it|they} ended "
     "and {rows?does|do} not say when (the first is line {first}): `ElapsedRaw` would tell"},
    {"jobs-without-gpus",
     "{file}: no column says how many GPUs its {rows} {rows?job holds|jobs hold}, so that none is "
     "theirs in these figures: the columns that docs/observe.md names say it"},
    {"jobs-without-nodes",
     "{file}: {rows} {rows?row|rows} of jobs {rows?holds|hold} GPUs and {rows?does|do} not say on "
     "which nodes (the first is line {first}): {rows?it is|they are} in no figure; NodeList tells"},
    {"jobs-without-start",
     "{file}: {rows} {rows?row|rows} of jobs {rows?was|were} passed over, for {rows?it holds|they "
     "hold} GPUs and {rows?does|do} not say since when (the first is line {first})"},
    {"overlapping-jobs",
     "{jobs} {jobs?job|jobs} overlapped with others on more GPUs than {jobs?its node has|their "
     "nodes "
     "have} ({first} the first): {hours} GPU-hours of {jobs?it|them} are in no figure"},
    {"present-alone",
     "squeue and sinfo tell of the present alone: what ran before is not seen; sacct tells of it, "
     "where slurmdbd keeps accounts"},
    {"queue-alone",
     "squeue tells of jobs that wait or run now: GPUs that others held before count as held by "
     "nobody while they stand still; sacct tells of those"},
    {"running-until",
     "{file}: {jobs} {jobs?job|jobs} had not ended when it was written: {jobs?it is|they are} "
     "counted "
     "to {time}, the last time that it tells of; --now says when it was written"},
    {"short-nodes",
     "a job held {held} GPUs on {first}, where the list of nodes has {listed}: what was held is "
     "taken to stand there ({nodes} {nodes?node|nodes})"},
    {"still-running",
     "{jobs} {jobs?job|jobs} still {jobs?runs|run}: {share} of the GPU-hours, not known to be "
     "useful until then"},
    {"unplaced-logs",
     "{files} {files?log names|logs name} no machine ({first} the first): {files?its|their} GPUs "
     "are "
     "counted beside those of the {nodes} nodes that Slurm names, and may be the same; call a log "
     "after its node, as {node}.csv"},
    {"unseen-holds",
     "no metrics tell what GPUs did for {hours} GPU-hours in which they were held: they are taken "
     "to "
     "be full then, so that the load factor is an upper bound"},
    {"unseen-nodes",
     "jobs held GPUs on {nodes} {nodes?node|nodes} that no metrics name ({first}{nodes?| the "
     "first}), and metrics "
     "tell of GPUs without the name of their host: they may be the same, so that the jobs' are "
     "not in these figures, and advice does not know them"},
    {"window-from-first-job",
     "the window begins with the first job: {hours} hours before it are in no figure; --since "
     "counts the GPUs as free then"},
};

}  // namespace

std::span<const NoticeText> jobs_texts() {
  return kTexts;
}

}  // namespace loadfactor::report
