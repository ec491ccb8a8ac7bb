#include "catalog/load/sources_loader.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "catalog/load/fact_loader.h"
#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

std::string complaints(std::string_view text) {
  Diagnostics diagnostics;
  std::vector<Source> sources;
  load_sources(testing::file("SOURCES.md", text), sources, diagnostics);
  return testing::complaints(diagnostics);
}

TEST(SourcesLoaderTest, RowsOfTablesAreSourcesAndProseIsNot) {
  Diagnostics diagnostics;
  std::vector<Source> sources;
  load_sources(testing::file("SOURCES.md", testing::kToySources), sources, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(sources.size(), 2U);
  ASSERT_NE(find_source(sources, "toy-sheet"), nullptr);
  EXPECT_EQ(find_source(sources, "toy-sheet")->document, "Toy data sheet, rev. 2");
  EXPECT_EQ(find_source(sources, "toy-sheet")->line, 7U);
  EXPECT_EQ(find_source(sources, "toy"), nullptr);
}

TEST(SourcesLoaderTest, ABarInTheTextIsEscaped) {
  Diagnostics diagnostics;
  std::vector<Source> sources;
  load_sources(testing::file("SOURCES.md", "|id|document|date|\n|-|-|-|\n|a|x \\| y|2024|\n"),
               sources, diagnostics);
  EXPECT_EQ(sources.at(0).document, "x | y");
}

TEST(SourcesLoaderTest, BrokenRowsAreReported) {
  const std::string head = "| id | document | date |\n|---|---|---|\n";
  EXPECT_EQ(complaints(head + "| a | b |\n"), "3:LF514");
  EXPECT_EQ(complaints(head + "| A b | c | 2024 |\n"), "3:LF506");
  EXPECT_EQ(complaints(head + "| a |  | 2024 |\n"), "3:LF504");
  EXPECT_EQ(complaints(head + "| a | b | yesterday |\n"), "3:LF510");
  EXPECT_EQ(complaints(head + "| a | b | 2024 |\n| a | c | 2024 |\n"), "4:LF515");
}

TEST(SourcesLoaderTest, ALaterFileReplacesByIdAndKeepsTheRest) {
  Diagnostics diagnostics;
  std::vector<Source> sources;
  load_sources(testing::file("SOURCES.md", testing::kToySources), sources, diagnostics);
  load_sources(testing::file("SOURCES.md", "| id | document | date |\n| toy-lab | new | 2025 |\n"),
               sources, diagnostics);
  EXPECT_EQ(sources.size(), 2U);
  EXPECT_EQ(find_source(sources, "toy-lab")->document, "new");
}

TEST(FactLoaderTest, FactsAreReadWithBoundsAndReplacedByNameAndVariant) {
  Diagnostics diagnostics;
  std::vector<Fact> facts;
  const std::string head = "parameter,variant,typical,low,high,unit,kind,source,as_of\n";
  load_facility(testing::file("facility/facility.csv",
                              head + "pue,air,1.4,1.2,1.6,ratio,published,toy-lab,2024\n"
                                     "pue,liquid,1.1,,,ratio,published,toy-lab,2024\n"),
                facts, diagnostics);
  load_facility(
      testing::file("facility/facility.csv", head + "pue,air,1.5,,,ratio,published,toy-lab,2025\n"),
      facts, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(facts.size(), 2U);
  EXPECT_EQ(find_fact(facts, "pue", "air")->value, 1.5);
  EXPECT_EQ(find_fact(facts, "pue", "liquid")->low, std::nullopt);
  EXPECT_EQ(find_fact(facts, "pue"), nullptr);
}

TEST(FactLoaderTest, AFactStandsOnceAndWithinItsBounds) {
  Diagnostics diagnostics;
  std::vector<Fact> facts;
  load_facility(testing::file("facility/facility.csv",
                              "parameter,variant,typical,low,high,unit,kind,source,as_of\n"
                              "pue,air,1.4,1.5,1.6,ratio,published,toy-lab,2024\n"
                              "pue,big,1.4,,,ratio,published,toy-lab,2024\n"
                              "pue,big,1.4,,,ratio,published,toy-lab,2024\n"),
                facts, diagnostics);
  EXPECT_EQ(testing::complaints(diagnostics), "2:LF209 4:LF515");
}

TEST(FactLoaderTest, HazardsAreDated) {
  Diagnostics diagnostics;
  std::vector<Fact> facts;
  load_hazards(testing::file("reliability/hazards.csv",
                             "fact,value,unit,kind,as_of,source,note\n"
                             "hazard-gpu,0.00001,1/GPU-h,published,2024,toy-lab,\n"),
               facts, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(find_fact(facts, "hazard-gpu")->provenance.date, "2024");
}

}  // namespace
}  // namespace loadfactor::catalog
