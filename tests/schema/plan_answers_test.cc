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
