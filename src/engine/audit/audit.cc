#include "engine/audit/audit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "audit/claim.h"
#include "audit/rule.h"
#include "config/document.h"
#include "config/magnitudes.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {
namespace {

using audit::Claim;
using audit::Figure;
using audit::Finding;
using audit::Ground;

double figure_or(const Claim& claim, Figure figure, double otherwise) {
  return claim[figure] ? claim[figure]->value : otherwise;
}

// Whether a scenario can state the claim's counts; beyond them arithmetic alone answers.
bool fits_a_scenario(const Claim& claim) {
  constexpr config::Range kSizes = config::magnitude::kParameters;
  const double size = figure_or(claim, Figure::kParameters, kSizes.low);
  if (size < kSizes.low || size > kSizes.high) return false;
  constexpr double kMaxCount = std::numeric_limits<std::int32_t>::max();
  constexpr std::array kCounts{Figure::kGpus, Figure::kSequence, Figure::kGlobalBatch, Figure::kTp,
                               Figure::kPp,   Figure::kCp,       Figure::kMicroBatch};
  return std::all_of(kCounts.begin(), kCounts.end(), [&](Figure figure) {
    const double count = figure_or(claim, figure, 1);
    return count >= 1 && count <= kMaxCount;
  });
}

// The claim as a scenario: what it fixes is fixed, and the GPUs are those that whole replicas use.
config::Scenario scenario_of(const Claim& claim) {
  const auto whole = [](double figure) { return static_cast<std::int64_t>(std::llround(figure)); };
  const double replica = figure_or(claim, Figure::kTp, 1) * figure_or(claim, Figure::kPp, 1) *
                         figure_or(claim, Figure::kCp, 1);
  const double gpus = std::floor(figure_or(claim, Figure::kGpus, 1) / replica) * replica;
  std::vector<config::Edit> edits{{"name", "claim"},
                                  {"hardware", std::vector<std::string>{claim.gpu->value}},
                                  {"train.precision", std::string(name(claim.dtype))},
                                  {"train.layout.gpus", whole(gpus)}};
  if (claim.model)
    edits.push_back({"train.model", claim.model->value});
  else
    edits.push_back({"train.model.params", claim[Figure::kParameters]->value});
  const auto fix = [&](Figure figure, const char* path) {
    if (claim[figure]) edits.push_back({path, whole(claim[figure]->value)});
  };
  fix(Figure::kSequence, "train.sequence");
  fix(Figure::kGlobalBatch, "train.global_batch");
  fix(Figure::kTp, "train.layout.tp");
  fix(Figure::kPp, "train.layout.pp");
  fix(Figure::kCp, "train.layout.cp");
  fix(Figure::kMicroBatch, "train.layout.micro_batch");
  if (claim.zero) edits.push_back({"train.layout.zero", std::int64_t{*claim.zero}});
  return config::Scenario().with(edits);
}

audit::PredictedLayout layout_of(const TrainAnswer& answer) {
  return {.gpus = answer.layout.gpus,
          .tp = answer.layout.tp,
          .pp = answer.layout.pp,
          .dp = answer.layout.dp,
          .sequence = answer.sequence,
          .global_batch = answer.global_batch,
          .stack = answer.stack,
          .nearest = answer.fits ? std::string() : answer.nearest};
}

// Whether the claim is beyond everything on record.
bool is_unheard_of(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    const bool is_rate = finding.check == audit::Check::kRecordMfu ||
                         finding.check == audit::Check::kRecordTokens ||
                         finding.check == audit::Check::kRecordHours;
    return is_rate && finding.verdict != audit::Verdict::kConsistent;
  });
}

