// Tables of plain facts, words of the glossary, and collectives as they were fitted.
#include "catalog/load/fact_loader.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/load/collective_loader.h"
#include "catalog/load/glossary_loader.h"
#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

using namespace literals;
using testing::with;

constexpr std::string_view kFacility =
    "parameter,variant,typical,low,high,unit,kind,source,as_of\n"
    "pue,liquid,1.2,1.1,1.4,ratio,assumed,toy-lab,2024\n"
    "pue,air,1.5,,,ratio,assumed,toy-lab,2024\n"
    "build_time,,2,1,4,years,published,toy-lab,2024-06\n";

std::vector<Fact> facts_of(std::string_view text, std::string* complaints = nullptr) {
  std::vector<Fact> facts;
  Diagnostics diagnostics;
  load_facility(testing::file("facility/facility.csv", text), facts, diagnostics);
  if (complaints != nullptr)
    *complaints = testing::complaints(diagnostics);
  else
    EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return facts;
}

std::string broken(std::string_view from, std::string_view to) {
  std::string complaints;
  facts_of(with(kFacility, from, to), &complaints);
  return complaints;
}

TEST(FactLoaderTest, AFactIsFoundByNameAndVariant) {
  const auto facts = facts_of(kFacility);
  ASSERT_EQ(facts.size(), 3U);
  ASSERT_NE(find_fact(facts, "pue", "liquid"), nullptr);
  EXPECT_EQ(find_fact(facts, "pue", "liquid")->value, 1.2);
  EXPECT_EQ(find_fact(facts, "pue", "liquid")->high, 1.4);
  EXPECT_FALSE(find_fact(facts, "pue", "air")->low.has_value());
  EXPECT_EQ(find_fact(facts, "pue"), nullptr) << "it has variants alone";
  EXPECT_EQ(find_fact(facts, "build_time")->unit, "years");
  EXPECT_EQ(find_fact(facts, "build_time")->provenance.line, 4U);
  EXPECT_EQ(find_fact(facts, "build_time")->provenance.kind, SourceKind::kPublished);
}

TEST(FactLoaderTest, FactsStandInTheOrderOfTheirNames) {
  const auto facts = facts_of(kFacility);
  EXPECT_EQ(facts[0].name, "build_time");
  EXPECT_EQ(facts[1].variant, "air");
  EXPECT_EQ(facts[2].variant, "liquid");
}

TEST(FactLoaderTest, ALaterFileReplacesFactsOfTheSameNameAndVariant) {
  auto facts = facts_of(kFacility);
  Diagnostics diagnostics;
  load_facility(testing::file("facility/facility.csv",
                              "parameter,variant,typical,low,high,unit,kind,source,as_of\n"
                              "pue,air,1.7,,,ratio,measured,toy-lab,2025\n"
                              "tax,,0.1,,,ratio,assumed,toy-lab,2025\n"),
                facts, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(facts.size(), 4U);
  EXPECT_EQ(find_fact(facts, "pue", "air")->value, 1.7);
  EXPECT_EQ(find_fact(facts, "pue", "liquid")->value, 1.2);
  EXPECT_EQ(find_fact(facts, "tax")->value, 0.1);
}

TEST(FactLoaderTest, ARowIsRefusedAtItsLine) {
  EXPECT_EQ(broken("pue,air", "pue,liquid"), "3:LF515");
  EXPECT_EQ(broken("1.2,1.1,1.4", "1.2,1.3,1.4"), "2:LF209");
  EXPECT_EQ(broken("1.2,1.1,1.4", "1.2,1.1,1.15"), "2:LF209");
  EXPECT_EQ(broken("air,1.5", "air,inf"), "3:LF206");
  EXPECT_EQ(broken("air,1.5", "air,much"), "3:LF208");
  EXPECT_EQ(broken("air,1.5", "air,"), "3:LF504");
  EXPECT_EQ(broken("air,1.5,,,ratio", "air,1.5,,,"), "3:LF504");
  EXPECT_EQ(broken("published,toy-lab,2024-06", "guessed,toy-lab,2024-06"), "4:LF506");
  EXPECT_EQ(broken("2024-06", "June"), "4:LF510");
  EXPECT_EQ(broken("typical,", "usual,"), "1:LF502 1:LF513");
}

TEST(FactLoaderTest, ARefusedRowLeavesTheOthers) {
  std::string complaints;
  const auto facts = facts_of(with(kFacility, "air,1.5", "air,much"), &complaints);
  EXPECT_EQ(facts.size(), 2U);
  EXPECT_EQ(find_fact(facts, "pue", "air"), nullptr);
}

TEST(HazardLoaderTest, AHazardHasItsNote) {
  std::vector<Fact> facts;
  Diagnostics diagnostics;
  load_hazards(testing::file("reliability/hazards.csv",
                             "fact,value,unit,kind,as_of,source,note\n"
                             "node_failures,0.5,per year,published,2024,toy-lab,of 100 nodes\n"),
               facts, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].note, "of 100 nodes");
  EXPECT_EQ(facts[0].unit, "per year");
}

