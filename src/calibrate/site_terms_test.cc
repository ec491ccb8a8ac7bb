#include "calibrate/site_terms.h"

#include <cmath>

#include <gtest/gtest.h>

#include "calibrate/site_gap.h"
#include "training/step_fixture.h"

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

TEST(SiteTermsTest, WhatMakesNoSenseIsLeftOut) {
  const std::vector<SiteObservation> seen{{"", {1.0}, 1.0, 0.01},  // Terms missing.
                                          {"", {1.0, 0.1}, 0.0, 0.01},
                                          {"", {0.0, 0.0}, 1.0, 0.01}};
  EXPECT_EQ(fit_terms(kTwo, seen).observations, 0);
  EXPECT_TRUE(attribute_gap(kTwo, seen).shares.empty());
}

TEST(SiteGapTest, OneStepAloneLeavesTheCulpritOpenAndSaysWhatToMeasure) {
  const GapAnswer answer =
      attribute_gap(kTwo, std::vector<SiteObservation>{{"", {1.0, 0.3}, 1.4, 0.01}});
  EXPECT_FALSE(answer.settled);
  EXPECT_NE(answer.next.find("'kernels'"), std::string::npos);
  EXPECT_NEAR(answer.gap(), 0.1, 1e-12);
}

// Steps of one model under several layouts, as a site may have timed them.
std::vector<training::StepTime> steps_of_layouts() {
  using namespace training;
  const CalibrationFile file = shipped_calibration();
  const Calibration calibration = file.calibration();
  const auto chip = round_chip();
  const auto* constants = calibration.find(chip);
  const auto model = plain_transformer(32, 4096);
  StackTraits stack;
  std::vector<StepTime> steps;
  struct Row {
    int gpus, tp, pp, micro;
    std::int64_t batch, sequence;
  };
  for (const Row row :
       {Row{8, 1, 1, 1, 8, 2048}, Row{8, 1, 1, 4, 32, 2048}, Row{64, 8, 1, 1, 64, 4096},
        Row{64, 4, 4, 1, 64, 2048}, Row{64, 1, 8, 1, 64, 8192}, Row{256, 8, 4, 2, 512, 2048},
        Row{16, 1, 1, 1, 16, 16384}, Row{512, 8, 8, 1, 512, 4096}}) {
    TrainingJob job;
    job.model = &model;
    job.chip = &chip;
    job.stack = &stack;
    job.sequence = row.sequence;
    job.global_batch = row.batch;
    job.layout.gpus = row.gpus;
    job.layout.tp = row.tp;
    job.layout.pp = row.pp;
    job.layout.dp = row.gpus / row.tp / row.pp;
    job.layout.micro_batch = row.micro;
    steps.push_back(
        step_time(job, calibration.shared, *constants, calibration.families[constants->family]));
  }
  return steps;
}

struct Inflated {
  const char* name;
  std::vector<training::Part> parts;
  double width;
};

TEST(SiteGapTest, ATermInflatedByAFifthTakesAtLeastFourFifthsOfTheGap) {
  using training::Part;
  const std::vector<Inflated> terms{
      {"kernels",
       {Part::kGemm, Part::kAttention, Part::kPointwise, Part::kHead, Part::kRecompute,
        Part::kOptimizer},
       0.06},
      {"communication",
       {Part::kTp, Part::kCp, Part::kEp, Part::kFsdp, Part::kDp, Part::kP2p},
       0.25},
      {"bubble", {Part::kBubble, Part::kImbalance}, 0.15},
      {"stragglers", {Part::kStraggler}, 0.5},
      {"host", {Part::kHost}, 0.5}};
  std::vector<TermPrior> priors;
  for (const Inflated& term : terms) priors.push_back({term.name, term.width});
  const auto steps = steps_of_layouts();
  for (std::size_t inflated = 0; inflated < terms.size(); ++inflated) {
    std::vector<SiteObservation> seen;
    double extra = 0;
    for (const auto& step : steps) {
      SiteObservation row{"", {}, 0, 0.0005};
      for (const Inflated& term : terms) {
        double sum = 0;
        for (const Part part : term.parts) sum += step[part].base();
        row.terms.push_back(sum);
      }
      row.measured = row.predicted() + 0.2 * row.terms[inflated];
      extra += 0.2 * row.terms[inflated];
      seen.push_back(row);
    }
    ASSERT_GT(extra, 0) << terms[inflated].name;
    const GapAnswer answer = attribute_gap(priors, seen);
    EXPECT_EQ(answer.shares[0].term, terms[inflated].name);
    EXPECT_GE(answer.shares[0].share, 0.8) << terms[inflated].name;
  }
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

}  // namespace
}  // namespace loadfactor::calibrate
