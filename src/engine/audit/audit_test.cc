#include "engine/audit/audit.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "audit/figure.h"
#include "base/quantity_text.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "catalog/load/data_file.h"
#include "config/reading/testing/sound.h"

namespace loadfactor::engine {
namespace {

using audit::AuditedClaim;
using audit::Figure;
using audit::Finding;
using audit::Verdict;

class Audit : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    engine_ = Core::create({}, diagnostics);
  }
  static void TearDownTestSuite() { engine_.reset(); }

  static std::vector<AuditedClaim> audited(const std::string& text) {
    Diagnostics diagnostics;
    auto answer = audit_claims(*engine_, {.file = "claim.yaml", .text = text}, diagnostics);
    EXPECT_TRUE(answer.has_value()) << render(diagnostics) << text;
    return answer ? std::move(answer->claims) : std::vector<AuditedClaim>{};
  }
  static std::string shipped(const std::string& name) {
    const auto* file = engine_->catalog().find_file("scenarios/audits/" + name + ".yaml");
    EXPECT_NE(file, nullptr) << name;
    return file == nullptr ? std::string() : std::string(file->text);
  }
  static std::multiset<std::string> broken(const AuditedClaim& claim) {
    std::multiset<std::string> rules;
    for (const Finding& finding : claim.findings) {
      if (finding.verdict == Verdict::kInconsistent)
        rules.insert(std::string(id_of(finding.check)));
    }
    return rules;
  }

  static std::unique_ptr<Core> engine_;
};
std::unique_ptr<Core> Audit::engine_;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(Audit, CountsThatNoScenarioCanStateAreLeftToArithmetic) {
  for (const char* tp : {"9007199254740993", "4e9"}) {
    const auto claims = audited(
        fmt::format("schema: claim/1\nclaim: huge\nmodel: {{params: 500 B, precision: bf16}}\n"
                    "hardware: {{gpu: h100-sxm, gpus: 1200}}\nlayout: {{tp: {}, pp: 4}}\n"
                    "training: {{communication: 5 %}}\n",
                    tp));
    ASSERT_EQ(claims.size(), 1U) << tp;
    for (const Finding& finding : claims[0].findings)
      EXPECT_NE(finding.ground, audit::Ground::kModel) << tp;
  }
}

// 30 racks × 30 kW are 0.9 MW, not 3.6; 500 B × 2 B ÷ 32 are 31.25 GB, not 5.
TEST_F(Audit, ABlueprintThatContradictsItselfIsFoundOut) {
  const auto claims = audited(shipped("500b-1200-h100"));
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].verdict, Verdict::kInconsistent);
  const auto rules = broken(claims[0]);
  EXPECT_GE(rules.size(), 10U);
  for (const char* rule : {"site-power", "weights-per-gpu", "whole-replicas", "link-generation",
                           "token-budget", "record-mfu", "rack-power-gpus", "model-mfu"})
    EXPECT_TRUE(rules.count(rule)) << rule;
  for (const Finding& finding : claims[0].findings) {
    EXPECT_TRUE(finding.layout || !finding.steps.empty()) << id_of(finding.check);
    EXPECT_FALSE(finding.source.empty()) << id_of(finding.check);
  }
}

TEST_F(Audit, MendingOneFigureTakesAwayItsFindingsAndNoOthers) {
  const std::string text = shipped("500b-1200-h100");
  const auto before = broken(audited(text)[0]);
  const auto without = [&](std::set<std::string> rules) {
    std::multiset<std::string> rest;
    for (const auto& rule : before) {
      if (!rules.count(rule)) rest.insert(rule);
    }
    return rest;
  };
  const auto after = [&](const std::string& from, const std::string& to) {
    return broken(audited(replaced(text, from, to))[0]);
  };
  EXPECT_EQ(after("site: 3.6 MW", "site: 1.2 MW"), without({"site-power"}));
  EXPECT_EQ(after("weights_per_gpu: 5 GB", "weights_per_gpu: 31.25 GB"),
            without({"weights-per-gpu"}));
  EXPECT_EQ(after("nvlink_generation: 3", "nvlink_generation: 4"), without({"link-generation"}));
  EXPECT_EQ(after("scale_up: 600 GB/s", "scale_up: 450 GB/s"), without({"scale-up"}));
  EXPECT_EQ(after("scale_out: 200 Gb/s", "scale_out: 400 Gb/s"), without({"scale-out"}));
}

