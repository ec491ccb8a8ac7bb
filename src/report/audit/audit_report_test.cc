#include "report/audit/audit_report.h"

#include <string>

#include <gtest/gtest.h>

#include "report/audit/audit_words.h"
#include "report/describe/answers.h"

namespace loadfactor::report {
namespace {

engine::AuditAnswer two_claims() {
  audit::Finding power{.check = audit::Check::kSitePower,
                       .verdict = audit::Verdict::kInconsistent,
                       .relation = audit::Relation::kAtLeast,
                       .figure = audit::Figure::kSitePower,
                       .stated = 3.6e6,
                       .follows = audit::Figure::kSitePower,
                       .computed = 0.9e6,
                       .line = 7,
                       .ratio = 4};
  power.steps = {{.result = audit::Figure::kSitePower,
                  .value = 0.9e6,
                  .terms = {{audit::Figure::kRacks, 30}, {audit::Figure::kRackPower, 30e3}}}};
  audit::Finding racks{.check = audit::Check::kGpusInRacks, .line = 3};
  return {
      .claims = {
          {.name = "first", .findings = {power, racks}, .verdict = audit::Verdict::kInconsistent},
          {.name = "second", .findings = {racks}, .verdict = audit::Verdict::kConsistent}}};
}

TEST(AuditReportTest, EveryFindingNamesItsClaimAndTheWorstVerdictCounts) {
  const Value answer = to_value(two_claims());
  EXPECT_EQ(*answer.find("verdict")->text(), "inconsistent");
  EXPECT_EQ(answer.find("claims")->list()->size(), 2U);
  const auto& findings = *answer.find("findings")->list();
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(*findings[0].find("of")->text(), "first");
  EXPECT_EQ(*findings[0].find("severity")->text(), "error");
  EXPECT_DOUBLE_EQ(std::get<double>(findings[0].find("ratio")->data), 4);
  EXPECT_EQ(*findings[2].find("of")->text(), "second");
  EXPECT_EQ(*findings[2].find("severity")->text(), "none");
}

TEST(AuditReportTest, EveryFindingIsARow) {
  const std::string csv = audit_csv(two_claims());
  EXPECT_TRUE(csv.starts_with("of,rule,claim,computed,severity,verdict,")) << csv;
  EXPECT_NE(csv.find("\nfirst,site-power,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",error,inconsistent,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nsecond,gpus-in-racks,"), std::string::npos) << csv;
}

TEST(AuditReportTest, FiguresAreQuantitiesWithTheirKeyAndRelation) {
  const Value answer = to_value(two_claims());
  const Value& power = answer.find("findings")->list()->front();
  EXPECT_EQ(*power.find("rule")->text(), "site-power");
  EXPECT_EQ(*power.find("figure")->text(), "power.site");
  EXPECT_EQ(*power.find("relation")->text(), "at-least");
  const Value& stated = *power.find("stated");
  EXPECT_DOUBLE_EQ(std::get<double>(stated.find("value")->data), 3.6e6);
  EXPECT_EQ(*stated.find("unit")->text(), "W");
  EXPECT_DOUBLE_EQ(std::get<double>(power.find("follows")->find("value")->data), 0.9e6);
}

TEST(AuditReportTest, TheSumShowsEveryFigureThatTookPart) {
  const auto answer = two_claims();
  const std::string sum = sum_words(answer.claims[0].findings[0]);
  for (const char* figure : {"30", "30 kW", "900 kW"})
    EXPECT_NE(sum.find(figure), std::string::npos) << figure << " in " << sum;
}

TEST(AuditReportTest, EveryCheckAndEveryFigureHasWords) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(audit::Check::kCount); ++i) {
    audit::Finding finding{.check = static_cast<audit::Check>(i),
                           .verdict = audit::Verdict::kInconsistent};
    EXPECT_FALSE(why_words(finding).empty()) << id_of(finding.check);
    finding.verdict = audit::Verdict::kConsistent;
    EXPECT_TRUE(why_words(finding).empty()) << id_of(finding.check);
  }
  for (const audit::FigureRow& row : audit::figures())
    EXPECT_FALSE(title_of(row.figure).empty()) << row.key;
}

TEST(AuditReportTest, YearsAreNotCounts) {
  EXPECT_EQ(shown(audit::Figure::kYear, 2024), "2024");
  EXPECT_EQ(shown(audit::Figure::kChipYear, 2022), "2022");
  EXPECT_EQ(shown(audit::Figure::kGpus, 2024), "2,024");
}

// 900 GB/s where one direction has 450 adds both; 600 GB/s is merely wrong.
TEST(AuditReportTest, TwiceABandwidthIsToldFromAWrongOne) {
  audit::Finding doubled{.check = audit::Check::kScaleUp,
                         .verdict = audit::Verdict::kInconsistent,
                         .figure = audit::Figure::kScaleUp,
                         .ratio = 2};
  audit::Finding wrong = doubled;
  wrong.ratio = 4.0 / 3;
  EXPECT_GT(why_words(doubled).size(), why_words(wrong).size());
}

}  // namespace
}  // namespace loadfactor::report
