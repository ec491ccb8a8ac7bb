// The answers of `train --search` and `train --scale` keep their published contract.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "engine/fill/fill.h"
#include "engine/fill/serve_search.h"
#include "report/serve/fill_report.h"
#include "report/serve/serve_search_report.h"
#include "report/train/scale_report.h"
#include "report/train/search_report.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

class SearchSchemaTest : public ::testing::Test {
 protected:
  SearchSchemaTest() : engine_(engine::Core::create({}, diagnostics_)) {}

  static SearchInputs request(const std::string& train, const std::string& rest) {
    SearchInputs out;
    out.train.scenario = config::testing::sound(
        "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n"
        "  global_batch: 64\n" +
        train + rest);
    out.keep = 5;
    return out;
  }

  Diagnostics diagnostics_;
  std::unique_ptr<engine::Core> engine_;
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

TEST_F(SearchSchemaTest, EveryPlanNamesTheWayToPayThatItsCostIsOf) {
  const std::string options = "money: {options: [reserved-1y, spot]}\n";
  Diagnostics diagnostics;
  const auto found = engine_->search(request("  tokens: 1 B\n", kTwoChips + options), diagnostics);
  ScaleInputs scale;
  scale.search = request("  tokens: 1 B\n", kTwoChips + options);
  scale.search.gpus = {8};
  const auto curves = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(found && curves) << render(diagnostics);
  const auto search = nlohmann::json::parse(report::search_json(*found, "t.yaml", true));
  EXPECT_EQ(load_schema("search").complaints(search), "");
  for (const char* list : {"plans", "front"})
    for (const auto& plan : search.at("answer").at(list)) {
      // Nobody rents out an L40S in one of these ways at a price that is one.
      const bool is_priced = plan.contains("option");
      EXPECT_EQ(is_priced, plan.at("accelerator") == "h100-sxm") << plan;
      EXPECT_EQ(is_priced, plan.contains("cost")) << plan;
      EXPECT_TRUE(is_priced || plan.value("best_in", "") != "dollars") << plan;
      EXPECT_EQ(is_priced && plan.at("option") == "reserved-1y", plan.contains("binds")) << plan;
    }
  const auto json = nlohmann::json::parse(report::scale_json(*curves, "t.yaml"));
  EXPECT_EQ(load_schema("scale").complaints(json), "");
  for (const auto& curve : json.at("answer").at("curves"))
    EXPECT_EQ(curve.at("payment") != "", curve.at("accelerator") == "h100-sxm") << curve;
}

TEST_F(SearchSchemaTest, AScaleAnswerKeepsTheContract) {
  const JsonSchema schema = load_schema("scale");
  ScaleInputs scale;
  scale.search = request("  tokens: 1 B\n", kTwoChips);
  scale.search.gpus = {4, 8};
  scale.day_value = Dollars::from_base(1000.0);
  Diagnostics diagnostics;
  const auto answer = engine_->scale(scale, diagnostics);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics);
  EXPECT_EQ(schema.complaints(nlohmann::json::parse(report::scale_json(*answer, "t.yaml"))), "");
}

constexpr const char* kService =
    "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n  demand: {requests_per_second: "
    "0.5, "
    "tokens_in: 1000, tokens_out: 200, shape: global-chat}\n  slo: {ttft_p95: 2 s, tpot_p95: 60 "
    "ms}\nhardware: [h100-sxm, mi355x]\n";

TEST_F(SearchSchemaTest, ASizedDeploymentKeepsTheContract) {
  const JsonSchema schema = load_schema("sizing");
  engine::SizingInputs asked;
  asked.serving.scenario = config::testing::sound(kService);
  asked.thorough = true;
  asked.gpus = 4;
  const auto answer = engine::search_deployment(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics_);
  for (const bool reproducible : {false, true}) {
    const auto json =
        nlohmann::json::parse(report::search_json(*answer, "chat.yaml", reproducible));
    EXPECT_EQ(schema.complaints(json), "");
    EXPECT_EQ(json.at("answer").contains("seconds"), !reproducible);
  }
}

TEST_F(SearchSchemaTest, AFilledFleetAndAClusterKeepTheContract) {
  const JsonSchema schema = load_schema("fill");
  engine::FillInputs asked;
  asked.serving.scenario = config::testing::sound(kService);
  asked.simulating = engine::Simulating::kWhereQuick;
  const auto answer = engine::fill_fleet(asked, engine_->catalog(), diagnostics_);
  ASSERT_TRUE(answer.has_value()) << render(diagnostics_);
  EXPECT_EQ(schema.complaints(nlohmann::json::parse(report::fill_json(*answer, "chat.yaml"))), "");
  const std::string jobs =
      "job_id,submit_time,gpu_num,duration_s,queue_s\na,2023-05-17 11:00:58+00:00,64,18.0,10.0\n";
  const auto described = engine::describe_demand({.files = {{"jobs.csv", jobs}}});
  ASSERT_TRUE(described);
  const auto cluster = engine::fill_cluster(*described, 80, 0.5);
  ASSERT_TRUE(cluster);
  EXPECT_EQ(schema.complaints(nlohmann::json::parse(report::cluster_fill_json(*cluster))), "");
}

}  // namespace
}  // namespace loadfactor::schema
