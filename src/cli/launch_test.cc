// What `emit` and `plan --emit` say beside the files that they write.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "cli/testing/cost_answer.h"
#include "cli/testing/folder.h"
#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::Answer;
using testing::Folder;
using testing::loadfactor;
using testing::says;

constexpr const char* kFixed =
    "loadfactor: 1\nname: fixed\nserve:\n  model: llama-3.3-70b\n  precision: fp8\n"
    "  demand: {requests_per_month: 300 K, tokens_in: 1200, tokens_out: 300}\n"
    "  deployment: {engine: vllm, tp: 4, replicas: 2}\nhardware: [h100-sxm]\n";

// The number behind a key of YAML.
double value_of(const std::string& text, const std::string& key) {
  const auto at = text.find(key + ": ");
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + key.size() + 2, nullptr);
}

TEST(EmitVerbTest, AProxysPriceIsThatOfTheBill) {
  const Folder folder("lf-launch-price");
  const std::string file = folder.write("fixed.yaml", kFixed);
  const auto emitted = loadfactor({"emit", "litellm", file});
  ASSERT_EQ(emitted.status, 0) << emitted.err;
  const auto cost = loadfactor({"cost", file, "--format", "json"});
  ASSERT_EQ(cost.status, 0) << cost.err;
  const Answer answer(cost.out);
  ASSERT_EQ(answer.number("gpus"), 8);
  const double each = answer.number("bill.total.value") / answer.number("tokens_per_month.value");
  EXPECT_NEAR(value_of(emitted.out, "output_cost_per_token"), each, 1e-3 * each) << emitted.out;
}

TEST(EmitVerbTest, ASavedPlanIsBilledByTheWayToPayThatItRecommends) {
  const Folder folder("lf-launch-way");
  std::string text = kFixed;
  text.replace(text.find("300 K"), 5, "20 M");
  text.replace(text.find("replicas: 2"), 11, "replicas: 3");
  const std::string plan = folder.path() + "/plan.json";
  const auto planned =
      loadfactor({"plan", folder.write("way.yaml", text), "--format", "json", "-o", plan});
  ASSERT_EQ(planned.status, 0) << planned.err;
  const Answer answer(folder.read("plan.json"));
  const std::string all = answer.text("plan.procurement");
  const std::string way = all.substr(std::min(all.find("h100"), all.size()));
  ASSERT_FALSE(way.empty() || says(way, "owned")) << way;
  const auto focus = loadfactor({"emit", "focus", plan});
  ASSERT_EQ(focus.status, 0) << focus.err;
  EXPECT_TRUE(says(focus.out, way)) << focus.out;
  EXPECT_EQ(focus.out.find("owned"), std::string::npos) << focus.out;
  EXPECT_TRUE(says(loadfactor({"emit", "infracost", plan}).out, way));
  EXPECT_TRUE(says(loadfactor({"emit", "litellm", plan}).out, way));
}

TEST(EmitVerbTest, OneFileIsWrittenUnderTheNameThatItIsGiven) {
  const Folder folder("lf-launch-one-file");
  const std::string file = folder.write("fixed.yaml", kFixed);
  const std::string bill = folder.path() + "/bill.json";
  const auto emitted = loadfactor({"emit", "infracost", file, "-o", bill});
  ASSERT_EQ(emitted.status, 0) << emitted.err;
  EXPECT_TRUE(std::filesystem::is_regular_file(bill));
  EXPECT_TRUE(says(folder.read("bill.json"), "totalMonthlyCost")) << folder.read("bill.json");
  EXPECT_TRUE(says(emitted.err, "wrote " + bill)) << emitted.err;
}

TEST(EmitVerbTest, SeveralFilesAreNotWrittenIntoAFolderThatIsNamedLikeAFile) {
  const Folder folder("lf-launch-many-files");
  const std::string file = folder.write("fixed.yaml", kFixed);
  const auto emitted = loadfactor({"emit", "vllm", file, "-o", folder.path() + "/x.json"});
  EXPECT_NE(emitted.status, 0);
  EXPECT_TRUE(says(emitted.err, "names one file, and there are 2 to write")) << emitted.err;
  EXPECT_TRUE(says(emitted.err, "-o " + folder.path() + "/x ")) << emitted.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/x.json"));
}

