#include "report/explain/explain_words.h"

#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/layout_text.h"
#include "report/describe/answers.h"
#include "report/describe/option_words.h"
#include "report/train/step_words.h"

namespace loadfactor::report {
namespace {

using engine::ExplainNode;
using engine::Term;

// The answer whose field a leaf is.
enum class Described : std::uint8_t { kNowhere, kTrain, kFit };

struct TermWords {
  Term term;
  std::string_view text;  // {} stands for which one.
  Described described = Described::kNowhere;
  std::string_view field = {};
};

// In the order of the enumeration.
constexpr std::array<TermWords, static_cast<std::size_t>(Term::kCount)> kWords{{
    {Term::kTokensPerMonth, "tokens a month"},
    {Term::kTokensPerSecond, "", Described::kTrain, "tokens_per_s"},
    {Term::kFullPlane, "full plane"},
    {Term::kRequestTokens, "tokens of a request"},
    {Term::kTokensIn, "tokens in"},
    {Term::kTokensOut, "tokens out"},
    {Term::kGoodput, "", Described::kTrain, "goodput"},
    {Term::kPaidShareOfRun, "share of the paid time that steady steps take"},
    {Term::kDemand, "requests per second of the demand"},
    {Term::kLoadFactor, "load factor"},
    {Term::kInputPrice, "price of a token in"},
    {Term::kMixedInputPrice, "price of a token in, some cached"},
    {Term::kUncachedPart, "not cached"},
    {Term::kCachedPart, "cached"},
    {Term::kCachedPrice, "price of a cached token"},
    {Term::kTokenPrice, "price of a token"},
    {Term::kInputPart, "in"},
    {Term::kOutputPart, "out"},
    {Term::kOutputPrice, "price of a token out"},
    {Term::kApiCost, "cost of the API a month"},
    {Term::kFixedCost, "paid whether or not it works"},
    {Term::kPeople, "people"},
    {Term::kFullWorkEnergy, "energy of work, when full"},
    {Term::kFullWork, "what work costs, when full"},
    {Term::kForgoneResale, "idle hours that full machines do not sell"},
    {Term::kCostPerMonth, "cost a month"},
    {Term::kWorkEnergy, "energy of work"},
    {Term::kPaidLoadFactor, "load factor of the hours paid for"},
    {Term::kFullMonthAtApi, "a full month at the API's price"},
    {Term::kFullMonthPaidFor, "of the hours that are paid for"},
    {Term::kFullMonthSaves, "what a full month saves"},
    {Term::kBreakEven, "break-even"},
    {Term::kBoundTime, "time that it binds, or terms and the rest by the hour"},
    {Term::kRunCost, "cost of the run"},
    {Term::kMonths, "months"},
    {Term::kGpus, "GPUs"},
    {Term::kGpusOfReplica, "GPUs of a replica"},
    {Term::kPaidShare, "share of the hours that is paid for"},
    {Term::kMeanPaidGpus, "GPUs paid for, on average"},
    {Term::kServedRequests, "requests per second that are served"},
    {Term::kServedShare, "share that is served"},
    {Term::kTokenShare, "share of tokens"},
    {Term::kSaturatedRate, "requests per second when saturated"},
    {Term::kReplicas, "replicas"},
    {Term::kReplicaRate, "of one replica"},
    {Term::kRunningSequences, "sequences that run"},
    {Term::kSequenceTime, "time of each"},
    {Term::kTimePerToken, "time per token, with its share of prompts"},
    {Term::kMachines, "machines"},
    {Term::kBesideMachines, "what comes with it"},
    {Term::kMeanActiveGpus, "GPUs that are on, on average"},
    {Term::kOwnedGpus, "GPUs owned"},
    {Term::kBaseWorkEnergy, "energy of work of the base"},
    {Term::kReservedGpus, "GPUs reserved"},
    {Term::kMeanRentedGpus, "GPUs rented, on average"},
    {Term::kMixedMachines, "machines of the mix"},
    {Term::kOwnedMachines, "owned machines"},
    {Term::kRentOfGpu, "rent of a GPU"},
    {Term::kRentExtras, "support, faults and surcharge, over the rent"},
    {Term::kSpotHours, "hours paid for each hour of work"},
    {Term::kRent, "rent"},
    {Term::kMillionTokens, "a million tokens"},
    {Term::kMillionTokensCost, "cost of a million tokens"},
    {Term::kTokenCost, "cost of a token"},
    {Term::kTokensOfRun, "tokens of the run"},
    {Term::kStages, "time of the steps of all stages"},
    {Term::kStageWork, "steps of a stage"},
    {Term::kStageRate, "tokens a second of the stage"},
    {Term::kNoGpus, "GPUs to have, with the API"},
    {Term::kMonth, "a month"},
    {Term::kGpuEnergy, "energy of a GPU"},
    {Term::kElectricalLoad, "share of it that work draws"},
    {Term::kPue, "PUE"},
    {Term::kElectricity, "price of electricity"},
    {Term::kDrawShare, "share of the time or draw"},
    {Term::kOwnedAllIn, "owning a GPU, all in"},
    {Term::kSpace, "space"},
    {Term::kSpacePrice, "price of space"},
    {Term::kMaintenance, "maintenance"},
    {Term::kInsurance, "insurance"},
    {Term::kYearly, "a year of it"},
    {Term::kPriceShare, "share of the price"},
    {Term::kStaff, "staff"},
    {Term::kSoftware, "software"},
    {Term::kOutOfOrder, "hours out of order"},
    {Term::kIdleGpu, "a GPU that is owned and idle"},
    {Term::kLastDollar, "a dollar at the end of the life"},
    {Term::kDiscountFactor, "1 + discount"},
    {Term::kOne, "1"},
    {Term::kDiscount, "discount a year"},
    {Term::kNegativeYears, "years, negative"},
    {Term::kSpread, "spread over the life"},
    {Term::kYears, "years"},
    {Term::kUsedDollar, "1 less that dollar"},
    {Term::kUsedShare, "share of the price that is used up"},
    {Term::kWhole, "all of it"},
    {Term::kDiscountedResidual, "residual, discounted"},
    {Term::kResidual, "residual"},
    {Term::kCapital, "capital"},
    {Term::kYearOfCapital, "a year of capital"},
    {Term::kInstalledPrice, "price of a GPU, installed"},
    {Term::kClusterFactor, "with what a cluster needs beside it"},
    {Term::kClusterExtras, "optics, cables, switches, insurance"},
    {Term::kNodeShare, "share of a node"},
    {Term::kGpusOfNode, "GPUs of it"},
    {Term::kRatedPower, "rated power"},
    {Term::kYear, "a year"},
    {Term::kBindingTime, "time that it binds"},
    {Term::kPaidTime, "time that is paid: what binds to its end, the rest by the hour"},
    {Term::kWorkingGpus, "GPUs that work"},
    {Term::kSpareGpus, "GPUs of spare nodes"},
    {Term::kPaidGpus, "GPUs that are paid"},
    {Term::kStepTime, "step time"},
    {Term::kStepTokens, "tokens of a step"},
    {Term::kGlobalBatch, "", Described::kTrain, "global_batch"},
    {Term::kSequence, "", Described::kTrain, "sequence"},
    {Term::kTokenWork, "operations of a token"},
    {Term::kMfu, "MFU"},
    {Term::kWorkRate, "operations per second"},
    {Term::kPeakOfAll, "peak of all GPUs"},
    {Term::kPeak, "", Described::kTrain, "peak"},
    {Term::kAllPaidTime, "paid time"},
    {Term::kLosses, "losses"},
    {Term::kUsefulTokens, "useful tokens per second"},
    {Term::kDuration, "duration"},
    {Term::kGpuMemory, "memory of a GPU"},
    {Term::kSequences, "sequences of a replica"},
    {Term::kSequenceRoom, "room for sequences"},
    {Term::kKvTokens, "", Described::kFit, "kv_tokens"},
    {Term::kPriceOf, "price of {}"},
    {Term::kRatingOf, "rating of {}"},
    {Term::kRateOfOption, "{}, per GPU"},
    {Term::kStepPart, "{}"},
    {Term::kPhase, "{}"},
    {Term::kPasses, "passes over what was written"},
    {Term::kWrittenTokens, "tokens that a step writes"},
    {Term::kReadTokens, "tokens that a step reads"},
    {Term::kPromptsOfStep, "prompts of a step"},
    {Term::kAnswersOfPrompt, "answers to each"},
    {Term::kAnswerLength, "tokens of an answer, in the mean after the cut"},
    {Term::kGpuPace, "tokens per second and GPU until the last is done"},
    {Term::kStepsOfRun, "steps of the run"},
    {Term::kTimeOfSteps, "time of all steps"},
    {Term::kLoss, "{}"},
    {Term::kMemoryLine, "{}"},
    {Term::kTpot, "time per token"},
    {Term::kTtft, "time to the first token"},
    {Term::kTp, "GPUs that share each layer"},
    {Term::kRival, "{}"},
    {Term::kRivalStep, "a step with it"},
    {Term::kRivalMemory, "share of the memory that it needs"},
    {Term::kRivalRate, "output of a GPU when saturated, within the promises"},
    {Term::kDecodeStep, "a step that only decodes"},
    {Term::kPromptStep, "a step with a piece of a prompt"},
    {Term::kPromptsOfOthers, "waiting for prompts that are computed in between"},
    {Term::kBeforeFirstToken, "the other pieces, the queue and the way in"},
    {Term::kShareOfStep, "share of that step, on average"},
    {Term::kHostShown, "work of the host that shows"},
    {Term::kServePart, "{}"},
    {Term::kTableTime, "by the kernels’ tables"},
    {Term::kEngineFactor, "time in {} over that of the tables"},
    {Term::kProductTime, "{}"},
    {Term::kProductWork, "work of the product"},
    {Term::kOperations, "operations of a multiplication and its sum"},
    {Term::kRows, "rows"},
    {Term::kRowsOfSequence, "tokens of a sequence, a row each"},
    {Term::kMicroBatch, "sequences of a micro-batch"},
    {Term::kContextRanks, "ranks that share a sequence"},
    {Term::kColumns, "columns"},
    {Term::kInner, "depth"},
    {Term::kGroups, "groups"},
    {Term::kProductPasses, "passes: forward and gradients"},
    {Term::kLayers, "layers"},
    {Term::kStageLayers, "layers of a stage"},
    {Term::kStagesOfPipeline, "stages"},
    {Term::kMicroBatches, "micro-batches"},
    {Term::kReachedRate, "rate that is reached"},
    {Term::kSustainedShare, "share of the peak that large products sustain"},
    {Term::kShapeShare, "share of that which this shape leaves: tiles, waves, depth, start"},
    {Term::kHeadShare, "share of that which the vocabulary leaves, with the passes of the loss"},
    {Term::kAttentionShare, "share of that which this length leaves"},
    {Term::kAttentionWork, "work of the scores"},
    {Term::kAttentionOfToken, "work of the scores for a token, forward"},
    {Term::kTokensOfGpu, "tokens of a step for each GPU"},
    {Term::kReachedBandwidth, "bandwidth that is reached"},
    {Term::kPeakBandwidth, "peak bandwidth"},
    {Term::kBandwidthShare, "share of the bandwidth that such kernels reach"},
    {Term::kTraffic, "bytes moved"},
    {Term::kLeastTraffic, "bytes that must be moved"},
    {Term::kUpdatedParameters, "parameters of a GPU that are updated"},
    {Term::kPassesOfKernels, "passes of such kernels, or bytes for each"},
    {Term::kModelledTime, "before the pace of the software"},
    {Term::kSoftwarePace, "time with {} over that of the terms"},
    {Term::kBesideProducts, "beside the products"},
    {Term::kWeightBytes, "bytes of the weights"},
    {Term::kBytesOfWeight, "bytes of a weight"},
    {Term::kExpertBytes, "bytes of the experts that are reached"},
    {Term::kCacheBytes, "bytes of keys and values"},
    {Term::kContextTokens, "tokens of each, on average"},
    {Term::kKvOfToken, "keys and values of a token on a GPU"},
    {Term::kReplicasForMean, "for the mean rate"},
    {Term::kMeanWork, "replicas that would never rest"},
    {Term::kReplicasForPeak, "more for the busiest time"},
    {Term::kReplicasForSlo, "more for what is promised"},
    {Term::kReplicasForWeeks, "more, or fewer, by weeks that were simulated"},
    {Term::kKvBlocks, "blocks of keys and values that fit"},
    {Term::kBlockBytes, "bytes of a block"},
    {Term::kBlockTokens, "tokens of a block"},
    {Term::kAttentionCopies, "copies of the attention"},
}};

// The description of the first field of this name, however deep.
const std::string* description_of(const Value& schema, std::string_view field) {
  if (const auto* list = schema.list()) {
    for (const Value& item : *list) {
      if (const auto* found = description_of(item, field)) return found;
    }
    return nullptr;
  }
  const auto* members = std::get_if<Value::Object>(&schema.data);
  if (members == nullptr) return nullptr;
  if (const Value* properties = schema.find("properties")) {
    const Value* described = properties->find(field);
    const Value* text = described == nullptr ? nullptr : described->find("description");
    if (text != nullptr && text->text() != nullptr) return text->text();
  }
  for (const Member& member : *members) {
    if (const auto* found = description_of(member.value, field)) return found;
  }
  return nullptr;
}

// A part of a serving step, by its key.
std::string_view serve_part_words(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kParts{{
      {"products", "matrix products"},
      {"experts", "experts"},
      {"attention", "attention"},
      {"elementwise", "norms and activations"},
      {"collectives", "collectives"},
      {"gaps", "gaps between kernels"},
      {"head", "head"},
      {"tower", "encoder"},
      {"host", "host"},
  }};
  for (const auto& [part, words] : kParts)
    if (part == key) return words;
  return key;
}

// Inside a line a name begins small, unless its first word is an acronym.
std::string begun_small(std::string text) {
  const bool is_word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (is_word) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

ExplainWords::ExplainWords()
    : train_(schema_of(Type<TrainAnswer>())), fit_(schema_of(Type<FitAnswer>())) {}

std::string ExplainWords::name_of(const ExplainNode& node) const {
  const TermWords& words = kWords[static_cast<std::size_t>(node.term)];
  LF_CHECK(words.term == node.term);
  std::string text(words.text);
  if (words.described != Described::kNowhere) {
    const Value& schema = words.described == Described::kTrain ? train_ : fit_;
    const std::string* described = description_of(schema, words.field);
    LF_CHECK(described != nullptr);
    text = begun_small(*described);
  }
  const auto place = text.find("{}");
  std::string of = node.option ? words_of(*node.option) : node.of;
  if (node.term == Term::kStepPart) of = step_part_words(of).name;
  if (node.term == Term::kServePart) of = serve_part_words(of);
  if (place != std::string::npos)
    text.replace(place, 2, of);
  else if (!of.empty())
    text += ": " + of;
  if (node.subject)
    text += fmt::format(" ({} × {}, {})", node.subject->layout.gpus, node.subject->accelerator,
                        parallel_text(node.subject->layout));
  return text;
}

std::string misfit_words(const engine::MisfitRun& run) {
  std::string text = fmt::format(
      "what `train` chooses, {} × {}, does not fit: this is of the plan, which searches", run.gpus,
      run.accelerator);
  if (run.has_rivals) text += " every accelerator; --set 'hardware=[NAME]' asks about one";
  return text;
}

}  // namespace loadfactor::report
