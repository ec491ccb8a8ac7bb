// What Slurm prints of its nodes, its queue and its accounts.
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "observe/read/readers.h"

namespace loadfactor::observe {
namespace {

TEST(Slurm, ExpandsHostsAndCountsGpus) {
  EXPECT_EQ(expand_hosts("n[1-3,07],m2"),
            (std::vector<std::string>{"n1", "n2", "n3", "n07", "m2"}));
  EXPECT_EQ(expand_hosts("n[1-1000000]").size(), 65536U);
  EXPECT_EQ(count_gpus("billing=2,gres/gpu=8,gres/gpu:h100=8"), 8);
  EXPECT_EQ(count_gpus("gpu:tesla:4(IDX:0,2-3)"), 4);
  EXPECT_EQ(count_gpus("cpu=4"), 0);
  EXPECT_EQ(count_gpus("gres/gpuutil=80,gres/gpumem=4G"), 0);
  EXPECT_EQ(count_gpus("gpu:a100:4,gpu:h100:2(S:0-1)"), 6);
  EXPECT_EQ(gpu_kind("billing=2,gres/gpu=8,gres/gpu:h100=8"), "h100");
  EXPECT_EQ(gpu_kind("gpu:a100:4,gpu:h100:2"), "");
  EXPECT_EQ(gpu_kind("gres/gpu=8"), "");
}

TEST(Slurm, ExpandsEveryBracketOfAHost) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(expand_hosts("n[1-2]-gpu"), (Names{"n1-gpu", "n2-gpu"}));
  EXPECT_EQ(expand_hosts("r[1-2]n[1-3]"), (Names{"r1n1", "r1n2", "r1n3", "r2n1", "r2n2", "r2n3"}));
  EXPECT_EQ(expand_hosts("a[01-03,07],b5"), (Names{"a01", "a02", "a03", "a07", "b5"}));
  EXPECT_EQ(expand_hosts("n[1-300]m[1-300]").size(), 65536U);
  EXPECT_EQ(expand_hosts("n[1-2"), Names());
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "[1]";
  EXPECT_EQ(expand_hosts(many), Names());
}

TEST(Slurm, CountsInThousandsAreSlurmsAndOthersAreOdd) {
  EXPECT_EQ(count_gpus("gres/gpu=8K"), 8192);
  EXPECT_EQ(count_gpus("gpu:h100:1k"), 1024);
  ReadCount count;
  const auto jobs = read_slurm_jobs(
      {"f",
       "JobID|State|Start|End|AllocTRES|NodeList\n"
       "1|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=8x|n1\n"
       "2|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=8.5|n1\n"
       "3|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=8G|n1\n"
       "4|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=2|login-gpu.site\n"},
      0, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1U);
  EXPECT_EQ(jobs->front().nodes, (std::vector<std::string>{"login-gpu.site"}));
  EXPECT_EQ(count.odd_rows["jobs-odd-count"].rows, 3U);
}

TEST(Slurm, WhatWasResizedEndedThenAndWhatAQueueExpectsDidNot) {
  ReadCount count;
  const auto jobs =
      read_slurm_jobs({"f",
                       "JobID|State|Start|End|AllocTRES|NodeList\n"
                       "1|RESIZING|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=8|n[1-2]\n"
                       "1|RUNNING|2026-11-10T01:00:00|Unknown|gres/gpu=4|n1\n"
                       "2|STAGE_OUT|2026-11-10T00:00:00|2026-11-10T02:00:00|gres/gpu=4|n3\n"
                       "3|SUSPENDED|2026-11-10T00:00:00|2026-11-12T00:00:00|gres/gpu=4|n4\n"
                       "4|RUNNING|2026-11-10T00:00:00|2026-11-12T00:00:00|gres/gpu=4|n5\n"},
                      1794312000, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 5U);
  const std::vector<double> hours{1, 11, 2, 12, 12};
  for (std::size_t i = 0; i < hours.size(); ++i)
    EXPECT_EQ((*jobs)[i].end - (*jobs)[i].start, 3600 * hours[i]) << i;
}

TEST(Slurm, ReadsTimesWithZonesAndInSecondsAndNoDateThatMayBeAnother) {
  const auto start_of = [](const std::string& start, const std::string& end) {
    ReadCount count;
    const auto jobs =
        read_slurm_jobs({"f", "JobID|State|Start|End|AllocTRES|NodeList\n1|COMPLETED|" + start +
                                  "|" + end + "|gres/gpu=2|n1\n"},
                        0, count);
    return jobs && !jobs->empty() ? jobs->front().start : 0.0;
  };
  EXPECT_EQ(start_of("2026-11-10T10:00:00", "2026-11-10T11:00:00"), 1794304800);
  EXPECT_EQ(start_of("2026-11-10T10:00:00+0100", "2026-11-10T11:00:00+0100"), 1794301200);
  EXPECT_EQ(start_of("2026-11-10T10:00:00-05:00", "2026-11-10T11:00:00-05:00"), 1794322800);
  EXPECT_EQ(start_of("2026-11-10 10:00:00", "2026-11-10 11:00:00"), 1794304800);
  EXPECT_EQ(start_of("1794304800", "1794308400"), 1794304800);
  EXPECT_EQ(start_of("10/11/2026 10:00:00", "10/11/2026 11:00:00"), 0);
}

// Slurm tells the use of GPUs of steps, and adds up the GPUs of a task.
TEST(Slurm, ReadsTheUseOfGpusFromSteps) {
  ReadCount count;
  const std::string when = "2026-11-10T10:00:00|2026-11-10T12:00:00";
  const auto jobs = read_slurm_jobs(
      {"f",
       "JobID|State|Start|End|AllocTRES|NodeList|NTasks|TRESUsageInAve\n7|COMPLETED|" + when +
           "|gres/gpu=4|n1||\n7.batch|COMPLETED|" + when +
           "|gres/gpu=4|n1|1|gres/gpuutil=0\n"
           "7.0|COMPLETED|2026-11-10T10:00:00|2026-11-10T11:00:00|gres/gpu=4|n1|1|cpu=1,"
           "gres/gpuutil=200\n"
           "7.1|COMPLETED|2026-11-10T11:00:00|2026-11-10T12:00:00|gres/gpu=4|n1|4|gres/gpuutil=90\n"
           "8|COMPLETED|" +
           when + "|gres/gpu=2|n2||\n8.batch|COMPLETED|" + when +
           "|gres/gpu=2|n2||gres/gpuutil=30\n9|COMPLETED|" + when + "|gres/gpu=2|n3||\n"},
      0, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 3U);
  EXPECT_NEAR((*jobs)[0].busy.value_or(-1), (0.5 + 0.9) / 2, 1e-9);
  EXPECT_NEAR((*jobs)[1].busy.value_or(-1), 0.3, 1e-9);
  EXPECT_FALSE((*jobs)[2].busy);
}

TEST(Slurm, ReadsJobsWithAndWithoutAHeader) {
  const std::string header = "JobID|JobName|User|Account|State|Start|End|AllocTRES|NodeList\n";
  const std::string rows =
      "7|train|ann|lab|COMPLETED|2026-11-10T10:00:00|2026-11-10T12:00:00|cpu=8,gres/gpu=4|n[1-2]\n"
      "7.batch|batch||lab|COMPLETED|2026-11-10T10:00:00|2026-11-10T12:00:00|cpu=8,gres/gpu=4|n1\n"
      "8|train|ann|lab|NODE_FAIL|2026-11-10T10:00:00|2026-11-10T11:00:00|cpu=8,gres/gpu=2|n3\n"
      "9|serve|bob|web|RUNNING|2026-11-10T10:00:00|Unknown|cpu=8,gres/gpu=2|n4\n";
  for (const std::string& text : {header + rows, rows}) {
    ReadCount count;
    const auto jobs = read_slurm_jobs({"f", text}, 1794312000, count);
    ASSERT_TRUE(jobs) << text;
    ASSERT_EQ(jobs->size(), 3U) << text;
    EXPECT_EQ((*jobs)[0].gpus, 4);
    EXPECT_EQ((*jobs)[0].nodes, (std::vector<std::string>{"n1", "n2"}));
    EXPECT_EQ((*jobs)[0].end - (*jobs)[0].start, 7200);
    EXPECT_EQ((*jobs)[1].end_state, JobEnd::kFailed);
    EXPECT_EQ((*jobs)[2].end_state, JobEnd::kRunning);
    EXPECT_EQ((*jobs)[2].end, 1794312000);
  }
}

TEST(Slurm, RowsInTheUsualOrderNeedNoHeader) {
  ReadCount count;
  const auto jobs = read_slurm_jobs(
      {"f",
       "201|ann|nlp|COMPLETED|2026-11-10T00:00:00|2026-11-11T00:00:00|gres/gpu=2,node=1|n1|"
       "FAILED_retry\n"},
      0, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1U);
  EXPECT_EQ(jobs->front().end_state, JobEnd::kFinished);
  EXPECT_EQ(jobs->front().user, "ann");
  EXPECT_EQ(jobs->front().account, "nlp");
  EXPECT_EQ(jobs->front().name, "FAILED_retry");
}

TEST(Slurm, JobsThatCannotBeAreLeftOutAndCounted) {
  ReadCount count;
  const auto jobs = read_slurm_jobs(
      {"f",
       "1|a|b|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=2|n1|fine\n"
       "2|a|b|COMPLETED|2026-11-10T00:00:00|2026-11-09T00:00:00|gres/gpu=2|n1|ends before\n"},
      0, count);
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->size(), 1U);
  EXPECT_EQ(count.odd_rows["jobs-end-before-start"].rows, 1U);
  EXPECT_EQ(count.odd_rows["jobs-end-before-start"].first_line, 2U);
}

