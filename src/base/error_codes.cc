#include "base/error_codes.h"

#include <algorithm>
#include <array>

namespace loadfactor {
namespace {

constexpr ErrorKind kInput = ErrorKind::kInvalidInput;

// Sorted by code; a test holds it to that, and to one row per constant of the header.
constexpr std::array kErrorCodes{
    ErrorCodeRow{lf::kDoesNotFit, ErrorKind::kInfeasible, "does not fit in memory",
                 "weights, KV cache, activations and the engine's reserve together exceed what the "
                 "accelerators can hold, so no answer to the question exists as asked",
                 "use more accelerators, a smaller number format or a shorter context: `--tp 8`, "
                 "`--quant fp8`, `--context 8192`"},
    ErrorCodeRow{lf::kNotDivisible, kInput, "a count that must divide another does not",
                 "heads, layers, experts and batches are split evenly; an uneven split would need "
                 "padding that the frameworks do not do",
                 "choose a divisor: 64 attention heads take `tp: 4` or `tp: 8`, not `tp: 6`"},
    ErrorCodeRow{lf::kOutsideScaleUpDomain, kInput, "a group leaves the scale-up domain",
                 "tensor parallelism exchanges data in every layer; across the slower network "
                 "between nodes it costs more than it saves",
                 "keep the group within one node: `tp: 8` on an 8-GPU node, and `pp: 2` for the "
                 "rest"},
    ErrorCodeRow{lf::kContextTooLong, kInput, "context longer than the model was made for",
                 "the model's positions end there; what lies beyond is not the same model",
                 "shorten the context to the model's limit, such as `--context 131072`, or choose "
                 "a long-context variant"},
    ErrorCodeRow{lf::kUnsupportedDtype, kInput, "number format the accelerator does not have",
                 "the catalogue gives no rate for this format on this accelerator, and guessing "
                 "one would be wrong by a factor of two or more",
                 "use a format that it has, such as `--quant fp8` on h100-sxm; `loadfactor catalog "
                 "gpus h100-sxm` lists them"},
    ErrorCodeRow{lf::kObjectiveLacks, kInput, "an objective that the scenario cannot answer",
                 "a cost by a deadline needs the deadline and the number of tokens; without them "
                 "no layout can be said to meet it",
                 "write `train: {tokens: 1 T, deadline: 30 days}`, or ask for `--objective time`"},
    ErrorCodeRow{lf::kNoPlan, ErrorKind::kInfeasible, "no plan meets all limits",
                 "every machine was excluded by a limit of the scenario, or none of its layouts "
                 "fits in memory or meets deadline and budget, or the one that was written does "
                 "not",
                 "raise the limit that the answer names: `limits: {gpus: 2048}`, a larger budget, "
                 "a later deadline, or other `hardware`"},
    ErrorCodeRow{
        lf::kSloOutOfReach, ErrorKind::kInfeasible, "an objective no load can meet",
        "one request alone on the deployment already takes longer than the objective allows; "
        "fewer requests or more replicas do not make it faster",
        "raise the objective, or make one request faster: more `tp`, a narrower `precision`, a "
        "faster `gpu`"},
    ErrorCodeRow{
        lf::kOverloaded, ErrorKind::kInfeasible, "more requests than the replicas can serve",
        "requests arrive faster than all replicas together finish them when saturated, so the "
        "queue grows without end",
        "raise `replicas` to the number named, or leave it blank to have it chosen"},
    ErrorCodeRow{
        lf::kNotRequests, kInput, "a trace that cannot be replayed",
        "a simulation serves requests one by one, and this file has rates, jobs or lengths "
        "without times",
        "give a trace with one row per request: `arrival_s,input_tokens,output_tokens`"},
    ErrorCodeRow{lf::kUnknownRouter, kInput, "no router of that name",
                 "requests reach replicas by one of four rules",
                 "write `--router least-loaded`, `round-robin`, `cache-aware` or `session`"},
    ErrorCodeRow{
        lf::kNothingServed, ErrorKind::kInfeasible, "no request of the demand can be served",
        "every request is longer than the model's context or than the KV cache of a replica",
        "shorten the requests, or give a replica more memory: `tp: 2`, `kv: fp8`"},
    ErrorCodeRow{
        lf::kUnsoundRules, kInput, "rules that contradict each other",
        "the scheduler, the router or the scaling was given bounds that exclude each other",
        "change the bound that the message names, such as `max_seqs`"},
    ErrorCodeRow{lf::kNothingToFill, kInput, "a fleet that cannot be filled",
                 "the scenario names neither demand nor jobs, so that nothing says how full the "
                 "GPUs would be",
                 "add `demand: {requests_per_month: 9.6 M, tokens_in: 2000, tokens_out: 400}`"},

    ErrorCodeRow{lf::kSparsePeak, kInput, "a sparse peak where a dense one is meant",
                 "vendors print rates with 2:4 structured sparsity, twice what dense matrices "
                 "reach; efficiencies here are always of the dense peak",
                 "write the dense rate: `bf16: 989 TFLOP/s` for an H100, not `1979 TFLOP/s`"},
    ErrorCodeRow{lf::kMissingUnit, kInput, "a quantity without a unit",
                 "a bare number could be bits or bytes, seconds or milliseconds, and each guess is "
                 "wrong for somebody",
                 "write number and unit together: `400 Gb/s`, `80 GB`, `30 days`"},
    ErrorCodeRow{lf::kWrongUnit, kInput, "a unit that is unknown or measures something else",
                 "the unit must be one we know and must measure what the key asks for; case "
                 "matters, for `Gb` is a gigabit and `GB` a gigabyte",
                 "write a unit of the right kind: `bandwidth: 3.35 TB/s`, not `3.35 TB`"},
    ErrorCodeRow{lf::kBidirectionalBandwidth, kInput, "a bandwidth that counts both directions",
                 "links are often sold by the sum of both directions; every bandwidth here is per "
                 "direction",
                 "halve it: NVLink 4 is `450 GB/s` per GPU and direction, not `900 GB/s`"},
    ErrorCodeRow{lf::kAbsurdMagnitude, kInput, "a magnitude no such thing has",
                 "the value is far outside what exists, which almost always means another prefix "
                 "or another unit was meant",
                 "check the prefix: memory bandwidth is `3.35 TB/s`, not `3.35 GB/s`"},
    ErrorCodeRow{lf::kNotFinite, kInput, "not a finite number",
                 "infinity, not-a-number and numbers too large or too small to be held make every "
                 "answer meaningless",
                 "write an ordinary number, such as `1.5e12`, or leave the key out"},
    ErrorCodeRow{lf::kOutOfRange, kInput, "a number outside its range",
                 "the number is finite, but the thing it describes cannot have it: a negative "
                 "size, a share above one",
                 "write a value within the range that the message gives, such as `0.9` or `90 %`"},
    ErrorCodeRow{lf::kNotANumber, kInput, "text where a number belongs",
                 "numbers are written with digits, at most one point and an optional exponent; "
                 "separators are refused, for a comma is a decimal point to half of the world",
                 "write `1353283`, `1.5` or `9.6e6`"},
    ErrorCodeRow{lf::kInconsistentFigures, kInput, "figures that contradict each other",
                 "two figures of one entry imply a third, and the entry states it differently; one "
                 "of them is wrong",
                 "correct the one that the source does not support, such as `gpus: 16` for `tp: 8` "
                 "and `pp: 2`"},

    ErrorCodeRow{lf::kNoCurrency, kInput, "a price without a currency",
                 "an amount of money means nothing without its currency, and a guess is worse "
                 "than a question",
                 "write `2.95 USD/GPU-hour`; convert other currencies first and note the date"},
    ErrorCodeRow{lf::kPriceNotFound, kInput, "no price for this",
                 "the price book has no entry for the accelerator, provider and term asked for, or "
                 "the table of facilities has no such figure; unknown is not zero",
                 "give your own: `rent: 2.95 USD/GPU-hour`, or see `loadfactor catalog prices`"},
    ErrorCodeRow{lf::kStalePrice, kInput, "a price too old to be used silently",
                 "rents have halved within a year before; an old price decides the answer without "
                 "saying so",
                 "give a current one with its date: `{price: 2.95 USD/GPU-hour, as_of: "
                 "2026-09-01}`"},
    ErrorCodeRow{lf::kPlaceholderPrice, kInput, "a placeholder where a price belongs",
                 "price lists carry 0, 999 or 'contact us' for what they do not sell at a list "
                 "price; taken as numbers they win or lose every comparison",
                 "leave the row out, or write the quoted price: `2.95 USD/GPU-hour`"},
    ErrorCodeRow{lf::kAmbiguousAccelerator, kInput, "a product name that fits several accelerators",
                 "a cloud's name for a machine fits more than one accelerator, and their prices "
                 "and speeds differ",
                 "name the exact one: `h100-sxm` or `h100-pcie`, not `H100`"},
    ErrorCodeRow{lf::kNoPeriod, kInput, "a price without a period",
                 "a rent or a running cost is money per time; an amount alone may be of an hour, a "
                 "month or the whole term",
                 "write the period: `3.55 USD/GPU-hour`, `7500 USD/month`"},
    ErrorCodeRow{lf::kFutureDate, kInput, "a price dated in the future",
                 "a price has been seen on a day that has not come yet; either the date is "
                 "mistyped or the price is a forecast",
                 "write the day it was seen, such as `as_of: 2026-09-01`"},
    ErrorCodeRow{lf::kNoCapacity, kInput, "nothing to price",
                 "the question of cost needs to know how many GPUs there are and how full they "
                 "are, and the scenario does not say",
                 "add `capacity: {gpus: 8, rate: 1200 tokens/s/GPU, load_factor: 40 %}`"},
    ErrorCodeRow{lf::kMixTooSmall, ErrorKind::kInfeasible,
                 "a way to pay that cannot carry the work",
                 "its limits lie below what is needed: fewer GPUs than the busiest hour, fewer "
                 "tokens than are carried, or a gang on spot that is interrupted faster than it "
                 "recovers",
                 "raise the limit, such as `own: {most: 128}` or `api: {limit: 50000 tokens/s}`, "
                 "or leave it out"},
    ErrorCodeRow{lf::kBadOverride, kInput, "a value to set that cannot be set",
                 "`--set` takes the path of a value in the scenario and its new value; the path "
                 "runs through maps by name and through lists by number, from 0",
                 "write `--set money.electricity='0.1 USD/kWh'` or `--set hardware.0=h200-sxm`"},
    ErrorCodeRow{
        lf::kNoOptionPriced, ErrorKind::kInfeasible, "no way to pay has a price",
        "for none of the options asked for is a price known; unknown is not zero, so "
        "there is nothing to compare",
        "give prices: `rent: {on_demand: 2.95 USD/GPU-hour}` or `own: {price: 40000 USD}`"},
    ErrorCodeRow{lf::kNetworkTooLarge, ErrorKind::kInfeasible, "a network that cannot be built",
                 "the topology cannot join so many endpoints with switches of that many ports",
                 "take another topology or larger switches: `network: {radix: 144}`"},
    ErrorCodeRow{lf::kNoLegalCooling, ErrorKind::kInfeasible, "no cooling that is legal",
                 "under the limit of a rack not even one node can be cooled in any of the ways the "
                 "catalogue knows",
                 "raise `limits.rack_power`, or choose a smaller node"},

    ErrorCodeRow{lf::kUnknownAccelerator, kInput, "no accelerator of that name",
                 "the catalogue and your overlays have no such entry",
                 "write a known name, such as `h100-sxm`; `loadfactor catalog gpus` lists all"},
    ErrorCodeRow{lf::kUnknownModel, kInput, "no model of that name",
                 "the catalogue and your overlays have no such entry",
                 "write a known name, such as `llama-3.1-8b`, or give the model's own file: "
                 "`{config: ./config.json}`"},
    ErrorCodeRow{lf::kUnknownNode, kInput, "no node of that name",
                 "the catalogue and your overlays have no such entry",
                 "write a known name, such as `hgx-h100`; `loadfactor catalog nodes` lists all"},
    ErrorCodeRow{lf::kUnknownFabric, kInput, "no fabric of that name",
                 "the catalogue and your overlays have no such entry",
                 "write a known name, such as `infiniband-ndr`; `loadfactor catalog fabrics` lists "
                 "all"},
    ErrorCodeRow{lf::kUnknownSource, kInput, "a source that the bibliography does not have",
                 "every figure names where it comes from, and the name must lead somewhere",
                 "add the document to SOURCES.md, or mark the block `kind: assumed`"},
    ErrorCodeRow{lf::kAmbiguousName, kInput, "a name that fits several entries",
                 "the spelling leaves open which entry is meant, and choosing for you would hide "
                 "it",
                 "write the full name: `llama-3.1-70b`, not `llama-70b`"},
    ErrorCodeRow{lf::kUnsupportedModelType, kInput, "a kind of model that cannot be computed",
                 "the architecture in config.json has parts whose parameters and operations we do "
                 "not know how to count",
                 "give the dimensions by hand, or the folder with `model.safetensors.index.json` "
                 "for the sizes"},
    ErrorCodeRow{lf::kUnknownRegion, kInput, "no region of that name",
                 "electricity price and climate are kept by region, and there is none so called",
                 "write a known name, such as `us-east`, or give the price itself: `electricity: "
                 "0.09 USD/kWh`"},
    ErrorCodeRow{lf::kUnknownQuantity, kInput, "no quantity or code of that name to explain",
                 "`loadfactor explain` knows the quantities of the answers and the codes of the "
                 "errors",
                 "write one of those that it lists without an argument, such as `loadfactor "
                 "explain LF202`"},
    ErrorCodeRow{lf::kUnknownEngine, kInput, "no engine of this name",
                 "the name matches no serving engine of the catalogue",
                 "write `--engine vllm`; `loadfactor catalog engines` lists all"},
    ErrorCodeRow{
        lf::kBadAnchor, kInput, "a measured run that says nothing",
        "an anchor scales the prediction by one measurement of the same deployment; without a "
        "figure and the load it was measured under there is nothing to scale by",
        "write `--anchor tpot_ms=12.5,concurrency=16`, or name a JSON file with such keys"},
    ErrorCodeRow{lf::kUnknownDevice, kInput, "a measured device that no catalogue entry names",
                 "the name the driver gives matches no accelerator, so there is nothing to refit",
                 "name it yourself: `loadfactor calibrate probe.json --gpu h200-sxm`"},

    ErrorCodeRow{lf::kSyntax, kInput, "not well-formed",
                 "the file ends early, or a bracket, quote or indentation is wrong, so nothing "
                 "after this place can be trusted",
                 "mend the line shown; in YAML a list item is `- name` and a pair is `key: value`"},
    ErrorCodeRow{lf::kUnknownKey, kInput, "a key that nobody reads",
                 "unknown keys are never ignored: a misspelt limit would silently not apply",
                 "correct the spelling (`tensor_parallel`, not `tensor_paralel`) or remove the "
                 "line"},
    ErrorCodeRow{lf::kDuplicateKey, kInput, "the same key twice",
                 "one of the two values would be dropped, and readers differ in which",
                 "keep one of the lines, such as the second `gpus: 16`"},
    ErrorCodeRow{lf::kMissingKey, kInput, "a required key is missing",
                 "the question cannot be answered without it, and a default would be a guess",
                 "add the key that the message names, such as `model: llama-3.1-8b`"},
    ErrorCodeRow{lf::kWrongType, kInput, "a value of another type",
                 "a list stands where a number is meant, a text where a map is meant, or the like",
                 "write the type that the message names: `gpus: 8`, not `gpus: [8]`"},
    ErrorCodeRow{lf::kUnknownWord, kInput, "not one of the allowed words",
                 "the key takes a word of a closed list, and this is none of them",
                 "write one of the words that the message lists, such as `recompute: selective`"},
    ErrorCodeRow{lf::kTooDeep, kInput, "nested too deeply",
                 "no file of ours is that deep; such input is a mistake or an attack",
                 "flatten the value; a scenario needs four levels at most, such as `serve: {slo: "
                 "{ttft_p95: 1.5 s}}`"},
    ErrorCodeRow{lf::kTooLarge, kInput, "a file or value that is too large",
                 "no file of ours is that large; such input is a mistake or an attack",
                 "pass the file that was meant: config.json, not the weights; split a long trace"},
    ErrorCodeRow{lf::kBadEncoding, kInput, "not valid UTF-8",
                 "text is read as UTF-8, and some bytes are not",
                 "convert the file first: `iconv -f latin1 -t utf-8 old.csv > new.csv`"},
    ErrorCodeRow{lf::kBadDate, kInput, "not a date",
                 "dates are written year first, so that they sort and no one reads them backwards",
                 "write `2026-09-01`, `2026-09` or `2026`"},
    ErrorCodeRow{lf::kWrongSchema, kInput, "a file of another kind or version",
                 "the file's `schema:` or `loadfactor:` line says that it is not what is expected "
                 "here",
                 "pass a file of the right kind, or correct the line: `schema: gpu/1`"},
    ErrorCodeRow{lf::kEmptyFile, kInput, "an empty file",
                 "there is nothing in it to read, which is hardly what was meant",
                 "write something into it; `loadfactor init` makes a scenario to start from"},
    ErrorCodeRow{lf::kMissingColumn, kInput, "a table without a required column",
                 "the header line does not name a column that is needed",
                 "add it, or rename the column that holds it: `timestamp,tokens_in,tokens_out`"},
    ErrorCodeRow{lf::kRaggedRow, kInput, "a row with too few or too many cells",
                 "its cells cannot be matched to the header, often because a comma stands in an "
                 "unquoted text",
                 "quote the text: `\"a, b\",3`"},
    ErrorCodeRow{lf::kDuplicateName, kInput, "two entries of one name",
                 "names are how entries are found, so one of the two could never be",
                 "rename one, such as `h100-sxm-ours`, or move it to an overlay to replace the "
                 "other"},
    ErrorCodeRow{lf::kAnchorRefused, kInput, "YAML anchors, aliases and tags are refused",
                 "an alias can repeat a value a billion times and hides what a line says; in "
                 "manifests of others they are followed where their anchors stand before them",
                 "write the value out where it is used: `gpu: h100-sxm`, not `gpu: *gpu`"},
    ErrorCodeRow{lf::kChecksumMismatch, kInput, "content that differs from its checksum",
                 "the file is not the one that was recorded: damaged, edited or another version",
                 "fetch it again, or record the new one: `sha256sum prices.csv`"},
    ErrorCodeRow{lf::kNothingUsable, kInput, "nothing usable in the file",
                 "the file was read, but every row was skipped for the reasons given",
                 "mend the first row that the message names, such as a missing `tokens_in`"},
    ErrorCodeRow{lf::kNameMismatch, kInput, "a name that differs from its file's",
                 "an entry of the catalogue is found by the name of its file, so both must agree",
                 "put `name: my-gpu` into `hardware/accelerators/my-gpu.yaml`"},
    ErrorCodeRow{lf::kStrayFile, kInput, "a file the catalogue has no place for",
                 "a file in an unknown folder would be ignored in silence",
                 "put models into `models/`, chips into `hardware/accelerators/`, and so on"},
    ErrorCodeRow{lf::kContradictoryKeys, kInput, "keys that exclude each other",
                 "the keys answer the same question in two ways, or one makes the other "
                 "meaningless; choosing one silently would hide the mistake",
                 "keep one of them: `trace: requests.csv` or `requests_per_month: 9.6 M`, not "
                 "both"},
    ErrorCodeRow{lf::kInexpressible, kInput, "a key that the target of `emit` cannot express",
                 "the launcher or engine has no flag for it, so that what is launched would not be "
                 "what was predicted",
                 "choose a target that has it, or change the key: `--set train.layout.pp=1`"},
    ErrorCodeRow{lf::kNothingLaunched, kInput, "a file that launches nothing we know",
                 "no launcher, no serving engine and no list of hardware was found in it",
                 "give a launch script, a manifest, a configuration, or the output of `ps`, "
                 "`nvidia-smi -L` or `scontrol show nodes`"},
    ErrorCodeRow{lf::kNotDemand, kInput, "a file that is no demand",
                 "neither requests, nor rates, nor jobs, nor metrics can be found in it; columns "
                 "are found by their names in the first row",
                 "name them: `timestamp,input_tokens,output_tokens`, `window_start,window_s,rate` "
                 "or `submit_time,start_time,end_time,gpus`"},
    ErrorCodeRow{lf::kBrokenArchive, kInput, "a gzip file that cannot be unpacked",
                 "the archive is cut off or damaged, so that what it held is not known",
                 "fetch it again; `gzip -t FILE.gz` tests it"},
    ErrorCodeRow{lf::kUnknownPreset, kInput, "a traffic preset that does not exist",
                 "traffic can be generated only from a preset of the catalogue or from a fit",
                 "write `shape: global-chat`, or fit your own: `loadfactor demand FILE --fit`"},
    ErrorCodeRow{lf::kAmbiguousDates, kInput, "dates that can be read in two ways",
                 "`03/04/2026` is in March or in April, and no date of the file has a number above "
                 "twelve that would tell",
                 "say which comes first: `loadfactor demand FILE --dates month-first`"},
    ErrorCodeRow{lf::kTooManyTokens, kInput, "a request longer than any can be",
                 "no model reads or writes a hundred million tokens in one request",
                 "look whether the column counts bytes: `input_tokens` is what one request reads"},
    ErrorCodeRow{lf::kNotAWeek, kInput, "a shape that is not a week",
                 "a shape says how traffic goes through a whole week, part by part of equal length",
                 "write 168 rows, one for each hour from Monday 0 h UTC on: `shape: {file: "
                 "week.csv}`"},
    ErrorCodeRow{lf::kNotHonoured, kInput, "a key that the verb cannot honour",
                 "the answer would leave out what the key asks for, and look as if it did not",
                 "ask the verb that the message names, or leave the key out: `--set "
                 "serve.regions=`"},
    ErrorCodeRow{lf::kUnknownMeasurement, kInput, "a measurement of no known kind",
                 "the file is neither a probe's JSON nor a result or log of a tool we can read",
                 "give the file a tool wrote, unedited: `loadfactor calibrate probe.json`"},
    ErrorCodeRow{lf::kNoMeasurement, kInput, "a measurement without figures",
                 "the kind of the file is known, but no row of it has all that is needed, or its "
                 "own checks failed",
                 "measure again and keep the whole output: `loadfactor probe -o probe.json`"},

    ErrorCodeRow{lf::kCannotRead, ErrorKind::kUnavailable, "a file that cannot be read",
                 "the system refused: it does not exist, is a folder, or may not be read",
                 "check the path and the permissions: `ls -l scenario.yaml`"},
    ErrorCodeRow{lf::kCannotWrite, ErrorKind::kUnavailable, "a file that cannot be written",
                 "the system refused: no such folder, no permission, or the disk is full",
                 "write elsewhere: `-o /tmp/answer.json`"},
    ErrorCodeRow{lf::kUsage, kInput, "a command line that is not understood",
                 "a verb, flag or argument is unknown, missing or given twice",
                 "see `loadfactor VERB --help`, such as `loadfactor fit --help`"},
    ErrorCodeRow{lf::kNoProbe, ErrorKind::kUnavailable,
                 "nothing to measure, or nothing to measure with",
                 "no accelerator was found, or this copy was built without the probe",
                 "build it where the accelerator is: `cmake -S src/probe -B build/probe && cmake "
                 "--build build/probe`"},
    ErrorCodeRow{
        lf::kCancelled, ErrorKind::kUnavailable, "cancelled before there was an answer",
        "Ctrl-C, or whoever asked, ended the question; nothing useful was found yet",
        "ask again, and for less: `--draws 256`, `--weeks 1`, fewer `hardware` candidates"},
    ErrorCodeRow{lf::kNoMemory, ErrorKind::kUnavailable, "memory ran out",
                 "the system gave no more memory or threads, or a limit was set on this process",
                 "raise the limit, or use fewer threads: `ulimit -v unlimited`, `--threads 1`"},

    ErrorCodeRow{lf::kInternal, ErrorKind::kInternal, "our bug",
                 "an assumption inside loadfactor did not hold; the input is not at fault",
                 "please report it with the input and the output of `loadfactor doctor`"},
};

}  // namespace

std::span<const ErrorCodeRow> error_codes() {
  return kErrorCodes;
}

const ErrorCodeRow* find_error_code(int code) {
  const auto* row = std::lower_bound(
      kErrorCodes.begin(), kErrorCodes.end(), code,
      [](const ErrorCodeRow& candidate, int wanted) { return candidate.code < wanted; });
  return row != kErrorCodes.end() && row->code == code ? &*row : nullptr;
}

int exit_status(int error_code) {
  constexpr int kOurBug = 70;
  constexpr int kInterrupted = 130;  // As a shell has it for what Ctrl-C ended.
  if (error_code == lf::kCancelled) return kInterrupted;
  const ErrorCodeRow* row = find_error_code(error_code);
  if (row == nullptr) return kOurBug;
  switch (row->kind) {
    case ErrorKind::kInvalidInput:
      return 2;
    case ErrorKind::kInfeasible:
      return 3;
    case ErrorKind::kUnavailable:
      return 4;
    case ErrorKind::kInternal:
      return kOurBug;
  }
  return kOurBug;
}

}  // namespace loadfactor
