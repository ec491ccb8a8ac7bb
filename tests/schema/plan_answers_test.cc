// The answers of `plan` keep the contract its schema publishes.
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/plan/plan.h"
#include "report/plan/page/plan_page.h"
#include "report/plan/plan_report.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

// A bare number, and the same figure with its unit and its range.
void expect_same(const Json& bare, const Json& figure, const std::string& unit) {
  ASSERT_EQ(bare.is_null(), figure.is_null()) << figure;
  if (bare.is_null()) return;
  EXPECT_DOUBLE_EQ(figure["value"], bare) << figure;
  EXPECT_EQ(figure["unit"], unit);
  EXPECT_LE(figure["low"], figure["value"]) << figure;
  EXPECT_GE(figure["high"], figure["value"]) << figure;
}

TEST(PlanSchemaTest, ServingAndTrainingAreAnsweredWithinTheContract) {
  Diagnostics diagnostics;
  const auto engine = engine::Core::create({}, diagnostics);
  ASSERT_TRUE(engine) << render(diagnostics);
  const JsonSchema schema = load_schema("plan");
  for (const std::string name : {"chatbot-spiky.yaml", "finetune-8b.yaml"}) {
    std::stringstream text;
    text << std::ifstream(std::string(LF_SOURCE_DIR) + "/data/scenarios/" + name).rdbuf();
    engine::PlanInputs question;
    question.serving.scenario = config::testing::sound(text.str(), {}, name);
    question.today = "2026-11-15";
    question.draws = 256;
    question.confirm = 0;
    const auto answer = engine::make_plan(*engine, question, diagnostics);
    ASSERT_TRUE(answer) << render(diagnostics);
    const Json json = Json::parse(report::plan_json(*answer, name, "report.html"));
    EXPECT_EQ(schema.complaints(json), "") << name;
    EXPECT_EQ(json["answer"]["report"], "report.html");
    for (const Json& flip : json["answer"]["flips"])
      expect_same(flip["at"], flip["traffic"], "times");
    for (const Json& other : json["answer"]["runners"])
      expect_same(other["cost_usd"], other["cost"], "USD");
    Json broken = json;
    broken["answer"].erase("decision");
    EXPECT_FALSE(schema.accepts(broken));
    const std::string page = report::plan_page(*answer, name, {});
    EXPECT_LT(page.size(), 500'000U) << name;
    EXPECT_EQ(page.find("/*DATA*/"), std::string::npos);
  }
}

}  // namespace
}  // namespace loadfactor::schema