TEST(Slurm, RowsThatSayTooLittleArePassedOverAndCountedByWhatTheyLack) {
  ReadCount count;
  const auto jobs =
      read_slurm_jobs({"f",
                       "JobID|State|Start|End|AllocTRES|NodeList\n"
                       "1|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=2|n1\n"
                       "2|COMPLETED|2026-11-10T00:00:00|Unknown|gres/gpu=2|n1\n"
                       "3|FAILED|Unknown|2026-11-10T01:00:00|gres/gpu=2|n1\n"
                       "4|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=many|n1\n"
                       "5|COMPLETED|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=-4|n1\n"
                       "6|FLYING|2026-11-10T00:00:00|2026-11-10T01:00:00|gres/gpu=2|n1\n"
                       "7|CANCELLED by 0|Unknown|2026-11-10T01:00:00||None assigned\n"},
                      0, count);
  ASSERT_TRUE(jobs);
  EXPECT_EQ(count.odd_rows["jobs-without-end"].rows, 1U);
  EXPECT_EQ(count.odd_rows["jobs-without-end"].first_line, 3U);
  EXPECT_EQ(count.odd_rows["jobs-without-start"].rows, 1U);
  EXPECT_EQ(count.odd_rows["jobs-odd-count"].rows, 2U);
  EXPECT_EQ(count.odd_rows["jobs-of-unknown-state"].rows, 1U);
  std::vector<std::string> read;
  for (const JobRecord& job : *jobs) read.push_back(job.id);
  EXPECT_EQ(read, (std::vector<std::string>{"1", "6", "7"}));
  EXPECT_EQ((*jobs)[1].end_state, JobEnd::kFinished);
}

