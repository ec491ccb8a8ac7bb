// The relations that are no product: what must be whole, what must fit, what must pay.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "audit/rule.h"
#include "loadfactor/estimate.h"

namespace loadfactor::audit {
namespace {

using F = Figure;

double value_or(const Values& values, F figure, double otherwise) {
  const Value* value = values.find(figure);
  return value == nullptr ? otherwise : value->value;
}

// A finding about `target`, with the figures that took part.
Finding about(const Claim& claim, const Values& values, F target, std::vector<F> figures) {
  Finding finding;
  figures.push_back(target);
  for (const F figure : figures) {
    const Value* value = values.find(figure);
    if (value == nullptr) continue;
    if (value->stated) finding.figures.push_back(figure);
    finding.source = merged_sources(finding.source, value->source);
  }
  if (const Value* value = values.find(target))
    finding.claim = fmt::format("{} {}", row_of(target).title, shown(target, value->value));
  if (claim[target]) finding.line = claim[target]->position.line;
  return finding;
}

bool have(const Values& values, std::initializer_list<F> wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&values](F figure) { return values.find(figure) != nullptr; });
}

// GPUs must divide into whole replicas.
std::optional<Finding> whole_replicas(const Claim& claim, const Values& values) {
  const bool asks = values.stated(F::kGpus) && (values.stated(F::kTp) || values.stated(F::kPp));
  if (!asks || values.stated(F::kDp)) return std::nullopt;
  const double gpus = values.find(F::kGpus)->value;
  const double tp = value_or(values, F::kTp, 1);
  const double pp = value_or(values, F::kPp, 1);
  const double cp = value_or(values, F::kCp, 1);
  const double replica = tp * pp * cp;
  const double replicas = gpus / replica;
  Finding finding = about(claim, values, F::kGpus, {F::kTp, F::kPp, F::kCp});
  finding.rule = "whole-replicas";
  finding.computed = fmt::format("{:.6g} replicas", replicas);
  finding.sum = fmt::format("{:.0f} GPUs ÷ ({:.0f} TP × {:.0f} PP × {:.0f} CP) = {:.6g}", gpus, tp,
                            pp, cp, replicas);
  finding.ratio = replicas / std::floor(replicas);
  if (replicas == std::floor(replicas)) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = fmt::format("{:.0f} whole replicas use {:.0f} GPUs and leave {:.0f} idle",
                            std::floor(replicas), std::floor(replicas) * replica,
                            gpus - std::floor(replicas) * replica);
  return finding;
}

std::optional<Finding> divides(const Claim& claim, const Values& values, F whole, F parts) {
  if (!values.stated(parts) || !have(values, {whole})) return std::nullopt;
  const double n = values.find(whole)->value;
  const double k = values.find(parts)->value;
  Finding finding = about(claim, values, parts, {whole});
  finding.rule = fmt::format("{}-divides", row_of(parts).key);
  finding.computed = fmt::format("{:.6g}", n / k);
  finding.sum = fmt::format("{:.0f} ({}) ÷ {:.0f} ({}) = {:.6g}", n, row_of(whole).title, k,
                            row_of(parts).title, n / k);
  if (std::fmod(n, k) == 0) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = fmt::format("{} do not divide", row_of(whole).title);
  return finding;
}
std::optional<Finding> heads_divide(const Claim& claim, const Values& values) {
  return divides(claim, values, F::kHeads, F::kTp);
}
std::optional<Finding> layers_divide(const Claim& claim, const Values& values) {
  return divides(claim, values, F::kLayers, F::kPp);
}

// Bytes per parameter of training with Adam: 16-bit weights and gradients, and 12 bytes of master
// copy and moments, each spread as the ZeRO stage says.
struct StateBytes {
  double weights = 2;
  double gradients = 2;
  double optimizer = 12;
};

double state_per_gpu(const StateBytes& state, double parameters, double split, double dp,
                     int zero) {
  const auto spread = [dp, zero](double bytes, int from) {
    return zero >= from ? bytes / dp : bytes;
  };
  const double bytes =
      spread(state.weights, 3) + spread(state.gradients, 2) + spread(state.optimizer, 1);
  return parameters * bytes / split;
}

bool trains(const Values& values) {
  return std::any_of(figures().begin(), figures().end(), [&values](const FigureRow& row) {
    return row.section == "training" && values.stated(row.figure);
  });
}

