// What is said of prices, of ways to pay and of what is on sale.
#include "report/describe/notice_texts.h"

namespace loadfactor::report {
namespace {

constexpr NoticeText kTexts[] = {
    {"api-alone",
     "no GPUs of these do it: {refusal}. The API alone is priced, and no price list says which "
     "times it keeps"},
    {"api-not-asked", "money.options has no api: fleets are not weighed against one here"},
    {"api-sells-no-training",
     "money.options lists the API alone, which sells served tokens and no training: priced "
     "rented on demand instead; write money.options: [on-demand]"},
    {"assumed-full",
     "how full it is is not said: a load factor of 100 % is assumed; capacity.load_factor sets "
     "it"},
    {"assumed-token-mix", "{share} of the tokens are assumed to go in; api.input_share sets it"},
    {"budget-missed", "the budget of {limit} is missed"},
    {"budget-without-rent", "limits.budget cannot be judged: no way to pay has a price"},
    {"budget-without-rent",
     "{accelerator} has no rent in our price list: the budget does not bind it"},
    {"catalogue-price",
     "{accelerator} is priced at {price} per hour, {term}, by the catalogue; --price or --scenario "
     "says what you pay"},
    {"currency",
     "all money is in {code}, {rate} of which are a US dollar< ({date})>; prices of the catalogue "
     "are converted"},
    {"dear-spot",
     "{accelerator} on spot costs more than on demand: it pays {hours_paid} hours for each "
     "useful one, being taken away every {interval}"},
    {"dearer-than-budget",
     "the cheapest way costs <{month} a month><{run}>, and limits.budget is {budget}"},
    {"default-electricity",
     "electricity as in Texas is assumed; money.electricity or money.region sets it"},
    {"falling-api-price",
     "tokens keep their price in the plan of today; over the years it halves every {years} years, "
     "as that of mid-size models has: api.half_life sets it"},
    {"flat-api-price",
     "tokens are taken to keep their price; those of mid-size models have halved every {years} "
     "years: api.half_life sets it"},
    {"hours-paid",
     "{option}: {paid} of the {gpus} GPUs are paid for on average; {load} of those hours carry "
     "work, "
     "and {fleet_load} of all hours of {gpus} GPUs"},
    {"instances-unknown",
     "the sizes in which {provider} rents out {accelerator} are not known: any number is priced; "
     "rent.instance says how many GPUs its smallest machine has"},
    {"median-api",
     "{providers} providers sell it, for {least} to {most} USD/M tokens at this mix of tokens; the "
     "middle one is taken: {provider} (api.provider sets another)"},
    {"more-gpus-than-allowed", "{gpus} GPUs are priced, and limits.gpus is {limit}"},
    {"no-api", "no API sells this model in the catalogue: there is no break-even against one"},
    {"no-price", "{what} is left out: {why}"},
    {"no-rent", "nobody rents out {accelerator} in our price list: no cost is given"},
    {"no-rent", "no rent of {unrented} is known: costs are left out"},
    {"no-rent",
     "no price of {unpriced} is known in the ways to pay that are asked for: ranked last, by "
     "GPU-hours"},
    {"not-priced", "{refusal}"},
    {"owned-share",
     "owned machines are charged for the run's share of their life: that holds if they are as "
     "busy for the rest of it"},
    {"rent-of-another-term",
     "{accelerator}: our price list has no rent {term}; {price} {offered} stand for it"},
    {"rent-over-budget",
     "the cheapest run< that meets the deadline{by_deadline}> costs <{cost}> at the rent, and the "
     "budget is {budget}<; within it the soonest takes {soonest}><; within it the soonest takes "
     "longer{longer}>: only {gpus} × {accelerator}, paid {option}, is within it"},
    {"resolved-capacity",
     "the machine is the <deployment that `serve` answers for{deployment}><run that `train` lays "
     "out{laid_out_run}>; `plan` sizes it to its cost"},
    {"scenario-price",
     "{accelerator} is priced at {price} per hour, {term}, as the scenario {scenario} pays; "
     "--price says what you pay"},
    {"server-added",
     "no server of {accelerator} has a price in the catalogue: chassis, host and network cards "
     "are added at {share} of the chip's price, as in the servers that have one"},
    {"stale-price", "older than {days} days: {prices}"},
    {"unasked-terms",
     "<{key} is left out: money.options does not list that way to pay><{keys} are left out: "
     "money.options does not list those ways to pay>"},
    {"unheard-of-price",
     "{what} is {price}, and what the catalogue knows of such prices lies from {low} to {high}: is "
     "the unit right?"},
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
    {"whole-machines",
     "{option}: the service needs {gpus} GPUs, which are sold in whole machines; {load} of what is "
     "paid for carries work"},
};

}  // namespace

std::span<const NoticeText> money_texts() {
  return kTexts;
}

}  // namespace loadfactor::report