TEST(Slurm, ATimeThatIsMissingFollowsFromTheTimeThatPassed) {
  ReadCount count;
  const auto jobs =
      read_slurm_jobs({"f",
                       "JobID|State|Start|End|Elapsed|AllocTRES|NodeList\n"
                       "1|COMPLETED|2026-11-10T00:00:00|Unknown|1-01:00:30|gres/gpu=2|n1\n"
                       "2|FAILED|Unknown|2026-11-10T01:00:00|30:00|gres/gpu=2|n1\n"},
                      0, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 2U);
  EXPECT_EQ((*jobs)[0].end - (*jobs)[0].start, 90030);
  EXPECT_EQ((*jobs)[1].end - (*jobs)[1].start, 1800);
  EXPECT_TRUE(count.odd_rows.empty());
}

// As sacct prints it without -P: padded columns, empty cells, words that are cut.
TEST(Slurm, ReadsPaddedTablesAndSaysWhatIsCutShort) {
  ReadCount count;
  const TextFile file{
      "f",
      "JobID             User    Account      State               Start                 End"
      "            AllocTRES        NodeList \n"
      "------------ --------- ---------- ---------- ------------------- -------------------"
      " -------------------- --------------- \n"
      "7                  ann        lab OUT_OF_ME+ 2026-11-10T10:00:00 2026-11-10T12:00:00"
      "     cpu=8,gres/gpu=4          n[1-2] \n"
      "7.batch                       lab  COMPLETED 2026-11-10T10:00:00 2026-11-10T12:00:00"
      "     cpu=8,gres/gpu=4              n1 \n"
      "8                                  COMPLETED 2026-11-10T10:00:00 2026-11-10T11:00:00"
      "           gres/gpu=2              n3 \n"
      "9                  bob        web CANCELLED+ 2026-11-10T10:00:00 2026-11-10T11:00:00"
      " billing=80,cpu=8,ge+              n3 \n"};
  ASSERT_EQ(*find_kind(file), FileKind::kSlurmJobs);
  const auto jobs = read_slurm_jobs(file, 0, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 2U);
  EXPECT_EQ((*jobs)[0].end_state, JobEnd::kFailed);
  EXPECT_EQ((*jobs)[0].gpus, 4);
  EXPECT_EQ((*jobs)[0].account, "lab");
  EXPECT_EQ((*jobs)[1].id, "8");
  EXPECT_EQ((*jobs)[1].gpus, 2);
  EXPECT_EQ((*jobs)[1].nodes, (std::vector<std::string>{"n3"}));
  EXPECT_EQ(count.odd_rows["jobs-cut-short"].rows, 1U);
  EXPECT_EQ(count.odd_rows["jobs-cut-short"].first_line, 6U);
}

