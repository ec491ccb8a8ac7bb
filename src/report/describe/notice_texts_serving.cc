// What is said of a deployment that serves and of a fleet of them.
#include "report/describe/notice_texts.h"

namespace loadfactor::report {
namespace {

constexpr NoticeText kTexts[] = {
    {"anchored",
     "every step is scaled by {factor}< ({factor_full} when full)>, from one measured run "
     "({run})"},
    {"assumed-deployment",
     "assumed: {engine} in {precision} on {gpus} {gpus?GPU|GPUs}; --for names a scenario instead"},
    {"borrowed-engine",
     "no results of `{engine}` are known: host and kernel times are those of `{lender}`, and "
     "intervals are {width} times as wide"},
    {"bounded", "{key} {asked} is simulated as {used}: more changes nothing that can be seen"},
    {"bounded-scaling",
     "limits.gpus of {limit} leaves room for {room} of the {most} that scaling may start"},
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
    {"deadline",
     "requests may take {deadline}: a queue before the fleet holds them for {wait} at the longest "
     "and lets {most} through a second, where {busiest} come in the busiest ten minutes"},
    {"default-context", "context of {tokens} tokens assumed; --context sets it"},
    {"default-engine", "{engine} assumed; {key} names another"},
    {"far-anchor",
     "the measured run is more than five times off: it is not of this deployment and load, or "
     "its figure has another unit"},
    {"fixed-replicas",
     "replicas scale between {least} and {most}, and {target} has no scaler: its files start a "
     "fixed number; `loadfactor emit kubernetes` writes the scaler"},
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
    {"kv-beyond-memory",
     "--kv-tokens {kv_tokens} is {times} times what the memory of a "
     "<rank{of_rank}><replica{of_replica}> holds by our count"},
    {"late-failure",
     "the failure at {failure} comes after the end of the run, at {end}: it does nothing"},
    {"lowered-max-seqs",
     "a chunk of {tokens} tokens has room for as many sequences: max_seqs is {sequences}, not "
     "{usual}"},
    {"lowered-max-seqs",
     "a step of {tokens} tokens has room for {sequences} sequences with {proposed} proposed "
     "each: so many run at a time, not {usual}"},
    {"means", "figures are means over requests; `--simulate` gives percentiles"},
    {"misses-slo",
     "this fleet misses the SLO when it is simulated: the closed form is too hopeful here; "
     "--gpus tries more, and `serve --search` finds the cheapest fleet that keeps it"},
    {"narrower-rollout",
     "answers written in narrower numbers would make a step of {step}, {saved} shorter on the same "
     "GPUs: --set {edits}; numerics are your choice, so a search takes none"},
    {"not-confirmed",
     "simulated weeks missed the SLO even with more replicas: the closed form is too hopeful "
     "here, so take the answer as a lower bound"},
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
    {"one-replica",
     "with one replica a failure or maintenance is an outage; `serve --search --spares 1` avoids "
     "it"},
    {"other-layout", "`serve --search` would choose {deployment}: {edits}"},
    {"other-run",
     "the measured run names a model '{unknown}' that is not known: nobody checks that it is "
     "{model}"},
    {"other-run", "the measured run is of {measured}, the scenario serves {model}"},
    {"other-run",
     "the measured run has {measured_in} tokens in and {measured_out} out, the scenario "
     "{tokens_in} and {tokens_out}: it says less of other lengths"},
    {"overloaded",
     "{arriving} requests per second arrive and the pools finish {pools_finish}; what limits them "
     "is said above"},
    {"overloaded",
     "{arriving} requests per second arrive and {replicas} finish {finish}: {needed} are needed"},
    {"plainest-of-equals",
     "{layout}< with prompts apart{apart}> on the same machines would cost {saving} less: a tie, "
     "which the plainer layout takes"},
    {"queueing",
     "{concurrent} requests at a time, and {running} run: the others wait, and the first token has "
     "{waiting} of waiting in it"},
    {"scaled-pool", "scaling acts on the decode pool; the prefill pool stays as it is"},
    {"scaled-ranks",
     "scaling starts and stops single ranks, of which {ranks} are a replica; an engine would "
     "start and stop whole replicas"},
    {"simulated-keys",
     "{keys} act on single requests and not on means: `serve --simulate` has them"},
    {"sized-anew",
     "the replicas that the scenario writes are the fleet that is there: this is the fleet that "
     "suffices, and `fill` says how full the other is"},
    {"spares",
     "<{none} spare replicas needed><{spares} {spares?spare replica stands by|spare replicas "
     "stand by}>< for failures, beside {deployed} for deploys>: a GPU fails every {years} years "
     "and "
     "is out for {hours} h; --spares sets them"},
    {"split-pools", "prompts on {prompts}, answers on {answers}"},
    {"streamed",
     "first tokens are as a client of a stream gets them, later by the tokens that the engine "
     "gathers before it sends; `serve` counts to the first token that is made"},
    {"unknown-release",
     "release '{release}' is not read as one of {engine}: it is taken for `{taken}`"},
    {"unknown-release",
     "release {release} is newer than {newest}, the newest of {engine} whose results are known: "
     "it is taken for `{taken}`"},
    {"unserved",
     "{arriving} arrive and {made} are made when full: the rest is not served and not priced"},
    {"unsized-slo", "a bound on the whole request is not sized for; `serve --simulate` judges it"},
    {"untried",
     "{deployments} {deployments?deployment|deployments} might be cheaper still and "
     "{deployments?was|were} not simulated: a higher --confirm tries more"},
    {"waves", "a batch of {batch} runs in waves of {wave}: no more fit at a time"},
    {"whole-replicas",
     "{gpus} {gpus?GPU holds|GPUs hold} {replicas} {replicas?replica|replicas} of {each}; {left} "
     "{left?GPU stays|GPUs stay} out"},
};

}  // namespace

std::span<const NoticeText> serving_texts() {
  return kTexts;
}

}  // namespace loadfactor::report
