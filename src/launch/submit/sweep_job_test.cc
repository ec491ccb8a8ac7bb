#include "launch/submit/sweep_job.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::launch {
namespace {

SweepJob job() {
  return {.name = "API or own", .sweep = "s.yaml", .shards = 8, .options = {"--catalog", "my dir"}};
}

TEST(ArrayIndices, JoinNeighbours) {
  EXPECT_EQ(array_indices({0, 1, 2, 3, 6, 8, 9}), "0-3,6,8-9");
  EXPECT_EQ(array_indices({5}), "5");
  EXPECT_EQ(array_indices({}), "");
}

TEST(ArrayScript, RunsAShardOfItsOwnAndQuotesWhatTheShellWouldRead) {
  const std::string text =
      array_script(job(), {.program = "/opt/load factor", .folder = "/data/r.slurm", .threads = 2});
  EXPECT_NE(text.find("#SBATCH --array=0-7"), std::string::npos) << text;
  EXPECT_NE(text.find("#SBATCH --job-name=api-or-own"), std::string::npos) << text;
  EXPECT_NE(text.find("exec '/opt/load factor' sweep s.yaml --shard \"$SLURM_ARRAY_TASK_ID/8\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("--catalog 'my dir'"), std::string::npos) << text;
  EXPECT_NE(text.find("--requeue"), std::string::npos);
}

TEST(ArrayScript, LeavesTheArrayAndTheLogsToNobodyElse) {
  for (const char* setting :
       {"array=0-3", "--array=0-3", "--array 0-3", "-a 0-3", "-a0-3", "--arr=1"})
    EXPECT_EQ(taken_setting(setting), "array") << setting;
  EXPECT_EQ(taken_setting("output=x.log"), "output");
  EXPECT_EQ(taken_setting("--wrap=true"), "wrap");
  for (const char* setting : {"partition=batch", "--account=a", "-A team", "-p batch", "mem=1G"})
    EXPECT_EQ(taken_setting(setting), "") << setting;
}

TEST(IndexedJob, GivesEveryIndexAFolderOfItsOwnAndMergesAtTheEnd) {
  const auto text = indexed_job(
      job(),
      {.image = "registry/loadfactor:1", .claim = "space", .files = {{"s.yaml", "sweep: 1\n"}}});
  ASSERT_TRUE(text) << text.error().message;
  for (const char* part : {"completionMode: Indexed", "completions: 8", "shard-$(SHARD)",
                           "claimName: space", "loadfactor merge", "registry/loadfactor:1"})
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
}

TEST(IndexedJob, KeepsPartsInAStoreWhereItIsToldHow) {
  const auto text = indexed_job(job(), {.image = "registry/loadfactor:1",
                                        .files = {{"s.yaml", "sweep: 1\n"}},
                                        .upload = "put $PART $NAME",
                                        .download = "get $NAME $PART"});
  ASSERT_TRUE(text) << text.error().message;
  for (const char* part : {"emptyDir", "put $PART $NAME", "shard-$SHARD.open.sqlite",
                           "get $NAME $PART", "-all.sqlite PART="})
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
  for (const char* part : {"claimName", "subPathExpr", "/done"})
    EXPECT_EQ(text->find(part), std::string::npos) << part << "\n" << *text;
}

TEST(IndexedJob, KeepsTheFilesOfASweepApartFromThoseOfAnother) {
  const auto text_of = [](const char* digest, int shards = 8) {
    SweepJob asked = job();
    asked.digest = digest;
    asked.shards = shards;
    const auto text =
        indexed_job(asked, {.image = "i", .claim = "c", .files = {{"s.yaml", "sweep: 1\n"}}});
    return text ? *text : std::string();
  };
  const std::string before = text_of("0123456789abcdef");
  EXPECT_NE(before.find("-0123456789-of-8/shard-$(SHARD)"), std::string::npos) << before;
  EXPECT_EQ(text_of("0123456789abcdef", 3).find("-of-8"), std::string::npos);
  EXPECT_EQ(text_of("fedcba9876543210").find("0123456789"), std::string::npos);
}

TEST(IndexedJob, RefusesNamesThatAClusterWouldRefuse) {
  const auto code_of = [](const char* image, const char* claim) {
    const auto text =
        indexed_job(job(), {.image = image, .claim = claim, .files = {{"s.yaml", "sweep: 1\n"}}});
    return text ? 0 : text.error().code;
  };
  EXPECT_EQ(code_of("registry.example.com:5000/team/loadfactor:1.0_a", "my-claim.x"), 0);
  for (const char* claim : {"", "My Claim", "-x", "a\nb"})
    EXPECT_EQ(code_of("i", claim), lf::kUsage) << claim;
  for (const char* image : {"", "an image", "i\ncommand: x", ":1", "i:"})
    EXPECT_EQ(code_of(image, "c"), lf::kUsage) << image;
}

TEST(IndexedJob, RefusesFilesThatPodsCannotSee) {
  for (const char* path : {"/etc/s.yaml", "../s.yaml"}) {
    const auto text = indexed_job(job(), {.image = "i", .claim = "c", .files = {{path, "x"}}});
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, lf::kUsage);
  }
  const auto large = indexed_job(
      job(), {.image = "i", .claim = "c", .files = {{"big.csv", std::string(2'000'000, 'x')}}});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, lf::kUsage);
}

}  // namespace
}  // namespace loadfactor::launch