TEST(Slurm, TellsAQueueFromAccounts) {
  const std::string sacct = "JobID|State|Start|End|AllocTRES|NodeList\n";
  const std::string row = "1|RUNNING|2026-11-10T10:00:00|Unknown|gres/gpu=2|n1\n";
  EXPECT_FALSE(is_queue({"f", sacct + row}));
  EXPECT_FALSE(is_queue({"f", row}));
  EXPECT_TRUE(is_queue({"f", "JOBID|USER|STATE|START_TIME|TRES_PER_NODE|NODELIST\n"}));
  EXPECT_TRUE(is_queue({"f", "1|ann|RUNNING|2026-11-10T10:00:00|gres:gpu:2|n1\n"}));
  const TextFile usual{"f",
                       "  JOBID PARTITION  NAME  USER ST  TIME NODES NODELIST(REASON)\n"
                       "      7       gpu train   ann  R  1:00     1 n1\n"};
  EXPECT_TRUE(is_queue(usual));
  ReadCount count;
  const auto jobs = read_slurm_jobs(usual, 1000, count);
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->front().end_state, JobEnd::kRunning);
  EXPECT_EQ(jobs->front().start, 940);
}

TEST(Slurm, ReadsJobsWhoseNamesHoldWhatSeparatesColumns) {
  ReadCount count;
  const auto jobs =
      read_slurm_jobs({"f",
                       "JobID|User|State|Start|End|AllocTRES|NodeList|JobName\n"
                       "7|ada|COMPLETED|2026-11-10T10:00:00|2026-11-10T11:00:00|gres/gpu=8|n1|a|"
                       "FAILED|gres/gpu=64\n"},
                      0, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1U);
  EXPECT_EQ(jobs->front().gpus, 8);
  EXPECT_EQ(jobs->front().end_state, JobEnd::kFinished);
}

TEST(Slurm, CountsGpusAsTheQueueWritesThem) {
  EXPECT_EQ(count_gpus("gres:gpu:8"), 8);
  EXPECT_EQ(count_gpus("gres:gpu:h100:4"), 4);
  EXPECT_EQ(count_gpus("gres:shard:4"), 0);
}

