// The answers of `train` and `validate` keep the contract their schemas publish.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/load/data_file.h"
#include "config/csv.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "report/calibrate/inference_report.h"
#include "report/calibrate/validation_report.h"
#include "report/train/train_report.h"
#include "tests/schema/json_schema.h"
#include "tests/schema/schema_walk.h"
#include "validation/inference/inference_steps.h"
#include "validation/inference/inference_validation.h"
#include "validation/training/shipped_training.h"

namespace loadfactor::schema {
namespace {

// A key that was promised and is gone, one that is null, one that nobody announced: all refused.
void expect_tight(const JsonSchema& schema, const Json& whole,
                  const std::vector<std::string>& optional) {
  for (const Path& path : member_paths(schema, whole)) {
    Json tree = whole;
    tree[path] = nullptr;
    EXPECT_FALSE(schema.accepts(tree)) << path.to_string() << " is null";
    tree = whole;
    tree[path.parent_pointer()].erase(path.back());
    const bool may_go = std::find(optional.begin(), optional.end(), path.back()) != optional.end();
    EXPECT_TRUE(may_go || !schema.accepts(tree)) << path.to_string() << " is gone";
  }
  for (const ClosedMap& map : closed_maps(schema, whole)) {
    Json tree = whole;
    tree[map.path]["surprise"] = 1;
    EXPECT_FALSE(schema.accepts(tree)) << map.path.to_string();
  }
}

class TrainSchemaTest : public ::testing::Test {
 protected:
  TrainSchemaTest()
      : engine_(engine::Core::create({}, diagnostics_)), schema_(load_schema("train")) {}

  Json answer(const std::string& train, const std::string& chip) const {
    Diagnostics diagnostics;
    TrainInputs request;
    request.scenario = config::testing::sound("loadfactor: 1\nname: t\ntrain:\n" + train +
                                              "hardware: [" + chip + "]\n");
    const auto answered = engine_->train(request, diagnostics);
    EXPECT_TRUE(answered.has_value()) << render(diagnostics);
    return answered ? Json::parse(report::train_json(*answered, "t.yaml")) : Json();
  }

  Diagnostics diagnostics_;
  std::unique_ptr<engine::Core> engine_;
  JsonSchema schema_;
};

TEST_F(TrainSchemaTest, EveryAnswerKeepsTheContract) {
  const std::pair<const char*, const char*> questions[] = {
      {"  model: llama-3.1-8b\n", "h100-sxm"},
      {"  model: llama-3.1-70b\n  tokens: 1 T\n  deadline: 9 days\n", "h200-sxm"},
      {"  model: mixtral-8x7b\n  layout: {gpus: 32}\n", "a100-80gb-sxm"},
      {"  model: llama-3.1-405b\n  layout: {gpus: 8}\n", "h100-sxm"},  // Does not fit.
      {"  model: {params: 7 B}\n  layout: {gpus: 8, offload: optimizer}\n", "tpu-v5e"},
      {"  model: llama-3.1-8b\n  tokens: 1 T\n  failures: {restart: 60 days}\n"
       "  layout: {gpus: 64}\n",
       "h100-sxm"},  // Makes no progress.
  };
  for (const auto& [train, chip] : questions)
    EXPECT_EQ(schema_.complaints(answer(train, chip)), "") << train;
}

TEST_F(TrainSchemaTest, EveryKeyOfAnAnswerIsPromised) {
  const std::vector<std::string> optional{"duration", "cost", "goodput",  "failures",
                                          "option",   "mtbf", "whole_run"};
  expect_tight(schema_,
               answer("  model: llama-3.1-8b\n  tokens: 1 B\n  global_batch: 64\n  sequence: 4096\n"
                      "  layout: {gpus: 8, tp: 1, pp: 2}\n",
                      "h100-sxm"),
               optional);
  expect_tight(schema_, answer("  model: llama-3.1-405b\n  layout: {gpus: 8}\n", "h100-sxm"),
               optional);
}

class ValidateSchemaTest : public ::testing::Test {
 protected:
  ValidateSchemaTest()
      : schema_(load_schema("validate")),
        catalog_(catalog::Catalog::open(catalog::builtin_files(), diagnostics_)),
        shipped_(validation::load_shipped_training(catalog::builtin_files(), diagnostics_)) {}