// Weights, gradients and optimizer must fit before the first activation is kept.
std::optional<Finding> state_fits(const Claim& claim, const Values& values) {
  const bool asks = claim.zero.has_value() || (trains(values) && values.stated(F::kTp));
  if (!asks || !have(values, {F::kParameters, F::kChipMemory, F::kGpus})) return std::nullopt;
  const double parameters = values.find(F::kParameters)->value;
  const double split = value_or(values, F::kTp, 1) * value_or(values, F::kPp, 1);
  const double gpus = values.find(F::kGpus)->value;
  const double dp = value_or(values, F::kDp,
                             std::max(1.0, std::floor(gpus / split / value_or(values, F::kCp, 1))));
  const int zero = claim.zero.value_or(1);
  const double bytes = state_per_gpu({}, parameters, split, dp, zero);
  const double memory = values.find(F::kChipMemory)->value;
  Finding finding =
      about(claim, values, F::kParameters, {F::kTp, F::kPp, F::kDp, F::kGpus, F::kChipMemory});
  finding.rule = "state-fits";
  finding.ground = Ground::kPhysics;
  finding.computed = fmt::format("{} of state per GPU", shown(F::kMemoryPerGpu, bytes));
  finding.sum = fmt::format(
      "{} × (2 weights + 2 gradients + 12 optimizer, ZeRO-{} over {:.0f}) ÷ {:.0f} = {}; the chip "
      "has {}",
      shown(F::kParameters, parameters), zero, dp, split, shown(F::kMemoryPerGpu, bytes),
      shown(F::kMemoryPerGpu, memory));
  finding.ratio = bytes / memory;
  if (bytes <= memory) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = "the state alone is more than the chip's memory, before any activation";
  return finding;
}

// "It fits", "it does not": weights against memory.
std::optional<Finding> weights_fit(const Claim& claim, const Values& values) {
  if (!claim.fits || !have(values, {F::kParameters, F::kChipMemory})) return std::nullopt;
  const double weights =
      values.find(F::kParameters)->value * values.find(F::kBytesPerParameter)->value;
  const double memory = values.find(F::kChipMemory)->value * value_or(values, F::kGpus, 1);
  const bool fits = weights <= memory;
  Finding finding =
      about(claim, values, F::kParameters, {F::kChipMemory, F::kGpus, F::kBytesPerParameter});
  finding.rule = "weights-fit";
  finding.ground = Ground::kPhysics;
  finding.claim = *claim.fits ? "it fits" : "it does not fit";
  finding.computed = fits ? "fits" : "does not fit";
  finding.sum =
      fmt::format("weights {} against {}", shown(F::kWeights, weights), shown(F::kWeights, memory));
  finding.ratio = weights / memory;
  if (fits == *claim.fits) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = fits ? "the weights do fit" : "the weights alone are more than the memory";
  return finding;
}

std::optional<Finding> converges(const Claim& claim, const Values& values) {
  const bool asks = claim.converged && have(values, {F::kParameters, F::kGpus, F::kDuration,
                                                     F::kChipPeak, F::kMfu, F::kOptimalTokens});
  if (!asks) return std::nullopt;
  const double per_parameter = values.find(F::kOptimalTokens)->value;
  const double n = values.find(F::kParameters)->value;
  const double work = values.find(F::kGpus)->value * values.find(F::kChipPeak)->value *
                      values.find(F::kMfu)->value * values.find(F::kDuration)->value;
  const double tokens = work / (6 * n);
  const double needed = per_parameter * n;
  Finding finding =
      about(claim, values, F::kDuration, {F::kParameters, F::kGpus, F::kMfu, F::kChipPeak});
  finding.rule = "token-budget";
  finding.computed = fmt::format(
      "{} for {:.0f} tokens per parameter",
      shown(F::kDuration, values.find(F::kDuration)->value * needed / tokens), per_parameter);
  finding.sum = fmt::format("{} GPUs × {} × {} MFU × {} ÷ (6 × {}) = {} = {:.2g} per parameter",
                            shown(F::kGpus, values.find(F::kGpus)->value),
                            shown(F::kChipPeak, values.find(F::kChipPeak)->value),
                            shown(F::kMfu, values.find(F::kMfu)->value),
                            shown(F::kDuration, values.find(F::kDuration)->value),
                            shown(F::kParameters, n), shown(F::kTokens, tokens), tokens / n);
  finding.ratio = tokens / needed;
  if (tokens >= needed) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = "the time buys far fewer tokens than a model of this size is trained on";
  return finding;
}

// What is busy cannot also wait in a bubble or for a link.
std::optional<Finding> busy_share(const Claim& claim, const Values& values) {
  if (!have(values, {F::kBusyShare, F::kPp, F::kMicroBatches})) return std::nullopt;
  const double pp = values.find(F::kPp)->value;
  const double m = values.find(F::kMicroBatches)->value;
  const double bubble = (pp - 1) / (m + pp - 1);
  const double left = 1 - bubble - value_or(values, F::kCommunicationShare, 0);
  Finding finding =
      about(claim, values, F::kBusyShare, {F::kPp, F::kMicroBatches, F::kCommunicationShare});
  finding.rule = "busy-share";
  finding.computed = shown(F::kBusyShare, left);
  finding.sum =
      fmt::format("1 − bubble {:.0f} ÷ ({:.0f} + {:.0f}) − communication {} = {}", pp - 1, m,
                  pp - 1, shown(F::kBusyShare, value_or(values, F::kCommunicationShare, 0)),
                  shown(F::kBusyShare, left));
  finding.ratio = values.find(F::kBusyShare)->value / left;
  constexpr double kSlack = 1.02;
  if (finding.ratio <= kSlack) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = "bubble and communication leave less";
  return finding;
}

