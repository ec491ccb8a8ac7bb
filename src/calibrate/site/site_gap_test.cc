#include "calibrate/site/site_gap.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "calibrate/site/site_fixture.h"
#include "calibrate/site/site_gap_terms.h"
#include "training/step/step_fixture.h"

namespace loadfactor::calibrate {
namespace {

const std::vector<GapTerm> kTwo{{"kernels", 0.1, "kernels"}, {"host", 0.5, "host"}};

const GapGroup* find_group(const GapFigure& figure, const std::string& name) {
  for (const GapGroup& group : figure.groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

TEST(SiteGapTest, OneStepAloneLeavesTheCulpritOpenAndSaysWhatToMeasure) {
  for (const double measured : {1.2, 1.4, 2.6, 13.0}) {
    const GapAnswer answer =
        attribute_gap(kTwo, std::vector<SiteObservation>{{"", {1.0, 0.3}, measured, 0.01, ""}});
    EXPECT_EQ(answer.layouts, 1);
    EXPECT_FALSE(answer.settled) << measured;
    EXPECT_NE(answer.next.find("'kernels'"), std::string::npos);
    EXPECT_NEAR(answer.figures.at(0).gap(), measured - 1.3, 1e-12);
  }
}

TEST(SiteGapTest, StepsOfOneLayoutSettleNothingHoweverMany) {
  const std::vector<SiteObservation> seen(20, {"", {1.0, 0.3}, 1.4, 0.01, ""});
  const GapAnswer answer = attribute_gap(kTwo, seen);
  EXPECT_EQ(answer.layouts, 1);
  EXPECT_FALSE(answer.settled);
}

TEST(SiteGapTest, StepsAsPredictedAreNotSharedOut) {
  const std::vector<SiteObservation> seen{{"", {1.0, 0.3}, 1.3, 0.01, ""},
                                          {"", {4.0, 0.3}, 4.3, 0.01, ""},
                                          {"", {2.0, 0.1}, 2.1, 0.01, ""}};
  const GapAnswer answer = attribute_gap(kTwo, seen);
  EXPECT_TRUE(answer.within_scatter());
  EXPECT_FALSE(answer.settled);
  EXPECT_DOUBLE_EQ(answer.figures.at(0).unexplained, answer.figures.at(0).gap());
}

TEST(SiteGapTest, SharesLieBetweenNoneAndAllWhateverWasMeasured) {
  RandomStream random(7, "gap");
  for (int round = 0; round < 50; ++round) {
    std::vector<SiteObservation> seen;
    for (int i = 0; i < 1 + round % 4; ++i) {
      SiteObservation row{"", {random.uniform(), random.uniform()}, 0, 0.01, ""};
      row.measured = row.predicted() * std::exp(random.uniform() - 0.5);
      seen.push_back(row);
    }
    for (const GapFigure& figure : attribute_gap(kTwo, seen).figures) {
      double sum = 0;
      for (const GapShare& share : figure.shares) {
        EXPECT_GE(share.share, 0);
        EXPECT_NEAR(share.seconds, share.share * figure.gap(), 1e-9);
        sum += share.share;
      }
      EXPECT_LE(sum, 1 + 1e-12);
      EXPECT_NEAR(figure.unexplained, (1 - sum) * figure.gap(), 1e-9);
      for (std::size_t i = 1; i < figure.groups.size(); ++i)
        EXPECT_GE(figure.groups[i - 1].share, figure.groups[i].share);
    }
  }
}

TEST(SiteGapTest, ATermOfNoTimeIsNeverNamedAndATraceIsToldApart) {
  const std::vector<GapTerm> terms{
      {"kernels", 0.1, "kernels"}, {"bubble", 0.2, "bubble"}, {"host", 0.5, "host"}};
  const std::vector<SiteObservation> seen{{"", {1.0, 0.0, 0.002}, 1.2, 0.01, ""}};
  const GapAnswer answer = attribute_gap(terms, seen);
  ASSERT_EQ(answer.unseen.size(), 1u);
  EXPECT_EQ(answer.unseen[0].term, "host");
  EXPECT_EQ(answer.next.find("bubble"), std::string::npos);
  for (const GapShare& share : answer.figures.at(0).shares) EXPECT_EQ(share.term, "kernels");
}

TEST(SiteGapTest, FiguresOfOneKindAreMeansOfTheirOwn) {
  const std::vector<SiteObservation> seen{{"", {1.0, 0.3}, 1.6, 0.01, ""},
                                          {"", {0.01, 0.002}, 0.014, 0.01, ""}};
  const std::vector<std::string> kinds{"first token", "time per token"};
  const GapAnswer answer = attribute_gap(kTwo, seen, kinds);
  ASSERT_EQ(answer.figures.size(), 2u);
  EXPECT_NEAR(answer.figures[0].predicted, 1.3, 1e-12);
  EXPECT_NEAR(answer.figures[1].predicted, 0.012, 1e-12);
}

TEST(SiteGapTest, WhatMakesNoSenseIsLeftOut) {
  const std::vector<SiteObservation> seen{{"", {1.0}, 1.0, 0.01, ""},  // Terms missing.
                                          {"", {1.0, 0.1}, 0.0, 0.01, ""},
                                          {"", {0.0, 0.0}, 1.0, 0.01, ""}};
  EXPECT_TRUE(attribute_gap(kTwo, seen).figures.empty());
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

// Steps in which the terms of one group take a fifth longer, with scatter on top.
std::vector<SiteObservation> inflated(const SiteCalibration& site, const std::string& group,
                                      double scatter) {
  const auto terms = gap_terms(site);
  RandomStream random(3, group);
  std::vector<SiteObservation> seen;
  for (const auto& step : steps_of_layouts()) {
    SiteObservation row{"", site.terms_of(step), 0, 0.01, ""};
    row.measured = row.predicted();
    for (std::size_t t = 0; t < terms.size(); ++t)
      row.measured += terms[t].group == group ? 0.2 * row.terms[t] : 0.0;
    row.measured *= std::exp(scatter * (2 * random.uniform() - 1));
    seen.push_back(row);
  }
  return seen;
}

TEST(SiteGapTest, AGroupInflatedByAFifthTakesAtLeastFourFifthsOfTheGap) {
  const SiteCalibration site = shipped_terms();
  for (const char* group : {"kernels", "communication", "bubble", "stragglers", "host"}) {
    const GapAnswer answer = attribute_gap(gap_terms(site), inflated(site, group, 0.0));
    EXPECT_TRUE(answer.settled) << group;
    EXPECT_EQ(answer.figures.at(0).groups.at(0).name, group);
    EXPECT_GE(answer.figures.at(0).groups.at(0).share, 0.8) << group;
  }
}

TEST(SiteGapTest, TheMoreStepsScatterTheLessIsClaimed) {
  const SiteCalibration site = shipped_terms();
  for (const char* group : {"stragglers", "host"}) {
    double before = 2;
    for (const double scatter : {0.0, 0.05}) {
      const GapAnswer answer = attribute_gap(gap_terms(site), inflated(site, group, scatter));
      const GapGroup* found = find_group(answer.figures.at(0), group);
      const double likelihood = found == nullptr ? 0 : found->likelihood;
      EXPECT_LT(likelihood, before) << group << scatter;
      before = likelihood;
    }
    EXPECT_LT(before, 0.9) << group;
  }
}

}  // namespace
}  // namespace loadfactor::calibrate
