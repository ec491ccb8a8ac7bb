// The texts of notices that are raised as an id with arguments.
#include "report/describe/notice_register.h"

namespace loadfactor::report {
namespace {

// Sorted by id. An id has a text for each set of arguments that it is raised with; the first that
// fits is taken.
constexpr NoticeText kTexts[] = {
    {"absent-samples",
     "{samples} samples are no numbers or marks of absent sensors, and were left out"},
    {"ambiguous-clusters",
     "{hosts} {hosts?host|hosts}, {first} the first, {hosts?is|are} in several clusters, and a "
     "source does not say of which one it tells: what it says is joined with none of them; sacct's "
     "column Cluster, or a label `cluster`, tells"},
    {"anchored",
     "every step is scaled by {factor}< ({factor_full} when full)>, from one measured run "
     "({run})"},
    {"announced-chip",
     "{accelerator} is announced for {year} and cannot be had yet: its figures are the maker's; "
     "`plan --years` counts when it comes"},
    {"api-alone",
     "no GPUs of these do it: {refusal}. The API alone is priced, and no price list says which "
     "times it keeps"},
    {"api-not-asked", "money.options has no api: fleets are not weighed against one here"},
    {"api-sells-no-training",
     "money.options lists the API alone, which sells served tokens and no training: priced "
     "rented on demand instead; write money.options: [on-demand]"},
    {"assumed-deployment",
     "assumed: {engine} in {precision} on {gpus} {gpus?GPU|GPUs}; --for names a scenario instead"},
    {"assumed-facts", "assumed, without a document behind it: {facts}"},
    {"assumed-full",
     "how full it is is not said: a load factor of 100 % is assumed; capacity.load_factor sets "
     "it"},
    {"assumed-shape", "only the size is given: its layers and heads are assumed"},
    {"assumed-shape",
     "only the size is given: {layers} layers of width {width} with {heads} heads of "
     "{head_width} assumed; write the dimensions to change that"},
    {"assumed-size",
     "the size of the cluster is taken as the most GPUs ever allocated at once; --gpus sets it"},
    {"assumed-token-mix", "{share} of the tokens are assumed to go in; api.input_share sets it"},
    {"bad-lines", "{file}: {lines} {lines?line|lines} could not be read, the first is {first}"},
    {"batched-stamps",
     "stamps come in batches every {interval}: burstiness below that is of the clock, not of "
     "the traffic; --spread spreads them"},
    {"better-layout",
     "`train --search` finds a layout with {gain} more tokens per second on the same GPUs: --set "
     "'{edit}'"},
    {"better-machine",
     "`train --search` finds a run that costs {cheaper} less on {machines}: {edit}"},
    {"better-machine",
     "`train --search` finds a run that takes {sooner} less time on {machines}: {edit}"},
    {"beyond-limits",
     "GPUs instead: {machines} <one node draws {node_drawn} of the {rack} that a rack has><with "
     "spares, {gpus_with_spares} GPUs in all, it ><draws {drawn} of the {site} that the site has, "
     "which feed {fed}>"},
    {"beyond-limits", "GPUs instead: {gpus_needed} are needed, and the limit is {gpus_allowed}"},
    {"beyond-prediction",
     "{service}: {did} output tokens per second came out, and the scenario {scenario} can do "
     "{full} "
     "as predicted: its queue would grow for as long as the load lasts, so that no time is "
     "predicted; what runs is another deployment, or quicker than predicted"},
    {"borrowed-constants",
     "{accelerator} has no measurements of its own: the efficiencies of {lender} are used, and "
     "the interval is wider"},
    {"borrowed-engine",
     "no results of `{engine}` are known: host and kernel times are those of `{lender}`, and "
     "intervals are {width} times as wide"},
    {"bounded", "{key} {asked} is simulated as {used}: more changes nothing that can be seen"},
    {"bounded-scaling",
     "limits.gpus of {limit} leaves room for {room} of the {most} that scaling may start"},
    {"budget-missed", "the budget of {limit} is missed"},
    {"budget-without-rent", "limits.budget cannot be judged: no way to pay has a price"},
    {"budget-without-rent",
     "{accelerator} has no rent in our price list: the budget does not bind it"},
    {"budget-without-tokens",
     "limits.budget binds no layout: write train.tokens, so that a run has a length and a cost"},
    {"busy-unknown",
     "jobs say what was allocated, not what was busy; --busy takes the mean GPU activity from "
     "your metrics"},
    {"catalogue-price",
     "{accelerator} is priced at {price} per hour, {term}, by the catalogue; --price or --scenario "
     "says what you pay"},
    {"checkpoint-interval",
     "train.failures.interval of {asked} is shorter than a step or than the writing of a "
     "checkpoint: counted as one every {every}"},
    {"checkpoint-interval",
     "a checkpoint every {every} is what <was asked{was_asked}><loses least{loses_least}>, and "
     "oftener than most stacks manage< (usual: {usual})>; train.failures.interval sets it"},
    {"chips-left-out",
     "no fleet of {chips} is an answer: none fits, is fast enough and stays within the limits"},
    {"chosen-fleet",
     "{replicas} {replicas?replica|replicas}: the cheapest fleet within the SLO, as `serve "
     "--search` sizes it; --gpus sets another"},
    {"chosen-fleet",
     "{replicas} {replicas?replica|replicas} = {for_mean} for the mean rate + {for_peak} for the "
     "busiest ten minutes + {for_slo} for the SLO< - {fewer} as simulated: the closed form was "
     "cautious>< + {more_simulated} as simulated>< + {for_weeks_simulated} for 18 of 20 weeks, "
     "as simulated>< + {for_weeks} for 18 of 20 weeks>< + {spares} {spares?spare|spares}>< + no "
     "spare{no_spare}>: the cheapest fleet within the SLO, as `serve --search` sizes it; --gpus "
     "sets another"},
    {"chosen-fleet",
     "the fleet = {prompts} {prompts?replica|replicas} of prompts for the first token + "
     "{answers} {answers?replica|replicas} of answers for the next, in 18 of 20 weeks< + "
     "{spares} {spares?spare|spares} of each>< + no spare{no_spare}>: the cheapest fleet within "
     "the SLO, as `serve --search` sizes it; --gpus sets another"},
    {"chosen-gpu",
     "{accelerator} chosen of {candidates} candidates: it costs least within the SLO; --gpu "
     "names another"},
    {"chosen-layout", "chosen: {keys}"},
    {"chosen-layout", "chosen, the shortest step of {layouts} layouts: {keys}"},
    {"chosen-layout", "the fewest GPUs that hold one sequence chosen{fewest_gpus}; --tp sets it"},
    {"chosen-layout", "tp as wide as ep chosen{as_wide_as_ep}; --tp sets it"},
    {"chosen-layout",
     "{layout} of {accelerator} chosen: the cheapest within the SLO, as `serve --search` weighs "
     "them; deployment.tp and --gpu set others"},
    {"chosen-replicas",
     "{replicas} chosen = {for_mean} for the mean rate + {for_peak} for the busiest ten minutes "
     "+ {for_slo} for the SLO; deployment.replicas sets them, and --search weighs other chips, "
     "layouts and weeks"},
    {"chosen-replicas",
     "{replicas} chosen = {for_mean} for the mean rate + {for_peak} for the busiest ten minutes "
     "+ {for_slo} for the SLO, in closed form{before_simulating}; deployment.replicas sets "
     "them, and --search weighs other layouts and weeks"},
    {"chosen-tp",
     "tp {tp}< and pp {pp}> chosen: <the least that holds a request{holds_request}><the least "
     "whose cache holds eight requests and four full steps{roomy_cache}><the least that keeps the "
     "SLO{keeps_slo}><the least that keeps the SLO and whose cache holds eight requests and four "
     "full steps{keeps_slo_and_roomy_cache}><it serves most per GPU within the "
     "SLO{most_per_gpu}>; deployment.tp sets it, and --search weighs others"},
    {"closed-form-rows",
     "rows marked ~ are closed form; others have their rate per replica simulated"},
    {"copied-kv-heads",
     "tp {tp} copies each of the {kv_heads} key-value heads {copies} times: the cache of a "
     "token takes as much more memory"},
    {"counted-tower",
     "{parameters} of the parameters are the {reads} encoder and what joins it to the text; they "
     "are counted in the weights, and no text goes through them"},
    {"counter-restarts",
     "counters began anew {restarts} {restarts?time|times}, as those of a program do that is "
     "started "
     "again ({first}{restarts?| the first}): what they counted between the last look before it and "
     "the start is in no figure"},
    {"currency",
     "all money is in {code}, {rate} of which are a US dollar< ({date})>; prices of the catalogue "
     "are converted"},
    {"cut-answers",
     "{share} of the answers are cut at {most} tokens<, all that the model's context leaves "
     "beside the prompt{by_context}><, eight times the mean; train.method.answer_most sets "
     "it{by_habit}>: they have {mean} in the mean, of {asked} asked for"},
    {"cut-lengths",
     "<{prompts} of the prompts><{answers} of the answers> are cut at {most} tokens, <the most "
     "that the model's context of {context} tokens leaves them><the longest of {traffic}><the "
     "longest of this traffic{this_traffic}><: they have {mean} on average, not the {asked} "
     "asked for>"},
    {"data-parallel",
     "{service}: {processes} {processes?process answers|processes answer} for {copies} copies of "
     "the model, by the labels `engine` or `dp_rank`: each counts as a replica with its part of "
     "the GPUs, as without experts that copies share"},
    {"deadline",
     "requests may take {deadline}: a queue before the fleet holds them for {wait} at the longest "
     "and lets {most} through a second, where {busiest} come in the busiest ten minutes"},
    {"deadline-missed", "the deadline of {limit} is missed"},
    {"deadline-missed", "the fastest takes {time} of the {deadline} that the deadline leaves"},
    {"dear-spot",
     "{accelerator} on spot costs more than on demand: it pays {hours_paid} hours for each "
     "useful one, being taken away every {interval}"},
    {"default-accelerator", "{accelerator} assumed; {key} names another"},
    {"default-batch",
     "a global batch of {batch} sequences assumed (about 4 M tokens); train.global_batch sets it"},
    {"default-batch",
     "a global batch of {batch_of_all} sequences at every size assumed, about 4 M tokens on the "
     "smallest; train.global_batch sets it"},
    {"default-context", "context of {tokens} tokens assumed; --context sets it"},
    {"default-electricity",
     "electricity as in Texas is assumed; money.electricity or money.region sets it"},
    {"default-engine", "{engine} assumed; {key} names another"},
    {"default-lengths",
     "requests of {tokens_in} tokens in and {tokens_out} out assumed; serve.demand sets them"},
    {"default-precision", "bf16 assumed; train.precision names another"},
    {"default-precision",
     "weights in {stored}, as the checkpoint is stored; serve.precision names another"},
    {"default-rank", "adapters of rank {rank} assumed; train.lora sets it"},
    {"default-sequence", "sequences of {tokens} tokens assumed; train.sequence sets it"},
    {"default-stack", "software: {stack} assumed; train.stack names another"},
    {"dropped-requests", "requests without tokens in or out are left out: {requests}"},
    {"dropped-tokens",
     "experts drop {share} of the busiest rank's tokens at this capacity factor: the model learns "
     "less from them, which no figure here counts"},
    {"duplicate-series", "{series} series tell what others tell, and were not counted twice"},
    {"efficiency-as-paid",
     "{accelerator}: efficiencies count every size as paid {option}, as the smallest is, so "
     "that they compare; days and cost are of each size's own way to pay"},
    {"elastic",
     "going on with fewer nodes<: spares, or waiting for repairs, cost no more{waits}>< saves "
     "{share} of the "
     "paid time against the better of waiting and spares>< ({cost})>< with {spares}>"},
    {"empty-before-first-job",
     "nothing is told of the first {hours} hours of the window: the GPUs of the list of nodes are "
     "taken to have been free then; a shorter --since leaves them out"},
    {"ends-unknown", "no column says how jobs ended: what of their work is useful is not known"},
    {"equal-lengths",
     "every request has the mean lengths and arrivals are random at a constant rate; a trace or "
     "a shape brings spread and nights"},
    {"failed-work",
     "jobs that failed lost all their work here; --checkpoint says how much of it a checkpoint "
     "saves"},
    {"falling-api-price",
     "tokens keep their price in the plan of today; over the years it halves every {years} years, "
     "as that of mid-size models has: api.half_life sets it"},
    {"far-anchor",
     "the measured run is more than five times off: it is not of this deployment and load, or "
     "its figure has another unit"},
    {"far-off",
     "{file}: '{kernel}' is {error} off after the refit: this is no usual {chip}, or it was held "
     "back while it was measured"},
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
    {"few-spares",
     "train.failures.spares: <none{none_replaced} of {in_repair} in repair on average is><no "
     "more than {replaced} of {in_repair} in repair on average {replaced?is|are}> replaced at "
     "once, so that the job waits {waiting} of its time; {spares} would leave a goodput of "
     "{goodput}"},
    {"filled-examples",
     "{share} of what is computed is filling, which teaches nothing: the run takes {factor} times "
     "as long as with examples.packing: true"},
    {"filled-window",
     "sound is read in windows of {window} frames: {frames} are filled up with silence, and take "
     "as long as a whole window"},
    {"first-accelerator", "the first of {candidates} candidates is taken"},
    {"first-accelerator",
     "the first of {candidates} candidates is launched: {launched}; `loadfactor plan SCENARIO "
     "--emit DIR` launches the one that it recommends"},
    {"first-accelerator", "the first of {candidates} candidates is predicted: {predicted}"},
    {"first-accelerator",
     "the first of {candidates} candidates is priced: {priced}; `money.alternatives` prices the "
     "others beside it"},
    {"fixed-replicas",
     "replicas scale between {least} and {most}, and {target} has no scaler: its files start a "
     "fixed number; `loadfactor emit kubernetes` writes the scaler"},
    {"flat-api-price",
     "tokens are taken to keep their price; those of mid-size models have halved every {years} "
     "years: api.half_life sets it"},
    {"fleet",
     "{replicas} {replicas?replica|replicas} = {for_mean} for the mean rate + {for_peak} for the "
     "busiest ten minutes + {for_slo} for the SLO< - {fewer} as simulated: the closed form was "
     "cautious>< + {more_simulated} as simulated>< + {for_weeks_simulated} for 18 of 20 weeks, "
     "as simulated>< + {for_weeks} for 18 of 20 weeks>< + {spares} {spares?spare|spares}>< + no "
     "spare{no_spare}>"},
    {"fleet",
     "the fleet = {prompts} {prompts?replica|replicas} of prompts for the first token + "
     "{answers} {answers?replica|replicas} of answers for the next, in 18 of 20 weeks< + "
     "{spares} {spares?spare|spares} of each>< + no spare{no_spare}>"},
    {"fleet-no-room",
     "'{workload}' has no room in any pool, and neither a value nor an API to take its place: at "
     "its busiest it holds {gpus} {gpus?GPU|GPUs} at once, beside what comes before it"},
    {"fleet-rented-whole",
     "pool '{pool}': what is rented by the hour is counted in machines of {size}, the smallest on "
     "sale that holds GPUs which must work together; smaller work is counted so too"},
    {"fleet-scarce",
     "GPUs are scarce: together the workloads cost more than each alone would, and fair shares say "
     "so"},
    {"fleet-shares-sampled",
     "fair shares are of 24 orders in which the workloads may come, not of all"},
    {"fleet-slo-missed",
     "'{workload}' misses its SLO in the simulation even with all its replicas at all hours"},
    {"fleet-unread", "'{workload}': a fleet is planned without {keys}"},
    {"fleet-year",
     "a year is planned, because '{workload}' does not come alike in every week: work without "
     "'every' is done once in it; `horizon: week` plans a week that repeats"},
    {"fluid",
     "the load factor is computed from the mean of every ten minutes; what waits inside of them "
     "is counted in the share of requests within the SLO"},
    {"foreign-stack",
     "{engine} is not known to run on {accelerator}: read this as memory arithmetic only"},
    {"foreign-stack",
     "no run of {stack} on {accelerator} is known to us: its own software will differ"},
    {"full-by-peak",
     "{service}: what it does when full is taken from its fullest ten minutes, so that its load "
     "factor is an upper bound; --scenario predicts it"},
    {"gaps", "{gaps} in the data {gaps?is|are} left out of all means: missing is not silent"},
    {"gguf",
     "GGUF weights are not known: the released format is assumed; --quant int4 comes near a "
     "4-bit file"},
    {"goodput-counted", "days and cost count what whole runs lose ({share} of the paid time)"},
    {"guessed-gpus",
     "jobs that shared a node from beginning to end used its GPUs unlike, and nothing says which "
     "GPU was whose: how full each of {workloads} workloads was is a guess ({first}), and nothing "
     "is advised about them"},
    {"headroom", "{share} of the memory of every GPU stay free, as asked"},
    {"host-too-small",
     "{needed} per GPU would wait in host memory, and a host has {there} for each; a smaller "
     "micro-batch or less in train.layout.offload needs less"},
    {"hours-paid",
     "{option}: {paid} of the {gpus} GPUs are paid for on average; {load} of those hours carry "
     "work, "
     "and {fleet_load} of all hours of {gpus} GPUs"},
    {"idle-router",
     "the demand has no sessions{no_sessions}: router session sends each request to the least "
     "loaded replica; a trace with a session column has them"},
    {"idle-router",
     "the demand has no common beginnings{no_prefixes}: router cache-aware sends each request "
     "to the least loaded replica; prefix_hits or a trace with block hashes has them"},
    {"image-tokens",
     "an image is {tokens} tokens of the prompt, from {patches} patches in the encoder: prompts "
     "have {prompt} tokens in the mean"},
    {"import", "{found}"},
    {"incomplete-checkpoint",
     "the checkpoint holds {stored} parameters, its config describes {described}"},
    {"instances-unknown",
     "the sizes in which {provider} rents out {accelerator} are not known: any number is priced; "
     "rent.instance says how many GPUs its smallest machine has"},
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
    {"joined-by-place",
     "{gpus} {gpus?GPU is|GPUs are} told of with and without a UUID ({first} the first): what is "
     "told without one is of the GPU of the same node and index"},
    {"kv-beyond-memory",
     "--kv-tokens {kv_tokens} is {times} times what the memory of a "
     "<rank{of_rank}><replica{of_replica}> holds by our count"},
    {"late-failure",
     "the failure at {failure} comes after the end of the run, at {end}: it does nothing"},
    {"late-samples", "{samples} samples lie outside of the window, and were left out"},
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
    {"load-is-allocation",
     "no metrics of GPUs were given: those that are held are taken to be full, so that the load "
     "factor is an upper bound; add those of dcgm-exporter, or of AMD's device-metrics-exporter"},
    {"logs-alone",
     "step logs are all that was given: the load factor is the share of the time in steps that "
     "count; add metrics of the GPUs to see how full they are in those"},
    {"long-sequence",
     "sequences of {tokens} tokens are longer than the {longest} that {model} was released with"},
    {"lossy-gradients",
     "gradients are compressed with a loss: a run may need more steps, which no figure here "
     "counts"},
    {"lowered-max-seqs",
     "a chunk of {tokens} tokens has room for as many sequences: max_seqs is {sequences}, not "
     "{usual}"},
    {"lowered-max-seqs",
     "a step of {tokens} tokens has room for {sequences} sequences with {proposed} proposed "
     "each: so many run at a time, not {usual}"},
    {"machines-by-file",
     "{files} logs name no machine, and tell of the same GPUs at the same time: each is taken to "
     "be of a machine of its own, by the name of its file"},
    {"maintenance", "no maintenance was simulated: the trace is replayed as it is"},
    {"maintenance",
     "every replica is out for {outage} once <a week, of which the part that was simulated has "
     "its share{part_of_week}><in the weeks simulated{whole_weeks}>, at night<; a spare stands "
     "in{spare}>"},
    {"means", "figures are means over requests; `--simulate` gives percentiles"},
    {"median-api",
     "{providers} providers sell it, for {least} to {most} USD/M tokens at this mix of tokens; the "
     "middle one is taken: {provider} (api.provider sets another)"},
    {"mfu-above-counter",
     "{run}: its steps and the model's operations make an MFU of {modelled}, which is more than "
     "the "
     "{tensor} of cycles in which tensor cores worked: the scenario is of another model, batch or "
     "number of GPUs than the run"},
    {"mfu-by-log",
     "{run}: by the operations that its log counts its MFU is {logged}, by those of the scenario's "
     "model {modelled}: the log counts otherwise (attention, work that is done again), or the "
     "scenario is not of it"},
    {"misses-slo",
     "this fleet misses the SLO when it is simulated: the closed form is too hopeful here; "
     "--gpus tries more, and `serve --search` finds the cheapest fleet that keeps it"},
    {"mixed-service",
     "{service} runs on {kinds} kinds of GPUs: it is compared and written as if all were {first}"},
    {"moved-gpus",
     "{gpus} {gpus?GPU was|GPUs were} told of in one cluster and later in another ({first}{gpus?| "
     "the first}): each counts once, where it was seen last"},
    {"narrower-rollout",
     "answers written in narrower numbers would make a step of {step}, {saved} shorter on the same "
     "GPUs: --set {edits}; numerics are your choice, so a search takes none"},
    {"no-api", "no API sells this model in the catalogue: there is no break-even against one"},
    {"no-arithmetic",
     "{accelerator} has no {format} arithmetic: its products are counted at the {rate} rate"},
    {"no-arithmetic",
     "{accelerator} has no {stored_format} arithmetic: weights are kept in it, which saves "
     "their bytes, and multiplied in 16 bits"},
    {"no-calendar", "stamps have no date: days count from the first"},
    {"no-deadline",
     "the run takes {time}, and no deadline is written: `train.deadline: 90 days` asks for the "
     "best within it"},
    {"no-gpu-metrics",
     "no metrics of GPUs were given, so that there is no bill: the load factor is that of the "
     "engines alone; add those of dcgm-exporter, or of AMD's device-metrics-exporter"},
    {"no-gpu-price",
     "no price of '{accelerator}' is known: its time costs nothing here; --price says what you "
     "pay"},
    {"no-legal-cooling", "{code}: under the limit of a rack no way of cooling takes even one node"},
    {"no-owners",
     "nothing says to whom GPUs belong: idle ones may be held or not; <run dcgm-exporter with "
     "DCGM_EXPORTER_KUBERNETES=true, or {dcgm}><let AMD's exporter name pods, or {amd}>give the "
     "output of sacct"},
    {"no-price", "{what} is left out: {why}"},
    {"no-profiling",
     "only {metric} is known, which is 100 % whenever any kernel runs: the load factor is an upper "
     "bound<; add the lines 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE, gauge, tensor' and "
     "'DCGM_FI_PROF_DRAM_ACTIVE, gauge, memory' to the counters of dcgm-exporter{dcgm}><; add "
     "GPU_UMC_ACTIVITY to the Fields of AMD's exporter{amd}><; ask nvidia-smi for "
     "utilization.memory, too, and dcgm-exporter for more{smi}><; nvidia-smi dmon -s puc tells of "
     "memory, too{dmon}><; rocm-smi --showuse --showmemuse tells of memory, too{rocm}>"},
    {"no-progress",
     "failures, restarts and checkpoints leave no time to train: the run would not end, so that "
     "it has no days and no cost"},
    {"no-rent", "nobody rents out {accelerator} in our price list: no cost is given"},
    {"no-rent", "no rent of {unrented} is known: costs are left out"},
    {"no-rent",
     "no price of {unpriced} is known in the ways to pay that are asked for: ranked last, by "
     "GPU-hours"},
    {"no-requests",
     "{service}: nothing counts its requests: how many they are, and how long, is unknown"},
    {"no-sequence-parallelism", "sequence parallelism has no effect with tp 1"},
    {"no-sequence-parallelism",
     "sequences of {tokens} tokens do not divide by tp · cp = {ranks}: counted without sequence "
     "parallelism; nearest that does: sequence: {nearest}"},
    {"no-shape",
     "no shape is given: the rate is taken as constant, without nights and weekends; "
     "demand.shape names one"},
    {"no-tensor-sensor",
     "of {gpus} {gpus?GPU|GPUs} nothing but {metric} tells how full {gpus?its|their} work is, "
     "which "
     "is 100 % whenever any kernel runs: the load factor is an upper bound"},
    {"no-tokens",
     "{service}: nothing counts its tokens, so that how full it is follows from its GPUs alone"},
    {"not-confirmed",
     "simulated weeks missed the SLO even with more replicas: the closed form is too hopeful "
     "here, so take the answer as a lower bound"},
    {"not-predicted", "{service} cannot be predicted: {why}"},
    {"not-priced", "{refusal}"},
    {"not-simulated",
     "the fleet is larger than what is simulated whole: only its rate per replica was"},
    {"not-simulated", "the simulator was not asked: {too_many} replicas are too many for it"},
    {"not-simulated",
     "the simulator was not asked: {requests} requests take a while; --simulate runs them"},
    {"not-simulated",
     "simulated was {simulated}, the cheapest to rent; {chosen} is sized by the <simulated rate "
     "of a replica{by_rate}><closed form{by_closed_form}>"},
    {"not-simulated",
     "simulated was {always}, the cheapest that is never let go; {cheaper} is cheaper where "
     "machines come and go, and is sized by the <simulated rate of a replica{by_rate}><closed "
     "form{by_closed_form}>"},
    {"nothing-to-shard", "zero: {zero} has no effect: there is one data-parallel rank"},
    {"one-machine",
     "{files} logs name no machine, and their times do not overlap: they are taken to be of one "
     "machine; a column of host names would tell"},
    {"one-replica",
     "with one replica a failure or maintenance is an outage; `serve --search --spares 1` avoids "
     "it"},
    {"one-scrape",
     "{service}: its counters were read once, which tells no rate: requests, tokens per second and "
     "load factor are unknown, and lengths and latencies are those since it was started; give a "
     "second scrape, or the address of a server"},
    {"one-site",
     "kernels of each chip are refitted; terms of steps and their intervals are those of {chip} "
     "alone, since a folder has one site"},
    {"one-trace", "the trace's {span} are all there is: other times may need more"},
    {"other-layout", "`serve --search` would choose {deployment}: {edits}"},
    {"other-model",
     "{scenario} is not of what is served here ({model} there, {served} here): nothing is compared "
     "with it, and no full rate is taken from it"},
    {"other-run",
     "the measured run names a model '{unknown}' that is not known: nobody checks that it is "
     "{model}"},
    {"other-run", "the measured run is of {measured}, the scenario serves {model}"},
    {"other-run",
     "the measured run has {measured_in} tokens in and {measured_out} out, the scenario "
     "{tokens_in} and {tokens_out}: it says less of other lengths"},
    {"other-vocabulary",
     "the teacher has {theirs} tokens and the model {ours}: a teacher says how likely each token "
     "is, which teaches a model of the same tokens alone; another's texts are trained on as texts"},
    {"out-of-order", "{rows} {rows?was|were} put in order"},
    {"overlapping-jobs",
     "{jobs} {jobs?job|jobs} overlapped with others on more GPUs than {jobs?its node has|their "
     "nodes "
     "have} ({first} the first): {hours} GPU-hours of {jobs?it|them} are in no figure"},
    {"overloaded",
     "{arriving} requests per second arrive and the pools finish {pools_finish}; what limits them "
     "is said above"},
    {"overloaded",
     "{arriving} requests per second arrive and {replicas} finish {finish}: {needed} are needed"},
    {"owned-share",
     "owned machines are charged for the run's share of their life: that holds if they are as "
     "busy for the rest of it"},
    {"packed-examples",
     "{texts} examples share a sequence, and none of it is filled up; attention is counted over "
     "the whole sequence, which is the most it can be"},
    {"part-of-day",
     "{simulated} of the day's {requests} requests are simulated; --requests sets it"},
    {"part-of-week", "{simulated} of the week's {requests} requests are simulated, from Monday on"},
    {"part-of-week",
     "of each week the busiest {hours} h or so were simulated, which is what is quick"},
    {"placement",
     "rail-aligned{rail}: every NIC on its own rail, which is what the network model assumes of "
     "packed nodes too"},
    {"placement",
     "spread over racks: the network of every GPU counts 1/{oversubscription}, an "
     "oversubscribed spine ({fact})"},
    {"placement",
     "fragmented{fragmented}: half of every node is somebody else's, so scale-up domains are "
     "half as large"},
    {"plainest-of-equals",
     "{layout}< with prompts apart{apart}> on the same machines would cost {saving} less: a tie, "
     "which the plainer layout takes"},
    {"pool-of-one-chip",
     "each model alone on the accelerator that suits it best ({choices}) costs {apart} a month<: "
     "{less} less than this pool><: {more} more than this pool>"},
    {"pool-over-budget",
     "the pool costs {cost} a month, which is more than limits.budget, {budget}"},
    {"power-of-chip-alone", "no node of {accelerator} is known: power is the chip's alone"},
    {"prefixes-left-out",
     "prefix blocks of {tokens} tokens are no multiples of the cache's {block}: nothing is "
     "shared"},
    {"prefixes-not-kept",
     "{model} keeps nothing of what it has read: the beginnings that the trace says are alike are "
     "read anew for each request"},
    {"present-alone",
     "squeue and sinfo tell of the present alone: what ran before is not seen; sacct tells of it, "
     "where slurmdbd keeps accounts"},
    {"quantisation-by-name", "weights in {format} because the name says so; --quant sets it"},
    {"queue-alone",
     "squeue tells of jobs that wait or run now: GPUs that others held before count as held by "
     "nobody while they stand still; sacct tells of those"},
    {"queueing",
     "{concurrent} requests at a time, and {running} run: the others wait, and the first token has "
     "{waiting} of waiting in it"},
    {"rates-only",
     "a rate profile says nothing of single arrivals: burstiness within a window is assumed to "
     "be that of random arrivals"},
    {"ratio-as-percent",
     "{metric} is a ratio by its name and is often above 1: it is taken to be a percentage"},
    {"region-electricity",
     "money.electricity holds in every region; without it each has its own price"},
    {"region-place",
     "the catalogue does not say where {region} is: one place for all regions is not weighed"},
    {"region-rents",
     "no rent of {accelerators} by region is known: the same is counted in every region; rows of "
     "your own with the name of the region in prices/rent.csv set it"},
    {"region-shape",
     "the hours of the shape are those of {first}: in the other regions the same hours come as "
     "much "
     "later as the sun does, an hour for 15 degrees"},
    {"region-shape",
     "each region is planned with its share of every hour's traffic: recorded days, as of a trace, "
     "a week in a file or a named shape, do not tell whose come later"},
    {"remark", "{remark}"},
    {"renamed-cluster",
     "the cluster {old} is called {name} later in the window: both are counted as one"},
    {"renamed-metrics",
     "{metrics} {metrics?metric was|metrics were} renamed on the way here and {metrics?is|are} not "
     "read, such as {first}, which its engine calls {known}"},
    {"renamed-nodes",
     "{nodes} {nodes?node goes|nodes go} by two names, as {old}, which is {name}: both are counted "
     "as one"},
    {"rent-of-another-term",
     "{accelerator}: our price list has no rent {term}; {price} {offered} stand for it"},
    {"rent-over-budget",
     "the cheapest run< that meets the deadline{by_deadline}> costs <{cost}> at the rent, and the "
     "budget is {budget}<; within it the soonest takes {soonest}><; within it the soonest takes "
     "longer{longer}>: only {gpus} × {accelerator}, paid {option}, is within it"},
    {"resolved-capacity",
     "the machine is the <deployment that `serve` answers for{deployment}><run that `train` lays "
     "out{laid_out_run}>; `plan` sizes it to its cost"},
    {"rows-dropped", "{dropped} of {rows} {dropped?was|were} left out"},
    {"rows-dropped",
     "{dropped} of {rows} rows of {file} were left out, the first in line {line}; `loadfactor "
     "demand` says why"},
    {"rows-without-weight",
     "{unweighted} of {scored} rows have no weight and do not count in the weighted figures"},
    {"run-does-not-fit",
     "as it is laid out the run does not fit on these machines: what they cost is theirs alone; "
     "`train` says what would fit"},
    {"running-until",
     "{file}: {jobs} {jobs?job|jobs} had not ended when it was written: {jobs?it is|they are} "
     "counted "
     "to {time}, the last time that it tells of; --now says when it was written"},
    {"sampled-answers",
     "{simulated} of the {answers} answers that are written at once were simulated; the time of "
     "all is that of such a sample within {within}"},
    {"sampled-week",
     "its week was told from a sample of its windows, {share} of the requests, taken until that "
     "decided; `serve --search` simulates whole weeks"},
    {"saturated-witness",
     "a replica delivered {delivered} requests/s here, and {with_queue} with a queue that "
     "grows: the larger is taken for what it serves when never idle (requests of one length "
     "that come at once run in step)"},
    {"scaled-pool", "scaling acts on the decode pool; the prefill pool stays as it is"},
    {"scaled-ranks",
     "scaling starts and stops single ranks, of which {ranks} are a replica; an engine would "
     "start and stop whole replicas"},
    {"scenario-price",
     "{accelerator} is priced at {price} per hour, {term}, as the scenario {scenario} pays; "
     "--price says what you pay"},
    {"server-added",
     "no server of {accelerator} has a price in the catalogue: chassis, host and network cards "
     "are added at {share} of the chip's price, as in the servers that have one"},
    {"server-warnings", "the server warns that its answer is not all of it: {first}"},
    {"sharded-pipeline",
     "parameters are gathered again for every micro-batch of the pipeline, and gradients "
     "accumulate unsharded: zero: 1 is usually faster"},
    {"short-nodes",
     "a job held {held} GPUs on {first}, where the list of nodes has {listed}: what was held is "
     "taken to stand there ({nodes} {nodes?node|nodes})"},
    {"short-span", "less than two days: nights and weekends are not in these figures"},
    {"simulated-keys",
     "{keys} act on single requests and not on means: `serve --simulate` has them"},
    {"site-calibrated", "calibrated by {measurements} of this site ({date})"},
    {"site-power", "the site would draw {drawn} at its rating; {allowed} are allowed"},
    {"sized-anew",
     "the replicas that the scenario writes are the fleet that is there: this is the fleet that "
     "suffices, and `fill` says how full the other is"},
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
    {"spares",
     "<{none} spare replicas needed><{spares} {spares?spare replica stands by|spare replicas "
     "stand by}>< for failures, beside {deployed} for deploys>: a GPU fails every {years} years "
     "and "
     "is out for {hours} h; --spares sets them"},
    {"split-pools", "prompts on {prompts}, answers on {answers}"},
    {"stack", "software: {stack}"},
    {"stages-counted",
     "days and money are of all {stages} stages; layout, step and rate are the first one's, and "
     "the "
     "later ones, each in its own quickest layout on the same GPUs, take {later} of the time of "
     "all "
     "steps; `train` lists them"},
    {"stale-price", "older than {days} days: {prices}"},
    {"starved-pipeline", "{micro_batches} micro-batches do not fill {stages} stages"},
    {"still-running",
     "{jobs} {jobs?job|jobs} still {jobs?runs|run}: {share} of the GPU-hours, not known to be "
     "useful until then"},
    {"streamed",
     "first tokens are as a client of a stream gets them, later by the tokens that the engine "
     "gathers before it sends; `serve` counts to the first token that is made"},
    {"tight-memory", "memory is tight: {needed} is needed, and fragmentation may end it"},
    {"too-little-seen",
     "a day of samples is the least that advice can rest on, of half of the GPU time: nothing is "
     "recommended"},
    {"tp-beyond-domain",
     "tp {tp} leaves the scale-up domain of {domain}: <no layout within it is among the "
     "best{none_within}><the best within it is {behind} behind>"},
    {"tp-beyond-domain",
     "{code}: tp {tp} reaches beyond the scale-up domain of {accelerator} ({domain}): every "
     "layer waits for the network; nearest within it: tp: {nearest}"},
    {"tp-beyond-domain",
     "tp {tp} reaches beyond the scale-up domain of {accelerator} ({domain}): it fits, but will "
     "be slow"},
    {"trace-means",
     "{file} is taken at its means: {rate} requests per second of {tokens_in} tokens in and "
     "{tokens_out} out; `serve --simulate` replays it"},
    {"trace-too-long", "a step has too many events to draw: no trace was made"},
    {"unasked-terms",
     "<{key} is left out: money.options does not list that way to pay><{keys} are left out: "
     "money.options does not list those ways to pay>"},
    {"uncounted-tower",
     "the {reads} tower is not known: its parameters are in none of these figures"},
    {"uneven-stages",
     "{layers} layers over {stages}: {empty} beside embedding and head left empty"},
    {"uneven-stages",
     "{code}: {layers} layers do not divide by {stages}: some stages hold a layer more and the "
     "others wait; nearest that divides: {nearest}"},
    {"unheard-of-price",
     "{what} is {price}, and what the catalogue knows of such prices lies from {low} to {high}: is "
     "the unit right?"},
    {"unjoined-service",
     "{service}: nothing says which GPUs it runs on, so that it is judged apart from them and its "
     "load is not in that of the GPUs; labels `namespace` and `pod` in the metrics of both would "
     "join them"},
    {"unknown-release",
     "release '{release}' is not read as one of {engine}: it is taken for `{taken}`"},
    {"unknown-release",
     "release {release} is newer than {newest}, the newest of {engine} whose results are known: "
     "it is taken for `{taken}`"},
    {"unpaired-stages",
     "DualPipe pairs the stages of two directions, and pp is {pp}: counted as if the middle one "
     "were its own; nearest that pairs: pp: {less} or {more}"},
    {"unplaced-logs",
     "{files} {files?log names|logs name} no machine ({first} the first): {files?its|their} GPUs "
     "are "
     "counted beside those of the {nodes} nodes that Slurm names, and may be the same; call a log "
     "after its node, as {node}.csv"},
    {"unread-keys", "`{verb}` does not read {keys}"},
    {"unseen-gpus",
     "no metrics tell what {gpus} {gpus?GPU|GPUs} on {nodes} {nodes?node|nodes} {gpus?does|do}<"
     " ({only})>< ({first} the first)>: where held, for {hours} GPU-hours, {gpus?it is|they are} "
     "taken to be full, so "
     "that the load factor is an upper bound"},
    {"unseen-holds",
     "no metrics tell what GPUs did for {hours} GPU-hours in which they were held: they are taken "
     "to "
     "be full then, so that the load factor is an upper bound"},
    {"unseen-nodes",
     "jobs held GPUs on {nodes} {nodes?node|nodes} that no metrics name ({first}{nodes?| the "
     "first}), and metrics "
     "tell of GPUs without the name of their host: they may be the same, so that the jobs' are "
     "not in these figures, and advice does not know them"},
    {"unseen-time",
     "{share} of the paid GPU time has no samples: each GPU is taken to have done then what it did "
     "otherwise"},
    {"unserved",
     "{arriving} arrive and {made} are made when full: the rest is not served and not priced"},
    {"unsized-slo", "a bound on the whole request is not sized for; `serve --simulate` judges it"},
    {"untried",
     "{deployments} {deployments?deployment|deployments} might be cheaper still and "
     "{deployments?was|were} not simulated: a higher --confirm tries more"},
    {"value-model",
     "{model} is the value model: it learns on the same GPUs in {precision}, tp {tp} · pp {pp} · "
     "dp {dp}, {sharding}"},
    {"waves", "a batch of {batch} runs in waves of {wave}: no more fit at a time"},
    {"ways-to-pay",
     "{machine}: no way to pay has a price<; {others}><; without a price: {unpriced}><; "
     "without progress, as failures take all of the time: {stalled}>"},
    {"ways-to-pay",
     "{machine}: priced {used}<, the soonest of money.options, then the cheapest{soonest}><, "
     "the cheapest of money.options{cheapest}>< within the deadline{within_deadline}>< within "
     "the budget{within_budget}>< within deadline and budget{within_both}><, none of which is "
     "within the deadline{none_within_deadline}><, none of which is within the "
     "budget{none_within_budget}><, none of which is within deadline and "
     "budget{none_within_both}><; {others}><; without a price: {unpriced}><; without "
     "progress, as failures take all of the time: {stalled}>"},
    {"weak-curve-ends",
     "{accelerator}: no weak efficiency from {gpus} GPUs on: a batch that had grown with them "
     "would be beyond the critical one of {critical} tokens"},
    {"weeks",
     "computed, not simulated: of {weeks} weeks made with other seeds {kept} keep the SLO on "
     "{machines}, and "
     "{kept_with_fewer} with one replica< of answers{of_answers}> fewer"},
    {"weeks",
     "computed, not simulated: of {weeks} weeks made with other seeds {kept} keep the SLO, and "
     "<{kept_with_fewer} with one replica fewer><{kept_with_fewer_prompts} with one replica of "
     "prompts fewer or {kept_with_fewer_answers} with one of answers fewer>"},
    {"weighted-by-hours",
     "not every kind of GPU has a price: the load factor and its losses are shares of GPU-hours, "
     "not of the bill"},
    {"whole-machines",
     "{option}: the service needs {gpus} GPUs, which are sold in whole machines; {load} of what is "
     "paid for carries work"},
    {"whole-replicas",
     "{gpus} {gpus?GPU holds|GPUs hold} {replicas} {replicas?replica|replicas} of {each}; {left} "
     "{left?GPU stays|GPUs stay} out"},
    {"window-from-first-job",
     "the window begins with the first job: {hours} hours before it are in no figure; --since "
     "counts the GPUs as free then"},
};

constexpr NoticeText kPhrases[] = {
    {"on-demand", "on demand"},
    {"reserved-1y", "reserved for a year"},
    {"reserved-3y", "reserved for three years"},
    {"spot", "spot"},
    {"way-to-pay",
     "{option} at {price} USD per GPU-hour<, {days}, {cost}>< ({share} of it binds for "
     "{share_binds}, the run takes {days})>< (binds for {binds}, the run takes {days})>< (terms of "
     "{terms}, the last one whole)>< (terms of {terms_or_on_demand}, the last one whole or on "
     "demand)>"},
};

}  // namespace

std::span<const NoticeText> notice_texts() {
  return kTexts;
}

std::span<const NoticeText> phrase_texts() {
  return kPhrases;
}

}  // namespace loadfactor::report