constexpr std::string_view kGlossary = R"(schema: glossary/1
terms:
  load_factor: {definition: how full, formula: used / paid, unit: ratio}
  goodput: {definition: what counts, formula: useful / all, unit: ratio}
)";

TEST(GlossaryLoaderTest, ATermIsReplacedAndKeepsItsFellows) {
  std::vector<GlossaryTerm> terms;
  Diagnostics diagnostics;
  load_glossary(testing::file("glossary.yaml", kGlossary), terms, diagnostics);
  load_glossary(testing::file("glossary.yaml",
                              "schema: glossary/1\nterms:\n"
                              "  load_factor: {definition: d, formula: f, unit: u}\n"),
                terms, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(terms.size(), 2U);
  EXPECT_EQ(terms[0].name, "goodput");
  EXPECT_EQ(terms[1].definition, "d");
}

TEST(GlossaryLoaderTest, ATermSaysWhatItIsAndInWhichUnit) {
  const auto complaints = [](std::string_view from, std::string_view to) {
    std::vector<GlossaryTerm> terms;
    Diagnostics diagnostics;
    load_glossary(testing::file("glossary.yaml", with(kGlossary, from, to)), terms, diagnostics);
    return testing::complaints(diagnostics);
  };
  EXPECT_EQ(complaints("glossary/1", "model/1"), "1:LF511");
  EXPECT_EQ(complaints(", unit: ratio}\n  goodput", "}\n  goodput"), "3:LF504");
  EXPECT_EQ(complaints("formula: used", "formular: used"), "3:LF504 3:LF502");
}

constexpr std::string_view kCollectives = R"(schema: collectives/1
rows:
  - {link: toylink, algorithm: ring, operation: all-reduce, start: 10 us, per_rank: 1 us, extra: 5 us,
     low: 0.3, fraction: 0.8, loss: -0.5, points: 40, median: 0.05, p90: 0.2,
     kind: measured, source: toy-lab, date: 2024}
transports:
  - {transport: rdma, start: 20 us, latency: 3 us, fraction: 0.9, kind: assumed, source: toy-lab, date: 2024}
  - {transport: staged, start: 20 us, latency: 3 us, fraction: 0.9, host_share: 0.4, ceiling: 5 GB/s,
     kind: assumed, source: toy-lab, date: 2024}
)";

TEST(CollectiveLoaderTest, RowsAndTransportsAreReadWithTheirUnits) {
  Diagnostics diagnostics;
  const CollectiveTable table =
      load_collectives(testing::file("calibration/collectives.yaml", kCollectives), diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(table.rows[0].start.base(), 10e-6);
  EXPECT_EQ(table.rows[0].loss, -0.5);
  EXPECT_EQ(table.rows[0].points, 40);
  ASSERT_EQ(table.transports.size(), 2U);
  EXPECT_EQ(table.transports[0].host_share, 0.0);
  EXPECT_EQ(table.transports[0].ceiling, BytesPerSecond());
  EXPECT_EQ(table.transports[1].ceiling, 5_GBps);
}

TEST(CollectiveLoaderTest, WhatNoWireDoesIsRefusedAtItsLine) {
  const auto complaints = [](std::string_view from, std::string_view to) {
    Diagnostics diagnostics;
    load_collectives(testing::file("calibration/collectives.yaml", with(kCollectives, from, to)),
                     diagnostics);
    return testing::complaints(diagnostics);
  };
  EXPECT_EQ(complaints("fraction: 0.8", "fraction: 1.8"), "4:LF207");
  EXPECT_EQ(complaints("start: 10 us", "start: 10"), "3:LF202");
  EXPECT_EQ(complaints("start: 10 us", "start: 11 s"), "3:LF207");
  EXPECT_EQ(complaints("host_share: 0.4", "host_share: 1.4"), "8:LF207");
  EXPECT_EQ(complaints("ceiling: 5 GB/s", "ceiling: 5 GB"), "8:LF203");
  EXPECT_EQ(complaints("collectives/1", "collectives/2"), "1:LF511");
}

TEST(CollectiveLoaderTest, TheLastFileOfItsNameCounts) {
  Diagnostics diagnostics;
  const std::vector<DataFile> files{
      testing::file("calibration/collectives.yaml", kCollectives),
      testing::file("calibration/others.yaml", kCollectives),
      testing::file("calibration/collectives.yaml", with(kCollectives, "points: 40", "points: 7"))};
  EXPECT_EQ(find_collectives(files, diagnostics).rows.at(0).points, 7);
  EXPECT_TRUE(find_collectives({}, diagnostics).rows.empty());
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
}

}  // namespace
}  // namespace loadfactor::catalog
