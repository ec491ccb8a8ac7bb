#include "observe/service_load.h"

#include <gtest/gtest.h>

#include "observe/account.h"
#include "observe/testing/made_cluster.h"

namespace loadfactor::observe {
namespace {

using testing::add;
using testing::hours;
using testing::kFrom;
using testing::share;

// Four tokens per second are full.
const FullRate kFour = [](const ReplicaTrack&) { return std::optional(4.0); };

// One token per second, looked at every so many seconds, but not between two times.
void add_engine(Cluster& cluster, double hours, double step, double gap_from = 0,
                double gap_to = 0) {
  const Labels labels{{"namespace", "lab"}, {"pod", "chat-0"}, {"model_name", "m"}};
  const int tokens = cluster.series("vllm:generation_tokens_total", labels);
  const int running = cluster.series("vllm:num_requests_running", labels);
  for (double t = 0; t <= 3600 * hours; t += step) {
    if (t > gap_from && t < gap_to) continue;
    cluster.sample(tokens, kFrom + t, t);
    cluster.sample(running, kFrom + t, 1);
  }
}

TEST(ServiceLoad, IsThatOfItsTokensHoweverRarelyTheyAreLookedAt) {
  for (const double step : {60.0, 300.0, 900.0, 1800.0, 3600.0}) {
    auto cluster = hours(12);
    add(cluster, {.pod = "chat-0"}, 0, 12, 0.1, 1);
    add_engine(cluster, 12, step);
    cluster.finish();
    const Account account = make_account(cluster, kFour, {});
    EXPECT_NEAR(share(account, Loss::kLoad), 0.25, 1e-3) << step;
    EXPECT_NEAR(seen_share(account), 1, 1e-3) << step;
  }
}

// A pod that another one replaced no longer stands: its last sample is held for a minute, as long
// as samples are apart, and not as where some are missing.
TEST(ServiceLoad, AReplicaStandsUntilItsSamplesEnd) {
  auto cluster = hours(3);
  const Labels labels{{"namespace", "lab"}, {"pod", "chat-0"}, {"model_name", "m"}};
  const int running = cluster.series("vllm:num_requests_running", labels);
  const int tokens = cluster.series("vllm:generation_tokens_total", labels);
  for (double t = 0; t <= 7200; t += 60) {
    if (t > 3600 && t < 3800) continue;
    cluster.sample(running, kFrom + t, 1);
    cluster.sample(tokens, kFrom + t, t);
  }
  cluster.finish();
  ASSERT_EQ(cluster.replicas().size(), 1U);
  const ReplicaTrack& replica = cluster.replicas().front();
  for (int s = 0; s <= 120; ++s) EXPECT_TRUE(replica.is_told(s)) << s;
  for (int s = 121; s < 180; ++s) EXPECT_FALSE(replica.is_told(s)) << s;
}

TEST(ServiceLoad, WhatIsCountedOverAGapIsNeitherFullNorSeen) {
  auto cluster = hours(12);
  add(cluster, {.pod = "chat-0"}, 0, 12, 0.1, 1);
  add_engine(cluster, 12, 60, 4 * 3600.0, 7 * 3600.0);
  cluster.finish();
  const Account account = make_account(cluster, kFour, {});
  EXPECT_NEAR(share(account, Loss::kLoad), 0.25, 1e-3);
  EXPECT_NEAR(seen_share(account), 0.75, 1e-3);
  // Monday, from 4 to 7 h.
  EXPECT_EQ(account.week_known[5], 0);
  EXPECT_EQ(account.week_load[5], 0);
  EXPECT_NEAR(account.week_load[8] / account.week_known[8], 0.25, 1e-3);
}

}  // namespace
}  // namespace loadfactor::observe