  // A dozen published runs and one that cannot be.
  Json training(const report::ValidationFrame& frame) {
    std::vector<validation::TrainingRow> rows(shipped_.rows.begin(), shipped_.rows.begin() + 12);
    for (const auto& row : shipped_.rows) {
      if (row.memory && rows.size() < 16) rows.push_back(row);
    }
    rows.push_back(rows.front());
    rows.back().problem = "tp 'x' is not a number (line 9)";
    const auto table = validation::make_runs(rows, shipped_.context(catalog_));
    const auto known = validation::make_runs(shipped_.rows, shipped_.context(catalog_));
    std::vector<const validation::PublishedRun*> runs;
    for (const auto& run : known.runs) runs.push_back(run.get());
    const auto answer = validation::validate_training(table, shipped_.calibration,
                                                      validation::LookupBaseline(runs));
    return Json::parse(report::training_validation_json(answer, frame));
  }
  Json steps() {
    auto table = config::parse_csv(
        "steps.csv",
        "model,layers,hidden,heads,kv_heads,head_dim,ffn,vocab,gated,seq,micro_batch,recompute,"
        "step_s,peak_mem_gb\nx,24,2048,16,16,128,8192,50304,0,2048,2,none,0.08,32\n"
        "x,0,2048,16,16,128,8192,50304,0,2048,2,none,0.08,32\n",
        diagnostics_);
    const auto answer = validation::validate_steps(
        *table, **catalog_.find_accelerator("h200-sxm"),
        {&shipped_.stacks, shipped_.stacks.find("pytorch-compiled")}, shipped_.calibration);
    return Json::parse(report::step_validation_json(*answer, {.file = "steps.csv"}));
  }
  serving::ServingCalibration calibration() {
    return serving::find_serving_calibration(catalog::builtin_files(), catalog_.generations(),
                                             diagnostics_);
  }
  Json inference_steps() {
    const auto table = config::parse_csv("steps.csv",
                                         "model,phase,batch,tokens_in,kv_len,seconds\n"
                                         "llama-3.1-8b,decode,8,8,1024,0.006\n"
                                         "llama-3.1-8b,prefill,1,4096,4096,0.12\n"
                                         "llama-3.1-8b,prefill,1,4096,4096,0\n",
                                         diagnostics_);
    serving::HardwareShelf hardware(catalog_, catalog::builtin_files(), diagnostics_);
    const auto answer = validation::validate_inference_steps(
        *table, **catalog_.find_accelerator("h200-sxm"), catalog_, hardware, calibration());
    return Json::parse(report::inference_steps_json(*answer, "steps.csv", std::nullopt));
  }
  // Two runs on one metric each, and one that nobody made.
  Json inference(bool weighted) {
    validation::InferenceRun fast, slow;
    fast.row.metric = "tpot_ms";
    fast.metric = serving::Metric::kTimePerToken;
    slow.row.metric = "ttft_ms";
    slow.metric = serving::Metric::kFirstToken;
    fast.engine = slow.engine = &catalog_.generations().front();
    const std::vector<const validation::InferenceRun*> runs{&fast, &slow};
    auto answer = validation::summarise_inference(
        runs, {{"a", "tpot_ms", 10, 11, 9, 12, 15}, {"b", "ttft_ms", 100, 80, 60, 90, 50}});
    answer.rows = 3;
    answer.skipped = {{"c", "no such chip"}};
    const std::vector<std::string> shipped{"words"};
    return Json::parse(report::inference_validation_json(
        {answer, "i.csv", weighted, false, shipped, std::nullopt}));
  }

  Diagnostics diagnostics_;
  JsonSchema schema_;
  catalog::Catalog catalog_;
  validation::ShippedTraining shipped_;
};

TEST_F(ValidateSchemaTest, EveryAnswerKeepsTheContract) {
  EXPECT_EQ(schema_.complaints(training({.file = "t.csv"})), "");
  EXPECT_EQ(schema_.complaints(training({.file = "t.csv",
                                         .notices = {{"columns-not-read", Severity::kCaution, "x"}},
                                         .weighted = validation::WeightedFigures{},
                                         .seconds = 0.5})),
            "");
  EXPECT_EQ(schema_.complaints(steps()), "");
  EXPECT_EQ(schema_.complaints(inference(false)), "");
  EXPECT_EQ(schema_.complaints(inference(true)), "");
  EXPECT_EQ(schema_.complaints(inference_steps()), "");
}

TEST_F(ValidateSchemaTest, ServingResultsAreCountedInPercentOfWhatWasMeasured) {
  const Json answer = inference(true).at("answer");
  EXPECT_EQ(answer.at("scored"), 2);
  EXPECT_EQ(answer.at("skipped").size(), 1U);
  EXPECT_NEAR(answer.at("abs_error_pct").at("mean").get<double>(), 15, 1e-9);
  EXPECT_NEAR(answer.at("baseline_abs_error_pct").at("mean").get<double>(), 50, 1e-9);
  EXPECT_NEAR(answer.at("interval_coverage_pct").get<double>(), 50, 1e-9);
  EXPECT_NEAR(answer.at("groups").at("class").at("dense, tpot").at("bias_pct").get<double>(), 10,
              1e-9);
}

TEST_F(ValidateSchemaTest, AStepIsComparedWithARooflineOfItsPhase) {
  const Json answer = inference_steps().at("answer");
  EXPECT_EQ(answer.at("scored"), 2);
  // One row of each phase: its own median makes the roofline exact.
  EXPECT_NEAR(answer.at("baseline_abs_error_pct").at("p90").get<double>(), 0, 1e-9);
  EXPECT_EQ(answer.at("phases").at("decode").at("rows"), 1);
}

TEST_F(ValidateSchemaTest, EveryKeyOfAnAnswerIsPromised) {
  expect_tight(schema_, steps(),
               {"accelerator", "stacks", "worst_abs_error_pct", "steps", "seconds"});
  expect_tight(schema_, inference(false), {"inference"});
  expect_tight(schema_, inference_steps(), {"steps"});
}

}  // namespace
}  // namespace loadfactor::schema