std::optional<Finding> gradient_traffic(const Claim& claim, const Values& values) {
  const bool asks = values.stated(F::kCommunicationShare) &&
                    have(values, {F::kParameters, F::kTp, F::kPp, F::kScaleOut, F::kStepTime});
  if (!asks) return std::nullopt;
  const double bytes = 2 * 2 * values.find(F::kParameters)->value /
                       (values.find(F::kTp)->value * values.find(F::kPp)->value);
  const double seconds = bytes / values.find(F::kScaleOut)->value;
  const double share = seconds / values.find(F::kStepTime)->value;
  Finding finding = about(claim, values, F::kCommunicationShare,
                          {F::kParameters, F::kTp, F::kPp, F::kScaleOut, F::kStepTime});
  finding.rule = "gradient-traffic";
  finding.ground = Ground::kPhysics;
  finding.computed = shown(F::kCommunicationShare, share);
  finding.sum = fmt::format("2 × {} of 16-bit gradients ÷ {} = {:.3g} s of a step of {:.3g} s",
                            shown(F::kWeights, bytes / 2),
                            shown(F::kScaleOut, values.find(F::kScaleOut)->value), seconds,
                            values.find(F::kStepTime)->value);
  finding.ratio = values.find(F::kCommunicationShare)->value / share;
  if (finding.ratio >= 1) return finding;
  finding.verdict = Verdict::kUnsupported;
  finding.why = "holds only if most of the traffic is hidden behind computing";
  return finding;
}

// The price of useful time is the price over the share of the time that is useful.
std::optional<Finding> dearer_when_idle(const Claim& claim, const Values& values) {
  const bool asks = claim.cheaper && have(values, {F::kSystemPrice, F::kUtilisation, F::kRivalPrice,
                                                   F::kRivalUtilisation});
  if (!asks) return std::nullopt;
  const double ours = values.find(F::kSystemPrice)->value / values.find(F::kUtilisation)->value;
  const double rival =
      values.find(F::kRivalPrice)->value / values.find(F::kRivalUtilisation)->value;
  Finding finding = about(claim, values, F::kSystemPrice,
                          {F::kUtilisation, F::kRivalPrice, F::kRivalUtilisation});
  finding.rule = "price-per-use";
  finding.claim = *claim.cheaper ? "cheaper per unit of work" : "dearer per unit of work";
  finding.computed =
      fmt::format("{} against {}", shown(F::kSystemPrice, ours), shown(F::kSystemPrice, rival));
  finding.sum = fmt::format("{} ÷ {} against {} ÷ {}",
                            shown(F::kSystemPrice, values.find(F::kSystemPrice)->value),
                            shown(F::kUtilisation, values.find(F::kUtilisation)->value),
                            shown(F::kSystemPrice, values.find(F::kRivalPrice)->value),
                            shown(F::kUtilisation, values.find(F::kRivalUtilisation)->value));
  finding.ratio = ours / rival;
  if ((ours < rival) == *claim.cheaper) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = "the other one is cheaper for the work it does";
  return finding;
}

// Months without use are paid all the same.
std::optional<Finding> delay_eats_price(const Claim& claim, const Values& values) {
  const bool asks = claim.cheaper && have(values, {F::kPricePerGpuHour, F::kRivalPricePerGpuHour,
                                                   F::kDelay, F::kLife});
  if (!asks || values.find(F::kDelay)->value >= values.find(F::kLife)->value) return std::nullopt;
  const double life = values.find(F::kLife)->value;
  const double price = values.find(F::kPricePerGpuHour)->value;
  const double used = price * life / (life - values.find(F::kDelay)->value);
  const double rival = values.find(F::kRivalPricePerGpuHour)->value;
  Finding finding =
      about(claim, values, F::kPricePerGpuHour, {F::kRivalPricePerGpuHour, F::kDelay, F::kLife});
  finding.rule = "delay";
  finding.claim = *claim.cheaper ? "still cheaper after the delay" : "no longer much cheaper";
  finding.computed = fmt::format("{} against {}", shown(F::kPricePerGpuHour, used),
                                 shown(F::kPricePerGpuHour, rival));
  finding.sum =
      fmt::format("{} × {} ÷ ({} − {})", shown(F::kPricePerGpuHour, price), shown(F::kLife, life),
                  shown(F::kLife, life), shown(F::kDelay, values.find(F::kDelay)->value));
  finding.ratio = used / rival;
  constexpr double kWorthwhileRatio = 0.95;  // Prices move by a twentieth within a quarter.
  if ((finding.ratio < kWorthwhileRatio) == *claim.cheaper) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = *claim.cheaper ? "the delay eats the difference" : "the difference remains";
  return finding;
}

