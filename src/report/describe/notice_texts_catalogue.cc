// What is said of models, chips and sites that the catalogue or a file describes.
#include "report/describe/notice_texts.h"

namespace loadfactor::report {
namespace {

constexpr NoticeText kTexts[] = {
    {"announced-chip",
     "{accelerator} is announced for {year} and cannot be had yet: its figures are the maker's; "
     "`plan --years` counts when it comes"},
    {"assumed-facts", "assumed, without a document behind it: {facts}"},
    {"assumed-shape", "only the size is given: its layers and heads are assumed"},
    {"assumed-shape",
     "only the size is given: {layers} layers of width {width} with {heads} heads of "
     "{head_width} assumed; write the dimensions to change that"},
    {"beyond-limits",
     "GPUs instead: {machines} <one node draws {node_drawn} of the {rack} that a rack has><with "
     "spares, {gpus_with_spares} GPUs in all, it ><draws {drawn} of the {site} that the site has, "
     "which feed {fed}>"},
    {"beyond-limits", "GPUs instead: {gpus_needed} are needed, and the limit is {gpus_allowed}"},
    {"borrowed-constants",
     "{accelerator} has no measurements of its own: the efficiencies of {lender} are used, and "
     "the interval is wider"},
    {"counted-tower",
     "{parameters} of the parameters are the {reads} encoder and what joins it to the text; they "
     "are counted in the weights, and no text goes through them"},
    {"doubted-chip",
     "published results on {accelerator} lie further off than those of other chips, and why is not "
     "known: intervals are as wide as they ask<; a step: a factor of {step}><; tokens per second: "
     "a "
     "factor of {throughput}><; the time per token: a factor of {tpot}><; the first token: a "
     "factor "
     "of {ttft}>"},
    {"far-off",
     "{file}: '{kernel}' is {error} off after the refit: this is no usual {chip}, or it was held "
     "back while it was measured"},
    {"foreign-stack",
     "{engine} is not known to run on {accelerator}: read this as memory arithmetic only"},
    {"foreign-stack",
     "no run of {stack} on {accelerator} is known to us: its own software will differ"},
    {"gguf",
     "GGUF weights are not known: the released format is assumed; --quant int4 comes near a "
     "4-bit file"},
    {"import", "{found}"},
    {"incomplete-checkpoint",
     "the checkpoint holds {stored} parameters, its config describes {described}"},
    {"no-arithmetic",
     "{accelerator} has no {format} arithmetic: its products are counted at the {rate} rate"},
    {"no-arithmetic",
     "{accelerator} has no {stored_format} arithmetic: weights are kept in it, which saves "
     "their bytes, and multiplied in 16 bits"},
    {"no-legal-cooling", "{code}: under the limit of a rack no way of cooling takes even one node"},
    {"one-site",
     "kernels of each chip are refitted; terms of steps and their intervals are those of {chip} "
     "alone, since a folder has one site"},
    {"power-of-chip-alone", "no node of {accelerator} is known: power is the chip's alone"},
    {"quantisation-by-name", "weights in {format} because the name says so; --quant sets it"},
    {"remark", "{remark}"},
    {"rows-without-weight",
     "{unweighted} of {scored} rows have no weight and do not count in the weighted figures"},
    {"site-calibrated", "calibrated by {measurements} of this site ({date})"},
    {"site-power", "the site would draw {drawn} at its rating; {allowed} are allowed"},
    {"uncounted-tower",
     "the {reads} tower is not known: its parameters are in none of these figures"},
    {"unread-keys", "`{verb}` does not read {keys}"},
};

}  // namespace

std::span<const NoticeText> catalogue_texts() {
  return kTexts;
}

}  // namespace loadfactor::report
