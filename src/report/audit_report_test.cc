#include "report/audit_report.h"

#include <string>

#include <gtest/gtest.h>

#include "report/describe/answers.h"

namespace loadfactor::report {
namespace {

engine::AuditAnswer two_claims() {
  audit::Finding power{
      .rule = "site-power", .verdict = audit::Verdict::kInconsistent, .line = 7, .ratio = 4};
  audit::Finding racks{.rule = "racks", .line = 3};
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
  EXPECT_NE(csv.find("\nfirst,site-power,,,error,inconsistent,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nsecond,racks,,,none,consistent,"), std::string::npos) << csv;
}

}  // namespace
}  // namespace loadfactor::report