// Large gradients wait for bandwidth, not for latency.
std::optional<Finding> latency_matters(const Claim& claim, const Values& values) {
  const bool asks =
      values.stated(F::kLatencyNeeded) && have(values, {F::kParameters, F::kGpus, F::kScaleOut});
  if (!asks) return std::nullopt;
  const double n = values.find(F::kGpus)->value;
  const double bandwidth = values.find(F::kScaleOut)->value;
  const double data = 2 * (n - 1) / n * 2 * values.find(F::kParameters)->value / bandwidth;
  const double waiting = 2 * (n - 1) * values.find(F::kLatencyNeeded)->value;
  Finding finding =
      about(claim, values, F::kLatencyNeeded, {F::kParameters, F::kGpus, F::kScaleOut});
  finding.rule = "latency-needed";
  finding.ground = Ground::kPhysics;
  finding.computed = fmt::format("{:.2g} % of the exchange", 100 * waiting / (waiting + data));
  finding.sum =
      fmt::format("ring of {:.0f}: {:.3g} s of data, 2 × {:.0f} × {} = {:.3g} s waiting", n, data,
                  n - 1, shown(F::kLatencyNeeded, values.find(F::kLatencyNeeded)->value), waiting);
  finding.ratio = waiting / data;
  constexpr double kNoticeableShare = 0.05;
  if (finding.ratio >= kNoticeableShare) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = "the exchange is bound by bandwidth; ten times the latency would not show";
  return finding;
}

// A site draws what its racks draw, and an overhead that no site on record exceeds.
std::optional<Finding> site_overhead(const Claim& claim, const Values& values) {
  const bool asks = values.stated(F::kSitePower) && !values.stated(F::kPue) &&
                    have(values, {F::kRacks, F::kRackPower, F::kWorstPue});
  if (!asks) return std::nullopt;
  const double racks = values.find(F::kRacks)->value * values.find(F::kRackPower)->value;
  const double most = racks * values.find(F::kWorstPue)->value;
  const double site = values.find(F::kSitePower)->value;
  Finding finding = about(claim, values, F::kSitePower, {F::kRacks, F::kRackPower, F::kWorstPue});
  finding.rule = "site-power";
  finding.computed = fmt::format("{} at the racks, at most {} at the meter",
                                 shown(F::kSitePower, racks), shown(F::kSitePower, most));
  finding.sum = fmt::format(
      "{} racks × {} = {}; × {} (worst PUE on record) = {}",
      shown(F::kRacks, values.find(F::kRacks)->value),
      shown(F::kRackPower, values.find(F::kRackPower)->value), shown(F::kSitePower, racks),
      shown(F::kWorstPue, values.find(F::kWorstPue)->value), shown(F::kSitePower, most));
  finding.ratio = site / racks;
  constexpr double kRounding = 1.05;
  if (site * kRounding >= racks && site <= most * kRounding) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = site < racks ? "the racks alone draw more"
                             : "no overhead on record explains the difference to the racks";
  return finding;
}

std::optional<Finding> exposed_time(const Claim& claim, const Values& values) {
  if (!have(values, {F::kSpeed, F::kExposedOverCompute})) return std::nullopt;
  const double speed = 1 / (1 + values.find(F::kExposedOverCompute)->value);
  Finding finding = about(claim, values, F::kSpeed, {F::kExposedOverCompute});
  finding.rule = "exposed-communication";
  finding.computed = shown(F::kSpeed, speed);
  finding.sum = fmt::format(
      "1 ÷ (1 + {})", shown(F::kExposedOverCompute, values.find(F::kExposedOverCompute)->value));
  finding.ratio = values.find(F::kSpeed)->value / speed;
  constexpr double kSlack = 0.05;
  if (std::abs(finding.ratio - 1) <= kSlack) return finding;
  finding.verdict = Verdict::kInconsistent;
  finding.why = "computing and waiting add up to another speed";
  return finding;
}

constexpr std::array<FormulaRule, 13> kFormulaRules{
    whole_replicas,  heads_divide, layers_divide,    state_fits,       weights_fit,
    converges,       busy_share,   gradient_traffic, dearer_when_idle, delay_eats_price,
    latency_matters, exposed_time, site_overhead};

}  // namespace

std::span<const FormulaRule> formula_rules() {
  return kFormulaRules;
}

}  // namespace loadfactor::audit
