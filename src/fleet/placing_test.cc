#include "fleet/placing.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace loadfactor::fleet {
namespace {

// Weeks of days that are alike but for some hours.
struct RepeatedWeeks {
  Pool pool{.name = "main", .machine = 8};
  std::vector<double> hours = std::vector<double>(24 * 14, 1.0);
  std::vector<double> taste = std::vector<double>(24 * 14, 1.0);
  std::vector<int> load;
  std::vector<Job> jobs;

  explicit RepeatedWeeks(RandomStream& stream) {
    pool.committed = {{.fixed = DollarsPerGpuSecond::from_base(1.5 / 3600)}};
    pool.hourly = {{.price = DollarsPerGpuSecond::from_base(3.0 / 3600)}};
    std::vector<int> day;
    for (int hour = 0; hour < 24; ++hour) day.push_back(static_cast<int>(stream.below(40)));
    for (std::size_t t = 0; t < hours.size(); ++t) load.push_back(day[t % 24]);
    for (int i = 0; i < 5; ++i) load[stream.below(load.size())] += 3;
    const double work = 1 + static_cast<double>(stream.below(12));
    for (std::size_t from = 0; from < hours.size(); from += 24)
      jobs.push_back(
          {.gang = 4, .most = 3, .work = work, .reload = 0.5, .from = from, .to = from + 24});
  }
};

TEST(PlacingTest, APlanThatWasMadeBeforeIsTheOneThatIsMadeAnew) {
  RandomStream stream(3, "placed-before");
  for (int i = 0; i < 50; ++i) {
    const RepeatedWeeks weeks(stream);
    const PoolPrices prices(weeks.pool, weeks.hours);
    PlacedBefore before;
    for (const Job& job : weeks.jobs) {
      const PlacingQuestion question{&job, weeks.load, 3, weeks.taste, 0.0};
      EXPECT_EQ(before.place(prices, question), place(prices, question)) << i;
    }
  }
}

TEST(PlacingTest, JobsThatDifferAreNotTakenForEachOther) {
  RandomStream stream(4, "placed-before");
  const RepeatedWeeks weeks(stream);
  const PoolPrices prices(weeks.pool, weeks.hours);
  PlacedBefore before;
  Job job = weeks.jobs.front();
  const PlacingQuestion question{&job, weeks.load, 3, weeks.taste, 0.0};
  for (const double work : {2.0, 7.0, 11.0}) {
    job.work = work;
    EXPECT_EQ(before.place(prices, question), place(prices, question)) << work;
  }
  job.is_preemptible = false;
  EXPECT_EQ(before.place(prices, question), place(prices, question));
}

}  // namespace
}  // namespace loadfactor::fleet
