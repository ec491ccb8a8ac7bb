// What is said of traffic: lengths, rates and the files that hold them.
#include "report/describe/notice_texts.h"

namespace loadfactor::report {
namespace {

constexpr NoticeText kTexts[] = {
    {"bad-lines", "{file}: {lines} {lines?line|lines} could not be read, the first is {first}"},
    {"batched-stamps",
     "stamps come in batches every {interval}: burstiness below that is of the clock, not of "
     "the traffic; --spread spreads them"},
    {"cut-answers",
     "{share} of the answers are cut at {most} tokens<, all that the model's context leaves "
     "beside the prompt{by_context}><, eight times the mean; train.method.answer_most sets "
     "it{by_habit}>: they have {mean} in the mean, of {asked} asked for"},
    {"cut-lengths",
     "<{prompts} of the prompts><{answers} of the answers> are cut at {most} tokens, <the most "
     "that the model's context of {context} tokens leaves them><the longest of {traffic}><the "
     "longest of this traffic{this_traffic}><: they have {mean} on average, not the {asked} "
     "asked for>"},
    {"default-lengths",
     "requests of {tokens_in} tokens in and {tokens_out} out assumed; serve.demand sets them"},
    {"dropped-requests", "requests without tokens in or out are left out: {requests}"},
    {"equal-lengths",
     "every request has the mean lengths and arrivals are random at a constant rate; a trace or "
     "a shape brings spread and nights"},
    {"filled-window",
     "sound is read in windows of {window} frames: {frames} are filled up with silence, and take "
     "as long as a whole window"},
    {"fluid",
     "the load factor is computed from the mean of every ten minutes; what waits inside of them "
     "is counted in the share of requests within the SLO"},
    {"gaps", "{gaps} in the data {gaps?is|are} left out of all means: missing is not silent"},
    {"idle-router",
     "the demand has no sessions{no_sessions}: router session sends each request to the least "
     "loaded replica; a trace with a session column has them"},
    {"idle-router",
     "the demand has no common beginnings{no_prefixes}: router cache-aware sends each request "
     "to the least loaded replica; prefix_hits or a trace with block hashes has them"},
    {"image-tokens",
     "an image is {tokens} tokens of the prompt, from {patches} patches in the encoder: prompts "
     "have {prompt} tokens in the mean"},
    {"maintenance", "no maintenance was simulated: the trace is replayed as it is"},
    {"maintenance",
     "every replica is out for {outage} once <a week, of which the part that was simulated has "
     "its share{part_of_week}><in the weeks simulated{whole_weeks}>, at night<; a spare stands "
     "in{spare}>"},
    {"no-calendar", "stamps have no date: days count from the first"},
    {"no-shape",
     "no shape is given: the rate is taken as constant, without nights and weekends; "
     "demand.shape names one"},
    {"one-trace", "the trace's {span} are all there is: other times may need more"},
    {"out-of-order", "{rows} {rows?was|were} put in order"},
    {"part-of-day",
     "{simulated} of the day's {requests} requests are simulated; --requests sets it"},
    {"part-of-week", "{simulated} of the week's {requests} requests are simulated, from Monday on"},
    {"part-of-week",
     "of each week the busiest {hours} h or so were simulated, which is what is quick"},
    {"prefixes-left-out",
     "prefix blocks of {tokens} tokens are no multiples of the cache's {block}: nothing is "
     "shared"},
    {"prefixes-not-kept",
     "{model} keeps nothing of what it has read: the beginnings that the trace says are alike are "
     "read anew for each request"},
    {"rates-only",
     "a rate profile says nothing of single arrivals: burstiness within a window is assumed to "
     "be that of random arrivals"},
    {"rows-dropped", "{dropped} of {rows} {dropped?was|were} left out"},
    {"rows-dropped",
     "{dropped} of {rows} rows of {file} were left out, the first in line {line}; `loadfactor "
     "demand` says why"},
    {"sampled-answers",
     "{simulated} of the {answers} answers that are written at once were simulated; the time of "
     "all is that of such a sample within {within}"},
    {"sampled-week",
     "its busiest {hours} h or so were told from a sample of their windows, {share} of the "
     "requests, taken until that decided; `serve --search` simulates all of them"},
    {"sampled-week",
     "its week was told from a sample of its windows, {share} of the requests, taken until that "
     "decided; `serve --search` simulates whole weeks"},
    {"saturated-witness",
     "a replica delivered {delivered} requests/s here, and {with_queue} with a queue that "
     "grows: the larger is taken for what it serves when never idle (requests of one length "
     "that come at once run in step)"},
    {"short-span", "less than two days: nights and weekends are not in these figures"},
    {"trace-means",
     "{file} is taken at its means: {rate} requests per second of {tokens_in} tokens in and "
     "{tokens_out} out; `serve --simulate` replays it"},
    {"weeks",
     "computed, not simulated: of {weeks} weeks made with other seeds {kept} keep the SLO on "
     "{machines}, and "
     "{kept_with_fewer} with one replica< of answers{of_answers}> fewer"},
    {"weeks",
     "computed, not simulated: of {weeks} weeks made with other seeds {kept} keep the SLO, and "
     "<{kept_with_fewer} with one replica fewer><{kept_with_fewer_prompts} with one replica of "
     "prompts fewer or {kept_with_fewer_answers} with one of answers fewer>"},
};

}  // namespace

std::span<const NoticeText> traffic_texts() {
  return kTexts;
}

}  // namespace loadfactor::report