TEST_F(Audit, TheSentencesOfArticlesGetTheVerdictsTheyDeserve) {
  const std::map<std::string, std::map<std::string, Verdict>> expected{
      {"gpu-scaling",
       {{"pcie-4", Verdict::kInconsistent},
        {"pcie-5", Verdict::kInconsistent},
        {"pcie-latency", Verdict::kInconsistent},
        {"nvlink-3", Verdict::kInconsistent},
        {"nvlink-4", Verdict::kInconsistent},
        {"infiniband-hdr", Verdict::kConsistent},
        {"weights-175b", Verdict::kConsistent},
        {"a100-cannot-hold-175b", Verdict::kConsistent},
        {"ten-thousand-h100", Verdict::kConsistent},
        {"air-cooling", Verdict::kConsistent},
        {"immersion", Verdict::kConsistent},
        {"racks-of-forty", Verdict::kConsistent},
        {"gemm-share", Verdict::kUnsupported},
        {"resnet-speedup", Verdict::kUnsupported}}},
      {"cluster-economics",
       {{"full-beats-cheap", Verdict::kConsistent},
        {"mi355x-in-2024", Verdict::kInconsistent},
        {"half-speed", Verdict::kConsistent},
        {"cheaper-links", Verdict::kUnsupported},
        {"ten-times-asic", Verdict::kUnsupported}}},
      {"one-or-many",
       {{"six-months", Verdict::kConsistent},
        {"ten-billion-needs-many", Verdict::kInconsistent},
        {"terabytes", Verdict::kConsistent},
        {"cxl-3", Verdict::kConsistent},
        {"cxl-budget", Verdict::kUnsupported}}},
      {"utilisation",
       {{"smallest-of-the-series", Verdict::kInconsistent},
        {"largest-of-the-series", Verdict::kConsistent},
        {"duty", Verdict::kConsistent},
        {"bursty", Verdict::kInconsistent},
        {"seven-billion-floor", Verdict::kConsistent},
        {"thirteen-billion-floor", Verdict::kInconsistent},
        {"tensor-parallel-eight", Verdict::kConsistent},
        {"demand-buys-utilisation", Verdict::kUnsupported}}},
      {"server-guide",
       {{"latency-for-gradients", Verdict::kInconsistent},
        {"servers-of-eight", Verdict::kConsistent},
        {"tensor-cores", Verdict::kInconsistent},
        {"nvlink-a100", Verdict::kConsistent},
        {"replicated-llm", Verdict::kInconsistent},
        {"four-a100", Verdict::kConsistent},
        {"nvme", Verdict::kUnsupported}}}};
  for (const auto& [file, verdicts] : expected) {
    const auto claims = audited(shipped(file));
    EXPECT_EQ(claims.size(), verdicts.size()) << file;
    for (const auto& claim : claims) {
      ASSERT_TRUE(verdicts.count(claim.name)) << claim.name;
      EXPECT_EQ(name(claim.verdict), name(verdicts.at(claim.name))) << file << ": " << claim.name;
    }
  }
}

// A cluster as our own plan has it: every figure follows from the others.
struct Plan {
  TrainAnswer answer;
  std::vector<std::pair<Figure, double>> figures;
};

std::string claim_of(const Plan& plan) {
  const char* zero = plan.answer.layout.sharding == "none" ? "0" : "1";
  std::string text = "schema: claim/1\nclaim: plan\n";
  std::string section;
  for (const auto& row : audit::figures()) {
    for (const auto& [figure, value] : plan.figures) {
      if (figure != row.figure) continue;
      if (section != name(row.section)) {
        section = name(row.section);
        text += section + ":\n";
        if (section == "model") text += "  precision: bf16\n  name: " + plan.answer.model + "\n";
        if (section == "hardware") text += "  gpu: " + plan.answer.accelerator + "\n";
        if (section == "layout") text += fmt::format("  zero: {}\n", zero);
      }
      text += fmt::format("  {}: {}\n", row.key, format_exact({value, row.dimension}));
    }
  }
  return text;
}

class SelfConsistentClaims : public Audit {
 protected:
  static std::optional<Plan> random_plan(RandomStream& random) {
    static constexpr const char* kModels[] = {"llama-3.1-8b", "llama-2-13b", "llama-3.1-70b",
                                              "qwen2.5-32b", "mistral-7b"};
    static constexpr const char* kChips[] = {"a100-80gb-sxm", "h100-sxm", "h200-sxm", "b200"};
    const auto pick = [&random](int n) {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
    };
    const int tp = 1 << pick(4);
    const int pp = 1 << pick(3);
    const int dp = 32 << pick(3);
    const int micro_batches = 4 * pp;
    const std::string scenario = fmt::format(
        "loadfactor: 1\nname: plan\nhardware: [{}]\ntrain:\n  model: {}\n  precision: bf16\n"
        "  tokens: 1 T\n  sequence: {}\n  global_batch: {}\n"
        "  layout: {{gpus: {}, tp: {}, pp: {}, dp: {}, zero: 1, micro_batch: 1}}\n",
        kChips[pick(4)], kModels[pick(5)], 2048 << pick(3), micro_batches * dp, tp * pp * dp, tp,
        pp, dp);
    Diagnostics diagnostics;
    auto answer = engine_->train({.scenario = config::testing::sound(scenario)}, diagnostics);
    if (!answer || !answer->fits) return std::nullopt;
    return described(*std::move(answer));
  }

