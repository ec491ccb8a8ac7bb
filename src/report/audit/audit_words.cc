#include "report/audit/audit_words.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"

namespace loadfactor::report {
namespace {

using audit::Check;
using audit::Figure;
using audit::Finding;
using audit::Step;
using audit::Term;
using audit::Verdict;

struct Why {
  Check check;
  std::string_view text;  // What a broken check means.
};

// In the order of the enumeration.
constexpr std::array<Why, static_cast<std::size_t>(Check::kCount)> kWhys{{
    {Check::kGpusInRacks, "the racks hold another number"},
    {Check::kGpusInNodes, "the nodes hold another number"},
    {Check::kNodesInRacks, "the racks hold another number"},
    {Check::kLayoutProduct, "the layout uses another number of GPUs"},
    {Check::kGlobalBatch, "micro-batches and ranks give another batch"},
    {Check::kWholeReplicas, "whole replicas leave GPUs idle"},
    {Check::kHeadsDivide, "the attention heads do not divide"},
    {Check::kStagesOfLayers, "there are more stages than layers to put into them"},
    {Check::kBatchOfRanks, "some ranks of data parallelism have no sequence"},
    {Check::kWholeMicroBatches, "the batch does not divide into whole micro-batches of all ranks"},
    {Check::kRanksOfExperts, "there are more ranks than experts"},
    {Check::kRanksForExperts, "the layout has no room for so many ranks of experts"},
    {Check::kTpDomain, "tensor parallelism would leave the fast links"},
    {Check::kChipMemory, "the chip is sold with another size"},
    {Check::kChipPeak, "the dense rate is another; twice is sparse"},
    {Check::kChipBandwidth, "the datasheet says otherwise"},
    {Check::kChipPower, "the datasheet says otherwise"},
    {Check::kLinkGeneration, "the chip has another generation of NVLink"},
    {Check::kScaleUp, "one direction of the chip's links is another"},
    {Check::kScaleOut, "nodes of this chip ship with another fabric"},
    {Check::kLinkBandwidth, "one direction of this link carries another rate"},
    {Check::kLinkLineRate, "a byte has eight bits"},
    {Check::kLinkLatency, "the link answers far sooner"},
    {Check::kTensorSpeedup, "the datasheet's rates have another ratio"},
    {Check::kReleased, "the chip was not for sale then"},
    {Check::kWeights, "parameters times their size is another figure"},
    {Check::kWeightsPerGpu, "a stage's share of the parameters has another size"},
    {Check::kMemoryUsed, "the chip has less"},
    {Check::kStateFits, "the state alone is more than the chip's memory, before any activation"},
    {Check::kWeightsFit, "the weights alone are more than the memory"},
    {Check::kWeightsHeld, "the weights alone are more than the chip's memory"},
    {Check::kCacheHeld, "weights and cache are more than the chip's memory"},
    {Check::kCacheRoom, "that many tokens need more memory than is set aside"},
    {Check::kCheckpointTime, "size over bandwidth is another time"},
    {Check::kJobFailures, "that many GPUs fail more often or less"},
    {Check::kRateMfu, "that share of the dense peak is another rate"},
    {Check::kAggregateRate, "all GPUs together give another rate"},
    {Check::kAggregateMfu, "all GPUs together give another rate"},
    {Check::kRatePeak, "faster than the dense peak"},
    {Check::kTokensPerGpu, "all GPUs together give another rate"},
    {Check::kTokensPerStep, "a batch per step is another rate"},
    {Check::kTokensOfSteps, "steps times batch is another number of tokens"},
    {Check::kDurationRate, "that rate takes another time"},
    {Check::kWholeShare, "more than the whole"},
    {Check::kMatrixCeiling, "not even a large matrix product runs that fast"},
    {Check::kRecordMfu, "above every published result of this class"},
    {Check::kRecordHours, "faster than every published result of this class"},
    {Check::kRecordTokens, "faster than every published result of this class"},
    {Check::kComputeHours, "the dense peak of these GPUs does not do the work in that time"},
    {Check::kComputeTokens, "faster than the dense peak allows"},
    {Check::kComputeWork, "the dense peak of these GPUs does not do the work in that time"},
    {Check::kWorkOfTokens, "the tokens alone need more work"},
    {Check::kWorkOfTokensAtMost, "the tokens need far less work"},
    {Check::kRateWork, "the tokens alone need a higher rate"},
    {Check::kRateWorkAtMost, "the tokens need far less"},
    {Check::kMfuTokens, "the tokens alone need a higher share of the peak"},
    {Check::kMfuTokensAtMost, "so few tokens do not use that share of the peak"},
    {Check::kHfuTokens, "the tokens alone need a higher share of the peak"},
    {Check::kHfuLow, "what counts recomputation is at least the MFU"},
    {Check::kHfuHigh, "recomputing everything adds a third at most"},
    {Check::kDurationWork, "6 FLOP per parameter and token take longer"},
    {Check::kDurationWorkAtMost, "the work is done much sooner at that MFU"},
    {Check::kHoursWork, "6 FLOP per parameter and token take more hours"},
    {Check::kTokenBudget, "the time buys far fewer tokens than a model of this size is trained on"},
    {Check::kBusyShare, "bubble and communication leave less"},
    {Check::kGradientTraffic, "holds only if most of the traffic is hidden behind computing"},
    {Check::kLatencyNeeded,
     "the exchange is bound by bandwidth; ten times the latency would not show"},
    {Check::kExposedCommunication, "computing and waiting add up to another speed"},
    {Check::kGpuPowerTotal, "all GPUs together draw another power"},
    {Check::kItPowerRacks, "more than the racks together draw"},
    {Check::kItPowerNodes, "more than the nodes together draw"},
    {Check::kItPowerGpus, "the GPUs alone draw more"},
    {Check::kRackPowerNodes, "the nodes of a rack together draw more"},
    {Check::kRackPowerGpus, "the nodes of a rack are rated higher"},
    {Check::kRackHeat, "the GPUs alone draw more than a rack has"},
    {Check::kRackCooling, "the cooling does not carry that much"},
    {Check::kSitePower, "the racks with that PUE draw more"},
    {Check::kSitePowerSpare, "far more than the racks with that PUE draw"},
    {Check::kSitePowerIt, "the IT load with its overhead is more"},
    {Check::kSitePowerGpus, "the GPUs alone draw more"},
    {Check::kSiteOverhead, "no overhead on record explains the difference to the racks"},
    {Check::kPueLow, "a site draws at least what its machines draw"},
    {Check::kPueHigh, "above every overhead on record"},
    {Check::kEnergy, "that power over that time is less energy"},
    {Check::kEnergyIt, "that load over that time is less energy"},
    {Check::kEnergyHours, "the nodes at their rating draw less in those hours"},
    {Check::kEnergyDraw, "that draw over those hours is more energy"},
    {Check::kEnergyWork, "that arithmetic takes more energy, even at half of what the rating says"},
    {Check::kEnergyLow, "GPUs that work draw more, by their rating, in those hours"},
    {Check::kEnergyIdle, "idle GPUs draw more in those hours"},
    {Check::kDrawLow, "GPUs that work draw more, by their rating"},
    {Check::kDrawIdle, "an idle GPU draws more"},
    {Check::kGpuHours, "that many GPUs over that time are another number of hours"},
    {Check::kRunCost, "hours times price is another sum"},
    {Check::kRunCostDuration, "GPUs times time times price is another sum"},
    {Check::kPurchase, "GPUs times their price is another sum"},
    {Check::kEnergyCost, "energy times its price is another sum"},
    {Check::kDutyMultiple, "an hour that carries work costs one over the duty"},
    {Check::kCostPerToken, "price over work is another figure"},
    {Check::kCostPerTokenFull, "a GPU that is never idle costs more per token"},
    {Check::kBreakEven, "the floor lies elsewhere at this price and rate"},
    {Check::kRentLow, "cheaper than any rent on record"},
    {Check::kRentHigh, "dearer than any rent on record"},
    {Check::kCapexLow, "cheaper than any purchase on record"},
    {Check::kCapexHigh, "dearer than any purchase on record"},
    {Check::kElectricityLow, "cheaper than any electricity on record"},
    {Check::kElectricityHigh, "dearer than any electricity on record"},
    {Check::kPricePerUse, "the other one is cheaper for the work it does"},
    {Check::kDelay, "the delay eats the difference"},
    {Check::kServedProduct, "all GPUs together give another rate"},
    {Check::kServedBound, "faster than the dense peak allows"},
    {Check::kServedUsers, "so many sequences at that time per token give less"},
    {Check::kInputBound, "faster than the dense peak allows"},
    {Check::kPrefillBound, "faster than the dense peak allows"},
    {Check::kDecodeBound, "what a token needs cannot be read in that time"},
    {Check::kModelMfu, "above the interval of our model for this layout"},
    {Check::kModelTokens, "above the interval of our model for this layout"},
    {Check::kModelMemory, "by our model this layout does not fit"},
}};

std::string_view why_of(Check check) {
  const Why& why = kWhys[static_cast<std::size_t>(check)];
  LF_CHECK(why.check == check);
  return why.text;
}

// "1,200 (GPUs)".
std::string written(Figure figure, double value) {
  return fmt::format("{} ({})", shown(figure, value), title_of(figure));
}

std::string product_words(const Step& step) {
  std::string text;
  const auto add = [&text](std::string_view sign, const std::string& word) {
    text += text.empty() ? word : fmt::format(" {} {}", sign, word);
  };
  if (step.constant != 1 || step.terms.empty()) add("×", fmt::format("{:.4g}", step.constant));
  for (const Term& term : step.terms) {
    const bool is_assumed = audit::row_of(term.figure).section == audit::Section::kNone;
    if (is_assumed && term.value == 1) continue;  // Says nothing.
    if (text.empty() && term.power < 0) text = "1";
    for (int i = 0; i < std::abs(term.power); ++i)
      add(term.power > 0 ? "×" : "÷", written(term.figure, term.value));
  }
  return text;
}

std::string sum_of_terms(const Step& step) {
  std::string text = step.constant > 0 ? fmt::format("{:.4g}", step.constant) : "";
  for (const Term& term : step.terms) {
    const char* sign = term.power > 0 ? " + " : " − ";
    text += fmt::format("{}{}", text.empty() && term.power > 0 ? "" : sign,
                        written(term.figure, term.value));
  }
  if (step.constant < 0) text += fmt::format(" − {:.4g}", -step.constant);
  return text;
}

std::string step_words(const Step& step, bool is_last) {
  const std::string text =
      step.form == Step::Form::kProduct ? product_words(step) : sum_of_terms(step);
  return fmt::format("{} = {}", text,
                     is_last ? shown(step.result, step.value) : written(step.result, step.value));
}

// "tp 8 × pp 4 × dp 16, sequence 4096, batch 1024, stack NAME".
std::string layout_words(const audit::PredictedLayout& layout) {
  return fmt::format("tp {} × pp {} × dp {}, sequence {}, batch {}, stack {}", layout.tp, layout.pp,
                     layout.dp, layout.sequence, layout.global_batch, layout.stack);
}

// The sentence of a claim that is a yes or no.
std::string_view saying(const Finding& finding) {
  const bool yes = *finding.says;
  if (finding.check == Check::kWeightsFit) return yes ? "it fits" : "it does not fit";
  if (finding.check == Check::kDelay)
    return yes ? "still cheaper after the delay" : "no longer much cheaper";
  return yes ? "cheaper per unit of work" : "dearer per unit of work";
}

// Whether the ratio is what is needed over what the chip has.
bool is_of_memory(Check check) {
  return check == Check::kStateFits || check == Check::kWeightsFit ||
         check == Check::kWeightsHeld || check == Check::kCacheHeld || check == Check::kModelMemory;
}

bool is_bandwidth(Figure figure) {
  return audit::row_of(figure).dimension == Dimension{.time = -1, .data = 1};
}

}  // namespace

std::string claim_words(const Finding& finding) {
  if (finding.says) return std::string(saying(finding));
  if (finding.check == Check::kModelMemory)
    return fmt::format("it trains on {} GPUs", shown(Figure::kGpus, finding.stated));
  return fmt::format("{} {}", title_of(finding.figure), shown(finding.figure, finding.stated));
}

std::string computed_words(const Finding& finding) {
  std::string text = shown(finding.follows, finding.computed);
  if (finding.low && finding.high)
    text += fmt::format(" [{} … {}]", shown(finding.follows, *finding.low),
                        shown(finding.follows, *finding.high));
  if (finding.follows != finding.figure) text += fmt::format(", {}", title_of(finding.follows));
  if (is_of_memory(finding.check))
    text +=
        fmt::format("; the chip has {}", shown(finding.follows, finding.computed / finding.ratio));
  return text;
}

std::string sum_words(const Finding& finding) {
  std::string text;
  for (std::size_t i = 0; i < finding.steps.size(); ++i)
    text += fmt::format("{}{}", text.empty() ? "" : "; ",
                        step_words(finding.steps[i], i + 1 == finding.steps.size()));
  if (finding.layout) text = layout_words(*finding.layout);
  return text;
}

std::string why_words(const Finding& finding) {
  if (finding.verdict == Verdict::kConsistent) return {};
  std::string text(why_of(finding.check));
  const bool denies = finding.says && !*finding.says;
  if (denies && finding.check == Check::kWeightsFit) text = "the weights do fit";
  if (denies && finding.check == Check::kDelay) text = "the difference remains";
  if (finding.check == Check::kSiteOverhead && finding.relation == audit::Relation::kAtLeast)
    text = "the racks alone draw more";
  if (finding.layout && !finding.layout->nearest.empty())
    text += "; this fits: " + finding.layout->nearest;
  // A figure that is twice what one direction carries adds both directions.
  constexpr double kRounding = 0.02;
  if (is_bandwidth(finding.figure) && std::abs(finding.ratio / 2 - 1) < kRounding)
    text += "; twice as much adds both directions";
  return text;
}

}  // namespace loadfactor::report