// What the claim says of `target` against our interval. Our model is no law of nature: a figure
// beyond it is one that nobody has shown, and contradicted only where the record is against it too.
Finding model_finding(audit::Check check, const Claim& claim, Figure target, const Estimate& ours,
                      const TrainAnswer& answer) {
  Finding finding;
  finding.check = check;
  finding.ground = Ground::kModel;
  finding.relation = audit::Relation::kAtMost;
  finding.figure = finding.follows = target;
  finding.line = claim[target]->position.line;
  finding.stated = claim[target]->value;
  finding.computed = ours.value;
  finding.low = ours.low;
  finding.high = ours.high;
  finding.layout = layout_of(answer);
  finding.source = ours.source;
  finding.ratio = finding.stated / ours.value;
  finding.figures = {target};
  if (finding.stated > ours.high) finding.verdict = audit::Verdict::kUnsupported;
  return finding;
}

void compare_rates(const Claim& claim, const TrainAnswer& answer, std::vector<Finding>& findings) {
  const auto compare = [&](audit::Check check, Figure figure, const Estimate& ours) {
    if (!claim[figure]) return;
    Finding finding = model_finding(check, claim, figure, ours, answer);
    if (finding.verdict == audit::Verdict::kUnsupported && is_unheard_of(findings))
      finding.verdict = audit::Verdict::kInconsistent;
    findings.push_back(std::move(finding));
  };
  compare(audit::Check::kModelMfu, Figure::kMfu, answer.mfu.erased());
  compare(audit::Check::kModelTokens, Figure::kTokensPerGpuSecond,
          answer.tokens_per_s_per_gpu.erased());
}

Finding no_fit(const Claim& claim, const TrainAnswer& answer) {
  Finding finding;
  finding.check = audit::Check::kModelMemory;
  finding.ground = Ground::kModel;
  finding.relation = audit::Relation::kAtMost;
  finding.line = claim.position.line;
  finding.figure = Figure::kGpus;
  finding.stated = answer.layout.gpus;
  finding.follows = Figure::kMemoryPerGpu;
  finding.computed = answer.memory.value().base();
  finding.low = answer.memory.low().base();
  finding.high = answer.memory.high().base();
  finding.ratio = answer.memory.value() / answer.memory_per_gpu;
  finding.layout = layout_of(answer);
  finding.source = answer.memory.source();
  finding.verdict = audit::Verdict::kUnsupported;
  for (const Figure figure : {Figure::kParameters, Figure::kTp, Figure::kPp, Figure::kGpus}) {
    if (claim[figure]) finding.figures.push_back(figure);
  }
  return finding;
}

// What it would really take: the claim's own layout, predicted as `train` predicts it.
void ask_our_model(const Core& engine, const Claim& claim, std::vector<Finding>& findings) {
  const bool sized = claim.model || claim[Figure::kParameters];
  if (!claim.gpu || !sized || !claim[Figure::kGpus] || !audit::trains(claim)) return;
  if (!fits_a_scenario(claim)) return;
  Diagnostics refused;
  const config::Scenario scenario = scenario_of(claim);
  if (scenario.train->layout->gpus->value < 1) return;  // Fewer than one replica.
  const auto answer = engine.train({.scenario = scenario}, refused);
  if (!answer) return;
  if (answer->fits) {
    compare_rates(claim, *answer, findings);
  } else {
    findings.push_back(no_fit(claim, *answer));
  }
}

}  // namespace

std::optional<AuditAnswer> audit_claims(const Core& engine, const AuditInputs& request,
                                        Diagnostics& diagnostics) {
  auto document = request.file.ends_with(".json") ? config::parse_json(request.file, request.text)
                                                  : config::parse_yaml(request.file, request.text);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  const auto claims = audit::read_claims(*document, diagnostics);
  AuditAnswer answer;
  for (const Claim& claim : claims) {
    auto audited = audit::audit(claim, engine.catalog(), diagnostics);
    ask_our_model(engine, claim, audited.findings);
    audit::sort_findings(audited.findings);
    audited.verdict = audit::verdict_of(audited.findings);
    answer.claims.push_back(std::move(audited));
  }
  if (!diagnostics.empty()) return std::nullopt;
  return answer;
}

}  // namespace loadfactor::engine