  static Plan described(TrainAnswer answer) {
    const auto& layout = answer.layout;
    const auto chip = *engine_->catalog().find_accelerator(answer.accelerator);
    const auto node = *engine_->catalog().find_node(chip->node);
    const double gpus = layout.gpus;
    const double nodes = gpus / node->gpus;
    const double rack = 2 * node->power->max.base();
    const double rate = answer.mfu.value() * answer.peak.base();
    const double tokens = answer.tokens_per_s.value().base();
    const double seconds = 1e12 / tokens;
    const double site = nodes / 2 * rack * 1.25;
    const double rent = 3.0 / 3600;
    const double energy = site * seconds;
    const double parameters = static_cast<double>(answer.parameters_total);
    std::vector<std::pair<Figure, double>> figures{
        {Figure::kParameters, parameters},
        {Figure::kGpus, gpus},
        {Figure::kNodes, nodes},
        {Figure::kRacks, nodes / 2},
        {Figure::kGpusPerNode, node->gpus},
        {Figure::kGpusPerRack, 2.0 * node->gpus},
        {Figure::kNodesPerRack, 2},
        {Figure::kGpuMemory, chip->memory.nominal.base()},
        {Figure::kScaleUp, chip->scale_up.bandwidth.base()},
        {Figure::kTp, layout.tp},
        {Figure::kPp, layout.pp},
        {Figure::kDp, layout.dp},
        {Figure::kMicroBatch, static_cast<double>(layout.micro_batch)},
        {Figure::kMicroBatches, static_cast<double>(layout.micro_batches)},
        {Figure::kGlobalBatch, static_cast<double>(answer.global_batch)},
        {Figure::kSequence, static_cast<double>(answer.sequence)},
        {Figure::kTokens, 1e12},
        {Figure::kDuration, seconds},
        {Figure::kMfu, answer.mfu.value()},
        {Figure::kRatePerGpu, rate},
        {Figure::kAggregateRate, rate * gpus},
        {Figure::kStepTime, answer.step_time.value().base()},
        {Figure::kTokensPerSecond, tokens},
        {Figure::kTokensPerGpuSecond, tokens / gpus},
        {Figure::kWeightsPerGpu, parameters * 2 / (layout.tp * layout.pp)},
        {Figure::kGpuPower, chip->power.rated.base()},
        {Figure::kNodePower, node->power->max.base()},
        {Figure::kRackPower, rack},
        {Figure::kItPower, nodes / 2 * rack},
        {Figure::kSitePower, site},
        {Figure::kPue, 1.25},
        {Figure::kEnergy, energy},
        {Figure::kPricePerGpuHour, rent},
        {Figure::kGpuHours, gpus * seconds / 3600},
        {Figure::kRunCost, gpus * seconds * rent},
        {Figure::kElectricity, 0.08 / 3.6e6},
        {Figure::kEnergyCost, energy * 0.08 / 3.6e6}};
    return {std::move(answer), std::move(figures)};
  }
};

TEST_F(SelfConsistentClaims, AreNeverCalledInconsistentAndAlwaysWhenOneFigureIsDoubled) {
  RandomStream random(20261115, "audit-claims");
  int plans = 0;
  for (int attempt = 0; attempt < 2000 && plans < 200; ++attempt) {
    auto plan = random_plan(random);
    if (!plan) continue;
    ++plans;
    const std::string honest = claim_of(*plan);
    const auto before = audited(honest);
    ASSERT_EQ(before.size(), 1U);
    EXPECT_TRUE(broken(before[0]).empty()) << *broken(before[0]).begin() << "\n" << honest;
    auto& [figure, value] = plan->figures[random.below(plan->figures.size())];
    value *= 2;
    const auto after = audited(claim_of(*plan));
    ASSERT_EQ(after.size(), 1U);
    EXPECT_FALSE(broken(after[0]).empty()) << audit::row_of(figure).key << "\n" << claim_of(*plan);
  }
  EXPECT_EQ(plans, 200);
}

TEST_F(Audit, AModelThatIsNamedBringsItsSizeIntoTheSums) {
  // 6 × 70 B × 1 T FLOP at 70 % of 64 L40S take most of a year.
  const auto claims = audited(
      "schema: claim/1\nclaim: a\nmodel: {name: llama-3.1-70b}\n"
      "hardware: {gpu: l40s, gpus: 64}\n"
      "training: {mfu: 70 %, duration: 10 days, tokens: 1 T}\n");
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(broken(claims[0]).count("duration-work"), 1U);
}

TEST_F(Audit, BadClaimsPointAtTheirLine) {
  const auto errors = [](const std::string& text) {
    Diagnostics diagnostics;
    EXPECT_FALSE(audit_claims(*engine_, {.file = "c.yaml", .text = text}, diagnostics));
    return diagnostics.empty() ? Error{} : diagnostics.errors().front();
  };
  EXPECT_EQ(errors("schema: claim/1\nclaim: a\nhardware: {gpu: h1000}\n").code, 401);
  EXPECT_EQ(errors("schema: claim/1\nclaim: a\nhardware: {gpus: -3}\n").where.line, 3U);
  EXPECT_EQ(errors("schema: claim/1\nclaim: a\npower: {cooling: fans}\n").code, 506);
  EXPECT_EQ(errors("schema: claim/1\nclaim: a\npower: {rack: 30}\n").code, 202);
  EXPECT_EQ(errors("schema: claim/1\nclaim: a\npowr: {rack: 30 kW}\n").code, 502);
}

}  // namespace
}  // namespace loadfactor::engine