TEST(Slurm, ReadsTheJobCompletionFile) {
  const auto line = [](const char* name, const char* state, const char* tres) {
    return std::string("JobId=3 UserId=ada(1000) GroupId=g(1) Name=") + name +
           " JobState=" + state +
           " Partition=gpu TimeLimit=60 StartTime=2026-11-10T10:00:00 EndTime=2026-11-10T11:00:00 "
           "NodeList=n[1-2] NodeCnt=2 ProcCnt=1 WorkDir=/home/a JobState=RUNNING ReservationName= "
           "Tres=cpu=1,node=1," +
           tres + " Account=lab QOS= WcKey= ExitCode=0:0 \n";
  };
  const std::string text = line("a b", "COMPLETED", "gres/gpu=8") +
                           line("x JobState=COMPLETED", "FAILED", "gres/gpu=4") + "no job\n" +
                           line("again", "PENDING", "gres/gpu=2");
  ASSERT_EQ(*find_kind({"f", text}), FileKind::kSlurmJobs);
  ReadCount count;
  const auto jobs = read_slurm_jobs({"f", text}, 0, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 3U);
  EXPECT_EQ((*jobs)[0].name, "a b");
  EXPECT_EQ((*jobs)[0].user, "ada");
  EXPECT_EQ((*jobs)[0].account, "lab");
  EXPECT_EQ((*jobs)[0].gpus, 8);
  EXPECT_EQ((*jobs)[0].nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ((*jobs)[0].end - (*jobs)[0].start, 3600);
  EXPECT_EQ((*jobs)[0].end_state, JobEnd::kFinished);
  EXPECT_EQ((*jobs)[1].end_state, JobEnd::kFailed);
  EXPECT_EQ((*jobs)[1].name, "x JobState=COMPLETED");
  // A job that was queued again stands there as one that waits.
  EXPECT_EQ((*jobs)[2].end_state, JobEnd::kFailed);
}

TEST(Slurm, ReadsNodesOnceHoweverManyPartitionsHaveThem) {
  const auto nodes =
      read_slurm_nodes({"f",
                        "normal*|up|c1|0/1/0/1|1000|N/A|idle|gpu:tesla:4|gpu:tesla:3(IDX:0,2-3)\n"
                        "other|up|c1|0/1/0/1|1000|N/A|idle|gpu:tesla:4|gpu:tesla:3(IDX:0,2-3)\n"
                        "buz|up|c3|1/2/3/4|5000|bar|idle|(null)|(null)\n"});
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_EQ(nodes->front().gpus, 4);
  EXPECT_EQ(nodes->front().gpus_in_use, 3);
  EXPECT_EQ(nodes->front().accelerator, "tesla");
}

TEST(Slurm, ReadsNodesWhosePartitionIsCalledLikeAHost) {
  for (const char* text : {"h100|n1|idle|gpu:h100:8\nh100|compute-2|alloc|gpu:h100:8\n",
                           "PARTITION|NODELIST|STATE|GRES\nh100|n1|idle|gpu:h100:8\n"
                           "h100|compute-2|down*|gpu:h100:8\n",
                           "n1 h100 idle gpu:h100:8\ncompute-2 h100 mix gpu:h100:8\n",
                           "idle n1 h100 gpu:h100:8\nmix compute-2 h100 gpu:h100:8\n"}) {
    const auto nodes = read_slurm_nodes({"f", text});
    ASSERT_TRUE(nodes) << text;
    ASSERT_EQ(nodes->size(), 2U) << text;
    EXPECT_EQ((*nodes)[0].name, "compute-2") << text;
    EXPECT_EQ((*nodes)[1].name, "n1") << text;
    EXPECT_FALSE((*nodes)[0].gpus_in_use) << text;
  }
}

// Whether 01/02 is of January or of February is not said: the error shows the cell.
TEST(Slurm, ADateThatMayBeTwoIsPointedAt) {
  const std::string rows = "1|COMPLETED|01/02/2026 10:00:00|01/02/2026 12:00:00|gres/gpu=8|n1\n";
  for (const std::string& head :
       {std::string("JobID|State|Start|End|AllocTRES|NodeList\n"), std::string()}) {
    ReadCount count;
    const std::string text = head + rows;
    const auto jobs = read_slurm_jobs({"jobs.txt", text}, 0, count);
    ASSERT_FALSE(jobs);
    EXPECT_EQ(jobs.error().code, lf::kBadDate);
    EXPECT_EQ(jobs.error().where.line, head.empty() ? 1U : 2U);
    EXPECT_EQ(jobs.error().where.column, 13U);
    EXPECT_NE(jobs.error().message.find("Start"), std::string::npos);
    EXPECT_NE(jobs.error().hint.find("2026-02-01T10:00:00"), std::string::npos);
  }
}

TEST(Slurm, ShardsAreCounted) {
  EXPECT_EQ(count_shards("billing=8,cpu=8,gres/shard=4"), 4);
  EXPECT_EQ(count_shards("gpu:h100:8,shard:h100:64(S:0-1)"), 64);
  EXPECT_EQ(count_gpus("cpu=8,gres/shard=4"), 0);
}

TEST(Slurm, AQueueWithoutAHeaderCountsGpusOfEachNode) {
  ReadCount count;
  const auto jobs =
      read_slurm_jobs({"q",
                       "5|u|a|RUNNING|2026-11-18T08:00:00|2026-11-18T12:00:00|gres/gpu:4|n[1-2]|x\n"
                       "7|u|b|RUNNING|2026-11-18T08:00:00|NONE|gres/gpu:h100:2|n1|y\n"
                       "8|u|c|COMPLETING|2026-11-18T08:00:00|N/A|gres:gpu:1|n1|y\n"},
                      1795000000, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 3U);
  EXPECT_EQ((*jobs)[0].gpus, 8);
  EXPECT_EQ((*jobs)[1].gpus, 2);
  EXPECT_EQ((*jobs)[1].account, "b");
  EXPECT_EQ((*jobs)[2].account, "c");
  EXPECT_EQ((*jobs)[2].gpus, 1);
}

TEST(Slurm, AMarkInANameLeavesARowWithoutAHeaderItsOwner) {
  ReadCount count;
  const auto jobs = read_slurm_jobs(
      {"s",
       "104|cat|nlp|CANCELLED by 1000|2025-06-03T00:00:00|2025-06-03T06:00:00|gres/gpu=2|n2|odd|na"
       "me\n"
       "105|cat|nlp|COMPLETED|2025-06-03T00:00:00|2025-06-03T06:00:00|gres/gpu=2|n2|plain|\n"},
      1795000000, count);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 2U);
  EXPECT_EQ((*jobs)[0].account, "nlp");
  EXPECT_EQ((*jobs)[0].name, "odd|name");
  EXPECT_EQ((*jobs)[1].name, "plain");
}

