// What the probe decides without a device: arguments, ranks, versions, words for limits.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "probe/arguments.h"
#include "probe/rank.h"
#include "probe/telemetry.h"
#include "probe/versions.h"

namespace loadfactor::probe {
namespace {

TEST(ProbeArgumentsTest, AQuickRunHoldsItsLoadsBrieflyUnlessTold) {
  std::string complaint;
  EXPECT_DOUBLE_EQ(read_arguments({}, complaint)->load_seconds, 20);
  EXPECT_DOUBLE_EQ(read_arguments({"--quick"}, complaint)->load_seconds, 1.5);
  EXPECT_DOUBLE_EQ(read_arguments({"--quick", "--load-seconds", "4"}, complaint)->load_seconds, 4);
  const auto some = read_arguments({"--only", "gemm", "--only", "power", "--seed", "7"}, complaint);
  EXPECT_EQ(some->only.size(), 2u);
  EXPECT_EQ(some->seed, 7u);
}

TEST(ProbeArgumentsTest, WhatIsNotUnderstoodIsNamed) {
  std::string complaint;
  EXPECT_FALSE(read_arguments({"--fast"}, complaint));
  EXPECT_NE(complaint.find("'--fast'"), std::string::npos);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--output"},
                                                {"--only", "gem"},
                                                {"--load-seconds", "0"},
                                                {"--load-seconds", "x"},
                                                {"--seed", "-1"}})
    EXPECT_FALSE(read_arguments(words, complaint)) << words[0];
}

Rank rank_in(const std::map<std::string, std::string>& variables) {
  return find_rank([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(ProbeRankTest, FourLaunchersAreUnderstood) {
  const Rank ompi = rank_in({{"OMPI_COMM_WORLD_RANK", "5"},
                             {"OMPI_COMM_WORLD_SIZE", "16"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}});
  EXPECT_EQ(ompi.rank, 5);
  EXPECT_EQ(ompi.size, 16);
  EXPECT_EQ(ompi.local, 1);
  EXPECT_EQ(rank_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).local, 1);
  EXPECT_EQ(rank_in({{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "0"}}).rank,
            3);
  EXPECT_EQ(rank_in({{"RANK", "0"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "0"}}).size, 8);
}

TEST(ProbeRankTest, WithoutALauncherOrWithNonsenseItIsOneProcess) {
  EXPECT_EQ(rank_in({}).size, 1);
  EXPECT_EQ(rank_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}).size, 1);
  EXPECT_EQ(rank_in({{"RANK", "9"}, {"WORLD_SIZE", "8"}}).size, 1);
  EXPECT_EQ(rank_in({{"RANK", "x"}, {"WORLD_SIZE", "8"}}).size, 1);
}

TEST(ProbeRankTest, BusFactorsAreThoseOfTheNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor("all_reduce", 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor("all_gather", 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor("broadcast", 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor("send_recv", 2), 1);
}

TEST(ProbeVersionsTest, MatchingVersionsAreNotComplainedOf) {
  Versions v{"580.1", 13000, 13000, 13000, 130100, 130000, 91400, 13000, 22803, 0};
  EXPECT_TRUE(mismatches(v).empty());
  EXPECT_EQ(runtime_text(13000), "13.0");
  EXPECT_EQ(library_text(91400), "9.14.0");
  EXPECT_EQ(library_text(0), "not found");
}

TEST(ProbeVersionsTest, EachPairThatDoesNotMatchHasItsSentence) {
  Versions v{"550.1", 12040, 13000, 12090, 120800, 130000, 91400, 12080, 22803, 12040};
  EXPECT_EQ(mismatches(v).size(), 5u);
}

TEST(ProbeTelemetryTest, LimitsAreWords) {
  EXPECT_EQ(limit_words(0), "");
  EXPECT_EQ(limit_words(0x4), "power limit");
  EXPECT_EQ(limit_words(0x4 | 0x40), "power limit, hardware thermal limit");
}

TEST(ProbeTelemetryTest, AnUnknownAddressOrALibraryThatIsMissingIsSaidSo) {
  std::string reason;
  EXPECT_EQ(open_telemetry("ffffffff:ff:1f.0", reason), nullptr);
  EXPECT_FALSE(reason.empty());
}

}  // namespace
}  // namespace loadfactor::probe
