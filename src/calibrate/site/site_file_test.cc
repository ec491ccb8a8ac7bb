#include "calibrate/site/site_file.h"

#include <gtest/gtest.h>

#include "calibrate/site/site_fixture.h"
#include "training/step/step_fixture.h"

namespace loadfactor::calibrate {
namespace {

training::StepTime step_of_one_second_each() {
  training::StepTime time;
  for (Seconds& part : time.parts) part = Seconds::from_base(1.0);
  return time;
}

TEST(SiteFileTest, EveryPartOfAStepIsInOneTermAndShippedTermsMoveNothing) {
  const SiteCalibration site = shipped_terms();
  auto time = step_of_one_second_each();
  double sum = 0;
  for (const double seconds : site.terms_of(time)) sum += seconds;
  EXPECT_DOUBLE_EQ(sum, static_cast<double>(training::kNumParts));
  EXPECT_DOUBLE_EQ(site.factors().least(), 1.0);
  EXPECT_DOUBLE_EQ(site.narrowing(time), 1.0);
  EXPECT_EQ(site.steps, 0);
}

TEST(SiteFileTest, WhatIsWrittenIsReadBack) {
  SiteCalibration site = shipped_terms();
  site.chip = "h200-sxm";
  site.stack = "pytorch-compiled";
  site.terms[0].term.factor = 1.25;
  site.terms[0].term.error = 0.0125;
  site.steps = 3;
  Diagnostics diagnostics;
  const auto read = load_site({"site.yaml", "site.yaml", site_yaml(site)}, diagnostics);
  ASSERT_TRUE(read.has_value() && diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(site_yaml(*read), site_yaml(site));
  EXPECT_DOUBLE_EQ(read->terms[0].term.factor, 1.25);
  EXPECT_EQ(read->terms[0].parts, site.terms[0].parts);
}

TEST(SiteFileTest, TheEnergyOfABitHasItsOwnSourceAndIsReadBack) {
  const SiteCalibration site = shipped_terms();
  ASSERT_TRUE(site.memory_energy.has_value());
  EXPECT_GT(site.memory_energy->per_bit, Joules{});
  EXPECT_EQ(site.memory_energy->provenance.kind, catalog::SourceKind::kAssumed);
  EXPECT_NE(site.memory_energy->provenance.sources, site.provenance.sources);
  Diagnostics diagnostics;
  const auto read = load_site({"site.yaml", "site.yaml", site_yaml(site)}, diagnostics);
  ASSERT_TRUE(read && read->memory_energy) << render(diagnostics);
  EXPECT_NEAR(read->memory_energy->per_bit / site.memory_energy->per_bit, 1.0, 1e-4);
}

TEST(SiteFileTest, AnIntervalNarrowsOnlyAsFarAsTheStepLiesInMeasuredTerms) {
  SiteCalibration site = shipped_terms();
  site.terms[0].term.error = 0.1 * site.terms[0].term.width;
  training::StepTime products;
  products[training::Part::kGemm] = Seconds::from_base(1.0);
  EXPECT_NEAR(site.narrowing(products), 0.1, 1e-12);
  training::StepTime host;
  host[training::Part::kHost] = Seconds::from_base(1.0);
  EXPECT_DOUBLE_EQ(site.narrowing(host), 1.0);
}

TEST(SiteFileTest, AnUnknownPartIsRefusedAtItsPlace) {
  Diagnostics diagnostics;
  static_cast<void>(
      load_site({"site.yaml", "site.yaml",
                 "schema: site/1\nsteps: 0\nterms:\n  - {name: a, parts: [gem], factor: 1, "
                 "width: 0.1, error: 0.1}\nkind: assumed\nsource: x\ndate: 2026\n"},
                diagnostics));
  ASSERT_EQ(diagnostics.errors().size(), 1u);
  EXPECT_EQ(diagnostics.errors()[0].code, 506);
}

TEST(SiteFileTest, CollectivesOfOneNodeSayNothingOfWhatLeavesIt) {
  SiteCalibration site = shipped_terms();
  for (SiteTermEntry& entry : site.terms) {
    if (entry.term.name != "communication") continue;
    entry.term.factor = 2;
    entry.term.error = entry.term.width / 10;
  }
  site.reach = 8;
  const auto inside = site.factors().of_job(8, 8);
  const auto outside = site.factors().of_job(512, 8);
  for (const auto part : {training::Part::kTp, training::Part::kCp}) {
    EXPECT_DOUBLE_EQ(inside[part], 2);
    EXPECT_DOUBLE_EQ(outside[part], 2);
  }
  for (const auto part : training::kOutside) {
    EXPECT_DOUBLE_EQ(inside[part], 2);
    EXPECT_DOUBLE_EQ(outside[part], 1);
  }
  training::StepTime gradients;
  gradients[training::Part::kDp] = Seconds::from_base(1.0);
  EXPECT_NEAR(site.narrowing(gradients, false), 0.1, 1e-12);
  EXPECT_NEAR(site.narrowing(gradients, true), 1.0, 1e-12);
}

}  // namespace
}  // namespace loadfactor::calibrate
