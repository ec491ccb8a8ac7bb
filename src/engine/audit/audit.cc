#include "engine/audit/audit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "audit/claim.h"
#include "base/quantity_text.h"
#include "config/document.h"
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

bool is_training(const Claim& claim) {
  return std::any_of(audit::figures().begin(), audit::figures().end(),
                     [&claim](const audit::FigureRow& row) {
                       return row.section == "training" && claim[row.figure];
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

Finding model_finding(const Claim& claim, Figure target, const Estimate& ours,
                      const std::string& what) {
  Finding finding;
  finding.rule = fmt::format("model-{}", audit::row_of(target).key);
  finding.ground = Ground::kModel;
  finding.line = claim[target]->position.line;
  const double stated = claim[target]->value;
  finding.claim = fmt::format("{} {}", audit::row_of(target).title, audit::shown(target, stated));
  finding.computed = fmt::format("{} [{} … {}]", audit::shown(target, ours.value),
                                 audit::shown(target, ours.low), audit::shown(target, ours.high));
  finding.sum = what;
  finding.source = ours.source;
  finding.ratio = stated / ours.value;
  finding.figures = {target};
  return finding;
}

void compare_rates(const Claim& claim, const TrainAnswer& answer, const std::string& what,
                   std::vector<Finding>& findings) {
  const auto compare = [&](Figure figure, const Estimate& ours) {
    if (!claim[figure]) return;
    Finding finding = model_finding(claim, figure, ours, what);
    if (claim[figure]->value > ours.high) {
      finding.verdict = audit::Verdict::kInconsistent;
      finding.why = "above the interval of our model for this layout";
    }
    findings.push_back(std::move(finding));
  };
  compare(Figure::kMfu, answer.mfu.erased());
  compare(Figure::kTokensPerGpuSecond, answer.tokens_per_s_per_gpu.erased());
}

Finding no_fit(const Claim& claim, const TrainAnswer& answer, const std::string& what) {
  Finding finding;
  finding.rule = "model-memory";
  finding.ground = Ground::kModel;
  finding.line = claim.position.line;
  finding.claim = fmt::format("it trains on {} GPUs of {}", format_count(answer.layout.gpus),
                              answer.accelerator_title);
  finding.computed = answer.shortage;
  finding.sum = what;
  finding.source = answer.memory.source();
  finding.verdict = audit::Verdict::kInconsistent;
  finding.why = answer.nearest.empty() ? "no layout near it fits" : "fits: " + answer.nearest;
  for (const Figure figure : {Figure::kParameters, Figure::kTp, Figure::kPp, Figure::kGpus}) {
    if (claim[figure]) finding.figures.push_back(figure);
  }
  return finding;
}

// What it would really take: the claim's own layout, predicted as `train` predicts it.
void ask_our_model(const Core& engine, const Claim& claim, std::vector<Finding>& findings) {
  const bool sized = claim.model || claim[Figure::kParameters];
  if (!claim.gpu || !sized || !claim[Figure::kGpus] || !is_training(claim)) return;
  Diagnostics refused;
  const config::Scenario scenario = scenario_of(claim);
  if (scenario.train->layout->gpus->value < 1) return;  // Fewer than one replica.
  const auto answer = engine.train({.scenario = scenario}, refused);
  if (!answer) return;
  const std::string what = fmt::format("tp {} × pp {} × dp {}, sequence {}, batch {}, stack {}",
                                       answer->layout.tp, answer->layout.pp, answer->layout.dp,
                                       answer->sequence, answer->global_batch, answer->stack);
  if (answer->fits) {
    compare_rates(claim, *answer, what, findings);
  } else {
    findings.push_back(no_fit(claim, *answer, what));
  }
}

}  // namespace

std::optional<AuditAnswer> audit_claims(const Core& engine, const AuditRequest& request,
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
