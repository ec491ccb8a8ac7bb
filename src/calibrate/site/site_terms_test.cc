#include "calibrate/site/site_terms.h"

#include <cmath>

#include <gtest/gtest.h>

namespace loadfactor::calibrate {
namespace {

const std::vector<TermPrior> kTwo{{"kernels", 0.1}, {"host", 0.5}};

TEST(SiteTermsTest, NothingMeasuredMovesNothing) {
  const SiteFit fit = fit_terms(kTwo, {});
  EXPECT_EQ(fit.observations, 0);
  for (const SiteTerm& term : fit.terms) {
    EXPECT_DOUBLE_EQ(term.factor, 1.0);
    EXPECT_DOUBLE_EQ(term.error, term.width);
    EXPECT_FALSE(term.measured());
  }
}

TEST(SiteTermsTest, OnePointMovesTheTermsItCouldBlameAndNotAllAlike) {
  // 1 s of kernels ± 10 % and 0.1 s of host ± 50 %: 1.2 s measured.
  const SiteFit fit =
      fit_terms(kTwo, std::vector<SiteObservation>{{"step", {1.0, 0.1}, 1.2, 0.01}});
  EXPECT_GT(fit.terms[0].factor, 1.02);
  EXPECT_GT(fit.terms[1].factor, 1.02);
  EXPECT_NE(fit.terms[0].factor, fit.terms[1].factor);
  const double said = apply_terms(fit.terms, std::vector<double>{1.0, 0.1});
  EXPECT_GT(said, 1.1);
  EXPECT_LT(said, 1.2);  // Drawn to what was known before.
  EXPECT_LT(fit.terms[0].error, 0.1);
}

TEST(SiteTermsTest, ATermOfNoTimeStaysAsItWas) {
  const SiteFit fit =
      fit_terms(kTwo, std::vector<SiteObservation>{{"step", {1.0, 0.0}, 1.1, 0.01}});
  EXPECT_DOUBLE_EQ(fit.terms[1].factor, 1.0);
  EXPECT_DOUBLE_EQ(fit.terms[1].error, 0.5);
}

TEST(SiteTermsTest, KnownFactorsAreRecovered) {
  const std::vector<TermPrior> priors{{"a", 0.3}, {"b", 0.3}, {"c", 0.3}};
  const std::vector<double> truth{1.2, 0.85, 1.1};
  std::vector<SiteObservation> seen;
  for (int i = 0; i < 8; ++i) {
    const std::vector<double> terms{1.0 + (i % 2), 0.5 + 0.4 * (i % 3), 0.2 + 0.3 * (i % 4)};
    double measured = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) measured += truth[t] * terms[t];
    seen.push_back({"", terms, measured, 0.002});
  }
  const SiteFit fit = fit_terms(priors, seen);
  for (std::size_t t = 0; t < truth.size(); ++t) EXPECT_NEAR(fit.terms[t].factor, truth[t], 0.01);
  EXPECT_GT(fit.before.median, 0.05);
  EXPECT_LT(fit.held_out.median, 0.005);
}

TEST(SiteTermsTest, MoreOfTheSameNarrowsNoFurtherThanTheirNoise) {
  std::vector<SiteObservation> seen(1, {"", {1.0, 0.1}, 1.1, 0.02});
  const double one = fit_terms(kTwo, seen).terms[0].error;
  seen.resize(4, seen[0]);
  const double four = fit_terms(kTwo, seen).terms[0].error;
  EXPECT_LE(four, one);
  EXPECT_GT(four, 0.01);
}

TEST(SiteTermsTest, SlopesLargerThanTheFigureItselfLeaveEveryFactorANumber) {
  // Near a cliff the slopes of 1 s are 20 s and −19 s: factors that explain 0.4 s leave less than
  // nothing on the way.
  const std::vector<SiteObservation> seen{{"ttft", {20.0, -19.0}, 0.4, 0.02, "run"},
                                          {"tpot", {15.0, -14.0}, 0.3, 0.02, "run"}};
  const SiteFit fit = fit_terms(kTwo, seen);
  for (const SiteTerm& term : fit.terms) {
    EXPECT_TRUE(std::isfinite(term.factor));
    EXPECT_TRUE(std::isfinite(term.error));
    EXPECT_GT(term.factor, 0);
  }
  EXPECT_LT(fit.after.median, fit.before.median);
  EXPECT_TRUE(std::isfinite(fit.held_out.p90));
}

TEST(SiteTermsTest, WhatMakesNoSenseIsLeftOut) {
  const std::vector<SiteObservation> seen{{"", {1.0}, 1.0, 0.01},  // Terms missing.
                                          {"", {1.0, 0.1}, 0.0, 0.01},
                                          {"", {0.0, 0.0}, 1.0, 0.01}};
  EXPECT_EQ(fit_terms(kTwo, seen).observations, 0);
}

TEST(SiteTermsTest, MeasurementsThatContradictOneAnotherWidenTheErrorsAndTeachNothing) {
  const std::vector<TermPrior> priors{{"work", 0.1}};
  const auto seen = [](double measured) {
    return SiteObservation{"step", {1.0}, measured, 0.02, ""};
  };
  const auto agree = fit_terms(priors, std::vector{seen(1.05), seen(1.06)});
  const auto differ = fit_terms(priors, std::vector{seen(0.8), seen(1.25)});
  EXPECT_DOUBLE_EQ(agree.strain, 1.0);
  EXPECT_FALSE(agree.refuted());
  EXPECT_GT(differ.strain, 5.0);
  EXPECT_GT(differ.terms[0].error, 5 * agree.terms[0].error);
  // Ten widths off is no machine of this kind.
  EXPECT_TRUE(fit_terms(priors, std::vector{seen(2.7)}).refuted());
}

TEST(SiteTermsTest, AClusterHalfAgainAsSlowIsTakenWithWideErrors) {
  const std::vector<TermPrior> priors{{"work", 0.1}, {"stragglers", 0.4}};
  const std::vector seen{SiteObservation{"step", {0.9, 0.1}, 1.5, 0.02, ""}};
  const auto fit = fit_terms(priors, seen);
  EXPECT_EQ(fit.strange, 1);
  EXPECT_LT(fit.after.median, 0.15);
  EXPECT_FALSE(fit.refuted());
  EXPECT_GT(fit.terms[0].error, priors[0].width) << "nothing is learnt of one term alone";
}

TEST(SiteTermsTest, AStepThatIsFasterThanItsKindIsCountedApart) {
  const std::vector<TermPrior> priors{{"work", 0.05}};
  const auto seen = [](double measured) {
    return SiteObservation{"step", {1.0}, measured, 0.01, ""};
  };
  const auto fit = fit_terms(priors, std::vector{seen(0.5), seen(0.8), seen(2.0), seen(1.0)});
  EXPECT_EQ(fit.strange, 3);
  EXPECT_EQ(fit.faster, 2);
  EXPECT_DOUBLE_EQ(fit.fastest, 2.0);
}

}  // namespace
}  // namespace loadfactor::calibrate