TEST(Slurm, ATableWithoutAColumnOfGpusSaysSo) {
  ReadCount count;
  const auto jobs = read_slurm_jobs({"q",
                                     "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n"
                                     "7 gpu x u R 1:00:00 1 n1\n"},
                                    1795000000, count);
  ASSERT_TRUE(jobs);
  EXPECT_TRUE(count.odd_rows.contains("jobs-without-gpus"));
}

TEST(Slurm, WhyEveryRowWasPassedOverIsSaid) {
  ReadCount count;
  const auto jobs = read_slurm_jobs({"s",
                                     "JobID|User|State|Start|End|AllocTRES|NodeList\n"
                                     "1|u|COMPLETED|2026-11-10T00:00:00||gres/gpu=2|n2\n"},
                                    1795000000, count);
  ASSERT_FALSE(jobs);
  EXPECT_NE(jobs.error().message.find("without end"), std::string::npos);
}

TEST(Slurm, ANodeOfTwoKindsHasGpusOfBoth) {
  const auto nodes = read_slurm_nodes({"s", "gpu|n3|mix|gpu:a100:1,gpu:h100:2\n"});
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_EQ(nodes->front().gpus, 3);
  EXPECT_EQ(nodes->front().kinds, (std::vector<std::string>{"a100", "h100", "h100"}));
}

}  // namespace
}  // namespace loadfactor::observe
