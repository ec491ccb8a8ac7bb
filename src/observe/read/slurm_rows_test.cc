// Rows of sacct that cannot be read as they stand.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "observe/read/readers.h"

namespace loadfactor::observe {
namespace {

// A part of a list would hold what all of it held.
TEST(Slurm, JobsWhoseNodesAreNotToldAreCountedByWhatIsWrongWithThem) {
  ReadCount count;
  std::string text = "JobID|State|Start|End|AllocTRES|NodeList\n";
  for (const char* nodes :
       {"n1", "n[02-03", "n1,n[04-99999999]", "n[1-999999999]", "n[3-1]", "", "None assigned"})
    text += std::string("1|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=2|") + nodes +
            "\n";
  const auto jobs = read_slurm_jobs({"f", text}, 0, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1U);
  EXPECT_EQ(jobs->front().nodes, (std::vector<std::string>{"n1"}));
  EXPECT_EQ(count.odd_rows["jobs-odd-nodes"].rows, 4U);
  EXPECT_EQ(count.odd_rows["jobs-odd-nodes"].first_line, 3U);
  EXPECT_EQ(count.odd_rows["jobs-without-nodes"].rows, 2U);
  EXPECT_EQ(count.odd_rows["jobs-without-nodes"].first_line, 7U);
}

TEST(Slurm, WhereNoJobHasNodesTheirColumnIsNamed) {
  for (const char* nodes : {"None assigned", "n[1-999999999]", "n[1-2"}) {
    ReadCount count;
    const auto jobs = read_slurm_jobs(
        {"f", std::string("JobID|State|Start|End|AllocTRES|NodeList\n"
                          "1|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=2|") +
                  nodes + "\n"},
        0, count);
    ASSERT_FALSE(jobs) << nodes;
    EXPECT_NE(jobs.error().message.find("NodeList"), std::string::npos) << jobs.error().message;
    EXPECT_EQ(jobs.error().where.line, 2U);
  }
}

TEST(Slurm, ANameMayHoldMarksWhereItStandsLastAndNowhereElse) {
  const std::string row = "COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=2|n1";
  for (const char* behind : {"", "|"}) {
    ReadCount count;
    const auto jobs =
        read_slurm_jobs({"f", std::string("JobID|State|Start|End|AllocTRES|NodeList|JobName") +
                                  behind + "\n1|" + row + "|lr=1|beta=2" + behind + "\n2|" + row +
                                  "||x" + behind + "\n3|" + row + "|plain" + behind + "\n"},
                        0, count);
    ASSERT_TRUE(jobs);
    ASSERT_EQ(jobs->size(), 3U);
    EXPECT_EQ((*jobs)[0].name, "lr=1|beta=2");
    EXPECT_EQ((*jobs)[1].name, "x");
    EXPECT_EQ((*jobs)[2].name, "plain");
    EXPECT_TRUE(count.odd_rows.empty());
  }
  ReadCount count;
  const auto jobs =
      read_slurm_jobs({"f", "JobID|JobName|State|Start|End|AllocTRES|NodeList\n1|plain|" + row +
                                "\n2|a|b|" + row + "\n"},
                      0, count);
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->size(), 1U);
  EXPECT_EQ(count.odd_rows["jobs-many-cells"].rows, 1U);
  EXPECT_EQ(count.odd_rows["jobs-many-cells"].first_line, 3U);
}

TEST(Slurm, ALastRowThatEndsInTheMiddleIsSaid) {
  const std::string head = "JobID|State|Start|End|AllocTRES|NodeList\n";
  const std::string row = "1|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=2|n1\n";
  for (std::size_t left = 30; left < row.size() - 5; left += 7) {
    ReadCount count;
    const auto jobs = read_slurm_jobs({"f", head + row + row.substr(0, left)}, 0, count);
    ASSERT_TRUE(jobs);
    EXPECT_EQ(jobs->size(), 1U);
    EXPECT_EQ(count.odd_rows["jobs-cut-off"].first_line, 3U) << left;
  }
  ReadCount count;
  EXPECT_TRUE(read_slurm_jobs({"f", head + row}, 0, count));
  EXPECT_TRUE(count.odd_rows.empty());
}

}  // namespace
}  // namespace loadfactor::observe