TEST(EmitVerbTest, OfSeveralChipsTheFirstIsLaunchedAndTold) {
  const Folder folder("lf-launch-chips");
  std::string text = kFixed;
  text.replace(text.find("[h100-sxm]"), 10, "[h100-sxm, h200-sxm]");
  const auto several = loadfactor({"emit", "vllm", folder.write("two.yaml", text)});
  ASSERT_EQ(several.status, 0) << several.err;
  EXPECT_TRUE(says(several.err, "the first of 2 candidates is launched")) << several.err;
  const auto one = loadfactor({"emit", "vllm", folder.write("one.yaml", kFixed)});
  EXPECT_EQ(one.err.find("candidates"), std::string::npos) << one.err;
}

TEST(EmitVerbTest, AScalerThatATargetDoesNotHaveIsTold) {
  const Folder folder("lf-launch-scaler");
  std::string text = kFixed;
  text.replace(text.find("replicas: 2"), 11, "scaling: {least: 1, most: 6}");
  const std::string file = folder.write("scaled.yaml", text);
  const auto script = loadfactor({"emit", "vllm", file});
  ASSERT_EQ(script.status, 0) << script.err;
  EXPECT_TRUE(says(script.err, "replicas scale between 1 and 6, and vllm has no scaler"))
      << script.err;
  EXPECT_EQ(loadfactor({"emit", "kubernetes", file}).err.find("no scaler"), std::string::npos);
}

TEST(DiffAdviceTest, FewerGpusAreNoScalingUpAndTheModelIsSaid) {
  const Folder folder("lf-launch-fewer");
  const std::string file = folder.write(
      "run.yaml",
      "loadfactor: 1\nname: run\nserve:\n  model: llama-3.1-8b\n"
      "  demand: {requests_per_month: 10 M, tokens_in: 3000, tokens_out: 600}\n"
      "  deployment: {engine: vllm, tp: 4, max_seqs: 16, chunk: 512}\nhardware: [h100-sxm]\n");
  const auto advised = loadfactor({"diff", file});
  ASSERT_EQ(advised.status, 0) << advised.err;
  EXPECT_TRUE(says(advised.out, "the advice on what runs: shrink")) << advised.out;
  EXPECT_TRUE(says(advised.out, "After: Shrink from 4 to")) << advised.out;
  EXPECT_FALSE(says(advised.out, "cale up")) << advised.out;
  EXPECT_EQ(advised.out.find("--model "), std::string::npos) << advised.out;
}

TEST(PlanEmitTest, FilesAreListedAndAnApiThatIsBetterIsSaid) {
  const Folder folder("lf-launch-plan");
  const std::string file = folder.write("fixed.yaml", kFixed);
  const std::string files = folder.path() + "/files";
  const auto planned = loadfactor({"plan", file, "--emit", files});
  ASSERT_EQ(planned.status, 0) << planned.err;
  for (const char* name : {"service.yaml", "litellm.yaml", "prometheus.yml", "rules.yml"}) {
    EXPECT_TRUE(says(planned.err, "wrote " + files + "/" + name)) << planned.err;
    EXPECT_TRUE(std::filesystem::exists(files + "/" + name)) << name;
  }
  EXPECT_TRUE(says(planned.out, "API")) << planned.out;
  EXPECT_TRUE(says(planned.err, "the plan says to use the API")) << planned.err;
}

TEST(PlanEmitTest, AVerdictStandsWhereATargetCannotExpressThePlan) {
  const Folder folder("lf-launch-refused");
  const std::string scenario = std::string(LF_SOURCE_DIR) + "/data/scenarios/lora-8b-one-card.yaml";
  const auto plain = loadfactor({"plan", scenario});
  ASSERT_EQ(plain.status, 0) << plain.err;
  const auto planned = loadfactor({"plan", scenario, "--emit", folder.path() + "/files"});
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_EQ(planned.out, plain.out);
  EXPECT_TRUE(says(planned.err, "not written: slurm")) << planned.err;
}

}  // namespace
}  // namespace loadfactor::cli
