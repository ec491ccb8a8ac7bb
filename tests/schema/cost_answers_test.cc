// The answers of `cost` keep the contract its schema publishes.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "report/cost/cost_report.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

TEST(CostSchemaTest, EveryShippedQuestionIsAnsweredWithinTheContract) {
  Diagnostics diagnostics;
  const auto engine = engine::Core::create({}, diagnostics);
  ASSERT_TRUE(engine) << render(diagnostics);
  const JsonSchema schema = load_schema("cost");
  int answered = 0;
  const std::filesystem::path folder =
      std::filesystem::path(LF_SOURCE_DIR) / "data" / "scenarios" / "cost";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    CostInputs request;
    const std::string file = entry.path().filename().string();
    request.scenario = config::testing::sound(text.str(), {}, file);
    request.today = "2026-11-15";
    request.draws = 256;
    const auto answer = engine->cost(request, diagnostics);
    ASSERT_TRUE(answer) << file << "\n" << render(diagnostics);
    const Json json = Json::parse(report::cost_json(*answer, file));
    EXPECT_EQ(schema.complaints(json), "") << file;
    for (const auto& option : json["answer"]["options"]) {
      EXPECT_GT(option["per_month"]["value"].get<double>(), 0) << file;
      EXPECT_LE(option["per_month"]["low"], option["per_month"]["value"]) << file;
    }
    Json broken = json;
    broken["answer"]["surprise"] = 1;
    EXPECT_FALSE(schema.accepts(broken));
    broken = json;
    broken["answer"].erase("options");
    EXPECT_FALSE(schema.accepts(broken));
    ++answered;
  }
  EXPECT_GE(answered, 12);
}

}  // namespace
}  // namespace loadfactor::schema
