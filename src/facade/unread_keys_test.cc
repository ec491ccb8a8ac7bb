// What a verb cannot honour it refuses, and says who can.
#include "facade/unread_keys.h"

#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
#include "engine/fleet/fleet.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

const Engine& shipped() {
  static const auto made = [] {
    Diagnostics diagnostics;
    return Engine::create({}, diagnostics);
  }();
  return *made;
}

const std::string kService =
    "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n"
    "  demand: {requests_per_second: 1, tokens_in: 500, tokens_out: 100}\n"
    "  slo: {ttft_p95: 2 s, tpot_p95: 60 ms}\n"
    "  deployment: {gpu: h100-sxm, replicas: 1}\n";
const std::string kOthers =
    "  others:\n  - model: qwen2.5-7b\n"
    "    demand: {requests_per_second: 2, tokens_in: 400, tokens_out: 50}\n"
    "    slo: {ttft_p95: 3 s}\n"
    "    deployment: {gpu: h100-sxm, replicas: 1}\n";
const std::string kRegions = "  regions: [{name: germany, share: 100 %}]\n";
const std::string kRest = "hardware: [h100-sxm]\nmoney: {options: [on-demand]}\n";

ScenarioWithFiles about(const std::string& keys) {
  return {config::testing::sound(kService + keys + kRest, {}, "chat.yaml"), {}};
}

std::vector<Question> questions(const std::string& keys) {
  PlanQuestion years{.about = about(keys), .years = 2};
  PlanQuestion launch{.about = about(keys), .launch = true};
  return {years,
          launch,
          ServeQuestion{.about = about(keys)},
          SizeQuestion{.about = about(keys)},
          FillQuestion{.about = about(keys)},
          CostQuestion{.about = about(keys)},
          ExplainQuestion{.subject = "gpus", .about = about(keys)},
          DiffQuestion{.before = about(""), .after = about(keys)},
          EmitQuestion{.target = "vllm", .about = about(keys)}};
}

void expect_refused(const Question& question, std::uint32_t line) {
  const auto answer = shipped().ask(question);
  ASSERT_FALSE(answer) << verb_of(question);
  EXPECT_EQ(answer.error().code, lf::kNotHonoured) << verb_of(question);
  EXPECT_EQ(answer.error().where.line, line) << verb_of(question);
}

TEST(UnreadKeysTest, RegionsAreRefusedWhereOnePlaceIsKnown) {
  for (const Question& question : questions(kRegions)) {
    const auto* plan = std::get_if<PlanQuestion>(&question);
    if (plan == nullptr || plan->years == 0) expect_refused(question, 8);
  }
  expect_refused(SimulateQuestion{.about = about(kRegions)}, 8);
}

TEST(UnreadKeysTest, FurtherModelsAreRefusedWhereOneIsKnown) {
  for (const Question& question : questions(kOthers))
    if (!std::holds_alternative<SizeQuestion>(question)) expect_refused(question, 9);
  EXPECT_TRUE(shipped().ask(SimulateQuestion{.about = about(kOthers), .requests = 200}));
}

TEST(UnreadKeysTest, TheFleetThatARefusalPrintsHasAnAnswerForEveryModel) {
  const auto refused = shipped().ask(FillQuestion{.about = about(kOthers)});
  ASSERT_FALSE(refused);
  std::string fleet;
  for (const std::string& line : refused.error().notes) fleet += line + "\n";
  const auto answer = shipped().ask(FleetQuestion{.fleet = InputFile::of("fleet.yaml", fleet)});
  ASSERT_TRUE(answer) << render(answer.error()) << fleet;
  const std::string json = to_json(*answer);
  for (const char* name : {"model-1", "model-2"})
    EXPECT_NE(json.find(fmt::format("\"name\": \"{}\"", name)), std::string::npos) << json;
  const auto pool = shipped().ask(PlanQuestion{.about = about(kOthers)});
  ASSERT_TRUE(pool) << render(pool.error());
  EXPECT_EQ(pool->as<engine::FleetAnswer>()->per_month,
            answer->as<engine::FleetAnswer>()->per_month);
}

TEST(UnreadKeysTest, RegionsAndRunsBesideFurtherModelsAreRefused) {
  expect_refused(PlanQuestion{.about = about(kOthers + kRegions)}, 9);
  expect_refused(SizeQuestion{.about = about(kOthers + kRegions)}, 9);
  const std::string run = "train: {model: llama-3.1-8b, tokens: 1 B}\n";
  expect_refused(PlanQuestion{.about = about(kOthers + run)}, 9);
}

TEST(UnreadKeysTest, AWorkloadOfAFleetIsOneModel) {
  const std::string fleet =
      "loadfactor: 1\nname: f\npools: [{name: a, accelerator: h100-sxm}]\n"
      "workloads:\n- {name: chat, serve: {model: llama-3.1-8b, demand: {requests_per_second: 1,"
      " tokens_in: 500, tokens_out: 100}, others: [{model: qwen2.5-7b}]}}\n";
  const auto answer = shipped().ask(FleetQuestion{.fleet = InputFile::of("fleet.yaml", fleet)});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, lf::kNotHonoured);
  EXPECT_EQ(answer.error().where.line, 5U);
}

}  // namespace
}  // namespace loadfactor
