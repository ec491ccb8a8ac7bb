// The answers of `train --search` and `train --scale` keep their published contract.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "loadfactor/engine.h"
#include "report/scale_report.h"
#include "report/search_report.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

class SearchSchemaTest : public ::testing::Test {
 protected:
  SearchSchemaTest() : engine_(Engine::create({}, diagnostics_)) {}

  static SearchRequest request(const std::string& train, const std::string& rest) {
    SearchRequest out;
    out.train.file = "t.yaml";
    out.train.text =
        "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n"
        "  global_batch: 64\n" +
        train + rest;
    out.keep = 5;
    return out;
  }

  Diagnostics diagnostics_;
  std::unique_ptr<Engine> engine_;
};

constexpr const char* kTwoChips = "hardware: [h100-sxm, l40s]\nlimits: {gpus: 8}\n";

TEST_F(SearchSchemaTest, ASearchKeepsTheContractWithAndWithoutAnAnswer) {
  const JsonSchema schema = load_schema("search");
  for (const char* train : {"", "  tokens: 1 B\n", "  tokens: 1 B\n  deadline: 30 days\n"}) {
    Diagnostics diagnostics;
    const auto answer = engine_->search(request(train, kTwoChips), diagnostics);
    ASSERT_TRUE(answer.has_value()) << render(diagnostics);
    EXPECT_FALSE(answer->plans.empty());
    const auto json = nlohmann::json::parse(report::search_json(*answer, "t.yaml", false));
    EXPECT_EQ(schema.complaints(json), "") << train;
    EXPECT_TRUE(json.at("answer").contains("seconds"));
    const auto again = nlohmann::json::parse(report::search_json(*answer, "t.yaml", true));
    EXPECT_FALSE(again.at("answer").contains("seconds"));
  }
  Diagnostics diagnostics;
  const auto none = engine_->search(
      request("  layout: {offload: none}\n", "hardware: [l40s]\nlimits: {gpus: 1}\n"), diagnostics);
  ASSERT_TRUE(none.has_value()) << render(diagnostics);
  EXPECT_TRUE(none->plans.empty());
  EXPECT_EQ(schema.complaints(nlohmann::json::parse(report::search_json(*none, "t", false))), "");
}

TEST_F(SearchSchemaTest, AScaleAnswerKeepsTheContract) {
  const JsonSchema schema = load_schema("scale");
  ScaleRequest scale;
  scale.search = request("  tokens: 1 B\n", kTwoChips);
  scale.search.gpus = {4, 8};
  scale.day_value = Dollars::from_base(1000.0);
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  EXPECT_EQ(schema.complaints(nlohmann::json::parse(report::scale_json(*answer, "t.yaml"))), "");
}

}  // namespace
}  // namespace loadfactor::schema
