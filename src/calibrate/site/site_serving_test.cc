#include "calibrate/site/site_serving.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "training/step/step_fixture.h"

namespace loadfactor::calibrate {
namespace {

using serving::Constant;
using serving::Constants;
using serving::EngineConstant;
using serving::EngineTraits;

// One generation, which has the first place.
const EngineTraits kEngine;

ServingSite shipped() {
  Diagnostics diagnostics;
  const auto site =
      load_serving_site({"calibration/site-serving-terms.yaml", "site-serving-terms.yaml",
                         training::read_data("calibration/site-serving-terms.yaml")},
                        diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return site.value_or(ServingSite{});
}

Constants ones() {
  return Constants(1, 1.0);
}

// `a` seconds of products, `b` of cache reading, `c` of host work and `d` of what no term moves.
ServingSeconds sum_of(double a, double b, double c, double d) {
  return [=](const Constants& k) {
    return a * k[Constant::kGemm16] + b * k[Constant::kDecode16] +
           c * k.of(kEngine.index, EngineConstant::kHostStep) + d;
  };
}

SiteObservation observe(const ServingSite& site, const ServingSeconds& seconds, double measured,
                        double noise, const std::string& run = "") {
  return {run, site.terms_of(seconds, ones(), kEngine), measured, noise, run};
}

TEST(SiteServingTest, ShippedTermsMoveNothing) {
  const ServingSite site = shipped();
  EXPECT_EQ(site.runs, 0);
  EXPECT_EQ(site.apply(ones(), kEngine).values, ones().values);
  EXPECT_DOUBLE_EQ(site.narrowing(site.terms_of(sum_of(1, 1, 1, 1), ones(), kEngine)), 1.0);
}

TEST(SiteServingTest, TermsAreTheSecondsTheyDecide) {
  const ServingSite site = shipped();
  const auto terms = site.terms_of(sum_of(6, 2, 1, 1), ones(), kEngine);
  ASSERT_EQ(terms.size(), site.terms.size() + 1);
  EXPECT_NEAR(terms[0], 6, 0.1);  // The products.
  EXPECT_NEAR(terms[2], 2, 0.1);  // The cache.
  EXPECT_NEAR(terms[5], 1, 0.1);  // The host.
  EXPECT_NEAR(terms[6], 1, 0.2);  // The rest.
  EXPECT_EQ(terms[1], 0.0);
}

TEST(SiteServingTest, OneRunMovesTheTermsItCouldBlameAndNeverAllAlike) {
  ServingSite site = shipped();
  const auto seconds = sum_of(6, 2, 1, 1);
  const SiteFit fit = fit_terms(site.priors(), std::vector{observe(site, seconds, 11.5, 0.03)});
  site.take(fit, 1);
  EXPECT_GT(site.terms[0].term.factor, 1.01);
  EXPECT_DOUBLE_EQ(site.terms[1].term.factor, 1.0);  // There are no experts.
  EXPECT_NE(site.terms[0].term.factor, site.terms[2].term.factor);
  EXPECT_NE(site.terms[2].term.factor, site.terms[5].term.factor);
  const double said = seconds(site.apply(ones(), kEngine));
  EXPECT_GT(said, 10.5);
  EXPECT_LT(said, 11.5);
  EXPECT_LT(site.narrowing(site.terms_of(seconds, ones(), kEngine)), 0.9);
  // What was not measured is as doubtful as before.
  const auto experts = [](const Constants& k) { return k[Constant::kExperts16]; };
  EXPECT_DOUBLE_EQ(site.narrowing(site.terms_of(experts, ones(), kEngine)), 1.0);
}

TEST(SiteServingTest, KnownFactorsAreRecoveredFromRunsThatWeighThemDifferently) {
  ServingSite site = shipped();
  ServingSite truth = site;
  truth.terms[0].term.factor = 1.08;
  truth.terms[2].term.factor = 0.9;
  truth.terms[5].term.factor = 1.4;
  std::vector<SiteObservation> seen;
  for (int i = 0; i < 9; ++i) {
    const auto seconds = sum_of(1 + i % 3, 0.5 + 2 * (i / 3), 0.3 + 0.5 * (i % 2), 0.1);
    seen.push_back(observe(site, seconds, seconds(truth.apply(ones(), kEngine)), 0.002,
                           "run " + std::to_string(i)));
  }
  const SiteFit fit = fit_terms(site.priors(), seen);
  EXPECT_NEAR(fit.terms[0].factor, 1.08, 0.02);
  EXPECT_NEAR(fit.terms[2].factor, 0.9, 0.02);
  EXPECT_NEAR(fit.terms[5].factor, 1.4, 0.05);
  EXPECT_LT(fit.held_out.median, 0.01);
}

TEST(SiteServingTest, FiguresOfOneRunAreLeftOutTogether) {
  const ServingSite site = shipped();
  const auto seconds = sum_of(1, 0, 0, 0);
  const std::vector<SiteObservation> one_run{observe(site, seconds, 1.2, 0.01, "run 1"),
                                             observe(site, seconds, 1.2, 0.01, "run 1")};
  const SiteFit fit = fit_terms(site.priors(), one_run);
  EXPECT_LT(fit.after.median, 0.02);
  EXPECT_NEAR(fit.held_out.median, fit.before.median, 1e-9);
}

TEST(SiteServingTest, WhatIsWrittenIsReadBack) {
  ServingSite site = shipped();
  site.chip = "h200-sxm";
  site.engine = "vllm-v1";
  site.terms[3].term.factor = 1.25;
  site.runs = 4;
  Diagnostics diagnostics;
  const auto read =
      load_serving_site({"site-serving.yaml", "x", serving_site_yaml(site)}, diagnostics);
  ASSERT_TRUE(read && diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(serving_site_yaml(*read), serving_site_yaml(site));
}

TEST(SiteServingTest, AnUnknownConstantIsRefusedAtItsPlace) {
  Diagnostics diagnostics;
  static_cast<void>(load_serving_site(
      {"s.yaml", "s.yaml",
       "schema: site-serving/1\nrest: 0.05\nruns: 0\nterms:\n  - {name: a, constants: [gem_16], "
       "factor: 1, width: 0.1, error: 0.1}\nkind: assumed\nsource: x\ndate: 2026\n"},
      diagnostics));
  ASSERT_EQ(diagnostics.errors().size(), 1u);
  EXPECT_EQ(diagnostics.errors()[0].code, lf::kUnknownWord);
  EXPECT_EQ(diagnostics.errors()[0].where.line, 5u);
}

}  // namespace
}  // namespace loadfactor::calibrate
